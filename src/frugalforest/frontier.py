"""Error against money: the knee, the cheapest good set, and what the next unit of money buys."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["FrontierPoint", "cheapest_within", "find_knee", "money_buys", "within_one_se"]


@dataclass(frozen=True)
class FrontierPoint:
    """One budget: what is spent of it, and the honest error with its standard error."""

    budget: float
    cost: float
    error: float
    se: float


def find_knee(points: Sequence[FrontierPoint]) -> FrontierPoint | None:
    """The point from which on money buys less: farthest below the line from first to last.

    None for fewer than three points, or if no point lies below that line.

    Examples
    --------
    >>> points = [FrontierPoint(b, b, e, 0.0) for b, e in [(1, 0.4), (2, 0.1), (5, 0.08)]]
    >>> find_knee(points).budget
    2
    """
    if len(points) < 3:
        return None
    first, last = points[0], points[-1]
    width, height = last.budget - first.budget, first.error - last.error
    if width <= 0 or height <= 0:
        return None

    def below(point: FrontierPoint) -> float:
        return (first.error - point.error) / height - (point.budget - first.budget) / width

    knee = max(points, key=below)
    return knee if below(knee) > 0 else None


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
    margin = best.se if best.se == best.se else 0.0
    return cheapest_within(points, best.error + margin)


def cheapest_within(points: Sequence[FrontierPoint], max_error: float) -> FrontierPoint | None:
    """The cheapest point with at most this error, or None."""
    good = [p for p in points if p.error <= max_error]
    return min(good, key=lambda p: (p.cost, p.budget), default=None)


def money_buys(points: Sequence[FrontierPoint]) -> list[float]:
    """Fall in error per unit of budget from each point to the next.

    Examples
    --------
    >>> points = [FrontierPoint(b, b, e, 0.0) for b, e in [(1, 0.4), (2, 0.1), (4, 0.06)]]
    >>> [round(x, 3) for x in money_buys(points)]
    [0.3, 0.02]
    """
    return [
        (here.error - there.error) / (there.budget - here.budget)
        for here, there in itertools.pairwise(points)
    ]
