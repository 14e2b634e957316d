"""Filling a budget with rated features: the best ratio first, skipping what does not fit."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.engine import Filling
from frugalforest.methods._base import start_steps
from frugalforest.methods.criterion import TradeOff

__all__ = ["Shop"]


class Shop:
    """What can be bought with a budget besides what is in from the start, ready for any ξ.

    An item has two prices: the `first` of its group costs the fee, too, the others are `later`
    ones. They are the same for most items: those without a group, without a fee, or whose group is
    paid from the start.

    Parameters
    ----------
    prices : Prices
    benefit : ndarray of float64, shape (n_features,)
    budget : Budget

    Attributes
    ----------
    columns : ndarray of int, shape (n_items,)
        Which feature each item is, ascending. Those that no ξ buys are not among them.
    group : ndarray of int, shape (n_items,)
        Each item's group if it has a fee that is still to be paid, else −1.
    first_cost, later_cost : ndarray of float64, shape (n_items,)
    ranks : TradeOff
        Benefits and costs of 2 · n_items variants: all items at the first cost, all at the later.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> shop = Shop(CostModel([4.0, 1.0]).align(None, 2), np.array([0.4, 0.2]), Budget(5))
    >>> shop.fill(0.0), shop.fill(1.0)
    (array([0, 1]), array([1, 0]))
    """

    def __init__(self, prices: Prices, benefit: NDArray[np.float64], budget: Budget) -> None:
        start, _ = start_steps(prices, budget)
        self.spent = float(prices.total(start))
        self.budget = budget
        open_ = np.flatnonzero(~start & ~prices.excluded)
        group = prices.group[open_]
        fee = np.append(prices.group_cost, 0.0)[group]
        fee[np.isin(group, prices.group[start])] = 0.0
        later = prices.feature_cost[open_]
        # The very sum that `Prices.alone` is, so that equal prices tie exactly.
        first = np.where(fee > 0, prices.alone[open_], later)
        kept = _within_reach(benefit[open_], first, later, budget, self.spent)
        self.columns = open_[kept]
        self.first_cost, self.later_cost = first[kept], later[kept]
        self.group = np.where(fee > 0, group, -1)[kept]
        gain = benefit[self.columns]
        self.ranks = TradeOff(
            np.concatenate([gain, gain]), np.concatenate([self.first_cost, self.later_cost])
        )

    @cached_property
    def filling(self) -> Filling:
        """The items as the compiled core has them."""
        trade, item = self.ranks, np.tile(np.arange(len(self.columns)), 2)
        numbers = np.unique(self.group, return_inverse=True)[1]
        with np.errstate(divide="ignore"):
            log_gain, slope = np.log(np.abs(trade.gain)), np.log(trade.cost)
        return Filling(
            weight=trade.cost,
            sign=trade.sign,
            height=np.where(trade.sign > 0, log_gain, -log_gain),
            slope=slope,
            tie_order=np.lexsort((item, -trade.cheapness, -trade.gain_rank, -trade.sign)),
            # −1, if there is any, is the first.
            bundle=np.where(self.group < 0, -1, numbers - int((self.group < 0).any())),
            limit=self.budget.left(0.0),
            taken=self.spent,
        )

    def fill(self, xi: float) -> NDArray[np.intp]:
        """The columns that are bought, in the order in which they are."""
        return self.columns[self.filling.fill(xi)]


def _within_reach(
    gain: NDArray[np.float64],
    first: NDArray[np.float64],
    later: NDArray[np.float64],
    budget: Budget,
    spent: float,
) -> NDArray[np.bool_]:
    """Which items some ξ may buy: all others cost too much after those that always come before.

    If an item is bought, so is each that gains no less and costs, even as the first of its group,
    no more: it had its turn before, and fitted then. Of 10,000 items with log-normal prices, 500
    are left for a budget that buys 16 (at ξ = 0) to 177 of them (at a large ξ).
    """
    n = len(gain)
    beaten, beating = TradeOff(gain, later), TradeOff(gain, first)
    index = np.arange(n)
    # Both orders of 2n points: items as they beat others, then as they are beaten.
    sign, rank = np.tile(beaten.sign, 2), np.tile(beaten.gain_rank, 2)
    cheapness = np.concatenate([beating.cheapness, beaten.cheapness])
    item, weight = np.tile(index, 2), np.concatenate([later, np.zeros(n)])
    # Of the two points of one item the beaten one goes first: nothing beats itself.
    own = np.repeat([1, 0], n)
    by_gain = np.lexsort((own, item, -cheapness, -rank, -sign))
    by_price = np.lexsort((own, item, -rank, -sign, -cheapness))
    before = _weight_before_in_both(by_gain, by_price, weight)[n:]
    # What comes before is bought in another order than it is summed up in here.
    return budget.fits((spent + before + later) * (1 - 1e-12))


def _weight_before_in_both(
    one: NDArray[np.intp], other: NDArray[np.intp], weight: NDArray[np.float64]
) -> NDArray[np.float64]:
    """For each point the weight of the points that come before it in both of two orders.

    By halves, quarters, eighths, … of one order: of any two points, there is one of these
    divisions in which they lie side by side. n · log n steps.

    Examples
    --------
    >>> _weight_before_in_both(np.array([0, 1, 2]), np.array([1, 0, 2]), np.array([1.0, 2.0, 4.0]))
    array([0., 0., 3.])
    """
    n = len(one)
    place = np.empty(n, dtype=np.intp)
    place[one] = np.arange(n)
    total = np.zeros(n)
    place, weight = place[other], weight[other]  # from here on, points are in the other order
    width = 1
    while width < n:
        pair = place // (2 * width)
        inside = np.argsort(pair, kind="stable")
        left = (place // width % 2 == 0)[inside]
        running = np.cumsum(np.where(left, weight[inside], 0.0))
        begins = np.searchsorted(pair[inside], pair[inside])
        outside = np.append(0.0, running)[begins]
        total[inside] += np.where(left, 0.0, running - outside)
        width *= 2
    result = np.empty(n)
    result[other] = total
    return result
