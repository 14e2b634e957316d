"""How time grows with rows and columns: exponents fitted to processor seconds.

    python benchmarks/bench_growth.py [--quick]

If time is c · nᵇ, its logarithm is a straight line over that of n, and b is the slope. For one
forest with exact splits and with bins, and for what `auto` does on one set of rows, to propose sets
for three budgets and to score them: with more rows, columns, shared fees (one for two columns),
classes, categories of text columns, and budgets. Setting C of the paper: half of the columns tell
something, and blocks of them are correlated. One thread.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence

import numpy as np

from common import print_machine, print_table, processor_seconds
from frugalforest.choice import make_pool
from frugalforest.costs import Budget, CostModel
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import ForestSettings
from frugalforest.methods import Auto
from frugalforest.problem import Problem

BUDGETS = tuple(Budget(limit) for limit in (1.0, 5.0, 10.0))
Work = Callable[[int], float]


def problem_of(n_rows: int, n_columns: int, n_trees: int, bins: int | None) -> Problem:
    # "sd" as ever, so that times can be compared.
    blocks = {"n_relevant": n_columns // 2, "n_blocks": n_columns // 10, "spread": "sd"}
    X, y, costs = make_cost_classification("C", n_rows, n_columns, **blocks)
    return Problem.from_table(
        X, y, costs, forests=ForestSettings(n_trees=n_trees, bins=bins), n_jobs=1
    )


def forest(n_rows: int, n_columns: int, bins: int | None) -> float:
    """Seconds of a forest of 100 trees, with the coding of the table."""
    problem = problem_of(n_rows, n_columns, 100, bins)
    return processor_seconds(lambda: problem.scores([tuple(range(n_columns))]))[0]


def auto(n_rows: int, n_columns: int) -> float:
    """Seconds of what `auto` proposes, each set scored."""
    return pool(problem_of(n_rows, n_columns, 200, None))


def pool(problem: Problem, budgets: Sequence[Budget] = BUDGETS) -> float:
    return processor_seconds(lambda: make_pool(problem, Auto().scaled_to(200), budgets))[0]


def fees(n_groups: int) -> float:
    """Seconds of the same on 100 rows, with a fee for each two columns."""
    problem = problem_of(100, 2 * n_groups, 200, None)
    groups = [j // 2 for j in range(2 * n_groups)]
    model = CostModel(problem.prices.feature_cost, groups, dict.fromkeys(groups, 0.5))
    problem.prices = model.align(problem.table.names)
    return pool(problem)


def classes(n_classes: int) -> float:
    """Seconds of the same on 1,000 rows of so many classes."""
    X, _, costs = make_cost_classification("C", 1000, 30, n_relevant=15, n_blocks=3, spread="sd")
    share = X[:, 0].argsort().argsort() / len(X)
    y = (n_classes * share).astype(int)
    return pool(Problem.from_table(X, y, costs, forests=ForestSettings(n_trees=200), n_jobs=1))


def categories(n_categories: int) -> float:
    """Seconds of the same on 1,000 rows with ten text columns of so many categories."""
    rng = np.random.default_rng(0)
    X = np.char.add("c", rng.integers(0, n_categories, (1000, 10)).astype(str)).astype(object)
    y = rng.integers(0, 2, 1000)
    return pool(Problem.from_table(X, y, forests=ForestSettings(n_trees=200), n_jobs=1))


def many_budgets(n_budgets: int) -> float:
    """Seconds of the same on 200 rows and 20 columns, for so many budgets."""
    problem = problem_of(200, 20, 200, None)
    limits = np.linspace(1, float(problem.prices.feature_cost.sum()), n_budgets)
    return pool(problem, [Budget(float(limit)) for limit in limits])


def line(what: str, sizes: Sequence[int], work: Work) -> list[object]:
    seconds = [work(size) for size in sizes]
    exponent = np.polyfit(np.log(sizes), np.log(seconds), 1)[0]
    return [what, _range(sizes), _range(seconds, ".2g"), f"{exponent:.2f}"]


def _range(values: Sequence[float], spec: str = ",") -> str:
    return f"{values[0]:{spec}} to {values[-1]:{spec}}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="does it run?")
    quick = parser.parse_args().quick
    print_machine("frugalforest", "numpy")
    first, times = (100, 2) if quick else (1000, 5)

    def doubling(first: int, times: int = times) -> list[int]:
        return [first * 2**i for i in range(times)]

    lines = [
        line("one forest, exact, 30 columns", doubling(first), lambda n: forest(n, 30, None)),
        line("one forest, bins, 30 columns", doubling(25 * first), lambda n: forest(n, 30, 255)),
        line(f"one forest, exact, {first:,} rows", doubling(20), lambda p: forest(first, p, None)),
        line("auto, 50 columns", doubling(first // 2, 4), lambda n: auto(n, 50)),
        line(f"auto, {first // 2} rows", doubling(50, 4), lambda p: auto(first // 2, p)),
        line("auto, 100 rows, shared fees", doubling(10 if quick else 60, 4), fees),
        line("auto, classes", doubling(2, 2 if quick else 4), classes),
        line("auto, categories", doubling(2, 2 if quick else 4), categories),
        line("auto, budgets", doubling(2 if quick else 10, 4), many_budgets),
    ]
    print_table(["work", "how many", "seconds", "exponent"], lines)


if __name__ == "__main__":
    main()
