"""Error against money: the knee, the cheapest good set, and what the next unit of money buys."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

__all__ = [
    "FrontierPoint",
    "MoneyBuys",
    "by_money_spent",
    "cheapest_within",
    "decades_scale",
    "find_knee",
    "money_buys",
    "spans_decades",
    "spends_more",
    "within_one_se",
]

# From the smallest amount to the largest, on a logarithmic axis.
_LOG_FROM = 10.0
# Where 0 stands on that axis, as a share of its width.
_PLACE_OF_ZERO = -0.25


@dataclass(frozen=True)
class FrontierPoint:
    """One budget: what is spent of it, and the honest error with its standard error."""

    budget: float
    cost: float
    error: float
    se: float


@dataclass(frozen=True)
class MoneyBuys:
    """What a larger budget buys.

    Attributes
    ----------
    budget, next_budget : float
        From which budget to which.
    spent : float
        How much more money is spent: not the difference of the budgets, which may be left over.
    fall : float
        How far the honest error falls; negative if it rises.
    per_unit : float
        The fall for each unit of money spent; NaN if no more is spent.
    """

    budget: float
    next_budget: float
    spent: float
    fall: float
    per_unit: float


def find_knee(points: Sequence[FrontierPoint]) -> FrontierPoint | None:
    """The point up to which money buys most: farthest below the line from first to last.

    From the first point to the knee, the error falls faster per unit of money spent than from
    there to the last, on the whole. None for fewer than three amounts spent, or if no point lies
    below that line.

    Examples
    --------
    >>> points = [FrontierPoint(b, b, e, 0.0) for b, e in [(1, 0.4), (2, 0.1), (5, 0.08)]]
    >>> find_knee(points).cost
    2
    """
    points = by_money_spent(points)
    if len(points) < 3:
        return None
    first, last = points[0], points[-1]
    width, height = last.cost - first.cost, first.error - last.error
    if height <= 0:
        return None

    def below(point: FrontierPoint) -> float:
        return (first.error - point.error) / height - (point.cost - first.cost) / width

    knee = max(points, key=below)
    return knee if below(knee) > 0 else None


def by_money_spent(points: Sequence[FrontierPoint]) -> list[FrontierPoint]:
    """One point for each amount spent, ascending: of several, that of the smallest budget.

    Examples
    --------
    >>> points = [FrontierPoint(5, 4, 0.3, 0.0), FrontierPoint(9, 4, 0.2, 0.0)]
    >>> [point.budget for point in by_money_spent(points)]
    [5]
    """
    kept: list[FrontierPoint] = []
    for point in sorted(points, key=lambda p: (p.cost, p.budget)):
        if not kept or spends_more(point.cost, kept[-1].cost):
            kept.append(point)
    return kept


def spends_more(cost: float, other: float) -> bool:
    """Whether one cost is above another by more than sums of prices are off by rounding.

    Examples
    --------
    >>> spends_more(0.1 + 0.2, 0.3), spends_more(0.31, 0.3)
    (False, True)
    """
    return cost > other and not math.isclose(cost, other, rel_tol=1e-9)


def spans_decades(costs: Iterable[float]) -> bool:
    """Whether amounts would be crowded at the left of a linear axis: better shown on a log scale.

    An amount of 0 does not count: it stands apart.

    Examples
    --------
    >>> spans_decades([5, 10, 40]), spans_decades([5, 60]), spans_decades([0, 5, 60])
    (False, True, True)
    """
    amounts = [cost for cost in costs if cost > 0]
    return bool(amounts) and max(amounts) / min(amounts) >= _LOG_FROM


def decades_scale(
    costs: Iterable[float],
) -> tuple[Callable[[float], float], Callable[[float], float]]:
    """From an amount to its place on an axis that `spans_decades`, and back.

    Logarithmic from the lowest amount above 0, which is at 0, to the highest, at 1. Below the
    lowest it is broken: 0 is at a fixed place to the left.

    Examples
    --------
    >>> place, amount = decades_scale([0, 10, 100, 1000])
    >>> [round(place(a), 2) for a in (0, 10, 100, 1000)]
    [-0.25, 0.0, 0.5, 1.0]
    >>> round(amount(0.5)), round(amount(-0.25))
    (100, 0)
    """
    amounts = [cost for cost in costs if cost > 0]
    low, width = min(amounts), math.log(max(amounts) / min(amounts))

    def place(amount: float) -> float:
        if amount < low:
            return _PLACE_OF_ZERO * (1 - amount / low)
        return math.log(amount / low) / width

    def amount(place: float) -> float:
        return low * math.exp(width * place) if place >= 0 else low * (1 - place / _PLACE_OF_ZERO)

    return place, amount


def within_one_se(points: Sequence[FrontierPoint]) -> FrontierPoint | None:
    """The cheapest point whose error is within one standard error of the lowest error.

    Examples
    --------
    >>> points = [FrontierPoint(b, b, e, 0.02) for b, e in [(1, 0.4), (2, 0.11), (5, 0.1)]]
    >>> within_one_se(points).budget
    2
    """
    if not points:
        return None
    best = min(points, key=lambda p: p.error)
    # Without a standard error (one resample) nothing but the best itself is near the best.
    margin = 0.0 if math.isnan(best.se) else best.se
    return cheapest_within(points, best.error + margin)


def cheapest_within(points: Sequence[FrontierPoint], max_error: float) -> FrontierPoint | None:
    """The cheapest point with at most this error, or None."""
    good = [p for p in points if p.error <= max_error]
    return min(good, key=lambda p: (p.cost, p.budget), default=None)


def money_buys(points: Sequence[FrontierPoint]) -> list[MoneyBuys]:
    """What the money buys that is spent from each point to the next.

    Examples
    --------
    >>> spent = [(1, 0.4), (2, 0.1), (2, 0.1)]
    >>> points = [FrontierPoint(b, c, e, 0.0) for b, (c, e) in enumerate(spent)]
    >>> [round(step.per_unit, 3) for step in money_buys(points)]
    [0.3, nan]
    """
    return [
        MoneyBuys(
            here.budget,
            there.budget,
            there.cost - here.cost,
            here.error - there.error,
            (here.error - there.error) / (there.cost - here.cost)
            if spends_more(there.cost, here.cost)
            else math.nan,
        )
        for here, there in itertools.pairwise(points)
    ]
