"""Targets of numbers: which they are, what is refused, and what a score of them is."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn import metrics

from frugalforest.errors import DataError
from frugalforest.scores import (
    NUMBER_SCORES,
    SCORES,
    Unexplained,
    find_number_score,
    read_scoring,
    settled_task,
)
from frugalforest.tables import Classes, Numbers, Table, column_checks, read_outcome, task_notice

RNG = np.random.default_rng(0)
MANY = RNG.normal(size=60)


@pytest.mark.parametrize(
    ("y", "task"),
    [
        (MANY, "regression"),
        (MANY.tolist(), "regression"),
        (pd.Series(MANY), "regression"),
        (pl.Series(MANY), "regression"),
        ([f"{v:.3f}" for v in MANY], "regression"),
        ([f"{v:.3f}".replace(".", ",") for v in MANY], "regression"),
        (np.arange(60), "regression"),  # too many for classes
        (np.arange(20).repeat(3), "classification"),
        (np.arange(10).repeat(6) / 2, "classification"),
        (np.arange(12).repeat(5) / 2, "regression"),  # fractions, and more than ten
        (["a", "b"] * 30, "classification"),
        ([True, False] * 30, "classification"),
        (["01", "1"] * 30, "classification"),
        ([1.5, 2.5] * 30, "classification"),
    ],
)
def test_the_task_is_found_from_the_target(y, task):
    assert read_outcome(y).task == task


@pytest.mark.parametrize(
    "y", [MANY, [f"{v!r}" for v in MANY.tolist()], pd.Series(MANY).astype("O")]
)
def test_numbers_are_read_exactly(y):
    outcome = Numbers.read(y)
    np.testing.assert_array_equal(outcome.values, MANY)
    # In units of a power of two: nothing is rounded on the way in and out.
    np.testing.assert_array_equal(outcome.truth * outcome.unit, MANY)
    assert 0.5 < outcome.truth.std() < 2
    assert np.log2(outcome.unit).is_integer()


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([1.0, np.inf, 2.0], "infinite in row 2"),
        (["1", "inf", "2"], "infinite in row 2"),
        ([1.0, np.nan, 2.0], "missing in 1 row, first in row 2"),
        (["1", "NA", "2.5"], "missing in 1 row, first in row 2"),
        ([3.0, 3.0, 3.0], "the target is 3 in every row"),
        (["1", "two", "3"], "'two' in row 2"),
        ([1e200, 2e200, 3e200], "squares of such numbers"),
        ([1e-200, 2e-200, 3e-200], "squares of such numbers"),
        ([0, 1] * 20, "two different values only (0 and 1)"),
        ([[1.0], [2.0]], "has shape (2, 1)"),
        ([], "empty"),
        (np.array([1j, 2j, 3]), "complex"),
    ],
    ids=str,
)
def test_bad_numbers_are_refused_in_one_line(y, message):
    with pytest.raises(DataError) as caught:
        read_outcome(y, "regression")
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_an_unknown_task_is_refused():
    with pytest.raises(ValueError, match="`task` is 'numbers'"):
        settled_task("numbers")


def test_what_is_asked_for_may_say_the_task():
    assert settled_task(None) is None
    assert {settled_task(None, name) for name in NUMBER_SCORES} == {"regression"}
    assert {settled_task(None, name) for name in SCORES} == {"classification"}
    assert settled_task(None, class_weight="balanced") == "classification"
    assert settled_task("regression", "auc") == "regression"  # refused when the score is read


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"scoring": "auc"}, "That is a score of classes"),
        ({"scoring": "r3"}, "'rmse'"),
        ({"scoring": None, "error_costs": 5}, "`error_costs` are for classes"),
        ({"scoring": None, "class_weight": "balanced"}, "`class_weight` is for classes"),
    ],
)
def test_what_is_for_classes_is_refused(asked, message):
    with pytest.raises(DataError, match=message):
        read_scoring(Numbers.read(MANY), **asked)


def test_scores_of_numbers_are_no_scores_of_classes():
    with pytest.raises(ValueError, match="That is a score of numbers"):
        read_scoring(Classes.read(["a", "b"]), "rmse")


def test_many_different_numbers_taken_for_classes_are_worth_a_word():
    (notice,) = task_notice(Classes.read(np.arange(15).repeat(3)))
    assert "--task regression" in notice.message
    assert task_notice(Classes.read(np.arange(5).repeat(3))) == []
    assert task_notice(Classes.read([f"ward {i}" for i in range(15)] * 3)) == []
    assert task_notice(Numbers.read(MANY)) == []


# --- strata -------------------------------------------------------------------------------------


@pytest.mark.parametrize("n_rows", [5, 23, 60, 1000])
def test_strata_are_layers_of_neighbors(n_rows):
    values = RNG.normal(size=n_rows)
    strata = Numbers.read(values).strata
    order = np.argsort(values)
    assert (np.diff(strata[order]) >= 0).all()
    assert strata.max() + 1 == min(10, max(1, n_rows // 10))
    assert np.bincount(strata).min() >= min(n_rows, 9)


def test_equal_numbers_are_in_one_layer():
    values = np.repeat([0.0, 1.0, 2.0], [70, 20, 10])
    strata = Numbers.read(values).strata
    for value in (0.0, 1.0, 2.0):
        assert len(set(strata[values == value])) == 1


# --- scores -------------------------------------------------------------------------------------


def scored(name, truth, said, known):
    outcome = Numbers.read(truth)
    score = find_number_score(name).for_rows(known / outcome.unit)
    loss = score.of_rows(said[:, np.newaxis] / outcome.unit, outcome.truth, known / outcome.unit)
    return score.quoted(loss, outcome.unit)


@pytest.mark.parametrize("unit", [1.0, 1000.0, 1e-5])
def test_scores_are_those_of_scikit_learn(unit):
    truth = unit * RNG.normal(size=50)
    said = truth + unit * RNG.normal(size=50)
    expected = {
        "mse": metrics.mean_squared_error(truth, said),
        "rmse": metrics.root_mean_squared_error(truth, said),
        "mae": metrics.mean_absolute_error(truth, said),
        "r2": 1 - metrics.r2_score(truth, said),
    }
    assert set(expected) == set(NUMBER_SCORES)
    for name, value in expected.items():
        assert scored(name, truth, said, truth) == pytest.approx(value), name


def test_guessing_has_the_lowest_score_of_all_constants():
    truth = RNG.exponential(size=101)
    for name in NUMBER_SCORES:
        score = find_number_score(name)
        guess = score.of_nothing(truth)
        for constant in np.quantile(truth, [0.1, 0.4, 0.6, 0.9]):
            said = np.full((101, 1), constant)
            assert guess <= score.of_rows(said, truth, truth) + 1e-12


def test_rows_without_a_prediction_do_not_count():
    said = np.array([[1.0], [np.nan], [3.0]])
    score = find_number_score("mae")
    assert score.of_rows(said, np.array([2.0, 9.0, 3.0]), np.ones(3)) == 0.5
    assert np.isnan(score.of_rows(np.full((3, 1), np.nan), np.ones(3), np.ones(3)))


def test_r2_is_of_one_variance_for_all_parts_of_the_rows():
    truth = np.array([0.0, 1.0, 2.0, 3.0])
    score = Unexplained().for_rows(truth)
    said = np.full((2, 1), 1.5)
    assert score.row_losses(said, truth[:2], truth[:2]).tolist() == [1.8, 0.2]


# --- checks of columns --------------------------------------------------------------------------


def loud(columns, y):
    table = Table.read(pd.DataFrame(columns))
    return [n.columns for n in column_checks(table, Numbers.read(y)) if n.loud]


def test_a_copy_of_the_target_is_told():
    y = np.exp(MANY)
    noisy = MANY + 0.001 * RNG.normal(size=60)
    honest = MANY + 0.3 * RNG.normal(size=60)
    assert loud({"log": MANY, "noisy": noisy, "honest": honest}, y) == [("log",), ("noisy",)]
    falls = {"falls": np.where(np.arange(60) % 7 == 0, np.nan, -MANY), "noise": RNG.normal(size=60)}
    assert loud(falls, y) == [("falls",)]


def test_few_rows_or_values_are_no_copy():
    assert loud({"x": np.arange(12.0)}, np.arange(12.0) ** 2) == []
    assert loud({"x": np.arange(60) // 6}, np.arange(60.0)) == []
