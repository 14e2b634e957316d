"""`XiSearch`: a selector whose ξ is tuned, as a scikit-learn estimator."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from frugalforest.choice import Scored, tune
from frugalforest.costs import Budget
from frugalforest.methods import (
    AUCSelector,
    BudgetSelector,
    PricedSelector,
    check_methods,
    read_rows,
)
from frugalforest.problem import Problem
from frugalforest.scores import forests_for, read_scoring, settled_task

__all__ = ["XiSearch", "results_table"]


def results_table(tried: Sequence[Scored]) -> dict[str, NDArray[Any]]:
    """One entry for each set that was tried, as a dict of arrays."""
    features = np.empty(len(tried), dtype=object)
    features[:] = [t.candidate.features for t in tried]
    return {
        "xi": np.array([t.candidate.origin.xi for t in tried], dtype=np.float64),
        "features": features,
        "n_features": np.array([len(t.candidate.features) for t in tried]),
        "total_cost": np.array([t.candidate.cost for t in tried]),
        "score": np.array([t.score.value for t in tried]),
        "oob_error": np.array([t.score.oob_error for t in tried]),
        "brier": np.array([t.score.brier for t in tried]),
    }


class XiSearch(PricedSelector):
    """A selector whose ξ is tuned on the out-of-bag score of a refitted forest.

    Prices and budget are those of the selector. ``xis=[0]`` is the cost-agnostic strategy,
    ``xis=[1]`` the simple ratio, and the default tunes.

    Parameters
    ----------
    selector : AUCSelector, PermutationSelector, ShallowTreeSelector or ForwardSelector
        The method to tune; an `AUCSelector` by default.
    xis : "auto", "grid", "bayes", or a sequence of float, default="auto"
        "auto" enumerates every set that some ξ leads to (AUC and permutation), or uses the grid 0,
        0.1, …, 2, extended while the set at its end is best.
    scoring : {"error", "balanced_error", "auc", "brier", "log_loss", "cost"}, optional
        What to minimise. By default the error, or what errors cost if that is given. For numbers
        "rmse" (by default), "mse", "mae" or "r2".
    n_trees : int, default=1000
        Trees of the forests that sets are scored with.
    error_costs : number, mapping of (true, predicted) to number, or path, optional
        What an error costs; see `compare`.

    Attributes
    ----------
    best_xi_ : float
    best_score_ : float
        Lowest score found: a selection score, lower than the error to expect on new data.
    results_ : dict of ndarrays
        One entry for each ξ: xi, features, n_features, total_cost, score, oob_error, brier.
    support_, total_cost_, path_
        Of the best ξ, as in the selectors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = XiSearch(AUCSelector(costs=[1, 2, 3] * 10, budget=5, random_state=0), n_trees=100)
    >>> search.fit(X, y).total_cost_ <= 5
    True
    """

    def __init__(
        self,
        selector: BudgetSelector | None = None,
        xis: str | Sequence[float] = "auto",
        scoring: str | None = None,
        n_trees: int = 1000,
        error_costs: object = None,
    ) -> None:
        self.selector = selector
        self.xis = xis
        self.scoring = scoring
        self.n_trees = n_trees
        self.error_costs = error_costs

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Try the values of ξ and keep the best.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, text, categories or dates; empty, None or NaN is missing.
        y : array-like of shape (n_rows,)
            Classes, at least two and at most 20 or one for ten rows, or numbers.

        Returns
        -------
        self
        """
        if self.selector is not None and not isinstance(self.selector, BudgetSelector):
            raise ValueError(
                f"`selector` is {self.selector!r}: it must be a selector of frugalforest, such as "
                "AUCSelector."
            )
        selector = AUCSelector() if self.selector is None else clone(self.selector)
        budget, method = Budget.read(selector.budget), selector.method(self.xis)
        task = settled_task(None, self.scoring, self.error_costs)
        table, outcome = read_rows(self, X, y, selector.costs, task)
        check_methods([method], outcome.task)
        problem = Problem.from_table(
            table,
            outcome,
            selector.costs,
            random_state=selector.random_state,
            forests=replace(forests_for(outcome).default, n_trees=self.n_trees),
            score=read_scoring(outcome, self.scoring, self.error_costs)[0],
            n_jobs=selector.n_jobs,
        )
        tuned = tune(problem, method, [budget])[budget]
        self.best_xi_ = tuned.best.candidate.origin.xi
        self.best_score_ = tuned.best.score.value
        self.results_ = results_table(tuned.tried)
        self._keep(tuned.best.candidate, problem.n_features)
        return self
