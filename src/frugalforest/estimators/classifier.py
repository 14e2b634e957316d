"""FrugalForestClassifier: choose the features, then keep the forest on them."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import _check_sample_weight

from frugalforest.comparison.signatures import takes_options
from frugalforest.estimators.choosing import ChoosingForest
from frugalforest.methods import read_rows

__all__ = ["FrugalForestClassifier"]


@takes_options(
    "xi",
    "scoring",
    "n_trees",
    "n_resamples",
    "bins",
    "search_rows",
    "final",
    "random_state",
    "n_jobs",
    "error_costs",
    "class_weight",
    "min_samples_leaf",
    n_resamples=10,
    random_state=None,
)
class FrugalForestClassifier(ClassifierMixin, ChoosingForest):  # type: ignore[misc]
    """A random forest on the features that a budget can buy.

    Chooses the features with `auto`, which pools several methods and decides by rows left out, or
    with the methods given. The fitted forest is the one by which the chosen set was scored. Columns
    that cannot help (empty, constant, copies of cheaper ones) are not bought; if nothing helps,
    nothing is, and the commonest class is predicted.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    method : str, Method, a sequence of them, or "tune", default="auto"
        How features are chosen: a name of `frugalforest.methods.METHODS`, or a method with
        parameters of its own. With several, the one whose set has the lowest score; "tune" means
        the four methods of the paper.
    {options}
    n_jobs : int or None
        Threads. Results do not depend on it.

    Attributes
    ----------
    selected_features_ : ndarray
        Names of the chosen columns, or their indices if the table has no names.
    support_ : ndarray of bool
    total_cost_ : float
    method_, xi_
        What chose them.
    selection_score_ : float
        Out-of-bag score of the chosen set: lower than the error to expect on new data.
    honest_error_ : ErrorEstimate or None
        Error to expect on new data (or what `scoring` asks for; of the AUC, 1 − AUC), with an
        interval; of `auto` with resamples only.
    diagnosis_ : Diagnosis or None
        What was predicted for cases left out of the choice: confusion matrix, sensitivity,
        specificity and more, with intervals; where there is an honest error and something is
        bought.
    selection_ : dict of ndarrays
        Everything that was tried: method, xi, features, n_features, total_cost, score; and, unless
        the choice was by rows left out, oob_error and brier.
    model_ : FittedModel or FinalModel
        The chosen columns and the forest on them, which can be saved, or the final model.
    feature_importances_ : ndarray of shape (n_features,)
        Permutation importance of each column; 0 for those that were not bought.
    classes_ : ndarray

    Notes
    -----
    Of scikit-learn's `check_estimator`, these do not hold. A row of weight 2 is not that row twice,
    as in scikit-learn's own forests: rows are drawn, and weights are in the trees. Class weights
    choose splits, and little else, since leaves are pure. And columns of a frame go by name: other
    columns and another order are welcome in `predict`, where scikit-learn wants an error.

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
        method: object = "auto",
        *,
        n_jobs: int | None = None,
        **options: Any,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.method = method
        self.n_jobs = n_jobs
        for name, value in options.items():
            setattr(self, name, value)

    def fit(
        self,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        row_groups: ArrayLike | None = None,
    ) -> Self:
        """Choose the features and keep their forest.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, text, categories or dates; empty, None or NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes, and at most 20 or one for ten rows.
        sample_weight : array-like of shape (n_rows,), optional
            Weights in the impurity and in the leaves of all forests. Rows of weight 0 are out of
            bag in every tree. Scores, honest errors, the AUC filter, the linear surrogate and a
            final model are not weighted.
        row_groups : array-like of shape (n_rows,), optional
            Rows of one group (a patient, a batch) are never on both sides of a split, and intervals
            are over groups. Copies of a row are kept together in any case. In a pipeline or a
            search it is routed as metadata: ``set_fit_request(row_groups=True)``.

        Returns
        -------
        self
        """
        table, outcome = read_rows(self, X, y, self.costs, "classification")
        classes = outcome.as_classes
        own_weight = None
        if sample_weight is not None:
            own_weight = _check_sample_weight(
                sample_weight, classes.labels, ensure_non_negative=True
            )
        self.classes_ = classes.classes
        return self._choose(table, classes, row_groups, own_weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row with the lowest expected loss: the likeliest, for the error.

        A frame needs only the chosen columns, in any order.
        """
        rows = self._rows(X)
        return np.asarray(self.model_.predict(rows, self.n_jobs))

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class shares of each row: of votes, or of leaves if sets are not compared by the error.

        A frame needs only the chosen columns.
        """
        rows = self._rows(X)
        return np.asarray(self.model_.predict_proba(rows, self.n_jobs))
