"""Whether the error that `auto` quotes is the error that it makes.

Many small problems: settings A to D, real sets with held-back rows, families that are not Gaussian,
and pure noise. On each, `auto` chooses a set for one budget and quotes an error with a 95 %
interval; the model of that set, made on all rows to choose from, is tested on rows it never saw.
Printed, for each kind of problem: the mean difference to the test error (the bias) of the quoted
error, of the winner's own mean over the resamples, and of its out-of-bag error; and how often the
quoted interval covers the test error. The test error is itself an estimate, from a few hundred to
some thousand rows, so covering it is harder than covering the true error.

    python benchmarks/bench_honesty.py                244 problems, about an hour
    python benchmarks/bench_honesty.py --first 101    244 others
    python benchmarks/bench_honesty.py --final forest     with the forest as the model in the end
    python benchmarks/bench_honesty.py --quick        a few: does it run?

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from pathlib import Path

import joblib
import numpy as np

import problems
from choices import Row, in_points, problem_of, read_rows, test_error, write_rows
from common import print_machine, print_table
from frugalforest.choice import choose_on_resamples
from frugalforest.costs import Budget
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.methods import Auto
from frugalforest.model.final import FINALS, Final, read_final

# Real sets with enough rows to hold back.
REAL = ("ada", "author", "qsar", "spam", "tokyo", "wdbc")
# As the stored rows have them.
SETTINGS = problems.SD_SETTINGS
N_ROWS = 150
N_TREES = 100
FIELDS = ("problem", "draw", "budget", "nothing", "test_error", "quoted", "low", "high")
MORE = ("winner_mean", "out_of_bag")


def run(name: str, number: int, n_resamples: int, final: Final | None) -> Row:
    """One problem, its middle budget."""
    drawn = problems.draw(name, number, N_ROWS)
    problem = problem_of(drawn, number, N_TREES)
    budget = Budget(drawn.budgets[len(drawn.budgets) // 2])
    method = Auto().scaled_to(N_TREES)
    pool, judged = choose_on_resamples(problem, method, [budget], n_resamples, final=final)
    found = judged[budget]
    features, _ = pool.chosen(found.place)
    error = test_error(problem, features, drawn, final)
    honest = found.honest
    values = (name, number, budget.limit, int(not features), error, honest.error)
    scores = problem.scores([features]) if final is None else final.measured(problem, [features])[0]
    out_of_bag = scores[0].oob_error
    more = (honest.low, honest.high, float(np.mean(honest.errors)), out_of_bag)
    return dict(zip((*FIELDS, *MORE), (*values, *more), strict=True))


def kind_of(name: str) -> str:
    if name in SETTINGS:
        return "A to D"
    return "real" if name in REAL else "noise" if name == "noise" else "families"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--draws", type=int, default=16, help="how many of most problems")
    parser.add_argument("--first", type=int, default=1, help="the first draw")
    parser.add_argument("--resamples", type=int, default=10)
    parser.add_argument("--final", default="auto", choices=FINALS, help="the model in the end")
    parser.add_argument("--jobs", type=int, default=1, help="problems at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    names = [*REAL, *problems.FAMILIES, *SETTINGS]
    if options.quick:
        names, options.draws, options.resamples = ["noise", "wdbc"], 2, 3
    rows = read_rows(options.rows)
    done = {(str(r["problem"]), int(float(r["draw"]))) for r in rows}
    # Settings A to D have 200 features and take ten times as long. Noise is where a quoted error
    # goes wrong the most easily.
    most = dict.fromkeys(names, options.draws)
    most |= dict.fromkeys(SETTINGS, options.draws // 3) | {"noise": 3 * options.draws}
    draws = ((n, options.first + i) for n in names for i in range(most[n]))
    final = read_final(options.final)
    wanted = [draw for draw in draws if draw not in done]
    work = (joblib.delayed(run)(n, d, options.resamples, final) for n, d in wanted)
    for row in joblib.Parallel(options.jobs, return_as="generator_unordered")(work):
        rows.append(row)
        if options.rows:
            write_rows(options.rows, (*FIELDS, *MORE), rows)
    print_results(rows)


def print_results(rows: list[Row]) -> None:
    groups = defaultdict(list)
    for row in rows:
        groups[kind_of(str(row["problem"]))].append(row)
    groups["all"] = list(rows)
    lines = []
    for kind, found in groups.items():
        column = {key: np.array([float(r[key]) for r in found]) for key in (*FIELDS[3:], *MORE)}
        truth = column["test_error"]
        bias = estimate_mean(column["quoted"] - truth)
        covered = (column["low"] <= truth) & (truth <= column["high"])
        known = ~np.isnan(column["low"])
        lines.append(
            [
                *(kind, len(found), f"{100 * truth.mean():.2f}"),
                f"{100 * column['quoted'].mean():.2f}",
                in_points(bias),
                f"{100 * covered[known].mean():.1f} %",
                f"{100 * (column['winner_mean'] - truth).mean():+.2f}",
                f"{100 * (column['out_of_bag'] - truth).mean():+.2f}",
                f"{100 * column['nothing'].mean():.0f} %",
            ]
        )
    header = ["problems", "number", "test error", "quoted", "bias of the quoted error", "covered"]
    print_table([*header, "bias of the winner’s mean", "of its OOB error", "bought nothing"], lines)


if __name__ == "__main__":
    main()
