"""Shallow tree and forward selection written plainly with scikit-learn and NumPy.

What a good programmer would write without a compiled core: scikit-learn grows the trees, NumPy
looks at all candidates of a step at once. Two classes, one price a feature. The rules are those of
the package: sign-safe ratio; ties go to the higher gain, the lower cost, the lower index.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier

# Scores and gains that differ by less are tied.
DECIMALS = 12


@dataclass(frozen=True)
class TreeVotes:
    """Votes and features of shallow trees.

    Attributes
    ----------
    signs : int8 array of shape (n_trees, n_rows)
        1 if the tree's out-of-bag vote is right, −1 if it is wrong, 0 if the row is in its bag.
    uses : bool array of shape (n_trees, n_features)
        Whether the tree splits on the feature.
    """

    signs: np.ndarray
    uses: np.ndarray


def grow_base_ensemble(
    X: np.ndarray, y: np.ndarray, depth: int, n_trees: int, seed: int
) -> TreeVotes:
    """One stump a feature and `n_trees` trees for each depth from 2, with out-of-bag votes."""
    rng = np.random.default_rng(seed)
    n_rows, n_features = X.shape
    signs, uses = [], []
    for j in range(n_features):
        counts = np.bincount(rng.integers(0, n_rows, n_rows), minlength=n_rows)
        column = X[:, [j]]
        stump = DecisionTreeClassifier(max_depth=1).fit(column, y, sample_weight=counts)
        signs.append(np.where(counts > 0, 0, np.where(stump.predict(column) == y, 1, -1)))
        uses.append(np.arange(n_features) == j)
    for d in range(2, depth + 1):
        forest = RandomForestClassifier(n_trees, max_depth=d, random_state=seed + d).fit(X, y)
        X32 = X.astype(np.float32)
        for tree, drawn in zip(forest.estimators_, forest.estimators_samples_, strict=True):
            votes = tree.predict(X32, check_input=False).astype(np.intp)
            sign = np.where(votes == y, 1, -1)
            sign[drawn] = 0
            used = np.zeros(n_features, dtype=bool)
            used[tree.tree_.feature[tree.tree_.feature >= 0]] = True
            signs.append(sign)
            uses.append(used)
    return TreeVotes(np.array(signs, dtype=np.int8), np.array(uses))


def best_ratio(gain: np.ndarray, cost: np.ndarray, xi: float) -> int:
    """Index of the best sign-safe benefit-cost ratio."""
    gain = np.round(gain, DECIMALS)
    weight = cost**xi
    score = np.round(np.where(gain > 0, gain / weight, gain * weight), DECIMALS)
    return int(np.lexsort((cost, -gain, -score))[0])


def choose_trees(trees: TreeVotes, costs: np.ndarray, budget: float, xi: float) -> list[int]:
    """The features of the trees that the greedy choice buys.

    A row's error follows from its margin, right minus wrong votes: 0 above, 1 below, ½ at 0.
    """
    n_rows, n_features = trees.signs.shape[1], len(costs)
    selected = np.zeros(n_features, dtype=bool)
    margin = np.zeros(n_rows, dtype=np.int16)
    alive = np.arange(len(trees.signs))
    uses = trees.uses.astype(np.float32)
    limit = budget * (1 + 1e-9)
    while True:
        cost = uses[alive] @ np.where(selected, 0.0, costs)
        keep = (cost > 0) & (costs[selected].sum() + cost <= limit)
        alive, cost = alive[keep], cost[keep]
        if len(alive) == 0:
            return np.flatnonzero(selected).tolist()
        error = (np.count_nonzero(margin < 0) + 0.5 * np.count_nonzero(margin == 0)) / n_rows
        after = margin + trees.signs[alive]
        wrong = np.count_nonzero(after < 0, axis=1)
        tied = np.count_nonzero(after == 0, axis=1)
        best = best_ratio(error - (wrong + 0.5 * tied) / n_rows, cost, xi)
        margin = after[best]
        selected |= trees.uses[alive[best]]


def forest_error(
    X: np.ndarray, y: np.ndarray, features: Sequence[int], n_trees: int, seed: int = 0
) -> float:
    """Out-of-bag error of a forest on some of the columns."""
    forest = RandomForestClassifier(n_trees, oob_score=True, n_jobs=1, random_state=seed)
    return 1.0 - float(forest.fit(X[:, list(features)], y).oob_score_)


def select_forward(
    X: np.ndarray, y: np.ndarray, costs: np.ndarray, budget: float, xi: float, n_trees: int
) -> list[int]:
    """Forward selection: a forest for every feature that fits, the best is added."""
    selected: list[int] = []
    error = 0.5
    while True:
        spent = costs[selected].sum()
        open_ = [
            j
            for j in range(len(costs))
            if j not in selected and spent + costs[j] <= budget * (1 + 1e-9)
        ]
        if not open_:
            return sorted(selected)
        errors = np.array([forest_error(X, y, [*selected, j], n_trees) for j in open_])
        best = best_ratio(error - errors, costs[open_], xi)
        selected.append(open_[best])
        error = errors[best]
