"""Extreme tables, classes and weights: a right answer, or a refusal that says the numbers."""

import time

import numpy as np
import pytest

from frugalforest.engine import (
    Forest,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    forward_errors,
    grow_forest,
    grow_shallow,
    permutation_gains,
    score_sets,
)
from frugalforest.errors import DataError
from reference.exported import grow


@pytest.fixture(name="X")
def table():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture(name="y")
def target(X):
    return (X[:, 0] > 0).astype(int)


def test_two_rows_make_a_forest():
    forest = Forest(n_trees=50).fit([[0.0], [1.0]], [0, 1])
    # A bootstrap of two rows holds both with probability one half, and the tree is right; otherwise
    # it holds one row only and votes for its class. So each row has about ¾ of the votes.
    assert forest.predict([[0.0], [1.0]]).tolist() == [0, 1]
    assert (
        forest.oob_error_ == 1.0
    )  # an out-of-bag row meets a tree that knows the other class only


def test_one_row_a_class_makes_a_forest():
    X, y = np.arange(10.0)[:, None], np.arange(10)
    forest = Forest(n_trees=300).fit(X, y)
    assert forest.classes_.tolist() == list(range(10))
    assert forest.predict_proba(X).shape == (10, 10)
    assert forest.predict(X).tolist() == y.tolist()
    assert forest.oob_error_ == 1.0


def test_ten_classes_are_learnt():
    rng = np.random.default_rng(0)
    y = np.repeat(np.arange(10), 30)
    X = np.column_stack([y + rng.normal(0, 0.1, 300), rng.normal(size=300)])
    forest = Forest(n_trees=100).fit(X, y)
    assert forest.oob_error_ < 0.02
    assert forest.oob_votes_.shape == (300, 10)


@pytest.mark.parametrize("value", [0.0, np.nan])
def test_constant_and_missing_columns_leave_the_majority(value):
    forest = Forest(n_trees=200, voting="soft").fit(np.full((40, 3), value), [0] * 10 + [1] * 30)
    assert np.diff(forest.forest_.tree_start).tolist() == [1] * 200  # every tree is one leaf
    assert (forest.predict(np.ones((2, 3))) == 1).all()
    # The mean over trees of the share of class 1 among 40 draws, 4 standard errors.
    share = forest.predict_proba([[0, 0, 0]])[0, 1]
    assert share == pytest.approx(0.75, abs=4 * np.sqrt(0.75 * 0.25 / 40 / 200))


def test_an_all_missing_column_beside_a_good_one_does_no_harm(X, y):
    X[:, 1] = np.nan
    forest = Forest(n_trees=100).fit(X, y)
    assert (forest.predict(X) == y).mean() > 0.9
    assert np.isfinite(forest.predict_proba(np.full((1, 3), np.nan))).all()


def test_65535_distinct_values_and_missing_ones_are_coded_exactly():
    n = 65_535
    values = np.append(np.arange(n, dtype=float), np.nan)
    codes = code_table(values[:, None], bins=None).codes()[0]
    np.testing.assert_array_equal(codes, np.arange(n + 1))
    y = (values >= 40_000).astype(int)  # NaN is not
    [tree] = grow(values[:, None], y, replace=False).trees
    assert tree.threshold[0] == 39_999.5
    assert tree.votes(values[:, None]).tolist() == y.tolist()


def test_more_than_65535_distinct_values_get_quantile_codes():
    n = 70_000
    rng = np.random.default_rng(0)
    values = rng.normal(size=n)
    X = values[:, None]
    codes = code_table(X, bins=None).codes()[0].astype(int)
    assert len(np.unique(codes)) <= 65_535
    assert np.bincount(codes).max() <= 2  # about equally many rows each: one or two
    assert (np.diff(codes[np.argsort(values)]) >= 0).all()
    # Thresholds lie between codes, so coded rows and raw rows go the same way, and a tree finds a
    # boundary to within the one pair of values that may share a code.
    y = (values > 0.3).astype(int)
    grown = grow(X, y, n_trees=3)
    votes = np.zeros_like(grown.oob_votes)
    for tree, draws in zip(grown.trees, grown.draws, strict=True):
        oob = np.flatnonzero(draws == 0)
        np.add.at(votes, (oob, tree.votes(X[oob])), 1)
    np.testing.assert_array_equal(grown.oob_votes, votes)
    assert grown.error < 5 / n


def test_missing_values_are_told_from_quantile_codes():
    n = 70_000
    values = np.arange(n, dtype=float)
    values[::7] = np.nan
    more = np.append(values, np.arange(n) + 0.5)  # still above 65,535 distinct values
    y = np.isnan(more).astype(int)
    [tree] = grow(more[:, None], y, replace=False).trees
    assert len(tree.column) == 3
    assert tree.votes(np.array([[3.0], [np.nan]])).tolist() == [0, 1]


# --- weights ------------------------------------------------------------------------------------


def test_rows_without_weight_are_never_drawn_and_no_tree_is_without_rows():
    X, y = np.arange(6.0)[:, None], [1, 1, 1, 0, 1, 1]
    forest = Forest(n_trees=50).fit(X, y, sample_weight=[1, 0, 0, 0, 0, 0])
    assert forest.oob_votes_[:, 0].sum() == 0  # the only row that speaks is of class 1


def test_tiny_weights_weigh_as_much_as_large_ones_in_the_same_ratio():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), rng.integers(0, 2, 40)
    weights = rng.integers(1, 5, 40).astype(float)
    large = Forest(n_trees=20).fit(X, y, sample_weight=weights)
    tiny = Forest(n_trees=20).fit(X, y, sample_weight=weights * 2.0**-1060)
    np.testing.assert_array_equal(large.oob_votes_, tiny.oob_votes_)


# --- very many classes --------------------------------------------------------------------------

MANY = ForestSettings(n_trees=20)
GROWERS = {
    "score_sets": lambda data, target: score_sets(data, target, [[0]], [1], MANY),
    "grow_forest": lambda data, target: grow_forest(data, target, [0], 1, MANY),
    "permutation_gains": lambda data, target: permutation_gains(data, target, [0], 1, MANY),
    "forward_errors": lambda data, target: forward_errors(data, target, [0], [1], 1, MANY),
    "grow_shallow": lambda data, target: grow_shallow(
        data, target, [ShallowPart([0], 20, max_depth=2, seed=1)]
    ),
}


@pytest.mark.parametrize("run", GROWERS.values(), ids=GROWERS)
def test_more_classes_than_memory_can_hold_are_refused_at_once_with_the_numbers(run):
    n = 65_535
    rows = np.arange(n, dtype=float)
    data, target = code_table(np.column_stack([rows, -rows])), code_target(np.arange(n), n)
    begin = time.process_time()  # of this process: others do not count
    with pytest.raises(DataError, match=r"65,535 classes on 65,535 rows would take \d+ GiB"):
        run(data, target)
    assert time.process_time() - begin < 5


def test_votes_of_too_many_shallow_trees_are_refused():
    data, target = code_table(np.arange(1000.0)[:, None]), code_target(np.arange(1000) % 500, 500)
    with pytest.raises(DataError, match="500 classes on 1,000 rows would take 60 GiB"):
        grow_shallow(data, target, [ShallowPart([0], 10**6, max_depth=2, seed=1)])


@pytest.mark.slow
def test_a_thousand_classes_are_learnt_in_little_memory():
    y = np.repeat(np.arange(1000), 3)
    forest = Forest(n_trees=10).fit(y[:, None] + 0.0, y)
    assert forest.oob_error_ < 0.2  # a class whose three rows are all out of bag cannot be guessed
    assert forest.forest_.shares.shape == (0, 1000)
