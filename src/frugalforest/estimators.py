"""FrugalForestClassifier: choose the features, then fit scikit-learn's forest on them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.ensemble import RandomForestClassifier
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from frugalforest.costs import check_budget
from frugalforest.engine import ForestSettings
from frugalforest.selectors import METHODS, build_problem, check_xi
from frugalforest.tuning import ScoredXi, results_table, tune

__all__ = ["FrugalForestClassifier", "check_methods"]


def check_methods(methods: object) -> tuple[str, ...]:
    """The names of methods as a tuple; one name alone stands for itself.

    Examples
    --------
    >>> check_methods("sts")
    ('sts',)
    """
    if isinstance(methods, str):
        methods = (methods,)
    if not isinstance(methods, Iterable):
        raise ValueError(f"{methods!r} is no method: the methods are {', '.join(METHODS)}.")
    names = tuple(str(name) if isinstance(name, str) else name for name in methods)
    for name in names:
        if name not in METHODS:
            raise ValueError(f"there is no method {name!r}: the methods are {', '.join(METHODS)}.")
    if not names:
        raise ValueError(f"no method was given: the methods are {', '.join(METHODS)}.")
    return tuple(dict.fromkeys(names))


class FrugalForestClassifier(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """A random forest on the features that a budget can buy.

    Chooses the features with one method or the best of several, ξ tuned or fixed, and fits
    scikit-learn's `RandomForestClassifier` on them.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    method : {"auc", "pfi", "sts", "forward"}, a sequence of those, or "tune", default="sts"
        How features are chosen. With several, or all ("tune"), the one whose set has the lowest
        out-of-bag error.
    xi : "tune" or float, default="tune"
        Weight of cost in the benefit-cost ratio.
    n_trees : int, default=1000
        Trees of the final forest, and of those that feature sets are compared by.
    random_state : int, NumPy generator or None
    n_jobs : int or None
        Threads. The selection does not depend on it.

    Attributes
    ----------
    selected_features_ : ndarray
        Names of the chosen columns, or their indices if the table has no names.
    support_ : ndarray of bool
    total_cost_ : float
    method_, xi_
        What chose them.
    selection_score_ : float
        Out-of-bag error of the chosen set: lower than the error to expect on new data.
    selection_ : dict of ndarrays
        Everything that was tried: method, xi, features, n_features, total_cost, oob_error, brier.
    forest_ : RandomForestClassifier
    classes_ : ndarray

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> costs = dict.fromkeys(X.columns, 1.0) | {"worst area": 5.0}
    >>> model = FrugalForestClassifier(costs, budget=3, method="auc", n_trees=100, random_state=0)
    >>> model.fit(X, y).total_cost_
    3.0
    >>> model.predict(X[model.selected_features_]).shape
    (569,)
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        method: object = "sts",
        xi: object = "tune",
        n_trees: int = 1000,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.method = method
        self.xi = xi
        self.n_trees = n_trees
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the features and fit the forest.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes, and at most 20 or one for ten rows.

        Returns
        -------
        self
        """
        budget = check_budget(self.budget)
        tunes_method = isinstance(self.method, str) and self.method == "tune"
        names = tuple(METHODS) if tunes_method else check_methods(self.method)
        xis = self._check_xi()
        settings = ForestSettings(n_trees=self.n_trees)
        problem = build_problem(self, X, y, self.costs, self.random_state, self.n_jobs, settings)
        tuned = {name: tune(problem, METHODS[name], [budget], xis)[budget] for name in names}
        self.method_ = min(names, key=lambda name: tuned[name].best.preference())
        best = tuned[self.method_].best
        self._keep(best, problem.n_features)
        tables = [results_table(tuned[name].tried) for name in names]
        self.selection_ = {
            "method": np.repeat(names, [len(t["xi"]) for t in tables]),
            **{key: np.concatenate([t[key] for t in tables]) for key in tables[0]},
        }
        self.classes_ = problem.classes
        self.forest_ = RandomForestClassifier(
            self.n_trees,
            random_state=problem.seed_for("final forest") % 2**32,
            n_jobs=self.n_jobs,
        )
        self.forest_.fit(self._chosen_columns(X), problem.classes[problem.labels])
        return self

    def _check_xi(self) -> str | list[float]:
        if isinstance(self.xi, str):
            if self.xi == "tune":
                return "auto"
            raise ValueError(f"`xi` is {self.xi!r}: it must be 'tune' or a number, 0 or more.")
        return [check_xi(self.xi)]

    def _keep(self, best: ScoredXi, n_features: int) -> None:
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[list(best.candidate.features)] = True
        names = getattr(self, "feature_names_in_", np.arange(n_features))
        self.selected_features_ = names[self.support_]
        self.total_cost_ = best.candidate.cost
        self.xi_ = best.xi
        self.selection_score_ = best.score.oob_error

    def _chosen_columns(self, X: Any) -> NDArray[np.float64]:
        """The chosen columns of a table like the one in `fit`, or of a frame that holds them."""
        if hasattr(X, "columns") and hasattr(self, "feature_names_in_"):
            given = [str(name) for name in X.columns]
            # The columns of `fit` in another order are refused below, as scikit-learn does.
            as_in_fit = set(given) == set(self.feature_names_in_)
            if not as_in_fit and set(self.selected_features_) <= set(given):
                chosen = X[[X.columns[given.index(name)] for name in self.selected_features_]]
                return np.asarray(check_array(chosen, dtype=np.float64, ensure_all_finite=False))
        table = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        return np.asarray(table[:, self.support_])

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Most likely class of each row. A frame needs only the chosen columns."""
        check_is_fitted(self)
        return np.asarray(self.forest_.predict(self._chosen_columns(X)))

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Class shares of each row. A frame needs only the chosen columns."""
        check_is_fitted(self)
        return np.asarray(self.forest_.predict_proba(self._chosen_columns(X)))
