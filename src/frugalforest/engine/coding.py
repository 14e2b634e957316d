"""Tables and targets as the core reads them."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest._core import CodedData, NumberTarget, Target
from frugalforest.errors import DataError

__all__ = [
    "CodedData",
    "NumberTarget",
    "Target",
    "bins_for",
    "check_bins",
    "code_numbers",
    "code_table",
    "code_target",
    "raw_columns",
]

# Above this many rows exact splits leave the nearer caches. Where classes overlap, bins cost no
# error that could be measured; where a sharp line parts them they do (docs, Large tables).
MOST_ROWS_FOR_EXACT_SPLITS = 20_000
# With one more for missing values, what 8 bits can tell apart.
MOST_BINS = 255


def check_bins(bins: object) -> None:
    """Refuse what `bins` cannot be."""
    is_count = isinstance(bins, Integral) and not isinstance(bins, bool)
    if not (bins is None or bins == "auto" or (is_count and 2 <= int(bins) <= MOST_BINS)):  # type: ignore[call-overload]
        raise ValueError(
            f"`bins` is {bins!r}: it must be 'auto', a whole number from 2 to {MOST_BINS}, or None "
            "for exact splits."
        )


def bins_for(bins: str | int | None, n_rows: int) -> int | None:
    """What `bins` means for a table of so many rows: most bins of a column, or None for exact.

    Examples
    --------
    >>> bins_for("auto", 500), bins_for("auto", 100_000), bins_for(None, 100_000)
    (None, 255, None)
    """
    check_bins(bins)
    if bins == "auto":
        return MOST_BINS if n_rows > MOST_ROWS_FOR_EXACT_SPLITS else None
    return None if bins is None else int(bins)


def code_table(
    X: ArrayLike, feature_names: Sequence[str] | None = None, bins: str | int | None = "auto"
) -> CodedData:
    """Code the columns of a table to the ranks of their distinct values, or to bins of those.

    Splits on the ranks are exact, for columns of up to 65,535 distinct values. Columns of more
    distinct values than that, or than `bins`, are cut into so many bins of neighbouring values,
    with about equally many rows each, and splits fall between bins. NaN is missing.

    Parameters
    ----------
    X : array-like of shape (n_rows, n_columns)
    feature_names : sequence of str, optional
        For messages.
    bins : "auto", int or None, default="auto"
        Most bins of a column, from 2 to 255; None for exact splits. By default 255 if there are
        more than 20,000 rows, and exact otherwise.

    Examples
    --------
    >>> code_table([[0.5, 3.0], [7.0, float("nan")]]).codes()
    array([[0, 1],
           [0, 1]], dtype=uint16)
    >>> code_table([[0.5], [7.0], [8.0], [9.0]], bins=2).codes()
    array([[0, 0, 1, 1]], dtype=uint16)
    """
    columns = raw_columns(X)
    n_bins = bins_for(bins, columns.shape[1])
    infinite = np.isinf(columns)
    if infinite.any():
        column, row = np.argwhere(infinite)[0]
        name = f"{feature_names[column]!r}" if feature_names is not None else f"{column}"
        raise DataError(
            f"column {name} of X holds {columns[column, row]} (inf) in row {row}: replace infinite "
            "values by a number, or by NaN if the value is missing."
        )
    return _core.code_columns(columns) if n_bins is None else _core.code_columns(columns, n_bins)


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


def code_numbers(numbers: ArrayLike) -> NumberTarget:
    """Numbers as the target of forests: whole multiples of a unit that follows their range.

    12 digits of the range are kept for up to 500 numbers, 10 for up to 100,000 and 9 for up to a
    million, so that sums of them are exact.

    Examples
    --------
    >>> code_numbers([1.5, 2.25, 3.0]).n_rows
    3
    """
    try:
        if np.iscomplexobj(numbers):
            raise TypeError("complex numbers have no order")
        values = np.ascontiguousarray(numbers, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise DataError(f"y must hold one number for each row ({error}).") from None
    if values.ndim != 1 or values.size == 0:
        raise DataError(f"y has shape {values.shape}: it must hold one number for each row.")
    if not np.isfinite(values).all():
        row = int(np.flatnonzero(~np.isfinite(values))[0])
        raise DataError(f"y holds {values[row]} in row {row}: leave such rows out.")
    lowest, highest = values.min(), values.max()
    with np.errstate(over="ignore", under="ignore"):
        square = (highest - lowest) ** 2 * values.size
    if lowest < highest and not 1e-290 < square < np.inf:
        raise DataError(
            f"y goes from {lowest:g} to {highest:g}, and squares of such numbers are more than a "
            "computer can hold, or less: give it in another unit."
        )
    return _core.make_number_target(values)
