"""Columns that give away a target of numbers: copies of it, and what follows from it alone."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from frugalforest.tables.columns import Column, Notice

__all__ = ["number_leaks"]

# Rank correlation of a column that orders the rows as the target does, or nearly. What is measured
# beside the target, such as the other of two scales, comes near it; honest predictors hardly do.
_ALIKE = 0.998
# With fewer rows, orders agree by chance.
_FEWEST_ROWS = 20


def number_leaks(column: Column, truth: NDArray[np.float64]) -> Iterator[Notice]:
    """At most one reason why a column of numbers gives the target away.

    Parameters
    ----------
    column : Column
    truth : ndarray of shape (n_rows,)
        The numbers to be predicted.
    """
    present = column.codes >= 0
    n_rows = int(present.sum())
    if column.kind == "text" or n_rows < _FEWEST_ROWS or len(column.distinct) < _FEWEST_ROWS:
        return
    if len(np.unique(truth[present])) < 2:
        return
    alike = abs(np.corrcoef(rankdata(column.codes[present]), rankdata(truth[present]))[0, 1])
    if alike < _ALIKE:
        return
    nearly = "" if alike > 1 - 1e-12 else f"nearly (rank correlation {alike:.4f}) "
    rows = f"{n_rows} rows that have it" if column.n_missing else f"all {n_rows} rows"
    yield column.notice(
        "nearly_predicts_target",
        f"alone puts the rows {nearly}in the order of the target, in {rows}. Is it a copy or a "
        "consequence of the target? Then it will not be known for new cases: leave it out.",
    )
