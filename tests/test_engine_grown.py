"""A forest that is kept is the one that was measured, and predicts exactly or is refused."""

import pickle

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalforest import _core
from frugalforest.engine import (
    Forest,
    ForestSettings,
    GrownForest,
    code_table,
    code_target,
    grow_forest,
    score_sets,
)
from frugalforest.errors import DataError

FEW = ForestSettings(n_trees=25)


def awkward_problem(seed, n=120, p=12, n_classes=2):
    """Ties, missing values, and values that 32 bits cannot tell apart or hold."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    X[:, 1] = 1.7e9 + rng.integers(0, 3, n)  # seconds since 1970
    X[:, 2] = rng.choice([1e39, -1e39, 1.5e308], n)
    X[:, 3] = np.nextafter(0.1, rng.choice([0.0, 1.0], n))
    X[rng.random((n, p)) < 0.05] = np.nan
    noisy = np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1] - 1.7e9) + rng.normal(size=n)
    return X, np.digitize(noisy, np.linspace(0, 2, n_classes - 1)).astype(int)


@pytest.fixture(name="grown", scope="module")
def grown_forest():
    X, y = awkward_problem(0)
    forest, _ = grow_forest(
        code_table(X), code_target(y, 2), [0, 1, 2, 3], 1, ForestSettings(5, max_depth=4)
    )
    assert forest.mixed.any(), "the tests below need a forest with mixed leaves"
    return forest


# --- the forest that was measured ---------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("how", [{}, {"max_depth": 2}, {"sample_fraction": 0.5}])
def test_a_forest_on_its_columns_alone_is_the_one_scored_in_the_large_table(n_classes, how):
    X, y = awkward_problem(1, n_classes=n_classes)
    new, _ = awkward_problem(2, n=300)
    target, settings = code_target(y, n_classes), ForestSettings(n_trees=40, **how)
    for seed, columns in ((5, [3, 1, 7]), (2**64 - 1, [2]), (6, [11, 0, 1, 2, 5, 8])):
        batch = score_sets(
            code_table(X), target, [columns], [seed], settings, new_rows=new, keep_votes=True
        )
        large, large_scores = grow_forest(code_table(X), target, columns, seed, settings)
        alone, scores = grow_forest(
            code_table(X[:, columns]), target, range(len(columns)), seed, settings, n_jobs=2
        )
        for found in (scores, large_scores):
            assert found.oob_error == batch.oob_error[0]
            assert found.brier == batch.brier[0]
            assert found.n_unvoted == batch.n_unvoted[0]
            np.testing.assert_array_equal(found.oob_votes, batch.oob_votes[0])
        np.testing.assert_array_equal(scores.oob_shares, large_scores.oob_shares)
        narrowed = large.for_columns(columns)
        for votes, shares in (alone.votes(new[:, columns]), narrowed.votes(new[:, columns])):
            np.testing.assert_array_equal(votes, batch.new_votes[0])
            np.testing.assert_array_equal(shares, large.votes(new)[1])


def test_equal_columns_are_told_apart_when_a_forest_is_narrowed():
    X, y = awkward_problem(3)
    X[:, 9] = X[:, 0]
    data, target, columns = code_table(X), code_target(y, 2), [9, 4, 5]
    batch = score_sets(data, target, [columns], [1], FEW, new_rows=X)
    forest, scores = grow_forest(data, target, columns, 1, FEW)
    assert scores.oob_error == batch.oob_error[0]
    votes, _ = forest.for_columns(columns).votes(X[:, columns])
    np.testing.assert_array_equal(votes, batch.new_votes[0])


def test_forests_are_narrowed_only_to_columns_that_hold_all_they_need():
    X, y = awkward_problem(0)
    forest, _ = grow_forest(code_table(X), code_target(y, 2), [0, 1], 1, FEW)
    assert forest.used_columns.tolist() == [0, 1]
    wider = forest.for_columns([5, 1, 0])
    assert wider.used_columns.tolist() == [1, 2]
    np.testing.assert_array_equal(wider.votes(X[:, [5, 1, 0]])[0], forest.votes(X)[0])
    for columns in ([0], [1, 2, 3], [0, 1, 1], []):
        with pytest.raises(ValueError, match=r"splits on the columns \[0, 1\] cannot do with"):
            forest.for_columns(columns)
    with pytest.raises(ValueError, match="feature 12 is not in the table"):
        forest.for_columns([0, 1, 12])


# --- exact values -------------------------------------------------------------------------------

CLOSE_OR_HUGE = {
    "seconds since 1970": 1.7e9 + np.array([0.0, 1.0, 2.0]),
    "above the largest 32-bit float": np.array([3.5e38, 1e39, 1.7e308]),
    "neighbouring floats": np.array([0.1, np.nextafter(0.1, 1), np.nextafter(0.1, 1) + 2**-55]),
    "whole numbers above 2^53": 2.0**60 + np.array([0.0, 256.0, 512.0]),
    "below the smallest 32-bit float": np.array([0.0, 5e-324, 1e-50]),
}


@pytest.mark.parametrize("values", CLOSE_OR_HUGE.values(), ids=CLOSE_OR_HUGE)
def test_values_that_32_bits_cannot_tell_apart_are_predicted_exactly(values):
    assert len(set(values)) == 3
    y = np.arange(90) % 3
    forest, scores = grow_forest(
        code_table(values[y][:, None]), code_target(y, 3), [0], 1, ForestSettings(200)
    )
    assert scores.oob_error == 0.0
    again = GrownForest.from_arrays(forest.to_arrays(), n_columns=1, n_classes=3)
    for table in (values[:, None], np.asfortranarray(values[:, None]), values[:, None].tolist()):
        assert again.votes(table)[0].argmax(axis=1).tolist() == [0, 1, 2]


def test_infinite_and_missing_values_are_predicted():
    data, target = code_table([[0.0], [1.0]] * 20), code_target([0, 1] * 20, 2)
    forest, _ = grow_forest(data, target, [0], 1, FEW)
    votes, shares = forest.votes([[-np.inf], [np.inf], [np.nan]])
    assert votes.argmax(axis=1)[:2].tolist() == [0, 1]
    assert (votes.sum(axis=1) == 25).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)


# --- storing and loading ------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 7])
def test_a_forest_from_its_arrays_votes_the_same(n_classes):
    X, y = awkward_problem(4, n_classes=n_classes)
    target = code_target(y, n_classes)
    forest, _ = grow_forest(code_table(X), target, range(12), 1, ForestSettings(20, max_depth=5))
    again = GrownForest.from_arrays(forest.to_arrays(), n_columns=12, n_classes=n_classes)
    for before, after in zip(forest.votes(X), again.votes(X, n_jobs=2), strict=True):
        np.testing.assert_array_equal(before, after)


def test_only_mixed_leaves_take_room_for_class_shares():
    X, y = np.arange(100.0)[:, None], np.arange(100)
    forest, _ = grow_forest(code_table(X), code_target(y, 100), [0], 1, FEW)
    assert forest.shares.shape == (0, 100)
    assert sum(a.nbytes for a in forest.to_arrays().values()) < 30 * len(forest.column)


def test_a_loaded_forest_does_not_follow_the_arrays_it_came_from(grown):
    X, _ = awkward_problem(0)
    arrays = {name: array.copy() for name, array in grown.to_arrays().items()}
    loaded = GrownForest.from_arrays(arrays, n_columns=12, n_classes=2)
    for array in arrays.values():
        array[:] = 0
    np.testing.assert_array_equal(loaded.votes(X)[0], grown.votes(X)[0])


def test_pickled_forests_vote_the_same(grown):
    X, y = awkward_problem(0)
    again = pickle.loads(pickle.dumps(grown))
    np.testing.assert_array_equal(again.votes(X)[0], grown.votes(X)[0])
    estimator = Forest(n_trees=20, max_depth=2).fit(X, y)
    copied = pickle.loads(pickle.dumps(estimator))
    np.testing.assert_array_equal(copied.predict_proba(X), estimator.predict_proba(X))
    assert copied.oob_error_ == estimator.oob_error_


def test_rows_of_another_width_are_refused(grown):
    with pytest.raises(DataError, match=r"rows have 3 columns, but the forest was grown on 12\."):
        grown.votes(np.zeros((2, 3)))


# --- hostile arrays -----------------------------------------------------------------------------


def load(arrays, n_columns=12, n_classes=2):
    return GrownForest.from_arrays(arrays, n_columns, n_classes)


def with_entry(at, value):
    def change(array):
        array = array.copy()
        array[at] = value
        return array

    return change


def share_a_child(left):
    """Gives a node the children of another that stands before both."""
    splits = np.flatnonzero(left)
    first, second = next((s, t) for s in splits for t in splits if s < t < left[s])
    return with_entry(second, left[first])(left)


WRONG_VALUES = [
    ("tree_start", with_entry(0, 1), "do not divide the nodes"),
    ("tree_start", with_entry(-1, 10**6), "do not divide the nodes"),
    ("tree_start", with_entry(-1, 2**64 - 1), "do not divide the nodes"),
    ("tree_start", with_entry(1, 2**32), "do not divide the nodes"),
    ("tree_start", with_entry(1, 0), "do not divide the nodes"),
    ("tree_start", with_entry(1, 2), "children outside its tree"),
    ("tree_start", lambda a: a[:0], "do not divide the nodes"),
    ("tree_start", lambda a: a[:1], "do not divide the nodes"),
    ("tree_start", lambda a: a[:-1], "do not divide the nodes"),
    ("column", with_entry(0, 12), "node 0 of tree 0 splits on a column that there is not"),
    ("column", with_entry(0, 2**31 - 1), "splits on a column that there is not"),
    ("column", with_entry(0, -1), "is no child of a node before it"),
    ("column", with_entry(0, -2), "splits on a column that there is not"),
    ("column", with_entry(0, -(2**31)), "splits on a column that there is not"),
    ("column", lambda a: a[:-1], "differ in length"),
    ("left", with_entry(0, 0), "before it"),  # a cycle
    ("left", with_entry(0, 10**6), "children outside its tree"),
    ("left", with_entry(0, 2**32 - 2), "children outside its tree"),
    ("left", with_entry(0, 2**32 - 1), "children outside its tree"),
    ("left", share_a_child, "the child of another node"),
    ("left", lambda a: a[:-1], "differ in length"),
    ("threshold", with_entry(0, np.nan), "threshold that is not a number"),
    ("threshold", lambda a: a[:-1], "differ in length"),
    ("missing_left", with_entry(0, 2), "neither 0 nor 1"),
    ("missing_left", lambda a: a[:-1], "differ in length"),
    ("vote", with_entry(slice(None), 2), "votes for a class that there is not"),
    ("vote", with_entry(slice(None), 65535), "votes for a class that there is not"),
    ("vote", lambda a: a[:-1], "differ in length"),
    ("vote", lambda a: 1 - a, "do not fit its vote"),
    ("mixed", with_entry(slice(None), 0), "as many values as leaves that have some"),
    ("mixed", with_entry(slice(None), 1), "as many values as leaves that have some"),
    ("mixed", with_entry(0, 255), "neither 0 nor 1"),
    ("mixed", lambda a: a[:-1], "differ in length"),
    ("shares", lambda a: a[:-1], "as many values as leaves that have some"),
    ("shares", lambda a: a[:0], "as many values as leaves that have some"),
    ("shares", with_entry(0, np.nan), "do not fit its vote"),
    ("shares", with_entry(0, np.inf), "do not add up to 1"),
    ("shares", with_entry(0, [0.5, 0.6]), "do not"),
    ("shares", with_entry(0, [-1, 2]), "do not fit its vote"),
    ("shares", lambda a: a * 2, "do not add up to 1"),
    ("shares", lambda a: a[:, :1], "votes for 1 classes, not for 2"),
    ("shares", lambda a: a[:, :0], "votes for 0 classes, not for 2"),
]

WRONG_KINDS = [
    ("shares", lambda a: a[0], "array 'shares' of a forest must have type float64 and 2 dim"),
    ("column", lambda a: a[None], r"1 dimension, not int32 and shape \(1,"),
    ("column", lambda a: a.astype(np.int64), "type int32 and 1 dimension, not int64"),
    ("left", lambda a: a.astype(object), "type uint32 and 1 dimension, not object"),
    ("threshold", lambda a: np.zeros(len(a), np.float32), "type float64"),
    ("threshold", lambda a: a.astype(">f8"), "type float64"),
    ("tree_start", lambda a: a.astype(np.uint32), "type uint64"),
    ("vote", lambda a: a.tolist(), "type uint16 and 1 dimension, not list"),
    ("mixed", lambda a: None, "not NoneType"),
]


@pytest.mark.parametrize(("name", "change", "message"), WRONG_VALUES + WRONG_KINDS)
def test_arrays_that_are_no_forest_are_refused_in_one_line(grown, name, change, message):
    arrays = grown.to_arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(DataError, match=message) as refusal:
        load(arrays)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(("name", "change", "message"), WRONG_VALUES)
def test_the_core_itself_refuses_to_follow_wrong_arrays(grown, name, change, message):
    arrays = grown.to_arrays()
    arrays[name] = change(arrays[name])
    with pytest.raises(ValueError):
        _core.load_forest(**arrays, n_columns=12)


@pytest.mark.parametrize("n_columns", [-1, 2**31, 1.5, None])
def test_a_number_of_columns_that_no_table_has_is_refused(grown, n_columns):
    with pytest.raises(DataError, match=rf"cannot have been grown on {n_columns!r} columns\."):
        load(grown.to_arrays(), n_columns=n_columns)


def test_a_forest_that_needs_more_columns_is_refused(grown):
    with pytest.raises(DataError, match="splits on a column that there is not"):
        load(grown.to_arrays(), n_columns=3)


@pytest.mark.parametrize("n_classes", [0, 1, 3, 2**40])
def test_a_forest_for_other_classes_is_refused(grown, n_classes):
    with pytest.raises(DataError, match=rf"votes for 2 classes, not for {n_classes}\."):
        load(grown.to_arrays(), n_classes=n_classes)


def test_missing_and_unknown_arrays_are_refused(grown):
    arrays = grown.to_arrays()
    for wrong in ({}, {**arrays, "code": arrays["left"]}, {k: arrays[k] for k in list(arrays)[1:]}):
        with pytest.raises(DataError, match="a forest has the arrays tree_start, column, left,"):
            load(wrong)


def test_a_forest_changed_behind_its_back_is_refused_or_votes_as_before(grown):
    X, _ = awkward_problem(0)
    checked, unchecked = load(grown.to_arrays()), pickle.loads(pickle.dumps(grown))
    for forest in (checked, unchecked):
        forest.left[0] = 10**6
    np.testing.assert_array_equal(checked.votes(X)[0], grown.votes(X)[0])
    with pytest.raises(DataError, match="children outside its tree"):
        unchecked.votes(X)


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.data())
def test_any_change_of_a_forest_is_refused_or_harmless(grown, data):
    arrays = grown.to_arrays()
    name = data.draw(st.sampled_from(sorted(arrays)))
    array = arrays[name] = arrays[name].copy()
    raw = array.reshape(-1).view(np.uint8)
    for _ in range(data.draw(st.integers(1, 3))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        forest = load(arrays)
    except DataError:
        return
    votes, shares = forest.votes(np.vstack([np.zeros(12), np.full(12, np.nan)]))
    assert (votes.sum(axis=1) == 5).all()
    np.testing.assert_allclose(shares.sum(axis=1), 1.0, atol=1e-6)
