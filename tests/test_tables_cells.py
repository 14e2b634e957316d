"""What cells mean, however they are stored."""

from datetime import date, datetime, timedelta
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest.errors import DataError
from frugalforest.tables import Encoder, Outcome, Table, text_column
from frugalforest.words.missing import is_missing


def read(values, dtype=None):
    table = Table.read(pd.DataFrame({"a": pd.Series(values, dtype=dtype)}))
    return table.columns[0], table.kinds[0]


def read_cells(*cells):
    """Cells of a text file: text."""
    return read(list(cells), object)


def assert_numbers(found, kind, expected):
    assert found[1] == kind
    assert found[0].dtype == np.float64
    np.testing.assert_array_equal(found[0], expected)


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        pytest.param([1, None, 3], float, id="numbers"),
        pytest.param(["1", None, "3"], object, id="numbers stored as text"),
        pytest.param([" 1 ", "", "3.0"], object, id="with blanks"),
        pytest.param(["1", "NA", "3e0"], "string", id="pandas text"),
        pytest.param(["1", "nan", "3"], "category", id="pandas categories"),
        pytest.param([1, None, 3], "Int64", id="pandas whole numbers"),
        pytest.param([1, None, 3], "Float32", id="pandas floats"),
        pytest.param([1, pd.NA, 3.0], object, id="mixed objects"),
        pytest.param([1, None, "3"], object, id="numbers and text"),
        pytest.param([Decimal("1.0"), None, Decimal(3)], object, id="decimals"),
        pytest.param([np.float32(1), None, np.int8(3)], object, id="NumPy's numbers"),
        pytest.param([1, None, 3], "category", id="categories that are numbers"),
    ],
)
def test_numbers_are_numbers_however_they_are_stored(values, dtype):
    assert_numbers(read(values, dtype), "number", [1, np.nan, 3])


@pytest.mark.parametrize("missing", ["", "NA", "N/A", "n/a", "#N/A", "?", "nan", "NULL", " ", None])
def test_missing_cells_do_not_make_numbers_text(missing):
    assert_numbers(read_cells("1", missing, "2.5"), "number", [1, np.nan, 2.5])


def test_a_column_of_missing_cells_is_empty_numbers():
    assert_numbers(read_cells("", "?", None), "number", [np.nan] * 3)


@pytest.mark.parametrize("dtype", [object, "string", "category", "str"])
def test_text_is_text_and_its_gaps_are_none(dtype):
    column, kind = read(["u", None, "v ", "", "1"], dtype)
    assert kind == "text"
    assert column.tolist() == ["u", None, "v", None, "1"]


def test_the_same_text_with_other_spaces_is_the_same_category():
    column, _ = read_cells("u", " u", "u ")
    assert len(set(column)) == 1


def test_none_can_be_a_category():
    assert read_cells("None", "much")[0].tolist() == ["None", "much"]


def test_equal_objects_that_are_written_differently_are_different_categories():
    assert read([True, 1, "x", 1.0], object)[0].tolist() == ["True", "1", "x", "1"]


@pytest.mark.parametrize(
    ("values", "dtype"),
    [
        ([True, None, False], object),
        ([True, None, False], "boolean"),
        (["True", "", "False"], object),
        (["TRUE", "NA", "false"], object),
    ],
)
def test_truth_values_are_0_and_1_with_gaps_and_without(values, dtype):
    assert_numbers(read(values, dtype), "boolean", [1, np.nan, 0])
    assert_numbers(read([True, True, False]), "boolean", [1, 1, 0])


@pytest.mark.parametrize("words", [["yes", "no"], ["True", "0"], ["true", "maybe"]])
def test_other_words_are_no_truth_values(words):
    assert read_cells(*words)[1] == "text"


# --- dates --------------------------------------------------------------------------------------


def test_dates_are_ordered_numbers_whatever_their_resolution():
    dates = pd.to_datetime(["2020-01-02", None, "2020-01-01"])
    for unit in ("s", "ms", "us", "ns"):
        column, kind = read(dates.as_unit(unit))
        assert kind == "date"
        assert column[0] - column[2] == 86_400
        assert np.isnan(column[1])
    assert_numbers(read(pd.to_timedelta([1, None], unit="D")), "number", [86400, np.nan])
    assert_numbers(read([timedelta(days=1), None], object), "number", [86400, np.nan])


@pytest.mark.parametrize(
    "cell",
    [
        "2020-01-31 13:30",
        "2020-01-31T13:30:00",
        "2020-01-31T13:30Z",
        "2020-01-31 15:30+02:00",
        "2020-01-31T12:30:00.000-01:00",
        "31/01/2020 13:30",
        "31.1.2020 13:30:00",
        datetime(2020, 1, 31, 13, 30),
        pd.Timestamp("2020-01-31 13:30"),
        pd.Timestamp("2020-01-31 15:30+02:00"),
        np.datetime64("2020-01-31T13:30"),
    ],
    ids=str,
)
def test_a_moment_is_one_number_however_it_is_written(cell):
    expected = (np.datetime64("2020-01-31T13:30") - np.datetime64(0, "s")) / np.timedelta64(1, "s")
    assert_numbers(read([cell, None], object), "date", [expected, np.nan])


def test_days_are_dates_in_both_styles():
    day = 18292 * 86400.0
    for cell in ("2020-01-31", "31/01/2020", "31.01.2020", "31.1.2020", date(2020, 1, 31)):
        assert_numbers(read([cell, None], object), "date", [day, np.nan])


@pytest.mark.parametrize("zone", ["UTC", "Europe/Berlin"])
def test_dates_with_a_time_zone_are_moments(zone):
    moments = pd.to_datetime(["2020-07-01 12:00", None]).tz_localize("UTC")
    expected = Table.read(pd.DataFrame({"a": moments.tz_localize(None)})).columns[0]
    assert_numbers(read(moments.tz_convert(zone)), "date", expected)
    there = pl.DataFrame({"a": pl.Series(moments.tz_convert(zone))})
    np.testing.assert_array_equal(Table.read(there).columns[0], expected)


@pytest.mark.parametrize("seed", range(5))
def test_moments_in_nanoseconds_are_the_numbers_of_their_text(seed):
    nanoseconds = np.random.default_rng(seed).integers(-(10**18), 2 * 10**18, 50)
    dates = pd.Series(nanoseconds.astype("datetime64[ns]"))
    np.testing.assert_array_equal(read(dates)[0], read_cells(*dates.astype(str))[0])


@pytest.mark.parametrize(
    "text", ["2020-13-01", "1/2/2020", "2020-1-1", "2020-W01-1", "20200101", "soon"]
)
def test_what_is_no_date_in_the_style_of_the_others_stays_text(text):
    assert read_cells("2020-01-01", text)[0].tolist() == ["2020-01-01", text]


@pytest.mark.parametrize("text", ["01/31/2020", "31/02/2020", "31/01.2020", "31/01/20"])
def test_what_is_no_day_first_date_stays_text(text):
    assert read_cells("01/02/2020", text)[1] == "text"


# --- decimal commas -----------------------------------------------------------------------------


def test_decimal_commas_are_read_where_every_cell_is_a_number():
    assert_numbers(
        read_cells("12,5", "-3", "", "0,25", "1,5e3"), "number", [12.5, -3, np.nan, 0.25, 1500]
    )
    assert_numbers(read_cells("1,234", "0,5"), "number", [1.234, 0.5])


@pytest.mark.parametrize(
    "cells", [["1,5", "x,y"], ["1,5", "2.5"], ["1,5", "1,2,3"], ["950", "1,200"]], ids=str
)
def test_what_could_be_something_else_than_decimal_commas_stays_text(cells):
    assert read_cells(*cells)[0].tolist() == cells


# --- tables -------------------------------------------------------------------------------------


def test_text_with_an_underscore_is_not_a_number():
    assert read_cells("1_0", "2", "3")[0].tolist() == ["1_0", "2", "3"]


@pytest.mark.parametrize("values", [[1.0, np.inf], ["1", "-inf"], ["1", "1e999"], [1, 10**400]])
def test_infinite_values_are_refused_with_their_place(values):
    with pytest.raises(DataError, match=r"'a' holds an infinite value .* row 2 \(counted from 1\)"):
        read(values, object)


def test_infinite_values_are_found_in_arrays():
    with pytest.raises(DataError, match=r"'x1' holds an infinite value .* row 3"):
        Table.read([[1.0, 2.0], [3.0, 4.0], [5.0, -np.inf]])
    with pytest.raises(DataError, match=r"'x1' holds an infinite value .* row 3"):
        Table.read(np.array([[1.0, 2.0], [3.0, 4.0], [5.0, -np.inf]]))


def test_arrays_lists_and_polars_read_like_pandas():
    frame = {"x0": [1.0, np.nan], "x1": ["u", "v"]}
    expected = Table.read(pd.DataFrame(frame))
    for X in (
        pl.DataFrame(frame),
        np.array([[1.0, "u"], [np.nan, "v"]], dtype=object),
        [[1.0, "u"], [np.nan, "v"]],
    ):
        table = Table.read(X)
        assert table.names == expected.names
        assert table.kinds == ("number", "text")
        np.testing.assert_array_equal(table.columns[0], expected.columns[0])
        assert table.columns[1].tolist() == ["u", "v"]


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.int64, np.uint8, bool])
@pytest.mark.parametrize("order", ["C", "F"])
def test_arrays_of_numbers_are_copied_as_they_are(dtype, order):
    X = np.array([[0, 1], [1, 0], [1, 1]], dtype=dtype, order=order)
    table = Table.read(X, ["a", "b"])
    assert table.names == ("a", "b")
    assert table.kinds == (("boolean" if dtype is bool else "number"),) * 2
    X[:] = 0
    assert [column.tolist() for column in table.columns] == [[0, 1, 1], [1, 0, 1]]
    assert all(column.flags.c_contiguous for column in table.columns)


@pytest.mark.parametrize(
    ("X", "message"),
    [
        ([1, 2, 3], "it must be a table"),
        ([[1, 2], [3]], "it must be a table"),
        (np.zeros((0, 2)), "the table is empty"),
        (np.zeros((2, 0)), "the table is empty"),
        (pd.DataFrame(), "the table is empty"),
        (pd.DataFrame({1: [0], "1": [0]}), "two columns are called '1'"),
        (pd.DataFrame([[1, 2]], columns=["a", "a"]), "two columns are called 'a'"),
    ],
    ids=str,
)
def test_what_is_no_table_is_refused(X, message):
    with pytest.raises(DataError, match=message):
        Table.read(X)


@pytest.mark.parametrize(
    ("names", "message"), [(["a"], "1 names for 2"), (["a", "a"], "called 'a'")]
)
def test_names_that_do_not_fit_the_columns_are_refused(names, message):
    with pytest.raises(DataError, match=message):
        Table.read(np.zeros((3, 2)), names)


def test_reading_leaves_the_frame_as_it_is():
    frame = pd.DataFrame({"a": [" u ", None, "v"], "b": [1, 2, 3]})
    before = frame.copy(deep=True)
    table = Table.read(frame)
    Encoder.fit(table, Outcome.read([0, 1, 0])).transform(table)
    pd.testing.assert_frame_equal(frame, before)


def test_a_table_that_was_read_is_not_read_again():
    table = Table.read([["1", "x"], ["2", "y"]])
    assert Table.read(table) is table


def test_rows_and_columns_of_a_table_keep_their_kinds():
    table = Table.read(pd.DataFrame({"n": [1, 2, 3], "t": ["u", None, "7"]}))
    part = table.select(["t"]).rows(np.array([2, 1]))
    assert (part.names, part.kinds, part.n_rows) == (("t",), ("text",), 2)
    assert part.columns[0].tolist() == ["7", None]


@pytest.mark.parametrize("value", [None, np.nan, pd.NA, pd.NaT, float("nan"), np.datetime64("NaT")])
def test_every_mark_of_a_gap_is_missing(value):
    assert is_missing(value)
    assert is_missing(value, marks=())


@pytest.mark.parametrize("value", [0, False, "None", "0", [], [None], np.array([1, 2])])
def test_what_is_written_is_not_missing(value):
    assert not is_missing(value)


def test_a_column_of_text_is_text_whatever_its_cells_look_like():
    cells = ["007", 1.0, None, True, "NA", pd.Timestamp("2020-01-01"), np.float64(2.5)]
    expected = ["007", "1", None, "True", None, "2020-01-01 00:00:00", "2.5"]
    assert text_column(cells).tolist() == expected
    assert text_column(np.array(["2020-01-01"], dtype="datetime64[ns]"))[0].startswith("2020-01-01")
