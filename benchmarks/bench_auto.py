"""`auto` against the paper's methods on fresh draws: test error of what each buys.

Each draw is a new setting (effects, correlations, prices), with 500 rows to choose from and 3,000
to test on. Plain methods are tuned on their own out-of-bag error; `auto` is judged on resamples.
Every method's set gets a forest of its own on the 500 rows, whose error on the 3,000 is the figure.
What is printed are means over draws, the paired difference to the best of the plain methods *of the
cell* (chosen by its mean over the draws), its 95 % interval, and how far the error that `auto`
quotes was from its test error.

    python benchmarks/bench_auto.py                        settings C and D, 10 draws
    python benchmarks/bench_auto.py --settings A B C D --draws 5
    python benchmarks/bench_auto.py --quick                a small table: does it run?

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import joblib
import numpy as np

from common import print_machine, print_table, timed
from frugalforest.choice import Judged, Pool, judge, make_pool, tune
from frugalforest.costs import Budget
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import ForestSettings
from frugalforest.methods import METHODS, Auto
from frugalforest.problem import FeatureSet, Problem
from frugalforest.resampling import estimate_mean, make_splits
from frugalforest.scores import vote_error
from frugalforest.tables import Table

PLAIN = ("auc", "pfi", "sts")
FIELDS = ("setting", "draw", "budget", "method", "cost", "n_features", "test_error", "quoted", "s")


def run_draw(setting: str, draw: int, options: argparse.Namespace) -> list[dict[str, object]]:
    """All methods and budgets on one draw."""
    shape = {"n_features": 40, "n_relevant": 20, "n_blocks": 4} if options.quick else {}
    n_rows, n_test = (150, 500) if options.quick else (500, 3000)
    seeds = {"design_seed": 1_000 + draw, **shape}
    X, y, costs = make_cost_classification(setting, n_rows, random_state=1, **seeds)
    X_test, y_test, _ = make_cost_classification(setting, n_test, random_state=2, **seeds)
    money = (1.0, 3.0) if options.quick else (1.0, 2.0, 5.0, 10.0, 30.0)
    budgets = [Budget(limit) for limit in money]
    forests = ForestSettings(n_trees=50 if options.quick else 500)
    problem = Problem.from_table(X, y, costs, random_state=draw, forests=forests)
    new_rows = Table.read(X_test)
    rows: list[dict[str, object]] = []

    def add(budget: Budget, method: str, features: FeatureSet, quoted: float, s: float) -> None:
        error = vote_error(problem.predict([features], new_rows)[0], y_test)
        cost = float(problem.prices.total(list(features)))
        values = (setting, draw, budget.limit, method, cost, len(features), error, quoted, s)
        rows.append(dict(zip(FIELDS, values, strict=True)))

    for name in PLAIN:
        method = METHODS[name]().scaled_to(forests.n_trees)
        seconds, tuned = timed(lambda m=method: tune(problem, m, budgets))
        for budget, found in tuned.items():
            add(budget, name, found.best.candidate.features, np.nan, seconds)
    seconds, (pool, judged) = timed(lambda: run_auto(problem, budgets, options.resamples))
    for budget, found in judged.items():
        features = pool.sets[pool.set_of[found.place]].features
        add(budget, "auto", features, found.honest.error, seconds)
    return rows


def run_auto(
    problem: Problem, budgets: list[Budget], n_resamples: int
) -> tuple[Pool, dict[Budget, Judged]]:
    """What `compare` does for `auto`: a pool on all rows and on each resample, and the choice."""
    method = Auto().scaled_to(problem.forests.n_trees)
    pool = make_pool(problem, method, budgets)
    splits = make_splits(problem.outcome.strata, n_resamples, 1 / 3, problem.seed)
    pools = []
    for number, split in enumerate(splits):
        part = Problem.from_table(
            problem.table.rows(split.train),
            problem.outcome.rows(split.train),
            problem.prices,
            random_state=problem.seed_for("resample", number),
            forests=problem.forests,
        )
        left_out = problem.table.rows(split.test), problem.outcome.labels[split.test]
        pools.append(make_pool(part, method, budgets, left_out))
    n_rows = problem.table.n_rows
    return pool, judge(pool, pools, splits, n_rows, budgets, 0.5, problem.seed)


def read_rows(path: Path) -> list[dict[str, object]]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    for row in found:
        row |= {name: float(row[name]) for name in FIELDS if name not in ("setting", "method")}
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--settings", nargs="+", default=["C", "D"], choices=list("ABCD"))
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--resamples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1, help="draws at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true", help="two draws of a small table")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    rows = read_rows(options.rows) if options.rows else []
    done = {(row["setting"], row["draw"]) for row in rows}
    draws = range(1, 3 if options.quick else options.draws + 1)
    wanted = [(s, d) for d in draws for s in options.settings if (s, float(d)) not in done]
    parallel = joblib.Parallel(options.jobs, return_as="generator_unordered")
    for found in parallel(joblib.delayed(run_draw)(s, d, options) for s, d in wanted):
        rows += found
        if options.rows:
            write_rows(options.rows, rows)
        print(f"setting {found[0]['setting']}, draw {found[0]['draw']}", flush=True)
    print()
    print_results(rows)


def write_rows(path: Path, rows: list[dict[str, object]]) -> None:
    ordered = sorted(rows, key=lambda r: [str(r["setting"]), float(r["draw"]), float(r["budget"])])
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(ordered)


def print_results(rows: list[dict[str, object]]) -> None:
    cells: dict[tuple[str, float], dict[str, dict[float, dict]]] = defaultdict(dict)
    for row in rows:
        by_method = cells[str(row["setting"]), float(row["budget"])]
        by_method.setdefault(str(row["method"]), {})[float(row["draw"])] = row
    lines = []
    for (setting, budget), by_method in sorted(cells.items()):
        draws = sorted(by_method["auto"])
        error = {
            m: np.array([float(by_method[m][d]["test_error"]) for d in draws]) for m in by_method
        }
        best = min(PLAIN, key=lambda m: error[m].mean())
        difference = estimate_mean(error["auto"] - error[best])
        quoted = np.array([float(by_method["auto"][d]["quoted"]) for d in draws])
        lines.append(
            [
                setting,
                f"{budget:g}",
                len(draws),
                *(f"{100 * error[m].mean():.2f}" for m in (*PLAIN, "auto")),
                f"{error['auto'].mean() / error[best].mean():.2f}",
                f"{100 * difference.mean:+.2f} ({100 * difference.low:+.2f} to "
                f"{100 * difference.high:+.2f})",
                f"{100 * (quoted - error['auto']).mean():+.2f}",
            ]
        )
    header = ["setting", "budget", "draws", *PLAIN, "auto", "ratio", "auto − best plain"]
    print_table([*header, "quoted − test"], lines)
    seconds = [float(row["s"]) for row in rows if row["method"] == "auto"]
    print(f"\nauto took {np.mean(seconds):.0f} s a draw for all budgets, one core.")


if __name__ == "__main__":
    main()
