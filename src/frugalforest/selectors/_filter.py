"""Filters: fixed benefits, best ratio first, until nothing more fits.

The set changes only at finitely many ξ, those at which two features' ratios are equal. So the whole
path over ξ can be enumerated: one ξ from between each two of them.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Prices, fits
from frugalforest.criterion import TradeOff
from frugalforest.selectors._base import Candidate, Candidates, Step, affordable, start_steps

__all__ = ["critical_xis", "filter_candidates"]

# Rows of ξ looked at together: 4096 × 200 features are 6.5 MB an array.
_CHUNK = 4096
# Crossings kept. 200 features with their own prices have at most 19,900, so theirs are all kept;
# from some 700 features on the path is sampled at this many of its crossings.
_MOST_CROSSINGS = 250_000
# Logarithms of prices nearer to each other are those of one price.
_SAME_PRICE = 1e-10


def filter_candidates(
    prices: Prices,
    benefit: NDArray[np.float64],
    budgets: Sequence[float | None],
    xis: Sequence[float],
) -> Candidates:
    """Fill each budget at each ξ: the best ratio first, skipping what does not fit.

    A group's fee is part of the price of its first feature only, so prices, and with them the
    order, change as groups are paid for.
    """
    return {(b, xi): _fill(prices, benefit, b, xi) for b in budgets for xi in xis}


def _fill(
    prices: Prices, benefit: NDArray[np.float64], budget: float | None, xi: float
) -> Candidate:
    selected, steps = start_steps(prices, budget)
    if (prices.group < 0).all():
        steps += _fill_in_order(prices, benefit, budget, xi, selected)
        return Candidate.from_steps(prices, steps)
    while True:
        marginal = prices.marginal_each(selected)
        possible = affordable(prices, selected, marginal, budget)
        if not possible.any():
            return Candidate.from_steps(prices, steps)
        j = TradeOff(benefit, marginal).best(xi, possible)
        selected[j] = True
        steps.append(Step((j,), float(benefit[j]), float(marginal[j])))


def _fill_in_order(
    prices: Prices,
    benefit: NDArray[np.float64],
    budget: float | None,
    xi: float,
    selected: NDArray[np.bool_],
) -> list[Step]:
    """One pass, because without groups no price changes."""
    steps = []
    spent = float(prices.total(selected))
    cost = prices.feature_cost.tolist()
    gain = benefit.tolist()
    closed = selected | prices.excluded
    for j in TradeOff(benefit, prices.feature_cost).order(xi).tolist():
        if not closed[j] and fits(spent + cost[j], budget):
            spent += cost[j]
            steps.append(Step((j,), gain[j], cost[j]))
    return steps


def critical_xis(prices: Prices, benefit: NDArray[np.float64], budget: float | None) -> list[float]:
    """The smallest ξ looked at for each run of equal sets along the path, ascending.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> critical_xis(prices, np.array([0.4, 0.2]), budget=4)  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    [0.0, 0.75]
    """
    xis = _between(_crossings(prices, benefit))
    kept: list[float] = []
    previous: NDArray[np.bool_] | None = None
    for begin in range(0, len(xis), _CHUNK):
        chunk = xis[begin : begin + _CHUNK]
        masks = _masks(prices, benefit, budget, chunk)
        before = np.roll(masks, 1, axis=0)
        if previous is not None:
            before[0] = previous
        changed = (masks != before).any(axis=1)
        if previous is None:
            changed[0] = True
        kept += chunk[changed].tolist()
        previous = masks[-1]
    return kept


def _crossings(prices: Prices, benefit: NDArray[np.float64]) -> NDArray[np.float64]:
    """All ξ > 0 at which two features swap places, at any of the prices they can have."""
    cost = np.concatenate([prices.feature_cost, prices.alone])
    gain = np.concatenate([benefit, benefit])
    open_ = ~np.concatenate([prices.excluded, prices.excluded])
    points = np.unique(np.stack([gain[open_], cost[open_]], axis=1), axis=0)
    points = points[points[:, 1] > 0]
    signs = TradeOff(*points.T).sign
    found = []
    # A gain is never worth less than a loss: only features of one sign can swap.
    for sign in (1, -1):
        log_gain, log_cost = np.log(np.abs(points[signs == sign])).T
        i, k = np.triu_indices(len(log_gain), 1)
        # Prices that differ by rounding only are one price: no ξ makes them matter.
        differ = np.abs(log_cost[i] - log_cost[k]) > _SAME_PRICE
        i, k = i[differ], k[differ]
        xi = sign * (log_gain[i] - log_gain[k]) / (log_cost[i] - log_cost[k])
        found.append(xi[xi > 0])
    crossings = np.unique(np.concatenate(found))
    if len(crossings) > _MOST_CROSSINGS:
        keep = np.linspace(0, len(crossings) - 1, _MOST_CROSSINGS).round().astype(np.intp)
        crossings = crossings[keep]
    return crossings


def _between(crossings: NDArray[np.float64]) -> NDArray[np.float64]:
    """0, the middles between neighbouring crossings, and one more behind the last."""
    if len(crossings) == 0:
        return np.zeros(1)
    first, last = crossings[0] / 2, crossings[-1] * 1.5
    middles = (crossings[:-1] + crossings[1:]) / 2
    return np.concatenate([[0.0, first], middles, [last]])


def _masks(
    prices: Prices, benefit: NDArray[np.float64], budget: float | None, xis: NDArray[np.float64]
) -> NDArray[np.bool_]:
    """The filled sets for many ξ at once, as rows of a mask: `_fill`, vectorised over ξ."""
    start, _ = start_steps(prices, budget)
    if (prices.group < 0).all():
        return _masks_in_order(prices, benefit, budget, xis, start)
    return _masks_in_steps(prices, benefit, budget, xis, start)


def _masks_in_order(
    prices: Prices,
    benefit: NDArray[np.float64],
    budget: float | None,
    xis: NDArray[np.float64],
    start: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    # Sorted by the tie order first: the stable sort by score then keeps it among equals.
    trade = TradeOff(benefit, prices.feature_cost)
    tied = np.lexsort((-trade.cheapness, -trade.gain_rank))
    scores = trade.log_scores(xis, tied)
    sign = np.broadcast_to(trade.sign[tied], scores.shape)
    order = tied[np.lexsort((-scores, -sign))]
    closed = start | prices.excluded
    spent = np.full(len(xis), float(prices.total(start)))
    selected = np.repeat(start[None, :], len(xis), axis=0)
    rows = np.arange(len(xis))
    for j in order.T:
        cost = prices.feature_cost[j]
        taken = ~closed[j] & fits(spent + cost, budget)
        selected[rows, j] |= taken
        spent = np.where(taken, spent + cost, spent)
    return selected


def _masks_in_steps(
    prices: Prices,
    benefit: NDArray[np.float64],
    budget: float | None,
    xis: NDArray[np.float64],
    start: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    selected = np.repeat(start[None, :], len(xis), axis=0)
    spent = np.full(len(xis), float(prices.total(start)))
    first = TradeOff(benefit, prices.alone)
    later = TradeOff(benefit, prices.feature_cost)
    scores_first, scores_later = first.log_scores(xis), later.log_scores(xis)
    sign = np.broadcast_to(later.sign, selected.shape)
    gain_rank = np.broadcast_to(later.gain_rank, selected.shape)
    grouped = prices.group >= 0
    members = (prices.group[:, None] == prices.group[None, :]) & grouped[:, None]
    rows = np.arange(len(xis))
    while True:
        paid = ~grouped | (selected @ members)
        cost = np.where(paid, prices.feature_cost, prices.alone)
        scores = np.where(paid, scores_later, scores_first)
        cheapness = np.where(paid, later.cheapness, first.cheapness)
        possible = ~selected & ~prices.excluded & fits(spent[:, None] + cost, budget)
        going_on = possible.any(axis=1)
        if not going_on.any():
            return selected
        for key in (sign, scores, gain_rank, cheapness):
            values = np.where(possible, key, -np.inf)
            possible &= values == values.max(axis=1, keepdims=True)
        j = possible.argmax(axis=1)
        selected[rows, j] |= going_on
        spent += np.where(going_on, cost[rows, j], 0.0)
