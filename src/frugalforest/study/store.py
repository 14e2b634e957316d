"""The results of a study in one SQLite file.

::

    units ──┬─ sets         one row a feature set: its price, out-of-bag scores, test error
            ├─ candidates   (method, budget, ξ) → set
            ├─ choices      (method, budget, strategy) → ξ
            ├─ runs         a method that is finished on the unit: seconds, versions
            └─ failures     a method that failed on it: why. Never together with results

A unit is written in one transaction, with its `runs` rows: a process killed at any moment leaves
either all of a unit or nothing.

The file is in SQLite's rollback-journal mode, not in WAL mode. One process writes, for some
milliseconds every few seconds, so readers gain nothing from WAL. And WAL needs shared memory,
which the network file systems of clusters do not give, and two more files beside the store while
it is open.
"""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple, Self

from frugalforest.study.design import Design, StudyError
from frugalforest.study.unit import Failure, Outcome

__all__ = ["FailureRow", "ResultRow", "RunRow", "Store"]

_SCHEMA_VERSION = 1
_SCHEMA = """
CREATE TABLE units (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, design TEXT NOT NULL, source TEXT NOT NULL,
    draw INTEGER NOT NULL, replicate INTEGER NOT NULL,
    n_train INTEGER NOT NULL, n_test INTEGER NOT NULL,
    parameters TEXT NOT NULL, seeds TEXT NOT NULL
);
CREATE TABLE sets (
    id INTEGER PRIMARY KEY, unit INTEGER NOT NULL REFERENCES units, features TEXT NOT NULL,
    n_features INTEGER NOT NULL, cost REAL NOT NULL,
    oob_error REAL, brier REAL, n_unvoted INTEGER NOT NULL, test_error REAL NOT NULL,
    UNIQUE (unit, features)
);
CREATE TABLE candidates (
    unit INTEGER NOT NULL REFERENCES units, method TEXT NOT NULL, budget REAL NOT NULL,
    xi REAL NOT NULL, feature_set INTEGER NOT NULL REFERENCES sets,
    PRIMARY KEY (unit, method, budget, xi)
) WITHOUT ROWID;
CREATE TABLE choices (
    unit INTEGER NOT NULL REFERENCES units, method TEXT NOT NULL, budget REAL NOT NULL,
    strategy TEXT NOT NULL, xi REAL NOT NULL,
    PRIMARY KEY (unit, method, budget, strategy)
) WITHOUT ROWID;
CREATE TABLE runs (
    unit INTEGER NOT NULL REFERENCES units, method TEXT NOT NULL,
    select_seconds REAL NOT NULL, score_seconds REAL NOT NULL,
    finished_at TEXT NOT NULL, versions TEXT NOT NULL,
    PRIMARY KEY (unit, method)
) WITHOUT ROWID;
CREATE TABLE failures (
    key TEXT NOT NULL, design TEXT NOT NULL, method TEXT NOT NULL, message TEXT NOT NULL,
    details TEXT NOT NULL, failed_at TEXT NOT NULL,
    PRIMARY KEY (key, method)
) WITHOUT ROWID;
"""
# A reader may have to wait for a writer, and the other way round; both are short.
_WAIT_SECONDS = 60


class ResultRow(NamedTuple):
    """A set that a method bought, with its scores. `strategy` is None in rows over all ξ."""

    key: str
    source: str
    draw: int
    replicate: int
    n_train: int
    n_test: int
    method: str
    budget: float
    strategy: str | None
    xi: float
    n_features: int
    cost: float
    oob_error: float
    brier: float
    test_error: float
    features: str


class RunRow(NamedTuple):
    """A method finished on a unit, and the time it took."""

    key: str
    source: str
    method: str
    select_seconds: float
    score_seconds: float


class FailureRow(NamedTuple):
    """A method that failed on a unit."""

    key: str
    method: str
    message: str


_RESULT_COLUMNS = """
    units.key, units.source, units.draw, units.replicate, units.n_train, units.n_test,
    c.method, c.budget, {strategy}, c.xi,
    sets.n_features, sets.cost, sets.oob_error, sets.brier, sets.test_error, sets.features
"""


class Store:
    """The file of results. Use it as a context manager.

    Parameters
    ----------
    path : path
    create : bool, default=False
        Make the file if it is not there.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from frugalforest.study import get_design
    >>> with TemporaryDirectory() as folder, Store(f"{folder}/s.sqlite", create=True) as store:
    ...     store.finished(get_design("smoke"))
    []
    """

    def __init__(self, path: str | os.PathLike[str], *, create: bool = False) -> None:
        self.path = Path(path)
        if not create and not self.path.is_file():
            raise StudyError(f"no store {str(self.path)!r}: `study run` makes it.")
        if not self.path.parent.is_dir():
            raise StudyError(f"the folder of {str(self.path)!r} does not exist: make it first.")
        # Read-only only if it must be: a reader with write access can undo what a killed process
        # left half-written.
        writable = create or os.access(self.path, os.W_OK)
        mode = "rwc" if create else "rw" if writable else "ro"
        uri = f"{self.path.resolve().as_uri()}?mode={mode}"
        try:
            # No implicit transactions: they begin and end where the code says so.
            self._connection = sqlite3.connect(
                uri, uri=True, timeout=_WAIT_SECONDS, isolation_level=None
            )
            self._prepare(create)
        except sqlite3.Error as error:
            raise StudyError(f"{str(self.path)!r} cannot be used as a store: {error}.") from None

    def _prepare(self, create: bool) -> None:
        if create and not self._value("PRAGMA user_version"):
            with self._transaction():
                # Looked at again, because another process may have made the tables meanwhile.
                if not self._value("SELECT count(*) FROM sqlite_master"):
                    for statement in _SCHEMA.split(";\n"):
                        self._connection.execute(statement)
                    self._connection.execute(f"PRAGMA user_version = {_SCHEMA_VERSION}")
        found = self._value("PRAGMA user_version")
        if found != _SCHEMA_VERSION or not self._value(
            "SELECT count(*) FROM sqlite_master WHERE name = 'candidates'"
        ):
            self._connection.close()
            raise StudyError(
                f"{str(self.path)!r} is not a study store of this version: give another file."
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._connection.close()

    def _value(self, query: str) -> Any:
        return self._connection.execute(query).fetchone()[0]

    @contextmanager
    def _transaction(self) -> Iterator[None]:
        self._connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._connection.execute("ROLLBACK")
            raise
        self._connection.execute("COMMIT")

    def add(self, outcome: Outcome) -> None:
        """Write all results of a unit, and forget that it failed before."""
        with self._transaction():
            unit = self._add_unit(outcome)
            self._add_sets(unit, outcome)
            ids = dict(
                self._connection.execute("SELECT features, id FROM sets WHERE unit = ?", (unit,))
            )
            now = _now()
            for run in outcome.runs:
                self._connection.executemany(
                    "INSERT OR REPLACE INTO candidates VALUES (?, ?, ?, ?, ?)",
                    [
                        (unit, run.method, budget, xi, ids[_text(features)])
                        for (budget, xi), features in run.sets.items()
                    ],
                )
                self._connection.executemany(
                    "INSERT OR REPLACE INTO choices VALUES (?, ?, ?, ?, ?)",
                    [
                        (unit, run.method, budget, strategy, xi)
                        for (budget, strategy), xi in run.chosen_xi.items()
                    ],
                )
                self._connection.execute(
                    "INSERT OR REPLACE INTO runs VALUES (?, ?, ?, ?, ?, ?)",
                    (
                        unit,
                        run.method,
                        run.select_seconds,
                        run.score_seconds,
                        now,
                        json.dumps(outcome.versions),
                    ),
                )
                self._connection.execute(
                    "DELETE FROM failures WHERE key = ? AND method = ?",
                    (outcome.unit.key, run.method),
                )

    def _add_unit(self, outcome: Outcome) -> int:
        unit = outcome.unit
        self._connection.execute(
            "INSERT OR IGNORE INTO units"
            " (key, design, source, draw, replicate, n_train, n_test, parameters, seeds)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            (
                unit.key,
                unit.design,
                unit.source.name,
                unit.draw,
                unit.replicate,
                outcome.n_train,
                outcome.n_test,
                unit.parameters(),
                json.dumps(unit.source.seeds(unit.draw, unit.replicate)),
            ),
        )
        (identity,) = self._connection.execute(
            "SELECT id FROM units WHERE key = ?", (unit.key,)
        ).fetchone()
        return int(identity)

    def _add_sets(self, unit: int, outcome: Outcome) -> None:
        # A set that is there already came from another method, with the same numbers.
        self._connection.executemany(
            "INSERT OR IGNORE INTO sets"
            " (unit, features, n_features, cost, oob_error, brier, n_unvoted, test_error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    unit,
                    _text(scored.features),
                    len(scored.features),
                    scored.cost,
                    scored.score.oob_error,
                    scored.score.brier,
                    scored.score.n_unvoted,
                    scored.test_error,
                )
                for scored in outcome.sets
            ],
        )

    def add_failure(self, failure: Failure) -> None:
        """Write that a unit failed, and why. It is no result: the next run tries again."""
        with self._transaction():
            self._connection.executemany(
                "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?)",
                [
                    (
                        failure.unit.key,
                        failure.unit.design,
                        method,
                        failure.message,
                        failure.details,
                        _now(),
                    )
                    for method in failure.methods
                ],
            )

    def finished(self, design: Design) -> list[RunRow]:
        """The finished methods of the design's units."""
        query = """
            SELECT units.key, units.source, runs.method, select_seconds, score_seconds
            FROM runs JOIN units ON units.id = runs.unit
            WHERE design = ? ORDER BY units.source, draw, replicate, method
        """
        return [RunRow(*row) for row in self._of_design(query, design)]

    def failures(self, design: Design) -> list[FailureRow]:
        """The failed methods of the design's units, those not asked for left out."""
        query = "SELECT key, method, message FROM failures WHERE design = ? ORDER BY key, method"
        return [FailureRow(*row) for row in self._of_design(query, design)]

    def candidates(self, design: Design) -> list[ResultRow]:
        """What every method bought at every budget and ξ."""
        query = f"""
            SELECT {_RESULT_COLUMNS.format(strategy="NULL")}
            FROM candidates c
            JOIN units ON units.id = c.unit JOIN sets ON sets.id = c.feature_set
            WHERE design = ? ORDER BY units.source, draw, replicate, c.method, c.budget, c.xi
        """
        return [_result_row(row) for row in self._of_design(query, design)]

    def choices(self, design: Design) -> list[ResultRow]:
        """What every method bought at every budget by each strategy for ξ."""
        query = f"""
            SELECT {_RESULT_COLUMNS.format(strategy="choices.strategy")}
            FROM choices JOIN candidates c USING (unit, method, budget, xi)
            JOIN units ON units.id = c.unit JOIN sets ON sets.id = c.feature_set
            WHERE design = ?
            ORDER BY units.source, draw, replicate, c.method, c.budget, choices.strategy
        """
        return [_result_row(row) for row in self._of_design(query, design)]

    def _of_design(self, query: str, design: Design) -> Iterator[Sequence[Any]]:
        """Rows of the design's own units and methods.

        The design's name alone does not say which units: it may have been run with other
        parameters, too.
        """
        keys = {unit.key for unit in design.units}
        cursor = self._connection.execute(query, (design.name,))
        names = [column[0] for column in cursor.description]
        key, method = names.index("key"), names.index("method")
        for row in cursor.fetchall():
            if row[key] in keys and row[method] in design.methods:
                yield row


def _result_row(row: Sequence[Any]) -> ResultRow:
    found = ResultRow(*row)
    # SQLite has no NaN: it keeps a score that is undefined as NULL.
    if found.oob_error is None:
        return found._replace(oob_error=float("nan"), brier=float("nan"))
    return found


def _text(features: Sequence[int]) -> str:
    return " ".join(map(str, features))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
