"""The results of a study in one SQLite file.

::

    units ──┬─ sets         one row a feature set: its price, out-of-bag scores, test error
            ├─ candidates   (method, budget, ξ) → set
            ├─ choices      (method, budget, strategy) → ξ
            ├─ runs         a method that is finished on the unit: seconds, versions
            ├─ failures     a method that failed on it: why. Never together with results
            └─ checksums    of all that is stored of a finished method, or of a failure

The out-of-bag error and the test error of a set are by the score of its unit. It is the error
unless the unit's parameters name another, which its key tells, too.

A unit is written in one transaction, with its `runs` rows: a process killed at any moment leaves
either all of a unit or nothing. A method whose rows have changed since is as if it were not
finished: it is left out, that is said, and the next run does it again.

The file is in SQLite's rollback-journal mode, not in WAL mode. One process writes, for some
milliseconds every few seconds, so readers gain nothing from WAL. And WAL needs shared memory,
which the network file systems of clusters do not give, and two more files beside the store while
it is open.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple, Self, TypeVar

from frugalforest.storage.database import Database, Format, Older
from frugalforest.study.design import Design, StudyError
from frugalforest.study.unit import Failure, UnitResults
from frugalforest.words.wording import printable

__all__ = ["FailureRow", "ResultRow", "RunRow", "Store"]

_LOG = logging.getLogger("frugalforest")

_FIRST_SCHEMA = """\
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
) WITHOUT ROWID"""
_TABLES = tuple(_FIRST_SCHEMA.split(";\n"))
_CHECKSUMS = """\
CREATE TABLE checksums (
    kind TEXT NOT NULL, key TEXT NOT NULL, method TEXT NOT NULL, checksum BLOB NOT NULL,
    PRIMARY KEY (kind, key, method)
) WITHOUT ROWID"""


class _Part(NamedTuple):
    """What has a checksum: a method on a unit."""

    unit: int
    key: str
    method: str


def _checksums(database: Database, unit: int | None = None) -> dict[_Part, bytes]:
    """Of the results of each method on each unit, or on one, as they are in the file now.

    Over all that is stored of them: of the unit, the run, the candidates with their sets, and the
    choices. Each set is written out once, however many candidates it has.
    """

    def rows(table: str, unit_column: str = "unit") -> Iterator[Sequence[Any]]:
        where = "" if unit is None else f"WHERE {unit_column} = {unit}"
        # The order of the primary keys, in which they lie in the file.
        return database.query(f"SELECT * FROM {table} {where} ORDER BY 1, 2, 3, 4")

    units = {row[0]: row for row in rows("units", "id")}
    sets = {(row[1], row[0]): repr(row) for row in rows("sets")}
    sums: dict[tuple[int, str], Any] = defaultdict(hashlib.sha256)
    for of_unit, method, *run in rows("runs"):
        sums[of_unit, method].update(f"{units.get(of_unit)} {run}".encode())
    for (of_unit, method), candidates in groupby(rows("candidates"), itemgetter(0, 1)):
        texts = (f"{b!r} {xi!r} {sets.get((of_unit, s))}" for _, _, b, xi, s in candidates)
        sums[of_unit, method].update("\n".join(texts).encode())
    for of_unit, method, *choice in rows("choices"):
        sums[of_unit, method].update(repr(choice).encode())
    return {
        _Part(of_unit, units[of_unit][1] if of_unit in units else "", method): digest.digest()
        for (of_unit, method), digest in sums.items()
    }


def _keep_checksums(database: Database, kind: str, sums: Mapping[_Part, bytes]) -> None:
    database.execute_all(
        "INSERT OR REPLACE INTO checksums VALUES (?, ?, ?, ?)",
        [(kind, part.key, part.method, checksum) for part, checksum in sums.items()],
    )


def _trust_what_is_there(database: Database) -> None:
    """A store from before there were checksums gets those of what it holds."""
    database.execute(_CHECKSUMS)
    _keep_checksums(database, "run", _checksums(database))
    _keep_checksums(
        database,
        "failure",
        {
            _Part(0, row[0], row[2]): _failure_checksum(row)
            for row in database.query("SELECT * FROM failures")
        },
    )


def _failure_checksum(row: Sequence[Any]) -> bytes:
    return hashlib.sha256(repr(tuple(row)).encode()).digest()


_FORMAT = Format(
    name="study store",
    version=2,
    schema=(*_TABLES, _CHECKSUMS),
    error=StudyError,
    way_out="give another file. If it is what a study left and there is no copy of it, remove it: "
    "`study run` computes everything again.",
    older={1: Older(_TABLES, _trust_what_is_there)},
)


class ResultRow(NamedTuple):
    """A set that a method bought, with its scores. `strategy` is None in rows over all ξ.

    `oob_error` and `test_error` are by the unit's score, the error by default.
    """

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


_Row = TypeVar("_Row", RunRow, FailureRow, ResultRow)

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
        self._database = Database(self.path, _FORMAT, create=create)
        try:
            self._damaged = self._find_damaged()
            if self._damaged:
                _LOG.warning(
                    "%s: finished methods of units whose results are damaged and left out: %d. "
                    "`study run` computes them again.",
                    printable(str(self.path)),
                    len(self._damaged),
                )
                if create:
                    self._drop_damaged()
        except BaseException:
            self._database.__exit__()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._database.__exit__()

    def _find_damaged(self) -> set[_Part]:
        kept = {
            (key, method): checksum
            for key, method, checksum in self._database.query(
                "SELECT key, method, checksum FROM checksums WHERE kind = 'run'"
            )
        }
        return {
            part
            for part, checksum in _checksums(self._database).items()
            if kept.get((part.key, part.method)) != checksum
        }

    def _drop_damaged(self) -> None:
        """Make room for the results of the next run. Nothing that is whole refers to what goes."""
        with self._database.transaction():
            self._database.execute("REINDEX")  # they may be what is damaged
            for table in ("candidates", "choices", "runs"):
                self._database.execute_all(
                    f"DELETE FROM {table} WHERE unit = ? AND method = ?",
                    [(part.unit, part.method) for part in self._damaged],
                )
            self._database.execute(
                "DELETE FROM sets WHERE id NOT IN (SELECT feature_set FROM candidates)"
            )
            self._database.execute("DELETE FROM units WHERE id NOT IN (SELECT unit FROM runs)")
        self._damaged = set()

    def add(self, outcome: UnitResults) -> None:
        """Write all results of a unit, and forget that it failed before."""
        with self._database.transaction():
            unit = self._add_unit(outcome)
            self._add_sets(unit, outcome)
            ids: dict[str, int] = dict(
                self._database.query("SELECT features, id FROM sets WHERE unit = ?", [unit])
            )
            now = _now()
            for run in outcome.runs:
                self._database.execute_all(
                    "INSERT OR REPLACE INTO candidates VALUES (?, ?, ?, ?, ?)",
                    [
                        (unit, run.method, budget, xi, ids[_text(features)])
                        for (budget, xi), features in run.sets.items()
                    ],
                )
                self._database.execute_all(
                    "INSERT OR REPLACE INTO choices VALUES (?, ?, ?, ?, ?)",
                    [
                        (unit, run.method, budget, strategy, xi)
                        for (budget, strategy), xi in run.chosen_xi.items()
                    ],
                )
                self._database.execute(
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
                self._database.execute(
                    "DELETE FROM failures WHERE key = ? AND method = ?",
                    (outcome.unit.key, run.method),
                )
            methods = {run.method for run in outcome.runs}
            sums = _checksums(self._database, unit)
            _keep_checksums(
                self._database,
                "run",
                {part: checksum for part, checksum in sums.items() if part.method in methods},
            )

    def _add_unit(self, outcome: UnitResults) -> int:
        unit = outcome.unit
        self._database.execute(
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
        ((identity,),) = self._database.query("SELECT id FROM units WHERE key = ?", [unit.key])
        return int(identity)

    def _add_sets(self, unit: int, outcome: UnitResults) -> None:
        # A set that is there already came from another method, with the same numbers.
        self._database.execute_all(
            "INSERT OR IGNORE INTO sets"
            " (unit, features, n_features, cost, oob_error, brier, n_unvoted, test_error)"
            " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            [
                (
                    unit,
                    _text(scored.features),
                    len(scored.features),
                    scored.cost,
                    scored.score.value,
                    scored.score.brier,
                    scored.score.n_unvoted,
                    scored.test_error,
                )
                for scored in outcome.sets
            ],
        )

    def add_failure(self, failure: Failure) -> None:
        """Write that a unit failed, and why. It is no result: the next run tries again."""
        key, design, now = failure.unit.key, failure.unit.design, _now()
        rows = [
            (key, design, method, failure.message, failure.details, now)
            for method in failure.methods
        ]
        with self._database.transaction():
            self._database.execute_all(
                "INSERT OR REPLACE INTO failures VALUES (?, ?, ?, ?, ?, ?)", rows
            )
            _keep_checksums(
                self._database,
                "failure",
                {_Part(0, row[0], row[2]): _failure_checksum(row) for row in rows},
            )

    def finished(self, design: Design) -> list[RunRow]:
        """The finished methods of the design's units."""
        query = """
            SELECT units.key, units.source, runs.method, select_seconds, score_seconds
            FROM runs JOIN units ON units.id = runs.unit
            WHERE design = ? ORDER BY units.source, draw, replicate, method
        """
        rows = self._database.query(query, [design.name])
        return self._of_design(design, (RunRow(*row) for row in rows))

    def failures(self, design: Design) -> list[FailureRow]:
        """The failed methods of the design's units, those not asked for left out."""
        query = """
            SELECT failures.*, checksum
            FROM failures LEFT JOIN checksums c
                ON kind = 'failure' AND c.key = failures.key AND c.method = failures.method
            WHERE design = ? ORDER BY failures.key, failures.method
        """
        whole = (
            row
            for *row, checksum in self._database.query(query, [design.name])
            if checksum == _failure_checksum(row)
        )
        return self._of_design(
            design, (FailureRow(key, method, text) for key, _, method, text, *_ in whole)
        )

    def candidates(self, design: Design) -> list[ResultRow]:
        """What every method bought at every budget and ξ."""
        query = f"""
            SELECT {_RESULT_COLUMNS.format(strategy="NULL")}
            FROM candidates c
            JOIN units ON units.id = c.unit JOIN sets ON sets.id = c.feature_set
            WHERE design = ? ORDER BY units.source, draw, replicate, c.method, c.budget, c.xi
        """
        rows = self._database.query(query, [design.name])
        return self._of_design(design, map(_result_row, rows))

    def choices(self, design: Design) -> list[ResultRow]:
        """What every method bought at every budget by each strategy for ξ."""
        query = f"""
            SELECT {_RESULT_COLUMNS.format(strategy="choices.strategy")}
            FROM choices JOIN candidates c USING (unit, method, budget, xi)
            JOIN units ON units.id = c.unit JOIN sets ON sets.id = c.feature_set
            WHERE design = ?
            ORDER BY units.source, draw, replicate, c.method, c.budget, choices.strategy
        """
        rows = self._database.query(query, [design.name])
        return self._of_design(design, map(_result_row, rows))

    def _of_design(self, design: Design, rows: Iterable[_Row]) -> list[_Row]:
        """Rows of the design's own units and methods, damaged ones left out.

        The design's name alone does not say which units: it may have been run with other
        parameters, too.
        """
        wanted = {(unit.key, method) for unit in design.units for method in design.methods}
        wanted -= {(part.key, part.method) for part in self._damaged}
        return [row for row in rows if (row.key, row.method) in wanted]


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
