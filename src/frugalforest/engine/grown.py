"""One forest that is kept: its trees as arrays, which predict raw rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, Target
from frugalforest.engine.column_sets import ColumnIndices, column_indices
from frugalforest.engine.parameters import n_threads
from frugalforest.engine.settings import ForestSettings
from frugalforest.engine.trees import Trees
from frugalforest.errors import DataError

__all__ = ["ForestScores", "GrownForest", "forest_without_columns", "grow_forest"]


@dataclass(frozen=True, eq=False)
class GrownForest(Trees):
    """The trees of a forest, node by node.

    Made by `grow_forest` or `from_arrays`.

    Attributes
    ----------
    tree_start, column, left, threshold, missing_left, n_columns
        See `Trees`.
    vote : ndarray of uint16, shape (n_nodes,)
        The class that a leaf votes for: the heaviest of its rows.
    mixed : ndarray of uint8, shape (n_nodes,)
        1 for a leaf with rows of several classes.
    shares : ndarray of float64, shape (n_mixed_leaves, n_classes)
        Class shares of the mixed leaves, in order. In other leaves all of the weight is the vote's.
    n_classes : int

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

    vote: NDArray[np.uint16] = field(repr=False)
    mixed: NDArray[np.uint8] = field(repr=False)
    shares: NDArray[np.float64] = field(repr=False)
    n_classes: int

    ARRAYS: ClassVar = Trees.ARRAYS | {
        "vote": (np.uint16, 1),
        "mixed": (np.uint8, 1),
        "shares": (np.float64, 2),
    }

    def _load(self) -> _core.LoadedForest:
        return _core.load_forest(**self.to_arrays(), n_columns=max(1, self.n_columns))

    @property
    def leaf_shares(self) -> NDArray[np.float64]:
        """Class shares of every leaf, in order: of shape (n_leaves, n_classes)."""
        leaves = self.column < 0
        shares = np.eye(self.n_classes)[self.vote[leaves]]
        shares[self.mixed[leaves] > 0] = self.shares
        return shares

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
        return self._loaded.votes(self._raw_columns(rows), n_threads(n_jobs))  # type: ignore[no-any-return]

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int
    ) -> Self:
        """A forest from the arrays of `to_arrays`, which may come from anywhere.

        Everything is checked: what is not a forest on so many columns that votes for so many
        classes is refused with a DataError. The arrays are copied.
        """
        forest = cls(**cls.checked(arrays, n_columns), n_classes=int(n_classes))
        if forest.shares.shape[1] != n_classes:
            raise DataError(
                f"the forest votes for {forest.shares.shape[1]} classes, not for {n_classes}."
            )
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
