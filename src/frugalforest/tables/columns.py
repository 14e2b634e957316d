"""Columns as checks look at them: their distinct values, found once; and what is said of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from frugalforest.tables.cells import Kind, categories
from frugalforest.tables.table import Table

__all__ = ["FEW_CATEGORIES", "Column", "Notice", "NoticeKind", "columns_of"]

NoticeKind = Literal[
    "predicts_target",
    "nearly_predicts_target",
    "missing_tells_target",
    "repeated_rows",
    "copied_rows",
    "alike_rows",
    "few_rows",
    "task_found",
    "small_class",
    "similar_classes",
    "similar_categories",
    "prices_by_position",
    "groups_without_fees",
    "empty",
    "constant",
    "copies",
    "identifier",
    "names_rows",
    "word_among_numbers",
    "unknown_style",
    "missing_code",
    "large_integers",
    "day_first",
    "decimal_comma",
    "measured",
]

_LOUD = frozenset(
    {"predicts_target", "nearly_predicts_target", "missing_tells_target", "repeated_rows"}
)
# Text with at most so many different values may be codes ("1", "2", "3a"), whatever it looks like.
FEW_CATEGORIES = 20


@dataclass(frozen=True)
class Notice:
    """Something to know about a table before features are bought.

    Attributes
    ----------
    kind : str
        What it is, for programs.
    columns : tuple of str
        The columns that it is about; none if it is about the target or the rows.
    message : str
        What it is, for people.
    """

    kind: NoticeKind
    columns: tuple[str, ...]
    message: str

    @property
    def loud(self) -> bool:
        """Whether it makes every result doubtful."""
        return self.kind in _LOUD


@dataclass(frozen=True)
class Column:
    """A column as its distinct values, and which of them each cell is; -1 is missing."""

    name: str
    kind: Kind
    codes: NDArray[np.intp]
    distinct: NDArray[Any]  # numbers ascending, or texts in alphabetical order

    @property
    def present(self) -> NDArray[np.intp]:
        """The codes of the cells that are not missing."""
        return self.codes[self.codes >= 0]

    @property
    def n_missing(self) -> int:
        """Cells that are missing."""
        return len(self.codes) - len(self.present)

    @property
    def names_rows(self) -> bool:
        """Whether it is text that differs from row to row."""
        many = len(self.distinct) > max(FEW_CATEGORIES, len(self.present) / 2)
        return self.kind == "text" and many

    def notice(self, kind: NoticeKind, message: str) -> Notice:
        """A notice about it."""
        return Notice(kind, (self.name,), f"column {self.name!r} {message}")


def columns_of(table: Table) -> list[Column]:
    """The columns of a table, for checks."""
    columns = []
    for name, kind, column in zip(table.names, table.kinds, table.columns, strict=True):
        if kind == "text":
            cells = categories(column)
            columns.append(Column(name, kind, cells.codes, np.array(cells.texts, dtype=object)))
            continue
        codes = np.full(len(column), -1, dtype=np.intp)
        present = ~np.isnan(column)
        distinct, codes[present] = np.unique(column[present], return_inverse=True)
        columns.append(Column(name, kind, codes, distinct))
    return columns
