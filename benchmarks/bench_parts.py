"""What a search on part of the rows loses against one on all of them, and what it saves.

On tables small enough to be searched whole, `auto` chooses a set for a middling budget twice: from
all rows, and from a fifth of them, with a race on larger parts and a judgement on all rows, as it
does in large tables. Both sets get a forest on all rows, tested on rows that neither saw. Real sets
with held-back rows, and families that are not Gaussian. Printed: mean test errors, their paired
difference with an interval, how far off the errors are that were quoted, and processor seconds.

    python benchmarks/bench_parts.py                  24 problems of 3,000 rows, an hour
    python benchmarks/bench_parts.py --size 25000     those that have so many rows: many hours
    python benchmarks/bench_parts.py --quick          two small ones: does it run?

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path

import joblib
import numpy as np

import problems
from choices import Row, in_points, problem_of, read_rows, test_error, write_rows
from common import print_machine, print_table
from frugalforest.choice import choose_on_resamples
from frugalforest.costs import Budget
from frugalforest.evaluation.parts import make_parts
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.methods import Auto

REAL = ("ada", "spam")
FAMILIES = ("unbalanced", "heavy tails", "interactions", "rules")
MOST_REAL_ROWS = 3000
SHARE = 5  # a fifth of the rows is searched
N_TREES = 200
FIELDS = ("problem", "draw", "rows", "searched", "test_error", "quoted", "cost", "seconds")


def run(name: str, number: int, n_rows: int, on_part: bool, n_resamples: int) -> Row:
    drawn = problems.draw(name, number, n_rows)
    problem = problem_of(drawn, number, N_TREES)
    budget = Budget(drawn.budgets[len(drawn.budgets) // 2])
    n_searched = problem.table.n_rows // SHARE if on_part else problem.table.n_rows
    parts = make_parts(problem.outcome.strata, n_searched, problem.seed) if on_part else None
    start = time.process_time()
    pool, judged = choose_on_resamples(
        problem, Auto().scaled_to(N_TREES), [budget], n_resamples, parts=parts
    )
    seconds = time.process_time() - start
    features, _ = pool.chosen(judged[budget].place)
    error = test_error(problem, features, drawn, None)
    cost = float(problem.prices.total(np.isin(np.arange(problem.n_features), features)))
    quoted = judged[budget].honest.error
    values = (name, number, problem.table.n_rows, n_searched, error, quoted, cost, seconds)
    return dict(zip(FIELDS, values, strict=True))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--size", type=int, default=MOST_REAL_ROWS, help="rows to choose from")
    parser.add_argument("--draws", type=int, default=4)
    parser.add_argument("--resamples", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=1, help="problems at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    names = FAMILIES if options.size > MOST_REAL_ROWS else (*REAL, *FAMILIES)
    if options.quick:
        names, options.size, options.draws, options.resamples = ("rules", "unbalanced"), 300, 1, 2
    rows = read_rows(options.rows)
    done = {_key(row) for row in rows}
    wanted = [
        (name, number, on_part)
        for number in range(1, options.draws + 1)
        for name in names
        for on_part in (True, False)
        if (name, options.size, number, on_part) not in done
    ]
    work = (joblib.delayed(run)(n, d, options.size, p, options.resamples) for n, d, p in wanted)
    for row in joblib.Parallel(options.jobs, return_as="generator_unordered")(work):
        rows.append(row)
        if options.rows:
            write_rows(options.rows, FIELDS, rows)
    print_results(rows)


def _key(row: Row) -> tuple[str, int, int, bool]:
    """Problem, rows, draw, and whether part of the rows was searched."""
    numbers = (int(str(row[name])) for name in ("rows", "draw"))
    return str(row["problem"]), *numbers, str(row["rows"]) != str(row["searched"])


def print_results(rows: list[Row]) -> None:
    """A line for each problem, and one for all of a size; only draws that were run both ways."""
    of = {_key(row): row for row in rows}
    both = [key[:-1] for key in of if key[-1] and (*key[:-1], False) in of]
    sizes = dict.fromkeys(size for _, size, _ in both)
    lines = []
    for name, size in [*dict.fromkeys(key[:2] for key in both), *(("all", size) for size in sizes)]:
        own = [key for key in both if name in (key[0], "all") and key[1] == size]
        part, whole = (
            {f: np.array([float(str(of[*k, on_part][f])) for k in own]) for f in FIELDS[4:]}
            for on_part in (True, False)
        )
        gap = estimate_mean(part["test_error"] - whole["test_error"])
        lines.append(
            [
                *(name, f"{size:,}", len(own)),
                *(f"{100 * each['test_error'].mean():.2f}" for each in (whole, part)),
                in_points(gap),
                *(
                    f"{100 * (each['quoted'] - each['test_error']).mean():+.2f}"
                    for each in (whole, part)
                ),
                *(f"{each['seconds'].mean():.0f}" for each in (whole, part)),
            ]
        )
    header = ["problem", "rows", "draws", "error, all rows", "error, part", "difference (95 %)"]
    header += ["quoted − error, all rows", "quoted − error, part", "seconds, all", "seconds, part"]
    print_table(header, lines)


if __name__ == "__main__":
    main()
