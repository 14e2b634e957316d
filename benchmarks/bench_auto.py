"""`auto` against its rivals: test error of what each buys, on many problems.

Problems (see `problems.py`): settings A to D of the paper, nine real sets, six families of our own,
and six that were written later.
Every draw has rows to choose from and others to test on. Plain methods are tuned on their own
out-of-bag error; forward selection is raced; sequential selection as in scikit-learn knows no
prices and is filled by them; CEGB (LightGBM) is held to the budget and counts with its own
predictions and with a forest on its features; `auto` is judged on resamples. A set gets a
forest of its own on all rows to choose from, whose error on the test rows is the figure.

    python benchmarks/bench_auto.py                        settings C and D, 10 draws
    python benchmarks/bench_auto.py --problems A B C D --draws 5
    python benchmarks/bench_auto.py --problems real families --draws 4
    python benchmarks/bench_auto.py --problems C-sd D-sd --first 11 --draws 13    these draws alone
    python benchmarks/bench_auto.py --draws 0 --rows ONE.csv    tables of all rows that are there
    python benchmarks/bench_auto.py --cost                 the time `auto` takes, beside a peer
    python benchmarks/bench_auto.py --quick                one draw of two small problems

Rows are written to --rows (CSV) as they come, and those that are there already are not made again:
only methods that a draw lacks are run. What is printed of the problems named: means over draws; the
paired difference to the best of the paper's methods *of the cell* (chosen by its mean over the
draws) with its 95 % interval; how far the error that `auto` quotes is from its test error; and mean
ranks.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import joblib
import numpy as np
from scipy.stats import rankdata

import problems
from choices import Row, in_points, write_rows
from common import forest_seconds, print_machine, print_table, timed
from contest import FIELDS, METHODS_COMPARED, PAPER, read_numbers, run_contest
from frugalforest import compare
from frugalforest.evaluation.resampling import estimate_mean
from rivals import lightgbm


def run_draw(name: str, number: int, wanted: set[str], options: argparse.Namespace) -> list[Row]:
    """The wanted methods on one draw, for all its budgets."""
    drawn = problems.draw(name, number, 120 if options.quick else None)
    n_trees = 50 if options.quick else 500
    return run_contest(drawn, name, number, wanted, n_trees, options.resamples)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    groups = {
        "real": problems.REAL,
        "families": tuple(problems.FAMILIES),
        "later": tuple(problems.LATER_FAMILIES),
    }
    parser.add_argument(
        *("--problems", "-p"),
        nargs="+",
        default=["C", "D"],
        choices=[
            *problems.SETTINGS,
            *problems.SD_SETTINGS,
            *groups,
            *(name for group in groups.values() for name in group),
        ],
    )
    parser.add_argument(
        "--draws", type=int, default=10, help="the last draw; 0: tables of all there are"
    )
    parser.add_argument("--first", type=int, default=1, help="the first draw, of the tables too")
    parser.add_argument(
        *("--methods", "-m"), nargs="+", default=METHODS_COMPARED, choices=METHODS_COMPARED
    )
    parser.add_argument("--resamples", type=int, default=10)
    parser.add_argument("--jobs", type=int, default=1, help="draws at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument(
        *("--beside", "-b"),
        nargs="+",
        type=Path,
        default=[],
        help="files with rows of other draws, for the tables",
    )
    parser.add_argument("--cost", action="store_true", help="time `auto` on 500 × 200, no more")
    parser.add_argument("--quick", action="store_true", help="one draw of two small problems")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn", *(["lightgbm"] if lightgbm else []))
    if options.cost:
        print_cost(options)
        return
    rows = read_numbers(options.rows)
    done = {(row["problem"], row["draw"], row["method"]) for row in rows}
    names = [name for given in options.problems for name in groups.get(given, (given,))]
    if options.quick:
        names, options.draws, options.resamples = ["noise", "interactions"], 1, 2
    draws = [(n, d) for d in range(options.first, options.draws + 1) for n in names]
    missing = {(n, d): {m for m in options.methods if (n, d, m) not in done} for n, d in draws}
    parallel = joblib.Parallel(options.jobs, return_as="generator_unordered")
    work = (joblib.delayed(run_draw)(n, d, m, options) for (n, d), m in missing.items() if m)
    for found in parallel(work):
        rows += found
        if options.rows:
            write_rows(options.rows, FIELDS, rows)
        print(f"{found[0]['problem']}, draw {found[0]['draw']}", flush=True)
    rows += [row for path in options.beside for row in read_numbers(path)]
    print()
    last = options.draws or np.inf
    print_results(
        [r for r in rows if r["problem"] in names and options.first <= float(r["draw"]) <= last]
    )


def print_cost(options: argparse.Namespace) -> None:
    """`compare` with `auto` alone on 500 × 200, five budgets; in units of a scikit-learn forest."""
    drawn = problems.draw("C-sd", 1, 120 if options.quick else None)
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
    lines, kinds, off = [], defaultdict(list), defaultdict(list)
    cells = {key: by for key, by in cells.items() if "auto" in by}
    # A rival may not have been run everywhere: those stay that all draws of `auto` have.
    everywhere = {m for by in cells.values() for m in by}
    for by in cells.values():
        everywhere &= {m for m in by if by[m].keys() >= by["auto"].keys()}
    methods = [m for m in METHODS_COMPARED if m in everywhere]
    paper = [m for m in PAPER if m in everywhere]
    if not paper or "auto" not in methods:
        print("There is nothing to compare: run `auto` and one of the paper's methods.")
        return
    for (name, place), by_method in sorted(cells.items()):
        draws = sorted(by_method["auto"])
        error = {
            m: np.array([float(by_method[m][d]["test_error"]) for d in draws]) for m in methods
        }
        quoted = np.array([float(by_method["auto"][d]["quoted"]) for d in draws])
        for kind in _kinds(name):
            kinds[kind] += list(np.array([error[m] for m in methods]).T)
            off[kind] += list(100 * (quoted - error["auto"]))
        best = min(paper, key=lambda m: error[m].mean())
        difference = estimate_mean(error["auto"] - error[best])
        lines.append(
            [
                name,
                f"{place:g}",
                len(draws),
                *(f"{100 * error[m].mean():.2f}" for m in methods),
                f"{error['auto'].mean() / error[best].mean():.2f}",
                in_points(difference),
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
    means = ", ".join(f"{np.mean(those):+.2f} in {kind}" for kind, those in sorted(off.items()))
    print(f"\nThe quoted error less the test error, in points: {means}.")
    seconds = [float(row["s"]) for row in rows if row["method"] == "auto"]
    print(f"\nauto took {np.mean(seconds):.0f} s a draw for all budgets, one core.")


def _kinds(name: str) -> list[str]:
    if name in (*problems.SETTINGS, *problems.SD_SETTINGS):
        return ["A to D"]
    if name in problems.REAL:
        kind = "real sets"
    else:
        kind = "our families" if name in problems.FAMILIES else "later families"
    return [kind, "real and families"]


def _place(row: Row, rows: list[Row]) -> float:
    if row["problem"] not in problems.REAL:
        return float(row["budget"])
    same = {r["budget"] for r in rows if (r["problem"], r["draw"]) == (row["problem"], row["draw"])}
    return 1.0 + sorted(same).index(row["budget"])


if __name__ == "__main__":
    main()
