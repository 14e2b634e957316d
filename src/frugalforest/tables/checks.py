"""A look at the columns before money is spent on them.

`column_checks` says what a person would want to know about a table; `check_features` stops at what
cannot be meant. All checks look at a column's distinct values, found by one sort or one hashing.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np

from frugalforest.errors import DataError, Problems
from frugalforest.tables.cells import Style
from frugalforest.tables.columns import FEW_CATEGORIES, Column, Notice, columns_of
from frugalforest.tables.copies import copy_checks
from frugalforest.tables.leaks import leaks
from frugalforest.tables.measurements import Measured, common_unit, read_amount
from frugalforest.tables.number_leaks import number_leaks
from frugalforest.tables.outcome import Classes, Outcome
from frugalforest.tables.repeats import repeat_checks
from frugalforest.tables.table import Table
from frugalforest.words.wording import at_row, counted, listed

__all__ = ["check_features", "column_checks"]

_FEW_ROWS = 20
# Columns with decimal commas that are named; of a European table it may be all of them.
_MOST_RANGES = 4
_SMALL_CLASS = 2
# The last is what R's missing whole number is to a program that does not know it.
_MISSING_CODES = (
    *(-9.0, -99.0, -999.0, -9999.0, -99999.0),
    *(99.0, 999.0, 9999.0, 99999.0, -2147483648.0),
)
# Several cells hold a code that is so many times as far away as the middle half of all is wide; one
# below 0 where nothing else is need not be so far.
_FAR, _FAR_BELOW_0 = 3.0, 0.5
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EXACT = 2.0**53  # up to here a float holds every whole number
_BEYOND_INTEGERS = 2.0**64  # from here on it is a measurement, not a number that counts or names
_ID_NAME = re.compile(r"(^|[^a-z])(id|nr|no|key|index|number|row)([^a-z]|$)", re.IGNORECASE)
_MONTH_FIRST = re.compile(r"(0?[1-9]|1[0-2])/\d{1,2}/\d{4}( .*)?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})*(\.\d+)?")


def column_checks(
    table: Table, outcome: Outcome, *, grouped: bool = False, independent: bool = False
) -> list[Notice]:
    """What to know about the columns, the target and the rows, the loudest first.

    Parameters
    ----------
    table : Table
    outcome : Outcome
        Of the same rows.
    grouped, independent : bool
        Whether it is known which rows belong together, and whether somebody said that none do.

    Examples
    --------
    >>> table = Table.read([[i * 0.7, i % 2, "same"] for i in range(40)], ["x", "leak", "ward"])
    >>> for notice in column_checks(table, Outcome.read(["no", "yes"] * 20)):
    ...     print(notice.kind, notice.columns)
    predicts_target ('leak',)
    constant ('ward',)
    """
    if outcome.n_rows != table.n_rows:
        raise DataError(f"y has {outcome.n_rows} labels, but the table has {table.n_rows} rows.")
    columns = columns_of(table)
    found = [
        *(notice for c in columns for notice in _leaks(c, outcome, len(columns))),
        *(() if grouped or independent else repeat_checks(columns)),
        *copy_checks(table, outcome, independent),
        *_about_the_target(outcome),
        *(notice for c in columns for notice in _about_one(c)),
        *_copies(columns),
        *_about_styles(columns, table.styles),
        *_about_measurements(table.measured),
    ]
    return sorted(found, key=lambda notice: not notice.loud)


def check_features(table: Table) -> None:
    """Raise if a text column is no category.

    Text that differs from row to row (an identifier) tells the classes of the training rows apart
    perfectly and those of new rows not at all. And one word among numbers turns a measurement into
    text.
    """
    problems = Problems()
    for column in columns_of(table):
        for notice in _about_text(column):
            hint = f" Leave it out: --drop {column.name!r}" if notice.kind == "names_rows" else ""
            with problems.noted():
                raise DataError(notice.message + hint)
    problems.raise_all()


# The target and the rows


def _leaks(column: Column, outcome: Outcome, n_columns: int) -> Iterator[Notice]:
    if isinstance(outcome, Classes):
        return leaks(column, outcome, n_columns)
    return number_leaks(column, outcome.truth)


def _about_the_target(outcome: Outcome) -> Iterator[Notice]:
    if outcome.n_rows < _FEW_ROWS:
        yield Notice(
            "few_rows",
            (),
            f"there are {counted(outcome.n_rows, 'row')} only: no error estimated from fewer than "
            f"{_FEW_ROWS} can be relied on.",
        )
    if not isinstance(outcome, Classes):
        return
    for name, count in zip(outcome.class_names, outcome.counts.tolist(), strict=True):
        if 0 < count <= _SMALL_CLASS:
            yield Notice(
                "small_class",
                (),
                f"class {name!r} has {counted(count, 'row')} only: it can hardly be learned, and "
                "its error cannot be told.",
            )
    for names in _written_alike(outcome.class_names):
        yield Notice(
            "similar_classes",
            (),
            f"the classes {listed(names)} differ in case or spaces only: if they are one class, "
            "write them alike.",
        )


def _written_alike(names: Iterable[str]) -> Iterator[list[str]]:
    """Names that differ in case or spaces only."""
    alike = defaultdict(list)
    for name in names:
        alike["".join(name.split()).casefold()].append(name)
    yield from (same for same in alike.values() if len(same) > 1)


# One column


def _about_one(column: Column) -> Iterator[Notice]:
    if not len(column.distinct):
        yield column.notice("empty", "is empty: it cannot help to predict.")
    elif len(column.distinct) == 1 and not column.n_missing:
        value = column.distinct[0]
        shown = repr(value) if column.kind == "text" else f"{value:.12g}"
        yield column.notice(
            "constant", f"holds one value only ({shown}): it cannot help to predict."
        )
    elif column.kind == "text":
        yield from _about_text(column)
        if alike := next(_written_alike(column.distinct.tolist()), None):
            yield column.notice(
                "similar_categories",
                f"has the categories {listed(alike)}, which differ in case or spaces only: if they "
                "are one, write them alike.",
            )
    elif column.kind == "number":
        yield from _about_numbers(column)


def _about_text(column: Column) -> Iterator[Notice]:
    """At most one reason why a text column is no category."""
    texts: list[str] = column.distinct.tolist()
    if column.kind != "text" or len(texts) <= FEW_CATEGORIES:
        return
    counts = np.bincount(column.present)
    n_present = int(counts.sum())
    unit = common_unit(texts)
    amounts = [read_amount(text) for text in texts]
    odd = np.array([amount is None or amount.unit != unit for amount in amounts])
    row = int((column.codes >= 0).nonzero()[0][odd[column.present].argmax()])
    example = texts[column.codes[row]]
    if 0 < counts[odd].sum() <= n_present / 5:
        what = f"measurements in {unit!r}" if unit else "numbers"
        yield column.notice(
            "word_among_numbers",
            f"holds {what}, but {example!r} in {at_row(row)}: correct it, or leave the cell empty "
            "if the value is missing.",
        )
    elif all(amounts) and odd.any():
        other = texts[int((~odd).argmax())]
        yield column.notice(
            "unknown_style",
            f"holds measurements in several units, such as {other!r} and {example!r}: write them "
            "in one.",
        )
    elif all(map(_THOUSANDS.fullmatch, texts)):
        example = next(text for text in texts if "," in text)
        yield column.notice(
            "unknown_style",
            f"holds numbers with a comma, such as {example!r}, which may be thousands or decimals: "
            "write them without commas, or with decimal points.",
        )
    elif all(map(_MONTH_FIRST.fullmatch, texts)):
        yield column.notice(
            "unknown_style",
            f"holds dates with the month first, such as {texts[-1]!r}: write them as 2024-05-31.",
        )
    elif column.names_rows:
        yield column.notice(
            "names_rows",
            f"is text with {len(texts)} different values in {n_present} rows: it names the rows "
            "and cannot predict.",
        )


def _about_numbers(column: Column) -> Iterator[Notice]:
    values = column.distinct
    if (np.floor(values) == values).all():
        largest = float(np.abs(values).max())
        if _EXACT <= largest < _BEYOND_INTEGERS:
            yield column.notice(
                "large_integers",
                f"holds whole numbers beyond 2^53, such as {largest:.0f}: neighbours are taken for "
                "equal. If it is an identifier, leave it out.",
            )
        yield from _identifier(column)
    suspects = np.isin(values, _MISSING_CODES)
    rest = values[~suspects]
    if not suspects.any() or len(rest) < 2:
        return
    counts = np.bincount(column.present)
    low, high = np.percentile(np.repeat(rest, counts[~suspects]), [25, 75])
    for code, n_cells in zip(values[suspects].tolist(), counts[suspects].tolist(), strict=True):
        # As far away from all others as those are from each other, or further.
        away = float(np.abs(rest - code).min())
        outside = not rest[0] < code < rest[-1]
        far = _FAR_BELOW_0 if code < 0 <= rest[0] else _FAR
        several = n_cells > 1 and outside and away >= far * (high - low) > 0
        if away >= rest[-1] - rest[0] or several:
            yield column.notice(
                "missing_code",
                f"holds {code:.12g} in {counted(n_cells, 'row')}, far from all others "
                f"({rest[0]:.6g} to {rest[-1]:.6g}): if it means missing, leave those cells empty, "
                f"or say --na '{column.name}={code:.12g}'.",
            )


def _identifier(column: Column) -> Iterator[Notice]:
    """Whole numbers of which no two rows have the same, in a way that measurements are not."""
    n_rows = len(column.codes)
    if n_rows < _FEW_ROWS or len(column.distinct) < n_rows:
        return
    if column.distinct[-1] - column.distinct[0] == n_rows - 1:
        reason = "numbers the rows: it holds each whole number of a range once"
    elif (np.diff(column.codes) > 0).all():
        reason = "may number the rows: its whole numbers rise from row to row"
    elif _ID_NAME.search(column.name):
        reason = "may be an identifier: it holds a different whole number in every row"
    else:
        return
    yield column.notice("identifier", f"{reason}. Leave it out if it is no measurement.")


# Several columns


def _about_styles(columns: list[Column], styles: Mapping[str, Style]) -> Iterator[Notice]:
    """How dates and decimals were read, with their ranges: a misreading shows there."""
    for column in columns:
        if styles.get(column.name) == "day_first":
            days = [_EPOCH + timedelta(seconds=s) for s in column.distinct.tolist()]
            unsure = "" if any(d.day > 12 for d in days) else ", though it may be the month"
            yield column.notice(
                "day_first",
                f"holds dates, read with the day first{unsure}: they go from {days[0]:%Y-%m-%d} to "
                f"{days[-1]:%Y-%m-%d}.",
            )
    commas = [c for c in columns if styles.get(c.name) == "decimal_comma"]
    if commas:
        ranges = [f"{c.name!r} ({c.distinct[0]:.6g} to {c.distinct[-1]:.6g})" for c in commas]
        more = len(ranges) - _MOST_RANGES
        shown = ", ".join(ranges[:_MOST_RANGES]) + (f" and {more} more" if more > 0 else "")
        yield Notice(
            "decimal_comma",
            tuple(c.name for c in commas),
            f"numbers with decimal commas were read in {shown}.",
        )


def _about_measurements(measured: Mapping[str, Measured]) -> Iterator[Notice]:
    """Which texts were read as numbers, and what stands for values beyond a limit."""
    if not measured:
        return
    ways = []
    for name, how in measured.items():
        limits = [
            f"{counted(n, 'cell')} {where}"
            for n, where in ((how.n_below, "below a limit"), (how.n_above, "above one"))
            if n
        ]
        inside = "; ".join([*([how.unit] if how.unit else []), *limits])
        ways.append(f"{name!r} ({inside})")
    more = len(ways) - _MOST_RANGES
    shown = ", ".join(ways[:_MOST_RANGES]) + (f" and {more} more" if more > 0 else "")
    rule = (
        " Half the limit stands for what is below one, and the limit for what is above."
        if any(how.n_below or how.n_above for how in measured.values())
        else ""
    )
    yield Notice("measured", tuple(measured), f"text was read as measurements in {shown}.{rule}")


def _copies(columns: list[Column]) -> Iterator[Notice]:
    """Columns between which a forest sees no difference: it goes by the order of values only."""
    same = defaultdict(list)
    for column in columns:
        # Texts that name the rows are all alike in that.
        if len(column.distinct) > 1 and not column.names_rows:
            same[_order_key(column)].append(column.name)
    for first, *others in same.values():
        if others:
            verb = "orders" if len(others) == 1 else "order"
            what = repr(others[0]) if len(others) == 1 else listed(others)
            yield Notice(
                "copies",
                (first, *others),
                f"{what} {verb} the rows as {first!r} does: to a forest they are the same, and one "
                "is enough.",
            )


def _order_key(column: Column) -> bytes:
    """Equal for columns that order the rows alike, upwards or downwards.

    Categories have no order of their own: with more than two, it is which rows are together.
    """
    codes = column.codes
    if column.kind == "text" and len(column.distinct) > 2:
        first_rows = np.unique(column.present, return_index=True)[1]
        by_appearance = np.argsort(np.argsort(first_rows))
        both = [np.where(codes < 0, -1, by_appearance[codes])]
        prefix = b"t"
    else:
        both = [codes, np.where(codes < 0, -1, len(column.distinct) - 1 - codes)]
        prefix = b"n"
    return prefix + min(hashlib.sha256(way.tobytes()).digest() for way in both)
