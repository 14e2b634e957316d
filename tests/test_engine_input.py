"""Wrong and extreme input: a clear error or a right answer, never a crash."""

import pickle
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.impute import SimpleImputer
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from frugalforest import _core, engine
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
from reference.exported import grow

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
    with pytest.raises(DataError, match="X has shape"):
        code_table(np.zeros(shape))
    with pytest.raises((ValueError, TypeError)):
        _core.code_columns(np.zeros(shape))


@pytest.mark.parametrize("table", [[["a", "b"]], [[{}, {}]], [[1 + 2j, 0]], None])
def test_a_table_of_anything_but_numbers_is_refused(table):
    with pytest.raises((ValueError, TypeError)):
        code_table(table)
    with pytest.raises(TypeError):
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
            FEW._spec(30, 1),
            None,
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


# --- forests from outside -----------------------------------------------------------------------


def corrupt(arrays, name, value):
    names = ("tree_start", "column", "left", "threshold", "missing_left", "shares")
    return [value(a.copy()) if n == name else a for n, a in zip(names, arrays, strict=True)]


def with_entry(at, value):
    def change(array):
        array[at] = value
        return array

    return change


CORRUPTIONS = [
    ("tree_start", with_entry(0, 1)),
    ("tree_start", with_entry(-1, 10**6)),
    ("tree_start", with_entry(1, 0)),
    ("tree_start", lambda a: a[:0]),
    ("tree_start", lambda a: a[:-1]),
    ("column", with_entry(0, 3)),
    ("column", with_entry(0, 2**31 - 1)),
    ("column", lambda a: a[:-1]),
    ("left", with_entry(0, 0)),  # a node that is its own child
    ("left", with_entry(0, 10**6)),
    ("left", with_entry(0, 2**32 - 2)),
    ("left", with_entry(0, 2**32 - 1)),  # the right child would wrap around to node 0
    ("left", lambda a: a[:-1]),
    ("threshold", lambda a: a[:-1]),
    ("missing_left", lambda a: a[:-1]),
    ("shares", lambda a: a[:-1]),
    ("shares", lambda a: a[:, :1]),
    ("shares", lambda a: a[:, :0]),
]


@pytest.mark.parametrize(("name", "change"), CORRUPTIONS)
def test_forest_arrays_that_lead_astray_are_refused(X, y, name, change):
    arrays = corrupt(grow(X, y, n_trees=3).arrays, name, change)
    with pytest.raises(ValueError):
        _core.predict(*arrays, np.ascontiguousarray(X.T), 1)


@pytest.mark.parametrize(
    ("name", "change"),
    [("column", lambda a: a[None]), ("shares", lambda a: a[0]), ("left", lambda a: None)],
)
def test_forest_arrays_of_another_kind_are_refused(X, y, name, change):
    arrays = corrupt(grow(X, y, n_trees=3).arrays, name, change)
    with pytest.raises(TypeError):
        _core.predict(*arrays, np.ascontiguousarray(X.T), 1)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.data())
def test_any_change_of_a_forest_is_refused_or_harmless(data):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20, 3))
    arrays = list(grow(X, rng.integers(0, 2, 20), n_trees=3).arrays)
    which = data.draw(st.sampled_from([0, 1, 2]))
    at = data.draw(st.integers(0, len(arrays[which]) - 1))
    arrays[which] = arrays[which].copy()
    arrays[which][at] = data.draw(st.integers(0, len(arrays[1]) + 2))
    try:
        votes, _ = _core.predict(*arrays, np.ascontiguousarray(X.T), 1)
    except ValueError:
        return
    assert (votes.sum(axis=1) == 3).all()


def test_rows_of_another_width_are_refused(X, y):
    with pytest.raises(ValueError, match="expecting 3 features"):
        Forest(n_trees=5).fit(X, y).predict(X[:, :2])


# --- extremes -----------------------------------------------------------------------------------


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
    assert np.diff(forest._forest_arrays[0]).tolist() == [1] * 200  # every tree is one leaf
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
    codes = code_table(values[:, None]).codes()[0]
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
    codes = code_table(X).codes()[0].astype(int)
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


def test_more_threads_than_trees_are_fine(X, y):
    few, many = (Forest(n_trees=3, n_jobs=n).fit(X, y) for n in (1, 100))
    np.testing.assert_array_equal(few.oob_votes_, many.oob_votes_)


def test_forests_grow_in_several_python_threads_at_once(coded):
    expected = score_sets(*coded, [[0, 1, 2]] * 4, range(4), FEW, keep_votes=True).oob_votes
    results = [None] * 4
    barrier = threading.Barrier(4)

    def work(i):
        barrier.wait()
        results[i] = score_sets(*coded, [[0, 1, 2]], [i], FEW, keep_votes=True, n_jobs=2).oob_votes

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.concatenate(results), expected)


# --- Ctrl-C -------------------------------------------------------------------------------------

# Each task would take minutes. After each interrupt the same process must still grow a forest.
INTERRUPTED = """
import numpy as np
from frugalforest.engine import *

rng = np.random.default_rng(0)
X, y = rng.normal(size=(2000, 20)), rng.integers(0, 2, 2000)
data, target = code_table(X), code_target(y, 2)
many = ForestSettings(n_trees=100_000)
forest = Forest(n_trees=300).fit(X, y)
rows = rng.normal(size=(600_000, 20))
tasks = {
    "score_sets": lambda: score_sets(data, target, [range(20)] * 10, range(10), many, n_jobs=2),
    "fit": lambda: Forest(n_trees=100_000, n_jobs=1).fit(X, y),
    "permutation_gains": lambda: permutation_gains(data, target, range(20), 1, many),
    "grow_shallow": lambda: grow_shallow(data, target, [ShallowPart(range(20), 300_000, 9, 1)]),
    "forward_errors": lambda: forward_errors(
        data, target, [0], range(1, 20), 1, ForestSettings(n_trees=5000)
    ),
    "predict": lambda: forest.predict(rows),
}
for name, task in tasks.items():
    print(name, flush=True)
    try:
        task()
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    forest_after = Forest(n_trees=20).fit(X[:100], y[:100])
    print(forest_after.oob_votes_.sum() > 0, flush=True)
print("end", flush=True)
"""


def test_ctrl_c_stops_any_task_within_a_second_and_leaves_the_process_usable():
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            while (name := process.stdout.readline().strip()) != "end":
                assert name, "the process died"
                time.sleep(0.3)  # into the compiled code
                process.send_signal(signal.SIGINT)
                begin = time.monotonic()
                assert process.stdout.readline().strip() == "interrupted", name
                assert time.monotonic() - begin < 1.0, name
                assert process.stdout.readline().strip() == "True", name
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()


# --- scikit-learn -------------------------------------------------------------------------------


def test_a_pickled_forest_predicts_the_same(X, y):
    forest = Forest(n_trees=20, max_depth=2).fit(X, y)
    again = pickle.loads(pickle.dumps(forest))
    np.testing.assert_array_equal(again.predict_proba(X), forest.predict_proba(X))
    assert again.oob_error_ == forest.oob_error_


def test_a_forest_works_in_a_pipeline(X, y):
    X[3, 1] = np.nan
    pipeline = make_pipeline(SimpleImputer(), StandardScaler(), Forest(n_trees=50))
    assert cross_val_score(clone(pipeline), X, y, cv=3).mean() > 0.7
    assert pipeline.fit(X, y).predict(X).shape == (30,)


def expected_failures(forest):
    reason = "the bootstrap draws rows, not weights: a weight of 2 is not the row given twice"
    return {
        "check_sample_weight_equivalence_on_dense_data": reason,
    }


@parametrize_with_checks([Forest(n_trees=20)], expected_failed_checks=expected_failures)
def test_scikit_learn_finds_an_ordinary_classifier(estimator, check):
    check(estimator)


def test_an_empty_batch_is_an_empty_answer_on_any_number_of_threads():
    data = engine.code_table(np.arange(6.0)[:, None])
    target = engine.code_target(np.array([0, 1] * 3), 2)
    assert engine.score_sets(data, target, [], [], n_jobs=2).oob_error.shape == (0,)


def test_rows_without_weight_are_never_drawn_and_no_tree_is_without_rows():
    X, y = np.arange(6.0)[:, None], [1, 1, 1, 0, 1, 1]
    forest = engine.Forest(n_trees=50).fit(X, y, sample_weight=[1, 0, 0, 0, 0, 0])
    assert forest.oob_votes_[:, 0].sum() == 0  # the only row that speaks is of class 1


def test_tiny_weights_weigh_as_much_as_large_ones_in_the_same_ratio():
    rng = np.random.default_rng(0)
    X, y = rng.random((40, 3)), rng.integers(0, 2, 40)
    weights = rng.integers(1, 5, 40).astype(float)
    large = engine.Forest(n_trees=20).fit(X, y, sample_weight=weights)
    tiny = engine.Forest(n_trees=20).fit(X, y, sample_weight=weights * 2.0**-1060)
    np.testing.assert_array_equal(large.oob_votes_, tiny.oob_votes_)


@pytest.mark.parametrize("labels", [[0, 0.5], [0, np.nan]])
def test_labels_that_are_not_whole_numbers_are_refused(labels):
    with pytest.raises(ValueError, match="whole numbers"):
        engine.code_target(np.array(labels), 2)


@pytest.mark.parametrize("features", [[0.7], np.array([2**32]), [-1]])
def test_feature_sets_of_anything_but_column_indices_are_refused(features):
    data = engine.code_table(np.arange(6.0)[:, None])
    target = engine.code_target(np.array([0, 1] * 3), 2)
    with pytest.raises(ValueError, match=r"column"):
        engine.score_sets(data, target, [features], [0])
