"""Permutation filter: what shuffling a feature costs a forest on all features, per price."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import permutation_gains
from frugalforest.methods._base import register
from frugalforest.methods._filter import Filter
from frugalforest.methods._selector import BudgetSelector
from frugalforest.problem import Problem
from frugalforest.words.formats import count

__all__ = ["Permutation", "PermutationSelector"]


@register
@dataclass(frozen=True)
class Permutation(Filter):
    """The permutation filter as a method."""

    n_trees: int = 1000

    name: ClassVar[str] = "pfi"
    label: ClassVar[str] = "Permutation filter"
    summary: ClassVar[str] = "rates each feature by what shuffling it costs a forest on all."
    number_words: ClassVar[tuple[str, str]] = (label, summary)
    colour: ClassVar[str] = "#E69F00"
    marker: ClassVar[str] = "triangle"

    def scaled_to(self, n_trees: int) -> Self:
        """As many trees as the scoring forests."""
        return replace(self, n_trees=n_trees)

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        error = "out-of-bag error" if n_classes else "out-of-bag mean squared error"
        return (
            f"The permutation filter grows one random forest of {count(self.n_trees, 'tree')} on "
            f"all features and rates a feature by the mean rise in a tree’s {error} when the "
            "feature’s values are permuted."
        )

    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature; 0 for excluded ones, which no forest sees."""
        return problem.remember(("pfi", self.n_trees), lambda: self._measure(problem))

    def _measure(self, problem: Problem) -> NDArray[np.float64]:
        # Screened columns are in the forest, which is the paper's, and are not bought.
        allowed = np.flatnonzero(~problem.prices.excluded | problem.prices.screened)
        benefit = np.zeros(problem.n_features)
        if len(allowed) == 0:
            return benefit  # nothing can be bought; the budget check says so
        benefit[allowed] = permutation_gains(
            problem.data,
            problem.target,
            allowed,
            problem.seed_for("pfi"),
            problem.small_forests(self.n_trees),
            error_weights=problem.error_weights,
            n_jobs=problem.n_jobs,
        )
        return benefit


class PermutationSelector(BudgetSelector):
    """Features with the best permutation importance per price, within a budget.

    One forest on all features; a feature's importance is the mean over trees of the rise in the
    tree's out-of-bag error when the feature is shuffled.

    Parameters
    ----------
    {prices and ξ}
    n_trees : int, default=1000
        Trees of the forest.
    {draws}

    Attributes
    ----------
    {fitted}

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

    def method(self, xis: Any) -> Permutation:
        """The method with this selector's parameters, for some values of ξ."""
        return Permutation(xis, self.n_trees)
