"""Sets of columns as the core takes them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnIndices", "column_indices", "packed"]

ColumnIndices = Sequence[int] | NDArray[np.integer[Any]]


def column_indices(features: ColumnIndices, n_columns: int) -> NDArray[np.uint32]:
    """Column indices as the core takes them; what is no index of a column is refused."""
    columns = np.asarray(features)
    if columns.size == 0:
        return np.empty(0, np.uint32)
    if columns.ndim != 1 or columns.dtype.kind not in "iu":
        raise ValueError(f"a feature set must be a list of column indices, not {features!r}.")
    if columns.min() < 0 or columns.max() >= n_columns:
        wrong = columns[(columns < 0) | (columns >= n_columns)][0]
        raise ValueError(f"feature {wrong} is not in the table of {n_columns} columns.")
    return columns.astype(np.uint32)


def packed(sets: Sequence[NDArray[np.uint32]]) -> tuple[NDArray[np.uint32], NDArray[np.uint64]]:
    """The sets one after the other, and where each begins."""
    columns = np.concatenate([*sets, np.empty(0, np.uint32)], dtype=np.uint32)
    starts = np.cumsum([0, *(len(s) for s in sets)], dtype=np.uint64)
    return columns, starts
