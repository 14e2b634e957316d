"""Class labels stay what they are."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest.errors import DataError
from frugalforest.tables import Outcome
from frugalforest.words.missing import MISSING_MARKS


@pytest.mark.parametrize(
    "labels",
    [
        ["01", "1"],
        ["9007199254740992", "9007199254740993"],
        ["1.0", "1"],
        ["2020-01-01", "01/01/2020"],
        ["Yes", "yes"],
        ["True", "true"],
        ["1e3", "1000"],
        ["None", "none"],
    ],
    ids=str,
)
def test_labels_that_are_written_differently_are_different_classes(labels):
    for y in (labels * 5, np.array(labels * 5), pd.Series(labels * 5), pl.Series(labels * 5)):
        outcome = Outcome.read(y)
        assert outcome.classes.tolist() == sorted(labels)
        assert outcome.classes[outcome.labels].tolist() == labels * 5


def test_spaces_around_a_label_do_not_count():
    assert Outcome.read(["yes ", "no", " yes", "no"]).classes.tolist() == ["no", "yes"]


@pytest.mark.parametrize(
    "y",
    [
        np.array([2, 0, 2, 1]),
        np.array([2, 0, 2, 1], dtype=np.uint8),
        np.array([2.5, 0.0, 2.5, 1.0]),
        np.array([True, False, False]),
        np.array([2**53, 2**53 + 1, 2**53]),
        np.array(["2020-01-02", "2020-01-01"], dtype="datetime64[D]"),
    ],
    ids=str,
)
def test_classes_of_numbers_keep_their_type(y):
    outcome = Outcome.read(y)
    assert outcome.classes.dtype == y.dtype
    np.testing.assert_array_equal(outcome.classes, np.unique(y))
    np.testing.assert_array_equal(outcome.classes[outcome.labels], y)
    assert outcome.labels.dtype == np.intp


@pytest.mark.parametrize(
    ("labels", "dtype"),
    [
        ([1, 0, 1], np.int64),
        ([True, False, True], np.bool_),
        ([1.5, 0.0, 1.5], np.float64),
        ([1, 0.5, 1], np.float64),
        ([2**53, 2**53 + 1, 0], np.int64),
    ],
    ids=str,
)
def test_objects_that_are_numbers_are_numbers(labels, dtype):
    for y in (labels, np.array(labels, dtype=object), pd.Series(labels, dtype=object)):
        outcome = Outcome.read(y)
        assert outcome.classes.dtype == dtype
        assert outcome.classes[outcome.labels].tolist() == labels


@pytest.mark.parametrize(
    "labels",
    [[2**53, 2**53 + 1, 0.5], [10**30, 10**30 + 1, 1], [10**400, 0.5], [True, 1, 2], [1, "1 ", 2]],
    ids=str,
)
def test_objects_that_no_type_of_numbers_can_hold_are_text(labels):
    outcome = Outcome.read(labels)
    assert outcome.classes.dtype.kind == "U"
    assert outcome.classes[outcome.labels].tolist() == [str(label).strip() for label in labels]


@pytest.mark.parametrize("dtype", ["Int64", "category", "boolean"])
def test_pandas_own_types_are_read(dtype):
    outcome = Outcome.read(pd.Series([1, 0, 1], dtype=dtype))
    assert outcome.classes.dtype.kind in "ib"
    assert outcome.labels.tolist() == [1, 0, 1]


@pytest.mark.parametrize(
    "y",
    [
        ["u", "v", None],
        ["u", "v", float("nan")],
        ["u", "v", "?"],
        ["u", "v", " "],
        np.array([0.0, 1.0, np.nan]),
        pd.Series([0, 1, None], dtype="Int64"),
        pd.Series(["u", "v", pd.NA], dtype="string"),
        pd.to_datetime(["2020-01-01", "2020-01-02", None]),
        pl.Series(["u", "v", None]),
    ],
    ids=repr,
)
def test_a_missing_label_is_refused_with_its_row(y):
    with pytest.raises(DataError, match=r"missing.* in 1 row, first in row 3 \(counted from 1\)"):
        Outcome.read(y)


def test_the_mark_of_a_missing_label_is_shown():
    with pytest.raises(DataError, match=r"missing \(\['NA'\]\) in 2 rows"):
        Outcome.read(["u", "v", "NA", "NA "])


def test_a_class_may_be_called_na_if_the_caller_says_so():
    y = ["NA", "EU", "NA"]
    assert Outcome.read(y, missing=MISSING_MARKS - {"NA"}).classes.tolist() == ["EU", "NA"]
    with pytest.raises(DataError, match="missing"):
        Outcome.read([*y, None], missing=())


@pytest.mark.parametrize(
    ("y", "message"),
    [
        ([[0, 1]], r"shape \(1, 2\)"),
        ([], "the target is empty"),
        (["u", "u"], r"one class only \('u'\)"),
        (np.arange(100.0), "100 different values in 100 rows"),
    ],
)
def test_what_is_no_target_is_refused(y, message):
    with pytest.raises(DataError, match=message):
        Outcome.read(y)


def test_what_guessing_is_worth():
    outcome = Outcome.read(["b", "a", "b", "c"])
    assert outcome.counts.tolist() == [1, 2, 1]
    assert (outcome.commonest, outcome.guess_error, outcome.n_classes) == ("b", 0.5, 3)
    assert outcome.chance_error == pytest.approx(2 / 3)
    np.testing.assert_array_equal(outcome.strata, outcome.labels)


def test_some_of_the_rows_keep_all_classes():
    part = Outcome.read(["b", "a", "b", "c"]).rows(np.array([0, 2]))
    assert (part.n_rows, part.n_classes) == (2, 3)
    assert part.classes[part.labels].tolist() == ["b", "b"]


def test_whole_numbers_are_named_without_a_point():
    assert Outcome.read(np.array([1.0, 2.0])).class_names == ("1", "2")


def test_an_outcome_that_was_read_is_not_read_again():
    outcome = Outcome.read(["NA", "b"], missing=())
    assert Outcome.read(outcome) is outcome
