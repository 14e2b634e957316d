"""A random forest for numbers."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from frugalforest.engine.coding import code_numbers, code_table
from frugalforest.engine.numbers import grow_number_forest
from frugalforest.engine.parameters import seed_from
from frugalforest.engine.settings import ForestSettings

__all__ = ["RegressionForest"]


class RegressionForest(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Random forest regressor on the compiled engine.

    Splits by the variance that they leave, exact (between bins of values where there are many
    rows), missing values sent to the better side of each split, leaves that predict their mean.
    The same seed gives the same forest for any number of threads and any order of the columns, as
    long as columns that put all rows in the same order (copies, a value and its logarithm) keep
    theirs.

    Numbers are kept to 12 digits of their range for up to 500 rows, to 10 for up to 100,000 and to
    9 for up to a million: then sums are exact, whatever their order.

    Parameters
    ----------
    n_trees, max_features, max_depth, min_samples_leaf, bootstrap, sample_fraction, bins
        See `ForestSettings`. By default a node may split on a third of the features.
    min_node_size : int, default=5
        Draws of the largest node that is not split, as in the R packages ranger and randomForest.
        A row that the bootstrap drew twice counts twice (in scikit-learn's `min_samples_split`,
        once).
    random_state : int, NumPy generator or None, default=0
    n_jobs : int or None, default=1
        Threads. Results do not depend on it.

    Attributes
    ----------
    bins_ : int or None
        Most bins of a column; None if splits are exact.
    forest_ : GrownNumberForest
        The trees.
    oob_mse_ : float
        Mean squared error of the out-of-bag predictions; rows without one are left out. NaN if no
        row has one.
    oob_predictions_ : ndarray of shape (n_rows,)
        Mean over the trees that did not see the row; NaN where there is none.
    n_unpredicted_ : int
        Rows without an out-of-bag prediction.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> X, y = load_diabetes(return_X_y=True)
    >>> forest = RegressionForest(n_trees=200).fit(X, y)
    >>> bool(forest.oob_mse_ < 0.6 * y.var())
    True
    """

    def __init__(
        self,
        n_trees: int = 1000,
        max_features: str | int | float | None = "third",
        max_depth: int | None = None,
        min_node_size: int = 5,
        min_samples_leaf: int = 1,
        bootstrap: bool = True,
        sample_fraction: float = 1.0,
        bins: str | int | None = "auto",
        random_state: object = 0,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_trees = n_trees
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_node_size = min_node_size
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.sample_fraction = sample_fraction
        self.bins = bins
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _settings(self) -> ForestSettings:
        return ForestSettings(
            n_trees=self.n_trees,
            max_features=self.max_features,
            max_depth=self.max_depth,
            min_node_size=self.min_node_size,
            min_samples_leaf=self.min_samples_leaf,
            bootstrap=self.bootstrap,
            sample_fraction=self.sample_fraction,
            bins=self.bins,
        )

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_rows,)
            Finite numbers.

        Returns
        -------
        self
        """
        settings = self._settings()
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False, y_numeric=True)
        target = code_numbers(y)
        data = code_table(X, getattr(self, "feature_names_in_", None), settings.bins)
        self.bins_ = data.bins
        self.forest_, scores = grow_number_forest(
            data,
            target,
            range(data.n_columns),
            seed_from(self.random_state),
            settings,
            n_jobs=self.n_jobs,
        )
        self.oob_mse_, self.n_unpredicted_ = scores.mse, scores.n_unpredicted
        self.oob_predictions_ = scores.oob_predictions
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """The mean of what the trees predict for each row."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        return self.forest_.predict(X, self.n_jobs)
