"""Encoder: text columns become numbers.

A text column is one feature with one price, so it must stay one column. Its categories are put in
the order that the outcome gives them (by their class shares in the training rows): a forest then
finds the best split of the categories into two by cutting that order (exactly so for two classes).
The order is learned, so it belongs inside every resample. A category not seen in training is
missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.storage.memory import check_fits
from frugalforest.tables.cells import categories
from frugalforest.tables.outcome import Outcome
from frugalforest.tables.table import Table

__all__ = ["Encoder"]

# A number, and the engine's code of it.
_BYTES_OF_NUMBER = 8 + 2
# Of a class in a text's rows: its count, its share, that centred, and its part in the directions.
_BYTES_OF_SHARE = 4 * 8


@dataclass(frozen=True)
class Encoder:
    """The order of the categories of each text column, learned from training rows.

    Attributes
    ----------
    orders : mapping of str to mapping of str to int
        For each text column, the place of each category.

    Examples
    --------
    >>> table = Table.read([["red"], ["blue"], ["red"], [None]], ["colour"])
    >>> encoder = Encoder.fit(table, Outcome.read([1, 0, 1, 0]))
    >>> encoder.transform(table).ravel()
    array([ 1.,  0.,  1., nan])
    """

    orders: Mapping[str, Mapping[str, int]]

    @classmethod
    def fit(cls, table: Table, outcome: Outcome) -> Self:
        """Learn the orders."""
        orders = {}
        for name, column, kind in zip(table.names, table.columns, table.kinds, strict=True):
            if kind != "text":
                continue
            found = categories(column)
            check_fits(
                f"column {name!r} with {len(found.texts):,} different texts, for "
                f"{outcome.in_words},",
                _BYTES_OF_SHARE * len(found.texts) * outcome.width,
                "Merge rare texts or rare classes, or leave the column out.",
            )
            positions = outcome.category_positions(found.codes, len(found.texts))
            # Stable: equal positions stay in alphabetical order.
            rank = np.argsort(positions, kind="stable")
            orders[name] = {found.texts[c]: i for i, c in enumerate(rank.tolist())}
        return cls(orders)

    def transform(self, table: Table) -> NDArray[np.float64]:
        """The table as numbers.

        Raises
        ------
        DataError
            If a column is text here and was not in training, or the other way round. The training
            table's schema reads tables so that this cannot be.
        """
        n_rows, n_columns = table.n_rows, len(table.names)
        check_fits(
            f"a table of {n_rows:,} rows and {n_columns:,} columns, as numbers for forests,",
            _BYTES_OF_NUMBER * n_rows * n_columns,
            "Take some of its rows or columns, or work on fewer resamples at the same time (jobs).",
        )
        X = np.empty((n_rows, n_columns), order="F")
        for j, (name, column) in enumerate(zip(table.names, table.columns, strict=True)):
            order = self.orders.get(name)
            if (order is None) != (table.kinds[j] != "text"):
                here, there = ("text", "numbers") if order is None else ("numbers", "text")
                raise DataError(
                    f"column {name!r} holds {here}, but held {there} in the training data: read "
                    "the table with the training table's `schema`."
                )
            if order is None:
                X[:, j] = column
            else:
                found = categories(column)
                X[:, j] = found.spread_numbers([order.get(text, np.nan) for text in found.texts])
        return X

    def unseen(self, table: Table) -> dict[str, list[str]]:
        """Categories of each text column that were not there in training."""
        found = {}
        for name, column in zip(table.names, table.columns, strict=True):
            if name in self.orders:
                texts = {text for text in column.tolist() if text is not None}
                if new := sorted(texts - set(self.orders[name])):
                    found[name] = new
        return found

    def select(self, names: Sequence[str]) -> Encoder:
        """The orders of some of the columns."""
        return Encoder({name: self.orders[name] for name in names if name in self.orders})
