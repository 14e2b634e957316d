"""Every set that some ξ leads to: a walk from each change of the set to the next.

The logarithm of a ratio is a straight line over ξ, gain minus ξ times price, so two features swap
places at most once. Of the p² / 2 swaps few change the set. If T is what a budget buys, a feature
outside T stays outside as long as what it is bought *before*, the features of T that come after its
turn, costs less than the feature itself minus what is left over. So the set can change next only
where a line outside overtakes one of T and the weight of those it has overtaken then suffices.

The walk goes to the first such ξ, looks behind it, and goes on from there. Where the set turns
out to be the same, nothing is lost but the time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Prices
from frugalforest.criterion import TradeOff
from frugalforest.methods._filling import Shop
from frugalforest.methods._outlook import SAME_PRICE, Lines, Outlook

__all__ = ["Swaps", "walk"]

# Two swaps nearer to each other, relative to ξ, are one up to the rounding of either.
_SAME_XI = 1e-12
# Lines that are this near to each other may have been sorted wrongly.
_NEAR = 1e-9
# The first look ahead is this long.
_FIRST_STEP = 0.1


def walk(shop: Shop, swaps: Swaps) -> Iterator[tuple[float, NDArray[np.intp]]]:
    """For each run of equal sets along ξ: the first ξ looked at, and what is bought in which order.

    Examples
    --------
    >>> from frugalforest.costs import Budget, CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> gains = np.array([0.4, 0.2])  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    >>> list(walk(Shop(prices, gains, Budget(4)), Swaps(prices, gains)))
    [(0.0, array([0])), (0.75, array([1]))]
    """
    lines = Lines.of(shop)
    xi, step = 0.0, _FIRST_STEP
    bought = shop.fill_items(xi)
    yield xi, shop.columns[bought]
    while True:
        change = Outlook(shop, lines, bought, xi).next_change(step)
        if change == np.inf:
            return
        step = change - xi
        xi = swaps.look_behind(change)
        found = shop.fill_items(xi)
        if not np.array_equal(np.sort(found), np.sort(bought)):
            yield xi, shop.columns[found]
        bought = found


class Swaps:
    """All ξ at which two features swap places, at any of the prices that they can have.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> swaps = Swaps(CostModel([4.0, 1.0]).align(None, 2), np.array([0.4, 0.2]))
    >>> swaps.look_behind(0.25), swaps.look_behind(0.5)
    (0.375, 0.75)
    """

    def __init__(self, prices: Prices, benefit: NDArray[np.float64]) -> None:
        cost = np.concatenate([prices.feature_cost, prices.alone])
        gain = np.concatenate([benefit, benefit])
        usable = ~np.concatenate([prices.excluded, prices.excluded]) & (cost > 0)
        points = np.unique(np.stack([gain[usable], cost[usable]], axis=1), axis=0)
        signs = TradeOff(*points.T).sign
        # A gain is never worth less than a loss: only features of one sign can swap.
        self._lines = []
        for sign in (1, -1):
            log_gain, log_cost = np.log(np.abs(points[signs == sign])).T
            if len(log_gain):
                self._lines.append((sign * log_gain, log_cost))

    def look_behind(self, xi: float) -> float:
        """The middle between `xi` and the next swap; if there is none, half as much again."""
        behind, following = xi * (1 + _SAME_XI), np.inf
        for place, (height, slope) in enumerate(self._lines):
            # Kept in the order of the last look: a sort that finds most of it in order, and is
            # stable, takes 0.06 ms for 10,000 lines instead of 0.4.
            order = np.argsort(height - behind * slope, kind="stable")
            self._lines[place] = height[order], slope[order]
            following = min(following, _next_of_sorted(*self._lines[place], behind))
        return (xi + following) / 2 if following < np.inf else xi * 1.5


def _next_of_sorted(height: NDArray[np.float64], slope: NDArray[np.float64], xi: float) -> float:
    """The first swap after ξ of lines that are sorted by where they are at ξ."""
    # The next to swap are neighbours.
    following = _first_swap(np.diff(height), np.diff(slope), xi)
    # Those that have just swapped may still be in the wrong order, by rounding. So where lines are
    # that near, neighbours but one and but two count as well.
    for apart in (2, 3):
        rise, run = height[apart:] - height[:-apart], slope[apart:] - slope[:-apart]
        near = np.abs(rise - xi * run) < _NEAR
        following = min(following, _first_swap(rise[near], run[near], xi))
    return following


def _first_swap(rise: NDArray[np.float64], run: NDArray[np.float64], xi: float) -> float:
    """The first swap after ξ, given by how pairs of lines differ in height and slope."""
    with np.errstate(divide="ignore", invalid="ignore"):
        at = rise / run
        later = (at > xi) & (np.abs(run) > SAME_PRICE)
    return float(at[later].min(initial=np.inf))
