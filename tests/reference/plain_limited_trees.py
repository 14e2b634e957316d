"""Trees that may use so many columns, of so much weight, grown node by node without any cleverness.

Every cut is scored from the labels of its two sides, every price is added up anew, and the random
numbers are those of ``cpp/rng.hpp``, written down once more.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from frugalforest.engine import ColumnWeights, ShallowPart
from reference.naive_permutation import child_key, mix
from reference.naive_tree import goes_left

_WORD, _HALF_WORD = 2**64 - 1, 2**32 - 1
_BOOTSTRAP, _NODES = 1 << 56, 2 << 56


def draws_of(key: int, n: int) -> list[int]:
    """How often each of n rows is drawn, n times with replacement."""
    draws = [0] * n
    for _ in range(n):
        key = (key + 0x9E3779B97F4A7C15) & _WORD
        draws[(mix(key) >> 32) * n >> 32] += 1
    return draws


def priority(node_key: int, feature_key: int) -> int:
    x = feature_key ^ (node_key & _HALF_WORD)
    x = x * ((node_key >> 32) | 1) & _HALF_WORD
    x ^= x >> 16
    x = x * 0x21F0AAAD & _HALF_WORD
    x ^= x >> 15
    x = x * 0x735A2D97 & _HALF_WORD
    return x ^ (x >> 15)


def cuts_in_order(values: np.ndarray) -> list[tuple[float, bool]]:
    """(threshold, whether missing values go left): first all with those to the right."""
    missing = np.isnan(values).any()
    present = np.unique(values[~np.isnan(values)])
    between = [(low + high) / 2 for low, high in pairwise(present)]
    cuts = [(threshold, False) for threshold in between]
    if missing:
        cuts += [(math.inf, False)] * bool(len(present)) + [(t, True) for t in between]
    return cuts


@dataclass
class PlainTree:
    """A tree in the making: votes of the rows out of its bag, columns used in order."""

    X: np.ndarray
    y: np.ndarray
    n_classes: int
    part: ShallowPart
    max_features: int
    weights: ColumnWeights
    feature_keys: list[int]

    def grow(self, number: int) -> tuple[dict[int, int], list[int]]:
        """The class that each row out of the bag gets a vote for, and the columns used."""
        tree_key = child_key(mix((self.part.seed + 0x632BE59BD9B4E019) & _WORD), number)
        n = len(self.y)
        self.draws = np.array(draws_of(child_key(tree_key, _BOOTSTRAP), n))
        self.used: list[int] = []
        votes: dict[int, int] = {}
        root = (child_key(tree_key, _NODES), 0, self.draws > 0, self.draws == 0)
        waiting = [root]
        while waiting:
            key, depth, bag, out = waiting.pop(0)
            split = self.best_split(key, bag) if self.may_split(depth, bag) else None
            if split is None:
                vote = int(self.counts(bag).argmax())
                votes |= dict.fromkeys(np.flatnonzero(out).tolist(), vote)
                continue
            column, threshold, missing_left = split
            if column not in self.used:
                self.used.append(column)
            left = goes_left(self.X[:, column], threshold, missing_left)
            if not np.isnan(self.X[bag, column]).any() and not np.isinf(threshold):
                # Missing values that the node never saw follow the larger child.
                larger_left = (bag & left).sum() >= (bag & ~left).sum()
                left = goes_left(self.X[:, column], threshold, bool(larger_left))
            waiting += [
                (child_key(key, side), depth + 1, bag & here, out & here)
                for side, here in ((1, ~left), (0, left))  # level by level, from right to left
            ]
        return votes, self.used

    def counts(self, rows: np.ndarray) -> np.ndarray:
        return np.bincount(self.y[rows], self.draws[rows], minlength=self.n_classes)

    def may_split(self, depth: int, bag: np.ndarray) -> bool:
        pure = np.count_nonzero(self.counts(bag)) <= 1
        return not pure and (self.part.max_depth is None or depth < self.part.max_depth)

    def weight_of(self, columns: list[int]) -> float:
        """Of columns together, in the order in which they are used."""
        own, bundle = self.weights.own.tolist(), self.weights.bundle.tolist()
        total, open_bundles = 0.0, set()
        for j in columns:
            if self.weights.is_free[j]:
                continue
            fee = 0.0 if bundle[j] < 0 or bundle[j] in open_bundles else self.fee(j)
            open_bundles.add(bundle[j])
            total += own[j] + fee
        return total

    def fee(self, column: int) -> float:
        return float(self.weights.bundle_weight[self.weights.bundle[column]])

    def added_by(self, column: int) -> float:
        if column in self.used or self.weights.is_free[column]:
            return 0.0
        bundle = self.weights.bundle
        paid = any(bundle[j] == bundle[column] for j in self.used if not self.weights.is_free[j])
        fee = 0.0 if bundle[column] < 0 or paid else self.fee(column)
        return float(self.weights.own[column]) + fee

    def allowed(self, column: int) -> bool:
        if column in self.used or self.weights.is_free[column]:
            return True
        n_used = sum(not self.weights.is_free[j] for j in self.used)
        enough = self.part.most_columns is None or n_used < self.part.most_columns
        return enough and self.weight_of([*self.used, column]) <= self.part.most_weight

    def best_split(self, key: int, bag: np.ndarray) -> tuple[int, float, bool] | None:
        order = sorted(
            self.part.features,
            key=lambda j: (priority(key, self.feature_keys[j]), self.feature_keys[j]),
        )
        best, best_gain, n_seen = None, -1.0, 0
        for column in filter(self.allowed, order):
            if n_seen >= self.max_features and best is not None:
                break
            n_seen += 1
            cuts = cuts_in_order(self.X[bag, column])
            if not cuts:
                continue
            scores = [self.score(bag, goes_left(self.X[:, column], *cut)) for cut in cuts]
            factor = max(self.added_by(column), self.weights.least) / self.weights.least
            gain = max(0.0, max(scores) - self.score_without_gain(bag)) * factor**-self.part.zeta
            if gain > best_gain:
                best, best_gain = (column, *cuts[scores.index(max(scores))]), gain
        return best

    def score(self, bag: np.ndarray, left: np.ndarray) -> float:
        """With two classes n_L n_R (share_L − share_R)², otherwise the sum of squares by size."""
        here, there = self.counts(bag & left), self.counts(bag & ~left)
        if self.n_classes == 2:
            n, n_1, n_left = (here + there).sum(), (here + there)[1], here.sum()
            return float(here[1] * n - n_1 * n_left) ** 2 / float(n_left * (n - n_left))
        return float((here**2).sum() / here.sum() + (there**2).sum() / there.sum())

    def score_without_gain(self, bag: np.ndarray) -> float:
        counts = self.counts(bag)
        return 0.0 if self.n_classes == 2 else float((counts**2).sum() / counts.sum())
