"""Many forests on one table, of which the votes are kept and the trees are not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, Target, raw_columns
from frugalforest.engine.column_sets import ColumnIndices, column_indices, packed
from frugalforest.engine.settings import ForestSettings

__all__ = ["BatchScores", "score_sets"]


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
    oob_shares, new_shares : ndarray of the same shapes, or None
        Mean class shares of the leaves; NaN where there is no vote.
    """

    oob_error: NDArray[np.float64]
    brier: NDArray[np.float64]
    n_unvoted: NDArray[np.uint32]
    oob_votes: NDArray[np.uint32] | None = None
    new_votes: NDArray[np.uint32] | None = None
    oob_shares: NDArray[np.float64] | None = None
    new_shares: NDArray[np.float64] | None = None


def score_sets(
    data: CodedData,
    target: Target,
    feature_sets: Sequence[ColumnIndices],
    seeds: Sequence[int],
    settings: ForestSettings | None = None,
    *,
    new_rows: ArrayLike | None = None,
    keep_votes: bool = False,
    keep_shares: bool = False,
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
    keep_shares : bool, default=False
        Whether to return class shares, out of bag and of new rows.
    n_jobs : int or None
        Threads. Results do not depend on it.

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> score_sets(data, target, [[0], [0, 1]], seeds=[1, 1]).oob_error
    array([0., 0.])
    """
    settings = settings or ForestSettings()
    sets = [column_indices(s, data.n_columns) for s in feature_sets]
    error, brier, n_unvoted, oob_votes, new_votes, oob_shares, new_shares = _core.run_batch(
        data,
        target,
        *packed(sets),
        np.array([settings.features_per_split(len(s)) for s in sets], dtype=np.uint32),
        np.array([int(seed) for seed in seeds], dtype=np.uint64),
        settings.spec(data, target, n_jobs),
        None if new_rows is None else raw_columns(new_rows),
        keep_votes,
        keep_shares,
    )
    return BatchScores(
        error,
        brier,
        n_unvoted,
        oob_votes if keep_votes else None,
        None if new_rows is None else new_votes,
        oob_shares if keep_shares else None,
        new_shares if keep_shares and new_rows is not None else None,
    )
