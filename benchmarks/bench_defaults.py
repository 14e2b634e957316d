"""How long the methods that `compare` runs by default take beside `auto`, on one set of rows.

    python benchmarks/bench_defaults.py            300 × 15 and 500 × 30, 1,000 trees: minutes
    python benchmarks/bench_defaults.py --quick    one small table: does it run?

Setting C, three budgets up to three fifths of the price of all. Processor seconds, one thread:
`auto` makes its pool, the others are tuned. Forward selection is left out by default where rows
times features times features are more than what is said in `frugalforest.methods._defaults`.
"""

from __future__ import annotations

import argparse

import numpy as np

from common import print_machine, print_table, processor_seconds
from frugalforest.choice import make_pool, tune
from frugalforest.costs import Budget
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import ForestSettings
from frugalforest.methods import METHODS, PAPER_METHODS, default_methods
from frugalforest.problem import Problem

SHARES = (0.1, 0.3, 0.6)


def seconds_of_each(n_rows: int, n_features: int, n_trees: int) -> list[object]:
    n_generated = 20 * -(-n_features // 20)  # setting C has columns in blocks
    X, y, costs = make_cost_classification("C", n_rows, n_generated, n_generated // 2)
    costs = np.asarray(costs)[:n_features]
    problem = Problem.from_table(
        *(np.ascontiguousarray(X[:, :n_features]), y, costs),
        random_state=0,
        forests=ForestSettings(n_trees=n_trees),
    )
    budgets = [Budget(float(share * costs.sum())) for share in SHARES]
    auto = METHODS["auto"]().scaled_to(n_trees)
    seconds = [processor_seconds(lambda: make_pool(problem, auto, budgets))[0]]
    for name in PAPER_METHODS:
        method = METHODS[name]().scaled_to(n_trees)
        seconds.append(processor_seconds(lambda m=method: tune(problem, m, budgets))[0])
    default = "yes" if "forward" in default_methods(n_rows, n_features) else "no"
    size = f"{n_rows} × {n_features}"
    return [size, n_rows * n_features**2, *(f"{s:.1f}" for s in seconds), default]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy")
    sizes, n_trees = ([(60, 5)], 20) if options.quick else ([(300, 15), (500, 20), (500, 30)], 1000)
    print_table(
        ["table", "rows × features²", "auto", *PAPER_METHODS, "forward by default"],
        [seconds_of_each(*size, n_trees) for size in sizes],
    )
    print("\nProcessor seconds on one set of rows; resamples repeat it on four fifths of them.")


if __name__ == "__main__":
    main()
