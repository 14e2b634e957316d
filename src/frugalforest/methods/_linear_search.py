"""A linear surrogate: sets that a shrunken linear discriminant would buy.

Which features a linear rule would use together can be worked out without growing a tree, for all
pairs of 200 features in milliseconds. That finds what no forward search by forests finds: features
that are worth nothing one by one and a lot together, because they are correlated. It sees no
interaction. So it only proposes; forests judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.methods._discriminant import Discriminant, GrowingSet, discriminant
from frugalforest.methods._proposals import (
    Mask,
    Note,
    NotedSet,
    NotedSets,
    as_features,
    buyable,
    next_prices,
)
from frugalforest.methods.criterion import TradeOff, bcr
from frugalforest.problem import Problem

__all__ = ["XIS", "linear_candidates"]

XIS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)

# The beam of small sets: it adds so many features at most, with this part of the shrinkage.
_SMALL = 6
_PART_OF_SHRINKAGE = 0.1


def linear_candidates(
    problem: Problem,
    budgets: Sequence[Budget],
    *,
    xis: Sequence[float] = XIS,
    width: int = 120,
    largest: int = 16,
    n_kept: int = 2,
) -> NotedSets:
    """Sets that the linear surrogate would buy with each budget.

    Three searches: "forward", for each ξ, adds the feature with the best gain in D² per price;
    "beam" goes on from every single feature; "small beam" does so for a few features with little
    shrinkage. What is proposed for a budget does not depend on the other budgets.

    Parameters
    ----------
    xis : sequence of float
        Weights of cost.
    width : int
        Sets that a beam keeps of each size by D², and half as many by D²/√cost and by D²/cost.
    largest : int
        Most features that a beam adds.
    n_kept : int
        Sets of each size that a beam proposes.

    Returns
    -------
    dict
        For each budget, a list of `NotedSet`.

    Examples
    --------
    >>> from frugalforest.datasets import make_cost_classification
    >>> X, y, costs = make_cost_classification("C", n_samples=100, random_state=0)
    >>> problem = Problem.from_table(X, y, costs)
    >>> found = linear_candidates(problem, [Budget(1.0)])[Budget(1.0)]
    >>> all(problem.prices.total(p.features) <= 1.0 for p in found)
    True
    """
    beam = _Beam(problem, "beam", 1.0, width, largest)
    small_beam = _Beam(problem, "small beam", _PART_OF_SHRINKAGE, width, min(_SMALL, largest))
    found: NotedSets = {}
    for budget in budgets:
        found[budget] = [
            *(p for xi in xis for p in _forward(problem, budget, xi)),
            *_beam(beam, budget, n_kept),
            *_beam(small_beam, budget, n_kept),
        ]
    return found


def _modelled(model: Discriminant, mask: Mask) -> NDArray[np.intp]:
    """Places in the model of the columns of a mask; columns that are not modelled have none."""
    return np.flatnonzero(mask[model.columns])


def _forward(problem: Problem, budget: Budget, xi: float) -> list[NotedSet]:
    """Add the best gain per price until nothing fits."""
    model, prices = discriminant(problem), problem.prices
    start, open_ = buyable(problem, budget)
    selected = start.copy()
    state = GrowingSet(model)
    for j in _modelled(model, start).tolist():
        state.add(j)
    while True:
        price = prices.marginal_each(selected)
        left = budget.fits(float(prices.total(selected)) + price) & open_ & ~selected
        places = _modelled(model, left)
        if len(places) == 0:
            break
        trade = TradeOff(state.gains()[places], price[model.columns[places]])
        best = int(places[trade.best(xi)])
        state.add(best)
        selected[model.columns[best]] = True
    return [NotedSet(as_features(selected), Note("forward", xi))]


class _Level(NamedTuple):
    """The sets of one size that a beam search goes on from.

    Sets are places in the model beyond what is in from the start, with the prices of the whole; the
    first are the best by D².
    """

    sets: NDArray[np.intp]
    price: NDArray[np.float64]


@dataclass(frozen=True)
class _Beam:
    """A beam search by D², D²/√cost and D²/cost; the first level is every single feature."""

    problem: Problem
    name: str
    part_of_shrinkage: float
    width: int
    largest: int

    @property
    def model(self) -> Discriminant:
        """The surrogate, with this part of its shrinkage."""
        return self.problem.remember(
            ("linear discriminant, shrunken less", self.part_of_shrinkage),
            lambda: discriminant(self.problem).shrunken_less(self.part_of_shrinkage),
        )

    def levels(self, budget: Budget) -> list[_Level]:
        """The levels within a budget."""
        # As long as all sets of a level fit, a limit changes nothing: these levels are shared.
        key = ("linear beam", self.part_of_shrinkage, self.width, self.largest)
        unlimited = self.problem.remember(key, lambda: self._go_on([], Budget()))
        shared = takewhile(lambda level: budget.fits(float(level.price.max())), unlimited)
        return self._go_on(list(shared), budget)

    def _go_on(self, levels: list[_Level], budget: Budget) -> list[_Level]:
        """Levels added to those given until nothing more fits."""
        start, _ = buyable(self.problem, budget)
        nothing = _Level(
            np.empty((1, 0), dtype=np.intp), np.array([self.problem.prices.total(start)])
        )
        level = levels[-1] if levels else nothing
        while len(levels) < self.largest:
            level = self._next(level, budget)
            if len(level.sets) == 0:
                break
            levels.append(level)
        return levels

    def _next(self, level: _Level, budget: Budget) -> _Level:
        """The best of all sets with one column more."""
        model, prices = self.model, self.problem.prices
        start, open_ = buyable(self.problem, budget)
        fixed = _modelled(model, start)
        gain = model.additions(np.hstack([np.tile(fixed, (len(level.sets), 1)), level.sets]))
        gain -= model.value(fixed.tolist())
        price = level.price[:, None] + next_prices(
            prices, model.columns[level.sets], start, model.columns
        )
        possible = budget.fits(price) & open_[model.columns]
        np.put_along_axis(possible, level.sets, False, axis=1)
        extra = np.maximum(price - float(prices.total(start)), 0.0)
        # Every single feature is a seed.
        width = self.width if level.sets.shape[1] else max(self.width, len(model.columns))
        kept: dict[tuple[int, ...], float] = {}
        for xi, n in ((0.0, width), (0.5, width // 2), (1.0, width // 2)):
            kept |= _best(level.sets, np.where(possible, bcr(gain, extra, xi), -np.inf), price, n)
        size = level.sets.shape[1] + 1
        return _Level(
            np.array(list(kept), dtype=np.intp).reshape(-1, size), np.array(list(kept.values()))
        )


def _best(
    sets: NDArray[np.intp], score: NDArray[np.float64], price: NDArray[np.float64], n: int
) -> dict[tuple[int, ...], float]:
    """The `n` best sets with one column more, and their prices; a score of −∞ is never taken."""
    # A set is found from each of its subsets in the level, at most once for each column.
    n_looked_at = min(n * (sets.shape[1] + 1), int((score > -np.inf).sum()))
    flat = -score.ravel()
    top = np.sort(np.argpartition(flat, max(0, n_looked_at - 1))[:n_looked_at])
    found: dict[tuple[int, ...], float] = {}
    for place in top[np.argsort(flat[top], kind="stable")].tolist():
        at, j = divmod(place, score.shape[1])
        found.setdefault(tuple(sorted((*sets[at].tolist(), j))), float(price[at, j]))
        if len(found) == n:
            break
    return found


def _beam(beam: _Beam, budget: Budget, n_kept: int) -> list[NotedSet]:
    """The best sets of each size that a beam search finds."""
    model = beam.model
    start, _ = buyable(beam.problem, budget)
    proposals = []
    for size, level in enumerate(beam.levels(budget), start=1):
        for rank, places in enumerate(level.sets[:n_kept]):
            features = start.copy()
            features[model.columns[places]] = True
            proposals.append(NotedSet(as_features(features), Note(beam.name, None, size, rank)))
    return proposals
