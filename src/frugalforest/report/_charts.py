"""Charts as places in percent of the plotting area; the template draws them as SVG.

Percentages, and no view box: a chart then takes the width of its page, a phone's too, while text
and markers keep their size, and no script is needed.
"""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from frugalforest.results import ScoreFacts, Selection, TriedSet
from frugalforest.results.frontier import decades_scale, spans_decades
from frugalforest.words.formats import NBSP, decimal, money

__all__ = [
    "Chart",
    "CurvePoint",
    "Mark",
    "Series",
    "Tick",
    "frontier_chart",
    "round_step",
    "xi_chart",
    "xi_range",
]

# Width of a character of a label, and of the gap between two labels, in pixels.
_CHARACTER, _GAP = 7.0, 10.0
# Methods stand side by side at a price, at most so many pixels apart, and at least so many.
_WIDEST_DODGE, _NARROWEST_DODGE = 11.0, 2.0
# Width of the plotting area in pixels: on a phone, and where the style sheet begins a wide page.
_PHONE, _DESK = 270.0, 640.0
# The error of guessing is shown unless that would take this share of the height for itself.
_MOST_FOR_GUESSING = 0.4
# Amounts on the axis of money, at most about this many.
_MOST_AMOUNTS = 6
# More values of ξ than this are a line without dots.
_MOST_DOTS = 30


@dataclass(frozen=True)
class Tick:
    """A line across the chart and what it stands for."""

    at: float
    label: str


@dataclass(frozen=True)
class CurvePoint:
    """What a curve shows at a budget: an error or score, with the ends of its interval if any.

    `same_set` is whether it is another way to the very set that is bought.
    """

    budget: float
    cost: float
    value: float
    low: float | None
    high: float | None
    text: str
    same_set: bool = False


@dataclass(frozen=True)
class Mark:
    """A point, with the ends of its interval if there is one, and the number of its budget."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str
    chosen: bool = False
    budget: int = 0


@dataclass(frozen=True)
class Series:
    """Points of one method, the line through them, and how many steps it is moved aside."""

    key: str
    label: str
    path: str
    marks: Sequence[Mark]
    dodge: float = 0.0


@dataclass(frozen=True)
class Chart:
    """Everything there is to draw. `columns` are the places of the budgets."""

    series: Sequence[Series]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    x_label: str
    y_label: str
    columns: Sequence[float] = ()
    guess: float | None = None
    dodge_phone: float = 0.0
    dodge_desk: float = 0.0

    @property
    def starts_at(self) -> str:
        """Where the y axis starts, if that is not 0."""
        label = self.y_ticks[0].label
        return "" if re.fullmatch(rf"0(\.0*)?({NBSP}%)?", label) else label


Scale = Callable[[float], float]


def frontier_chart(
    curves: Mapping[str, Sequence[CurvePoint | None]],
    labels: Mapping[str, str],
    best: Sequence[CurvePoint],
    y_label: str,
    *,
    in_percent: bool,
    smallest_span: float = 0.02,
    guess: float | None = None,
    answer: str | None = None,
) -> Chart:
    """Error against money spent.

    Parameters
    ----------
    curves : mapping of str to sequence of CurvePoint
        For each method one point a budget; None where it was not asked.
    labels : mapping of str to str
        What the methods are called.
    best : sequence of CurvePoint
        What is bought at each budget.
    y_label : str
    in_percent : bool
        Whether values are shares.
    smallest_span : float
        Values that differ by less do not fill the axis.
    guess : float, optional
        Value of guessing; left out where it is far above all others.
    answer : str, optional
        The curve that stands at its true place; the others stand beside it.
    """
    points = [point for curve in curves.values() for point in curve if point is not None]
    values = [v for p in points for v in (p.value, p.low, p.high) if v is not None]
    if guess is not None and max(values) < (1 - _MOST_FOR_GUESSING) * guess:
        guess = None
    shown = values if guess is None else [*values, guess]
    y_ticks, y = _value_axis(shown, smallest_span, in_percent=in_percent)
    x, logarithmic = _money_axis([p.cost for p in points])
    prices = sorted({p.cost for p in best})
    gaps = [b - a for a, b in itertools.pairwise(map(x, prices))]
    gap = min(gaps, default=100.0) / 100

    def dodge(width: float) -> float:
        fitting = min(_WIDEST_DODGE, gap * width / (len(curves) + 1))
        return round(max(_NARROWEST_DODGE, fitting), 1)

    series = []
    for (key, curve), aside in zip(curves.items(), _asides(list(curves), answer), strict=True):
        marks = [
            Mark(
                x(point.cost),
                y(point.value),
                None if point.low is None else y(point.low),
                None if point.high is None else y(point.high),
                f"{labels[key]}: {point.text} for {money(point.cost)} "
                f"(budget {money(point.budget)}{', the same set' if point.same_set else ''})",
                budget=k,
            )
            for k, point in enumerate(curve)
            if point is not None
        ]
        path = _line(sorted(marks, key=lambda mark: (mark.x, mark.budget)))
        series.append(Series(key, labels[key], path, marks, aside))
    return Chart(
        series,
        _money_ticks(x, [p.cost for p in points], logarithmic),
        y_ticks,
        _money_label([p.cost for p in points], logarithmic),
        y_label,
        [x(p.cost) for p in best],
        None if guess is None else y(guess),
        dodge(_PHONE),
        dodge(_DESK),
    )


def _asides(keys: Sequence[str], answer: str | None) -> list[float]:
    """How many steps each curve is moved aside: spread evenly, or around the answer."""
    if answer not in keys:
        return [i - (len(keys) - 1) / 2 for i in range(len(keys))]
    steps = (side * step for step in itertools.count(1) for side in (-1.0, 1.0))
    return [0.0 if key == answer else next(steps) for key in keys]


def xi_range(tried: Iterable[TriedSet]) -> tuple[float, list[float]]:
    """The largest ξ and the scores, over all methods at a budget: they share their axes."""
    usable = list(_with_xi(tried))
    return max([2.0, *(xi for xi, _ in usable)]), [score for _, score in usable]


def xi_chart(
    selection: Selection,
    label: str,
    score: ScoreFacts,
    exact: bool,
    largest_xi: float,
    scores: Sequence[float],
) -> Chart:
    """Selection score against ξ for one method at one budget.

    Parameters
    ----------
    selection : Selection
        Of a method that has ξ.
    label : str
        What the method is called.
    score : ScoreFacts
    exact : bool
        Whether a set stays the same up to the next ξ: then the line goes in steps.
    largest_xi, scores
        What the axes must hold: see `xi_range`.
    """
    y_ticks, y = _value_axis(
        scores, score.smallest_span, most=5, from_zero=False, in_percent=score.in_percent
    )
    # Where two filters' features swap places, ξ can be any positive number. log(1 + ξ) is nearly ξ
    # where ξ is small, which is where it matters, and finds room for the rest.
    width = math.log1p(largest_xi)

    def x(xi: float) -> float:
        return round(100 * math.log1p(xi) / width, 2)

    marks = [
        Mark(
            x(xi),
            y(value),
            None,
            None,
            f"ξ = {decimal(xi)}: {score.text(value)}",
            xi == selection.xi,
        )
        for xi, value in _with_xi(selection.tried)
    ]
    path = _steps(marks) if exact else _line(marks)
    if len(marks) > _MOST_DOTS:
        marks = [mark for mark in marks if mark.chosen]
    powers = [float(10**k) for k in range(1, 1 + max(1, math.ceil(math.log10(largest_xi))))]
    ticks = [0.0, 0.5, 1.0, 2.0, 5.0, *(p * m for p in powers for m in (1, 3))]
    x_ticks = _spaced([Tick(x(t), decimal(t)) for t in ticks if t <= largest_xi])
    series = Series(selection.method, label, path, marks)
    return Chart([series], x_ticks, y_ticks, "ξ", "Selection score")


def _with_xi(tried: Iterable[TriedSet]) -> list[tuple[float, float]]:
    """ξ and score of the sets that have both."""
    return [(t.xi, t.score) for t in tried if t.xi is not None and math.isfinite(t.score)]


def _money_axis(prices: Sequence[float]) -> tuple[Scale, bool]:
    """From a price to its place, with room for the methods side by side at both ends."""
    low, high = min(prices), max(prices)
    if low == high:
        return (lambda _: 50.0), False
    logarithmic = spans_decades(prices)
    measure: Scale = decades_scale(prices)[0] if logarithmic else float
    start, width = measure(low), measure(high) - measure(low)
    return (lambda price: round(7 + 86 * (measure(price) - start) / width, 2)), logarithmic


def _money_label(prices: Sequence[float], logarithmic: bool) -> str:
    if not logarithmic:
        return "Money spent"
    return "Money spent, on a logarithmic scale" + ("; 0 stands apart" if min(prices) == 0 else "")


def _money_ticks(x: Scale, prices: Sequence[float], logarithmic: bool) -> list[Tick]:
    """Round amounts from the lowest price to the highest; what a point costs, its label says."""
    low, high = min(prices), max(prices)
    if low == high:
        return [Tick(x(low), money(low))]
    broken = []
    if logarithmic:
        lowest = min(price for price in prices if price > 0)
        powers = range(math.floor(math.log10(lowest)), math.ceil(math.log10(high)) + 1)
        amounts = [m * 10.0**k for k in powers for m in (1, 2, 5)]
        if low == 0:
            broken = [Tick(x(0.0), money(0)), Tick((x(0.0) + x(lowest)) / 2, "//")]
            amounts = [amount for amount in amounts if amount >= lowest]
    else:
        step = round_step((high - low) / _MOST_AMOUNTS)
        amounts = [i * step for i in range(math.floor(low / step), math.ceil(high / step) + 1)]
    # A little beyond the prices there is room on either side.
    ticks = [Tick(x(amount), money(amount)) for amount in amounts]
    return _spaced([*broken, *(tick for tick in ticks if 0 <= tick.at <= 100)])


def _value_axis(
    values: Sequence[float],
    smallest_span: float,  # one point must not look like a cliff
    most: int = 6,
    from_zero: bool = True,
    in_percent: bool = True,
) -> tuple[list[Tick], Scale]:
    """Ticks at round numbers, and from a value to its place."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    # From 0 if asked for, unless that would leave half of the chart empty.
    if from_zero and low < 0.5 * high:
        low = 0.0
    step = round_step(max(high - low, smallest_span) / most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    lacking = math.ceil(smallest_span / step - 1e-9) - (last - first)
    if lacking > 0:
        first, last = max(0, first - lacking // 2), last + lacking - min(first, lacking // 2)

    def place(value: float) -> float:
        return round(100 * (last - value / step) / (last - first), 2)

    unit, sign = (100, NBSP + "%") if in_percent else (1, "")
    places = max(0, -math.floor(math.log10(unit * step) + 1e-9))
    ticks = [
        Tick(place(i * step), f"{unit * i * step:.{places}f}{sign}") for i in range(first, last + 1)
    ]
    return ticks, place


def round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, … times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))


def _spaced(ticks: Sequence[Tick]) -> list[Tick]:
    """The ticks, without the labels that would run into the one before, on a phone."""
    kept: list[Tick] = []
    end = -math.inf
    for tick in ticks:
        half = 50 * _CHARACTER * len(tick.label) / _PHONE
        if tick.at - half < end:
            kept.append(Tick(tick.at, ""))
        else:
            kept.append(tick)
            end = tick.at + half + 100 * _GAP / _PHONE
    return kept


def _line(marks: Sequence[Mark]) -> str:
    return "M" + "L".join(f"{m.x:g} {m.y:g}" for m in marks) if len(marks) > 1 else ""


def _steps(marks: Sequence[Mark]) -> str:
    """A step to each mark's height at its place, and on to the right end."""
    if not marks:
        return ""
    return (
        f"M{marks[0].x:g} {marks[0].y:g}" + "".join(f"H{m.x:g}V{m.y:g}" for m in marks[1:]) + "H100"
    )
