"""Shallow tree selection with other trees: fully grown ones that keep to few features, or to money.

Each way, and beside them the two filters, is tuned over five values of ξ by the out-of-bag error of
150-tree forests, on draws of settings A to D (both readings of their spreads) and of the real sets
(`problems.py`); a set gets a forest of its own, whose error on new rows is the figure. Printed:
mean errors, and the paired difference of each way to trees of limited depth, with its 95 % interval
over draws. Draws of one real set overlap, so there a set is one observation: its mean over draws
and budgets.

    python benchmarks/bench_trees.py --rows results/trees/rows.csv       the rows that are missing
    python benchmarks/bench_trees.py --rows results/trees/rows.csv --draws 0    tables of all
    python benchmarks/bench_trees.py --quick                             does it run?
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import numpy as np

import problems
from choices import Row, in_points, problem_of, read_rows, test_error, write_rows
from common import print_machine, print_table, timed
from frugalforest.choice import tune
from frugalforest.costs import Budget
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.methods import AUC, Permutation, ShallowTreeMethod

XIS = (0.0, 0.25, 0.5, 1.0, 1.5)
N_TREES = 150
FILTERS = {"auc": AUC(XIS), "pfi": Permutation(XIS, n_trees=N_TREES)}
STS = {
    "depth": ShallowTreeMethod(XIS, N_TREES),
    "depth, ζ = ξ": ShallowTreeMethod(XIS, N_TREES, zeta="xi"),
    "features": ShallowTreeMethod(XIS, N_TREES, trees="features"),
    "features, ζ = ξ": ShallowTreeMethod(XIS, N_TREES, trees="features", zeta="xi"),
    "cost": ShallowTreeMethod(XIS, N_TREES, trees="cost"),
    "cost, ζ = ξ": ShallowTreeMethod(XIS, N_TREES, trees="cost", zeta="xi"),
}
WAYS = STS | FILTERS
NAMES = (*problems.SETTINGS, *problems.REAL, *problems.SD_SETTINGS)
FIELDS = ("problem", "draw", "budget", "way", "cost", "n_features", "test_error", "s")


def run_draw(name: str, number: int, ways: list[str], quick: bool) -> list[Row]:
    drawn = problems.draw(name, number, 100 if quick else None)
    problem = problem_of(drawn, number, 30 if quick else N_TREES)
    budgets = [Budget(limit) for limit in drawn.budgets]
    rows: list[Row] = []
    for way in ways:
        method = WAYS[way].scaled_to(30) if quick else WAYS[way]
        seconds, tuned = timed(lambda m=method: tune(problem, m, budgets))
        for budget, found in tuned.items():
            candidate = found.best.candidate
            error = test_error(problem, candidate.features, drawn, None)
            values = (name, number, budget.limit, way, candidate.cost, len(candidate.features))
            rows.append(dict(zip(FIELDS, (*values, error, seconds), strict=True)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=10, help="of each problem; 0: no new rows")
    parser.add_argument("--first", type=int, default=201, help="the first draw")
    parser.add_argument("--problems", nargs="+", default=NAMES, choices=NAMES)
    parser.add_argument("--ways", nargs="+", default=list(WAYS), choices=WAYS)
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    if options.quick:
        options.problems, options.draws = ["A", "C"], 2
    rows = read_rows(options.rows)
    done = {(row["problem"], int(str(row["draw"])), row["way"]) for row in rows}
    for number in range(options.first, options.first + options.draws):
        for name in options.problems:
            missing = [way for way in options.ways if (name, number, way) not in done]
            if missing:
                rows += run_draw(name, number, missing, options.quick)
                if options.rows:
                    write_rows(options.rows, FIELDS, rows)
                print(f"{name}, draw {number}", flush=True)
    print_results(rows)


def print_results(rows: list[Row]) -> None:
    errors: dict[tuple[str, str], dict[tuple[str, int], dict[str, list[float]]]] = defaultdict(
        lambda: defaultdict(lambda: defaultdict(list))
    )
    for row in rows:
        name, number, way = str(row["problem"]), int(str(row["draw"])), str(row["way"])
        real = name in problems.REAL
        cells = ["all"] if real else [f"{float(str(row['budget'])):g}", "all"]
        for cell in cells:
            observation = (name, 0 if real else number)
            errors["real sets" if real else name, cell][observation][way].append(
                float(str(row["test_error"]))
            )
    others = [way for way in WAYS if way != "depth" and any(row["way"] == way for row in rows)]
    lines = []
    for (kind, cell), by_draw in sorted(errors.items()):
        depth = 100 * np.mean([np.mean(found["depth"]) for found in by_draw.values()])
        differences = [_difference(list(by_draw.values()), way) for way in others]
        lines.append([kind, cell, f"{depth:.2f}", *differences])
    print()
    print_table(["problem", "budget", "depth", *(f"{way} − depth" for way in others)], lines)
    seconds = {
        way: np.mean([float(str(row["s"])) for row in rows if row["way"] == way])
        for way in ("depth", *others)
    }
    print("\nSeconds a draw: " + ", ".join(f"{way} {s:.1f}" for way, s in seconds.items()) + ".")


def _difference(observed: list[dict[str, list[float]]], way: str) -> str:
    """Of a way to trees of limited depth, where both were run; with the number of observations."""
    both = [found for found in observed if found[way] and found["depth"]]
    if not both:
        return ""
    differences = np.array([np.mean(found[way]) - np.mean(found["depth"]) for found in both])
    return f"{in_points(estimate_mean(differences))}, {len(both)}"


if __name__ == "__main__":
    main()
