"""Which columns of a wide table backward elimination starts from.

A forest of a hundred trees on ten thousand columns leaves most of them out, and says nothing about
those. So where more than 2,000 columns could be bought, elimination starts from 1,000 of them.
There are seven lists, each with the best first, and the first of each are taken in turn:

- by permutation importance in one forest of 1,000 trees, at its price (ξ = 0, ½ and 1);
- by how well a column tells the classes apart alone, at its price (the same three ξ);
- pairs that tell the classes apart together while neither may do so alone: those pairs whose
  product of ranks, above and below the middle, differs most between the classes.

All pairs are looked at, a block of columns at a time, so memory never grows with their number. The
strongest five go on to the search among the last survivors, whatever elimination says of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain, zip_longest

import numpy as np
from numpy.typing import NDArray

from frugalforest.methods._discriminant import spread_rows
from frugalforest.methods._proposals import Mask, as_features
from frugalforest.methods.auc import AUC
from frugalforest.methods.criterion import TradeOff
from frugalforest.methods.permutation import Permutation
from frugalforest.problem import FeatureSet, Problem

__all__ = ["MOST_COLUMNS", "leading_pairs", "promising", "strongest_pairs"]

# Up to so many columns, elimination starts from all of them.
MOST_COLUMNS = 2_000
KEPT_COLUMNS = 1_000
_XIS = (0.0, 0.5, 1.0)
# Pairs that are remembered: more than are ever taken. They are chosen from so many.
_N_PAIRS = 2_000
_N_LOOKED_AT = 20_000
_MOST_PAIRS_EACH = 10
# Of the strongest, so many go to the endgame whatever elimination says of them.
_N_LEADING = 5
# Columns by columns that are looked at together: 4 MB an array.
_BLOCK = 1_000
# More products than these, pairs times rows, would take more than some ten seconds: then fewer rows
# are looked at, and of still wider tables no pairs at all.
_MOST_PRODUCTS = 1e11
_FEWEST_ROWS = 50


def promising(problem: Problem, open_: Mask) -> Mask:
    """The columns that elimination starts from: all that are open, or the best of very many.

    What is best does not depend on anything but the columns that are open.

    Examples
    --------
    >>> X = np.random.default_rng(0).normal(size=(40, 3))
    >>> promising(Problem.from_table(X, [0, 1] * 20), np.array([True, False, True]))
    array([ True, False,  True])
    """
    if int(open_.sum()) <= MOST_COLUMNS:
        return open_
    return problem.remember(
        ("promising columns", as_features(open_)), lambda: _best_of_lists(problem, open_)
    )


def leading_pairs(problem: Problem, open_: Mask) -> FeatureSet:
    """The columns of the strongest pairs of a wide table; none where all columns are looked at."""
    if int(open_.sum()) <= MOST_COLUMNS:
        return ()
    return tuple(sorted({j for pair in _pairs_among(problem, open_)[:_N_LEADING] for j in pair}))


def _pairs_among(problem: Problem, open_: Mask) -> list[tuple[int, int]]:
    """The strongest pairs of the table of which both are open."""
    pairs = problem.remember(
        "strongest pairs",
        lambda: strongest_pairs(
            problem.data.codes(),
            np.flatnonzero(~problem.prices.excluded),
            problem.outcome.strata,
            _N_PAIRS,
        ),
    )
    return [(i, j) for i, j in pairs.tolist() if open_[i] and open_[j]]


def _best_of_lists(problem: Problem, open_: Mask) -> Mask:
    columns = np.flatnonzero(open_)
    price = problem.prices.alone[columns]
    lists: list[Iterator[tuple[int, ...]]] = []
    for benefit in (Permutation().benefit(problem), AUC().benefit(problem)):
        trade = TradeOff(benefit[columns], price)
        lists += [((j,) for j in columns[trade.order(xi)].tolist()) for xi in _XIS]
    lists.append(iter(_pairs_among(problem, open_)))
    kept = np.zeros_like(open_)
    n_kept = 0
    for found in chain.from_iterable(zip_longest(*lists, fillvalue=())):
        new = [j for j in found if not kept[j]]
        if n_kept + len(new) > KEPT_COLUMNS:
            break
        kept[new] = True
        n_kept += len(new)
    return kept


def strongest_pairs(
    codes: NDArray[np.uint16],
    columns: NDArray[np.intp],
    labels: NDArray[np.intp],
    n_pairs: int,
) -> NDArray[np.intp]:
    """Pairs of columns whose product of ranks differs most between the classes, the most first.

    What counts is whether both are on the same side of their middles: the share of such rows in a
    class and outside of it, compared as two shares are. A column is in at most ten pairs, so that
    one cannot fill the list.

    Parameters
    ----------
    codes : ndarray of shape (n_columns, n_rows)
        Ranks of the values in each column.
    columns : ndarray of int
        Those that are looked at.
    labels : ndarray of int
        Classes, or layers of neighbouring numbers.
    n_pairs : int

    Returns
    -------
    ndarray of int, shape (at most n_pairs, 2)

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> codes = rng.permuted(np.tile(np.arange(100, dtype=np.uint16), (50, 1)), axis=1)
    >>> labels = (codes[7] > 50) ^ (codes[31] > 50)
    >>> strongest_pairs(codes, np.arange(50), labels.astype(int), 1)
    array([[ 7, 31]])
    """
    p = len(columns)
    n_rows = int(min(len(labels), _MOST_PRODUCTS / max(1, p**2)))
    if n_rows < _FEWEST_ROWS:
        return np.empty((0, 2), dtype=np.intp)
    rows = spread_rows(labels, n_rows)
    sides = _sides(codes[columns], rows)
    of_class = [sides[:, labels[rows] == k] for k in np.unique(labels[rows])]
    strength, pairs = np.empty(0, dtype=np.float32), np.empty((0, 2), dtype=np.intp)
    for begin in range(0, p, _BLOCK):
        for other in range(begin, p, _BLOCK):
            block = _strength(of_class, begin, other)
            least = strength.min() if len(strength) == _N_LOOKED_AT else np.float32(0)
            possible = block > least
            if np.count_nonzero(possible) > _N_LOOKED_AT:
                possible = block >= np.partition(block, -_N_LOOKED_AT, axis=None)[-_N_LOOKED_AT]
            first, second = np.nonzero(possible)
            strength = np.concatenate([strength, block[first, second]])
            pairs = np.concatenate([pairs, np.stack([first + begin, second + other], axis=1)])
            if len(strength) > _N_LOOKED_AT:
                best = np.lexsort((pairs[:, 1], pairs[:, 0], -strength))[:_N_LOOKED_AT]
                strength, pairs = strength[best], pairs[best]
    order = np.lexsort((pairs[:, 1], pairs[:, 0], -strength))
    return columns[_none_too_often(pairs[order], n_pairs)]


def _sides(codes: NDArray[np.uint16], rows: NDArray[np.intp]) -> NDArray[np.float32]:
    """Whether values are above (1), on (0) or below (−1) the middle of their columns."""
    sides = np.empty((len(codes), len(rows)), dtype=np.float32)
    for begin in range(0, len(codes), _BLOCK):
        part = codes[begin : begin + _BLOCK][:, rows]
        sides[begin : begin + _BLOCK] = np.sign(part - np.median(part, axis=1, keepdims=True))
    return sides


def _strength(of_class: list[NDArray[np.float32]], begin: int, other: int) -> NDArray[np.float32]:
    """How much the products of a block of columns with another differ between the classes.

    Each pair once: 0 where the second column does not come after the first.
    """
    n_rows = [sides.shape[1] for sides in of_class]
    # Sums of 1, 0 and −1: whole numbers, so they are exact, whoever adds them up.
    sums = [sides[begin : begin + _BLOCK] @ sides[other : other + _BLOCK].T for sides in of_class]
    total, n = np.sum(sums, axis=0), sum(n_rows)
    strength = np.zeros_like(total)
    for own, n_own in zip(sums, n_rows, strict=True):
        gap = np.abs(own / n_own - (total - own) / (n - n_own))
        np.maximum(strength, gap * np.float32(np.sqrt(n_own * (n - n_own) / n)), out=strength)
    return np.triu(strength, k=1) if begin == other else strength


def _none_too_often(pairs: NDArray[np.intp], n_pairs: int) -> NDArray[np.intp]:
    """The first pairs, without those of which a column has been in ten already."""
    count: Counter[int] = Counter()
    kept: list[tuple[int, int]] = []
    for i, j in pairs.tolist():
        if len(kept) == n_pairs:
            break
        if max(count[i], count[j]) < _MOST_PAIRS_EACH:
            kept.append((i, j))
            count.update((i, j))
    return np.array(kept, dtype=np.intp).reshape(-1, 2)
