"""Permutation importance the plain way: shuffle a column, send every row down the tree again.

The random numbers are those of ``cpp/rng.hpp``, written down once more.
"""

from __future__ import annotations

import numpy as np

from reference.exported import Grown

_WORD = 2**64 - 1
_PERMUTATION = 3 << 56


def mix(x: int) -> int:
    x ^= x >> 30
    x = x * 0xBF58476D1CE4E5B9 & _WORD
    x ^= x >> 27
    x = x * 0x94D049BB133111EB & _WORD
    return x ^ (x >> 31)


def child_key(key: int, what: int) -> int:
    return mix(key ^ mix((what + 0x9E3779B97F4A7C15) & _WORD))


def shuffled(rows: np.ndarray, key: int) -> np.ndarray:
    """The rows in a random order that is a function of the key."""
    rows = rows.copy()
    for i in range(len(rows), 1, -1):
        key = (key + 0x9E3779B97F4A7C15) & _WORD
        other = (mix(key) >> 32) * i >> 32
        rows[[i - 1, other]] = rows[[other, i - 1]]
    return rows


def permutation_rises(
    grown: Grown,
    X: np.ndarray,
    y: np.ndarray,
    feature_keys: np.ndarray,
    seed: int,
    error_weights: np.ndarray | None = None,
) -> np.ndarray:
    """Additional wrong out-of-bag rows of each tree after a shuffle of each column.

    Each row has the weight of its class.
    """
    weight = np.ones(len(y)) if error_weights is None else error_weights[y]
    rises = np.zeros((len(grown.trees), X.shape[1]))
    for t, (tree, draws) in enumerate(zip(grown.trees, grown.draws, strict=True)):
        tree_key = child_key(mix((seed + 0x632BE59BD9B4E019) & _WORD), t)
        oob = np.flatnonzero(draws == 0)
        wrong = weight[oob][tree.votes(X[oob]) != y[oob]].sum()
        for j in range(X.shape[1]):
            key = child_key(child_key(tree_key, _PERMUTATION), int(feature_keys[j]))
            table = X[oob].copy()
            table[:, j] = X[shuffled(oob, key), j]
            rises[t, j] = weight[oob][tree.votes(table) != y[oob]].sum() - wrong
    return rises
