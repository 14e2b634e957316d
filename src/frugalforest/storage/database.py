"""SQLite files of a known format, which say in one line what is wrong with them.

A file that is damaged, foreign, full or from a newer version is an ordinary event in a run of many
hours: each becomes one error that names the file and the way out, never SQLite's own.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, Self

__all__ = ["Database", "Format", "Older"]

Row = tuple[Any, ...]

# A reader may have to wait for a writer, and the other way round; both are short.
_WAIT_SECONDS = 60

# The file itself is as it should be, but cannot be read or written here and now.
_NOT_NOW = {
    sqlite3.SQLITE_AUTH,
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_CANTOPEN,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_PERM,
    sqlite3.SQLITE_READONLY,
}


@dataclass(frozen=True)
class Older:
    """A format of before: its tables, and how to bring a file from it to the present one."""

    schema: tuple[str, ...]
    bring_up: Callable[[Database], None]


@dataclass(frozen=True)
class Format:
    """What a file must hold to be one of ours.

    Attributes
    ----------
    name : str
        For messages: "ledger".
    version : int
        From 1; kept as SQLite's user_version. An empty file has 0.
    schema : tuple of str
        The statements that make the tables.
    older : mapping of int to Older
        Versions that can be brought up to this one.
    error : type of ValueError
        What is raised.
    way_out : str
        What to do with a file that is damaged: ends the message.
    """

    name: str
    version: int
    schema: tuple[str, ...]
    error: type[ValueError]
    way_out: str
    older: Mapping[int, Older] = field(default_factory=dict)


class Database:
    """A file of a format. Use it as a context manager.

    Opening checks the version, the tables and the structure of the file, so that nothing is
    written to a damaged one. What the rows hold is for their owner to check.

    Parameters
    ----------
    path : path
    form : Format
    create : bool, default=True
        Make the file if it is not there, and the tables if it is empty.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> notes = Format("notebook", 1, ("CREATE TABLE notes (text TEXT)",), ValueError, "burn it.")
    >>> with TemporaryDirectory() as folder, Database(f"{folder}/notes", notes) as database:
    ...     with database.transaction():
    ...         database.execute("INSERT INTO notes VALUES (?)", ["first"])
    ...     list(database.query("SELECT text FROM notes"))
    [('first',)]
    """

    def __init__(self, path: str | PathLike[str], form: Format, *, create: bool = True) -> None:
        self.path = Path(path)
        self._form = form
        self._create = create
        # Read-only only if it must be: a reader with write access can undo what a killed process
        # left half-written.
        mode = "rwc" if create else "rw" if os.access(self.path, os.W_OK) else "ro"
        with self._one_line():
            # No implicit transactions: they begin and end where the code says so.
            self._connection = sqlite3.connect(
                f"{self.path.resolve().as_uri()}?mode={mode}",
                uri=True,
                timeout=_WAIT_SECONDS,
                isolation_level=None,
            )
            # Text that is damaged is other text, and for its owner to find out.
            self._connection.text_factory = partial(str, encoding="utf-8", errors="replace")
        try:
            with self._one_line():
                self._prepare()
        except BaseException:
            self._connection.close()
            raise

    def _prepare(self) -> None:
        # SQLite looks at each cell before it follows it: slower, and safe with damaged files.
        self.execute("PRAGMA cell_size_check = ON")
        if self._found() != self._wanted():
            with self.transaction():
                # Looked at inside, because another process may have made the tables meanwhile.
                self._make_or_bring_up()
        ((verdict,),) = self.query("PRAGMA quick_check(1)")
        if verdict != "ok":
            raise self._damaged(verdict)

    def _make_or_bring_up(self) -> None:
        version, tables = self._found()
        older = self._form.older.get(version)
        if (version, tables) == self._wanted():
            return
        if version == 0 and not tables and self._create:
            for statement in self._form.schema:
                self.execute(statement)
        elif older is not None and tables == _tables_of(older.schema):
            older.bring_up(self)
        elif version > self._form.version:
            raise self._damaged(
                f"its version is {version}, this frugalforest writes {self._form.version}"
            )
        else:
            raise self._damaged("it holds other tables" if tables else "it is empty")
        self.execute(f"PRAGMA user_version = {self._form.version}")

    def _wanted(self) -> tuple[int, list[Row]]:
        return self._form.version, _tables_of(self._form.schema)

    def _found(self) -> tuple[int, list[Row]]:
        ((version,),) = self.query("PRAGMA user_version")
        return version, list(self.query(_TABLES))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def query(self, sql: str, values: Sequence[Any] = ()) -> Iterator[Row]:
        """The rows of an answer, which may be more than memory holds."""
        with self._one_line():
            yield from self._connection.execute(sql, values)

    def execute(self, sql: str, values: Sequence[Any] = ()) -> None:
        """Do something, inside a transaction."""
        with self._one_line():
            self._connection.execute(sql, values)

    def execute_all(self, sql: str, values: Iterable[Sequence[Any]]) -> None:
        """Do something for each of several lots of values, inside a transaction."""
        with self._one_line():
            self._connection.executemany(sql, values)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All that is executed inside, or nothing of it, however the process ends."""
        self.execute("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):  # a full disk has rolled back already
                self._connection.execute("ROLLBACK")
            raise

    @contextmanager
    def _one_line(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as error:  # SQLite's messages quote the file
            # The lower byte is the kind; errors of Python's own layer have none.
            kind = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF
            if kind not in _NOT_NOW:
                raise self._damaged(str(error)) from None
            raise self._form.error(
                f"{str(self.path)!r} cannot be read or written ({error}). What is in it is kept: "
                "make room or see to its permissions, and run again; or give another file."
            ) from None

    def _damaged(self, reason: str) -> ValueError:
        # SQLite quotes from the file.
        reason = "".join(c if c.isprintable() else " " for c in reason)
        return self._form.error(
            f"{str(self.path)!r} is damaged or no {self._form.name} ({reason}): "
            f"{self._form.way_out}"
        )


_TABLES = "SELECT type, name, tbl_name, sql FROM sqlite_master ORDER BY name"


def _tables_of(schema: Sequence[str]) -> list[Row]:
    """The tables as SQLite describes them, with the indices that it adds."""
    with closing(sqlite3.connect(":memory:")) as connection:
        for statement in schema:
            connection.execute(statement)
        return connection.execute(_TABLES).fetchall()
