"""Ten thousand features: the filters' paths over ξ, the methods of `auto`, what screening loses.

    python benchmarks/bench_features.py [--small] [--seed 0]

Gene expression is simulated: 200 rows, correlated blocks, 50 informative genes. The first table has
the whole path over ξ of the tuned AUC filter, ratings included, for five budgets and several kinds
of prices, beside the floor of 2 s. The second has what each method proposes for three budgets. The
third plants features that only work in pairs, and says whether those that screening keeps have
them. Seconds are of processor time, one thread.
"""

from __future__ import annotations

import argparse

import numpy as np
from numpy.typing import NDArray

from common import print_machine, print_table, processor_seconds
from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.methods import METHODS
from frugalforest.methods._discriminant import discriminant
from frugalforest.methods._wide_tables import promising
from frugalforest.problem import Problem
from whole_runs import PricedTable, gene_expression

FLOOR = 2.0
METHOD_NAMES = ("auc", "pfi", "sts", "linear", "backward")
# What the best features of the smallest and of the largest budget cost, of all: 5 to 100 features.
SHARES = (0.0005, 0.001, 0.002, 0.005, 0.01)


def price_models(p: int, rng: np.random.Generator) -> dict[str, CostModel]:
    """Prices of several kinds, with and without shared fees."""
    uniform, whole = rng.uniform(0.1, 1, p), rng.integers(1, 11, p).astype(float)
    log_normal, more = rng.lognormal(0, 1, (2, p))

    def in_kits(size: int, prices: NDArray[np.float64], fees: NDArray[np.float64]) -> CostModel:
        kits = [f"kit {j // size}" for j in range(p)]
        own = {name: float(fee) for name, fee in zip(dict.fromkeys(kits), fees, strict=False)}
        return CostModel(prices, groups=kits, group_costs=own)

    return {
        "uniform": CostModel(uniform),
        "log-normal": CostModel(log_normal),
        "exponential": CostModel(rng.exponential(1, p)),
        "1 to 10, whole": CostModel(whole),
        "uniform, kits of 20 with fees": in_kits(20, uniform, uniform),
        "whole, kits of 20 with fees": in_kits(20, whole, uniform),
        "log-normal, kits of 2 with fees": in_kits(2, log_normal, more),
        "log-normal, kits of 5 with fees": in_kits(5, log_normal, more),
        "log-normal, kits of 50 with fees": in_kits(50, log_normal, more),
    }


def paths(table: PricedTable, seed: int) -> list[list[object]]:
    rows: list[list[object]] = []
    models = price_models(table.X.shape[1], np.random.default_rng(seed))
    for name, model in models.items():
        problem = Problem.from_table(table.X, table.y, model, random_state=seed)
        total = float(problem.prices.total(~problem.prices.excluded))
        budgets = [Budget(share * total) for share in SHARES]
        seconds, found = processor_seconds(
            lambda p=problem, b=budgets: METHODS["auc"]().propose(p, b)
        )
        n_sets = sum(map(len, found.values()))
        rows.append([name, n_sets, f"{seconds:.2f}", f"{FLOOR:.0f}"])
    return rows


def methods(table: PricedTable, seed: int) -> list[list[object]]:
    problem = Problem.from_table(table.X, table.y, table.costs, random_state=seed)
    budgets = [Budget(share * table.costs.sum()) for share in SHARES[:3]]
    rows: list[list[object]] = []
    for name in METHOD_NAMES:
        method = METHODS[name]() if name in ("linear", "backward") else METHODS[name]((0.0, 1.0))
        seconds, found = processor_seconds(lambda m=method: m.propose(problem, budgets))
        rows.append([name, sum(map(len, found.values())), f"{seconds:.1f}"])
    return rows


def planted(
    table: PricedTable, kind: str, rng: np.random.Generator
) -> tuple[PricedTable, list[int]]:
    """The table with a pair of columns, somewhere, that tell the classes apart only together."""
    X, y = table.X.copy(), table.y
    first, second = pair = rng.choice(X.shape[1], 2, replace=False).tolist()
    own, sign = rng.normal(size=len(y)), 2 * y - 1
    if kind == "product":  # the sign of the product is the class, but for one row in seven
        wrong = rng.random(len(y)) < 0.15
        other = np.abs(rng.normal(size=len(y))) * np.sign(own) * np.where(wrong, -sign, sign)
        X[:, first], X[:, second] = own, other
    else:  # the difference of two nearly equal columns is the class, with noise
        X[:, first], X[:, second] = own, own + 0.15 * sign + 0.1 * rng.normal(size=len(y))
    return PricedTable(X, y, table.costs), pair


def kept(table: PricedTable, seed: int, n_draws: int) -> list[list[object]]:
    """How often screening keeps a planted pair, and how many informative genes it keeps."""
    rows: list[list[object]] = []
    informative = [b * 20 + i for b in range(10) for i in range(5)]
    for kind in ("product", "difference"):
        counts: NDArray[np.float64] = np.zeros((2, 2))
        for draw in range(n_draws):
            rng = np.random.default_rng([seed, draw])
            with_pair, pair = planted(table, kind, rng)
            problem = Problem.from_table(with_pair.X, with_pair.y, table.costs, random_state=seed)
            by_forests = promising(problem, np.ones(problem.n_features, dtype=bool))
            by_line = np.isin(np.arange(problem.n_features), discriminant(problem).columns)
            for i, mask in enumerate((by_forests, by_line)):
                counts[i] += [mask[pair].all(), mask[informative].mean()]
        for name, (pairs, genes) in zip(("backward", "linear"), counts / n_draws, strict=True):
            rows.append([kind, name, f"{100 * pairs:.0f} %", f"{100 * genes:.0f} %"])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--small", "--quick", action="store_true", help="2,200 features, one draw")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    print_machine("frugalforest", "numpy")
    table = gene_expression(200, 2_200 if options.small else 10_000, seed=options.seed)
    print_table(["prices", "sets", "seconds", "at most"], paths(table, options.seed))
    print()
    print_table(["method", "sets", "seconds"], methods(table, options.seed))
    print()
    print_table(
        ["the pair works by its", "screening of", "pair kept", "informative genes kept"],
        kept(table, options.seed, 1 if options.small else 10),
    )
    print(
        f"\nThe path of the AUC filter, ratings included, for five budgets: at most {FLOOR:.0f} s."
    )


if __name__ == "__main__":
    main()
