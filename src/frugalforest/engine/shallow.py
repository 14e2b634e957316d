"""Ensembles of shallow trees: what each tree votes out of bag, and which columns it uses."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, Target
from frugalforest.engine.column_sets import ColumnIndices, column_indices, packed
from frugalforest.engine.memory import check_memory
from frugalforest.engine.settings import ForestSettings

__all__ = ["ShallowPart", "ShallowTrees", "grow_shallow"]


@dataclass(frozen=True)
class ShallowPart:
    """Trees of one kind in a shallow ensemble.

    `first_tree` numbers the first of them; trees of one seed with different numbers have
    their own bootstrap samples.
    """

    features: ColumnIndices
    n_trees: int
    max_depth: int
    seed: int
    first_tree: int = 0


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
    n_jobs: int | None = None,
) -> ShallowTrees:
    """Grow the trees of all parts, in order. Depth and number come from the parts.

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
        np.array([part.max_depth for part in parts], dtype=np.uint32),
        settings.spec(data, target, n_jobs),
    )
    return ShallowTrees(votes, starts, columns)
