"""Data files: CSV, TSV, Parquet and Excel, told apart by how their names end.

Cells stay as they were written until `Table.read` gives them a meaning, so that what is not a
feature (an identifier such as 007) can be written back unchanged.
"""

from __future__ import annotations

import os
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.storage.delimited import MAX_BYTES, check_is_file, read_delimited
from frugalforest.storage.memory import check_fits, size_of
from frugalforest.tables.cells import as_text
from frugalforest.words.missing import is_missing
from frugalforest.words.wording import did_you_mean, listed

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TEXT_ENDINGS", "find_column", "read_table"]

TEXT_ENDINGS = (".csv", ".tsv", ".txt", ".csv.gz", ".tsv.gz", ".txt.gz")
_EXCEL_ENDINGS = (".xlsx", ".xlsm")
_PARQUET_ENDINGS = (".parquet", ".pq")
_READABLE = "CSV or TSV (.csv, .tsv, .txt, also .gz), Parquet (.parquet) and Excel (.xlsx)"

MAX_CELLS = 100_000_000
# What a cell of a Parquet file takes until it is part of a `Table`: as it was read, and as float64;
# a text has an object of its own.
_BYTES_OF_NUMBER = 16
_BYTES_OF_TEXT = 80
# A cell of a sheet is some 40 bytes of XML, and 80 when it is read.
_TIMES_OF_SHEET = 2
# What a spreadsheet shows for a formula that has no result.
_FORMULA_ERRORS = frozenset(
    {"#DIV/0!", "#N/A", "#NAME?", "#NULL!", "#NUM!", "#REF!", "#VALUE!", "#GETTING_DATA"}
)


def read_table(
    path: str | os.PathLike[str],
    *,
    encoding: str | None = None,
    separator: str | None = None,
    sheet: str | None = None,
    max_bytes: int = MAX_BYTES,
    max_cells: int = MAX_CELLS,
) -> pd.DataFrame:
    r"""The table in a file, its cells as they were written and its column names checked.

    Columns without a name are left out: they can have no price.

    Parameters
    ----------
    path : path
    encoding : str, optional
        Of a text file; UTF-8 by default.
    separator : str, optional
        Of a text file; by default the one of comma, semicolon and tab that its first line has most.
    sheet : str, optional
        Of an Excel file; the first by default.
    max_bytes, max_cells : int
        The most text that is read, unpacked, and the most cells of an Excel or Parquet file: a
        small file can hold a table that fills the memory.

    Raises
    ------
    DataError
        If the file cannot be read, is too large, or holds no table.

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
    check_is_file(file)
    name = file.name.lower()
    if name.endswith(TEXT_ENDINGS):
        text = read_delimited(file, encoding=encoding, separator=separator, max_bytes=max_bytes)
        frame = _frame(text.header, text.rows)
    elif name.endswith(_PARQUET_ENDINGS):
        frame = _read_packed(file, "Parquet", "parquet", lambda f: _read_parquet(f, max_cells))
    elif name.endswith(_EXCEL_ENDINGS):
        frame = _read_packed(
            file, "Excel", "excel", lambda f: _read_excel(f, sheet, max_bytes, max_cells)
        )
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


def find_column(frame: pd.DataFrame, name: str, file: str) -> str:
    """The name itself if it is a column; the message otherwise names what is near or there."""
    names = [str(column) for column in frame.columns]
    if name in names:
        return name
    hint = did_you_mean(name, names) or f" Its columns are {listed(names)}."
    raise DataError(f"{file} has no column {name!r}.{hint}")


def _frame(header: list[Any], rows: list[Any]) -> pd.DataFrame:
    """A frame of objects. By position: names may still be double or empty here."""
    import pandas as pd

    columns = [_objects(column) for column in zip(*rows, strict=True)]
    frame = pd.DataFrame(dict(enumerate(columns)), columns=range(len(header)), dtype=object)
    frame.columns = pd.Index([_name(name) for name in header], dtype=object)
    return frame


def _objects(cells: tuple[Any, ...]) -> NDArray[Any]:
    column = np.empty(len(cells), dtype=object)
    column[:] = cells
    return column


def _name(cell: object) -> str:
    # A column may be called "NA" (sodium, in capitals).
    return "" if is_missing(cell, marks=()) else as_text(cell)


def _read_packed(
    file: Path, kind: str, extra: str, read: Callable[[Path], pd.DataFrame]
) -> pd.DataFrame:
    try:
        return read(file)
    except DataError:
        raise
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


def _read_parquet(file: Path, max_cells: int) -> pd.DataFrame:
    import pandas as pd
    from pyarrow import parquet

    about = parquet.read_metadata(file)
    _check_cells(file, about.num_rows, about.num_columns, max_cells)
    kinds = [about.schema.column(j).physical_type for j in range(about.num_columns)]
    n_texts = sum(kind in ("BYTE_ARRAY", "FIXED_LEN_BYTE_ARRAY") for kind in kinds)
    n_numbers = about.num_columns - n_texts
    check_fits(
        f"{file.name} ({size_of(file.stat().st_size)}: {about.num_rows:,} rows and "
        f"{about.num_columns:,} columns)",
        about.num_rows * (_BYTES_OF_NUMBER * n_numbers + _BYTES_OF_TEXT * n_texts),
        "Take some of its rows or columns.",
    )
    # Column by column, each freed when it is made: twice the memory of the table, not three times.
    frame = parquet.read_table(file).to_pandas(split_blocks=True, self_destruct=True)
    frame.columns = pd.Index([_name(column) for column in frame.columns], dtype=object)
    return frame.reset_index(drop=True)


def _read_excel(file: Path, sheet: str | None, max_bytes: int, max_cells: int) -> pd.DataFrame:
    """The cells below the names in the first row, whatever size the sheet claims to have."""
    from openpyxl import load_workbook

    with zipfile.ZipFile(file) as archive:
        unpacked = sum(part.file_size for part in archive.infolist())
    if unpacked > max_bytes:
        raise DataError(
            f"{file.name} unpacks to {size_of(unpacked)}, and at most {size_of(max_bytes)} are "
            "read. Take some of its rows or columns, or save it as Parquet."
        )
    check_fits(
        f"{file.name} ({size_of(unpacked)} unpacked)",
        _TIMES_OF_SHEET * unpacked,
        "Take some of its rows or columns, or save it as Parquet.",
    )
    book = load_workbook(file, read_only=True, data_only=True)
    try:
        if sheet is not None and sheet not in book.sheetnames:
            hint = did_you_mean(sheet, book.sheetnames) or f" It has {listed(book.sheetnames)}."
            raise DataError(f"{file.name} has no sheet {sheet!r}.{hint}")
        page = book[sheet or book.sheetnames[0]]
        # A sheet with one cell far away claims to be as large as that: go by its cells instead.
        page.reset_dimensions()
        header: list[Any] = []
        rows: list[list[Any]] = []
        for row in page.iter_rows(values_only=True):
            if all(cell is None for cell in row):
                continue
            if not header:
                header = list(row)
                continue
            cells = row[: len(header)]
            if any(cell is not None for cell in cells):
                known = [None if _is_formula_error(cell) else cell for cell in cells]
                rows.append([*known, *[None] * (len(header) - len(cells))])
                _check_cells(file, len(rows), len(header), max_cells)
    finally:
        book.close()
    return _frame(header, rows)


def _is_formula_error(cell: object) -> bool:
    return isinstance(cell, str) and cell in _FORMULA_ERRORS


def _check_cells(file: Path, n_rows: int, n_columns: int, max_cells: int) -> None:
    if n_rows * n_columns > max_cells:
        raise DataError(
            f"{file.name} has {n_rows:,} rows or more and {n_columns:,} columns, and at most "
            f"{max_cells:,} cells are read. Take some of its rows or columns."
        )
