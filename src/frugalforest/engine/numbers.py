"""Forests for numbers: batches of them, and one that is kept.

The same functions for classes are `score_sets` and `grow_forest`; permutation importance and
forward selection take either kind of target.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, NumberTarget, raw_columns
from frugalforest.engine.column_sets import ColumnIndices, column_indices, packed
from frugalforest.engine.parameters import n_threads
from frugalforest.engine.settings import ForestSettings
from frugalforest.engine.trees import Trees

__all__ = [
    "NUMBER_FORESTS",
    "GrownNumberForest",
    "NumberBatchScores",
    "NumberScores",
    "grow_number_forest",
    "score_number_sets",
]

# Nodes of up to five rows are leaves, and a node may split on a third of the features.
NUMBER_FORESTS = ForestSettings(max_features="third", min_node_size=5)


@dataclass(frozen=True)
class NumberBatchScores:
    """Out-of-bag scores of a batch of forests for numbers, one entry a forest.

    Attributes
    ----------
    mse : ndarray of shape (n_forests,)
        Mean squared error of the out-of-bag predictions. Rows without one are left out.
    n_unpredicted : ndarray of shape (n_forests,)
        Rows without an out-of-bag prediction.
    oob_predictions : ndarray of shape (n_forests, n_rows) or None
        NaN where no tree left the row out.
    new_predictions : ndarray of shape (n_forests, n_new_rows) or None
    """

    mse: NDArray[np.float64]
    n_unpredicted: NDArray[np.uint32]
    oob_predictions: NDArray[np.float64] | None = None
    new_predictions: NDArray[np.float64] | None = None


@dataclass(frozen=True, eq=False)
class NumberScores:
    """Out-of-bag scores of one forest; the same numbers as in `NumberBatchScores`.

    Attributes
    ----------
    mse : float
        NaN if no row has an out-of-bag prediction.
    n_unpredicted : int
    oob_predictions : ndarray of shape (n_rows,)
        NaN where no tree left the row out.
    """

    mse: float
    n_unpredicted: int
    oob_predictions: NDArray[np.float64] = field(repr=False)


def score_number_sets(
    data: CodedData,
    target: NumberTarget,
    feature_sets: Sequence[ColumnIndices],
    seeds: Sequence[int],
    settings: ForestSettings = NUMBER_FORESTS,
    *,
    new_rows: ArrayLike | None = None,
    keep_predictions: bool = False,
    n_jobs: int | None = None,
) -> NumberBatchScores:
    """Grow one forest for each feature set and return its out-of-bag scores.

    Parameters
    ----------
    data, target
        From `code_table` and `code_numbers`.
    feature_sets : sequence of sequences of column indices
    seeds : sequence of int
        One for each set. Equal seeds share bootstrap samples and, as far as the sets overlap, the
        order in which nodes draw features.
    settings : ForestSettings, optional
        By default a third of the features a node, and nodes of up to five rows are not split.
    new_rows : array of shape (n_new_rows, n_columns), optional
        Raw rows to predict with each forest.
    keep_predictions : bool, default=False
        Whether to return the out-of-bag predictions.
    n_jobs : int or None
        Threads. Results do not depend on it.

    Examples
    --------
    >>> from frugalforest.engine import code_numbers, code_table
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_numbers([2.5, 2.5, 7.5, 7.5] * 25)
    >>> score_number_sets(data, target, [[0], [0, 1]], seeds=[1, 1]).mse
    array([0., 0.])
    """
    sets = [column_indices(s, data.n_columns) for s in feature_sets]
    mse, n_unpredicted, oob, new = _core.run_batch(
        data,
        target,
        *packed(sets),
        np.array([settings.features_per_split(len(s)) for s in sets], dtype=np.uint32),
        np.array([int(seed) for seed in seeds], dtype=np.uint64),
        settings.spec(data, target, n_jobs),
        None if new_rows is None else raw_columns(new_rows),
        keep_predictions,
    )
    return NumberBatchScores(
        mse,
        n_unpredicted,
        oob if keep_predictions else None,
        None if new_rows is None else new,
    )


@dataclass(frozen=True, eq=False)
class GrownNumberForest(Trees):
    """The trees of a forest for numbers, node by node.

    Made by `grow_number_forest` or `from_arrays`.

    Attributes
    ----------
    tree_start, column, left, threshold, missing_left, n_columns
        See `Trees`.
    value : ndarray of int64, shape (n_nodes,)
        What a leaf predicts, in units from the middle of the range; 0 for other nodes.
    scale : ndarray of float64, shape (2,)
        That middle, and the unit. Predictions are added up as whole numbers: a sum does not depend
        on the order of the trees.

    Examples
    --------
    >>> from frugalforest.engine import code_numbers, code_table
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_numbers([2.5, 2.5, 7.5, 7.5] * 25)
    >>> forest, scores = grow_number_forest(data, target, [0], seed=1)
    >>> forest.predict([[0, 7], [1, 8]])
    array([2.5, 7.5])
    """

    value: NDArray[np.int64] = field(repr=False)
    scale: NDArray[np.float64] = field(repr=False)

    ARRAYS: ClassVar = Trees.ARRAYS | {"value": (np.int64, 1), "scale": (np.float64, 1)}

    def _load(self) -> _core.LoadedNumberForest:
        return _core.load_number_forest(**self.to_arrays(), n_columns=max(1, self.n_columns))

    @property
    def leaf_means(self) -> NDArray[np.float64]:
        """What every leaf predicts, in order."""
        middle, unit = self.scale
        return np.asarray(middle + unit * self.value[self.column < 0])

    def predict(self, rows: ArrayLike, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The mean over the trees of the means of their leaves.

        Parameters
        ----------
        rows : array of shape (n_rows, n_columns)
            Raw values; NaN is missing.
        n_jobs : int or None
            Threads. Results do not depend on it.
        """
        predicted = self._loaded.predict(self._raw_columns(rows), n_threads(n_jobs))
        return np.asarray(predicted)

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]], n_columns: int) -> Self:
        """A forest from the arrays of `to_arrays`, which may come from anywhere.

        Everything is checked: what is not a forest on so many columns is refused with a DataError.
        The arrays are copied.
        """
        forest = cls(**cls.checked(arrays, n_columns))
        _ = forest._loaded  # checks the rest
        return forest


def grow_number_forest(
    data: CodedData,
    target: NumberTarget,
    features: ColumnIndices,
    seed: int,
    settings: ForestSettings = NUMBER_FORESTS,
    *,
    n_jobs: int | None = None,
) -> tuple[GrownNumberForest, NumberScores]:
    """Grow one forest and keep it, with its out-of-bag scores.

    It is the very forest that `score_number_sets` scores for the same columns and seed.

    Parameters
    ----------
    data, target
        From `code_table` and `code_numbers`.
    features : sequence of column indices
    seed : int
    settings : ForestSettings, optional
    n_jobs : int or None
        Threads. Results do not depend on it.

    Returns
    -------
    forest : GrownNumberForest
        For rows with the columns of the table; `Trees.for_columns` narrows it.
    scores : NumberScores
    """
    columns = column_indices(features, data.n_columns)
    arrays, oob_predictions, mse, n_unpredicted, _ = _core.grow_forest(
        data,
        target,
        columns,
        settings.features_per_split(len(columns)),
        int(seed),
        settings.spec(data, target, n_jobs),
        False,
    )
    forest = GrownNumberForest(*arrays, n_columns=data.n_columns)
    return forest, NumberScores(mse, n_unpredicted, oob_predictions)
