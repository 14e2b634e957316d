"""Bins of values, in the plainest way: the rule, row by row.

A forest on a binned table is the forest on the table of bin numbers, with thresholds moved back to
where they lie between values.
"""

from __future__ import annotations

from math import ceil

import numpy as np


def bin_column(values: np.ndarray, n_bins: int) -> np.ndarray:
    """The number of each value's bin, NaN for a missing one.

    Values keep bins of their own if there are enough of those. If not, each bin in turn takes its
    share of the rows that are left, and all rows that have the last one's value.
    """
    present = np.sort(values[~np.isnan(values)]).tolist()
    if len(set(present)) <= n_bins:
        bins = [[value] for value in sorted(set(present))]
    else:
        bins = []
        while present:
            share = ceil(len(present) / (n_bins - len(bins)))
            taken = [v for v in present if v <= present[share - 1]]
            bins.append(taken)
            present = present[len(taken) :]
    number = {value: float(i) for i, members in enumerate(bins) for value in members}
    return np.array([np.nan if np.isnan(v) else number[v] for v in values.tolist()])


def bin_table(X: np.ndarray, n_bins: int) -> np.ndarray:
    """The table of bin numbers."""
    X = np.asarray(X, dtype=float)
    return np.column_stack([bin_column(column, n_bins) for column in X.T])
