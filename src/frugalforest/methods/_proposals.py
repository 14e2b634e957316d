"""What proposers share: proposals with their origin, what can be bought, and paths of removals.

A proposer names many sets for a budget and does not choose between them. Each set carries a note
that says how it was found. The note, with the budget, is enough to find the corresponding set in
other rows of the same table, so notes are unique within a budget; sets need not be.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.methods._base import Candidate, Origin
from frugalforest.problem import FeatureSet, Problem

__all__ = [
    "Mask",
    "Note",
    "NotedSet",
    "NotedSets",
    "Removals",
    "as_candidates",
    "as_features",
    "buyable",
    "leaving_prices",
    "next_prices",
    "varying",
    "whole_groups",
]

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Note:
    """How a set was found.

    Attributes
    ----------
    search : str
        For example "backward" or "beam".
    xi : float or None
        The weight of cost, where the search has one.
    size : int or None
        Features beyond those in from the start, where one set of each size is kept.
    rank : int
        0 for the best set of its size, 1 for the next.
    filled : bool
        Whether the rest of the budget was filled up.
    """

    search: str
    xi: float | None = None
    size: int | None = None
    rank: int = 0
    filled: bool = False

    @property
    def text(self) -> str:
        """The note without ξ, in words."""
        size = "" if self.size is None else f", size {self.size}"
        rank = f", number {self.rank + 1}" if self.rank else ""
        return f"{self.search}{size}{rank}{', filled up' if self.filled else ''}"


class NotedSet(NamedTuple):
    """A set that some search proposes, and how it was found."""

    features: FeatureSet
    note: Note


NotedSets = dict[Budget, list[NotedSet]]


def varying(problem: Problem) -> Mask:
    """Columns that hold at least two different values; "missing" is one.

    Examples
    --------
    >>> X = [[0, 5, 1], [1, 5, 1], [0, 5, float("nan")], [1, 5, 1]]
    >>> varying(Problem.from_table(X, [0, 1, 0, 1]))
    array([ True, False,  True])
    """
    codes = problem.data.codes()
    different: Mask = (codes != codes[:, :1]).any(axis=1)
    return different


def buyable(problem: Problem, budget: Budget) -> tuple[Mask, Mask]:
    """What is in from the start, and what could be bought in addition to it alone.

    Constant columns cannot be bought: no forest can use them.

    Raises
    ------
    BudgetError, CostError
        If the required features cost more than the budget, or nothing can be bought.
    """
    prices = problem.prices
    prices.check_affordable(budget)
    start = prices.start(budget)
    price = float(prices.total(start)) + prices.marginal_each(start)
    useful = problem.remember("varying columns", lambda: varying(problem))
    return start, budget.fits(price) & useful & ~start & ~prices.excluded


def next_prices(
    prices: Prices, sets: NDArray[np.intp], start: Mask, columns: NDArray[np.intp]
) -> NDArray[np.float64]:
    """Price of each of some columns as the next one, a row for each set.

    Parameters
    ----------
    sets : ndarray of shape (n_sets, size)
        Columns of each set beyond `start`. The price of one that is in the set means nothing.
    columns : ndarray of int
        What is priced.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> model = CostModel([5, 3, 1], groups=["blood", "blood", None], group_costs={"blood": 2})
    >>> nothing = np.zeros(3, dtype=bool)
    >>> next_prices(model.align(None, 3), np.array([[0], [2]]), nothing, np.arange(3))
    array([[5., 3., 1.],
           [7., 5., 1.]])
    """
    # The last column is that of features without a group, whose two prices are the same.
    touched = np.zeros((len(sets), len(prices.group_cost) + 1), dtype=bool)
    touched[:, prices.group[start]] = True
    touched[np.arange(len(sets))[:, None], prices.group[sets]] = True
    paid = touched[:, prices.group[columns]]
    return np.where(paid, prices.feature_cost[columns], prices.alone[columns])


def leaving_prices(prices: Prices, selected: Mask) -> NDArray[np.float64]:
    """What each of the selected features takes off the price if it leaves alone.

    A fee goes with the last feature of its group.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> model = CostModel([5, 3, 1], groups=["blood", "blood", None], group_costs={"blood": 2})
    >>> leaving_prices(model.align(None, 3), np.array([True, True, True]))
    array([5., 3., 1.])
    >>> leaving_prices(model.align(None, 3), np.array([True, False, True]))
    array([7., 1.])
    """
    group = prices.group[selected]
    last = (group >= 0) & (np.bincount(group + 1)[group + 1] == 1)
    return np.where(last, prices.alone[selected], prices.feature_cost[selected])


def whole_groups(
    prices: Prices, selected: Mask, removable: Mask
) -> list[tuple[NDArray[np.intp], float]]:
    """Groups of two or more features that could leave together, and what that takes off the price.

    Only groups with a fee: without one, nothing is saved by leaving together.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> model = CostModel([5, 3, 1], groups=["blood", "blood", None], group_costs={"blood": 2})
    >>> everything = np.array([True, True, True])
    >>> whole_groups(model.align(None, 3), everything, everything)
    [(array([0, 1]), 10.0)]
    """
    n_groups = len(prices.group_cost)
    in_group = np.flatnonzero(selected & (prices.group >= 0))
    group = prices.group[in_group]
    size = np.bincount(group, minlength=n_groups)
    n_stuck = np.bincount(group[~removable[in_group]], minlength=n_groups)
    by_group = in_group[np.argsort(group, kind="stable")]
    end = np.cumsum(size)
    found = []
    for number in np.flatnonzero((prices.group_cost > 0) & (size > 1) & (n_stuck == 0)).tolist():
        members = by_group[end[number] - size[number] : end[number]]
        price = float(prices.feature_cost[members].sum() + prices.group_cost[number])
        found.append((members, price))
    return found


@dataclass(frozen=True)
class Removals:
    """A path from many features to few: what left, in order.

    Attributes
    ----------
    start : ndarray of bool
        What is in from the start, and never leaves.
    batches : tuple of tuples of int
        Columns that left together, the first to leave first. Within a batch, too.
    kept : tuple of int
        Columns that had not left when the path ended.
    """

    start: Mask
    batches: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...] = ()

    def survivors(self, n_batches: int) -> Mask:
        """What is left when so many batches have gone."""
        mask = self.start.copy()
        mask[list(self.kept)] = True
        mask[_flat(self.batches[n_batches:])] = True
        return mask

    def buys(self, prices: Prices, budget: Budget) -> tuple[Mask, Mask]:
        """The first survivors that fit the budget: bare, and filled up with those who left last."""
        # The price falls along the path.
        n_gone = bisect_left(
            range(len(self.batches)),
            True,
            key=lambda n: budget.fits(float(prices.total(self.survivors(n)))),
        )
        bare = self.survivors(n_gone)
        return bare, _filled_up(prices, bare, _flat(self.batches[:n_gone])[::-1], budget)

    def proposals(self, prices: Prices, budget: Budget, search: str, xi: float) -> list[NotedSet]:
        """The bare and the filled set that the path buys, with their notes.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> path = Removals(np.zeros(4, dtype=bool), ((2,), (0, 3), (1,)))
        >>> prices = CostModel([1, 2, 3, 4]).align(None, 4)
        >>> [p.features for p in path.proposals(prices, Budget(6), "backward", xi=1.0)]
        [(1,), (1, 3)]
        """
        bare, full = self.buys(prices, budget)
        return [
            NotedSet(as_features(bare), Note(search, xi)),
            NotedSet(as_features(full), Note(search, xi, filled=True)),
        ]


def _filled_up(prices: Prices, selected: Mask, order: Sequence[int], budget: Budget) -> Mask:
    """Buy in this order, skipping what does not fit."""
    full, left = selected.copy(), np.asarray(order, dtype=np.intp)
    while True:
        fit = budget.fits(float(prices.total(full)) + prices.marginal_each(full)[left])
        if not fit.any():
            return full
        first = int(fit.argmax())
        full[left[first]] = True
        # What did not fit before does not fit with less money, unless its group has been paid for
        # since; then its turn has passed.
        left = left[first + 1 :]


def as_features(mask: Mask) -> FeatureSet:
    """The columns of a mask, ascending."""
    return tuple(np.flatnonzero(mask).tolist())


def _flat(batches: Iterable[Sequence[int]]) -> list[int]:
    return [j for batch in batches for j in batch]


def as_candidates(
    problem: Problem, budget: Budget, method: str, proposals: Iterable[NotedSet]
) -> list[Candidate]:
    """The proposals of a method as candidates; if all are empty, the cheapest feature."""
    prices = problem.prices
    found = [
        Candidate.from_set(
            prices, budget, features, Origin(method, note.xi, note.search, note.text)
        )
        for features, note in proposals
        if features
    ]
    if found:
        return found
    # Nothing that the budget buys tells anything: all of it is constant.
    possible = budget.fits(prices.alone) & ~prices.excluded
    cheapest = int(np.where(possible, prices.alone, np.inf).argmin())
    return [Candidate.from_set(prices, budget, (cheapest,), Origin(method, None, "cheapest"))]
