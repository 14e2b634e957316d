"""Test error of the four methods, ξ tuned: what is chosen fast is to be chosen well.

Settings A and C, budgets 2 and 10, the mean over 20 training sets of 500 rows and its standard
error. All sets share effects and prices, and one test set of 5000 rows for each setting. Each
method's set is scored by a 1000-tree forest; tied votes count ½. Filters are tuned over their exact
path, shallow trees over the grid; forward selection over the few ξ of --forward-xis, and with
racing unless its method is named "forward".

    python benchmarks/bench_errors.py --methods auc pfi sts    a few minutes
    python benchmarks/bench_errors.py                          and racing: an hour or so
    python benchmarks/bench_errors.py --quick                  does it run?
"""

from __future__ import annotations

import argparse

import numpy as np

from common import print_machine, print_table, timed
from frugalforest.choice import tune
from frugalforest.costs import Budget
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import ForestSettings
from frugalforest.methods import METHODS, Forward
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import vote_error
from frugalforest.tables import Table

DEFAULT_METHODS = ("auc", "pfi", "sts", "racing")
TEST_SET = 1_000_000  # a seed that no training set has


def error_on(problem: Problem, features: FeatureSet, X: np.ndarray, y: np.ndarray) -> float:
    """Error of the scoring forest on new rows; a tied vote counts ½."""
    return vote_error(problem.predict([features], Table.read(X))[0], y)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sets", type=int, default=20, help="training sets")
    parser.add_argument(
        "--methods", nargs="+", default=DEFAULT_METHODS, choices=[*METHODS, "racing"]
    )
    parser.add_argument(
        "--forward-xis", type=float, nargs="+", default=[0.0, 0.25, 0.5, 0.75, 1.0, 1.5]
    )
    parser.add_argument("--budgets", type=float, nargs="+", default=[2.0, 10.0])
    parser.add_argument("--settings", nargs="+", default=["A", "C"], choices=list("ABCD"))
    parser.add_argument("--spread", choices=["variance", "sd"], default="variance")
    parser.add_argument("--jobs", type=int, default=1, help="threads")
    parser.add_argument("--quick", action="store_true", help="two sets, 40 columns, 50 trees")
    options = parser.parse_args()
    n_features, n_trees = (40, 50) if options.quick else (200, 1000)
    n_sets = 2 if options.quick else options.sets
    n_forward = 20 if options.quick else 500
    methods = {name: kind() for name, kind in METHODS.items()} | {
        "forward": Forward(options.forward_xis, n_forward),
        "racing": Forward(options.forward_xis, n_forward, racing=True),
    }
    budgets = [Budget(money) for money in options.budgets]
    print_machine("frugalforest", "numpy", "scikit-learn")

    def draw(setting: str, n_rows: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        return make_cost_classification(
            *(setting, n_rows, n_features, n_features // 2),
            spread=options.spread,
            random_state=seed,
        )

    rows = []
    for setting in options.settings:
        X_test, y_test, _ = draw(setting, 5000, TEST_SET)
        errors: dict[tuple[str, float], list[float]] = {}
        seconds = dict.fromkeys(options.methods, 0.0)
        for number in range(n_sets):
            X, y, costs = draw(setting, 500, number)
            forests = ForestSettings(n_trees=n_trees)
            problem = Problem.from_table(
                X, y, costs, random_state=number, forests=forests, n_jobs=options.jobs
            )
            for name in options.methods:
                spent, tuned = timed(lambda p=problem, m=methods[name]: tune(p, m, budgets))
                seconds[name] += spent
                for budget, best in tuned.items():
                    error = error_on(problem, best.best.candidate.features, X_test, y_test)
                    errors.setdefault((name, budget.limit), []).append(error)
            print(f"setting {setting}, training set {number + 1} of {n_sets}", flush=True)
        for budget in options.budgets:
            for name in options.methods:
                found = np.array(errors[name, budget])
                standard_error = found.std(ddof=1) / np.sqrt(len(found))
                rows.append(
                    [
                        setting,
                        f"{budget:g}",
                        name,
                        f"{found.mean():.4f}",
                        f"{standard_error:.4f}",
                        f"{seconds[name] / n_sets:.2f}",
                    ]
                )
    print()
    print_table(
        ["setting", "budget", "method", "test error", "standard error", "s, all budgets"], rows
    )


if __name__ == "__main__":
    main()
