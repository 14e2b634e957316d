"""Numbers from a store: means, intervals, differences, ranks. All as CSV.

A *contestant* is a method with a strategy for ξ: ``sts`` is tuned, ``sts-0`` ignores cost (ξ = 0),
``sts-1`` is the plain ratio (ξ = 1). A *cell* is a source, a draw and a budget; in it every
contestant has one test error a replicate, on the same data.

Intervals are at 95 %, from Student's t. On real data they are given twice: ``low, high`` as in the
paper, as if the splits were independent, and ``nb_low, nb_high`` after Nadeau and Bengio, which
allow for the rows that splits share.
"""

from __future__ import annotations

import csv
import io
import lzma
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon
from scipy.stats import t as student

from frugalforest.datasets import SETTINGS
from frugalforest.study.design import METHODS, Design, StudyError
from frugalforest.study.store import ResultRow, RunRow, Store

__all__ = [
    "Cell",
    "Comparison",
    "Estimate",
    "Results",
    "RowTable",
    "estimate",
    "holm",
    "label_of",
    "read_results",
    "write_tables",
]

Array = NDArray[np.float64]
Value = str | int | float | None
_LEVEL = 0.95
_SUFFIX = {"agnostic": "-0", "simple": "-1", "tuned": ""}


class Cell(NamedTuple):
    """Where contestants meet: one source, one draw, one budget."""

    source: str
    draw: int
    budget: float


@dataclass(frozen=True)
class Estimate:
    """A mean with its Monte Carlo standard error and interval; NaN from fewer than two values."""

    n: int
    mean: float
    se: float
    low: float
    high: float


def estimate(values: Sequence[float] | Array, test_train_ratio: float = 0.0) -> Estimate:
    """The mean of one value a replicate, with its uncertainty.

    `test_train_ratio` is the size of the test set over that of the training set if the replicates
    are splits of the same rows (Nadeau and Bengio 2003), and 0 if they are independent.

    Examples
    --------
    >>> found = estimate([0.1, 0.2, 0.3])
    >>> round(found.mean, 3), round(found.se, 4)
    (0.2, 0.0577)
    """
    values = np.asarray(values, dtype=np.float64)
    n = len(values)
    mean = float(values.mean())
    if n < 2:
        return Estimate(n, mean, np.nan, np.nan, np.nan)
    se = float(np.sqrt((1 / n + test_train_ratio) * values.var(ddof=1)))
    reach = float(student.ppf((1 + _LEVEL) / 2, n - 1)) * se
    return Estimate(n, mean, se, mean - reach, mean + reach)


def label_of(method: str, strategy: str) -> str:
    """The contestant's name: the method's, with the fixed ξ if there is one.

    Examples
    --------
    >>> label_of("sts", "tuned"), label_of("sts", "agnostic"), label_of("fs-1", "simple")
    ('sts', 'sts-0', 'fs-1')
    """
    return method if METHODS[method].only_xi is not None else method + _SUFFIX[strategy]


# Rows by replicate.
Replicates = dict[int, ResultRow]


@dataclass(frozen=True)
class Results:
    """What is finished of a design, arranged for tables and figures.

    Attributes
    ----------
    design : Design
    candidates, choices, runs : sequences of ResultRow and RunRow
        The rows of the store: by ξ, by strategy, and by method.
    """

    design: Design
    candidates: Sequence[ResultRow]
    choices: Sequence[ResultRow]
    runs: Sequence[RunRow]

    @cached_property
    def chosen(self) -> Mapping[Cell, Mapping[str, Replicates]]:
        """Rows by replicate, of each cell and contestant."""
        found: dict[Cell, dict[str, Replicates]] = defaultdict(lambda: defaultdict(dict))
        for row in self.choices:
            label = label_of(row.method, str(row.strategy))
            found[Cell(row.source, row.draw, row.budget)][label][row.replicate] = row
        return {cell: dict(by_label) for cell, by_label in sorted(found.items())}

    @cached_property
    def tried(self) -> Mapping[Cell, Mapping[str, Mapping[float, Replicates]]]:
        """Rows by replicate, of each cell, method and ξ."""
        found: dict[Cell, dict[str, dict[float, Replicates]]] = defaultdict(
            lambda: defaultdict(lambda: defaultdict(dict))
        )
        for row in self.candidates:
            cell = Cell(row.source, row.draw, row.budget)
            found[cell][row.method][row.xi][row.replicate] = row
        return {cell: dict(by_method) for cell, by_method in sorted(found.items())}

    @cached_property
    def contestants(self) -> tuple[str, ...]:
        """All contestants that occur, in the order of the methods."""
        found = {label for by_label in self.chosen.values() for label in by_label}
        order = [label_of(m, s) for m in METHODS for s in ("tuned", "agnostic", "simple")]
        return tuple(label for label in dict.fromkeys(order) if label in found)

    @cached_property
    def tuned(self) -> tuple[str, ...]:
        """The contestants of the paper's main comparison: tuned ones, and FS-0 and FS-1."""
        return tuple(label for label in self.contestants if label in METHODS)

    @cached_property
    def with_baselines(self) -> tuple[str, ...]:
        """The tuned ones and their cost-agnostic baselines."""
        return tuple(c for c in self.contestants if c in METHODS or c.endswith("-0"))

    def errors(self, cell: Cell, contestants: Sequence[str]) -> Array:
        """Test errors, one row a contestant, of the replicates that all of them have."""
        rows = [self.chosen[cell].get(label, {}) for label in contestants]
        common = sorted(set.intersection(*(set(r) for r in rows)))
        return np.array([[r[i].test_error for i in common] for r in rows]).reshape(
            len(rows), len(common)
        )

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
            f"the store has no finished unit of {design.name!r} with these methods: "
            "`study run` makes them."
        )
    return results


@dataclass(frozen=True)
class RowTable:
    """A table to be written: its columns' names, and its rows."""

    columns: tuple[str, ...]
    rows: list[tuple[Value, ...]]

    def to_csv(self) -> str:
        """The table as CSV; numbers with nine digits, what is undefined empty."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(self.columns)
        writer.writerows([_field(value) for value in row] for row in self.rows)
        return text.getvalue()


def _field(value: Value) -> str:
    if value is None or value != value:
        return ""
    return f"{value:.9g}" if isinstance(value, float) else str(value)


def cell_table(results: Results) -> RowTable:
    """Mean test error (MMCE) of every contestant in every cell: the paper's Additional file 1."""
    columns = (
        *("source", "draw", "budget", "contestant", "n", "mean_error", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "sd", "mean_oob_error", "mean_features", "mean_cost"),
        "mean_xi",
    )
    rows: list[tuple[Value, ...]] = []
    for cell, by_label in results.chosen.items():
        for label in results.contestants:
            if label not in by_label:
                continue
            found = list(by_label[label].values())
            errors = np.array([row.test_error for row in found])
            plain = estimate(errors)
            rows.append(
                (
                    *cell,
                    label,
                    *(plain.n, plain.mean, plain.se, plain.low, plain.high),
                    *_corrected(results, cell, errors),
                    plain.se * np.sqrt(plain.n),
                    float(np.mean([row.oob_error for row in found])),
                    float(np.mean([row.n_features for row in found])),
                    float(np.mean([row.cost for row in found])),
                    float(np.mean([row.xi for row in found])),
                )
            )
    return RowTable(columns, rows)


def _corrected(results: Results, cell: Cell, values: Array) -> tuple[Value, Value, Value]:
    """Standard error and interval that allow for the rows that splits share; empty without any."""
    ratio = results.overlap_ratio(cell)
    if not ratio:
        return None, None, None
    e = estimate(values, ratio)
    return e.se, e.low, e.high


def xi_table(results: Results) -> RowTable:
    """Mean test error at every ξ: the curves of the paper's Figure 2 and Additional file 2."""
    columns = (
        *("source", "draw", "budget", "method", "xi", "n", "mean_error", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "quantile_05", "quantile_95", "mean_oob_error"),
    )
    rows: list[tuple[Value, ...]] = []
    for cell, method, xi, found in _tried_cells(results):
        errors = np.array([row.test_error for row in found.values()])
        e = estimate(errors)
        rows.append(
            (
                *(*cell, method, xi, e.n, e.mean, e.se, e.low, e.high),
                *_corrected(results, cell, errors),
                *np.quantile(errors, [0.05, 0.95]).tolist(),
                float(np.mean([row.oob_error for row in found.values()])),
            )
        )
    return RowTable(columns, rows)


def _tried_cells(results: Results) -> Iterable[tuple[Cell, str, float, Replicates]]:
    for cell, by_method in results.tried.items():
        for method in METHODS:
            for xi, found in sorted(by_method.get(method, {}).items()):
                yield cell, method, xi, found


class _Curve(NamedTuple):
    """Test errors of a method in a cell: tuned, and at every ξ, of the same replicates."""

    cell: Cell
    method: str
    tuned: Array
    by_xi: dict[float, Array]

    @property
    def best_xi(self) -> float:
        """The ξ with the lowest mean, chosen with the test errors in hand."""
        return min(self.by_xi, key=lambda xi: (self.by_xi[xi].mean(), xi))


def _curves(results: Results) -> Iterable[_Curve]:
    for cell, by_method in results.tried.items():
        for method in METHODS:
            tuned = results.chosen[cell].get(label_of(method, "tuned"), {})
            curve = by_method.get(method, {})
            if len(curve) < 2 or not tuned:
                continue
            replicates = sorted(tuned)
            yield _Curve(
                cell,
                method,
                np.array([tuned[i].test_error for i in replicates]),
                {
                    xi: np.array([found[i].test_error for i in replicates])
                    for xi, found in sorted(curve.items())
                },
            )


def tuning_table(results: Results) -> RowTable:
    """Tuned ξ against the fixed ξ with the lowest mean test error, by paired differences.

    That ξ is chosen with the test errors in hand: no one could have used it. Tuning that is not
    significantly worse has lost nothing.
    """
    columns = (
        *("source", "draw", "budget", "method", "n", "best_fixed_xi", "best_fixed_error"),
        *("tuned_error", "difference", "se", "low", "high", "nb_low", "nb_high"),
    )
    rows: list[tuple[Value, ...]] = []
    for curve in _curves(results):
        best = curve.by_xi[curve.best_xi]
        difference = estimate(curve.tuned - best)
        rows.append(
            (
                *(*curve.cell, curve.method, difference.n, curve.best_xi),
                *(float(best.mean()), float(curve.tuned.mean())),
                *(difference.mean, difference.se, difference.low, difference.high),
                *_corrected(results, curve.cell, curve.tuned - best)[1:],
            )
        )
    return RowTable(columns, rows)


def curve_table(results: Results) -> RowTable:
    """How far the mean test error falls from the smallest ξ to the best, and rises to the largest.

    By paired differences. The best ξ is the one with the lowest mean, so falls and rises look a
    little larger than they are.
    """
    columns = (
        *("source", "draw", "budget", "method", "n", "best_xi"),
        *("fall", "fall_low", "fall_high", "fall_nb_low", "fall_nb_high"),
        *("rise", "rise_low", "rise_high", "rise_nb_low", "rise_nb_high"),
    )
    rows: list[tuple[Value, ...]] = []
    for curve in _curves(results):
        best = curve.by_xi[curve.best_xi]
        values: list[Value] = []
        for end in (min, max):
            above_best = curve.by_xi[end(curve.by_xi)] - best
            e = estimate(above_best)
            values += [e.mean, e.low, e.high, *_corrected(results, curve.cell, above_best)[1:]]
        rows.append((*curve.cell, curve.method, len(best), curve.best_xi, *values))
    return RowTable(columns, rows)


def difference_table(results: Results) -> RowTable:
    """Paired differences of test errors between every two contestants, in every cell."""
    columns = (
        *("source", "draw", "budget", "first", "second", "n", "difference", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "share_first_better"),
    )
    rows: list[tuple[Value, ...]] = []
    for cell in results.chosen:
        for first, second in combinations(results.contestants, 2):
            a, b = results.errors(cell, (first, second))
            if not len(a):
                continue
            e = estimate(a - b)
            better = float(((a < b) + 0.5 * (a == b)).mean())
            rows.append(
                (
                    *(*cell, first, second, e.n, e.mean, e.se, e.low, e.high),
                    *_corrected(results, cell, a - b),
                    better,
                )
            )
    return RowTable(columns, rows)


def draw_means(results: Results, source: str, budget: float, contestants: Sequence[str]) -> Array:
    """Mean errors, one row a contestant and one column a draw that all of them have."""
    cells = [c for c in results.chosen if c.source == source and c.budget == budget]
    means = [
        errors.mean(axis=1)
        for errors in (results.errors(cell, contestants) for cell in cells)
        if errors.size
    ]
    return np.array(means).reshape(len(means), len(contestants)).T


def draw_table(results: Results) -> RowTable:
    """How much the mean error varies from draw to draw, beyond what replicates explain."""
    columns = (
        *("source", "budget", "contestant", "n_draws", "mean_error", "se", "low", "high"),
        *("sd_between_draws", "sd_within_draw"),
    )
    rows: list[tuple[Value, ...]] = []
    for source, budget in _sources_and_budgets(results):
        for label in results.contestants:
            errors = [
                results.errors(cell, [label])[0]
                for cell in results.chosen
                if (cell.source, cell.budget) == (source, budget)
            ]
            errors = [values for values in errors if len(values)]
            if not errors:
                continue
            e = estimate([values.mean() for values in errors])
            between, within = _variance_parts(errors)
            rows.append(
                (
                    *(source, budget, label, e.n, e.mean, e.se, e.low, e.high),
                    *(np.sqrt(between), np.sqrt(within)),
                )
            )
    return RowTable(columns, rows)


def _variance_parts(errors: Sequence[Array]) -> tuple[float, float]:
    """Variance between draws and within a draw; NaN where there are not two values of a kind."""
    within = np.nan
    if all(len(values) > 1 for values in errors):
        within = float(np.mean([values.var(ddof=1) for values in errors]))
    if len(errors) < 2:
        return np.nan, within
    of_means = float(np.var([values.mean() for values in errors], ddof=1))
    noise = float(np.mean([within / len(values) for values in errors]))
    # Not below 0, as a variance; NaN stays NaN.
    return float(np.maximum(of_means - noise, 0.0)), within


def draw_difference_table(results: Results) -> RowTable:
    """Differences between every two contestants with a draw, not a replicate, as the unit."""
    columns = (
        *("source", "budget", "first", "second", "n_draws", "difference", "se", "low", "high"),
        "draws_first_better",
    )
    rows: list[tuple[Value, ...]] = []
    for source, budget in _sources_and_budgets(results):
        for first, second in combinations(results.contestants, 2):
            a, b = draw_means(results, source, budget, (first, second))
            if len(a):
                e = estimate(a - b)
                better = int((a < b).sum())
                rows.append(
                    (source, budget, first, second, e.n, e.mean, e.se, e.low, e.high, better)
                )
    return RowTable(columns, rows)


def _sources_and_budgets(results: Results) -> list[tuple[str, float]]:
    return sorted({(cell.source, cell.budget) for cell in results.chosen})


@dataclass(frozen=True)
class Comparison:
    """Contestants ranked over blocks, and which of them can be told apart.

    Attributes
    ----------
    group : str
    contestants : tuple of str
        By mean rank, the best first.
    n_blocks : int
    mean_rank : array of shape (n_contestants,)
    p_value, p_holm : array of shape (n_contestants, n_contestants)
        Wilcoxon signed-rank tests of the relative differences of every two over the blocks, and
        with Holm's correction.
    """

    group: str
    contestants: tuple[str, ...]
    n_blocks: int
    mean_rank: Array
    p_value: Array
    p_holm: Array

    def cliques(self, level: float = 1 - _LEVEL) -> list[tuple[int, int]]:
        """Longest runs of neighbours, by first and last index, with no significant difference."""
        n = len(self.contestants)
        runs: list[tuple[int, int]] = []
        for first in range(n):
            last = first
            while last + 1 < n and (self.p_holm[first : last + 1, last + 1] > level).all():
                last += 1
            if last > first and not any(a <= first and last <= b for a, b in runs):
                runs.append((first, last))
        return runs


def compare_ranks(results: Results, contestants: Sequence[str]) -> list[Comparison]:
    """Mean ranks and pairwise tests, for independent data, correlated data, and real data.

    A block is a cell. With several draws it is a draw with all its cells, which share effects and
    costs and are not independent. (Budgets of one set are not independent either; the paper's mean
    ranks are over them, and so are these.)
    """
    several_draws = len({cell.draw for cell in results.chosen}) > 1
    groups: dict[str, dict[Cell | int, list[Array]]] = defaultdict(lambda: defaultdict(list))
    for cell in results.chosen:
        errors = results.errors(cell, contestants)
        if errors.size:
            block = cell.draw if several_draws else cell
            groups[_group_name(cell.source)][block].append(errors.mean(axis=1))
    return [
        _compare(group, contestants, [np.array(means) for means in blocks.values()])
        for group, blocks in sorted(groups.items())
    ]


def _group_name(source: str) -> str:
    setting = SETTINGS.get(source)
    if setting is None:
        return "real"
    return "correlated" if setting.correlated_data else "independent"


def _compare(group: str, contestants: Sequence[str], blocks: Sequence[Array]) -> Comparison:
    """A block has one row a cell, with the mean error of each contestant."""
    # Errors are shares of rows: what differs by rounding only is a tie.
    blocks = [means.round(12) for means in blocks]
    mean_rank = np.mean([rankdata(means, axis=1).mean(axis=0) for means in blocks], axis=0)
    order = np.argsort(mean_rank, kind="stable")
    n = len(order)
    p_value = np.ones((n, n))
    upper = np.triu_indices(n, 1)
    for i, k in zip(*upper, strict=True):
        differences = [_relative_difference(m[:, order[i]], m[:, order[k]]) for m in blocks]
        p_value[i, k] = p_value[k, i] = signed_rank_p(differences)
    p_holm = np.ones((n, n))
    p_holm[upper] = holm(p_value[upper])
    p_holm.T[upper] = p_holm[upper]
    return Comparison(
        group,
        tuple(contestants[i] for i in order),
        len(blocks),
        mean_rank[order],
        p_value,
        p_holm,
    )


def _relative_difference(a: Array, b: Array) -> float:
    """The mean over cells of a − b as a share of (a + b) / 2.

    Where errors are large, differences are: as they are, they would outweigh all other cells.
    """
    middle = (a + b) / 2
    return float(np.divide(a - b, middle, out=np.zeros_like(a), where=middle > 0).mean())


def signed_rank_p(differences: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test; blocks without a difference are left out.

    Examples
    --------
    >>> signed_rank_p([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    0.0625
    """
    # Differences that are equal but for rounding must share a rank.
    rounded = np.round(differences, 12)
    nonzero = rounded[rounded != 0]
    if len(nonzero) == 0:
        return 1.0
    return float(wilcoxon(nonzero).pvalue)


def holm(p_values: Array) -> Array:
    """p-values corrected for their number after Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    corrected = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    result = np.empty_like(corrected)
    result[order] = corrected
    return result


def _rankings(results: Results) -> Iterable[tuple[str, Comparison]]:
    """The comparisons of the tuned methods alone, and together with their baselines."""
    for among, contestants in (("tuned", results.tuned), ("all", results.with_baselines)):
        for comparison in compare_ranks(results, contestants):
            yield among, comparison


def rank_table(results: Results) -> RowTable:
    """Mean rank of each contestant over the cells, among the tuned ones and with baselines."""
    rows: list[tuple[Value, ...]] = [
        (c.group, among, c.n_blocks, label, float(rank))
        for among, c in _rankings(results)
        for label, rank in zip(c.contestants, c.mean_rank, strict=True)
    ]
    return RowTable(("group", "among", "n_blocks", "contestant", "mean_rank"), rows)


def wilcoxon_table(results: Results) -> RowTable:
    """Wilcoxon signed-rank tests of every two contestants over the blocks, with Holm."""
    rows: list[tuple[Value, ...]] = []
    for among, c in _rankings(results):
        for i, k in combinations(range(len(c.contestants)), 2):
            pair = (c.contestants[i], c.contestants[k])
            p_values = (float(c.p_value[i, k]), float(c.p_holm[i, k]))
            rows.append((c.group, among, c.n_blocks, *pair, *p_values))
    return RowTable(("group", "among", "n_blocks", "first", "second", "p_value", "p_holm"), rows)


def seconds_table(results: Results) -> RowTable:
    """Seconds a unit of each method: to find its sets, and to score them."""
    by_cell: dict[tuple[str, str], list[RunRow]] = defaultdict(list)
    for run in results.runs:
        by_cell[run.source, run.method].append(run)
    rows: list[tuple[Value, ...]] = []
    for (source, method), runs in sorted(by_cell.items()):
        select = np.array([run.select_seconds for run in runs])
        score = np.array([run.score_seconds for run in runs])
        both = select + score
        rows.append(
            (
                *(source, method, len(runs), float(select.mean()), float(score.mean())),
                *(float(both.mean()), float(np.median(both)), float(both.max())),
            )
        )
    columns = (
        *("source", "method", "n", "mean_select_seconds", "mean_score_seconds"),
        *("mean_seconds", "median_seconds", "max_seconds"),
    )
    return RowTable(columns, rows)


def raw_table(results: Results) -> RowTable:
    """Every result: one row a unit, method, budget and ξ.

    `chosen` names the strategies that took this ξ; `features` are column indices.
    """
    strategies: dict[tuple[str, str, float, float], list[str]] = defaultdict(list)
    for row in results.choices:
        strategies[row.key, row.method, row.budget, row.xi].append(str(row.strategy))
    columns = (
        *("source", "draw", "replicate", "method", "budget", "xi", "chosen", "n_features"),
        *("cost", "oob_error", "brier", "test_error", "features"),
    )
    # Rows of one unit together: their feature sets repeat, which makes the file a third as large.
    rows: list[tuple[Value, ...]] = [
        (
            *(row.source, row.draw, row.replicate, row.method, row.budget, row.xi),
            " ".join(strategies[row.key, row.method, row.budget, row.xi]),
            *(row.n_features, row.cost, row.oob_error, row.brier, row.test_error, row.features),
        )
        for row in results.candidates
    ]
    return RowTable(columns, rows)


_TABLES = {
    "cells": cell_table,
    "xi": xi_table,
    "tuning": tuning_table,
    "curves": curve_table,
    "differences": difference_table,
    "ranks": rank_table,
    "wilcoxon": wilcoxon_table,
    "seconds": seconds_table,
}
_DRAW_TABLES = {"draws": draw_table, "draw_differences": draw_difference_table}


def write_tables(design: Design, store: Store, folder: Path) -> list[Path]:
    """Write all tables of what is finished; the raw rows are compressed."""
    results = read_results(design, store)
    folder.mkdir(parents=True, exist_ok=True)
    several_draws = len({cell.draw for cell in results.chosen}) > 1
    written = []
    for name, make in (_TABLES | (_DRAW_TABLES if several_draws else {})).items():
        path = folder / f"{name}.csv"
        path.write_text(make(results).to_csv(), encoding="utf-8")
        written.append(path)
    path = folder / "rows.csv.xz"
    with lzma.open(path, "wt", encoding="utf-8", newline="") as file:
        file.write(raw_table(results).to_csv())
    return [*written, path]
