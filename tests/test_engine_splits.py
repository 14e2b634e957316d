"""The core's trees split as well as trying everything would.

Impurities are compared, not splits: several splits may be equally good. They may differ by
`ROUNDING`: both sides add up to a thousand numbers of order one, in different orders.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference.exported import grow
from reference.naive_tree import NaiveNode, best_split

ROUNDING = 1e-12


def check_tree(X, y, *, n_classes=2, weights=None, max_depth=0, min_leaf=1, **how):
    """Replays the in-bag rows and compares every node with the naive search; returns node sizes."""
    grown = grow(
        X, y, n_classes=n_classes, weights=weights, max_depth=max_depth, min_leaf=min_leaf, **how
    )
    [tree] = grown.trees
    draws = grown.draws[0].astype(int)
    row_weights = draws * (np.ones(len(y)) if weights is None else np.asarray(weights, dtype=float))
    everything = NaiveNode(np.asarray(X, float), np.asarray(y), draws, row_weights, n_classes)
    pending = [(0, 0, everything.part(draws > 0))]
    sizes = []
    while pending:
        at, depth, node = pending.pop()
        sizes.append(len(node.labels))
        best = best_split(node, min_leaf)
        if tree.column[at] < 0:
            at_limit = max_depth > 0 and depth == max_depth
            assert node.is_pure() or at_limit or best is None
            np.testing.assert_allclose(tree.shares[at], node.shares(), atol=ROUNDING)
            continue
        assert max_depth == 0 or depth < max_depth
        assert not node.is_pure()
        left = tree.sides(at, node.X)
        assert min(node.draws[left].sum(), node.draws[~left].sum()) >= min_leaf
        assert node.impurity_of(left) == pytest.approx(best.impurity, abs=ROUNDING, rel=0), best
        check_threshold(node.X[:, tree.column[at]], tree.threshold[at])
        pending.append((tree.left[at], depth + 1, node.part(left)))
        pending.append((tree.left[at] + 1, depth + 1, node.part(~left)))
    assert len(sizes) == len(tree.column)
    return sizes


def check_threshold(values, threshold):
    present = np.unique(values[~np.isnan(values)])
    if threshold == np.inf:  # what is there to the left, what is missing to the right
        assert np.isnan(values).any()
        return
    low, high = present[present <= threshold][-1], present[present > threshold][0]
    assert threshold == (low + high) / 2


@st.composite
def problems(draw):
    """Small tables full of ties, with or without missing values and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 28)), draw(st.integers(1, 4))
    n_values = draw(st.sampled_from([2, 3, 8, 1000]))
    X = rng.integers(0, n_values, (n, p)) / 4
    X[rng.random((n, p)) < draw(st.sampled_from([0, 0, 0.1, 0.6]))] = np.nan
    n_classes = draw(st.sampled_from([2, 3, 10]))
    weights = draw(
        st.sampled_from(
            [
                None,
                rng.random(n) + 0.01,
                rng.integers(1, 4, n) / 2,
                # Some rows without any weight: they must not count.
                np.where(np.arange(n) % 3 == 1, 0.0, rng.random(n) + 0.01),
            ]
        )
    )
    return {
        "X": X,
        "y": rng.integers(0, n_classes, n),
        "n_classes": n_classes,
        "weights": weights,
        "max_depth": draw(st.sampled_from([0, 0, 1, 2, 3])),
        "min_leaf": draw(st.sampled_from([1, 1, 2, 5])),
        "replace": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**64 - 1)),
    }


@pytest.mark.slow
@settings(max_examples=300, deadline=None, derandomize=True)
@given(problems())
def test_every_node_reaches_the_impurity_of_trying_every_split(problem):
    weights = problem["weights"]
    if weights is not None and problem["replace"]:
        # A bootstrap of few rows can miss all that have a weight; then there is nothing to check.
        drawn = grow(
            problem["X"],
            problem["y"],
            n_classes=problem["n_classes"],
            weights=weights,
            seed=problem["seed"],
        ).draws
        if not drawn.any():
            return
    check_tree(**problem)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_classes", "weighted"),
    [
        (2, False),
        (3, True),
        (2, True),
        (3, False),
    ],
)
def test_large_and_small_nodes_are_searched_equally_well(n_classes, weighted):
    # Nodes are grouped in four ways, by size and distinct values: with 1,400 distinct
    # values in one column and 40 in the other, one deep tree on pure noise meets all of them.
    rng = np.random.default_rng(n_classes)
    n = 1400
    X = np.column_stack([rng.permutation(n), rng.integers(0, 40, n)]).astype(float)
    X[rng.random(n) < 0.02, 1] = np.nan
    weights = rng.random(n) + 0.1 if weighted else None
    sizes = check_tree(
        X, rng.integers(0, n_classes, n), n_classes=n_classes, weights=weights, replace=False
    )
    assert max(sizes) == n
    assert any(16 < size < (n + 1) / 64 for size in sizes)
    assert any((n + 1) / 64 < size < (n + 1) / 3 for size in sizes)
    assert any(2 <= size <= 16 for size in sizes)


@pytest.mark.parametrize("n", [32_767, 32_768])
def test_trees_on_more_rows_than_fit_a_small_sum_are_searched_equally_well(n):
    # Two classes are counted in 16 bits up to 32,767 draws, in 32 bits above. All rows of one class
    # but a few, so that counts come close to the limit; few values, so that trying all is quick.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 25, (n, 2)).astype(float)
    X[rng.random(n) < 0.01, 0] = np.nan
    y = (rng.random(n) < np.where(X[:, 1] > 12, 0.999, 0.95)).astype(int)
    check_tree(X, y, max_depth=4, replace=False)


def test_missing_values_go_to_the_better_side():
    X = np.array([[1.0], [2.0], [3.0], [4.0], [np.nan], [np.nan]])
    for y, left in (([0, 0, 1, 1, 0, 0], True), ([0, 0, 1, 1, 1, 1], False)):
        [tree] = grow(X, y, replace=False).trees
        assert (tree.threshold[0], bool(tree.missing_left[0])) == (2.5, left)


def test_being_missing_is_a_split_of_its_own():
    X = np.array([[1.0], [2.0], [3.0], [np.nan], [np.nan]])
    [tree] = grow(X, [0, 0, 0, 1, 1], replace=False).trees
    assert tree.threshold[0] == np.inf
    assert tree.votes(X).tolist() == [0, 0, 0, 1, 1]


@pytest.mark.parametrize(("y", "left"), [([0, 0, 0, 1], True), ([0, 1, 1, 1], False)])
def test_missing_values_a_node_never_saw_follow_the_larger_child(y, left):
    [tree] = grow(np.arange(4.0)[:, None], y, replace=False).trees
    assert bool(tree.missing_left[0]) is left


def test_a_split_that_gains_nothing_is_still_made():
    # Exclusive or: no single cut helps, two do. A tree that asked for a gain would stay a stump.
    X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    [tree] = grow(X, [0, 1, 1, 0], replace=False).trees
    assert tree.votes(np.array(X, float)).tolist() == [0, 1, 1, 0]


@pytest.mark.parametrize(
    "values",
    [
        (1.0, np.nextafter(1.0, 2)),
        (-1.7e308, 1.7e308),
        (1.6e308, 1.7e308),
        (0.0, 5e-324),
        (-5e-324, 0.0),
        (-0.0, 1e-300),
    ],
)
def test_values_at_the_limits_of_floating_point_are_told_apart(values):
    X = np.array([[v] for v in values])
    [tree] = grow(X, [0, 1], replace=False).trees
    assert np.isfinite(tree.threshold[0])
    assert tree.votes(X).tolist() == [0, 1]


def test_positive_and_negative_zero_are_one_value():
    [tree] = grow([[0.0], [-0.0]], [0, 1], replace=False).trees
    assert tree.column.tolist() == [-1]


def test_a_node_draws_on_when_the_features_drawn_first_cannot_be_cut():
    # One useful column among 30 constant ones, one feature a node: every tree still finds it.
    rng = np.random.default_rng(0)
    X = np.zeros((40, 31))
    X[:, 17] = rng.permutation(40)
    y = (X[:, 17] > 19).astype(int)
    grown = grow(X, y, max_features=1, n_trees=20)
    assert all(tree.used() == {17} for tree in grown.trees)


def test_features_are_drawn_equally_often():
    # Three columns that separate the classes equally well (copies of each other), one drawn a node:
    # the root's column is uniform on them. 4 standard errors of a share over 3000 trees.
    y = np.arange(30) % 2
    X = np.column_stack([y, y + 1, 5 * y])
    grown = grow(X, y, max_features=1, n_trees=3000)
    roots = [int(tree.column[0]) for tree in grown.trees]
    shares = np.bincount(roots, minlength=3) / 3000
    np.testing.assert_allclose(shares, 1 / 3, atol=4 * np.sqrt(2 / 9 / 3000))


def test_draws_are_uniform_over_rows():
    # Each row is drawn Binomial(n · n_trees, 1/n) times: 5 standard errors, for 50 rows at once.
    n, n_trees = 50, 2000
    draws = grow(np.arange(n)[:, None], np.arange(n) % 2, n_trees=n_trees).draws.astype(int)
    assert (draws.sum(axis=1) == n).all()
    assert np.abs(draws.sum(axis=0) - n_trees).max() < 5 * np.sqrt(n_trees)
    share_oob = (draws == 0).mean()
    assert share_oob == pytest.approx((1 - 1 / n) ** n, abs=5 * 0.5 / np.sqrt(n * n_trees))


def test_subsamples_hold_each_row_at_most_once():
    draws = grow(np.arange(20)[:, None], np.arange(20) % 2, n_trees=30, n_draws=13, replace=False)
    assert (draws.draws.sum(axis=1) == 13).all()
    assert draws.draws.max() == 1


def test_rows_without_weight_are_out_of_bag_in_every_tree():
    weights = np.where(np.arange(30) < 10, 0.0, 2.0)
    grown = grow(np.arange(30)[:, None], np.arange(30) % 2, weights=weights, n_trees=20)
    assert (grown.draws[:, :10] == 0).all()
    assert grown.oob_votes[:10].sum(axis=1).tolist() == [20] * 10


def test_equal_weights_grow_the_same_tree_as_none():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), rng.integers(0, 3, 60)
    plain = grow(X, y, n_classes=3, n_trees=10)
    weighted = grow(X, y, n_classes=3, n_trees=10, weights=np.full(60, 0.5))
    for a, b in zip(plain.arrays, weighted.arrays, strict=True):
        np.testing.assert_array_equal(a, b)
