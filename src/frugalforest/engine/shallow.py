"""Ensembles of shallow trees: what each tree votes out of bag, and which columns it uses."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, Target
from frugalforest.engine.column_sets import ColumnIndices, column_indices, packed
from frugalforest.engine.memory import check_memory
from frugalforest.engine.settings import ForestSettings

__all__ = ["ColumnWeights", "ShallowPart", "ShallowTrees", "grow_shallow"]


# Of the core: as good as no limit.
_ANY_NUMBER = 2**32 - 1


@dataclass(frozen=True, eq=False)
class ColumnWeights:
    """What columns weigh, for trees that may use only so much weight.

    Attributes
    ----------
    own : ndarray of float64, shape (n_columns,)
    bundle : ndarray of int, shape (n_columns,)
        The bundle of each column, or −1. Its weight comes with the first of its columns.
    bundle_weight : ndarray of float64
    is_free : ndarray of bool, shape (n_columns,)
        Columns that every tree may use and that count for no limit.
    least : float
        A gain is discounted for the weight that a cut adds relative to this.
    """

    own: NDArray[np.float64]
    bundle: NDArray[np.integer[Any]]
    bundle_weight: NDArray[np.float64]
    is_free: NDArray[np.bool_]
    least: float

    @classmethod
    def none(cls, n_columns: int) -> Self:
        """Columns that weigh nothing."""
        nothing = np.zeros(n_columns)
        no_bundle = np.full(n_columns, -1)
        return cls(nothing, no_bundle, np.zeros(0), np.zeros(n_columns, dtype=bool), 1.0)

    def core(self) -> _core.ColumnWeights:
        """As the core takes them."""
        return _core.make_column_weights(
            self.own.astype(np.float64),
            self.bundle.astype(np.int32),
            self.bundle_weight.astype(np.float64),
            self.is_free.astype(np.uint8),
            self.least,
        )


@dataclass(frozen=True)
class ShallowPart:
    """Trees of one kind in a shallow ensemble.

    Attributes
    ----------
    features : column indices
        What they may split on.
    n_trees : int
    max_depth : int or None
        None for trees that grow until their leaves are pure.
    seed : int
    first_tree : int, default=0
        Numbers the first of them; trees of one seed with different numbers have their own
        bootstrap samples.
    most_columns : int or None, default=None
        How many columns a tree may split on; free ones do not count. A tree that has them splits
        on those only.
    most_weight : float, default=inf
        How much these columns may weigh together.
    zeta : float, default=0.0
        What a split gains is divided by (weight that its column adds to the tree / least weight)
        to this power; by 1 if it adds less than that, or is in the tree already.
    """

    features: ColumnIndices
    n_trees: int
    max_depth: int | None
    seed: int
    first_tree: int = 0
    most_columns: int | None = None
    most_weight: float = math.inf
    zeta: float = 0.0


@dataclass(frozen=True)
class ShallowTrees:
    """Out-of-bag votes and features of the trees of a shallow ensemble.

    Attributes
    ----------
    votes : ndarray of uint64, shape (n_trees, n_classes, n_words)
        Bit i of word w is set if row 64 w + i is out of bag and gets the tree's vote for the class.
    start, columns : ndarray of uint32
        Tree t splits on the columns ``columns[start[t]:start[t + 1]]``.
    """

    votes: NDArray[np.uint64]
    start: NDArray[np.uint32]
    columns: NDArray[np.uint32]

    def __len__(self) -> int:
        return len(self.votes)

    def features(self, tree: int) -> NDArray[np.uint32]:
        """Columns that a tree splits on, ascending."""
        return self.columns[self.start[tree] : self.start[tree + 1]]


def grow_shallow(
    data: CodedData,
    target: Target,
    parts: Sequence[ShallowPart],
    settings: ForestSettings | None = None,
    *,
    weights: ColumnWeights | None = None,
    n_jobs: int | None = None,
) -> ShallowTrees:
    """Grow the trees of all parts, in order. Depth, number and limits come from the parts.

    Trees with limits, or with a ζ, grow from the root downwards, level by level.

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> trees = grow_shallow(data, target, [ShallowPart([0, 1], 3, max_depth=1, seed=1)])
    >>> trees.votes.shape, trees.features(0)
    ((3, 2, 2), array([0], dtype=uint32))
    """
    settings = settings or ForestSettings()
    n_words = -(-data.n_rows // 64)
    check_memory(8 * n_words * target.n_classes * sum(part.n_trees for part in parts), data, target)
    sets = [column_indices(part.features, data.n_columns) for part in parts]
    votes, starts, columns = _core.grow_ensemble(
        data,
        target,
        *packed(sets),
        np.array([settings.features_per_split(len(s)) for s in sets], dtype=np.uint32),
        np.array([part.seed for part in parts], dtype=np.uint64),
        np.array([part.first_tree for part in parts], dtype=np.uint64),
        np.array([part.n_trees for part in parts], dtype=np.uint32),
        np.array([part.max_depth or 0 for part in parts], dtype=np.uint32),
        np.array([part.most_columns or _ANY_NUMBER for part in parts], dtype=np.uint32),
        np.array([part.most_weight for part in parts], dtype=np.float64),
        np.array([part.zeta for part in parts], dtype=np.float64),
        (weights or ColumnWeights.none(data.n_columns)).core(),
        settings.spec(data, target, n_jobs),
    )
    return ShallowTrees(votes, starts, columns)
