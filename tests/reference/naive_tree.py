"""The plainest search for a split: every column, every cut, missing values to either side.

No sorting tricks, no running sums, no codes: each candidate is scored from scratch, so that this
file can be checked by reading it. A node holds in-bag rows; `draws` says how often each was drawn,
and `weights` is draws times sample weight.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np


@dataclass(frozen=True)
class NaiveSplit:
    """One way to cut a node in two, and how impure its children are."""

    impurity: float
    column: int
    threshold: float
    missing_left: bool


@dataclass(frozen=True)
class NaiveNode:
    """The in-bag rows of one node."""

    X: np.ndarray
    labels: np.ndarray
    draws: np.ndarray
    weights: np.ndarray
    n_classes: int

    def part(self, mask: np.ndarray) -> NaiveNode:
        """The node's rows where `mask` is true, as a node."""
        return NaiveNode(
            self.X[mask], self.labels[mask], self.draws[mask], self.weights[mask], self.n_classes
        )

    def class_weights(self) -> np.ndarray:
        return np.bincount(self.labels, self.weights, minlength=self.n_classes)

    def shares(self) -> np.ndarray:
        return self.class_weights() / self.weights.sum()

    def gini(self) -> float:
        return 1.0 - float(np.sum(self.shares() ** 2))

    def is_pure(self) -> bool:
        return len(np.unique(self.labels)) <= 1

    def impurity_of(self, left: np.ndarray) -> float:
        """Weighted mean Gini impurity of the rows where `left` is true and of the others."""
        children = self.part(left), self.part(~left)
        return sum(c.weights.sum() * c.gini() for c in children) / self.weights.sum()


def goes_left(values: np.ndarray, threshold: float, missing_left: bool) -> np.ndarray:
    return np.where(np.isnan(values), missing_left, values <= threshold)


def cuts(values: np.ndarray) -> Iterator[tuple[float, bool]]:
    """Every (threshold, missing_left) that leaves neither side empty.

    Thresholds are half-way between neighbouring values that are present. If values are missing
    there is one cut more: what is there to the left, what is missing to the right.
    """
    missing = np.isnan(values)
    present = np.unique(values[~missing])
    for low, high in pairwise(present):
        yield (low + high) / 2, False
        if missing.any():
            yield (low + high) / 2, True
    if missing.any() and len(present):
        yield np.inf, False


def all_splits(node: NaiveNode, min_leaf: int = 1) -> Iterator[NaiveSplit]:
    for column in range(node.X.shape[1]):
        for threshold, missing_left in cuts(node.X[:, column]):
            left = goes_left(node.X[:, column], threshold, missing_left)
            if min(node.draws[left].sum(), node.draws[~left].sum()) >= min_leaf:
                yield NaiveSplit(node.impurity_of(left), column, threshold, missing_left)


def best_split(node: NaiveNode, min_leaf: int = 1) -> NaiveSplit | None:
    """The first split of least impurity; None if the node cannot be cut."""
    return min(all_splits(node, min_leaf), key=lambda split: split.impurity, default=None)
