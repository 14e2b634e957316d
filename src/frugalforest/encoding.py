"""Columns of numbers or text, and how text becomes numbers.

A text column is one feature with one price, so it must stay one column. Its categories are put in
the order of their class shares in the training rows: a forest then finds the best split of the
categories into two by cutting that order (exactly so for two classes). The order is learned, so it
belongs inside every resample. A category not seen in training is missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError

__all__ = ["Encoder", "Table", "is_missing"]


@dataclass(frozen=True)
class Table:
    """Columns by name: float64 arrays, or object arrays of text with None for missing."""

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]

    @classmethod
    def read(cls, X: Any, feature_names: Sequence[str] | None = None) -> Self:
        """A table from an array or a data frame.

        Examples
        --------
        >>> Table.read([[1, 2], [3, 4]]).names
        ('x0', 'x1')
        """
        if hasattr(X, "columns"):
            names = [str(name) for name in X.columns]
            columns = [
                _column(name, np.asarray(X[key]))
                for name, key in zip(names, X.columns, strict=True)
            ]
        else:
            array = np.asarray(X)
            if array.ndim != 2:
                raise DataError(
                    f"X has shape {array.shape}: it must be a table of rows and columns."
                )
            names = list(feature_names or (f"x{j}" for j in range(array.shape[1])))
            columns = [_column(name, array[:, j]) for j, name in enumerate(names)]
        if not columns or len(columns[0]) == 0:
            raise DataError("the table is empty: it needs at least one row and one feature column.")
        if len(set(names)) < len(names):
            twice = next(name for name in names if names.count(name) > 1)
            raise DataError(f"two columns are called {twice!r}: rename one of them.")
        return cls(tuple(names), tuple(columns))

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.columns[0])

    def rows(self, index: NDArray[np.intp]) -> Table:
        """Some of the rows."""
        return Table(self.names, tuple(column[index] for column in self.columns))

    def select(self, names: Sequence[str]) -> Table:
        """Some of the columns."""
        place = {name: j for j, name in enumerate(self.names)}
        return Table(tuple(names), tuple(self.columns[place[name]] for name in names))


def is_missing(value: Any) -> bool:
    """Whether a cell is empty: None, NaN, or a frame library's own mark.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing("")
    (True, True, False)
    """
    try:
        return value is None or bool(value != value)
    except TypeError:  # the truth of pandas.NA is not defined
        return True


def _column(name: str, values: NDArray[Any]) -> NDArray[Any]:
    if values.dtype.kind in "mM":  # dates and durations are ordered: seconds, not categories
        since = values - np.datetime64(0, "s") if values.dtype.kind == "M" else values
        numbers = since / np.timedelta64(1, "s")
    elif values.dtype.kind in "biuf":
        numbers = values.astype(np.float64)
    else:
        texts = np.array([_text_or_none(value) for value in values.tolist()], dtype=object)
        try:
            numbers = np.array([np.nan if text is None else _number(text) for text in texts])
        except ValueError:
            return texts
    if np.isinf(numbers).any():
        raise DataError(
            f"column {name!r} holds an infinite value (inf) in row "
            f"{np.isinf(numbers).argmax()}: replace it by a number, or leave it empty if it is "
            "missing."
        )
    return numbers


def _number(text: str) -> float:
    if "_" in text:  # 1_0 is ten in Python, but a name in a table
        raise ValueError
    return float(text)


def _text_or_none(value: Any) -> str | None:
    if is_missing(value) or str(value).strip() in ("", "NA", "NaN", "nan", "<NA>"):
        return None
    if isinstance(value, bool):  # as in a column of truth values without missing ones
        return str(int(value))
    return _plain(value).strip()


@dataclass(frozen=True)
class Encoder:
    """The order of the categories of each text column, learned from training rows.

    Examples
    --------
    >>> table = Table(("colour",), (np.array(["red", "blue", "red", None], dtype=object),))
    >>> encoder = Encoder.fit(table, np.array([1, 0, 1, 0]), n_classes=2)
    >>> encoder.transform(table).ravel()
    array([ 1.,  0.,  1., nan])
    """

    orders: Mapping[str, Mapping[str, int]]

    @classmethod
    def fit(cls, table: Table, labels: NDArray[np.intp], n_classes: int) -> Self:
        """Learn the orders."""
        orders = {}
        for name, column in zip(table.names, table.columns, strict=True):
            if column.dtype != object:
                continue
            present = np.array([value is not None for value in column])
            texts = column[present].astype(str)
            categories, place = np.unique(texts, return_inverse=True)
            counts = np.zeros((len(categories), n_classes))
            np.add.at(counts, (place, labels[present]), 1)
            rank = np.argsort(_position(counts), kind="stable")
            orders[name] = {str(categories[c]): i for i, c in enumerate(rank.tolist())}
        return cls(orders)

    def transform(self, table: Table) -> NDArray[np.float64]:
        """The table as numbers."""
        columns = []
        for name, column in zip(table.names, table.columns, strict=True):
            if name not in self.orders:
                if column.dtype == object:
                    text = next(value for value in column if _is_text(value))
                    raise DataError(
                        f"column {name!r} holds text ({text!r}), but held numbers in the training "
                        "data: give numbers."
                    )
                columns.append(column)
                continue
            order = self.orders[name]
            places = [order.get(_plain(value), np.nan) for value in column.tolist()]
            columns.append(np.array(places, dtype=np.float64))
        return np.column_stack(columns) if columns else np.empty((table.n_rows, 0))

    def select(self, names: Sequence[str]) -> Encoder:
        """The orders of some of the columns."""
        return Encoder({name: self.orders[name] for name in names if name in self.orders})


def _plain(value: Any) -> str:
    # The same category however it is read: 1.0 among numbers is "1" among texts.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value)


def _is_text(value: Any) -> bool:
    try:
        float(value)
    except (TypeError, ValueError):
        return value is not None
    return False


def _position(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """A number for each category, by its class shares.

    For two classes the share of the second. For more, the first principal component of the shares
    (Coppersmith, Hong and Hosking 1999), signed so that the last class points up.
    """
    n = counts.sum(axis=1, keepdims=True)
    shares = counts / n
    if counts.shape[1] == 2 or len(counts) == 0:
        return np.asarray(shares[:, 1])
    centred = (shares - counts.sum(axis=0) / counts.sum()) * np.sqrt(n)
    direction = np.linalg.svd(centred, full_matrices=False)[2][0]
    direction = direction * (1 if direction[-1] >= 0 else -1)
    return np.asarray((shares @ direction).round(12))
