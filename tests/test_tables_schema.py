"""A new table is read the way the training table was."""

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest.errors import DataError
from frugalforest.tables import Schema, Table

TRAINED = Table.read(
    pd.DataFrame(
        {
            "dose": ["12,5", "3", "?"],
            "code": ["1", "2", "3a"],
            "taken": ["31/01/2020", "01/02/2020", None],
            "smoker": [True, False, None],
        }
    )
)
SCHEMA = TRAINED.schema


def test_a_schema_survives_json():
    assert Schema.from_dict(json.loads(json.dumps(SCHEMA.to_dict()))) == SCHEMA
    assert SCHEMA.kinds == ("number", "text", "date", "boolean")


NEW = {
    "smoker": ["false", "1"],
    "extra": ["x", "y"],
    "taken": ["2020-01-31", "2020-02-01"],
    "code": [1.0, 2.0],
    "dose": ["3.5", "NA"],
}


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_columns_come_in_any_order_and_style_and_others_are_ignored(frame):
    table = SCHEMA.read(frame({**NEW, "smoker": ["0", "1"]}))
    assert table.schema == SCHEMA
    np.testing.assert_array_equal(table.columns[0], [3.5, np.nan])
    assert table.columns[1].tolist() == ["1", "2"]
    np.testing.assert_array_equal(table.columns[2], TRAINED.columns[2][:2])
    assert table.columns[3].tolist() == [0, 1]


def test_extra_columns_may_hold_anything():
    twice = pd.DataFrame([["x", 1, 2]], columns=["dose", "other", "other"])
    with pytest.raises(DataError, match="holds 'x'"):
        SCHEMA.select(["dose"]).read(twice)
    assert SCHEMA.select(["dose"]).read(twice.assign(dose=[1])).columns[0].tolist() == [1]


def test_arrays_are_read_in_column_order():
    table = SCHEMA.read([[1, 2, "2020-01-31", True]])
    assert [column[0] for column in table.columns] == [1, "2", TRAINED.columns[2][0], 1]
    with pytest.raises(DataError, match="has 3 columns, but 4 are needed"):
        SCHEMA.read([[1, 2, 3]])


def test_all_lacking_columns_are_named_with_what_is_near():
    with pytest.raises(
        DataError, match=r"lacks 'dose' \(Did you mean 'Dose'\?\), 'taken', 'smoker'\. The columns"
    ):
        SCHEMA.read(pd.DataFrame({"Dose": [1], "code": ["x"]}))


@pytest.mark.parametrize(
    ("column", "cells", "message"),
    [
        ("dose", ["1", "12 mg"], r"'dose' holds '12 mg' in row 2 .*, but held numbers"),
        ("dose", ["1", "1_0"], r"'dose' holds '1_0' in row 2"),
        ("dose", ["1,5", "2.5"], r"'dose' holds '1,5' in row 1"),
        ("dose", pd.to_datetime(["2020-01-01", "2020-01-02"]), r"'dose' holds '2020-01-01.*' in"),
        ("taken", ["", "soon"], r"'taken' holds 'soon' in row 2 .*, but held dates"),
        ("taken", [5, 6], r"'taken' holds '5' in row 1"),
        ("smoker", ["True", "yes"], r"'smoker' holds 'yes' in row 2 .*, but held booleans"),
        ("dose", [1.0, np.inf], "infinite"),
    ],
    ids=str,
)
def test_a_cell_of_another_kind_is_named_with_column_and_row(column, cells, message):
    frame = pd.DataFrame({**NEW, "smoker": ["0", "1"]}).assign(**{column: cells})
    with pytest.raises(DataError, match=message):
        SCHEMA.read(frame)


def test_columns_that_are_empty_in_the_new_table_are_missing():
    table = SCHEMA.read(pd.DataFrame({name: [None, ""] for name in SCHEMA.names}))
    assert table.columns[1].tolist() == [None, None]
    assert all(np.isnan(table.columns[j]).all() for j in (0, 2, 3))


def test_a_table_that_was_read_already_can_be_read_again():
    again = SCHEMA.select(["code", "dose"]).read(TRAINED)
    assert again.columns[0].tolist() == TRAINED.columns[1].tolist()
    np.testing.assert_array_equal(again.columns[1], TRAINED.columns[0])


@pytest.mark.parametrize(
    "content",
    [
        None,
        [],
        {},
        {"names": ["a"]},
        {"names": "a", "kinds": ["text"]},
        {"names": [1], "kinds": ["text"]},
        {"names": ["a"], "kinds": []},
        {"names": ["a"], "kinds": ["word"]},
        {"names": ["a", "a"], "kinds": ["text", "text"]},
        {"names": ["a"], "kinds": [["text"]]},
    ],
    ids=str,
)
def test_what_is_no_schema_is_refused_in_one_line(content):
    with pytest.raises(DataError) as caught:
        Schema.from_dict(content)
    assert "\n" not in str(caught.value)
