"""The four methods as the specification words them: loops, floats and dicts, no cleverness.

The engine grows the forests; everything that is done with them is done here again, slowly. Every
price is the price of a whole set, every vote is counted one by one, and nothing is remembered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from frugalforest.engine import (
    ColumnWeights,
    ForestSettings,
    ShallowPart,
    ShallowTrees,
    grow_shallow,
    permutation_gains,
    score_sets,
)
from frugalforest.problem import Problem

# Sums of thirds and differences of prices come out of the two versions with different rounding.
ROUNDING = 1e-9


@dataclass(frozen=True)
class PlainPrices:
    """Prices as a person would write them down. A group of None is no group."""

    costs: list[float]
    groups: list[str | None]
    fees: dict[str, float]
    required: frozenset[int] = frozenset()
    excluded: frozenset[int] = frozenset()

    def total(self, features: Iterable[int]) -> float:
        bought = set(features)
        touched = {self.groups[j] for j in bought if self.groups[j] is not None}
        return sum(self.costs[j] for j in sorted(bought)) + sum(
            self.fees[group] for group in sorted(touched)
        )

    def extra(self, features: Iterable[int], added: Iterable[int]) -> float:
        """What `added` costs once `features` are paid for."""
        before = set(features)
        return self.total(before | set(added)) - self.total(before)

    def in_from_the_start(self) -> set[int]:
        free = {
            j for j in range(len(self.costs)) if self.total([j]) == 0 and j not in self.excluded
        }
        return free | set(self.required)

    def buyable(self, features: set[int]) -> list[int]:
        return [j for j in range(len(self.costs)) if j not in features and j not in self.excluded]


@dataclass(frozen=True)
class PlainStep:
    """What one purchase adds, gains and costs. Gain is None for what is in from the start."""

    features: frozenset[int]
    gain: float | None
    cost: float


def within(cost: float, budget: float | None) -> bool:
    return budget is None or cost <= budget * (1 + 1e-9)


def sign_safe_score(gain: float, cost: float, xi: float) -> float:
    weight = cost**xi
    if gain <= 0:
        return gain * weight
    return math.inf if weight == 0 else gain / weight


def printed_score(gain: float, cost: float, xi: float) -> float:
    weight = cost**xi
    if weight == 0:
        return 0.0 if gain == 0 else math.copysign(math.inf, gain)
    return gain / weight


def pick(
    options: dict[int, tuple[float, float]],
    xi: float,
    score: Callable[[float, float, float], float] = sign_safe_score,
) -> int:
    """The best of options {index: (gain, cost)}: score, gain, lower cost, lower index."""
    left = sorted(options)
    for value in (
        lambda i: score(*options[i], xi),
        lambda i: options[i][0],
        lambda i: -options[i][1],
    ):
        best = max(value(i) for i in left)
        left = [i for i in left if math.isclose(value(i), best, rel_tol=ROUNDING, abs_tol=1e-12)]
    return left[0]


def start(prices: PlainPrices) -> tuple[set[int], list[PlainStep]]:
    features = prices.in_from_the_start()
    if not features:
        return features, []
    return features, [PlainStep(frozenset(features), None, prices.total(features))]


# --- filters ------------------------------------------------------------------------------------


def auc_benefit(problem: Problem, X: list[list[float]]) -> list[float]:
    """2 · |AUC − ½|, counting pairs of rows; the mean over pairs of classes."""
    labels = problem.outcome.labels.tolist()
    pairs = list(combinations(range(problem.outcome.n_classes), 2))
    benefit = []
    for j in range(len(X[0])):
        total = 0.0
        for a, b in pairs:
            in_a = [row[j] for row, k in zip(X, labels, strict=True) if k == a]
            in_b = [row[j] for row, k in zip(X, labels, strict=True) if k == b]
            in_a = [value for value in in_a if not math.isnan(value)]
            in_b = [value for value in in_b if not math.isnan(value)]
            if not in_a or not in_b:
                continue
            wins = 0.0
            for first in in_a:
                for second in in_b:
                    if second > first:
                        wins += 1.0
                    elif second == first:
                        wins += 0.5
            total += 2 * abs(wins / (len(in_a) * len(in_b)) - 0.5)
        benefit.append(total / len(pairs))
    return benefit


def permutation_benefit(problem: Problem, prices: PlainPrices, n_trees: int) -> list[float]:
    """The engine's importances; excluded features are not in the forest."""
    allowed = prices.buyable(set())
    found = permutation_gains(
        problem.data,
        problem.target,
        allowed,
        problem.seed_for("pfi"),
        ForestSettings(n_trees=n_trees),
    ).tolist()
    benefit = [0.0] * len(prices.costs)
    for j, gain in zip(allowed, found, strict=True):
        benefit[j] = gain
    return benefit


def fill(
    benefit: list[float], prices: PlainPrices, budget: float | None, xi: float
) -> tuple[set[int], list[PlainStep]]:
    """Buy the best ratio that fits, again and again."""
    features, steps = start(prices)
    while True:
        options = {}
        for j in prices.buyable(features):
            if within(prices.total(features | {j}), budget):
                options[j] = (benefit[j], prices.extra(features, [j]))
        if not options:
            return features, steps
        j = pick(options, xi)
        steps.append(PlainStep(frozenset([j]), *options[j]))
        features.add(j)


# --- forward selection --------------------------------------------------------------------------


def forward(
    problem: Problem,
    prices: PlainPrices,
    budget: float | None,
    xi: float,
    n_trees: int,
    racing: bool = False,
) -> tuple[set[int], list[PlainStep]]:
    """Every forest grown from scratch."""

    def error_of(features: set[int], n_trees: int = n_trees) -> float:
        if not features:
            return 1 - 1 / problem.outcome.n_classes
        batch = score_sets(
            problem.data,
            problem.target,
            [sorted(features)],
            [problem.seed_for("forward")],
            ForestSettings(n_trees=n_trees),
        )
        return float(batch.oob_error[0])

    def options(features: set[int], added: list[int], share: float = 1.0) -> dict[int, Any]:
        trees = max(1, round(share * n_trees))
        error = error_of(features, trees)
        return {
            j: (error - error_of(features | {j}, trees), prices.extra(features, [j])) for j in added
        }

    features, steps = start(prices)
    while True:
        running = [
            j for j in prices.buyable(features) if within(prices.total(features | {j}), budget)
        ]
        if not running:
            return features, steps
        if racing:
            for share, n_best in ((0.04, round(len(running) / 8)), (0.2, round(len(running) / 32))):
                if len(running) > max(4, n_best):
                    left, running = options(features, running, share), []
                    while len(running) < max(4, n_best):
                        running.append(pick(left, xi))
                        del left[running[-1]]
        gains = options(features, running)
        j = pick(gains, xi)
        steps.append(PlainStep(frozenset([j]), *gains[j]))
        features.add(j)


# --- shallow tree selection ---------------------------------------------------------------------


def bought_cheapest_first(prices: PlainPrices, budget: float | None) -> int:
    """How many features the budget buys."""
    bought: set[int] = set()
    while True:
        extra = {j: prices.extra(bought, [j]) for j in prices.buyable(bought)}
        cheapest = min(extra, key=lambda j: (extra[j], j), default=None)
        if cheapest is None or not within(prices.total(bought | {cheapest}), budget):
            return len(bought)
        bought.add(cheapest)


def depth_for(prices: PlainPrices, budget: float | None) -> int:
    """Largest d, 1 to 5, with 2^d − 1 at most the number of features bought cheapest first."""
    depth = 1
    while depth < 5 and 2 ** (depth + 1) - 1 <= bought_cheapest_first(prices, budget):
        depth += 1
    return depth


# What limits the trees of each level from the second on.
Levels = list[dict[str, Any]]


def depth_levels(depth: int) -> Levels:
    return [{"max_depth": d} for d in range(2, depth + 1)]


def feature_levels(prices: PlainPrices, budget: float | None) -> Levels:
    """Two features, three, …, five, as far as the budget buys so many."""
    most = min(5, bought_cheapest_first(prices, budget))
    return [{"max_depth": None, "most_columns": k} for k in range(2, most + 1)]


def cost_levels(prices: PlainPrices, budget: float | None) -> Levels:
    """All the money there is after what is in from the start, a half of it, …, a sixteenth."""
    start = prices.in_from_the_start()
    to_buy = [j for j in prices.buyable(set()) if prices.total([j]) > 0]
    if not to_buy:
        return []
    all_of_it = prices.total(prices.buyable(set()))
    most = all_of_it if budget is None else min(budget, all_of_it)
    most -= prices.total(start)
    cheapest = min(prices.total([j]) for j in to_buy)
    amounts = [most / share for share in (16, 8, 4, 2, 1)]
    return [
        {"max_depth": None, "most_weight": amount * (1 + 1e-9)}
        for amount in amounts
        if within(cheapest, amount)
    ]


def plain_weights(prices: PlainPrices) -> ColumnWeights:
    """Prices as the engine takes them."""
    names = sorted(prices.fees)
    start = prices.in_from_the_start()
    touched = {prices.groups[j] for j in start}
    each = [
        price
        for j in prices.buyable(start)
        for price in (prices.costs[j], prices.total([j]))
        if price > 0
    ]
    return ColumnWeights(
        np.array(prices.costs),
        np.array([-1 if group is None else names.index(group) for group in prices.groups]),
        np.array([0.0 if name in touched else prices.fees[name] for name in names]),
        np.array([j in start for j in range(len(prices.costs))]),
        min(each, default=1.0),
    )


def base_ensemble(
    problem: Problem, prices: PlainPrices, levels: Levels, n_trees: int, zeta: float
) -> ShallowTrees:
    """One stump a feature, then a forest for each level; seeds are those of the package."""
    allowed = prices.buyable(set())
    keys = problem.data.feature_keys.tolist()
    parts = [ShallowPart([j], 1, 1, problem.seed_for("sts", 1), keys[j]) for j in allowed]
    for number, limits in enumerate(levels, start=2):
        seed = problem.seed_for("sts", number)
        parts.append(ShallowPart(allowed, n_trees, seed=seed, zeta=zeta, **limits))
    return grow_shallow(problem.data, problem.target, parts, weights=plain_weights(prices))


def unpacked(trees: ShallowTrees, n_rows: int) -> list[list[int | None]]:
    """The class that each tree votes for in each row; None where the row is in its bag."""
    result = []
    for planes in trees.votes.tolist():
        votes: list[int | None] = [None] * n_rows
        for k, words in enumerate(planes):
            for i in range(n_rows):
                if (words[i // 64] >> (i % 64)) & 1:
                    assert votes[i] is None, "a tree has one vote a row"
                    votes[i] = k
        result.append(votes)
    return result


def vote_error(
    votes: list[list[int | None]], labels: list[int], n_classes: int, rule: str
) -> float:
    """Error of the trees' majority vote, counted row by row."""
    if not votes:
        return 1 - 1 / n_classes
    wrong = 0.0
    for i, label in enumerate(labels):
        counts = [0] * n_classes
        for tree in votes:
            if tree[i] is not None:
                counts[tree[i]] += 1
        if sum(counts) == 0:
            wrong += 1 if rule == "paper" else 1 - 1 / n_classes
            continue
        leaders = [k for k in range(n_classes) if counts[k] == max(counts)]
        wrong += 1 - 1 / len(leaders) if label in leaders else 1
    return wrong / len(labels)


def shallow_trees(
    problem: Problem,
    prices: PlainPrices,
    budget: float | None,
    xi: float,
    n_trees: int,
    rule: str,
    levels: Levels,
    zeta: float = 0.0,
) -> tuple[set[int], list[PlainStep]]:
    """Greedy choice of trees, every majority vote counted from the start."""
    labels, n_classes = problem.outcome.labels.tolist(), problem.outcome.n_classes
    trees = base_ensemble(problem, prices, levels, n_trees, zeta)
    votes = unpacked(trees, len(labels))
    uses = [set(trees.features(t).tolist()) for t in range(len(trees))]
    features, steps = start(prices)
    chosen: list[list[int | None]] = []
    while True:
        error = vote_error(chosen, labels, n_classes, rule)
        options = {}
        for t in range(len(votes)):
            if uses[t] <= features or not within(prices.total(features | uses[t]), budget):
                continue
            gain = error - vote_error([*chosen, votes[t]], labels, n_classes, rule)
            options[t] = (gain, prices.extra(features, uses[t]))
        if not options:
            return features, steps
        t = pick(options, xi, printed_score if rule == "paper" else sign_safe_score)
        steps.append(PlainStep(frozenset(uses[t] - features), *options[t]))
        features |= uses[t]
        chosen.append(votes[t])
