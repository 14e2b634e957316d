"""Backward elimination: start from all that could be bought, and let the worst go.

A pair of features that is worth nothing one by one and a lot together is never found by adding
features. It is found by removing them: while both are in, a forest uses both, and shuffling either
hurts. The importance of what is left is measured anew at each stage, because a feature matters more
when those that could stand in for it are gone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.engine import permutation_gains
from frugalforest.methods._proposals import (
    Mask,
    NotedSets,
    Removals,
    as_features,
    buyable,
    leaving_prices,
    whole_groups,
)
from frugalforest.methods._wide_tables import promising
from frugalforest.methods.criterion import TradeOff
from frugalforest.problem import Problem

__all__ = ["XIS", "Elimination", "elimination_candidates"]

XIS = (0.0, 0.25, 0.5, 0.75, 1.0, 1.5)


@dataclass(frozen=True)
class Elimination:
    """How features are eliminated.

    Attributes
    ----------
    xis : tuple of float
        Weights of cost; a path each.
    n_trees : int
        Trees of the forest in which importance is measured.
    share : float
        Share of the features that leaves at each stage; with fewer than ten left, one at a time.
    together : int
        While more features than these are left, the paths of all ξ are one: those leave who are
        low in the orders of all ξ.

    Notes
    -----
    The defaults trade a little for time. On eight draws of settings C and D (500 × 200, budgets 1
    to 30), the sets with the lowest out-of-bag error had 5.7 % test error and took 3.3 s; 300
    trees and separate paths from the start had 5.1 % and took 14.3 s.
    """

    xis: tuple[float, ...] = XIS
    n_trees: int = 100
    share: float = 0.15
    together: int = 80

    def path(
        self, problem: Problem, start: Mask, open_: Mask, xi: float, done: Callable[[Mask], bool]
    ) -> Removals:
        """Remove the worst until `done` says of the survivors that they are few enough."""
        selected = start | open_
        batches: list[tuple[int, ...]] = []
        while not done(selected):
            removable = int((selected & ~start).sum())
            xis = self.xis if removable > self.together else (xi,)
            gone = self._worst(problem, selected, start, xis)
            selected[list(gone)] = False
            batches.append(gone)
        return Removals(start, tuple(batches), as_features(selected & ~start))

    def _worst(
        self, problem: Problem, selected: Mask, start: Mask, xis: Sequence[float]
    ) -> tuple[int, ...]:
        """Who leaves next, the worst first."""
        prices = problem.prices
        gain = self.importance(problem, selected)
        columns = np.flatnonzero(selected & ~start)
        groups = whole_groups(prices, selected, ~start)
        leaving: list[tuple[int, ...]] = [(j,) for j in columns.tolist()]
        leaving += [tuple(members.tolist()) for members, _ in groups]
        trade = TradeOff(
            [*gain[columns].tolist(), *(float(gain[members].sum()) for members, _ in groups)],
            [
                *leaving_prices(prices, selected)[~start[selected]].tolist(),
                *(price for _, price in groups),
            ],
        )
        order = _last_in_all([trade.order(xi) for xi in xis])
        n_gone = max(1, int(self.share * len(columns))) if len(columns) >= 10 else 1
        gone: dict[int, None] = {}
        for i in order.tolist():
            more = [j for j in leaving[i] if j not in gone]
            if gone and len(gone) + len(more) > n_gone:
                break
            gone.update(dict.fromkeys(more))
        return tuple(gone)

    def importance(self, problem: Problem, selected: Mask) -> NDArray[np.float64]:
        """Permutation importance of the selected features, 0 for the others.

        Remembered by set, and its seed follows from the set: wherever a path meets a set, it goes
        on in the same way.
        """
        features = as_features(selected)

        def measure() -> NDArray[np.float64]:
            keys = np.sort(problem.data.feature_keys[selected]).tolist()
            gains = np.zeros(problem.n_features)
            gains[selected] = permutation_gains(
                problem.data,
                problem.target,
                features,
                problem.seed_for("elimination", *keys),
                problem.small_forests(self.n_trees),
                error_weights=problem.error_weights,
                n_jobs=problem.n_jobs,
            )
            return gains

        return problem.remember(("elimination", self.n_trees, features), measure)


def _last_in_all(orders: Sequence[NDArray[np.intp]]) -> NDArray[np.intp]:
    """The worst first: those whose best place in the orders is the worst."""
    best_place = np.full(len(orders[0]), len(orders[0]))
    for order in orders:
        place = np.empty(len(order), dtype=np.intp)
        place[order] = np.arange(len(order))
        best_place = np.minimum(best_place, place)
    return np.lexsort((np.arange(len(best_place)), best_place))[::-1]


def elimination_candidates(
    problem: Problem, budgets: Sequence[Budget], how: Elimination | None = None
) -> NotedSets:
    """Sets that backward elimination would buy with each budget.

    For each ξ two sets: the first survivors that fit the budget, and the same filled up with those
    who left last. Features that the budget cannot buy are never looked at, nor, of very many, those
    that `promising` leaves out; so budgets that can buy the same features walk one path. What is
    proposed for a budget does not depend on the other budgets.

    Parameters
    ----------
    how : Elimination, optional

    Returns
    -------
    dict
        For each budget, a list of `NotedSet`.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> X = rng.normal(size=(200, 8))
    >>> y = X[:, 2] * X[:, 5] > 0  # neither tells anything by itself
    >>> found = elimination_candidates(Problem.from_table(X, y), [Budget(2.0)])[Budget(2.0)]
    >>> {p.features for p in found}
    {(2, 5)}
    """
    how = how or Elimination()
    found: NotedSets = {}
    for budget in budgets:
        start, open_ = buyable(problem, budget)
        open_ = promising(problem, open_)

        def affordable(selected: Mask, budget: Budget = budget) -> bool:
            return budget.fits(float(problem.prices.total(selected)))

        found[budget] = [
            proposal
            for xi in how.xis
            for proposal in how.path(problem, start, open_, xi, affordable).proposals(
                problem.prices, budget, "elimination", xi
            )
        ]
    return found
