"""Tables and targets as the core reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest._core import CodedData, Target
from frugalforest.errors import DataError

__all__ = ["CodedData", "Target", "code_table", "code_target", "raw_columns"]


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
    columns = raw_columns(X)
    infinite = np.isinf(columns)
    if infinite.any():
        column, row = np.argwhere(infinite)[0]
        name = f"{feature_names[column]!r}" if feature_names is not None else f"{column}"
        raise DataError(
            f"column {name} of X holds {columns[column, row]} (inf) in row {row}: replace infinite "
            "values by a number, or by NaN if the value is missing."
        )
    return _core.code_columns(columns)


def raw_columns(X: ArrayLike) -> NDArray[np.float64]:
    """X with its columns in one piece each, as the core reads them."""
    try:
        if np.iscomplexobj(X):  # NumPy would drop the imaginary parts of an array
            raise TypeError("complex numbers have no order")
        table = np.asarray(X, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"X must be a table of numbers ({error}).") from None
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
