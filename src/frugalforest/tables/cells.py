"""What the cells of a column mean: numbers, dates, truth values or text.

::

    cells of any kind ──► distinct texts, and which of them each cell is ──► one reading for all
                          or, for arrays of numbers and dates, their numbers as they are

Values decide, not their types or where they come from: the cells of a text file, of a spreadsheet,
of a data frame and of an array of objects are read alike. All work on texts is done once for each
different one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Container, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables.measurements import BELOW_LIMIT, Measured, read_amounts
from frugalforest.words.missing import MISSING_MARKS, is_missing
from frugalforest.words.numerals import may_be_thousands, parse_decimal_comma, parse_number
from frugalforest.words.wording import at_row

__all__ = [
    "DistinctTexts",
    "Kind",
    "Reading",
    "Style",
    "as_text",
    "categories",
    "check_finite",
    "distinct_texts",
    "read_column",
    "read_column_as",
    "text_column",
    "without_codes",
]

Kind = Literal["number", "date", "boolean", "text"]
Style = Literal["plain", "day_first", "decimal_comma"]

_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")
_DAY_FIRST_DATE = re.compile(
    r"(\d{1,2})([./])(\d{1,2})\2(\d{4})(?:[T ](\d{1,2}):(\d\d)(?::(\d\d))?)?"
)
_EPOCH = np.datetime64(0, "s")


def as_text(value: object) -> str:
    """A cell as the text that a person would write for it, without spaces around it.

    Examples
    --------
    >>> as_text(" red"), as_text(1.0), as_text(True)
    ('red', '1', 'True')
    """
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, np.generic):
        value = value.item()
    # Spreadsheets hold all numbers as floats: 1.0 was typed as 1.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, timedelta):
        return as_text(value.total_seconds())
    if isinstance(value, bytes):
        return value.decode(errors="replace").strip()
    return str(value).strip()


class Reading(NamedTuple):
    """A column as it was read: its values, their kind, and how they were written."""

    column: NDArray[Any]
    kind: Kind
    style: Style = "plain"
    measured: Measured | None = None  # of text with a unit or limits of detection


@dataclass(frozen=True)
class DistinctTexts:
    """The texts of a column: which text each cell is, -1 where it is missing."""

    codes: NDArray[np.intp]
    texts: list[str]

    def spread_numbers(self, numbers: Sequence[float]) -> NDArray[np.float64]:
        """One number for each cell, from one for each text."""
        return np.array([*numbers, np.nan], dtype=np.float64)[self.codes]

    def spread(self) -> NDArray[Any]:
        """The text of each cell, None where it is missing."""
        return np.array([*self.texts, None], dtype=object)[self.codes]

    def first_row(self, text: str) -> int:
        """The first row that holds a text, counted from 0."""
        return int((self.codes == self.texts.index(text)).argmax())


def distinct_texts(values: Any, marks: Container[str] = MISSING_MARKS) -> DistinctTexts:
    """The different texts of a column, in the order in which they come.

    Examples
    --------
    >>> distinct_texts(["red ", 1.0, None, "red"])
    DistinctTexts(codes=array([ 0,  1, -1,  0]), texts=['red', '1'])
    """
    cells = _objects(values)
    if set(map(type, cells.tolist())) - {str, float, int, type(None)}:
        # Of other types, equal cells may be written differently: True == 1, Decimal("1.0") == 1.
        cells = _objects([None if is_missing(c, marks) else as_text(c) for c in cells.tolist()])
    codes, found = _factorized(cells)
    texts = [None if text in marks else text for text in map(as_text, found)]
    # Different cells may be one text: " red" and "red".
    again, distinct = _factorized(_objects(texts))
    return DistinctTexts(np.append(again, -1)[codes], distinct)


def categories(column: NDArray[Any]) -> DistinctTexts:
    """The different texts of a clean column (text, None for missing), in alphabetical order."""
    codes, texts = _factorized(column)
    place = {text: c for c, text in enumerate(sorted(texts))}
    return DistinctTexts(np.array([*map(place.get, texts), -1], dtype=np.intp)[codes], list(place))


def _factorized(cells: NDArray[Any]) -> tuple[NDArray[np.intp], list[Any]]:
    """Which of the different cells each one is, and those; -1 for None and NaN."""
    import pandas as pd

    codes, found = pd.factorize(cells)
    return codes.astype(np.intp, copy=False), found.tolist()


def text_column(values: Any, marks: Container[str] = MISSING_MARKS) -> NDArray[Any]:
    """Cells as text, None where they are missing: empty, or one of the marks.

    Examples
    --------
    >>> text_column(["red ", 1.0, float("nan"), "NA"]).tolist()
    ['red', '1', None, None]
    """
    return distinct_texts(values, marks).spread()


def _objects(values: Any) -> NDArray[Any]:
    """A column as objects; cells that are lists stay cells."""
    if isinstance(values, np.ndarray):
        # Of dates in nanoseconds NumPy would make whole numbers.
        return _at_most_microseconds(values).astype(object, copy=False)
    column = np.empty(len(values), dtype=object)
    column[:] = list(values)
    return column


def read_column(name: str, values: Any) -> Reading:
    """A column as float64 or, if its cells are not all of one other kind, as text.

    Dates become seconds since 1970 (UTC), truth values 0 and 1. Missing cells are NaN among
    numbers and None among texts.

    Parameters
    ----------
    name : str
        For messages.
    values : array-like
        Cells of an array, of a pandas or polars series, or a list.

    Examples
    --------
    >>> read_column("dose", ["1,5", "?", "2"])
    Reading(column=array([1.5, nan, 2. ]), kind='number', style='decimal_comma', measured=None)
    >>> read_column("taken", ["02/01/1970", None]).style
    'day_first'
    >>> read_column("smoker", [True, None]).column, read_column("crp", ["<0.6 mg", "2 mg"]).column
    (array([ 1., nan]), array([0.3, 2. ]))
    """
    array = _array(values)
    _check_single(name, array)
    reading = _read_typed(array) or _read_texts(distinct_texts(array))
    if reading.kind != "text":
        check_finite(name, reading.column)
    return reading


def read_column_as(
    name: str, values: Any, kind: Kind, unit: str = "", below: float = BELOW_LIMIT
) -> NDArray[Any]:
    """A column read as one of a certain kind, such as that of the training data.

    Numbers may be measurements in the unit of the training data, or without one.

    Raises
    ------
    DataError
        If a cell is not of that kind.

    Examples
    --------
    >>> read_column_as("code", [7, None, 8.0], "text")
    array(['7', None, '8'], dtype=object)
    """
    array = _array(values)
    if kind == "text":
        return text_column(array)
    reading = read_column(name, array)
    # 0 and 1 are what truth values become.
    fits = reading.kind == kind or {reading.kind, kind} == {"number", "boolean"}
    if fits and reading.measured is None:
        return reading.column
    cells = distinct_texts(array)
    if not cells.texts:
        return np.full(len(array), np.nan)
    if kind == "number" and (found := read_amounts(cells.texts, _OF_AMOUNTS, {"", unit}, below)):
        return cells.spread_numbers(found[1])
    text = _misfit(cells.texts, kind, unit)
    held = f"{kind}s in {unit!r}" if unit else f"{kind}s"
    raise DataError(
        f"column {name!r} holds {text!r} in {at_row(cells.first_row(text))}, but held {held} in "
        "the training data: correct it, or leave the cell empty if the value is missing."
    )


def check_finite(name: str, numbers: NDArray[np.float64]) -> None:
    """Raise if a column holds an infinite value."""
    infinite = np.isinf(numbers)
    if infinite.any():
        raise DataError(
            f"column {name!r} holds an infinite value (inf) in {at_row(int(infinite.argmax()))}: "
            "give a number, or leave the cell empty if the value is missing."
        )


def _check_single(name: str, array: NDArray[Any]) -> None:
    """Raise if a cell holds several values: a list, a dictionary, a series."""
    types = list(map(type, array.tolist())) if array.dtype.kind == "O" or array.ndim > 1 else []
    several = {t for t in set(types) if hasattr(t, "__len__") and not issubclass(t, str | bytes)}
    if several:
        row = next(i for i, t in enumerate(types) if t in several)
        raise DataError(
            f"column {name!r} holds several values in {at_row(row)}: make one column of each, or "
            "leave it out."
        )


def _array(values: Any) -> NDArray[Any]:
    dtype = getattr(values, "dtype", None)
    kind = getattr(dtype, "kind", "O")
    if isinstance(dtype, np.dtype) or kind not in "biufM":
        return np.asarray(values) if hasattr(values, "dtype") else _objects(values)
    # pandas' own types, which become objects otherwise.
    if kind == "M":  # with a time zone: what is left is UTC
        return np.asarray(values.to_numpy(dtype="datetime64[us]"))
    if kind == "b":
        return np.asarray(values.to_numpy(dtype=object))
    return np.asarray(values.to_numpy(dtype=np.float64, na_value=np.nan))


def _read_typed(array: NDArray[Any]) -> Reading | None:
    """The numbers of a column whose type says that it holds numbers; None if it does not."""
    kind = array.dtype.kind
    if kind in "biuf":
        return Reading(array.astype(np.float64), "boolean" if kind == "b" else "number")
    if kind in "mM":
        # As in the text of a date, so that both give the same number.
        array = _at_most_microseconds(array)
        since = array - _EPOCH if kind == "M" else array
        return Reading(since / np.timedelta64(1, "s"), "date" if kind == "M" else "number")
    numbers = int | float | np.integer | np.floating | None
    if all(issubclass(t, numbers) and t is not bool for t in set(map(type, array.tolist()))):
        try:
            return Reading(array.astype(np.float64), "number")
        except OverflowError:  # a whole number beyond all floats
            return None
    return None


def _at_most_microseconds(array: NDArray[Any]) -> NDArray[Any]:
    kind = array.dtype.kind
    if kind in "mM" and np.datetime_data(array.dtype)[0] in ("ns", "ps", "fs", "as"):
        return array.astype(f"{kind}8[us]")
    return array


def _read_texts(cells: DistinctTexts) -> Reading:
    for kind, style, read in _READERS:
        with suppress(ValueError):
            return Reading(cells.spread_numbers(read(cells.texts)), kind, style)
    if found := read_amounts(cells.texts, _OF_AMOUNTS):
        amounts, numbers, i = found
        limits = np.array([*(amount.limit for amount in amounts), ""])[cells.codes]
        n_below, n_above = int((limits == "<").sum()), int((limits == ">").sum())
        measured = Measured(amounts[0].unit, n_below, n_above)
        style = "decimal_comma" if i else "plain"
        return Reading(cells.spread_numbers(numbers), "number", style, measured)
    return Reading(cells.spread(), "text")


def _misfit(texts: Sequence[str], kind: Kind, unit: str) -> str:
    """The first text that is not of a kind, however it is written."""
    readers = [read for of_kind, _, read in _READERS if of_kind == kind]
    if kind == "number":
        readers.append(lambda each: [_amount_in(text, {"", unit}) for text in each])
    for text in texts:
        if not any(_reads(read, text) for read in readers):
            return text
    # Each is, but not in one style: decimals with point and comma.
    return next(text for text in texts if not _reads(readers[0], text))


def _amount_in(text: str, units: Collection[str]) -> float:
    found = read_amounts([text], _OF_AMOUNTS, units)
    if found is None:
        raise ValueError
    return found[1][0]


def _reads(read: Callable[[Sequence[str]], list[float]], text: str) -> bool:
    try:
        read([text])
    except ValueError:
        return False
    return True


# Readers of all texts of a column; each raises ValueError if one is not of its kind.


def _numbers(texts: Sequence[str]) -> list[float]:
    return list(map(parse_number, texts))


def _decimal_commas(texts: Sequence[str]) -> list[float]:
    numbers = list(map(parse_decimal_comma, texts))
    with_comma = [text for text in texts if "," in text]
    # 950 and 1,200 are more likely 950 and 1200 than 950 and 1.2. Which it is, nobody can tell.
    if len(with_comma) < len(texts) and all(map(may_be_thousands, with_comma)):
        raise ValueError
    return numbers


def _truth_values(texts: Sequence[str]) -> list[float]:
    values = {"true": 1.0, "false": 0.0}
    try:
        return [values[text.lower()] for text in texts]
    except KeyError:
        raise ValueError from None


def _iso_dates(texts: Sequence[str]) -> list[float]:
    if not all(map(_ISO_DATE.fullmatch, texts)):  # Python takes 20240531 for a date, too
        raise ValueError
    moments = map(datetime.fromisoformat, texts)
    # Without a zone it is UTC, not the zone this happens to run in.
    return [(m if m.tzinfo else m.replace(tzinfo=UTC)).timestamp() for m in moments]


def _day_first_dates(texts: Sequence[str]) -> list[float]:
    seconds = []
    for text in texts:
        if not (found := _DAY_FIRST_DATE.fullmatch(text)):
            raise ValueError
        year, month, day, hour, minute, second = (int(found[i] or 0) for i in (4, 3, 1, 5, 6, 7))
        seconds.append(datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp())
    return seconds


_READERS: tuple[tuple[Kind, Style, Callable[[Sequence[str]], list[float]]], ...] = (
    ("number", "plain", _numbers),
    ("boolean", "plain", _truth_values),
    ("date", "plain", _iso_dates),
    ("date", "day_first", _day_first_dates),
    ("number", "decimal_comma", _decimal_commas),
)
# Of the numbers in measurements: with decimal points, or with commas.
_OF_AMOUNTS = (_numbers, _decimal_commas)


def without_codes(values: Any, codes: Sequence[str]) -> Any:
    """A column with its cells empty that hold a code for missing values, as a number or text.

    Examples
    --------
    >>> without_codes([120, 999, 180], ["999"]).tolist()
    [120.0, nan, 180.0]
    >>> without_codes(["120", "999.0", "unknown"], ["999", "unknown"]).tolist()
    ['120', None, None]
    """
    if not codes:
        return values
    numbers = set()
    for code in codes:
        with suppress(ValueError):
            numbers.add(parse_number(code))
    array = _array(values)
    typed = _read_typed(array)
    if typed is not None:
        is_code = np.isin(typed.column, list(numbers)) & (typed.kind == "number")
        return np.where(is_code, np.nan, typed.column) if is_code.any() else array
    cells = distinct_texts(array)

    def kept(text: str) -> str | None:
        with suppress(ValueError):
            if parse_number(text) in numbers:
                return None
        return None if text in codes else text

    return np.array([*map(kept, cells.texts), None], dtype=object)[cells.codes]
