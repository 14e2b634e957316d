"""A ledger of finished work in one SQLite file: what is in it need not be done again.

An entry is written in one transaction when its work is finished, so a process killed at any moment
loses only the work in flight.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any, Self

from frugalforest.errors import DataError

__all__ = ["Ledger"]


class Ledger:
    """Results by key, kept in a file; without a file, nothing is kept.

    Examples
    --------
    >>> with Ledger(None) as ledger:
    ...     ledger.put("a", {"error": 0.1})
    ...     ledger.get_all(["a"])
    {}
    """

    def __init__(self, path: str | PathLike[str] | None) -> None:
        self._connection: sqlite3.Connection | None = None
        if path is None:
            return
        file = Path(path)
        if not file.parent.is_dir():
            raise DataError(f"the folder of {str(file)!r} does not exist: make it first.")
        try:
            self._connection = sqlite3.connect(file, timeout=60)
            self._connection.execute(
                "CREATE TABLE IF NOT EXISTS finished (key TEXT PRIMARY KEY, result TEXT NOT NULL)"
            )
            self._connection.commit()
        except sqlite3.Error as error:
            if self._connection is not None:
                self._connection.close()
            raise DataError(
                f"{str(file)!r} cannot be used to keep results ({error}): give another "
                "file, or remove it if it is what an earlier run left."
            ) from None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self._connection is not None:
            self._connection.close()

    def get_all(self, keys: Iterable[str]) -> dict[str, Any]:
        """The results that are there."""
        if self._connection is None:
            return {}
        found = {}
        for key in keys:
            row = self._connection.execute(
                "SELECT result FROM finished WHERE key = ?", (key,)
            ).fetchone()
            if row is not None:
                found[key] = json.loads(row[0])
        return found

    def put(self, key: str, result: Any) -> None:
        """Keep a result."""
        if self._connection is None:
            return
        with self._connection:
            self._connection.execute(
                "INSERT OR REPLACE INTO finished VALUES (?, ?)", (key, json.dumps(result))
            )
