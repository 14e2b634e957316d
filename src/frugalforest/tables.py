"""Data files in and out: CSV, TSV, Parquet and Excel, told apart by how their names end.

::

    file ── read_table ──► frame, as it was written ── clean_frame ──► numbers, or text

Cells of a text file stay text until they are cleaned, so that what is not a feature (an identifier
such as 007) can be written back unchanged.
"""

from __future__ import annotations

import csv
import difflib
import gzip
import io
import os
import re
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from frugalforest.errors import DataError

__all__ = [
    "check_features",
    "clean_column",
    "clean_frame",
    "did_you_mean",
    "find_column",
    "read_table",
    "text_column",
    "whole_file",
    "write_table",
]

_TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_EXCEL_ENDINGS = (".xlsx", ".xlsm")
_PARQUET_ENDINGS = (".parquet", ".pq")
_READABLE = "CSV or TSV (.csv, .tsv, .txt, also .gz), Parquet (.parquet) and Excel (.xlsx)"

# What people and programs write for "not known". "None" is not here: it can be a category.
_MISSING = frozenset({"", "?", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"})
_ISO_DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?)?")
_DECIMAL_COMMA = re.compile(r"[+-]?\d+(,\d+)?([eE][+-]?\d+)?")
# Text with at most so many different values may be codes ("1", "2", "3a"), whatever it looks like.
_FEW = 20


def read_table(path: str | os.PathLike[str]) -> pd.DataFrame:
    r"""The table in a file, its cells as they were written and its column names checked.

    Columns without a name are left out: they can have no price. Of an Excel file, the first sheet
    is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "patients.csv")
    ...     _ = path.write_text("id;age\n007;50\n008;61\n")
    ...     read_table(path)["id"].tolist()
    ['007', '008']
    """
    file = Path(path)
    if not file.exists():
        raise DataError(f"there is no file {str(file)!r}: check the path.")
    if file.is_dir():
        raise DataError(f"{str(file)!r} is a folder: give a file in it.")
    name = file.name.lower()
    if name.endswith(_TEXT_ENDINGS):
        frame = _read_text(file)
    elif name.endswith(_PARQUET_ENDINGS):
        frame = _read_packed(file, "Parquet", "parquet", pd.read_parquet)
    elif name.endswith(_EXCEL_ENDINGS):
        frame = _read_packed(file, "Excel", "excel", _first_sheet)
    else:
        raise DataError(f"{file.name}: this kind of file cannot be read. Give {_READABLE}.")
    frame = frame.loc[:, [name != "" for name in frame.columns]]
    twice = [name for name, count in Counter(frame.columns).items() if count > 1]
    if twice:
        raise DataError(f"{file.name}: two columns are called {twice[0]!r}. Rename one of them.")
    if not len(frame.columns):
        raise DataError(f"{file.name} is empty: it needs a line of column names, and rows.")
    if not len(frame):
        raise DataError(f"{file.name} has column names, but no rows.")
    return frame


def _read_text(file: Path) -> pd.DataFrame:
    try:
        content = file.read_bytes()
        if file.name.lower().endswith(".gz"):
            content = gzip.decompress(content)
        text = content.decode("utf-8-sig")
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise DataError(f"{file.name} cannot be unpacked: it is damaged or no .gz file.") from None
    except UnicodeDecodeError as error:
        raise DataError(
            f"{file.name} is not UTF-8 text (byte {error.start}). Save it as CSV with the encoding "
            "UTF-8."
        ) from None
    # Blank lines only: a tab at the start is the end of an empty name.
    text = text.lstrip("\r\n")
    separator = max(",;\t", key=text.partition("\n")[0].count)
    rows = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    header: list[str] = []
    cells: list[list[str]] = []
    try:
        for row in rows:
            if not header:
                header = [name.strip() for name in row]
            elif len(row) > len(header) and any(row[len(header) :]):
                raise DataError(
                    f"{file.name}, line {rows.line_num} has {len(row)} fields, but the header has "
                    f"{len(header)}. Name every column, put text that holds the separator in "
                    "quotes, and write decimals with a point."
                )
            elif any(row):
                cells.append([*row[: len(header)], *[""] * (len(header) - len(row))])
    except csv.Error as error:
        raise DataError(f"{file.name}, line {rows.line_num} cannot be read ({error}).") from None
    columns = [np.array(column, dtype=object) for column in zip(*cells, strict=True)]
    if separator == ";":
        columns = [_with_points(column) for column in columns]
    # By position: names may still be double or empty here.
    frame = pd.DataFrame(dict(enumerate(columns)), columns=range(len(header)), dtype=object)
    frame.columns = pd.Index(header, dtype=object)
    return frame


def _with_points(texts: NDArray[Any]) -> NDArray[Any]:
    """Decimals with a point, if the column holds nothing but numbers with decimal commas."""
    present = [text.strip() for text in texts if text.strip() not in _MISSING]
    if any("," in text for text in present) and all(map(_DECIMAL_COMMA.fullmatch, present)):
        return np.array([text.replace(",", ".") for text in texts], dtype=object)
    return texts


def _read_packed(
    file: Path, kind: str, extra: str, read: Callable[[Path], pd.DataFrame]
) -> pd.DataFrame:
    try:
        frame = read(file)
    except ImportError:
        raise DataError(
            f"{file.name}: reading {kind} files needs another package. "
            f"Run: pip install 'frugalforest[{extra}]'"
        ) from None
    except Exception as error:
        # The readers raise whatever their parsers of archives, XML and schemas happen to raise.
        reason = str(error).partition("\n")[0]
        raise DataError(
            f"{file.name} cannot be read as {kind}: it is damaged or of another kind ({reason})."
        ) from None
    frame.columns = pd.Index([_name(column) for column in frame.columns], dtype=object)
    return frame.reset_index(drop=True)


def _first_sheet(file: Path) -> pd.DataFrame:
    # Without a header: pandas would rename double columns and make up names for empty ones.
    cells = pd.read_excel(file, header=None, dtype=object)
    if cells.empty:
        return cells
    frame = cells.iloc[1:].dropna(how="all")
    frame.columns = pd.Index(cells.iloc[0].tolist(), dtype=object)
    return frame


def _name(column: object) -> str:
    return "" if _is_missing(column) else _text(column)


def _is_missing(value: Any) -> bool:
    if isinstance(value, str):
        return value.strip() in _MISSING
    return pd.isna(value) is True  # for a list in a cell it is an array


def _text(value: object) -> str:
    # Spreadsheets hold all numbers as floats: 1.0 was typed as 1.
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def text_column(values: Iterable[Any]) -> NDArray[Any]:
    """Cells as text, None where they are missing.

    Examples
    --------
    >>> text_column(["red ", 1.0, float("nan"), "NA"]).tolist()
    ['red', '1', None, None]
    """
    items = values.tolist() if hasattr(values, "tolist") else list(values)
    return np.array([None if _is_missing(item) else _text(item) for item in items], dtype=object)


def clean_column(values: Any) -> NDArray[Any]:
    """Cells as float64 if all that are there are numbers or all are dates, otherwise as text.

    Dates, written as 2024-05-31 with or without a time, are ordered: they become seconds since
    1970, as `compare` makes of a date column in a frame.

    Examples
    --------
    >>> clean_column(["1.5", "", "2"])
    array([1.5, nan, 2. ])
    >>> clean_column(["1970-01-02", "1970-01-01 12:00", None])
    array([86400., 43200.,    nan])
    """
    kind = getattr(getattr(values, "dtype", None), "kind", "O")
    if kind in "iuf" and not hasattr(values.dtype, "na_value"):
        return np.asarray(values, dtype=np.float64)
    texts = text_column(values)
    for read in (_number, _seconds):
        with suppress(ValueError):
            return np.array([np.nan if text is None else read(text) for text in texts])
    return texts


def clean_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with each column cleaned, see `clean_column`."""
    return pd.DataFrame({name: clean_column(frame[name]) for name in frame.columns})


def check_features(frame: pd.DataFrame) -> None:
    """Raise if a text column of a clean table is no category.

    Text that differs from row to row (an identifier) tells the classes of the training rows apart
    perfectly and those of new rows not at all. And one word among numbers turns a measurement into
    text.
    """
    for name in frame.columns:
        texts = [t for t in frame[name].tolist() if isinstance(t, str)]
        n_different = len(set(texts))
        if n_different <= _FEW:
            continue
        odd = [t for t in texts if not _is_number(t)]
        if len(odd) <= len(texts) / 5:
            row = frame[name].tolist().index(odd[0]) + 1
            raise DataError(
                f"column {name!r} holds numbers, but {odd[0]!r} in row {row}: correct it, or leave "
                "the cell empty if the value is missing."
            )
        if n_different > len(texts) / 2:
            raise DataError(
                f"column {name!r} is text with {n_different} different values in {len(texts)} "
                f"rows: it names the rows and cannot predict. Leave it out: --drop {name!r}"
            )


def _number(text: str) -> float:
    # Python reads decimals exactly, so a table written and read again is the same table.
    if "_" in text:  # 1_0 is ten in Python, but a name in a table
        raise ValueError(text)
    return float(text)


def _seconds(text: str) -> float:
    if not _ISO_DATE.fullmatch(text):  # Python takes 20240531 for a date, too
        raise ValueError(text)
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)  # not the zone this happens to run in
    return moment.timestamp()


def _is_number(text: str) -> bool:
    try:
        _number(text)
    except ValueError:
        return False
    return True


def did_you_mean(name: str, names: Sequence[str]) -> str:
    """A hint at the nearest of some names; empty if none is near.

    Examples
    --------
    >>> did_you_mean("Diagnosis", ["diagnosis", "age"])
    " Did you mean 'diagnosis'?"
    """
    by_lower = {other.lower(): other for other in reversed(names)}
    near = difflib.get_close_matches(name.lower(), by_lower, n=1, cutoff=0.6)
    return f" Did you mean {by_lower[near[0]]!r}?" if near else ""


def find_column(frame: pd.DataFrame, name: str, file: str) -> str:
    """The name itself if it is a column; the message otherwise names what is near or there."""
    names = [str(column) for column in frame.columns]
    if name in names:
        return name
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    hint = did_you_mean(name, names) or f" Its columns are {shown}."
    raise DataError(f"{file} has no column {name!r}.{hint}")


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a draft to write; it becomes the file when all is written, and vanishes otherwise.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "notes.txt")
    ...     with whole_file(path) as draft:
    ...         _ = draft.write_text("all of it")
    ...     path.read_text()
    'all of it'
    """
    file = Path(path)
    draft = file.with_name(f"{file.name}.part")
    try:
        yield draft
        draft.replace(file)
    finally:
        draft.unlink(missing_ok=True)


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    """Write a table as CSV or TSV, also .gz. The file appears whole or not at all."""
    file = Path(path)
    name = file.name.lower()
    if not name.endswith(_TEXT_ENDINGS):
        raise DataError(f"{file.name}: tables are written as .csv or .tsv (also .gz).")
    separator = "\t" if ".tsv" in name else ","
    content = frame.to_csv(sep=separator, index=False).encode()
    if name.endswith(".gz"):
        # Without the time: the same table gives the same file.
        content = gzip.compress(content, mtime=0)
    with whole_file(file) as draft:
        draft.write_bytes(content)
