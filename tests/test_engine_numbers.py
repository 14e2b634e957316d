"""Forests for numbers: as good as trying every split, and the same whatever the order of things."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugalforest import _core
from frugalforest.engine import (
    NUMBER_FORESTS,
    ForestSettings,
    GrownNumberForest,
    RegressionForest,
    code_numbers,
    code_table,
    forward_errors,
    grow_number_forest,
    permutation_gains,
    score_number_sets,
)
from frugalforest.errors import DataError
from reference.exported import coded
from reference.plain_bins import bin_table
from reference.plain_numbers import NumberNode, grow_numbers

# Numbers are kept to a part in 2^42 of half their range, on these few rows.
UNIT = 2.0**-42


def draw_table(rng, n, p, n_values=1000, missing=0.0):
    X = rng.integers(0, n_values, (n, p)) / 4
    X[rng.random((n, p)) < missing] = np.nan
    return X, np.nan_to_num(X[:, 0]) + rng.normal(size=n) * n_values / 20


def check_tree(X, y, *, max_depth=0, min_leaf=1, min_node=1, **how):
    """Replays the in-bag rows and compares every node with the plain search; returns its nodes."""
    grown = grow_numbers(X, y, max_depth=max_depth, min_leaf=min_leaf, min_node=min_node, **how)
    [tree] = grown.trees
    draws = grown.draws[0].astype(int)
    spread = np.ptp(y)
    pending = [(0, 0, NumberNode(X, y, draws).part(draws > 0))]
    n_nodes = 0
    while pending:
        at, depth, node = pending.pop()
        n_nodes += 1
        least = node.least_squares(min_leaf)
        n_draws = node.draws.sum()
        done = max_depth > 0 and depth == max_depth
        done |= n_draws <= min_node or len(np.unique(node.y)) == 1 or least is None
        assert (tree.column[at] < 0) == done
        if done:
            assert tree.mean[at] == pytest.approx(node.mean(), abs=2 * UNIT * spread, rel=1e-15)
            continue
        left = tree.sides(at, node.X)
        assert min(node.draws[left].sum(), node.draws[~left].sum()) >= min_leaf
        # Each value is off by half a unit at the most, each square by its distance times that.
        rounding = 4 * UNIT * spread**2 * n_draws
        assert node.squares_after(left) == pytest.approx(least, abs=rounding, rel=0)
        pending.append((tree.left[at], depth + 1, node.part(left)))
        pending.append((tree.left[at] + 1, depth + 1, node.part(~left)))
    assert n_nodes == len(tree.column)
    return tree


@st.composite
def problems(draw):
    """Small tables full of ties, with or without missing values; numbers with a few far away."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 30)), draw(st.integers(1, 4))
    X, y = draw_table(
        rng, n, p, draw(st.sampled_from([2, 3, 8, 1000])), draw(st.sampled_from([0, 0, 0.1, 0.6]))
    )
    kind = draw(st.sampled_from(["plain", "ties", "large", "far", "tiny"]))
    y = {
        "plain": y,
        "ties": y.round(-1),
        "large": y + 1e9,
        "far": np.where(np.arange(n) == 1, 1e6, y),
        "tiny": y * 1e-100,
    }[kind]
    return {
        "X": X,
        "y": y,
        "max_depth": draw(st.sampled_from([0, 0, 1, 2, 3])),
        "min_leaf": draw(st.sampled_from([1, 1, 2, 5])),
        "min_node": draw(st.sampled_from([1, 1, 5, 10])),
        "replace": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**64 - 1)),
    }


@settings(max_examples=60, deadline=None, derandomize=True)
@given(problems())
def test_every_node_leaves_as_little_variance_as_trying_every_split(problem):
    check_tree(**problem)


@pytest.mark.slow
def test_large_and_small_nodes_are_searched_equally_well():
    # Nodes are grouped in four ways, by size and number of values: one deep tree meets all of them.
    rng = np.random.default_rng(0)
    n = 1400
    X = np.column_stack([rng.permutation(n), rng.integers(0, 40, n)]).astype(float)
    X[rng.random(n) < 0.02, 1] = np.nan
    check_tree(X, rng.normal(size=n), replace=False)


@pytest.mark.parametrize("min_leaf", [1, 3])
def test_columns_without_ties_are_searched_equally_well(min_leaf):
    # Rows are scanned in their order, which is found in three ways, by size of the node.
    rng = np.random.default_rng(min_leaf)
    n = 250
    X = np.column_stack([rng.permutation(n), rng.normal(size=n)])
    check_tree(X, X[:, 0] + 30 * rng.normal(size=n), min_leaf=min_leaf)


def test_little_variance_far_from_zero_is_told_apart():
    # One number a million million times as large as the differences of the others.
    X = np.arange(9.0)[:, None]
    y = np.array([0, 0, 0, 0, 1, 1, 1, 1, 1e11])
    [tree] = grow_numbers(X, y, replace=False).trees
    assert {3.5, 7.5} <= set(tree.threshold[tree.column >= 0])
    np.testing.assert_allclose(tree.predict(X)[:8], y[:8], atol=1e11 * UNIT)


def test_nodes_of_up_to_five_draws_are_leaves_by_default():
    X, y = draw_table(np.random.default_rng(1), 200, 3)
    assert (NUMBER_FORESTS.min_node_size, NUMBER_FORESTS.features_per_split(10)) == (5, 3)
    grown = grow_numbers(X, y, min_node=5, n_trees=5)
    for tree, draws in zip(grown.trees, grown.draws, strict=True):
        n_at = np.zeros(len(tree.column))
        pending = [(0, np.flatnonzero(draws))]
        while pending:
            at, rows = pending.pop()
            n_at[at] = draws[rows].sum()
            if tree.column[at] < 0:
                continue
            assert n_at[at] > 5
            left = tree.sides(at, X[rows])
            pending += [(tree.left[at], rows[left]), (tree.left[at] + 1, rows[~left])]


@pytest.mark.parametrize("missing", [0.0, 0.2])
def test_out_of_bag_predictions_are_the_means_of_the_trees_that_left_a_row_out(missing):
    X, y = draw_table(np.random.default_rng(2), 80, 4, missing=missing)
    for n_trees in (1, 40):
        grown = grow_numbers(X, y, n_trees=n_trees, max_features=2, min_node=5)
        plain = grown.plain_oob_predictions(X)
        np.testing.assert_allclose(grown.oob_predictions, plain, rtol=1e-12)
        assert grown.n_unpredicted == np.isnan(plain).sum()
        assert grown.mse == pytest.approx(np.nanmean((plain - y) ** 2), rel=1e-9)


def test_a_batch_is_the_forests_one_by_one():
    rng = np.random.default_rng(3)
    X, y = draw_table(rng, 150, 6, missing=0.1)
    new, _ = draw_table(rng, 700, 6, missing=0.1)
    data, target = code_table(X), code_numbers(y)
    how = ForestSettings(n_trees=70, max_features="third", min_node_size=5)
    sets, seeds = [[0, 3, 5], [2], range(6), [0, 3, 5]], [1, 1, 2**64 - 1, 7]
    batch = score_number_sets(
        data, target, sets, seeds, how, new_rows=new, keep_predictions=True, n_jobs=2
    )
    for i, (columns, seed) in enumerate(zip(sets, seeds, strict=True)):
        forest, scores = grow_number_forest(data, target, columns, seed, how)
        assert (batch.mse[i], batch.n_unpredicted[i]) == (scores.mse, scores.n_unpredicted)
        np.testing.assert_array_equal(batch.oob_predictions[i], scores.oob_predictions)
        np.testing.assert_array_equal(batch.new_predictions[i], forest.predict(new))
    assert batch.mse[0] != batch.mse[3]


def test_predictions_are_the_means_of_the_trees():
    rng = np.random.default_rng(4)
    X, y = draw_table(rng, 90, 3, missing=0.1)
    new, _ = draw_table(rng, 40, 3, missing=0.1)
    grown = grow_numbers(X, y, n_trees=30)
    forest, _ = grow_number_forest(
        code_table(X), code_numbers(y), range(3), 0, ForestSettings(30, max_features=None)
    )
    plain = np.mean([tree.predict(new) for tree in grown.trees], axis=0)
    np.testing.assert_allclose(forest.predict(new), plain, rtol=1e-12)
    means = np.concatenate([tree.mean[tree.column < 0] for tree in grown.trees])
    np.testing.assert_array_equal(forest.leaf_means, means)


def test_importance_is_the_rise_of_the_squared_error_after_a_shuffle():
    X, y = draw_table(np.random.default_rng(5), 70, 4, missing=0.1)
    grown = grow_numbers(X, y, n_trees=15, max_features=2, seed=9, min_node=5)
    plain = grown.plain_rises(X, y, coded(X).feature_keys, seed=9)
    how = ForestSettings(15, max_features=2, min_node_size=5)
    gains = permutation_gains(code_table(X), code_numbers(y), range(4), 9, how)
    n_oob = (grown.draws == 0).sum(axis=1)
    np.testing.assert_allclose(gains, (plain / n_oob[:, None]).mean(axis=0), rtol=1e-9)
    with pytest.raises(ValueError, match="are for classes"):
        permutation_gains(code_table(X), code_numbers(y), range(4), 9, error_weights=[1, 1])


@pytest.mark.parametrize("base", [[], [1], [0, 2, 4], [5, 3, 1, 0]])
def test_one_feature_more_is_the_same_as_growing_from_scratch(base):
    X, y = draw_table(np.random.default_rng(6), 120, 8, n_values=12, missing=0.05)
    data, target = code_table(X), code_numbers(y)
    candidates = [j for j in range(8) if j not in base]
    for n_jobs in (1, 2):
        errors = forward_errors(data, target, base, candidates, 3, n_jobs=n_jobs)
        sets = [[*base, j] for j in candidates]
        scratch = score_number_sets(data, target, sets, [3] * len(sets))
        np.testing.assert_array_equal(errors, scratch.mse)


def outcomes(X, y, columns, new, **how):
    """All that a forest says, to be compared bit for bit."""
    data, target = code_table(X, bins=how.pop("bins", None)), code_numbers(y)
    n_jobs = how.pop("n_jobs", 1)
    settings = ForestSettings(40, max_features="third", min_node_size=5, **how)
    forest, scores = grow_number_forest(data, target, columns, 5, settings, n_jobs=n_jobs)
    gains = permutation_gains(data, target, columns, 5, settings, n_jobs=n_jobs)
    return np.concatenate(
        [[scores.mse], scores.oob_predictions, forest.predict(new, n_jobs), np.sort(gains)]
    )


@pytest.mark.parametrize("bins", [None, 30])
def test_threads_and_the_order_of_columns_change_no_bit(bins):
    rng = np.random.default_rng(7)
    X, y = draw_table(rng, 300, 7, missing=0.05)
    new, _ = draw_table(rng, 2000, 7)
    first = outcomes(X, y, range(7), new, bins=bins)
    np.testing.assert_array_equal(first, outcomes(X, y, range(7), new, bins=bins, n_jobs=3))
    order = rng.permutation(7)
    np.testing.assert_array_equal(
        first, outcomes(X[:, order], y, range(7), new[:, order], bins=bins)
    )


def test_numbers_in_another_unit_grow_the_same_forest():
    # A power of two moves the unit and nothing else; 4y + 1 in whole numbers is exact, too.
    X, _ = draw_table(np.random.default_rng(8), 200, 5)
    y = np.random.default_rng(8).integers(-1000, 1000, 200).astype(float)
    data = code_table(X)
    first = score_number_sets(data, code_numbers(y), [range(5)], [1], keep_predictions=True)
    for factor, shift in ((4.0, 1.0), (2.0**-300, 0.0), (2.0**300, 0.0), (0.5, 0.0)):
        other = score_number_sets(
            data, code_numbers(factor * y + shift), [range(5)], [1], keep_predictions=True
        )
        assert other.mse[0] == factor**2 * first.mse[0]
        np.testing.assert_allclose(
            other.oob_predictions, factor * first.oob_predictions + shift, rtol=1e-14
        )


def test_a_binned_table_grows_the_forest_of_its_bin_numbers():
    X, y = draw_table(np.random.default_rng(9), 2500, 4, missing=0.03)
    numbers = bin_table(X, 40)
    for how in ({"n_trees": 3, "min_node": 5}, {"n_trees": 2, "max_depth": 4, "min_leaf": 7}):
        binned = grow_numbers(X, y, bins=40, max_features=2, **how)
        exact = grow_numbers(numbers, y, max_features=2, **how)
        for i, (a, b) in enumerate(zip(binned.arrays, exact.arrays, strict=True)):
            if i != 3:  # thresholds lie between values, or between numbers of bins
                np.testing.assert_array_equal(a, b)


def test_equal_numbers_are_predicted_as_they_are():
    X, _ = draw_table(np.random.default_rng(10), 30, 2)
    forest = RegressionForest(20).fit(X, np.full(30, 7.25))
    assert set(forest.predict(X)) == {7.25}
    assert forest.oob_mse_ == 0.0


def test_rows_in_every_bag_have_no_prediction():
    X, y = draw_table(np.random.default_rng(11), 12, 2)
    forest = RegressionForest(1).fit(X, y)
    assert forest.n_unpredicted_ == np.isnan(forest.oob_predictions_).sum() > 0
    everything = RegressionForest(3, bootstrap=False).fit(X, y)
    assert (everything.n_unpredicted_, np.isnan(everything.oob_mse_)) == (12, True)


# --- bad input ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.nan], "holds nan in row 1"),
        ([np.inf, 1.0], "holds inf in row 0"),
        (["a", "b"], "one number for each row"),
        ([[1.0], [2.0]], "shape"),
        ([], "shape"),
        ([1j, 2], "complex"),
        ([0.0, 1e200], "in another unit"),
        ([-1.7e308, 1.7e308], "in another unit"),
        ([0.0, 1e-200], "in another unit"),
    ],
)
def test_what_is_no_target_of_numbers_is_refused(y, message):
    with pytest.raises(DataError, match=message):
        code_numbers(y)


def test_the_core_refuses_what_could_crash_it():
    X, y = draw_table(np.random.default_rng(12), 20, 2)
    data, target = code_table(X), code_numbers(y)
    columns = np.array([0, 1], dtype=np.uint32)
    with pytest.raises(ValueError, match="a target needs a row"):
        _core.make_number_target(np.empty(0))
    with pytest.raises(ValueError, match="not finite"):
        _core.make_number_target(np.array([np.nan]))
    too_many = ForestSettings(2**20 + 1).spec(data, target, 1)
    with pytest.raises(ValueError, match="more trees than a tally can hold"):
        _core.grow_forest(data, target, columns, 1, 0, too_many, False)
    with pytest.raises(ValueError, match="differ in length"):
        score_number_sets(code_table(X[:19]), target, [[0]], [1])


@pytest.fixture(name="forest", scope="module")
def grown_forest():
    X, y = draw_table(np.random.default_rng(13), 60, 4)
    forest, _ = grow_number_forest(code_table(X), code_numbers(y), [1, 3], 1, ForestSettings(5))
    return forest


def test_a_forest_comes_back_from_its_arrays_and_from_a_pickle(forest):
    rows, _ = draw_table(np.random.default_rng(14), 50, 4)
    predicted = forest.predict(rows)
    again = GrownNumberForest.from_arrays(forest.to_arrays(), n_columns=4)
    np.testing.assert_array_equal(again.predict(rows), predicted)
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(forest)).predict(rows), predicted)
    np.testing.assert_array_equal(forest.for_columns([3, 1]).predict(rows[:, [3, 1]]), predicted)
    assert forest.used_columns.tolist() == [1, 3]


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("value", lambda a: a[:-1], "differ in length"),
        ("value", lambda a: a + 2**43, "outside the range"),
        ("value", lambda a: a.astype(float), "must have type int64"),
        ("scale", lambda a: a[:1], "a middle and a unit"),
        ("scale", lambda a: -a, "a middle and a unit"),
        ("scale", lambda a: a * np.nan, "a middle and a unit"),
        ("column", lambda a: a + 4, "column that there is not"),
        ("left", lambda a: a * 0, "has children outside its tree or before it"),
    ],
)
def test_arrays_that_are_no_forest_for_numbers_are_refused(forest, name, change, message):
    arrays = forest.to_arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(DataError, match=message):
        GrownNumberForest.from_arrays(arrays, n_columns=4)


def test_rows_of_another_width_are_refused(forest):
    with pytest.raises(DataError, match="grown on 4"):
        forest.predict([[1.0]])


# --- the estimator --------------------------------------------------------------------------------


@parametrize_with_checks([RegressionForest(n_trees=20)])
def test_scikit_learn_finds_an_ordinary_regressor(estimator, check):
    check(estimator)


def test_the_estimator_reports_what_the_engine_found():
    X, y = draw_table(np.random.default_rng(15), 100, 6, missing=0.05)
    forest = clone(RegressionForest(30, random_state=4)).fit(X, y)
    how = ForestSettings(30, max_features="third", min_node_size=5)
    batch = score_number_sets(
        code_table(X), code_numbers(y), [range(6)], [4], how, new_rows=X, keep_predictions=True
    )
    assert forest.oob_mse_ == batch.mse[0]
    np.testing.assert_array_equal(forest.oob_predictions_, batch.oob_predictions[0])
    np.testing.assert_array_equal(forest.predict(X), batch.new_predictions[0])
    assert forest.score(X, y) > 0.8
