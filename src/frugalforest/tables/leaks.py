"""Columns that give the target away: by their values, or by where they are filled in.

One column that alone predicts the target without error, or nearly so, is more often a copy or a
consequence of the target than a discovery. So is one that is filled in for one class only. Each
check allows for chance: for few rows, for many values, and for many columns that are looked at.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from frugalforest.tables.columns import FEW_CATEGORIES, Column, Notice
from frugalforest.tables.outcome import Classes

__all__ = ["leaks"]

# Chance that some column of a table of noise is taken for one that predicts the target.
_CHANCE = 1e-3
# Error that is nearly none, as a mean over classes, and as a share of the errors of guessing. A
# copy of the target with a few wrong cells has few values. A measurement has many; good ones come
# near the lower bounds, which bench_checks.py counts (the petals of iris have 6 % of those errors).
_NEARLY_NONE = (0.05, 0.1)
_NEARLY_NONE_OF_A_MEASUREMENT = (0.02, 0.04)
# Numbers are looked at in so many ranges at most, of so many rows at least.
_MOST_RANGES = 100
_ROWS_OF_A_RANGE = 5
# More ways to be wrong than this are not looked at: classes² × values.
_MOST_CELLS = 10**7
# Cells of other classes than the one that a column is filled in for, as a share.
_FEW_EXCEPTIONS = 0.02
_FEWEST_FILLED = 5


def leaks(column: Column, outcome: Classes, n_columns: int) -> Iterator[Notice]:
    """At most one reason why a column gives the target away.

    Parameters
    ----------
    column : Column
    outcome : Classes
    n_columns : int
        Columns that are looked at in all.
    """
    allowed = math.log(_CHANCE / n_columns)
    present = column.codes >= 0
    labels = outcome.labels[present]
    found = (
        _without_error(column, labels, outcome, allowed)
        or _nearly(column, _ranges(column.present, len(column.distinct)), labels, outcome, allowed)
        or _by_gaps(column, present, outcome, allowed)
    )
    if found is not None:
        yield found


def _without_error(
    column: Column, labels: NDArray[np.intp], outcome: Classes, allowed: float
) -> Notice | None:
    """Whether each value, or each range of numbers, has rows of one class only.

    What chance would do: of all ways to deal the labels out to the rows, at most
    K^(distinct values) leave each value with one class, and K! leave each class with one range.
    """
    counts = np.bincount(labels, minlength=outcome.n_classes)
    n_classes = int((counts > 0).sum())
    if n_classes < max(2, (outcome.counts > 0).sum()):
        return None
    class_of = np.zeros(len(column.distinct), dtype=np.intp)
    class_of[column.present] = labels
    if (class_of[column.present] != labels).any():
        return None
    log_ways = len(class_of) * math.log(n_classes)
    if column.kind != "text" and np.count_nonzero(np.diff(class_of)) == n_classes - 1:
        log_ways = min(log_ways, math.lgamma(n_classes + 1))
    log_deals = math.lgamma(len(labels) + 1) - sum(math.lgamma(c + 1) for c in counts.tolist())
    if log_ways - log_deals > allowed:
        return None
    rows = f"all {len(labels)} rows" + (" that have it" if column.n_missing else "")
    return column.notice(
        "predicts_target",
        f"alone predicts the target without error, in {rows}. Is it a copy or a consequence of the "
        "target? Then it will not be known for new cases: leave it out.",
    )


def _nearly(
    column: Column,
    codes: NDArray[np.intp],
    labels: NDArray[np.intp],
    outcome: Classes,
    allowed: float,
) -> Notice | None:
    """Whether the other rows with a row's value nearly always tell its class."""
    is_measurement = column.kind != "text" and len(column.distinct) > FEW_CATEGORIES
    nearly_none = _NEARLY_NONE_OF_A_MEASUREMENT if is_measurement else _NEARLY_NONE
    n_wrong = _n_wrong(codes, labels, outcome, nearly_none, allowed)
    if n_wrong is None:
        return None
    rows = f"{len(labels)} rows" + (" that have it" if column.n_missing else "")
    return column.notice(
        "nearly_predicts_target",
        f"alone predicts the target in all but {n_wrong} of {rows}. Is it a copy or a consequence "
        "of the target? Then it will not be known for new cases: leave it out.",
    )


def _by_gaps(
    column: Column, present: NDArray[np.bool_], outcome: Classes, allowed: float
) -> Notice | None:
    """Whether it is where cells are filled in that tells the classes, whatever they hold."""
    if present.all() or not present.any():
        return None
    n_wrong = _n_wrong(present.astype(np.intp), outcome.labels, outcome, _NEARLY_NONE, allowed)
    if n_wrong is not None:
        rows = f"all {outcome.n_rows}" if n_wrong == 0 else f"all but {n_wrong} of {outcome.n_rows}"
        return column.notice(
            "missing_tells_target",
            f"tells the target by being filled in or empty, in {rows} rows, whatever it holds. Is "
            "it filled in once the target is known? Then it will not be for new cases: leave it "
            "out.",
        )
    counts = np.bincount(outcome.labels[present], minlength=outcome.n_classes)
    n_filled, most = int(counts.sum()), int(counts.argmax())
    share, usual = counts[most] / n_filled, outcome.counts[most] / outcome.n_rows
    few = min(_FEW_EXCEPTIONS, _NEARLY_NONE[1] * (1 - usual))
    if n_filled < _FEWEST_FILLED or usual == 1 or 1 - share > few:
        return None
    # Chernoff's bound; each class could have been the one.
    log_chance = -n_filled * _divergence(share, usual) + math.log(outcome.n_classes)
    if log_chance > allowed:
        return None
    name = outcome.class_names[most]
    almost = "only" if share == 1 else "almost only"
    return column.notice(
        "missing_tells_target",
        f"is filled in for class {name!r} {almost} ({counts[most]} of the {n_filled} rows that "
        "have it). Is it filled in once the target is known? Then it will not be for new cases: "
        "leave it out.",
    )


def _ranges(codes: NDArray[np.intp], n_distinct: int) -> NDArray[np.intp]:
    """Few values as they are, and many in ranges of about as many rows; equal ones stay together.

    Categories have no ranges, but so many of them say little, and those in one range even less.
    """
    n_ranges = min(_MOST_RANGES, len(codes) // _ROWS_OF_A_RANGE)
    if n_distinct <= max(FEW_CATEGORIES, n_ranges):
        return codes
    counts = np.bincount(codes, minlength=n_distinct)
    middle = counts.cumsum() - counts / 2
    return (middle * (n_ranges / len(codes))).astype(np.intp)[codes]


def _n_wrong(
    codes: NDArray[np.intp],
    labels: NDArray[np.intp],
    outcome: Classes,
    nearly_none: tuple[float, float],
    allowed: float,
) -> int | None:
    """Rows whose class the other rows with their code do not tell; None if more than nearly none.

    Classes weigh the same, as if they were equally common.
    """
    n_classes, n_codes = outcome.n_classes, int(codes.max(initial=-1)) + 1
    class_counts = np.bincount(labels, minlength=n_classes)
    if (class_counts < np.minimum(outcome.counts, 2)).any() or n_codes < 2:
        return None
    if n_codes * n_classes**2 > _MOST_CELLS:
        return None
    place = codes * n_classes + labels
    counts = np.bincount(place, minlength=n_codes * n_classes).reshape(n_codes, n_classes)
    weight = 1 / np.maximum(class_counts, 1)
    # What the others say of a row with a code (first) and of a class (second): of each class.
    others = np.repeat((counts * weight)[:, np.newaxis, :], n_classes, axis=1)
    each = np.arange(n_classes)
    own = others[:, each, each] - weight
    others[:, each, each] = -1.0
    called = np.where(own > others.max(axis=2), each, others.argmax(axis=2))
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion, (np.broadcast_to(each, called.shape), called), counts)
    wrong = class_counts - np.diag(confusion)
    of_guessing = len(labels) - class_counts.max()
    most_balanced, most_of_guessing = nearly_none
    known = class_counts > 0
    balanced = float((wrong * weight)[known].mean())
    if balanced > most_balanced and wrong.sum() > most_of_guessing * of_guessing:
        return None
    # The method of types: tables with this much information come by chance so rarely.
    log_tables = n_classes * (n_classes - 1) * math.log(len(labels) + 1)
    if log_tables - _information(confusion) > allowed:
        return None
    return int(wrong.sum())


def _information(table: NDArray[np.float64]) -> float:
    """Mutual information of rows and columns of a table of counts, times their number."""
    expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
    filled = table > 0
    return float((table[filled] * np.log(table[filled] / expected[filled])).sum())


def _divergence(share: float, usual: float) -> float:
    """Of one share of two kinds from another (Kullback and Leibler)."""
    parts = ((share, usual), (1 - share, 1 - usual))
    return sum(p * math.log(p / q) for p, q in parts if p > 0)
