"""Endgame: a search by forests among the last survivors of an elimination.

Elimination is coarse when only a few features can be bought. So it is stopped at some twenty
survivors, and these are searched: every affordable pair, then a beam that adds one feature at a
time. Each set is judged by the out-of-bag Brier score of a small forest (by the score of shares
that goes with the score that sets are compared by), so the search sees interactions that no linear
rule can.

Forests this small do: the noise in an out-of-bag score comes from the rows, which all sets share,
and hardly from the trees. Of the ten affordable pairs of survivors with the lowest test error, 15
trees had 10 and 8 among their first 25, and 150 trees 10 and 9 (one draw each of settings D and C,
500 rows; 180 and 226 pairs). Only sets of one size are compared: large sets would look worse than
they are by the Brier score. Larger leaves made forests cheaper and their order better.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.methods._elimination import Elimination
from frugalforest.methods._proposals import (
    Mask,
    Note,
    NotedSet,
    NotedSets,
    as_features,
    buyable,
    next_prices,
)
from frugalforest.methods._wide_tables import leading_pairs, promising
from frugalforest.problem import FeatureSet, Problem

__all__ = ["Endgame", "endgame_candidates"]


@dataclass(frozen=True)
class Endgame:
    """How the last survivors are searched.

    Attributes
    ----------
    elimination : Elimination
        How the survivors are found.
    xis : tuple of float
        Weights of cost; the survivors of these paths are united.
    n_left : int
        Survivors of each path.
    width : int
        Sets of each size that are extended.
    largest : int
        Most features that are bought.
    n_kept : int
        Sets of each size that are proposed.
    n_trees : int
        Trees of each forest.
    most_buyable : int
        The search is for small budgets: where more of the survivors than this could be bought,
        cheapest first, nothing is proposed.
    """

    elimination: Elimination = field(default_factory=Elimination)
    xis: tuple[float, ...] = (0.5, 1.0)
    n_left: int = 20
    width: int = 12
    largest: int = 8
    n_kept: int = 2
    n_trees: int = 20
    most_buyable: int = 12

    def survivors(self, problem: Problem, budget: Budget) -> FeatureSet:
        """The last of what could be bought, of all paths together."""
        start, open_ = buyable(problem, budget)

        def few(selected: Mask) -> bool:
            return int((selected & ~start).sum()) <= self.n_left

        first = promising(problem, open_)
        paths = [self.elimination.path(problem, start, first, xi, few) for xi in self.xis]
        kept = {j for path in paths for j in path.kept}
        return tuple(sorted(kept.union(leading_pairs(problem, open_))))

    def scores(self, problem: Problem, sets: Sequence[FeatureSet]) -> NDArray[np.float64]:
        """Out-of-bag score of each set, remembered: of shares, which small forests tell finely."""
        known: dict[FeatureSet, float] = problem.remember(("endgame", self.n_trees), dict)
        new = [s for s in sets if s not in known]
        settings = problem.small_forests(
            self.n_trees, min_samples_leaf=int(np.clip(problem.data.n_rows // 100, 1, 10))
        )
        found = problem.brief_scores(new, "endgame", settings, problem.score.of_shares)
        known.update(zip(new, found.tolist(), strict=True))
        return np.array([known[s] for s in sets])

    def search(self, problem: Problem, budget: Budget) -> list[NotedSet]:
        """The best sets of each size, or none where too many features could be bought."""
        start, _ = buyable(problem, budget)
        survivors = self.survivors(problem, budget)
        if self._n_buyable(problem, start, survivors, budget) > self.most_buyable:
            return []
        found: list[NotedSet] = []
        level: list[tuple[int, ...]] = [(j,) for j in survivors]
        for size in range(1, self.largest + 1):
            if not level:
                break
            sets = [as_features(mask) for mask in _masks(start, level)]
            order = np.argsort(self.scores(problem, sets), kind="stable").tolist()
            found += [
                NotedSet(sets[i], Note("endgame", None, size, rank))
                for rank, i in enumerate(order[: self.n_kept])
            ]
            # From every single feature, so that every affordable pair is looked at.
            kept = order if size == 1 else order[: self.width]
            level = _extended(problem, [level[i] for i in kept], start, survivors, budget)
        return found

    def _n_buyable(
        self, problem: Problem, start: Mask, survivors: FeatureSet, budget: Budget
    ) -> int:
        """How many survivors the budget buys, cheapest first."""
        selected = start.copy()
        left = np.zeros_like(start)
        left[list(survivors)] = True
        while left.any():
            price = np.where(left, problem.prices.marginal_each(selected), np.inf)
            j = int(price.argmin())
            if not budget.fits(float(problem.prices.total(selected) + price[j])):
                break
            selected[j], left[j] = True, False
        return int((selected & ~start).sum())


def _masks(start: Mask, extras: Sequence[tuple[int, ...]]) -> Mask:
    """A row for each set: what is in from the start, and the columns in addition."""
    masks = np.tile(start, (len(extras), 1))
    np.put_along_axis(masks, np.array(extras, dtype=np.intp), True, axis=1)
    return masks


def _extended(
    problem: Problem,
    kept: Sequence[tuple[int, ...]],
    start: Mask,
    survivors: FeatureSet,
    budget: Budget,
) -> list[tuple[int, ...]]:
    """All sets with one survivor more that fit the budget."""
    prices, masks = problem.prices, _masks(start, kept)
    columns = np.array(survivors, dtype=np.intp)
    price = np.asarray(prices.total(masks))[:, None]
    price = price + next_prices(prices, np.array(kept, dtype=np.intp), start, columns)
    possible = budget.fits(price) & ~masks[:, columns]
    return sorted(
        {
            tuple(sorted((*extra, j)))
            for extra, fit in zip(kept, possible, strict=True)
            for j in columns[fit].tolist()
        }
    )


def endgame_candidates(
    problem: Problem, budgets: Sequence[Budget], how: Endgame | None = None
) -> NotedSets:
    """Sets that a search among the last survivors would buy with each budget.

    What is proposed for a budget does not depend on the other budgets; forests are shared.

    Parameters
    ----------
    how : Endgame, optional

    Returns
    -------
    dict
        For each budget, a list of `NotedSet`; empty for budgets that buy many features.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 8))
    >>> y = X[:, 2] * X[:, 5] > 0  # neither tells anything by itself
    >>> found = endgame_candidates(Problem.from_table(X, y), [Budget(2.0)])[Budget(2.0)]
    >>> [p.features for p in found if p.note.size == 2][0]
    (2, 5)
    """
    how = how or Endgame()
    return {budget: how.search(problem, budget) for budget in budgets}
