"""Which searches win, and what `auto` would lose without each of them.

The half of the suite that things are settled on (see `suite.py`), first split, three budgets. Five
methods are pooled, the three of `auto` and two that it had before; for each search, the same choice
is made among the ways of the others. Printed are how often a search wins, and by how much the test
error rises without it, in points, as a mean over sets with its standard error.

    python benchmarks/bench_ways.py --rows results/ways/rows.csv    25 sets: an hour on one core
    python benchmarks/bench_ways.py --rows results/ways/rows.csv --splits 0    the table alone
    python benchmarks/bench_ways.py --quick                         one small set

Rows are written to --rows (CSV) as they come, and those that are there already are not made again.
"""

from __future__ import annotations

import argparse
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import joblib
import numpy as np

import suite
from choices import Row, problem_of, read_rows, test_error, write_rows
from common import print_machine, print_table
from frugalforest.choice import Pool, judge, make_pool, pooled_sets, with_recurring_sets
from frugalforest.costs import Budget
from frugalforest.evaluation.resampling import make_splits
from frugalforest.methods import AUC, Auto, ShallowTreeMethod
from frugalforest.running.seeds import derive_seed

N_TREES, N_RESAMPLES = 150, 10
XIS = (0.0, 0.5, 1.0, 1.5)
FIELDS = ("problem", "draw", "budget", "without", "winner", "test_error")


def name_of(pool: Pool, place: int | None) -> str:
    """A search as it is called in the table."""
    if place is None:
        return "nothing"
    way = pool.configurations[place]
    return f"{way.method} {way.search}".strip()


def without(pool: Pool, dropped: str) -> Pool:
    """The pool less one search."""
    kept = [i for i in range(len(pool.configurations)) if name_of(pool, i) != dropped]
    return replace(
        pool,
        configurations=tuple(pool.configurations[i] for i in kept),
        set_of=tuple(pool.set_of[i] for i in kept),
        baseline=None if pool.baseline is None else kept.index(pool.baseline),
    )


def run(name: str, split: int, n_trees: int, n_resamples: int) -> list[Row]:
    """What is chosen by all searches, and without each of them."""
    drawn = suite.draw(name, split)
    problem = problem_of(drawn, split, n_trees)
    now = Auto()
    method = replace(now, pool=(AUC(XIS), ShallowTreeMethod(XIS), *now.pool)).scaled_to(n_trees)
    budgets = [Budget(budget) for budget in drawn.budgets]
    splits = make_splits(problem.outcome.strata, n_resamples, 1 / 5, problem.seed)
    resamples = []
    for i, each in enumerate(splits):
        part = problem.on_rows(each.train, derive_seed(problem.seed, "resample", i))
        resamples.append(make_pool(part, method, budgets, problem.table.rows(each.test)))
    pool = make_pool(problem, method, budgets)
    pool = with_recurring_sets(pool, resamples, partial(pooled_sets, problem, None))
    searches = sorted(
        {name_of(pool, i) for i in range(len(pool.configurations))} - {"auto no more"}
    )
    rows: list[Row] = []
    for dropped in ("", *searches):
        own, *parts = (without(each, dropped) for each in (pool, *resamples))
        asked = problem.outcome, budgets, problem.seed, problem.score
        for budget, judged in judge(own, parts, splits, *asked).items():
            features, _ = own.chosen(judged.place)
            error = test_error(problem, features, drawn, None)
            winner = name_of(own, judged.place)
            values = (name, split, budget.limit, dropped, winner, error)
            rows.append(dict(zip(FIELDS, values, strict=True)))
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1, help="sets at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    names = suite.SETTLE[:1] if options.quick else suite.SETTLE
    sizes = (30, 2) if options.quick else (N_TREES, N_RESAMPLES)
    rows = read_rows(options.rows)
    done = {(str(row["problem"]), int(float(row["draw"]))) for row in rows}
    wanted = [(n, s) for s in range(1, options.splits + 1) for n in names if (n, s) not in done]
    work = (joblib.delayed(run)(name, split, *sizes) for name, split in wanted)
    for found in joblib.Parallel(options.jobs, return_as="generator_unordered")(work):
        rows += found
        if options.rows:
            write_rows(options.rows, FIELDS, rows)
    print_results(rows)


def print_results(rows: Sequence[Row]) -> None:
    error = {
        (str(r["problem"]), float(r["draw"]), float(r["budget"]), str(r["without"])): float(
            r["test_error"]
        )
        for r in rows
    }
    wins = Counter(str(row["winner"]) for row in rows if not row["without"])
    lines = []
    for search in sorted({without for *_, without in error} - {""}):
        rises = defaultdict(list)
        for (problem, draw, budget, dropped), value in error.items():
            if dropped == search:
                rises[problem].append(value - error[problem, draw, budget, ""])
        means = 100 * np.array([np.mean(each) for each in rises.values()])
        chance = means.std(ddof=1) / np.sqrt(len(means)) if len(means) > 1 else np.nan
        won = f"{100 * wins[search] / wins.total():.0f} %"
        lines.append([search, won, f"{means.mean():+.2f} ± {chance:.2f}"])
    lines.append(["nothing", f"{100 * wins['nothing'] / wins.total():.0f} %", ""])
    print_table(["search", "wins", "test error without it, points"], lines)


if __name__ == "__main__":
    main()
