"""Filters: fixed benefits, best ratio first, until nothing more fits.

The set changes only at finitely many ξ, those at which two features' ratios are equal. So the whole
path over ξ can be enumerated: one ξ from between each two of them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.criterion import TradeOff
from frugalforest.methods._base import Candidate, Origin, Proposals, Step, start_steps
from frugalforest.methods._ratio import RatioMethod
from frugalforest.problem import Problem

__all__ = ["Filter", "critical_xis", "fill"]

# ξ times features looked at together: 800,000 are 6.4 MB an array.
_CHUNK = 800_000
# Crossings kept. 200 features with their own prices have at most 19,900, so theirs are all kept;
# from some 700 features on the path is sampled at this many of its crossings.
_MOST_CROSSINGS = 250_000
# Logarithms of prices nearer to each other are those of one price.
_SAME_PRICE = 1e-10


@dataclass(frozen=True)
class Filter(RatioMethod):
    """A method that rates each feature once."""

    exact: ClassVar[bool] = True

    @abstractmethod
    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature."""

    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""
        return {
            budget: self._candidates(problem, budget, xis, self._fill(problem, budget, xis)[1])
            for budget in budgets
        }

    def whole_path(self, problem: Problem, budget: Budget) -> list[Candidate]:
        """One set for each run of equal sets along ξ, ascending."""
        found = []
        for xis, picks in _runs(problem.prices, self.benefit(problem), budget):
            found += self._candidates(problem, budget, xis.tolist(), picks)
        return found

    def _fill(
        self, problem: Problem, budget: Budget, xis: Sequence[float]
    ) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
        return fill(problem.prices, self.benefit(problem), budget, np.array(xis, dtype=np.float64))

    def _candidates(
        self,
        problem: Problem,
        budget: Budget,
        xis: Sequence[float],
        picks: NDArray[np.int32],
    ) -> list[Candidate]:
        prices, benefit = problem.prices, self.benefit(problem)
        selected, start = start_steps(prices, budget)
        group, later, first = prices.group, prices.feature_cost, prices.alone
        found = []
        for xi, picked in zip(xis, picks.T, strict=True):
            steps, paid = list(start), set(group[selected].tolist())
            for j in picked[picked >= 0].tolist():
                cost = later[j] if group[j] in paid else first[j]
                steps.append(Step((j,), float(benefit[j]), float(cost)))
                paid.add(int(group[j]))
            found.append(Candidate.from_steps(prices, steps, Origin(self.name, xi)))
        return found


def critical_xis(prices: Prices, benefit: NDArray[np.float64], budget: Budget) -> list[float]:
    """The smallest ξ looked at for each run of equal sets along the path, ascending.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> gains = np.array([0.4, 0.2])  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    >>> critical_xis(prices, gains, Budget(4))
    [0.0, 0.75]
    """
    return [xi for xis, _ in _runs(prices, benefit, budget) for xi in xis.tolist()]


def _runs(
    prices: Prices, benefit: NDArray[np.float64], budget: Budget
) -> Iterator[tuple[NDArray[np.float64], NDArray[np.int32]]]:
    """In chunks: the first ξ of each run of equal sets, and what is picked there in which order."""
    xis = _between(_crossings(prices, benefit))
    chunk = max(1, _CHUNK // prices.n_features)
    previous: NDArray[np.bool_] | None = None
    for begin in range(0, len(xis), chunk):
        here = xis[begin : begin + chunk]
        masks, picks = fill(prices, benefit, budget, here)
        before = np.roll(masks, 1, axis=0)
        if previous is not None:
            before[0] = previous
        changed = (masks != before).any(axis=1)
        if previous is None:
            changed[0] = True
        previous = masks[-1]
        yield here[changed], picks[:, changed]


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


def fill(
    prices: Prices, benefit: NDArray[np.float64], budget: Budget, xis: NDArray[np.float64]
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """Fill the budget at each ξ: the best ratio first, skipping what does not fit.

    Returns
    -------
    masks : ndarray of bool, shape (n_xis, n_features)
        The sets.
    picks : ndarray of int, shape (n_rounds, n_xis)
        The columns in the order in which they were bought; −1 where a round bought nothing.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> masks, picks = fill(prices, np.array([0.4, 0.2]), Budget(5), np.array([0.0, 1.0]))
    >>> picks
    array([[0, 1],
           [1, 0]], dtype=int32)
    """
    start, _ = start_steps(prices, budget)
    if (prices.group < 0).all():
        return _fill_in_order(prices, benefit, budget, xis, start)
    return _fill_in_rounds(prices, benefit, budget, xis, start)


def _fill_in_order(
    prices: Prices,
    benefit: NDArray[np.float64],
    budget: Budget,
    xis: NDArray[np.float64],
    start: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """One pass, because without groups no price changes."""
    # Sorted by the tie order first: the stable sort by score then keeps it among equals.
    trade = TradeOff(benefit, prices.feature_cost)
    tied = np.lexsort((-trade.cheapness, -trade.gain_rank))
    scores = trade.log_scores(xis, tied)
    sign = np.broadcast_to(trade.sign[tied], scores.shape)
    order = tied[np.lexsort((-scores, -sign))].astype(np.int32)
    closed = start | prices.excluded
    spent = np.full(len(xis), float(prices.total(start)))
    selected = np.repeat(start[None, :], len(xis), axis=0)
    picks = np.full(order.T.shape, -1, dtype=np.int32)
    rows = np.arange(len(xis))
    for place, j in enumerate(order.T):
        cost = prices.feature_cost[j]
        taken = ~closed[j] & budget.fits(spent + cost)
        selected[rows, j] |= taken
        picks[place, taken] = j[taken]
        spent = np.where(taken, spent + cost, spent)
    return selected, picks


def _fill_in_rounds(
    prices: Prices,
    benefit: NDArray[np.float64],
    budget: Budget,
    xis: NDArray[np.float64],
    start: NDArray[np.bool_],
) -> tuple[NDArray[np.bool_], NDArray[np.int32]]:
    """One purchase a round, because prices change as groups are paid for.

    A group's fee is part of the price of its first feature only.
    """
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
    picks: list[NDArray[np.intp]] = []
    while True:
        paid = ~grouped | (selected @ members)
        cost = np.where(paid, prices.feature_cost, prices.alone)
        scores = np.where(paid, scores_later, scores_first)
        cheapness = np.where(paid, later.cheapness, first.cheapness)
        possible = ~selected & ~prices.excluded & budget.fits(spent[:, None] + cost)
        going_on = possible.any(axis=1)
        if not going_on.any():
            return selected, np.array(picks, dtype=np.int32).reshape(len(picks), len(xis))
        for key in (sign, scores, gain_rank, cheapness):
            values = np.where(possible, key, -np.inf)
            possible &= values == values.max(axis=1, keepdims=True)
        j = possible.argmax(axis=1)
        selected[rows, j] |= going_on
        spent += np.where(going_on, cost[rows, j], 0.0)
        picks.append(np.where(going_on, j, -1))
