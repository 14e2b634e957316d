"""`auto` against its rivals on the suite: sets that nothing was tuned on (see `suite.py`).

    python benchmarks/bench_suite.py --half report --jobs 2      26 sets, three splits: hours
    python benchmarks/bench_suite.py --half settle --methods auto sts
    python benchmarks/bench_suite.py --half report --splits 0    the tables of the rows there are
    python benchmarks/bench_suite.py --quick                     one split of two small sets

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
Rows of an older version can be made beside them with its package and `--as "auto before"`, and are
in the table with `--also "auto before"`: then with the splits alone that both have.

A set is one observation: each method has its mean error over splits and budgets there. Printed are
mean errors and ranks over the sets, Friedman's test, the paired difference of `auto` to each rival
with its 95 % interval and, after Holm (1979), the p-value of Wilcoxon's signed-rank test.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import joblib
import numpy as np
from scipy.stats import friedmanchisquare, rankdata

import suite
from choices import Row, in_points, write_rows
from common import print_machine, print_table
from contest import FIELDS, METHODS_COMPARED, read_numbers, run_contest
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.ranking import holm, signed_rank_p

METHODS = (*METHODS_COMPARED, "everything")
N_TREES, N_RESAMPLES = 300, 10
ROWS = Path(__file__).parents[1] / "results" / "suite" / "rows.csv"


def run_split(name: str, split: int, wanted: set[str], called: str, quick: bool) -> list[Row]:
    sizes = (30, 2) if quick else (N_TREES, N_RESAMPLES)
    rows = run_contest(suite.draw(name, split), name, split, wanted, *sizes)
    return [{**row, "method": called} if row["method"] == "auto" else row for row in rows]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--half", default="settle", choices=["settle", "report"])
    parser.add_argument("--splits", type=int, default=suite.N_SPLITS, help="0: only the tables")
    parser.add_argument("--methods", "-m", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument(
        "--as", dest="called", default="auto", help="what rows of `auto` are called"
    )
    parser.add_argument("--also", nargs="*", default=[], help="other names of rows for the table")
    parser.add_argument("--jobs", type=int, default=1, help="splits at the same time")
    parser.add_argument("--rows", type=Path, default=ROWS, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true", help="one split of two small sets")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    names = suite.SETTLE if options.half == "settle" else suite.REPORT
    if options.quick:
        names, options.splits, options.rows = ("pima", "saheart"), 1, None
    rows = read_numbers(options.rows)
    done = {(row["problem"], row["draw"], row["method"]) for row in rows}
    own = {m: options.called if m == "auto" else m for m in options.methods}
    work = []
    for split in range(1, options.splits + 1):
        for name in names:
            wanted = {m for m, called in own.items() if (name, split, called) not in done}
            if wanted:
                work.append((name, split, wanted, options.called, options.quick))
    parallel = joblib.Parallel(options.jobs, return_as="generator_unordered")
    for found in parallel(joblib.delayed(run_split)(*each) for each in work):
        rows += found
        if options.rows:
            write_rows(options.rows, FIELDS, rows)
        print(f"{found[0]['problem']}, split {found[0]['draw']}", flush=True)
    print()
    shown = {*own.values(), *options.also}
    print_results([r for r in rows if r["problem"] in names and r["method"] in shown])


def print_results(rows: list[Row]) -> None:
    methods = sorted({str(row["method"]) for row in rows})
    cells: dict[tuple[object, ...], dict[str, float]] = {}
    for row in rows:
        cell = row["problem"], row["draw"], row["budget"]
        cells.setdefault(cell, {})[str(row["method"])] = float(str(row["test_error"]))
    # What some method lacks is left out for all.
    complete = {cell: found for cell, found in cells.items() if len(found) == len(methods)}
    names = sorted({str(cell[0]) for cell in complete})
    error = np.array(
        [
            np.mean([[f[m] for m in methods] for cell, f in complete.items() if cell[0] == n], 0)
            for n in names
        ]
    )
    if not len(error) or len(methods) < 2:
        print("There is nothing to compare yet.")
        return
    # A forest on everything pays what it likes: it is no rival.
    rivals = [i for i, m in enumerate(methods) if m != "everything"]
    ranks = rankdata(error[:, rivals].round(6), axis=1).mean(axis=0)
    rank_of = {methods[i]: rank for i, rank in zip(rivals, ranks, strict=True)}
    seconds = {
        m: np.mean([float(str(row["s"])) for row in rows if row["method"] == m]) for m in methods
    }
    print(f"{len(names)} sets, {len(complete)} cells; mean error by set, in %:\n")
    others = [i for i in rivals if methods[i] != "auto"]
    p_values = dict.fromkeys(methods, "")
    if "auto" in methods:
        own = error[:, methods.index("auto")]
        tested = holm(np.array([signed_rank_p(own - error[:, i]) for i in others]))
        p_values |= {methods[i]: f"{p:.3f}" for i, p in zip(others, tested, strict=True)}
    lines = []
    for i in sorted(range(len(methods)), key=lambda i: rank_of.get(methods[i], np.inf)):
        name = methods[i]
        compared = "" if "auto" not in methods or name == "auto" else own - error[:, i]
        lines.append(
            [
                name,
                f"{rank_of[name]:.2f}" if name in rank_of else "",
                f"{100 * error[:, i].mean():.2f}",
                "" if isinstance(compared, str) else in_points(estimate_mean(compared)),
                p_values[name],
                f"{seconds[name]:.1f}",
            ]
        )
    header = ["method", "mean rank", "mean error", "auto − it", "p (Holm)", "s a split"]
    print_table(header, lines)
    if len(rivals) > 2 and len(names) > 2:
        statistic, p_value = friedmanchisquare(*error[:, rivals].T)
        print(f"\nFriedman: χ² = {statistic:.1f}, p = {p_value:.2g}.")


if __name__ == "__main__":
    main()
