"""Rows that look like several measurements of one person.

Where visits of one person stand below each other, what does not change from visit to visit (age,
sex, treatment) stays the same in blocks of rows. Two columns that have nothing else to do with each
other, and that change in the same rows only, give such blocks away.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frugalforest.tables.columns import Column, Notice
from frugalforest.words.wording import counted, listed

__all__ = ["repeat_checks"]

# A column that tells persons apart has so many blocks, and so many rows in one on average.
_FEWEST_BLOCKS = 8
_FEWEST_VALUES = 8
_ROWS_OF_A_BLOCK = 1.5
# Within blocks, another column of a person is the same as in the row before this often, and where
# blocks change it is not: at least so far from always as between any two rows, as a share.
_SAME_WITHIN = 0.97
_CHANGES = 0.5
# Rows within blocks in which the other column would have changed by chance.
_FEWEST_CHANGES = 8.0


def repeat_checks(columns: list[Column]) -> Iterator[Notice]:
    """At most one notice: that rows look like measurements of fewer persons than there are rows.

    Parameters
    ----------
    columns : list of Column
        Of all rows, in the order of the table.
    """
    best: tuple[int, list[str]] | None = None
    others = {c.name: _Steps(c) for c in columns if len(c.distinct) > 1}
    for column in columns:
        if len(column.distinct) < _FEWEST_VALUES:
            continue
        steps = others[column.name]
        if not steps.has_blocks:
            continue
        fixed = [n for n, other in others.items() if n != column.name and steps.goes_with(other)]
        if fixed and (best is None or len(fixed) >= len(best[1])):
            best = steps.n_blocks, [column.name, *fixed]
    if best is not None:
        n_blocks, names = best
        yield Notice(
            "repeated_rows",
            (),
            f"these rows look like {counted(n_blocks, 'person')} measured several times: "
            f"{listed(names, 4)} stay the same over blocks of rows. Then no error given here holds "
            "for new persons: name the column that tells them apart (--row-groups, row_groups=…), "
            "or say --rows-are-independent (rows_are_independent=True).",
        )


class _Steps:
    """A column from row to row: where it is the same as in the row before."""

    def __init__(self, column: Column) -> None:
        self.codes = column.codes
        self.same: NDArray[np.bool_] = column.codes[1:] == column.codes[:-1]
        counts = np.bincount(column.codes + 1)
        # Between any two rows.
        self.usual = float(((counts / counts.sum()) ** 2).sum())
        self.is_text = column.kind == "text"

    @property
    def n_blocks(self) -> int:
        """Runs of rows in which it stays the same."""
        return 1 + int((~self.same).sum())

    @property
    def has_blocks(self) -> bool:
        """Whether it stays the same for some rows and is not sorted, as a sorted column would."""
        if self.n_blocks < _FEWEST_BLOCKS or self.n_blocks * _ROWS_OF_A_BLOCK > len(self.codes):
            return False
        steps = np.diff(self.codes)
        is_sorted = not self.is_text and ((steps >= 0).all() or (steps <= 0).all())
        # By chance, neighbors would be as often the same as any two rows.
        return not is_sorted and self.same.mean() > 2 * self.usual

    def goes_with(self, other: _Steps) -> bool:
        """Whether another column changes where this one does, and does not follow from it."""
        within, between = other.same[self.same], other.same[~self.same]
        would_change = len(within) * (1 - other.usual)
        if would_change < _FEWEST_CHANGES or within.mean() < _SAME_WITHIN:
            return False
        if between.mean() > other.usual + _CHANGES * (1 - other.usual):
            return False
        return not self._decides(other)

    def _decides(self, other: _Steps) -> bool:
        """Whether equal values of this column, in blocks apart, have equal values of the other.

        As a state has one capital, wherever it comes. If values do not come again, nobody can tell;
        a copy, or a coarser form of this column, is then taken for such a one.
        """
        starts = np.flatnonzero(np.append(True, ~self.same))
        own, theirs = self.codes[starts], other.codes[starts]
        n_pairs = len(np.unique(own * (other.codes.max() + 2) + theirs + 1))
        n_own, n_theirs = len(np.unique(own)), len(np.unique(theirs))
        if n_own < len(starts):
            return n_pairs == n_own
        # One block a value: what has as many values, or goes up and down with it, is a copy.
        return n_theirs == n_own
