"""Finished rows of a store, arranged by cell, contestant and ξ.

A *cell* is a source, a draw and a budget; in it every contestant has one test error a replicate, on
the same data. Of a design by another score, errors are what that score says on the test rows.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.study.contestants import contestant_of
from frugalforest.study.design import Design, StudyError, study_methods
from frugalforest.study.store import ResultRow, RunRow, Store

__all__ = ["Cell", "Replicates", "Results", "read_results", "replicate_errors"]

Array = NDArray[np.float64]

# Rows by replicate.
Replicates = Mapping[int, ResultRow]


class Cell(NamedTuple):
    """Where contestants meet: one source, one draw, one budget."""

    source: str
    draw: int
    budget: float


def replicate_errors(replicates: Replicates) -> Array:
    """Test errors, one a replicate."""
    return np.array([row.test_error for row in replicates.values()], dtype=np.float64)


@dataclass(frozen=True)
class Results:
    """What is finished of a design, arranged for tables and figures.

    Attributes
    ----------
    design : Design
    candidates, choices, runs : sequences of ResultRow and RunRow
        The rows of the store, in its order: by ξ, by strategy, and by method.
    """

    design: Design
    candidates: Sequence[ResultRow]
    choices: Sequence[ResultRow]
    runs: Sequence[RunRow]

    @cached_property
    def chosen(self) -> Mapping[Cell, Mapping[str, Replicates]]:
        """Rows by replicate, of each cell and contestant."""
        found: dict[Cell, dict[str, dict[int, ResultRow]]] = defaultdict(lambda: defaultdict(dict))
        for row in self.choices:
            contestant = contestant_of(row.method, str(row.strategy))
            found[Cell(row.source, row.draw, row.budget)][contestant][row.replicate] = row
        return {cell: dict(by_contestant) for cell, by_contestant in sorted(found.items())}

    @cached_property
    def tried(self) -> Mapping[Cell, Mapping[str, Mapping[float, Replicates]]]:
        """Rows by replicate, of each cell, method and ξ."""
        found: dict[Cell, dict[str, dict[float, dict[int, ResultRow]]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(dict))
        )
        for row in self.candidates:
            cell = Cell(row.source, row.draw, row.budget)
            found[cell][row.method][row.xi][row.replicate] = row
        return {cell: dict(by_method) for cell, by_method in sorted(found.items())}

    @cached_property
    def contestants(self) -> tuple[str, ...]:
        """All contestants that occur, in the order of the methods."""
        found = {name for by_contestant in self.chosen.values() for name in by_contestant}
        order = [
            contestant_of(m, s) for m in study_methods() for s in ("tuned", "agnostic", "simple")
        ]
        return tuple(name for name in dict.fromkeys(order) if name in found)

    @cached_property
    def tuned(self) -> tuple[str, ...]:
        """The contestants of the paper's main comparison: tuned ones, and FS-0 and FS-1."""
        return tuple(name for name in self.contestants if name in study_methods())

    @cached_property
    def with_baselines(self) -> tuple[str, ...]:
        """The tuned ones and their cost-agnostic baselines."""
        return tuple(c for c in self.contestants if c in study_methods() or c.endswith("-0"))

    @cached_property
    def has_several_draws(self) -> bool:
        """Whether there is variation from draw to draw to speak of."""
        return len({cell.draw for cell in self.chosen}) > 1

    def errors_of(self, cell: Cell, contestant: str) -> Array:
        """Test errors of one contestant, one a replicate; none if it was not run there."""
        return replicate_errors(self.chosen[cell].get(contestant, {}))

    def paired_errors(self, cell: Cell, contestants: Sequence[str]) -> Array:
        """Test errors, one row a contestant, of the replicates that all of them have."""
        rows = [self.chosen[cell].get(name, {}) for name in contestants]
        common = sorted(set.intersection(*(set(r) for r in rows)))
        return np.array([[r[i].test_error for i in common] for r in rows]).reshape(
            len(rows), len(common)
        )

    def draw_means(self, source: str, budget: float, contestants: Sequence[str]) -> Array:
        """Mean errors, one row a contestant and one column a draw that all of them have."""
        cells = [c for c in self.chosen if c.source == source and c.budget == budget]
        means = [
            errors.mean(axis=1)
            for errors in (self.paired_errors(cell, contestants) for cell in cells)
            if errors.size
        ]
        return np.array(means).reshape(len(means), len(contestants)).T

    def overlap_ratio(self, cell: Cell) -> float:
        """Test rows per training row if splits share rows, and 0 if data sets are independent."""
        sources = {unit.source.name: unit.source for unit in self.design.units}
        if not sources[cell.source].test_rows_overlap:
            return 0.0
        row = next(iter(next(iter(self.chosen[cell].values())).values()))
        return row.n_test / row.n_train


def read_results(design: Design, store: Store) -> Results:
    """All finished rows of a design."""
    results = Results(
        design, store.candidates(design), store.choices(design), store.finished(design)
    )
    if not results.choices:
        raise StudyError(
            f"the store has no finished unit of {design.full_name!r} with these methods: "
            "`study run` makes them."
        )
    return results
