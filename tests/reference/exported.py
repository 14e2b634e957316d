"""Forests grown by the core, as single trees that NumPy can walk.

All direct calls of ``frugalforest._core`` that several test files need are here.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from frugalforest import _core
from reference.naive_tree import goes_left

ARRAYS = (
    "tree_start",
    "column",
    "left",
    "threshold",
    "missing_left",
    "vote",
    "mixed",
    "shares",
)


@dataclass(frozen=True)
class Walkable:
    """One tree; children are numbered within it. A leaf has column −1."""

    column: np.ndarray
    left: np.ndarray
    threshold: np.ndarray
    missing_left: np.ndarray

    def sides(self, node: int, X: np.ndarray) -> np.ndarray:
        """Which rows this node sends left."""
        return goes_left(
            X[:, self.column[node]], self.threshold[node], bool(self.missing_left[node])
        )

    def leaves(self, X: np.ndarray) -> np.ndarray:
        """The leaf of each row."""
        at = np.zeros(len(X), dtype=int)
        for node in range(len(self.column)):  # children come after their parents
            if self.column[node] >= 0:
                here = at == node
                at[here] = np.where(self.sides(node, X[here]), self.left[node], self.left[node] + 1)
        return at

    def used(self) -> set[int]:
        return {int(j) for j in self.column if j >= 0}

    def key(self) -> bytes:
        """Equal for equal trees."""
        return b"".join(np.ascontiguousarray(a).tobytes() for a in vars(self).values())


@dataclass(frozen=True)
class ExportedTree(Walkable):
    """A tree for classes."""

    shares: np.ndarray

    def votes(self, X: np.ndarray) -> np.ndarray:
        """The class each row gets this tree's vote for: of equal shares, the first."""
        return self.shares[self.leaves(X)].argmax(axis=1)


@dataclass(frozen=True)
class Grown:
    """Everything that `grow_forest` returns."""

    arrays: tuple[np.ndarray, ...]
    oob_votes: np.ndarray
    oob_shares: np.ndarray
    error: float
    brier: float
    n_unvoted: int
    draws: np.ndarray

    def by_name(self) -> dict[str, np.ndarray]:
        return dict(zip(ARRAYS, self.arrays, strict=True))

    @property
    def trees(self) -> list[ExportedTree]:
        start, column, left, threshold, missing_left, vote, mixed, mixed_shares = self.arrays
        shares = np.eye(mixed_shares.shape[1])[vote]
        shares[column >= 0] = 0.0
        shares[mixed == 1] = mixed_shares
        spans = [slice(int(a), int(b)) for a, b in pairwise(start)]
        return [
            ExportedTree(column[s], left[s], threshold[s], missing_left[s], shares[s])
            for s in spans
        ]

    def predict(self, X: Any, n_threads: int = 1) -> tuple[np.ndarray, np.ndarray]:
        """Votes and mean class shares that the core finds for raw rows."""
        columns = np.ascontiguousarray(np.asarray(X, dtype=float).T)
        return _core.load_forest(*self.arrays, len(columns)).votes(columns, n_threads)

    def all_arrays(self) -> list[np.ndarray]:
        scores = np.array([self.error, self.brier, self.n_unvoted])
        return [*self.arrays, self.oob_votes, self.oob_shares, scores, self.draws]


def coded(X: Any, bins: int | None = None) -> _core.CodedData:
    columns = np.ascontiguousarray(np.asarray(X, dtype=float).T)
    return _core.code_columns(columns) if bins is None else _core.code_columns(columns, bins)


def grow(
    X: Any,
    y: Any,
    *,
    n_classes: int = 2,
    weights: Any = None,
    columns: Any = None,
    max_features: int | None = None,
    seed: int = 0,
    n_trees: int = 1,
    max_depth: int = 0,
    min_leaf: int = 1,
    n_draws: int | None = None,
    replace: bool = True,
    n_threads: int = 1,
    bins: int | None = None,
) -> Grown:
    """A forest of the core, with its draws. By default one tree that may split on all columns."""
    data = coded(X, bins)
    columns = np.arange(data.n_columns) if columns is None else columns
    columns = np.asarray(columns, dtype=np.uint32)
    arrays, votes, shares, (error, brier, n_unvoted), draws = _core.grow_forest(
        data,
        _core.make_target(
            np.asarray(y, dtype=np.uint16),
            n_classes,
            None if weights is None else np.asarray(weights, dtype=float),
        ),
        columns,
        len(columns) if max_features is None else max_features,
        seed,
        _core.make_spec(
            n_trees=n_trees,
            max_depth=max_depth,
            min_leaf=min_leaf,
            n_draws=data.n_rows if n_draws is None else n_draws,
            replace=replace,
            n_threads=n_threads,
        ),
        True,
    )
    return Grown(arrays, votes, shares, error, brier, n_unvoted, draws)
