"""The proposers as their pages word them: loops, inverses and all subsets, no cleverness.

The engine grows the forests; what is done with them is done here again, slowly.
"""

from __future__ import annotations

import math
from itertools import combinations
from statistics import NormalDist, median

import numpy as np

from frugalforest.engine import ForestSettings, permutation_gains, score_sets
from frugalforest.problem import Problem
from reference.plain_methods import PlainPrices, pick, sign_safe_score, within

# --- the linear surrogate -----------------------------------------------------------------------


def scores_of(values: list[float]) -> list[float]:
    """Normal scores of the ranks; ties share the middle, missing values get the median score."""
    known = [v for v in values if not math.isnan(v)]
    if not known:
        return [0.0] * len(values)

    def score(value: float) -> float:
        below, same = sum(v < value for v in known), sum(v == value for v in known)
        return NormalDist().inv_cdf((below + same / 2) / len(known))

    middle = median(score(v) for v in known)
    return [middle if math.isnan(v) else score(v) for v in values]


class PlainDiscriminant:
    """D² by inverting a matrix for every set."""

    def __init__(self, X: np.ndarray, labels: list[int]) -> None:
        n, p = X.shape
        Z = np.array([scores_of(X[:, j].tolist()) for j in range(p)]).T
        y = np.asarray(labels)
        classes = sorted(set(labels))
        self.varies = [j for j in range(p) if np.ptp(Z[:, j]) > 1e-6]
        self.shares = [float((y == k).mean()) for k in classes]
        means = {k: Z[y == k].mean(axis=0) for k in classes}
        C = np.array([Z[i] - means[labels[i]] for i in range(n)])
        variance = np.maximum((C**2).mean(axis=0), Z.var(axis=0) / n)
        variance[[j for j in range(p) if j not in self.varies]] = 1.0
        S = C / np.sqrt(variance)
        self.differences = [(means[k] - Z.mean(axis=0)) / np.sqrt(variance) for k in classes]
        self.S, self.n, self.p = S, n, p

    def correlation(self, columns: list[int], part: float = 1.0) -> tuple[np.ndarray, float]:
        """Shrunken by the variance of the correlations over their size, summed pair by pair.

        Or by a part of that, unless nothing else than shrinking is left of them.
        """
        variances = squares = 0.0
        R = np.eye(self.p)
        for i, j in combinations(columns, 2):
            w = self.S[:, i] * self.S[:, j]
            r = w.mean()
            R[i, j] = R[j, i] = r
            variances += self.n / (self.n - 1) ** 3 * ((w - r) ** 2).sum()
            squares += r**2
        shrinkage = 1.0 if squares == 0 else min(1.0, max(1e-3, variances / squares))
        if shrinkage < 1:
            shrinkage = max(1e-3, part * shrinkage)
        return np.where(np.eye(self.p, dtype=bool), 1.0, (1 - shrinkage) * R), shrinkage

    def d2(self, features: set[int], R: np.ndarray) -> float:
        index = sorted(features & set(self.varies))
        if not index:
            return 0.0
        inverse = np.linalg.inv(R[np.ix_(index, index)])
        return sum(
            share * float(m[index] @ inverse @ m[index])
            for share, m in zip(self.shares, self.differences, strict=True)
        )


def open_features(prices: PlainPrices, useful: list[int], budget: float | None) -> list[int]:
    """What could be bought in addition to what is in from the start."""
    start = prices.in_from_the_start()
    return [
        j
        for j in prices.buyable(start)
        if j in useful and within(prices.total(start | {j}), budget)
    ]


def linear_forward(d2, prices: PlainPrices, useful: list[int], budget: float | None, xi: float):
    features = prices.in_from_the_start()
    while True:
        options = {
            j: (d2(features | {j}) - d2(features), prices.extra(features, [j]))
            for j in open_features(prices, useful, budget)
            if j not in features and within(prices.total(features | {j}), budget)
        }
        if not options:
            return features
        features = features | {pick(options, xi)}


def leaving(prices: PlainPrices, features: set[int]) -> list[frozenset[int]]:
    """Single features, and whole groups that share a fee, that could leave."""
    start = prices.in_from_the_start()
    found = [frozenset([j]) for j in sorted(features - start)]
    for group in sorted(set(prices.groups) - {None}):
        members = frozenset(j for j in features if prices.groups[j] == group)
        if len(members) > 1 and not members & start and prices.fees[group] > 0:
            found.append(members)
    return found


def worst(options: dict[int, tuple[float, float]], xi: float) -> int:
    """The last that `pick` would take: lowest score, lower gain, higher cost, higher index."""
    left = sorted(options, reverse=True)
    for value in (
        lambda i: sign_safe_score(*options[i], xi),
        lambda i: options[i][0],
        lambda i: -options[i][1],
    ):
        least = min(value(i) for i in left)
        left = [i for i in left if math.isclose(value(i), least, rel_tol=1e-9, abs_tol=1e-12)]
    return left[0]


def filled_up(prices: PlainPrices, bare: set[int], gone: list[int], budget: float | None):
    full = set(bare)
    for j in reversed(gone):
        if within(prices.total(full | {j}), budget):
            full.add(j)
    return full


def affordable_sets(prices: PlainPrices, useful: list[int], budget: float | None, size: int):
    """All sets of so many features beyond those in from the start, with these."""
    start = prices.in_from_the_start()
    for extra in combinations(open_features(prices, useful, budget), size):
        if within(prices.total(start | set(extra)), budget):
            yield frozenset(start | set(extra))


# --- elimination and endgame --------------------------------------------------------------------


def elimination(
    problem: Problem,
    prices: PlainPrices,
    useful: list[int],
    budget: float | None,
    xi: float,
    n_trees: int,
    share: float,
) -> tuple[set[int], set[int]]:
    """Importances of the engine; everything else by sorting one by one."""
    keys = problem.data.feature_keys.tolist()
    features = prices.in_from_the_start() | set(open_features(prices, useful, budget))
    gone: list[int] = []
    while not within(prices.total(features), budget):
        columns = sorted(features)
        gains = permutation_gains(
            problem.data,
            problem.target,
            columns,
            problem.seed_for("elimination", *sorted(keys[j] for j in columns)),
            ForestSettings(n_trees=n_trees),
        ).tolist()
        gain = dict(zip(columns, gains, strict=True))
        candidates = leaving(prices, features)
        options = {
            i: (
                sum(gain[j] for j in sorted(members)),
                prices.total(features) - prices.total(features - members),
            )
            for i, members in enumerate(candidates)
        }
        n_open = sum(len(members) == 1 for members in candidates)
        quota = int(share * n_open) if n_open >= 10 else 1
        batch: list[int] = []
        while options:
            i = worst(options, xi)
            del options[i]
            more = [j for j in sorted(candidates[i]) if j not in batch]
            if batch and len(batch) + len(more) > max(1, quota):
                break
            batch += more
        features = features - set(batch)
        gone += batch
    return features, filled_up(prices, features, gone, budget)


def brier(problem: Problem, features: frozenset[int], n_trees: int, leaf: int) -> float:
    batch = score_sets(
        problem.data,
        problem.target,
        [sorted(features)],
        [problem.seed_for("endgame")],
        ForestSettings(n_trees=n_trees, min_samples_leaf=leaf),
    )
    return float(batch.brier[0])
