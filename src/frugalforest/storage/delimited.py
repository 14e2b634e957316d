"""Text in rows and fields: CSV and TSV files, for tables and price lists alike."""

from __future__ import annotations

import csv
import gzip
import io
import itertools
import secrets
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from frugalforest.errors import DataError
from frugalforest.storage.memory import check_fits, size_of

__all__ = ["MAX_BYTES", "DelimitedText", "check_is_file", "read_delimited"]

# Read, a table of numbers takes 5 (18 digits) to 14 times (one digit) the size of its file: besides
# its characters, a cell takes so many bytes.
MAX_BYTES = 2**30
_BYTES_OF_CELL = 80
_SEPARATORS = ",;\t"
_PART = 2**20


@dataclass(frozen=True)
class DelimitedText:
    """The fields of a file, as they were written.

    Attributes
    ----------
    header : list of str
        The first line that is not blank.
    rows : list of list of str
        The others, each with as many fields as the header.
    lines : list of int
        The line of the file on which each row ends.
    separator : str
    """

    header: list[str]
    rows: list[list[str]]
    lines: list[int]
    separator: str


def read_delimited(
    file: Path,
    error: type[ValueError] = DataError,
    *,
    encoding: str | None = None,
    separator: str | None = None,
    max_bytes: int = MAX_BYTES,
) -> DelimitedText:
    r"""Read a file of rows and fields. Blank lines count for nothing, short rows are filled up.

    Parameters
    ----------
    file : Path
        Unpacked on the way if its name ends in .gz.
    error : type of ValueError
        What is raised if it cannot be read.
    encoding : str, optional
        UTF-8, with or without a byte order mark, by default.
    separator : str, optional
        By default the one of comma, semicolon and tab that is most often in the first line.
    max_bytes : int
        The most text that is read.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "t.csv")
    ...     _ = path.write_text("id;age\n007;50\n\n008\n")
    ...     text = read_delimited(path)
    >>> text.header, text.rows, text.lines
    (['id', 'age'], [['007', '50'], ['008', '']], [2, 4])
    """
    check_is_file(file, error)
    if separator and (len(separator) != 1 or separator in '"\r\n '):
        raise error(f"{separator!r} is no separator: give one character, such as ; or a tab.")
    name = encoding or "UTF-8"
    try:
        with _opened(file, error, name, max_bytes) as stream:
            return _read_rows(stream, separator, file, error)
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise error(f"{file.name} cannot be unpacked: it is damaged or no .gz file.") from None
    except UnicodeError:
        raise error(
            f"{file.name} is not {name} text. Save it as CSV with the encoding UTF-8, or say which "
            "encoding it has."
        ) from None
    except LookupError:
        raise error(f"{name!r} is no encoding: use a name such as utf-8 or latin-1.") from None


def _read_rows(
    stream: Iterable[str], separator: str | None, file: Path, error: type[ValueError]
) -> DelimitedText:
    lines_of_file = iter(stream)
    numbered = enumerate(lines_of_file, start=1)
    number, top = next(((n, text) for n, text in numbered if text.strip("\r\n")), (1, ""))
    separator = separator or max(_SEPARATORS, key=top.count)
    # A line of our own after the last one: in an open quote, it is no row of its own.
    end = secrets.token_hex().replace(separator, "")
    reader = csv.reader(
        itertools.chain([top], lines_of_file, [end]), delimiter=separator, skipinitialspace=True
    )
    header: list[str] = []
    rows, lines, line = [], [], 0
    try:
        for row in reader:
            if row == [end]:
                break
            if row and row[-1].endswith(end):
                raise error(
                    f'{file.name}: a quote (") in the row that begins in line '
                    f"{line + 1 if header else number} is never closed. Close it, or leave it out."
                )
            line = reader.line_num + number - 1
            if not header:
                header = row
            elif len(row) > len(header) and any(row[len(header) :]):
                raise error(
                    f"{file.name}, line {line} has {len(row)} fields, but the header has "
                    f"{len(header)}. Name every column, and put text and numbers that hold the "
                    "separator in quotes."
                )
            elif any(row):
                rows.append([*row[: len(header)], *[""] * (len(header) - len(row))])
                lines.append(line)
    except csv.Error as problem:
        reason = str(problem)
        if "field limit" in reason:
            reason = f"a field of more than {csv.field_size_limit():,} characters: is a quote open?"
        raise error(f"{file.name}, line {line + 1} cannot be read: {reason}") from None
    return DelimitedText(header, rows, lines, separator)


def check_is_file(file: Path, error: type[ValueError] = DataError) -> None:
    """Raise unless there is such a file."""
    if file.is_dir():
        raise error(f"{str(file)!r} is a folder: give a file in it.")
    if not file.exists():
        raise error(f"there is no file {str(file)!r}: check the path.")


@contextmanager
def _opened(
    file: Path, error: type[ValueError], encoding: str, max_bytes: int
) -> Iterator[IO[str]]:
    # Drops the byte order mark that spreadsheets put first.
    codec = "utf-8-sig" if encoding.lower() in {"utf-8", "utf8"} else encoding
    is_packed = file.name.lower().endswith(".gz")
    size = _unpacked_size(file, max_bytes) if is_packed else file.stat().st_size
    if size > max_bytes:
        raise error(
            f"{file.name} holds {'more than ' if is_packed else ''}{size_of(size)} of text, and at "
            f"most {size_of(max_bytes)} are read at once. Take some of its rows or columns, or "
            "save it as Parquet."
        )
    if size > _PART:  # what is smaller always fits
        _check_memory(file, error, size, is_packed)
    with gzip.open(file) if is_packed else file.open("rb") as binary:
        yield io.TextIOWrapper(binary, encoding=codec, newline="")


def _check_memory(file: Path, error: type[ValueError], size: int, is_packed: bool) -> None:
    """Refuse what would not fit, by the cells in its first part."""
    with gzip.open(file) if is_packed else file.open("rb") as binary:
        part = binary.read(_PART)
    separators = max(part.count(s.encode()) for s in _SEPARATORS)
    n_cells = size / len(part) * (separators + part.count(b"\n"))
    check_fits(
        f"{file.name} ({size_of(size)} of text, some {round(n_cells, -5):,.0f} cells)",
        size + _BYTES_OF_CELL * n_cells,
        "Take some of its rows or columns, or save it as Parquet, which takes a fifth of that.",
        error,
    )


def _unpacked_size(file: Path, max_bytes: int) -> int:
    """The size of what is packed, up to one more than `max_bytes`. It is never held in memory."""
    size = 0
    with gzip.open(file) as packed:
        while size <= max_bytes and (part := packed.read(_PART)):
            size += len(part)
    return min(size, max_bytes + 1)
