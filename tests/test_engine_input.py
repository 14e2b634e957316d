"""Wrong input: a clear error, never a crash."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest import _core
from frugalforest.engine import (
    Forest,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    grow_shallow,
    n_threads,
    permutation_gains,
    score_sets,
    seed_from,
)
from frugalforest.errors import DataError

FEW = ForestSettings(n_trees=5)


@pytest.fixture(name="X")
def table():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture(name="y")
def target(X):
    return (X[:, 0] > 0).astype(int)


@pytest.fixture
def coded(X, y):
    return code_table(X), code_target(y, 2)


# --- tables -------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_infinite_values_are_refused_with_the_name_of_their_column(X, y, value):
    X[4, 1] = value
    with pytest.raises(DataError, match=r"column 1 of X holds -?inf \(inf\) in row 4"):
        Forest(n_trees=5).fit(X, y)
    with pytest.raises(DataError, match=r"column 'crp' of X holds -?inf"):
        Forest(n_trees=5).fit(pd.DataFrame(X, columns=["age", "crp", "bmi"]), y)
    with pytest.raises(ValueError, match="column 1 holds an infinite value"):
        _core.code_columns(np.ascontiguousarray(X.T))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0), (5,), (2, 2, 2), ()])
def test_a_table_needs_two_dimensions_a_row_and_a_column(shape):
    with pytest.raises(DataError, match=re.escape(f"X has shape {shape}: it must be a table")):
        code_table(np.zeros(shape))


@pytest.mark.parametrize("shape", [(0, 3), (3, 0), (0, 0)])
def test_the_core_refuses_an_empty_table(shape):
    with pytest.raises(ValueError, match="a table needs a row and a column"):
        _core.code_columns(np.zeros(shape))


@pytest.mark.parametrize("shape", [(5,), (2, 2, 2), ()])
def test_the_core_refuses_what_is_no_table(shape):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.code_columns(np.zeros(shape))


@pytest.mark.parametrize(
    ("table", "message"),
    [
        ([["a", "b"]], "could not convert string to float: 'a'"),
        ([[{}, {}]], "not 'dict'"),
        ([[1 + 2j, 0]], "complex"),
        (np.array([[1 + 2j, 0]]), "complex"),
        ([[1, 2], [3]], "inhomogeneous"),
    ],
)
def test_a_table_of_anything_but_numbers_is_refused(table, message):
    with pytest.raises(DataError, match=rf"X must be a table of numbers \(.*{message}.*\)\."):
        code_table(table)


def test_no_table_at_all_is_refused():
    with pytest.raises(DataError, match=r"X has shape \(\)"):
        code_table(None)


@pytest.mark.parametrize("table", [[["a", "b"]], [[{}, {}]], [[1 + 2j, 0]], None])
def test_the_core_refuses_tables_of_anything_but_numbers(table):
    with pytest.raises(TypeError, match="incompatible function arguments"):
        _core.code_columns(np.array(table))


@pytest.mark.parametrize("dtype", [np.float32, np.int64, np.int8, np.uint16, bool, object])
def test_tables_of_any_kind_of_number_are_coded_alike(dtype):
    X = np.array([[0, 1], [1, 0], [1, 1]])
    np.testing.assert_array_equal(code_table(X.astype(dtype)).codes(), code_table(X).codes())


def test_arrays_that_are_strided_reversed_or_read_only_are_read_rightly(X, y):
    expected = Forest(n_trees=10).fit(X, y)
    wide = np.zeros((60, 6))
    wide[::2, ::2] = X
    read_only, read_only_y = X.copy(), y.copy()
    read_only.flags.writeable = read_only_y.flags.writeable = False
    backward = X[::-1].copy()[::-1]
    for table in (np.asfortranarray(X), wide[::2, ::2], backward, read_only):
        forest = Forest(n_trees=10).fit(table, np.repeat(read_only_y, 2)[::2])
        np.testing.assert_array_equal(forest.oob_votes_, expected.oob_votes_)
        np.testing.assert_array_equal(forest.predict_proba(table), expected.predict_proba(X))


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_frames_keep_their_names_and_predict_like_arrays(X, y, frame):
    table = frame({"a": X[:, 0], "b": X[:, 1], "c": X[:, 2]})
    forest = Forest(n_trees=10).fit(table, y)
    assert forest.feature_names_in_.tolist() == ["a", "b", "c"]
    expected = Forest(n_trees=10).fit(X, y).predict_proba(X)
    np.testing.assert_array_equal(forest.predict_proba(table), expected)


# --- targets and weights ------------------------------------------------------------------------


def test_missing_labels_are_refused(X, y):
    with pytest.raises(ValueError, match="NaN"):
        Forest(n_trees=5).fit(X, np.where(y == 1, 1.0, np.nan))


def test_one_class_is_refused(X):
    with pytest.raises(DataError, match="y holds one class only"):
        Forest(n_trees=5).fit(X, np.zeros(30))


def test_a_continuous_target_is_refused(X):
    with pytest.raises(ValueError, match="continuous"):
        Forest(n_trees=5).fit(X, X[:, 0])


def test_tables_and_targets_of_different_length_are_refused(X, y, coded):
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        Forest(n_trees=5).fit(X, y[:-1])
    data, _ = coded
    short = code_target(y[:-1], 2)
    for call in (
        lambda: score_sets(data, short, [[0]], [1], FEW),
        lambda: permutation_gains(data, short, [0], 1, FEW),
        lambda: grow_shallow(data, short, [ShallowPart([0], 1, 1, 1)]),
    ):
        with pytest.raises(ValueError, match="differ in length"):
            call()


@pytest.mark.parametrize("labels", [[-1, 0], [0, 2], [], [[0, 1]]])
def test_labels_outside_the_classes_are_refused(labels):
    with pytest.raises(DataError, match="labels must be whole numbers from 0 to 1"):
        code_target(np.array(labels, dtype=int), 2)


def test_labels_outside_the_classes_are_refused_by_the_core_too():
    with pytest.raises(ValueError, match="not below n_classes"):
        _core.make_target(np.array([0, 2], dtype=np.uint16), 2, None)


@pytest.mark.parametrize("n_classes", [0, 1, 65536])
def test_the_core_takes_2_to_65535_classes(n_classes):
    with pytest.raises(ValueError, match="n_classes must be 2 to 65535"):
        _core.make_target(np.zeros(3, dtype=np.uint16), n_classes, None)


@pytest.mark.parametrize("bad", [-1.0, np.nan, np.inf])
def test_weights_that_are_negative_or_not_finite_are_refused(X, y, bad):
    weights = np.ones(30)
    weights[3] = bad
    with pytest.raises(ValueError):
        Forest(n_trees=5).fit(X, y, sample_weight=weights)
    with pytest.raises(DataError, match="sample_weight"):
        code_target(y, 2, weights)
    with pytest.raises(ValueError, match="negative or not finite"):
        _core.make_target(y.astype(np.uint16), 2, weights)


def test_weights_of_another_length_or_all_zero_are_refused(X, y):
    with pytest.raises(ValueError):
        Forest(n_trees=5).fit(X, y, sample_weight=np.ones(29))
    with pytest.raises(DataError, match="sample_weight"):
        code_target(y, 2, np.ones(29))
    with pytest.raises(ValueError, match="differ in length"):
        _core.make_target(y.astype(np.uint16), 2, np.ones(29))
    with pytest.raises(DataError, match="0 for every row"):
        code_target(y, 2, np.zeros(30))
    with pytest.raises(ValueError):  # the message is scikit-learn's or ours, by its version
        Forest(n_trees=5).fit(X, y, sample_weight=np.zeros(30))


@pytest.mark.parametrize("labels", [[0, 0.5], [0, np.nan]])
def test_labels_that_are_not_whole_numbers_are_refused(labels):
    with pytest.raises(ValueError, match="whole numbers"):
        code_target(np.array(labels), 2)


# --- feature sets, seeds, settings --------------------------------------------------------------

BAD_SETS = [
    ([3], "feature 3 is not in the table of 3 columns"),
    ([1, 1], "feature 1 is named twice"),
    ([], "at least one feature"),
    (np.array([-1]), "not in the table"),
]


@pytest.mark.parametrize(("features", "message"), BAD_SETS)
def test_feature_sets_that_do_not_fit_the_table_are_refused(coded, features, message):
    for call in (
        lambda: score_sets(*coded, [[0], features], [1, 1], FEW),
        lambda: permutation_gains(*coded, features, 1, FEW),
        lambda: grow_shallow(*coded, [ShallowPart(features, 1, 1, 1)]),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("features", [[0.7], np.array([2**32]), [-1]])
def test_feature_sets_of_anything_but_column_indices_are_refused(features):
    data = code_table(np.arange(6.0)[:, None])
    target = code_target(np.array([0, 1] * 3), 2)
    with pytest.raises(ValueError, match=r"column"):
        score_sets(data, target, [features], [0])


def test_a_batch_needs_a_seed_for_each_set(coded):
    with pytest.raises(ValueError, match="do not describe the same jobs"):
        score_sets(*coded, [[0], [1]], [1], FEW)


def test_new_rows_need_the_columns_of_the_table(coded, X):
    with pytest.raises(ValueError, match="another number of columns"):
        score_sets(*coded, [[0]], [1], FEW, new_rows=X[:, :2])


def test_an_empty_batch_gives_empty_scores(coded):
    assert score_sets(*coded, [], [], FEW).oob_error.shape == (0,)
    assert grow_shallow(*coded, []).votes.shape == (0, 2, 1)


@pytest.mark.parametrize(
    "starts", [[0, 2, 1], [0, 1, 99], [0, 1], [5, 6, 7], [0, 2**63, 2**64 - 1]]
)
def test_job_boundaries_that_do_not_fit_are_refused(coded, starts):
    with pytest.raises(ValueError):
        _core.run_batch(
            *coded,
            np.array([0, 1, 2], dtype=np.uint32),
            np.array(starts, dtype=np.uint64),
            np.array([1, 1], dtype=np.uint32),
            np.array([1, 2], dtype=np.uint64),
            FEW.spec(*coded, 1),
            None,
            False,
            False,
        )


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("n_trees", 0),
        ("n_trees", 2.0),
        ("n_trees", True),
        ("max_depth", 0),
        ("max_depth", -1),
        ("max_depth", 1.5),
        ("min_samples_leaf", 0),
        ("min_samples_leaf", 0.1),
        ("sample_fraction", 0.0),
        ("sample_fraction", 1.1),
        ("sample_fraction", np.nan),
        ("max_features", 0),
        ("max_features", -2),
        ("max_features", 0.0),
        ("max_features", 1.5),
        ("max_features", "all"),
        ("max_features", True),
        ("voting", "loud"),
        ("n_jobs", 0),
        ("n_jobs", 1.5),
        ("random_state", -1),
        ("random_state", 2**64),
        ("random_state", 0.5),
        ("random_state", "seed"),
    ],
)
def test_settings_that_mean_nothing_are_refused_by_name_and_value(X, y, name, value):
    with pytest.raises(ValueError, match=f"`{name}` is {value!r}"):
        Forest(**{"n_trees": 5, name: value}).fit(X, y)


@pytest.mark.parametrize(
    ("max_features", "expected"),
    [("sqrt", 5), ("log2", 4), (None, 30), (7, 7), (99, 30), (0.5, 15), (0.001, 1), (1.0, 30)],
)
def test_max_features_counts_features_as_documented(max_features, expected):
    assert ForestSettings(max_features=max_features).features_per_split(30) == expected


def test_n_jobs_counts_threads_as_joblib_does():
    assert n_threads(None) == 1
    assert n_threads(4) == 4
    assert n_threads(-1) >= 1
    assert n_threads(-1000) == 1


def test_generators_and_none_make_fresh_seeds():
    assert seed_from(None) != seed_from(None)
    for make in (np.random.default_rng, np.random.RandomState):
        assert seed_from(make(1)) == seed_from(make(1)) != seed_from(make(2))


def test_the_core_refuses_what_it_could_not_run(coded):
    fine = {
        "n_trees": 1,
        "max_depth": 0,
        "min_leaf": 1,
        "n_draws": 1,
        "replace": True,
        "n_threads": 1,
    }
    for name in ("n_trees", "min_leaf", "n_draws"):
        with pytest.raises(ValueError, match=name):
            _core.make_spec(**{**fine, name: 0})
        with pytest.raises(TypeError):
            _core.make_spec(**{**fine, name: -1})
    too_many = _core.make_spec(**{**fine, "n_draws": 31, "replace": False})
    with pytest.raises(ValueError, match="more rows drawn"):
        _core.grow_forest(*coded, np.array([0], dtype=np.uint32), 1, 0, too_many, False)
    with pytest.raises(ValueError, match="max_features"):
        _core.grow_forest(
            *coded, np.array([0], dtype=np.uint32), 0, 0, _core.make_spec(**fine), False
        )
