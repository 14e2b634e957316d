"""A ledger of finished work in one SQLite file: what is in it need not be done again.

An entry is written in one transaction when its work is finished, so a process killed at any moment
loses only the work in flight. Each has a checksum over its key and its result: one whose bytes
have changed since is as if it were not there, and is counted.
"""

from __future__ import annotations

import hashlib
import json
import logging
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Self

from frugalforest.errors import DataError
from frugalforest.storage.database import Database, Format, Older
from frugalforest.words.wording import printable

__all__ = ["Ledger"]

_LOG = logging.getLogger("frugalforest")


def _forget_unchecked_rows(database: Database) -> None:
    ((n_rows,),) = database.query("SELECT count(*) FROM finished")
    database.execute("DROP TABLE finished")
    for statement in _FORMAT.schema:
        database.execute(statement)
    if n_rows:
        _LOG.warning(
            "%s: results of an older frugalforest, without checksums, and computed again: %d.",
            printable(str(database.path)),
            n_rows,
        )


_FORMAT = Format(
    name="ledger",
    version=1,
    # Results are bytes to SQLite, which then changes nothing in them.
    schema=(
        "CREATE TABLE finished"
        " (key TEXT PRIMARY KEY, result BLOB NOT NULL, checksum BLOB NOT NULL)",
    ),
    error=DataError,
    way_out="give another file, or remove it if it is what an earlier run left (on the command "
    "line: --fresh).",
    older={
        0: Older(
            ("CREATE TABLE finished (key TEXT PRIMARY KEY, result TEXT NOT NULL)",),
            _forget_unchecked_rows,
        )
    },
)


class Ledger:
    """Results by key, kept in a file; without a file, nothing is kept.

    Results are what JSON can hold: a tuple comes back as a list.

    Attributes
    ----------
    damaged : int
        How many results that were asked for were damaged.

    Examples
    --------
    >>> with Ledger(None) as ledger:
    ...     ledger.put("a", {"error": 0.1})
    ...     ledger.get_all(["a"])
    {}
    """

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self.damaged = 0
        self._database: Database | None = None
        if path is None:
            return
        file = Path(path)
        if not file.parent.is_dir():
            raise DataError(f"the folder of {str(file)!r} does not exist: make it first.")
        self._database = Database(file, _FORMAT)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._database is not None:
            self._database.__exit__()

    def get_all(self, keys: Iterable[str]) -> dict[str, Any]:
        """The results that are there and as they were written."""
        if self._database is None:
            return {}
        found = {}
        n_damaged = 0
        query = "SELECT result, checksum FROM finished WHERE key = ?"
        for key in keys:
            for result, checksum in self._database.query(query, [key]):
                if isinstance(result, bytes) and checksum == _checksum(key, result):
                    found[key] = json.loads(result)
                else:
                    n_damaged += 1
        if n_damaged:
            self.damaged += n_damaged
            _LOG.warning(
                "%s: kept results that are damaged, and computed again: %d.",
                printable(str(self._database.path)),
                n_damaged,
            )
        return found

    def put(self, key: str, result: Any) -> None:
        """Keep a result."""
        if self._database is None:
            return
        content = json.dumps(result).encode()
        with self._database.transaction():
            self._database.execute(
                "INSERT OR REPLACE INTO finished VALUES (?, ?, ?)",
                [key, content, _checksum(key, content)],
            )


def _checksum(key: str, result: bytes) -> bytes:
    # The length of the key says where it ends.
    name = key.encode()
    return hashlib.sha256(len(name).to_bytes(8, "little") + name + result).digest()
