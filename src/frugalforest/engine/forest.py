"""A random forest classifier."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from frugalforest.engine.coding import code_table, code_target
from frugalforest.engine.grown import grow_forest
from frugalforest.engine.parameters import seed_from
from frugalforest.engine.settings import ForestSettings
from frugalforest.errors import DataError

__all__ = ["Forest"]


class Forest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Random forest classifier on the compiled engine.

    Exact splits (between bins of values where there are many rows), Gini impurity, missing values
    sent to the better side of each split. The same seed gives the same forest for any number of
    threads and any order of the columns, as long as columns that put all rows in the same order
    (copies, a value and its logarithm) keep theirs.

    Parameters
    ----------
    n_trees, max_features, max_depth, min_samples_leaf, bootstrap, sample_fraction, bins
        See `ForestSettings`.
    voting : {"hard", "soft"}, default="hard"
        What `predict_proba` reports: the share of trees that vote for a class, or the mean class
        share of the leaves. `predict` is the larger of those, the first class if they tie.
    random_state : int, NumPy generator or None, default=0
    n_jobs : int or None, default=1
        Threads. Results do not depend on it.

    Attributes
    ----------
    classes_ : ndarray
    bins_ : int or None
        Most bins of a column; None if splits are exact.
    forest_ : GrownForest
        The trees.
    oob_error_ : float
        Share of rows that their out-of-bag votes get wrong; ties count ½, rows without a vote are
        left out. NaN if no row has one.
    oob_brier_ : float
        Out-of-bag Brier score of the mean class shares.
    oob_votes_ : ndarray of shape (n_rows, n_classes)
        Trees that did not see the row and voted for the class.
    oob_shares_ : ndarray of shape (n_rows, n_classes)
        Mean class shares over those trees; NaN where there are none.
    n_unvoted_ : int
        Rows without an out-of-bag vote.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forest = Forest(n_trees=200).fit(X, y)
    >>> bool(forest.oob_error_ < 0.06)
    True
    """

    def __init__(
        self,
        n_trees: int = 1000,
        max_features: str | int | float | None = "sqrt",
        max_depth: int | None = None,
        min_samples_leaf: int = 1,
        bootstrap: bool = True,
        sample_fraction: float = 1.0,
        bins: str | int | None = "auto",
        voting: str = "hard",
        random_state: object = 0,
        n_jobs: int | None = 1,
    ) -> None:
        self.n_trees = n_trees
        self.max_features = max_features
        self.max_depth = max_depth
        self.min_samples_leaf = min_samples_leaf
        self.bootstrap = bootstrap
        self.sample_fraction = sample_fraction
        self.bins = bins
        self.voting = voting
        self.random_state = random_state
        self.n_jobs = n_jobs

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        return tags

    def _settings(self) -> ForestSettings:
        return ForestSettings(
            self.n_trees,
            self.max_features,
            self.max_depth,
            self.min_samples_leaf,
            self.bootstrap,
            self.sample_fraction,
            self.bins,
        )

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow the forest.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes.
        sample_weight : array-like of shape (n_rows,), optional
            Weights in the impurity and in the leaves. Rows of weight 0 are out of bag in every
            tree. Out-of-bag scores are not weighted.

        Returns
        -------
        self
        """
        settings = self._settings()
        if self.voting not in ("hard", "soft"):
            raise ValueError(f"`voting` is {self.voting!r}: it must be 'hard' or 'soft'.")
        X, y = validate_data(self, X, y, dtype=np.float64, ensure_all_finite=False)
        check_classification_targets(y)
        if sample_weight is not None:
            sample_weight = _check_sample_weight(sample_weight, X, ensure_non_negative=True)
        self.classes_, labels = np.unique(y, return_inverse=True)
        if len(self.classes_) < 2:
            raise DataError(
                f"y holds one class only ({self.classes_[0]!r}): a classifier needs at least two."
            )
        data = code_table(X, getattr(self, "feature_names_in_", None), settings.bins)
        self.bins_ = data.bins
        target = code_target(labels, len(self.classes_), sample_weight)
        self.forest_, scores = grow_forest(
            data,
            target,
            range(data.n_columns),
            seed_from(self.random_state),
            settings,
            n_jobs=self.n_jobs,
        )
        self.oob_error_, self.oob_brier_ = scores.oob_error, scores.brier
        self.oob_votes_, self.oob_shares_ = scores.oob_votes, scores.oob_shares
        self.n_unvoted_ = scores.n_unvoted
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Class shares of each row: of votes, or of leaves if `voting="soft"`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        votes, shares = self.forest_.votes(X, self.n_jobs)
        if self.voting == "soft":
            return shares
        return np.asarray(votes / self.forest_.n_trees)

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Most likely class of each row."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
