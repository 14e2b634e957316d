"""The scikit-learn side of the methods: estimators that choose columns of a table."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils import assert_all_finite
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, column_or_1d, validate_data

from frugalforest.costs import Budget, price_doubts
from frugalforest.methods._base import Candidate, Method, check_methods
from frugalforest.methods._ratio import check_xi
from frugalforest.problem import Problem
from frugalforest.tables import Classes, Numbers, Outcome, Table, Task, found_task
from frugalforest.words.documentation import DocumentedEstimator

__all__ = ["BudgetSelector", "PricedSelector", "allow_any_columns", "read_rows"]

# What every selector's documentation says, written once.
_SHARED = {
    "prices and ξ": """\
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    xi : float, default=1.0
        Weight of cost: gain / cost^ξ. 0 ignores cost.""",
    "draws": """\
    random_state : int, NumPy generator or None
    n_jobs : int or None
        Threads. Results do not depend on it.""",
    "fitted": """\
    support_ : ndarray of bool
        The chosen columns.
    total_cost_ : float
        What they cost together.
    path_ : dict of ndarrays
        One entry a step: features added, gain, cost, cumulative_cost; and the names of the
        features, if the table has names.
    n_features_in_, feature_names_in_
        Of the table given to `fit`.""",
}


def allow_any_columns(tags: Any) -> Any:
    """Say to scikit-learn that text, categories and missing values are welcome."""
    tags.input_tags.allow_nan = True
    tags.input_tags.string = True
    tags.input_tags.categorical = True
    return tags


def read_rows(
    estimator: Any, X: Any, y: ArrayLike, costs: object, task: Task | None = None
) -> tuple[Table, Outcome]:
    """What an estimator's `fit` is given, with `n_features_in_` and names set.

    Without a task, the target tells what it is. Prices that may mean something else are warned of.
    """
    if y is None:
        raise ValueError(
            f"{type(estimator).__name__} requires y to be passed, but the target y is None."
        )
    if hasattr(X, "columns"):
        validate_data(estimator, X, skip_check_array=True)
        table = Table.read(X)
    else:
        # Through scikit-learn's own checks: whoever knows it knows the messages.
        table = Table.read(validate_data(estimator, X, dtype=None, ensure_all_finite=False))
    for message in price_doubts(costs, table.names if hasattr(X, "columns") else None).values():
        warnings.warn(message, stacklevel=3)
    labels = column_or_1d(y, warn=True)
    if labels.dtype.kind == "f":
        assert_all_finite(labels, input_name="y")
    if (task or found_task(labels)) == "regression":
        return table, Numbers.read(labels)
    # Objects of several types cannot be sorted, as this would; `Classes` reads them as text.
    if labels.dtype.kind != "O":
        check_classification_targets(labels)
    return table, Classes.read(labels)


class PricedSelector(SelectorMixin, DocumentedEstimator, BaseEstimator):  # type: ignore[misc]
    """What selectors and tuned selectors have in common: a support, a price and a path."""

    def __sklearn_tags__(self) -> Any:
        tags = allow_any_columns(super().__sklearn_tags__())
        tags.target_tags.required = True
        return tags

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _keep(self, candidate: Candidate, n_features: int) -> None:
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[list(candidate.features)] = True
        self.total_cost_ = candidate.cost
        cost = np.array([step.cost for step in candidate.steps], dtype=np.float64)
        self.path_ = {
            "features": _tuples(step.features for step in candidate.steps),
            "gain": np.array([step.gain for step in candidate.steps], dtype=np.float64),
            "cost": cost,
            "cumulative_cost": np.cumsum(cost),
        }
        names = getattr(self, "feature_names_in_", None)
        if names is not None:
            self.path_["names"] = _tuples(
                tuple(str(names[j]) for j in step.features) for step in candidate.steps
            )


def _tuples(values: Iterable[tuple[Any, ...]]) -> NDArray[np.object_]:
    """An array that holds tuples; NumPy would make a table of tuples of one length."""
    kept = list(values)
    array = np.empty(len(kept), dtype=object)
    array[:] = kept
    return array


class BudgetSelector(PricedSelector):
    """Base of the selectors: one method, one budget, one ξ.

    Subclasses say by `method` which method their parameters describe. In their documentation,
    ``{prices and ξ}``, ``{draws}`` and ``{fitted}`` stand for what all of them share.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for name, text in _SHARED.items():
            cls.__doc__ = (cls.__doc__ or "").replace(f"    {{{name}}}", text)

    def method(self, xis: Any) -> Method:
        """The method with this selector's parameters, for some values of ξ."""
        raise NotImplementedError

    def pick(self, problem: Problem, proposed: Sequence[Candidate]) -> Candidate:
        """Which of the sets that the method proposes for one ξ is chosen: mostly there is one."""
        return proposed[0]

    def fit(self, X: Any, y: ArrayLike) -> Self:
        """Choose the features.

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
        budget, method = Budget.read(self.budget), self.method([check_xi(self.xi)])
        problem = Problem.from_table(
            *read_rows(self, X, y, self.costs),
            self.costs,
            random_state=self.random_state,
            n_jobs=self.n_jobs,
        )
        check_methods([method], problem.outcome.task)
        chosen = self.pick(problem, method.propose(problem, [budget])[budget])
        self._keep(chosen, problem.n_features)
        return self
