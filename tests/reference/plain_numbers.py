"""Forests for numbers in the plainest way: every cut tried, every sum made anew.

The trees come from the core; what they should be like, and what should come of them, is worked out
here from the rows that each tree drew.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from frugalforest import _core
from reference.exported import Walkable, coded
from reference.naive_permutation import child_key, mix, shuffled
from reference.naive_tree import cuts, goes_left

_WORD = 2**64 - 1
_PERMUTATION = 3 << 56


@dataclass(frozen=True)
class NumberNode:
    """The in-bag rows of one node."""

    X: np.ndarray
    y: np.ndarray
    draws: np.ndarray

    def part(self, mask: np.ndarray) -> NumberNode:
        return NumberNode(self.X[mask], self.y[mask], self.draws[mask])

    def mean(self) -> float:
        return float(np.average(self.y, weights=self.draws))

    def squares(self) -> float:
        """Sum of squared distances from the mean."""
        return float(np.sum(self.draws * (self.y - self.mean()) ** 2))

    def squares_after(self, left: np.ndarray) -> float:
        return self.part(left).squares() + self.part(~left).squares()

    def least_squares(self, min_leaf: int) -> float | None:
        """What the best cut leaves; None if there is no cut."""
        return min(self._all_squares(min_leaf), default=None)

    def _all_squares(self, min_leaf: int) -> Iterator[float]:
        for values in self.X.T:
            for threshold, missing_left in cuts(values):
                left = goes_left(values, threshold, missing_left)
                if min(self.draws[left].sum(), self.draws[~left].sum()) >= min_leaf:
                    yield self.squares_after(left)


@dataclass(frozen=True)
class NumberTree(Walkable):
    """A tree for numbers."""

    mean: np.ndarray

    def predict(self, X: np.ndarray) -> np.ndarray:
        return self.mean[self.leaves(X)]


@dataclass(frozen=True)
class GrownNumbers:
    """Everything that `grow_forest` returns for numbers."""

    arrays: tuple[np.ndarray, ...]
    oob_predictions: np.ndarray
    mse: float
    n_unpredicted: int
    draws: np.ndarray

    @property
    def trees(self) -> list[NumberTree]:
        start, column, left, threshold, missing_left, value, (middle, unit) = self.arrays
        mean = middle + unit * value
        spans = [slice(int(a), int(b)) for a, b in pairwise(start)]
        return [
            NumberTree(column[s], left[s], threshold[s], missing_left[s], mean[s]) for s in spans
        ]

    def plain_oob_predictions(self, X: np.ndarray) -> np.ndarray:
        """Mean over the trees that left a row out; NaN where there is none."""
        said = np.array([tree.predict(X) for tree in self.trees])
        said[self.draws > 0] = np.nan
        n = (~np.isnan(said)).sum(axis=0)
        return np.where(n > 0, np.nansum(said, axis=0) / np.maximum(n, 1), np.nan)

    def plain_rises(
        self, X: np.ndarray, y: np.ndarray, feature_keys: np.ndarray, seed: int
    ) -> np.ndarray:
        """Rise in each tree's sum of squared out-of-bag errors after a shuffle of each column."""
        rises = np.zeros((len(self.trees), X.shape[1]))
        for t, (tree, draws) in enumerate(zip(self.trees, self.draws, strict=True)):
            tree_key = child_key(mix((seed + 0x632BE59BD9B4E019) & _WORD), t)
            oob = np.flatnonzero(draws == 0)
            before = np.sum((tree.predict(X[oob]) - y[oob]) ** 2)
            for j in range(X.shape[1]):
                key = child_key(child_key(tree_key, _PERMUTATION), int(feature_keys[j]))
                table = X[oob].copy()
                table[:, j] = X[shuffled(oob, key), j]
                rises[t, j] = np.sum((tree.predict(table) - y[oob]) ** 2) - before
        return rises


def grow_numbers(
    X: Any,
    y: Any,
    *,
    columns: Any = None,
    max_features: int | None = None,
    seed: int = 0,
    n_trees: int = 1,
    max_depth: int = 0,
    min_leaf: int = 1,
    min_node: int = 1,
    replace: bool = True,
    n_threads: int = 1,
    bins: int | None = None,
) -> GrownNumbers:
    """A forest of the core, with its draws. By default one tree that may split on all columns."""
    data = coded(X, bins)
    columns = np.arange(data.n_columns) if columns is None else columns
    columns = np.asarray(columns, dtype=np.uint32)
    return GrownNumbers(
        *_core.grow_forest(
            data,
            _core.make_number_target(np.asarray(y, dtype=float)),
            columns,
            len(columns) if max_features is None else max_features,
            seed,
            _core.make_spec(
                n_trees=n_trees,
                max_depth=max_depth,
                min_leaf=min_leaf,
                min_node=min_node,
                n_draws=data.n_rows,
                replace=replace,
                n_threads=n_threads,
            ),
            True,
        )
    )
