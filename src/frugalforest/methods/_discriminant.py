"""The linear surrogate of a table: a shrunken linear discriminant, and D² of its feature sets.

The measure of a set S is ``D²(S) = Σ_d m_d(S)ᵀ R(S)⁻¹ m_d(S)``. R is the correlation within the
classes, of normal scores of the ranks, shrunken towards 0 by as much as it is uncertain (Schäfer
and Strimmer 2005). The m_d are the directions in which the class means differ, K − 1 of them for K
classes. For two classes D² is Mahalanobis' distance of the means, squared, times the product of the
shares of the classes. For numbers there is one direction, the correlations with their normal
scores, R is the correlation of all rows, and D² is the R² of a linear rule.

D² of every single addition is a closed form: no matrix is inverted for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from scipy.stats import rankdata

from frugalforest.problem import Problem
from frugalforest.tables import Classes

__all__ = [
    "Discriminant",
    "GrowingSet",
    "discriminant",
    "normal_scores",
    "shrunken_correlation",
    "spread_rows",
]

# A correlation matrix of more columns is not made (2,000 × 2,000 numbers are 32 MB).
MOST_COLUMNS = 2_000
# Of a wider table, so many columns are modelled.
SCREENED_COLUMNS = 1_000
# More rows than these do not make the surrogate better, only larger.
MOST_ROWS = 20_000
# Shrinkage is at least this: copies of a column would make the matrix singular.
_LEAST_SHRINKAGE = 1e-3
# Features by which partners are found when columns are screened.
_N_ANCHORS = 200
# Share of a partner's scatter that must be its own.
_LEAST_OWN_SHARE = 0.01
# Numbers in one piece of work: 16 MB.
_CHUNK = 2_000_000


@dataclass(frozen=True, eq=False)
class Discriminant:
    """The linear surrogate of one table. Columns are counted among the modelled ones.

    Attributes
    ----------
    columns : ndarray of int, shape (m,)
        The columns of the table that are modelled, ascending.
    directions : ndarray of shape (m, K − 1)
        Differences of the class means in units of the scatter within the classes.
    correlation : ndarray of shape (m, m)
        Within the classes, shrunken.
    shrinkage : float
        0: as measured, 1: all correlations are 0.
    """

    columns: NDArray[np.intp]
    directions: NDArray[np.float64]
    correlation: NDArray[np.float64]
    shrinkage: float

    def shrunken_less(self, part: float) -> Discriminant:
        """The same with a part of the shrinkage: for sets of a few columns.

        What keeps a matrix of hundreds of columns in order hides pairs of columns that hardly
        differ: shrunken by 0.12, a correlation of 0.98 is one of 0.86.
        """
        shrinkage = max(_LEAST_SHRINKAGE, part * self.shrinkage)
        if shrinkage >= self.shrinkage or self.shrinkage == 1.0:
            return self
        correlation = self.correlation * ((1.0 - shrinkage) / (1.0 - self.shrinkage))
        np.fill_diagonal(correlation, 1.0)
        return replace(self, correlation=correlation, shrinkage=shrinkage)

    def value(self, members: Sequence[int]) -> float:
        """D² of one set."""
        index = list(members)
        m = self.directions[index]
        return float((m * np.linalg.solve(self.correlation[np.ix_(index, index)], m)).sum())

    def additions(self, sets: NDArray[np.intp]) -> NDArray[np.float64]:
        """D² of each set with each single column added; of the set itself for its own columns.

        Parameters
        ----------
        sets : ndarray of shape (n_sets, size)
        """
        n_sets, size = sets.shape
        n_columns = len(self.columns)
        if size == 0:
            return np.tile((self.directions**2).sum(axis=1), (n_sets, 1))
        result = np.empty((n_sets, n_columns))
        step = max(1, _CHUNK // (size * n_columns))
        for begin in range(0, n_sets, step):
            part = sets[begin : begin + step]
            root = np.linalg.cholesky(self.correlation[part[:, :, None], part[:, None, :]])
            # In coordinates in which the set's columns are uncorrelated: what each column of the
            # table shares with them, and what the set explains of the directions.
            shared = np.linalg.solve(root, self.correlation[part])
            explained = np.linalg.solve(root, self.directions[part])
            left = self.directions - shared.transpose(0, 2, 1) @ explained
            alone = 1.0 - np.einsum("wkm,wkm->wm", shared, shared)
            # A set's own columns leave 0 / 0; as numbers, rounding over rounding.
            np.put_along_axis(alone, part, np.inf, axis=1)
            gain = np.einsum("wmd,wmd->wm", left, left) / alone
            result[begin : begin + step] = (explained**2).sum(axis=(1, 2))[:, None] + gain
        return result


class GrowingSet:
    """A set that grows: D² of all single additions, each step in time of size × columns."""

    def __init__(self, model: Discriminant) -> None:
        self._model = model
        self._size = 0
        self._rows = np.empty((16, len(model.columns)))
        self._alone = np.ones(len(model.columns))
        self._left = model.directions.copy()

    def gains(self) -> NDArray[np.float64]:
        """What each column would add to D²; of those in the set, it means nothing."""
        gains: NDArray[np.float64] = np.einsum("md,md->m", self._left, self._left)
        return gains / np.maximum(self._alone, _LEAST_SHRINKAGE)

    def add(self, j: int) -> None:
        shared = self._rows[: self._size]
        row = self._model.correlation[j] - shared[:, j] @ shared
        row /= np.sqrt(self._alone[j])
        explained = self._left[j] / np.sqrt(self._alone[j])
        if self._size == len(self._rows):
            self._rows = np.vstack([self._rows, np.empty_like(self._rows)])
        self._rows[self._size] = row
        self._size += 1
        self._alone -= row**2
        self._left -= np.outer(row, explained)


def discriminant(
    problem: Problem, *, most_columns: int = MOST_COLUMNS, most_rows: int = MOST_ROWS
) -> Discriminant:
    """The surrogate of a problem, made once.

    Columns whose scores do not vary and excluded ones are not modelled. Of more than
    `most_columns` columns, that many are, or 1,000 if that is less: half by D² of their own, those
    in from the start before all others; then partners, columns that add most to the D² of one of
    the 200 best. Two columns of which neither is among the best by itself can be missed. Of more
    than `most_rows` rows, about that many are used, evenly spread over each class.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat([0, 1], 100)
    >>> noise = rng.normal(size=200)
    >>> X = np.stack([y + noise, noise, rng.normal(size=200)], axis=1)
    >>> model = discriminant(Problem.from_table(X, y))
    >>> model.value([1]) < 0.1 * model.value([0]) < 0.1 * model.value([0, 1])
    True
    """
    return problem.remember(
        ("linear discriminant", most_columns, most_rows),
        lambda: _fit(problem, most_columns, most_rows),
    )


def _fit(problem: Problem, most_columns: int, most_rows: int) -> Discriminant:
    outcome = problem.outcome
    rows = spread_rows(outcome.strata, most_rows)
    open_ = np.flatnonzero(~problem.prices.excluded)
    scores = normal_scores(problem.data.codes()[open_], problem.data.n_codes[open_])[:, rows]
    if isinstance(outcome, Classes):
        directions, residuals, usable = _standardised(
            scores, outcome.labels[rows], outcome.n_classes
        )
    else:
        directions, residuals, usable = _correlated(scores, outcome.truth[rows])
    columns = open_[usable]
    if len(columns) > most_columns:
        first = problem.prices.required[columns] | problem.prices.free[columns]
        n_kept = min(most_columns, SCREENED_COLUMNS)
        chosen = _screened(directions, residuals, first, n_kept)
        columns, directions, residuals = columns[chosen], directions[chosen], residuals[chosen]
    correlation, shrinkage = shrunken_correlation(residuals)
    return Discriminant(columns, directions, correlation, shrinkage)


def normal_scores(codes: NDArray[np.uint16], n_codes: NDArray[np.uint32]) -> NDArray[np.float64]:
    """Normal scores of the ranks of each row of `codes`; a missing value gets the median score.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        Ranks of the values; the code of a missing value is the number of codes.

    Examples
    --------
    >>> normal_scores(np.array([[0, 1, 2, 3]], np.uint16), np.array([3], np.uint32)).round(2)
    array([[-0.97,  0.  ,  0.97,  0.  ]])
    """
    scores = np.empty(codes.shape)
    width = int(n_codes.max(initial=0)) + 1
    block = max(1, _CHUNK // max(width, codes.shape[1]))
    for begin in range(0, len(codes), block):
        here = slice(begin, begin + block)
        scores[here] = _normal_scores(codes[here], n_codes[here], width)
    return scores


def _normal_scores(
    codes: NDArray[np.uint16], n_codes: NDArray[np.uint32], width: int
) -> NDArray[np.float64]:
    """Of some columns together; they have fewer than `width` codes each."""
    n = len(codes)
    cell = np.arange(n)[:, None] * width + codes
    known = np.bincount(cell.ravel(), minlength=n * width).reshape(n, width)
    known[np.arange(width) >= n_codes[:, None]] = 0
    total = known.sum(axis=1)
    # Ties share the middle of their ranks.
    of_code = ndtri((np.cumsum(known, axis=1) - known / 2) / np.maximum(1, total)[:, None])
    for j in np.flatnonzero(total < codes.shape[1]).tolist():
        values = np.repeat(of_code[j], known[j])
        of_code[j, n_codes[j]] = np.median(values) if len(values) else 0.0
    return np.take_along_axis(of_code, codes.astype(np.intp), axis=1)


def spread_rows(labels: NDArray[np.intp], most: int) -> NDArray[np.intp]:
    """All rows, or so many of each class, evenly spread, that about `most` are left.

    Examples
    --------
    >>> spread_rows(np.array([0, 0, 0, 0, 1, 1]), most=3)
    array([0, 3, 4])
    """
    if len(labels) <= most:
        return np.arange(len(labels))
    parts = []
    for k in range(int(labels.max()) + 1):
        of_class = np.flatnonzero(labels == k)
        n_kept = max(1, round(most * len(of_class) / len(labels)))
        parts.append(of_class[np.linspace(0, len(of_class) - 1, n_kept).astype(np.intp)])
    return np.concatenate(parts)


def _standardised(
    scores: NDArray[np.float64], labels: NDArray[np.intp], n_classes: int
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """Directions, and residuals within the classes in units of their scatter, of usable columns."""
    n_rows = len(labels)
    member = labels == np.arange(n_classes)[:, None]
    share = member.mean(axis=1)
    means = scores @ member.T / member.sum(axis=1)
    grand = scores.mean(axis=1, keepdims=True)
    residuals = scores - means[:, labels]
    total = ((scores - grand) ** 2).mean(axis=1)
    usable = total > 1e-12
    # A column that separates the classes has no scatter: as if one row did not agree.
    within = np.maximum((residuals**2).mean(axis=1), total / n_rows)[usable]
    scale = np.sqrt(within)[:, None]
    weighted = (means - grand)[usable] / scale * np.sqrt(share)
    # The weighted means add up to 0 along √share: without that axis, one direction fewer.
    basis = np.linalg.qr(np.column_stack([np.sqrt(share), np.eye(n_classes)[:, 1:]]))[0][:, 1:]
    return weighted @ basis, residuals[usable] / scale, usable


def _correlated(
    scores: NDArray[np.float64], truth: NDArray[np.float64]
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.bool_]]:
    """The same for numbers: correlations with their normal scores, and scores in units of theirs.

    D² of a set is then R² of a linear rule, with correlations between columns shrunken.
    """
    ranks = (rankdata(truth) - 0.5) / len(truth)
    own = ndtri(ranks)
    own = (own - own.mean()) / own.std()
    centred = scores - scores.mean(axis=1, keepdims=True)
    spread = (centred**2).mean(axis=1)
    usable = spread > 1e-12
    residuals = centred[usable] / np.sqrt(spread[usable])[:, None]
    return (residuals @ own / len(own))[:, np.newaxis], residuals, usable


def shrunken_correlation(residuals: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """Correlations of the rows of `residuals`, shrunken towards 0, and by how much.

    Shrinkage is the sum of the estimated variances of the correlations, divided by the sum of their
    squares (Schäfer and Strimmer 2005).

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> shrunken_correlation(rng.normal(size=(20, 50)))[1] > 0.8
    True
    """
    n_columns, n_rows = residuals.shape
    raw = residuals @ residuals.T / n_rows
    off = ~np.eye(n_columns, dtype=bool)
    squared = (raw[off] ** 2).sum()
    if squared == 0:
        return np.eye(n_columns), 1.0
    fourth = (residuals**2) @ (residuals**2).T / n_rows
    variance = (fourth[off].sum() - squared) * n_rows**2 / (n_rows - 1) ** 3
    shrinkage = float(np.clip(variance / squared, _LEAST_SHRINKAGE, 1.0))
    raw *= 1.0 - shrinkage
    np.fill_diagonal(raw, 1.0)
    return raw, shrinkage


def _screened(
    directions: NDArray[np.float64],
    residuals: NDArray[np.float64],
    first: NDArray[np.bool_],
    n_kept: int,
) -> NDArray[np.intp]:
    """Places of the columns that are modelled: see `discriminant`."""
    alone = (directions**2).sum(axis=1)
    order = np.lexsort((-alone, ~first))
    kept = np.zeros(len(alone), dtype=bool)
    kept[order[: max(n_kept // 2, min(n_kept, int(first.sum())))]] = True
    anchors = np.argsort(-alone, kind="stable")[:_N_ANCHORS]
    best = np.zeros(len(alone))
    for a in anchors.tolist():
        r = residuals @ residuals[a] / residuals.shape[1]
        gain = ((directions - r[:, None] * directions[a]) ** 2).sum(axis=1)
        # A near copy is no partner, however little it differs.
        gain /= np.maximum(1.0 - r**2, _LEAST_OWN_SHARE)
        np.maximum(best, gain, out=best)
    best[kept] = -1.0
    kept[np.argsort(-best, kind="stable")[: n_kept - int(kept.sum())]] = True
    return np.flatnonzero(kept)
