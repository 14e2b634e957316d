"""`auto` against its rivals: test error of what each buys, on many problems.

Problems (see `problems.py`): settings A to D of the paper, nine real sets, six families of our own.
Every draw has rows to choose from and others to test on. Plain methods are tuned on their own
out-of-bag error; forward selection is raced; sequential selection as in scikit-learn knows no
prices and is filled by them; CEGB (LightGBM) is held to the budget and counts with its own
predictions and with a forest on its features; `auto` is judged on resamples. A set gets a
forest of its own on all rows to choose from, whose error on the test rows is the figure.

    python benchmarks/bench_auto.py                        settings C and D, 10 draws
    python benchmarks/bench_auto.py --problems A B C D --draws 5
    python benchmarks/bench_auto.py --problems real families --draws 4
    python benchmarks/bench_auto.py --problems C D --first 11 --draws 13    these draws alone
    python benchmarks/bench_auto.py --cost                 the time `auto` takes, beside a peer
    python benchmarks/bench_auto.py --quick                one draw of two small problems

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
What is printed: means over draws; the paired difference to the best of the paper's methods *of the
cell* (chosen by its mean over the draws) with its 95 % interval; how far the error that `auto`
quotes is from its test error; and mean ranks.
"""

from __future__ import annotations

import argparse
import csv
from collections import defaultdict
from pathlib import Path

import joblib
import numpy as np
from scipy.stats import rankdata

import problems
from common import forest_seconds, print_machine, print_table, timed
from frugalforest import compare
from frugalforest.choice import choose_on_resamples, tune
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import METHODS, Auto, Forward
from frugalforest.problem import FeatureSet, Problem
from frugalforest.resampling import MeanEstimate, estimate_mean
from frugalforest.scores import vote_error
from frugalforest.screening import screened
from frugalforest.tables import column_checks
from rivals import Cegb, Sequential, lightgbm

PAPER = ("auc", "pfi", "sts", "forward")
RIVALS = ("sequential", "cegb", "cegb forest")
FIELDS = ("problem", "draw", "budget", "method", "cost", "n_features", "test_error", "quoted", "s")
Row = dict[str, object]


def run_draw(name: str, number: int, options: argparse.Namespace) -> list[Row]:
    """All methods and budgets on one draw."""
    drawn = problems.draw(name, number, 120 if options.quick else None)
    forests = ForestSettings(n_trees=50 if options.quick else 500)
    problem = Problem.from_table(
        drawn.X, drawn.y, drawn.costs, random_state=number, forests=forests
    )
    problem.prices = screened(problem.prices, column_checks(problem.table, problem.outcome))
    new_rows = problem.table.schema.read(drawn.X_test)
    code = {label: k for k, label in enumerate(problem.outcome.classes.tolist())}
    labels = np.array([code[label] for label in np.asarray(drawn.y_test).tolist()])
    guess_error = float((labels != problem.outcome.counts.argmax()).mean())
    budgets = [Budget(limit) for limit in drawn.budgets]
    rows: list[Row] = []

    def add(
        budget: Budget,
        method: str,
        features: FeatureSet,
        s: float,
        quoted: float = np.nan,
        error: float | None = None,
    ) -> None:
        if error is None and features:
            error = vote_error(problem.predict([features], new_rows)[0], labels)
        elif error is None:
            error = guess_error
        cost = float(problem.prices.total(list(features)))
        values = (name, number, budget.limit, method, cost, len(features), error, quoted, s)
        rows.append(dict(zip(FIELDS, values, strict=True)))

    for method in _paper_methods(forests.n_trees):
        seconds, tuned = timed(lambda m=method: tune(problem, m, budgets))
        for budget, found in tuned.items():
            add(budget, method.name, found.best.candidate.features, seconds)
    seconds, sequential = timed(lambda: Sequential(problem))
    for budget in budgets:
        add(budget, "sequential", sequential.within(budget), seconds)
    cegb, new_values = Cegb(problem), problem.encoder.transform(new_rows)
    for budget in budgets if lightgbm else ():
        seconds, (features, answers) = timed(lambda b=budget: cegb.within(b, new_values))
        add(budget, "cegb", features, seconds, error=float((answers != labels).mean()))
        add(budget, "cegb forest", features, seconds)
    method = Auto().scaled_to(forests.n_trees)
    work = lambda: choose_on_resamples(problem, method, budgets, options.resamples)  # noqa: E731
    seconds, (pool, judged) = timed(work)
    for budget, found in judged.items():
        add(budget, "auto", pool.chosen(found.place)[0], seconds, found.honest.error)
    return rows


def _paper_methods(n_trees: int) -> list:
    forward = Forward(xis=(0.0, 0.5, 1.0), racing=True).scaled_to(max(20, n_trees // 3))
    return [*(METHODS[name]().scaled_to(n_trees) for name in PAPER[:-1]), forward]


def read_rows(path: Path) -> list[Row]:
    if not path.exists():
        return []
    with path.open(newline="") as file:
        found = list(csv.DictReader(file))
    for row in found:
        row |= {name: float(row[name]) for name in FIELDS if name not in ("problem", "method")}
    return found


def write_rows(path: Path, rows: list[Row]) -> None:
    ordered = sorted(rows, key=lambda r: [str(r["problem"]), float(r["draw"]), float(r["budget"])])
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, FIELDS)
        writer.writeheader()
        writer.writerows(ordered)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        *("--problems", "-p"),
        nargs="+",
        default=["C", "D"],
        choices=[*problems.SETTINGS, "real", "families", *problems.REAL, *problems.FAMILIES],
    )
    parser.add_argument("--draws", type=int, default=10, help="the last draw")
    parser.add_argument("--first", type=int, default=1, help="the first draw, of the tables too")
    parser.add_argument("--resamples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1, help="draws at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--cost", action="store_true", help="time `auto` on 500 × 200, no more")
    parser.add_argument("--quick", action="store_true", help="one draw of two small problems")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn", *(["lightgbm"] if lightgbm else []))
    if options.cost:
        print_cost(options)
        return
    rows = read_rows(options.rows) if options.rows else []
    done = {(row["problem"], row["draw"]) for row in rows}
    groups = {"real": problems.REAL, "families": tuple(problems.FAMILIES)}
    names = [name for given in options.problems for name in groups.get(given, (given,))]
    if options.quick:
        names, options.draws, options.resamples = ["noise", "interactions"], 1, 2
    wanted = [(n, d) for d in range(options.first, options.draws + 1) for n in names]
    wanted = [(n, d) for n, d in wanted if (n, float(d)) not in done]
    parallel = joblib.Parallel(options.jobs, return_as="generator_unordered")
    for found in parallel(joblib.delayed(run_draw)(n, d, options) for n, d in wanted):
        rows += found
        if options.rows:
            write_rows(options.rows, rows)
        print(f"{found[0]['problem']}, draw {found[0]['draw']}", flush=True)
    if options.first > 1:
        rows = [r for r in rows if r["problem"] in names and float(r["draw"]) >= options.first]
    print()
    print_results(rows)


def print_cost(options: argparse.Namespace) -> None:
    """`compare` with `auto` alone on 500 × 200, five budgets; in units of a scikit-learn forest."""
    drawn = problems.draw("C", 1, 120 if options.quick else None)
    n_trees, n_resamples = (50, 2) if options.quick else (1000, options.resamples)
    unit = forest_seconds()
    seconds, _ = timed(
        lambda: compare(
            *(drawn.X, drawn.y, drawn.costs, list(drawn.budgets), "auto"),
            n_trees=n_trees,
            n_resamples=n_resamples,
            n_jobs=1,
            random_state=1,
            verbose=0,
        )
    )
    print_table(
        ["auto on", "trees", "resamples", "s", "scikit-learn forests", "at most", "goal"],
        [[f"{len(drawn.X)} × 200", n_trees, n_resamples, seconds, seconds / unit, 250, 120]],
    )
    print(f"\nOne scikit-learn forest (1000 trees, 500 × 30, one thread) took {unit:.2f} s.")


def print_results(rows: list[Row]) -> None:
    cells: dict[tuple[str, float], dict[str, dict[float, Row]]] = defaultdict(dict)
    for row in rows:
        # The budgets of a real set depend on its drawn prices: they are counted, smallest first.
        by_method = cells[str(row["problem"]), _place(row, rows)]
        by_method.setdefault(str(row["method"]), {})[float(row["draw"])] = row
    lines, kinds = [], defaultdict(list)
    # Rows of an earlier version may lack a rival: those stay that every draw has.
    everywhere = set.intersection(
        *({m for m in by if len(by[m]) == len(by["auto"])} for by in cells.values())
    )
    methods = [m for m in (*PAPER, *RIVALS, "auto") if m in everywhere]
    paper = [m for m in PAPER if m in everywhere]
    for (name, place), by_method in sorted(cells.items()):
        draws = sorted(by_method["auto"])
        error = {
            m: np.array([float(by_method[m][d]["test_error"]) for d in draws]) for m in methods
        }
        for kind in _kinds(name):
            kinds[kind] += list(np.array([error[m] for m in methods]).T)
        best = min(paper, key=lambda m: error[m].mean())
        difference = estimate_mean(error["auto"] - error[best])
        quoted = np.array([float(by_method["auto"][d]["quoted"]) for d in draws])
        lines.append(
            [
                name,
                f"{place:g}",
                len(draws),
                *(f"{100 * error[m].mean():.2f}" for m in methods),
                f"{error['auto'].mean() / error[best].mean():.2f}",
                f"{100 * difference.mean:+.2f}" + _interval(difference),
                f"{100 * (quoted - error['auto']).mean():+.2f}",
            ]
        )
    header = ["problem", "budget", "draws", *methods, "ratio", "auto − best of paper"]
    print_table([*header, "quoted − test"], lines)
    for what, of_cells in (
        ("Mean test error, %", lambda cells: 100 * np.array(cells)),
        ("Mean rank, the lower the better", lambda c: [rankdata(each.round(6)) for each in c]),
    ):
        print(f"\n{what}:\n")
        print_table(
            ["problems", "cells", *methods],
            [
                [kind, len(c), *(f"{x:.2f}" for x in np.mean(of_cells(c), axis=0))]
                for kind, c in sorted(kinds.items())
            ],
        )
    seconds = [float(row["s"]) for row in rows if row["method"] == "auto"]
    print(f"\nauto took {np.mean(seconds):.0f} s a draw for all budgets, one core.")


def _interval(difference: MeanEstimate) -> str:
    """In brackets; nothing if one draw, or draws that agree, tell none."""
    if np.isnan(difference.low):
        return ""
    return f" ({100 * difference.low:+.2f} to {100 * difference.high:+.2f})"


def _kinds(name: str) -> list[str]:
    if name in problems.SETTINGS:
        return ["A to D"]
    return ["real sets" if name in problems.REAL else "our families", "real and ours"]


def _place(row: Row, rows: list[Row]) -> float:
    if row["problem"] not in problems.REAL:
        return float(row["budget"])
    same = {r["budget"] for r in rows if (r["problem"], r["draw"]) == (row["problem"], row["draw"])}
    return 1.0 + sorted(same).index(row["budget"])


if __name__ == "__main__":
    main()
