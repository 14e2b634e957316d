"""Rows that are copies of others: the same in every column, and not by chance.

A row that a forest was trained on tells nothing of its error, and neither does a copy. Where
columns have few values, rows are alike by chance, and are cases of their own.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.tables.cells import categories
from frugalforest.tables.columns import FEW_CATEGORIES, Notice
from frugalforest.tables.outcome import Outcome
from frugalforest.tables.table import Table
from frugalforest.words.wording import counted

__all__ = ["copied_rows", "copy_checks"]

# Pairs of rows that are alike are copies if they are so many times as many as by chance. Columns
# that go together make more such pairs than chance alone.
_TIMES_CHANCE = 10.0
_MIX = 0x9E3779B97F4A7C15


def copied_rows(table: Table) -> NDArray[np.intp] | None:
    """The number of the different row that each row is; None if no row is a copy of another.

    Copies are the same in every column, missing cells included, and there are ten times as many as
    by chance if columns had nothing to do with each other. One column must have more than 20
    values: of others, nobody can tell.

    Examples
    --------
    >>> rows = [[i * 0.37 % 1, i * 0.61 % 1] for i in range(40)]
    >>> copied_rows(Table.read([*rows, rows[3], rows[5]]))[-2:].tolist()
    [3, 5]
    >>> copied_rows(Table.read(rows)), copied_rows(Table.read([[i % 2, i % 3] for i in range(40)]))
    (None, None)
    """
    found = _alike(table)
    return found.number if found.are_copies else None


def copy_checks(table: Table, outcome: Outcome, independent: bool) -> Iterator[Notice]:
    """What to know about rows that are alike.

    `independent`: whether somebody said that they are different cases all the same.
    """
    found = _alike(table)
    n_alike = table.n_rows - found.n_different
    if not n_alike:
        return
    different, place = np.unique(outcome.truth, return_inverse=True)
    kinds = len(np.unique(found.number * len(different) + place))
    conflicts = kinds - found.n_different
    but = f", {counted(conflicts, 'time')} with another {outcome.one}" if conflicts else ""
    alike = f"{counted(n_alike, 'row')} of {table.n_rows:,}"
    if not found.are_copies or independent:
        why = "as was said" if found.are_copies else "with so few values that may be chance"
        yield Notice(
            "alike_rows",
            (),
            f"{alike} {'is' if n_alike == 1 else 'are'} like an earlier one in every column{but}: "
            f"{why}, and counted as {'a case' if n_alike == 1 else 'cases'} of "
            f"{'its' if n_alike == 1 else 'their'} own.",
        )
        return
    yield Notice(
        "copied_rows",
        (),
        f"{alike} {'is a copy' if n_alike == 1 else 'are copies'} of an earlier one{but}: there "
        f"are {counted(found.n_different, 'different row')}. Copies stay on one side of every "
        "split, unless you say --rows-are-independent (rows_are_independent=True).",
    )


@dataclass(frozen=True, eq=False)
class _Alike:
    number: NDArray[np.intp]  # of the different row, in the order in which they come
    n_different: int
    are_copies: bool


def _alike(table: Table) -> _Alike:
    keys = np.zeros(table.n_rows, dtype=np.uint64)
    for j, column in enumerate(table.columns):
        keys = _mixed(keys + _bits(column) + np.uint64(j))
    _, first, inverse, counts = np.unique(
        keys, return_index=True, return_inverse=True, return_counts=True
    )
    order = np.argsort(np.argsort(first))
    n_different = len(first)
    n_pairs = float((counts * (counts - 1.0)).sum() / 2)
    are_copies = n_pairs > 0 and n_pairs > _TIMES_CHANCE * _by_chance(table, np.sort(first))
    return _Alike(order[inverse], n_different, are_copies)


def _by_chance(table: Table, different: NDArray[np.intp]) -> float:
    """Pairs of all rows that would be alike if the columns had nothing to do with each other."""
    log_share, most_values = 0.0, 0
    for column in table.rows(different).columns:
        counts = np.unique(_bits(column), return_counts=True)[1]
        n = len(different)
        # One pair more than there are, of the pairs: what has no pairs is not impossible.
        same = (counts * (counts - 1.0)).sum() / 2
        log_share += math.log((same + 1) / (n * (n - 1) / 2 + 1))
        most_values = max(most_values, len(counts))
    if most_values <= FEW_CATEGORIES:
        return math.inf
    return math.exp(log_share) * table.n_rows * (table.n_rows - 1) / 2


def _bits(column: NDArray[np.float64] | NDArray[np.object_]) -> NDArray[np.uint64]:
    """A number for each cell, the same for equal ones."""
    if column.dtype == object:
        return categories(column).codes.astype(np.uint64)
    # 0.0 and -0.0 are equal, and so is whatever is missing.
    clean = np.where(np.isnan(column), np.nan, column) + 0.0
    return np.ascontiguousarray(clean).view(np.uint64)


def _mixed(keys: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Numbers in which every bit depends on every bit (the finalizer of splitmix64)."""
    keys = keys + np.uint64(_MIX)
    keys = (keys ^ (keys >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    keys = (keys ^ (keys >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return keys ^ (keys >> np.uint64(31))
