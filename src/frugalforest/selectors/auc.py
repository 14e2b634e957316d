"""AUC filter: each feature's own ability to separate the classes, per price."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from frugalforest.problem import Problem
from frugalforest.selectors._base import BudgetSelector, Candidates
from frugalforest.selectors._filter import critical_xis, filter_candidates

__all__ = ["AUC", "AUCSelector", "auc_benefit"]


def auc_benefit(
    codes: NDArray[np.uint16], n_codes: NDArray[np.uint32], labels: NDArray[np.intp]
) -> NDArray[np.float64]:
    """2 · |AUC − ½| of each column; for several classes the mean over pairs of them.

    Tied values count half. Missing values are left out of their column; a class pair without
    values in both classes counts 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 2, 3], [0, 1, 0, 1]], dtype=np.uint16)
    >>> auc_benefit(codes, np.array([4, 2]), np.array([0, 0, 1, 1]))
    array([1., 0.])
    """
    pairs = list(combinations(np.unique(labels).tolist(), 2))
    benefit = np.zeros(len(codes))
    for j, column in enumerate(codes):
        present = column < n_codes[j]
        for low, high in pairs:
            first, second = column[present & (labels == low)], column[present & (labels == high)]
            n_pairs = len(first) * len(second)
            if n_pairs == 0:
                continue
            ranks = rankdata(np.concatenate([first, second]))
            wins = ranks[len(first) :].sum() - len(second) * (len(second) + 1) / 2
            benefit[j] += abs(2 * wins / n_pairs - 1) / len(pairs)
    return benefit


@dataclass(frozen=True)
class AUC:
    """The AUC filter as a method."""

    exact: bool = True

    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature."""
        return problem.remember(
            "auc", lambda: auc_benefit(problem.data.codes(), problem.data.n_codes, problem.labels)
        )

    def candidates(
        self, problem: Problem, budgets: Sequence[float | None], xis: Sequence[float]
    ) -> Candidates:
        """The set for each budget and ξ."""
        return filter_candidates(problem.prices, self.benefit(problem), budgets, xis)

    def critical_xis(self, problem: Problem, budget: float | None) -> list[float]:
        """One ξ for every different set."""
        return critical_xis(problem.prices, self.benefit(problem), budget)


class AUCSelector(BudgetSelector):
    """Features with the best AUC per price, within a budget.

    Each feature is judged alone, by 2 · |AUC − ½|. Fast, and good where features act
    independently of each other.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    xi : float, default=1.0
        Weight of cost: benefit / cost^ξ. 0 ignores cost.
    random_state, n_jobs
        Not used by the filter, which draws nothing; `XiSearch` scores its sets with them.

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
    >>> selector = AUCSelector(costs=[1, 2, 3] * 10, budget=5).fit(X, y)
    >>> selector.get_support(indices=True), selector.total_cost_
    (array([ 0,  3,  6, 12, 27]), 5.0)
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self) -> AUC:
        """The method with this selector's parameters."""
        return AUC()
