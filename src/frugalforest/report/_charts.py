"""Charts as places in percent of the plotting area; the template draws them as SVG.

Percentages, and no view box: a chart then takes the width of its page, a phone's too, while text
and markers keep their size, and no script is needed.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from frugalforest.report._numbers import NBSP, decimal, money, score_text

__all__ = ["Chart", "Mark", "Series", "Tick", "frontier_chart", "xi_chart", "xi_range"]

# Labels on the x axis are left out where they would be nearer than this, in percent of the width.
_NEAREST_LABELS = 8.0
# Methods stand side by side at a budget, at most so many pixels apart.
_WIDEST_DODGE = 11.0
# Width of the plotting area in pixels: on a phone, and where the style sheet begins a wide page.
_PHONE, _DESK = 270.0, 640.0
# Budgets that differ more than this would be crowded at the left of a linear axis.
_LOG_FROM = 10.0
# The y axis spans at least this: one point must not look like a cliff.
_SMALLEST_SPAN = 0.02
# More values of ξ than this are a line without dots.
_MOST_DOTS = 30


@dataclass(frozen=True)
class Tick:
    """A line across the chart and what it stands for."""

    at: float
    label: str


@dataclass(frozen=True)
class Mark:
    """A point, with the ends of its interval if there is one."""

    x: float
    y: float
    low: float | None
    high: float | None
    title: str
    chosen: bool = False


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
    """Everything there is to draw."""

    series: Sequence[Series]
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]
    x_label: str
    y_label: str
    dodge_phone: float = 0.0
    dodge_desk: float = 0.0


Scale = Callable[[float], float]


def frontier_chart(
    curves: Mapping[str, Sequence[Mapping[str, Any]]],
    labels: Mapping[str, str],
    budgets: Sequence[float],
    y_label: str,
) -> Chart:
    """Error against budget.

    Parameters
    ----------
    curves : mapping of str to sequence
        For each method one entry a budget, with `error`, `low`, `high` (None: no interval) and
        `text`.
    labels : mapping of str to str
        What the methods are called.
    budgets : sequence of float, ascending
    y_label : str
    """
    values = [
        v
        for curve in curves.values()
        for point in curve
        for v in (point["error"], point["low"], point["high"])
        if v is not None
    ]
    y_ticks, y = _error_axis(values)
    x, logarithmic = _budget_axis(budgets)
    places = [x(b) for b in budgets]
    gap = min((b - a for a, b in itertools.pairwise(places)), default=100.0) / 100

    def dodge(width: float) -> float:
        return round(min(_WIDEST_DODGE, gap * width / (len(curves) + 1)), 1)

    series = []
    for i, (key, curve) in enumerate(curves.items()):
        marks = [
            Mark(
                place,
                y(point["error"]),
                None if point["low"] is None else y(point["low"]),
                None if point["high"] is None else y(point["high"]),
                f"{labels[key]}, budget {money(budget)}: {point['text']}",
            )
            for place, budget, point in zip(places, budgets, curve, strict=True)
        ]
        series.append(Series(key, labels[key], _line(marks), marks, i - (len(curves) - 1) / 2))
    x_ticks = _spaced([Tick(place, money(b)) for place, b in zip(places, budgets, strict=True)])
    x_label = "Budget (logarithmic)" if logarithmic else "Budget"
    return Chart(series, x_ticks, y_ticks, x_label, y_label, dodge(_PHONE), dodge(_DESK))


def xi_range(tried: Iterable[Mapping[str, Any]], scoring: str) -> tuple[float, list[float]]:
    """The largest ξ and the scores, over all methods at a budget: they share their axes."""
    usable = [t for t in tried if _finite(t[scoring])]
    return max([2.0, *(t["xi"] for t in usable)]), [t[scoring] for t in usable]


def xi_chart(
    selection: Mapping[str, Any],
    label: str,
    scoring: str,
    exact: bool,
    largest_xi: float,
    scores: Sequence[float],
) -> Chart:
    """Selection score against ξ for one method at one budget.

    Parameters
    ----------
    selection : mapping
        With `method`, `xi` and `tried`.
    label : str
        What the method is called.
    scoring : {"oob_error", "brier"}
    exact : bool
        Whether a set stays the same up to the next ξ: then the line goes in steps.
    largest_xi, scores
        What the axes must hold: see `xi_range`.
    """
    y_ticks, y = _error_axis(scores, most=5, from_zero=False, in_percent=scoring == "oob_error")
    # Where two filters' features swap places, ξ can be any positive number. log(1 + ξ) is nearly ξ
    # where ξ is small, which is where it matters, and finds room for the rest.
    width = math.log1p(largest_xi)

    def x(xi: float) -> float:
        return round(100 * math.log1p(xi) / width, 2)

    tried = [t for t in selection["tried"] if _finite(t[scoring])]
    marks = [
        Mark(
            x(t["xi"]),
            y(t[scoring]),
            None,
            None,
            f"ξ = {decimal(t['xi'])}: {score_text(t[scoring], scoring)}",
            t["xi"] == selection["xi"],
        )
        for t in tried
    ]
    path = _steps(marks) if exact else _line(marks)
    if len(marks) > _MOST_DOTS:
        marks = [mark for mark in marks if mark.chosen]
    powers = [float(10**k) for k in range(1, 1 + max(1, math.ceil(math.log10(largest_xi))))]
    ticks = [0.0, 0.5, 1.0, 2.0, 5.0, *(p * m for p in powers for m in (1, 3))]
    x_ticks = _spaced([Tick(x(t), decimal(t)) for t in ticks if t <= largest_xi])
    series = Series(selection["method"], label, path, marks)
    return Chart([series], x_ticks, y_ticks, "ξ", "Selection score")


def _finite(value: float | None) -> bool:
    return value is not None and math.isfinite(value)


def _budget_axis(budgets: Sequence[float]) -> tuple[Scale, bool]:
    """From a budget to its place, with room for the methods side by side at both ends."""
    low, high = budgets[0], budgets[-1]
    if low == high:
        return (lambda _: 50.0), False
    logarithmic = low > 0 and high / low >= _LOG_FROM
    measure: Scale = math.log if logarithmic else float
    start, width = measure(low), measure(high) - measure(low)
    return (lambda b: round(7 + 86 * (measure(b) - start) / width, 2)), logarithmic


def _error_axis(
    values: Sequence[float], most: int = 6, from_zero: bool = True, in_percent: bool = True
) -> tuple[list[Tick], Scale]:
    """Ticks at round numbers, and from an error to its place."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    # From 0 if asked for, unless that would leave half of the chart empty.
    if from_zero and low < 0.5 * high:
        low = 0.0
    step = _round_step(max(high - low, _SMALLEST_SPAN) / most)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    lacking = math.ceil(_SMALLEST_SPAN / step - 1e-9) - (last - first)
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


def _round_step(least: float) -> float:
    """The smallest of 1, 2, 5, 10, … times a power of ten that is not below `least`."""
    power = 10.0 ** math.floor(math.log10(least))
    return next(m * power for m in (1, 2, 5, 10) if m * power >= least * (1 - 1e-9))


def _spaced(ticks: Sequence[Tick]) -> list[Tick]:
    """The ticks, without the labels that would run into the one before."""
    kept: list[Tick] = []
    labelled = -math.inf
    for tick in ticks:
        near = tick.at - labelled < _NEAREST_LABELS
        kept.append(Tick(tick.at, "") if near else tick)
        labelled = labelled if near else tick.at
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
