"""Which tree of a shallow ensemble to choose next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest import _core
from frugalforest.engine.coding import Target
from frugalforest.engine.shallow import ShallowTrees

__all__ = ["TreeTally"]


class TreeTally:
    """Which trees could be chosen next, what each would gain and what it would weigh.

    A tree weighs what its columns weigh, plus what the bundles of those columns weigh, each once.
    Only trees that bring a new column are offered.

    Parameters
    ----------
    trees : ShallowTrees
    target : Target
    bundle : ndarray of int, shape (n_columns,)
        The bundle that each column is in, a number below n_columns; −1 is none.

    Examples
    --------
    >>> from frugalforest.engine import ShallowPart, code_table, code_target, grow_shallow
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> trees = grow_shallow(data, target, [ShallowPart([j], 1, 1, seed=1) for j in (0, 1)])
    >>> tally = TreeTally(trees, target, bundle=np.array([-1, -1]))
    >>> weight, new = np.array([3.0, 1.0]), np.array([True, True])
    >>> error, tree, gain, tree_weight = tally.offers([], 2, weight, new, np.empty(0))
    >>> error, tree, tree_weight
    (0.5, array([0, 1], dtype=uint32), array([3., 1.]))
    """

    def __init__(
        self, trees: ShallowTrees, target: Target, bundle: NDArray[np.integer[Any]]
    ) -> None:
        n_columns = len(bundle)
        if n_columns and not -1 <= bundle.min() <= bundle.max() < n_columns:
            raise ValueError(
                f"the bundles of {n_columns} columns must be numbers from 0 to {n_columns - 1}, or "
                "-1 for none."
            )
        self._n_rows = target.n_rows
        in_bundle = bundle[trees.columns] >= 0
        tree = np.repeat(np.arange(len(trees)), np.diff(trees.start))[in_bundle]
        pairs = np.unique(np.stack([tree, bundle[trees.columns][in_bundle]], axis=1), axis=0)
        start = np.searchsorted(pairs[:, 0], np.arange(len(trees) + 1)).astype(np.uint32)
        self._tally = _core.make_tally(
            trees.votes,
            target,
            trees.start,
            trees.columns,
            start,
            pairs[:, 1].astype(np.uint32),
            n_columns,
        )

    def offers(
        self,
        chosen: Sequence[int],
        n_trees: int,
        column_weight: NDArray[np.float64],
        column_is_new: NDArray[np.bool_],
        bundle_weight: NDArray[np.float64],
        *,
        most_weight: float = math.inf,
        unvoted_is_wrong: bool = False,
        undominated_only: bool = False,
    ) -> tuple[float, NDArray[np.uint32], NDArray[np.float64], NDArray[np.float64]]:
        """Error of the chosen trees' majority vote, and the trees that could join them.

        Parameters
        ----------
        chosen : sequence of int
            Trees chosen so far.
        n_trees : int
            Only the first so many trees are offered.
        column_weight, column_is_new : ndarray of shape (n_columns,)
            What each column adds to a tree's weight now, and whether it would be new.
        bundle_weight : ndarray of shape (n_bundles,)
            What each bundle adds now.
        most_weight : float
            Heavier trees are not offered.
        unvoted_is_wrong : bool
            A row without a vote counts 1; by default 1 − 1/K, as a tie of all K classes does.
        undominated_only : bool
            Leave out a tree if another gains no less and weighs no more.

        Returns
        -------
        error : float
        trees, gains, weights : ndarray
            Ascending by tree.
        """
        error, trees, gains, weights = self._tally.offers(
            np.asarray(chosen, dtype=np.uint32),
            n_trees,
            column_weight,
            column_is_new.view(np.uint8),
            bundle_weight,
            most_weight,
            unvoted_is_wrong,
            undominated_only,
        )
        return error / self._n_rows, trees, gains / self._n_rows, weights
