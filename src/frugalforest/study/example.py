"""Shallow Tree Selection on six features, step by step: what Figure 1 shows.

The same trees and the same choices as `ShallowTreeMethod` makes, with the trees kept.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings, ShallowPart, ShallowTrees, grow_shallow
from frugalforest.methods.criterion import TradeOff, bcr
from frugalforest.problem import Problem
from frugalforest.scores import vote_error

__all__ = ["BUDGET", "N_TREES", "XI", "ExampleTree", "Iteration", "StsExample", "run_example"]

N_TREES = 3
BUDGET = 1.2
XI = 1.0
_N_FEATURES = 6
_COSTS = (0.5, 0.2, 0.4, 0.3, 0.8, 0.1)


@dataclass(frozen=True)
class ExampleTree:
    """A candidate tree: its letter, its features, and which of them is at the root."""

    letter: str
    features: tuple[int, ...]
    root: int


@dataclass(frozen=True, eq=False)
class Iteration:
    """One step of the greedy choice.

    Attributes
    ----------
    gain, cost, ratio : array with one entry a tree
    possible : bool array
        Trees with a new feature that fit the budget.
    free : bool array
        Trees all of whose features are paid for.
    chosen : int
    """

    gain: NDArray[np.float64]
    cost: NDArray[np.float64]
    ratio: NDArray[np.float64]
    possible: NDArray[np.bool_]
    free: NDArray[np.bool_]
    chosen: int


@dataclass(frozen=True, eq=False)
class StsExample:
    """A whole run: trees, iterations, and the features bought."""

    problem: Problem
    trees: tuple[ExampleTree, ...]
    iterations: tuple[Iteration, ...]
    features: tuple[int, ...]


def example_problem() -> Problem:
    """Three useful features, two of them only together, and three that are noise."""
    rng = np.random.default_rng(1)
    X = rng.normal(size=(200, _N_FEATURES))
    y = (X[:, 0] + 0.8 * np.sign(X[:, 1] * X[:, 3]) + 0.6 * rng.normal(size=200) > 0).astype(int)
    return Problem.from_table(X, y, list(_COSTS))


def run_example() -> StsExample:
    """Choose trees until nothing fits.

    Examples
    --------
    >>> example = run_example()
    >>> len(example.trees), float(example.problem.prices.total(list(example.features))) <= BUDGET
    (9, True)
    """
    problem = example_problem()
    ensemble = _grow(problem, depth=2)
    # Trees of one seed and number have the same root, however deep they may get.
    roots = _grow(problem, depth=1)
    trees = tuple(
        ExampleTree(
            chr(ord("A") + t),
            tuple(ensemble.features(t).tolist()),
            int(roots.features(t)[0]),
        )
        for t in range(len(ensemble))
    )
    votes = _votes(ensemble, problem.outcome.n_rows)
    cost_of = problem.prices.feature_cost
    selected = np.zeros(problem.n_features, dtype=bool)
    order = range(len(trees))
    chosen: list[int] = []
    iterations: list[Iteration] = []
    while True:
        before = vote_error(votes[chosen].sum(axis=0), problem.outcome.truth)
        after = [vote_error(votes[[*chosen, t]].sum(axis=0), problem.outcome.truth) for t in order]
        gain = before - np.array(after)
        unpaid = np.where(selected, 0.0, cost_of)
        cost = np.array([unpaid[list(tree.features)].sum() for tree in trees])
        free = np.array([selected[list(tree.features)].all() for tree in trees])
        possible = ~free & Budget(BUDGET).fits(cost_of[selected].sum() + cost)
        if not possible.any():
            features = tuple(np.flatnonzero(selected).tolist())
            return StsExample(problem, trees, tuple(iterations), features)
        best = TradeOff(gain, cost).best(XI, possible)
        iterations.append(Iteration(gain, cost, bcr(gain, cost, XI), possible, free, best))
        chosen.append(best)
        selected[list(trees[best].features)] = True


def _grow(problem: Problem, depth: int) -> ShallowTrees:
    features = list(range(problem.n_features))
    keys = problem.data.feature_keys
    stumps = [ShallowPart([j], 1, 1, problem.seed_for("sts", 1), int(keys[j])) for j in features]
    deeper = ShallowPart(features, N_TREES, depth, problem.seed_for("sts", 2))
    return grow_shallow(problem.data, problem.class_target, [*stumps, deeper], ForestSettings())


def _votes(ensemble: ShallowTrees, n_rows: int) -> NDArray[np.uint32]:
    """Out-of-bag votes of each tree, for each row and class."""
    bits = np.unpackbits(ensemble.votes.view(np.uint8), axis=-1, bitorder="little")
    return bits[:, :, :n_rows].swapaxes(1, 2).astype(np.uint32)
