"""Random forests from the compiled core: batches of them, and `Forest` for one.

This is the only module that uses ``frugalforest._core``. It knows no names, prices or budgets.

::

    X ── code_table ──► CodedData ─┐
                                   ├─► score_sets         one forest a feature set, its OOB scores
    y ── code_target ─► Target ────┤   forward_errors     one forest more a candidate feature
                                   │   permutation_gains  permutation importance of each feature
                                   └─► grow_shallow       votes and features of shallow trees

A forest is a pure function of (data, feature set, seed, settings): not of the number of threads, of
the order of the columns, or of what else is in the batch. Feature sets can therefore be scored once
and remembered.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from numbers import Integral, Real
from typing import Any, Self

import numpy as np
from joblib import cpu_count
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, validate_data

from frugalforest import _core
from frugalforest._core import CodedData, Target
from frugalforest.errors import DataError

__all__ = [
    "BatchScores",
    "CodedData",
    "Forest",
    "ForestSettings",
    "ShallowPart",
    "ShallowTrees",
    "Target",
    "TreeTally",
    "code_table",
    "code_target",
    "forward_errors",
    "grow_shallow",
    "n_threads",
    "permutation_gains",
    "score_sets",
    "seed_from",
]

FeatureSet = Sequence[int] | NDArray[np.integer[Any]]


def n_threads(n_jobs: int | None) -> int:
    """Threads meant by a scikit-learn style `n_jobs`: None is one, −1 is one per core.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or n_jobs == 0 or abs(int(n_jobs)) > 10_000:
        raise ValueError(
            f"`n_jobs` is {n_jobs!r}: it must be a whole number other than 0, or None."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs))


def seed_from(random_state: object) -> int:
    """The 64-bit seed meant by a scikit-learn style `random_state`.

    A number is its own seed, None is a fresh one, and a generator is asked for one.

    Examples
    --------
    >>> seed_from(7)
    7
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**63, dtype=np.int64))
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    raise ValueError(
        f"`random_state` is {random_state!r}: it must be a whole number from 0 to 2^64 - 1, None, "
        "or a NumPy generator."
    )


@dataclass(frozen=True)
class ForestSettings:
    """How a forest is grown.

    Parameters
    ----------
    n_trees : int, default=1000
    max_features : {"sqrt", "log2"}, int, float or None, default="sqrt"
        Features that a node may split on: the whole part of the root or logarithm of the set's
        size, a number, a share, or all of them (None). At least one. If none of those
        drawn can be cut in the node, further ones are drawn until one can.
    max_depth : int or None, default=None
        No limit by default.
    min_samples_leaf : int, default=1
        Fewest draws in a leaf. A row that the bootstrap drew twice counts twice.
    bootstrap : bool, default=True
        Draw rows with replacement. Otherwise each row at most once.
    sample_fraction : float, default=1.0
        Rows drawn for a tree, as a share of all rows.

    Examples
    --------
    >>> ForestSettings().features_per_split(30)
    5
    """

    n_trees: int = 1000
    max_features: str | int | float | None = "sqrt"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    bootstrap: bool = True
    sample_fraction: float = 1.0

    def __post_init__(self) -> None:
        for name, value in (("n_trees", self.n_trees), ("min_samples_leaf", self.min_samples_leaf)):
            if not _is_count(value):
                raise ValueError(f"`{name}` is {value!r}: it must be a whole number, 1 or more.")
        if self.max_depth is not None and not _is_count(self.max_depth):
            raise ValueError(
                f"`max_depth` is {self.max_depth!r}: it must be a whole number, 1 or more, or None."
            )
        if not _is_share(self.sample_fraction):
            raise ValueError(
                f"`sample_fraction` is {self.sample_fraction!r}: it must be above 0 and at most 1."
            )
        m = self.max_features
        if not (m is None or m in ("sqrt", "log2") or _is_count(m) or _is_share(m)):
            raise ValueError(
                f"`max_features` is {m!r}: it must be 'sqrt', 'log2', a whole number from 1, a "
                "share above 0 and at most 1, or None for all."
            )

    def features_per_split(self, n_features: int) -> int:
        """How many of `n_features` features a node may split on."""
        m = self.max_features
        if m is None:
            return n_features
        if m == "sqrt":
            return max(1, math.isqrt(n_features))
        if m == "log2":
            return max(1, n_features.bit_length() - 1)
        if isinstance(m, Integral):
            return min(int(m), n_features)
        return max(1, int(float(m) * n_features))

    def _spec(self, n_rows: int, n_jobs: int | None) -> _core.ForestSpec:
        return _core.make_spec(
            n_trees=self.n_trees,
            max_depth=self.max_depth or 0,
            min_leaf=self.min_samples_leaf,
            n_draws=max(1, round(self.sample_fraction * n_rows)),
            replace=self.bootstrap,
            n_threads=n_threads(n_jobs),
        )


def _is_count(value: object) -> bool:
    # The core counts with 32 bits.
    return isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) < 2**31


def _is_share(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1


def code_table(X: ArrayLike, feature_names: Sequence[str] | None = None) -> CodedData:
    """Code the columns of a table to the ranks of their distinct values.

    Splits on the ranks are exact, for columns of up to 65,535 distinct values. Above that,
    neighbouring values share a rank, with about equally many rows each. NaN is missing.

    Examples
    --------
    >>> code_table([[0.5, 3.0], [7.0, float("nan")]]).codes()
    array([[0, 1],
           [0, 1]], dtype=uint16)
    """
    columns = _columns(X)
    infinite = np.isinf(columns)
    if infinite.any():
        column, row = np.argwhere(infinite)[0]
        name = f"{feature_names[column]!r}" if feature_names is not None else f"{column}"
        raise DataError(
            f"column {name} of X holds {columns[column, row]} (inf) in row {row}: replace infinite "
            "values by a number, or by NaN if the value is missing."
        )
    return _core.code_columns(columns)


def _columns(X: ArrayLike) -> NDArray[np.float64]:
    """X with its columns in one piece each, as the core reads them."""
    table = np.asarray(X, dtype=np.float64)
    if table.ndim != 2 or 0 in table.shape:
        raise DataError(
            f"X has shape {table.shape}: it must be a table with at least one row and one column."
        )
    return np.ascontiguousarray(table.T)


def code_target(
    labels: NDArray[np.integer[Any]], n_classes: int, sample_weight: ArrayLike | None = None
) -> Target:
    """Class labels 0 … n_classes − 1 for the core, with weights or none."""
    labels = np.asarray(labels)
    are_indices = labels.ndim == 1 and labels.size > 0 and labels.dtype.kind in "iu"
    if not are_indices or labels.min() < 0 or labels.max() >= n_classes:
        raise DataError(
            f"labels must be whole numbers from 0 to {n_classes - 1}, one for each row."
        )
    weights = None
    if sample_weight is not None:
        weights = np.ascontiguousarray(sample_weight, dtype=np.float64)
        if weights.shape != labels.shape or not np.isfinite(weights).all() or weights.min() < 0:
            raise DataError("`sample_weight` must hold one number for each row, 0 or more.")
        if not weights.any():
            raise DataError("`sample_weight` is 0 for every row: at least one must be above 0.")
    return _core.make_target(labels.astype(np.uint16), n_classes, weights)


@dataclass(frozen=True)
class BatchScores:
    """Out-of-bag scores of a batch of forests, one entry a forest.

    Attributes
    ----------
    oob_error : ndarray of shape (n_forests,)
        Share of rows that the majority of their out-of-bag votes gets wrong. A tie counts ½
        (1 − 1/t for t classes that lead together), rows without a vote are left out.
    brier : ndarray of shape (n_forests,)
        Out-of-bag Brier score of the class shares.
    n_unvoted : ndarray of shape (n_forests,)
        Rows without an out-of-bag vote.
    oob_votes : ndarray of shape (n_forests, n_rows, n_classes) or None
    new_votes : ndarray of shape (n_forests, n_new_rows, n_classes) or None
    """

    oob_error: NDArray[np.float64]
    brier: NDArray[np.float64]
    n_unvoted: NDArray[np.uint32]
    oob_votes: NDArray[np.uint32] | None = None
    new_votes: NDArray[np.uint32] | None = None


def score_sets(
    data: CodedData,
    target: Target,
    feature_sets: Sequence[FeatureSet],
    seeds: Sequence[int],
    settings: ForestSettings | None = None,
    *,
    new_rows: ArrayLike | None = None,
    keep_votes: bool = False,
    n_jobs: int | None = None,
) -> BatchScores:
    """Grow one forest for each feature set and return its out-of-bag scores.

    Parameters
    ----------
    data, target
        From `code_table` and `code_target`.
    feature_sets : sequence of sequences of column indices
    seeds : sequence of int
        One for each set. Equal seeds share bootstrap samples and, as far as the sets overlap, the
        order in which nodes draw features.
    settings : ForestSettings, optional
    new_rows : array of shape (n_new_rows, n_columns), optional
        Raw rows to predict with each forest.
    keep_votes : bool, default=False
        Whether to return the out-of-bag votes.
    n_jobs : int or None
        Threads. Results do not depend on it.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> score_sets(data, target, [[0], [0, 1]], seeds=[1, 1]).oob_error
    array([0., 0.])
    """
    settings = settings or ForestSettings()
    sets = [_columns_of(s, data) for s in feature_sets]
    error, brier, n_unvoted, oob_votes, new_votes = _core.run_batch(
        data,
        target,
        *_packed(sets),
        np.array([settings.features_per_split(len(s)) for s in sets], dtype=np.uint32),
        np.array([int(seed) for seed in seeds], dtype=np.uint64),
        settings._spec(data.n_rows, n_jobs),
        None if new_rows is None else _columns(new_rows),
        keep_votes,
    )
    return BatchScores(
        error,
        brier,
        n_unvoted,
        oob_votes if keep_votes else None,
        None if new_rows is None else new_votes,
    )


def _columns_of(features: FeatureSet, data: CodedData) -> NDArray[np.uint32]:
    """Column indices as the core takes them; what is no index of a column is refused."""
    columns = np.asarray(features)
    if columns.size == 0:
        return np.empty(0, np.uint32)
    if columns.ndim != 1 or columns.dtype.kind not in "iu":
        raise ValueError(f"a feature set must be a list of column indices, not {features!r}.")
    if columns.min() < 0 or columns.max() >= data.n_columns:
        wrong = columns[(columns < 0) | (columns >= data.n_columns)][0]
        raise ValueError(f"feature {wrong} is not in the table of {data.n_columns} columns.")
    return columns.astype(np.uint32)


def _packed(sets: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The sets one after the other, and where each begins."""
    columns = np.concatenate([*sets, np.empty(0, np.uint32)], dtype=np.uint32)
    starts = np.cumsum([0, *(len(s) for s in sets)], dtype=np.uint64)
    return columns, starts


def permutation_gains(
    data: CodedData,
    target: Target,
    features: FeatureSet,
    seed: int,
    settings: ForestSettings | None = None,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Permutation importance of each of `features` in one forest on all of them.

    The mean over trees of the rise in the tree's own out-of-bag error when the feature is
    shuffled among the tree's out-of-bag rows. Not scaled. A tree without out-of-bag rows counts 0.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> useful, useless = permutation_gains(data, target, [0, 1], seed=1)
    >>> bool(useful > 0.2), bool(abs(useless) < 0.05)
    (True, True)
    """
    settings = settings or ForestSettings()
    columns = _columns_of(features, data)
    rises, n_oob = _core.permutation_rises(
        data,
        target,
        columns,
        settings.features_per_split(len(columns)),
        int(seed),
        settings._spec(data.n_rows, n_jobs),
    )
    return np.asarray((rises / np.maximum(n_oob, 1)[:, None]).mean(axis=0))


@dataclass(frozen=True)
class ShallowPart:
    """Trees of one kind in a shallow ensemble.

    `first_tree` numbers the first of them; trees of one seed with different numbers have
    their own bootstrap samples.
    """

    features: FeatureSet
    n_trees: int
    max_depth: int
    seed: int
    first_tree: int = 0


@dataclass(frozen=True)
class ShallowTrees:
    """Out-of-bag votes and features of the trees of a shallow ensemble.

    Attributes
    ----------
    votes : ndarray of uint64, shape (n_trees, n_classes, n_words)
        Bit i of word w is set if row 64 w + i is out of bag and gets the tree's vote for the class.
    start, columns : ndarray of uint32
        Tree t splits on the columns ``columns[start[t]:start[t + 1]]``.
    """

    votes: NDArray[np.uint64]
    start: NDArray[np.uint32]
    columns: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.votes)

    def features(self, tree: int) -> NDArray[np.uint32]:
        """Columns that a tree splits on, ascending."""
        return self.columns[self.start[tree] : self.start[tree + 1]]


class TreeTally:
    """Which trees could be chosen next, what each would gain and what it would cost.

    A tree costs the sum of what its columns cost, plus what the groups of those columns cost. Only
    trees that bring a new column are offered.

    Parameters
    ----------
    trees : ShallowTrees
    target : Target
    group : ndarray of int, shape (n_columns,)
        The group of each column; −1 is none.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> trees = grow_shallow(data, target, [ShallowPart([j], 1, 1, seed=1) for j in (0, 1)])
    >>> tally = TreeTally(trees, target, group=np.array([-1, -1]))
    >>> cost, new = np.array([3.0, 1.0]), np.array([True, True])
    >>> error, tree, gain, price = tally.offers([], 2, cost, new, np.empty(0))
    >>> error, tree, price
    (0.5, array([0, 1], dtype=uint32), array([3., 1.]))
    """

    def __init__(
        self, trees: ShallowTrees, target: Target, group: NDArray[np.integer[Any]]
    ) -> None:
        self._n_rows = target.n_rows
        in_group = group[trees.columns] >= 0
        tree = np.repeat(np.arange(len(trees)), np.diff(trees.start))[in_group]
        pairs = np.unique(np.stack([tree, group[trees.columns][in_group]], axis=1), axis=0)
        start = np.searchsorted(pairs[:, 0], np.arange(len(trees) + 1)).astype(np.uint32)
        self._tally = _core.make_tally(
            trees.votes, target, trees.start, trees.columns, start, pairs[:, 1].astype(np.uint32)
        )

    def offers(
        self,
        chosen: Sequence[int],
        n_trees: int,
        column_cost: NDArray[np.float64],
        column_is_new: NDArray[np.bool_],
        group_cost: NDArray[np.float64],
        *,
        most_cost: float = math.inf,
        unvoted_is_wrong: bool = False,
        undominated_only: bool = False,
    ) -> tuple[float, NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]:
        """Error of the chosen trees' majority vote, and the trees that could join them.

        Parameters
        ----------
        chosen : sequence of int
            Trees chosen so far.
        n_trees : int
            Only the first so many trees are offered.
        column_cost, column_is_new : ndarray of shape (n_columns,)
            What each column adds to the price now, and whether it would be new.
        group_cost : ndarray of shape (n_groups,)
            What each group adds to the price now.
        most_cost : float
            Dearer trees are not offered.
        unvoted_is_wrong : bool
            A row without a vote counts 1; by default 1 − 1/K, as a tie of all K classes does.
        undominated_only : bool
            Leave out a tree if another gains no less and costs no more.

        Returns
        -------
        error : float
        trees, gains, costs : ndarray
            Ascending by tree.
        """
        error, trees, gains, costs = self._tally.offers(
            np.asarray(chosen, dtype=np.uint32),
            n_trees,
            column_cost,
            column_is_new.view(np.uint8),
            group_cost,
            most_cost,
            unvoted_is_wrong,
            undominated_only,
        )
        return error / self._n_rows, trees, gains / self._n_rows, costs


def grow_shallow(
    data: CodedData,
    target: Target,
    parts: Sequence[ShallowPart],
    settings: ForestSettings | None = None,
    *,
    n_jobs: int | None = None,
) -> ShallowTrees:
    """Grow the trees of all parts, in order. Depth and number come from the parts.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> trees = grow_shallow(data, target, [ShallowPart([0, 1], 3, max_depth=1, seed=1)])
    >>> trees.votes.shape, trees.features(0)
    ((3, 2, 2), array([0], dtype=uint32))
    """
    settings = settings or ForestSettings()
    sets = [_columns_of(part.features, data) for part in parts]
    votes, starts, columns = _core.grow_ensemble(
        data,
        target,
        *_packed(sets),
        np.array([settings.features_per_split(len(s)) for s in sets], dtype=np.uint32),
        np.array([part.seed for part in parts], dtype=np.uint64),
        np.array([part.first_tree for part in parts], dtype=np.uint64),
        np.array([part.n_trees for part in parts], dtype=np.uint32),
        np.array([part.max_depth for part in parts], dtype=np.uint32),
        settings._spec(data.n_rows, n_jobs),
    )
    return ShallowTrees(votes, starts, columns)


def forward_errors(
    data: CodedData,
    target: Target,
    features: FeatureSet,
    candidates: FeatureSet,
    seed: int,
    settings: ForestSettings | None = None,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Out-of-bag error of the forest on `features` and one candidate more, for each candidate.

    The same numbers as from `score_sets`, several times faster: only what the new feature changes
    in the trees is grown again.

    Examples
    --------
    >>> X = [[0, 5, 1], [0, 6, 2], [1, 5, 3], [1, 6, 4]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> forward_errors(data, target, [1], [0, 2], seed=1)
    array([0., 0.])
    """
    settings = settings or ForestSettings()
    if len(features) == 0:
        sets = [[j] for j in candidates]
        return score_sets(data, target, sets, [seed] * len(sets), settings, n_jobs=n_jobs).oob_error
    return _core.forward_errors(
        data,
        target,
        _columns_of(features, data),
        settings.features_per_split(len(features) + 1),
        _columns_of(candidates, data),
        int(seed),
        settings._spec(data.n_rows, n_jobs),
    )


class Forest(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """Random forest classifier on the compiled engine.

    Exact splits, Gini impurity, missing values sent to the better side of each split. The same seed
    gives the same forest for any number of threads and any order of the columns.

    Parameters
    ----------
    n_trees, max_features, max_depth, min_samples_leaf, bootstrap, sample_fraction
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
        data = code_table(X, getattr(self, "feature_names_in_", None))
        target = code_target(labels, len(self.classes_), sample_weight)
        n_features = data.n_columns
        arrays, self.oob_votes_, self.oob_shares_, scores, _ = _core.grow_forest(
            data,
            target,
            np.arange(n_features, dtype=np.uint32),
            settings.features_per_split(n_features),
            seed_from(self.random_state),
            settings._spec(data.n_rows, self.n_jobs),
            False,
        )
        self._forest_arrays = arrays
        self.oob_error_, self.oob_brier_, self.n_unvoted_ = scores
        return self

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Class shares of each row: of votes, or of leaves if `voting="soft"`."""
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=False)
        votes, shares = _core.predict(*self._forest_arrays, _columns(X), n_threads(self.n_jobs))
        if self.voting == "soft":
            return shares
        return np.asarray(votes / votes.sum(axis=1, keepdims=True))

    def predict(self, X: ArrayLike) -> NDArray[Any]:
        """Most likely class of each row."""
        check_is_fitted(self)
        return np.asarray(self.classes_[self.predict_proba(X).argmax(axis=1)])
