"""Rows that belong together: visits of one patient, parts of one batch, copies of one row.

They are never on both sides of a split, and it is groups that are independent, not rows: what a
mean or a share is off by goes by how much groups differ.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components
from scipy.stats import norm as normal
from scipy.stats import t as student

from frugalforest.errors import DataError
from frugalforest.words.missing import is_missing

__all__ = ["RowGroups", "effective_number", "read_row_groups", "se_of_mean"]


@dataclass(frozen=True, eq=False)
class RowGroups:
    """Rows that are never on both sides of a split. Made by `RowGroups.of`.

    Attributes
    ----------
    number : ndarray of int, shape (n_rows,)
        The group of each row, as 0, 1, ….
    are_copies : bool
        Whether groups are copies of one row and no more. Then it is as if each row were there once,
        and splits keep the class shares.
    """

    number: NDArray[np.intp]
    are_copies: bool = False

    @classmethod
    def of(cls, named: NDArray[Any] | None, copies: NDArray[np.intp] | None = None) -> Self | None:
        """Groups by name, together with copies of rows; None if there are neither.

        Examples
        --------
        >>> RowGroups.of(np.array(["ann", "ann", "bob", "eve"]), np.array([0, 1, 2, 1])).number
        array([0, 0, 1, 0])
        """
        if named is None:
            return None if copies is None else cls(copies, are_copies=True)
        number = np.unique(named, return_inverse=True)[1]
        if copies is not None:
            # Groups that share a copy become one: parts of a graph that copies connect.
            shape = (int(number.max()) + 1, int(copies.max()) + 1)
            links = coo_array((np.ones(len(number)), (number, copies)), shape=shape)
            number = connected_components(links @ links.T)[1][number].astype(np.intp)
        return cls(number)

    @property
    def n_groups(self) -> int:
        """Different groups."""
        return len(np.unique(self.number))

    def rows(self, index: NDArray[np.intp]) -> RowGroups:
        """Those of some of the rows."""
        return replace(self, number=np.unique(self.number[index], return_inverse=True)[1])

    def of_single(self, labels: NDArray[np.intp]) -> NDArray[np.intp]:
        """A label for each group: the rarest of its rows, so that no class is lost."""
        by_count = np.argsort(np.bincount(labels)[labels], kind="stable")
        first = np.unique(self.number[by_count], return_index=True)[1]
        return labels[by_count[first]]


def read_row_groups(row_groups: ArrayLike, n_rows: int) -> NDArray[Any]:
    """One name a row, checked.

    Examples
    --------
    >>> read_row_groups([7, 7, 8], n_rows=3).tolist()
    [7, 7, 8]
    """
    values = np.asarray(row_groups)
    if values.shape != (n_rows,):
        raise DataError(f"`row_groups` has shape {values.shape}, but the table has {n_rows} rows.")
    missing = np.array([is_missing(value) for value in values.tolist()])
    if missing.any():
        raise DataError(
            f"`row_groups` is missing in {missing.sum()} rows, first in row {missing.argmax()}: "
            "give each of them a group."
        )
    return values.astype(str) if values.dtype == object else values


def se_of_mean(values: NDArray[np.float64], groups: RowGroups | None = None) -> float:
    """Standard error of a mean over rows; with groups, by how much those differ.

    Few groups tell it badly. It is then larger by as much as Student's t is wider than the normal
    distribution, so that intervals are right that go by the latter.

    Examples
    --------
    >>> values = np.array([0.0, 1.0, 0.0, 1.0])
    >>> se_of_mean(values)
    0.25
    >>> pairs = RowGroups(np.array([0, 1, 0, 1]))
    >>> se_of_mean(values, pairs) > 0.25
    True
    """
    n_rows = len(values)
    if groups is None:
        return float(values.std() / math.sqrt(n_rows))
    n_groups = groups.n_groups
    if n_groups < 2:
        return math.nan
    of_groups = np.bincount(groups.number, values - values.mean())
    se = math.sqrt(n_groups / (n_groups - 1) * float((of_groups**2).sum())) / n_rows
    return se * float(student.ppf(0.975, n_groups - 1) / normal.ppf(0.975))


def effective_number(values: NDArray[np.float64], groups: RowGroups) -> float:
    """So many independent cases tell a share as well as these rows do.

    `values` are shares between 0 and 1, one a row. Where all are 0 or 1 it is the number of groups.

    Examples
    --------
    >>> visits = RowGroups(np.repeat(np.arange(10), 5))
    >>> round(effective_number(np.repeat([0.0, 1.0], 25), visits), 1)
    6.8
    """
    share, se = float(values.mean()), se_of_mean(values, groups)
    if not 0 < share < 1 or not se > 0:
        return float(groups.n_groups)
    return float(np.clip(share * (1 - share) / se**2, 1.0, len(values)))
