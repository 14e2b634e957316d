"""The model in the end, on the same bought features: forest, linear model, blend, and the choice.

Sets are chosen by the linear surrogate's search, tuned by out-of-bag error, for every budget of a
problem. On each set there is a forest, a linear model of ranks, their mean, and what `final="auto"`
takes of forest and mean by out-of-bag scores, and beside them scikit-learn's ExtraTrees. All are
tested on rows that they never saw. Printed, by problem: mean test errors in percent, and the mean
difference of `auto` to the forest with a 95 % interval over draws.

    python benchmarks/bench_final.py --rows results/final/rows.csv    goes on where it was
    python benchmarks/bench_final.py --quick                          a few: does it run?
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import joblib
import numpy as np
from sklearn.ensemble import ExtraTreesClassifier

import problems
from choices import Row, in_points, problem_of, read_rows, test_labels, write_rows
from common import print_machine, print_table
from frugalforest.choice import tune
from frugalforest.costs import Budget
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.methods import Linear
from frugalforest.model import FittedModel
from frugalforest.model.final import read_final

MODELS = ("forest", "logistic", "blend", "auto")
FIELDS = ("problem", "draw", "budget", "n_features", *MODELS, "took", "extra_trees")


def run(name: str, number: int, n_trees: int) -> list[Row]:
    """One problem, all its budgets."""
    drawn = problems.draw(name, number, None if name in problems.REAL else 300)
    problem = problem_of(drawn, number, n_trees)
    rows: list[Row] = []
    labels, new_rows = test_labels(problem, drawn), problem.table.schema.read(drawn.X_test)
    budgets = [Budget(limit) for limit in drawn.budgets]
    for budget, found in tune(problem, Linear().scaled_to(n_trees), budgets).items():
        features = found.best.candidate.features
        if not features:
            continue
        row: Row = dict(zip(FIELDS, (name, number, budget.limit, len(features)), strict=False))
        for kind in MODELS:
            final = read_final(kind)
            model = FittedModel.fit(problem, features, None, final)
            row[kind] = wrong(
                model.predict(new_rows.select(model.features)), problem.outcome.classes[labels]
            )
        row["took"] = model.kind  # of the last, which is auto
        X, new = (
            np.nan_to_num(problem.encoder.transform(table)[:, list(features)])
            for table in (problem.table, new_rows)
        )
        extra = ExtraTreesClassifier(n_trees, random_state=number).fit(X, problem.outcome.labels)
        row["extra_trees"] = wrong(extra.predict(new), labels)
        rows.append(row)
    return rows


def wrong(said: Sequence[object], truth: Sequence[object]) -> float:
    return float(np.mean(np.asarray(said) != np.asarray(truth)))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--problems", nargs="*", help="all but noise by default")
    parser.add_argument("--draws", type=int, default=3)
    parser.add_argument("--first", type=int, default=301, help="the first draw")
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=1, help="problems at the same time")
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    families = {**problems.FAMILIES, **problems.LATER_FAMILIES}
    names = [*problems.REAL, *problems.SETTINGS, *(name for name in families if name != "noise")]
    names = options.problems or names
    if options.quick:
        names, options.draws, options.trees = ["heavy tails", "A"], 2, 20
    rows = read_rows(options.rows)
    done = {(str(r["problem"]), int(float(str(r["draw"])))) for r in rows}
    draws = range(options.first, options.first + options.draws)
    wanted = [(n, d) for d in draws for n in names if (n, d) not in done]
    work = (joblib.delayed(run)(n, d, options.trees) for n, d in wanted)
    for found in joblib.Parallel(options.jobs, return_as="generator_unordered")(work):
        rows += found
        if options.rows:
            write_rows(options.rows, FIELDS, rows)
    print_results(rows)


def kind_of(name: str) -> str:
    if name in problems.SETTINGS:
        return "A and B" if name in ("A", "B") else "C and D"
    return "real" if name in problems.REAL else "families"


def print_results(rows: list[Row]) -> None:
    groups: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        groups[str(row["problem"])].append(row)
        groups[kind_of(str(row["problem"]))].append(row)
        groups["all"].append(row)
    lines = []
    for name in sorted(groups, key=lambda g: (g == "all", g in set(map(kind_of, groups)), g)):
        own = groups[name]
        errors = {
            key: np.array([float(str(r[key])) for r in own]) for key in (*MODELS, "extra_trees")
        }
        # Budgets of one draw are not independent, and problems differ in how many they have.
        each: dict[tuple[str, str], list[float]] = defaultdict(list)
        for row, difference in zip(own, errors["auto"] - errors["forest"], strict=True):
            each[str(row["problem"]), str(row["draw"])].append(float(difference))
        fewer = estimate_mean(np.array([np.mean(d) for d in each.values()]))
        ratio = errors["auto"].mean() / errors["forest"].mean() - 1
        taken = np.mean([r["took"] == "blend" for r in own])
        means = [f"{100 * errors[key].mean():.2f}" for key in (*MODELS, "extra_trees")]
        lines.append(
            [name, len(own), *means, in_points(fewer), f"{100 * ratio:+.1f} %", f"{taken:.0%}"]
        )
    header = ["problems", "sets", *MODELS, "extra trees", "auto less forest", "in errors"]
    print_table([*header, "blend taken"], lines)


if __name__ == "__main__":
    main()
