"""Tiny random problems on which methods can be checked by brute force."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.problem import Problem
from reference.plain_methods import PlainPrices


@dataclass(frozen=True)
class TinyProblem:
    """A table, its labels, its prices in both forms, and budgets from little to no limit."""

    X: np.ndarray
    y: np.ndarray
    prices: PlainPrices
    budgets: tuple[float | None, ...]
    seed: int

    @property
    def limits(self) -> list[Budget]:
        """The budgets as the methods take them."""
        return [Budget.read(money) for money in self.budgets]

    @property
    def cost_model(self) -> CostModel:
        return CostModel(
            self.prices.costs,
            groups=self.prices.groups,
            group_costs=self.prices.fees,
            required=sorted(self.prices.required),
            excluded=sorted(self.prices.excluded),
        )

    def problem(self) -> Problem:
        return Problem.from_table(self.X, self.y, self.cost_model, random_state=self.seed)


def tiny_problem(
    seed: int,
    *,
    n_features: int | None = None,
    n_classes: int | None = None,
    with_groups: bool = True,
    with_restrictions: bool = True,
) -> TinyProblem:
    """Ties, missing values, two or three classes by default; prices that tie or that do not.

    Prices that tie are multiples of ¼, which are added without rounding, so that a tie is a tie
    however it is added up.
    """
    rng = np.random.default_rng(seed)
    n, p, two_or_three = rng.integers(30, 61), n_features or rng.integers(4, 8), rng.integers(2, 4)
    n_classes = n_classes or two_or_three
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    X = rng.normal(size=(n, p)) + rng.uniform(0, 1, p) * y[:, None] * rng.choice([-1, 1], p)
    X = X.round(rng.choice([0, 1, 8]))
    X[rng.random((n, p)) < rng.choice([0, 0.1])] = np.nan
    if rng.random() < 0.5:
        costs, fee = rng.integers(1, 9, p) / 4, int(rng.integers(1, 5)) / 4
    else:
        costs, fee = rng.uniform(0.1, 2, p), float(rng.uniform(0.1, 2))
    costs[rng.random(p) < 0.1] = 0.0
    groups: list[str | None] = [None] * p
    if with_groups and rng.random() < 0.6:
        groups = [["a", "b", None][g] for g in rng.integers(0, 3, p)]
    fees = {group: fee * (1 + (group == "b")) for group in set(groups) - {None}}
    required, excluded = frozenset(), frozenset()
    if with_restrictions:
        roles = rng.random(p)
        required = frozenset(np.flatnonzero(roles < 0.1).tolist())
        excluded = frozenset(np.flatnonzero(roles[1:] > 0.9).tolist()) - required
    prices = PlainPrices(costs.tolist(), groups, fees, required, excluded)
    open_ = prices.buyable(set())
    least = max(prices.total(prices.in_from_the_start()), min(prices.total([j]) for j in open_))
    most = prices.total(open_)
    budgets = tuple(round(least + share * (most - least), 6) + 1e-6 for share in (0.0, 0.3, 0.7))
    assert all(low <= high for low, high in pairwise(budgets))
    return TinyProblem(X, y, prices, (*budgets, None), seed)
