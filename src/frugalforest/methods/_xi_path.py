"""Every set that some ξ leads to: a walk from each change of the set to the next.

The logarithm of a ratio is a straight line over ξ, gain minus ξ times price, so two features swap
places at most once. Of the p² / 2 swaps few change the set. If T is what a budget buys, a feature
outside T stays outside as long as what it is bought *before*, the features of T that come after its
turn, costs less than the feature itself minus what is left over. So the set can change next only
where a line outside overtakes one of T and the weight of those it has overtaken then suffices.

The walk goes to the first such ξ, looks behind it, and goes on from there. Where the set turns
out to be the same, nothing is lost but the time. The compiled core does the walking.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Prices
from frugalforest.methods._filling import Shop
from frugalforest.methods.criterion import TradeOff

__all__ = ["swapping_lines", "walk"]

Lines = tuple[NDArray[np.float64], NDArray[np.float64]]


def walk(shop: Shop, swapping: list[Lines]) -> Iterator[tuple[float, NDArray[np.intp]]]:
    """For each run of equal sets along ξ: the first ξ looked at, and what is bought in which order.

    Parameters
    ----------
    shop : Shop
    swapping : list
        What `swapping_lines` says of all features.

    Examples
    --------
    >>> from frugalforest.costs import Budget, CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> gains = np.array([0.4, 0.2])  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    >>> list(walk(Shop(prices, gains, Budget(4)), swapping_lines(prices, gains)))
    [(0.0, array([0])), (0.75, array([1]))]
    """
    for xi, items in shop.filling.walk(swapping):
        yield xi, shop.columns[items]


def swapping_lines(prices: Prices, benefit: NDArray[np.float64]) -> list[Lines]:
    """Heights and slopes of all features' lines, at any of the prices that they can have.

    A gain is never worth less than a loss: only features of one sign can swap, so those of gains
    and those of losses are apart.
    """
    cost = np.concatenate([prices.feature_cost, prices.alone])
    gain = np.concatenate([benefit, benefit])
    usable = ~np.concatenate([prices.excluded, prices.excluded]) & (cost > 0)
    points = np.unique(np.stack([gain[usable], cost[usable]], axis=1), axis=0)
    signs = TradeOff(*points.T).sign
    lines = []
    for sign in (1, -1):
        log_gain, log_cost = np.log(np.abs(points[signs == sign])).T
        if len(log_gain):
            lines.append((sign * log_gain, np.ascontiguousarray(log_cost)))
    return lines
