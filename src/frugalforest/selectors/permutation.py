"""Permutation filter: what shuffling a feature costs a forest on all features, per price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings, permutation_gains
from frugalforest.problem import Problem
from frugalforest.selectors._base import BudgetSelector, Candidates
from frugalforest.selectors._filter import critical_xis, filter_candidates

__all__ = ["Permutation", "PermutationSelector"]


@dataclass(frozen=True)
class Permutation:
    """The permutation filter as a method."""

    n_trees: int = 1000
    exact: bool = True

    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature; 0 for excluded ones, which no forest sees."""
        return problem.remember(("pfi", self.n_trees), lambda: self._measure(problem))

    def _measure(self, problem: Problem) -> NDArray[np.float64]:
        allowed = np.flatnonzero(~problem.prices.excluded)
        benefit = np.zeros(problem.n_features)
        if len(allowed) == 0:
            return benefit  # nothing can be bought; the budget check says so
        benefit[allowed] = permutation_gains(
            problem.data,
            problem.target,
            allowed,
            problem.seed_for("pfi"),
            ForestSettings(n_trees=self.n_trees),
            n_jobs=problem.n_jobs,
        )
        return benefit

    def candidates(
        self, problem: Problem, budgets: Sequence[float | None], xis: Sequence[float]
    ) -> Candidates:
        """The set for each budget and ξ."""
        return filter_candidates(problem.prices, self.benefit(problem), budgets, xis)

    def critical_xis(self, problem: Problem, budget: float | None) -> list[float]:
        """One ξ for every different set."""
        return critical_xis(problem.prices, self.benefit(problem), budget)


class PermutationSelector(BudgetSelector):
    """Features with the best permutation importance per price, within a budget.

    One forest on all features; a feature's importance is the mean over trees of the rise in the
    tree's out-of-bag error when the feature is shuffled.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    xi : float, default=1.0
        Weight of cost: benefit / cost^ξ. 0 ignores cost.
    n_trees : int, default=1000
        Trees of the forest.
    random_state : int, NumPy generator or None
    n_jobs : int or None
        Threads. Results do not depend on it.

    Attributes
    ----------
    support_ : ndarray of bool
        The chosen columns.
    total_cost_ : float
        What they cost together.
    path_ : dict of ndarrays
        One entry a step: features added, gain, cost, cumulative_cost.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = PermutationSelector(costs=[1, 2, 3] * 10, budget=5, random_state=0).fit(X, y)
    >>> selector.total_cost_
    5.0
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        n_trees: int = 1000,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.n_trees = n_trees
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self) -> Permutation:
        """The method with this selector's parameters."""
        return Permutation(self.n_trees)
