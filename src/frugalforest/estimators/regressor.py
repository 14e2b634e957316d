"""FrugalForestRegressor: choose the features, then keep the forest on them, for numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from frugalforest.comparison.signatures import takes_options
from frugalforest.estimators.choosing import ChoosingForest
from frugalforest.methods import read_rows

__all__ = ["FrugalForestRegressor"]


@takes_options(
    "xi",
    "scoring",
    "n_trees",
    "n_resamples",
    "bins",
    "search_rows",
    "random_state",
    "n_jobs",
    "min_samples_leaf",
    n_resamples=10,
    random_state=None,
)
class FrugalForestRegressor(RegressorMixin, ChoosingForest):  # type: ignore[misc]
    """A random forest for numbers on the features that a budget can buy.

    Chooses the features with `auto`, which pools several methods and decides by rows left out, or
    with the methods given. The fitted forest is the one by which the chosen set was scored. Columns
    that cannot help (empty, constant, copies of cheaper ones) are not bought; if nothing helps,
    nothing is, and the mean is predicted (the median, if sets are compared by absolute errors).

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    method : str, Method, a sequence of them, or "tune", default="auto"
        How features are chosen: "auto", "auc" (by rank correlation), "pfi", "forward", "backward"
        or "linear", or a method with parameters of its own. With several, the one whose set has the
        lowest score; "tune" means those of the paper's four that numbers have.
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
        Error to expect on new data, in the unit of the target, with an interval (of R², 1 − R²); of
        `auto` with resamples only.
    diagnosis_ : NumberDiagnosis or None
        How far predictions for cases left out of the choice are off: R², root mean squared and mean
        absolute error, bias and calibration, with intervals; where there is an honest error and
        something is bought.
    selection_ : dict of ndarrays
        Everything that was tried: method, xi, features, n_features, total_cost, score.
    model_ : NumberModel
        The chosen columns and the forest on them, which can be saved.
    feature_importances_ : ndarray of shape (n_features,)
        Permutation importance of each column, the rise in mean squared error; 0 for those that were
        not bought.

    Notes
    -----
    Rows cannot be weighted. Columns of a frame go by name: other columns and another order are
    welcome in `predict`, where scikit-learn wants an error.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True, as_frame=True)
    >>> costs = dict.fromkeys(X.columns, 1.0) | {"s5": 3.0}
    >>> model = FrugalForestRegressor(costs, budget=4, method="pfi", n_trees=100, random_state=0)
    >>> model.fit(X, y).total_cost_
    4.0
    >>> model.predict(X[model.selected_features_]).shape
    (442,)
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

    def fit(self, X: Any, y: ArrayLike, row_groups: ArrayLike | None = None) -> Self:
        """Choose the features and keep their forest.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_features)
            Numbers, text, categories or dates; empty, None or NaN is missing.
        y : array-like of shape (n_rows,)
            Numbers.
        row_groups : array-like of shape (n_rows,), optional
            Rows of one group (a patient, a batch) are never on both sides of a split, and intervals
            are over groups. Copies of a row are kept together in any case. In a pipeline or a
            search it is routed as metadata: ``set_fit_request(row_groups=True)``.

        Returns
        -------
        self
        """
        table, outcome = read_rows(self, X, y, self.costs, "regression")
        return self._choose(table, outcome, row_groups)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The number of each row: the mean of what the trees predict.

        A frame needs only the chosen columns, in any order.
        """
        rows = self._rows(X)
        return np.asarray(self.model_.predict(rows, self.n_jobs))
