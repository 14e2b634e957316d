"""One forest that is kept: its trees as arrays, which predict raw rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, Target, raw_columns
from frugalforest.engine.column_sets import ColumnIndices, column_indices
from frugalforest.engine.parameters import n_threads
from frugalforest.engine.settings import ForestSettings
from frugalforest.errors import DataError

__all__ = ["ForestScores", "GrownForest", "forest_without_columns", "grow_forest"]

# What a forest consists of, in the order of the core.
_DTYPES: dict[str, type[np.generic]] = {
    "tree_start": np.uint64,
    "column": np.int32,
    "left": np.uint32,
    "threshold": np.float64,
    "missing_left": np.uint8,
    "vote": np.uint16,
    "mixed": np.uint8,
    "shares": np.float64,
}


@dataclass(frozen=True, eq=False)
class GrownForest:
    """The trees of a forest, node by node.

    Made by `grow_forest` or `from_arrays`. Values of rows and thresholds are 64-bit floats
    throughout: a row is predicted as it was seen when the forest was grown.

    Attributes
    ----------
    tree_start : ndarray of uint64, shape (n_trees + 1,)
        Tree t owns the nodes ``tree_start[t]`` to ``tree_start[t + 1] - 1``, its root first.
    column : ndarray of int32, shape (n_nodes,)
        The column that a node splits on; −1 for a leaf.
    left : ndarray of uint32, shape (n_nodes,)
        The child for values at or below the threshold, counted from the root of its tree. The other
        child is the next one. 0 for a leaf.
    threshold : ndarray of float64, shape (n_nodes,)
        Infinite if only missing values go right.
    missing_left : ndarray of uint8, shape (n_nodes,)
        1 where missing values go left.
    vote : ndarray of uint16, shape (n_nodes,)
        The class that a leaf votes for: the heaviest of its rows.
    mixed : ndarray of uint8, shape (n_nodes,)
        1 for a leaf with rows of several classes.
    shares : ndarray of float64, shape (n_mixed_leaves, n_classes)
        Class shares of the mixed leaves, in order. In other leaves all of the weight is the vote's.
    n_columns, n_classes : int

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> forest, scores = grow_forest(data, target, [0, 1], 1, ForestSettings(n_trees=10))
    >>> votes, shares = forest.votes([[0, 7], [1, float("nan")]])
    >>> votes.argmax(axis=1)
    array([0, 1])
    >>> again = GrownForest.from_arrays(forest.to_arrays(), n_columns=2, n_classes=2)
    >>> again.n_trees
    10
    """

    tree_start: NDArray[np.uint64] = field(repr=False)
    column: NDArray[np.int32] = field(repr=False)
    left: NDArray[np.uint32] = field(repr=False)
    threshold: NDArray[np.float64] = field(repr=False)
    missing_left: NDArray[np.uint8] = field(repr=False)
    vote: NDArray[np.uint16] = field(repr=False)
    mixed: NDArray[np.uint8] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    n_columns: int
    n_classes: int

    @property
    def leaf_shares(self) -> NDArray[np.float64]:
        """Class shares of every leaf, in order: of shape (n_leaves, n_classes)."""
        leaves = self.column < 0
        shares = np.eye(self.n_classes)[self.vote[leaves]]
        shares[self.mixed[leaves] > 0] = self.shares
        return shares

    @property
    def n_trees(self) -> int:
        """Trees of the forest."""
        return len(self.tree_start) - 1

    @property
    def used_columns(self) -> NDArray[np.int32]:
        """Columns that some tree splits on, ascending."""
        return np.unique(self.column[self.column >= 0])

    def votes(
        self, rows: ArrayLike, n_jobs: int | None = None
    ) -> tuple[NDArray[np.uint32], NDArray[np.float64]]:
        """How many trees vote for each class, and the mean class shares of their leaves.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
            Raw values; NaN is missing.
        n_jobs : int or None
            Threads. Results do not depend on it.

        Returns
        -------
        votes, shares : ndarray of shape (n_rows, n_classes)
        """
        if not self.n_columns:  # all trees are leaves, which look at nothing
            return self._loaded.votes(np.zeros((1, len(np.asarray(rows)))), n_threads(n_jobs))
        columns = raw_columns(rows)
        if len(columns) != self.n_columns:
            raise DataError(
                f"the rows have {len(columns)} columns, but the forest was grown on "
                f"{self.n_columns}."
            )
        return self._loaded.votes(columns, n_threads(n_jobs))

    @cached_property
    def _loaded(self) -> _core.LoadedForest:
        """The forest in the core: a copy of the arrays, checked and laid out for walking."""
        try:
            return _core.load_forest(**self.to_arrays(), n_columns=max(1, self.n_columns))
        except ValueError as error:
            raise DataError(f"the arrays are not a forest: {error}.") from None

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_loaded"}

    def for_columns(self, columns: ColumnIndices) -> Self:
        """The same forest, for rows that hold only these columns, in this order.

        Examples
        --------
        >>> from frugalforest.engine import code_table, code_target
        >>> data, target = code_table([[5, 0, 3], [5, 1, 3]] * 50), code_target([0, 1] * 50, 2)
        >>> forest, _ = grow_forest(data, target, [1, 2], seed=1)
        >>> forest.for_columns([1]).votes([[0], [1]])[0].argmax(axis=1)
        array([0, 1])
        """
        kept = column_indices(columns, self.n_columns)
        place = np.full(self.n_columns + 1, -2, dtype=np.int32)
        place[-1] = -1  # of a leaf
        place[kept] = np.arange(len(kept), dtype=np.int32)
        column = place[self.column]
        if len(kept) != len(np.unique(kept)) or (column == -2).any():
            raise ValueError(
                f"a forest that splits on the columns {self.used_columns.tolist()} cannot do with "
                f"{kept.tolist()}: name each of those it needs, and each once."
            )
        return replace(self, column=column, n_columns=len(kept))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the forest by name, to be stored; `from_arrays` takes them back."""
        return {name: getattr(self, name) for name in _DTYPES}

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int
    ) -> Self:
        """A forest from the arrays of `to_arrays`, which may come from anywhere.

        Everything is checked: what is not a forest on so many columns that votes for so many
        classes is refused with a DataError. The arrays are copied.
        """
        if set(arrays) != set(_DTYPES):
            raise DataError(
                f"a forest has the arrays {', '.join(_DTYPES)}, not {', '.join(map(str, arrays))}."
            )
        own = {}
        for name, dtype in _DTYPES.items():
            array = arrays[name]
            n_dimensions = 2 if name == "shares" else 1
            if not (
                isinstance(array, np.ndarray)
                and array.dtype == np.dtype(dtype)
                and array.ndim == n_dimensions
            ):
                found = (
                    f"{array.dtype} and shape {array.shape}"
                    if isinstance(array, np.ndarray)
                    else type(array).__name__
                )
                raise DataError(
                    f"array {name!r} of a forest must have type {np.dtype(dtype)} and "
                    f"{n_dimensions} dimension{'s' * (n_dimensions > 1)}, not {found}."
                )
            own[name] = np.array(array, order="C")
        if not isinstance(n_columns, Integral) or not 0 <= n_columns < 2**31:
            raise DataError(f"a forest cannot have been grown on {n_columns!r} columns.")
        if own["shares"].shape[1] != n_classes:
            raise DataError(
                f"the forest votes for {own['shares'].shape[1]} classes, not for {n_classes}."
            )
        if n_columns == 0 and (own["column"] >= 0).any():
            raise DataError("the forest splits on columns, and there are none.")
        forest = cls(**own, n_columns=int(n_columns), n_classes=int(n_classes))
        _ = forest._loaded  # checks the rest
        return forest


@dataclass(frozen=True, eq=False)
class ForestScores:
    """Out-of-bag scores of one forest; the same numbers as in `BatchScores`.

    Attributes
    ----------
    oob_error, brier : float
        NaN if no row has an out-of-bag vote.
    n_unvoted : int
        Rows without an out-of-bag vote.
    oob_votes : ndarray of shape (n_rows, n_classes)
        Trees that did not see the row and voted for the class.
    oob_shares : ndarray of shape (n_rows, n_classes)
        Mean class shares over those trees; NaN where there are none.
    """

    oob_error: float
    brier: float
    n_unvoted: int
    oob_votes: NDArray[np.uint32] = field(repr=False)
    oob_shares: NDArray[np.float64] = field(repr=False)


def forest_without_columns(class_counts: ArrayLike) -> tuple[GrownForest, ForestScores]:
    """The forest of somebody who measures nothing: it always names the commonest class.

    Its scores are those of that answer for all rows: it learned nothing that could flatter.

    Examples
    --------
    >>> forest, scores = forest_without_columns([1, 3])
    >>> votes, shares = forest.votes([[], []])
    >>> votes.tolist(), shares.tolist(), scores.oob_error
    ([[0, 1], [0, 1]], [[0.25, 0.75], [0.25, 0.75]], 0.25)
    """
    counts = np.asarray(class_counts)
    shares = counts / counts.sum()
    forest = GrownForest(
        tree_start=np.array([0, 1], dtype=np.uint64),
        column=np.array([-1], dtype=np.int32),
        left=np.zeros(1, dtype=np.uint32),
        threshold=np.zeros(1),
        missing_left=np.zeros(1, dtype=np.uint8),
        vote=np.array([counts.argmax()], dtype=np.uint16),
        mixed=np.ones(1, dtype=np.uint8),
        shares=shares[np.newaxis],
        n_columns=0,
        n_classes=len(counts),
    )
    votes, each = forest.votes(np.empty((int(counts.sum()), 0)))
    distance = float(1 - (shares**2).sum())  # of the shares from the classes, squared, on average
    brier = distance / 2 if len(counts) == 2 else distance
    return forest, ForestScores(float(1 - shares.max()), brier, 0, votes, each)


def grow_forest(
    data: CodedData,
    target: Target,
    features: ColumnIndices,
    seed: int,
    settings: ForestSettings | None = None,
    *,
    n_jobs: int | None = None,
) -> tuple[GrownForest, ForestScores]:
    """Grow one forest and keep it, with its out-of-bag scores.

    It is the very forest that `score_sets` scores for the same columns and seed. It is also the
    one that grows on a table of these columns alone, unless the table has equal columns: those
    are told apart by their order.

    Parameters
    ----------
    data, target
        From `code_table` and `code_target`.
    features : sequence of column indices
    seed : int
    settings : ForestSettings, optional
    n_jobs : int or None
        Threads. Results do not depend on it.

    Returns
    -------
    forest : GrownForest
        For rows with the columns of the table; `GrownForest.for_columns` narrows it.
    scores : ForestScores

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> forest, scores = grow_forest(data, target, [0], seed=1)
    >>> forest, scores.oob_error
    (GrownForest(n_columns=2, n_classes=2), 0.0)
    """
    settings = settings or ForestSettings()
    columns = column_indices(features, data.n_columns)
    arrays, oob_votes, oob_shares, (oob_error, brier, n_unvoted), _ = _core.grow_forest(
        data,
        target,
        columns,
        settings.features_per_split(len(columns)),
        int(seed),
        settings.spec(data, target, n_jobs),
        False,
    )
    forest = GrownForest(*arrays, n_columns=data.n_columns, n_classes=target.n_classes)
    return forest, ForestScores(oob_error, brier, n_unvoted, oob_votes, oob_shares)
