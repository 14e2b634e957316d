"""A table of rows, written as CSV."""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.finished import Cell, Results
from frugalforest.words.formats import spreadsheet_text

__all__ = ["Row", "RowTable", "Value", "corrected_interval"]

Value = str | int | float | None
Row = tuple[Value, ...]


@dataclass(frozen=True)
class RowTable:
    """A table to be written: its columns' names, and its rows.

    Examples
    --------
    >>> print(RowTable(("n", "mean", "se"), [(1, 0.25, float("nan"))]).to_csv(), end="")
    n,mean,se
    1,0.25,
    """

    columns: tuple[str, ...]
    rows: list[Row]

    def to_csv(self) -> str:
        """The table as CSV; numbers with nine digits, what is undefined empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_field(value) for value in row] for row in self.rows)
        return text.getvalue()


def _field(value: Value) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else spreadsheet_text(str(value))


def corrected_interval(
    results: Results, cell: Cell, values: NDArray[np.float64]
) -> tuple[Value, Value, Value]:
    """Standard error and interval that allow for the rows that splits share; empty without any."""
    ratio = results.overlap_ratio(cell)
    if not ratio:
        return None, None, None
    estimate = estimate_mean(values, ratio)
    return estimate.se, estimate.low, estimate.high
