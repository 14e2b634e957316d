"""What the benchmarks of choices share: a problem to choose on, the test of a set, rows."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.evaluation.resampling import MeanEstimate
from frugalforest.model.final import Final
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import vote_error
from frugalforest.tables import column_checks
from frugalforest.tables.screening import screened
from problems import Drawn

Row = dict[str, object]


def problem_of(drawn: Drawn, seed: int, n_trees: int) -> Problem:
    """What there is to choose from, without columns that cannot help."""
    problem = Problem.from_table(
        *(drawn.X, drawn.y, drawn.costs), random_state=seed, forests=ForestSettings(n_trees=n_trees)
    )
    problem.prices = screened(problem.prices, column_checks(problem.table, problem.outcome))
    return problem


def test_labels(problem: Problem, drawn: Drawn) -> NDArray[np.intp]:
    """Classes of the rows to test on, as the problem numbers them."""
    code = {label: k for k, label in enumerate(problem.outcome.classes.tolist())}
    return np.array([code[label] for label in np.asarray(drawn.y_test).tolist()])


def test_error(problem: Problem, features: FeatureSet, drawn: Drawn, final: Final | None) -> float:
    """Of the model of a set, made on all rows of the problem; of guessing, if it is empty.

    Without a final model it is the forest.
    """
    labels = test_labels(problem, drawn)
    if not features:
        return float((labels != problem.outcome.counts.argmax()).mean())
    new_rows = problem.table.schema.read(drawn.X_test)
    if final is not None:
        said = final.measured(problem, [features], new_rows)[1]
        return vote_error(said[0], labels)
    return vote_error(problem.predict([features], new_rows)[0], labels)


def read_rows(path: Path | None) -> list[Row]:
    """Rows that were made before; none without a file."""
    if path is None or not path.exists():
        return []
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def write_rows(path: Path, fields: Sequence[str], rows: list[Row]) -> None:
    """All rows, by problem, draw and budget."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(sorted(rows, key=_order))


def _order(row: Row) -> tuple[object, ...]:
    return str(row["problem"]), *(float(str(row.get(name, 0))) for name in ("draw", "budget"))


def in_points(difference: MeanEstimate) -> str:
    """A mean difference in percentage points; its interval, unless one draw tells none."""
    text = f"{100 * difference.mean:+.2f}"
    if np.isnan(difference.low):
        return text
    return f"{text} ({100 * difference.low:+.2f} to {100 * difference.high:+.2f})"
