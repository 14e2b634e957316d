"""Measurements written as text: units, limits of detection, marks for missing values."""

import numpy as np
import pandas as pd
import pytest

from frugalforest.errors import DataError
from frugalforest.tables import Outcome, Schema, Table, column_checks
from frugalforest.tables.cells import read_column

N = 40


def kinds(column):
    table = Table.read(pd.DataFrame({"x": column}))
    y = Outcome.read(np.random.default_rng(1).permutation(len(column)) % 2)
    return {n.kind: n.message for n in column_checks(table, y) if n.columns == ("x",)}


@pytest.mark.parametrize(
    ("cells", "numbers"),
    [
        (["54 µg", "7µg", None], [54, 7, np.nan]),
        (["54 µg", "7 μg"], [54, 7]),  # both signs for micro
        (["<0.6", "2", ">1000"], [0.3, 2, 1000]),
        (["< 0.6 mg/l", "≥ 3 mg/l", "≤4 mg/l"], [0.3, 3, 2]),
        (["<-2", "<0", "1"], [-2, 0, 1]),
        (["12,5 %", "3 %"], [12.5, 3]),
        ([".", "1.5", "?"], [np.nan, 1.5, np.nan]),
        (["1e3 cells", ".5 cells"], [1000, 0.5]),
        (["10^9", "3"], None),
        (["54 µg", "7 mg"], None),
        (["54 µg", "7"], None),
        (["1,200 mg", "950 mg"], None),  # thousands or decimals?
        (["12:30", "1:15"], None),
        (["T1", "T2"], None),
        (["<a"], None),
    ],
    ids=str,
)
def test_what_is_a_measurement(cells, numbers):
    column, kind, *_ = read_column("x", cells)
    assert kind == ("text" if numbers is None else "number")
    if numbers is not None:
        np.testing.assert_array_equal(column, numbers)


def test_cells_beyond_limits_are_counted():
    (told,) = kinds(["<1", "<1", ">9", *map(str, range(2, 9))] * 4).values()
    assert told == (
        "text was read as measurements in 'x' (8 cells below a limit; 4 cells above one). Half the "
        "limit stands for what is below one, and the limit for what is above."
    )


def test_a_measurement_in_another_unit_is_named_and_not_called_a_name_of_rows():
    odd = ["0.5 mg", *(f"{i} µg" for i in range(N))]
    assert "holds measurements in 'μg', but '0.5 mg' in row 1" in kinds(odd)["word_among_numbers"]
    both = [f"{i / 10} {'mg' if i % 2 else 'µg'}" for i in range(N)]
    assert "in several units, such as '0.0 µg' and '0.1 mg'" in kinds(both)["unknown_style"]


def test_names_of_rows_are_still_told():
    assert "names_rows" in kinds([f"p{i}" for i in range(N)])


def test_new_cells_are_read_by_the_rule_of_the_schema():
    schema = Table.read(pd.DataFrame({"x": ["54 µg", "<10 µg"], "y": [1, 2]})).schema
    schema = Schema.from_dict(schema.to_dict())
    new = schema.read(pd.DataFrame({"x": ["<2 µg", "3", None], "y": ["<4", ".", "5"]}))
    np.testing.assert_array_equal(new.columns, [[1, 3, np.nan], [2, np.nan, 5]])
    with pytest.raises(DataError, match=r"'y' holds '5 mg' in row 1 .*, but held numbers in the"):
        schema.read(pd.DataFrame({"x": ["1"], "y": ["5 mg"]}))
    with pytest.raises(DataError, match=r"'x' holds '5 mg' in row 2 .* held numbers in 'μg' in"):
        schema.read(pd.DataFrame({"x": ["1 µg", "5 mg"], "y": [1, 2]}))


@pytest.mark.parametrize(
    "change",
    [{"units": {"z": "mg"}}, {"units": {"x": 3}}, {"na": {"x": "9"}}, {"below_limit": 2.0}],
    ids=str,
)
def test_a_schema_with_wrong_rules_is_refused(change):
    content = Table.read(pd.DataFrame({"x": [1, 2]})).schema.to_dict()
    with pytest.raises(DataError, match="a schema has"):
        Schema.from_dict(content | change)


def test_codes_for_missing_are_part_of_the_schema():
    frame = pd.DataFrame({"x": [1, 999, 3], "c": ["a", "unknown", "b"]})
    table = Table.read(frame, na={"x": ["999"], "c": ["unknown"]})
    assert np.isnan(table.columns[0]).tolist() == [False, True, False]
    assert table.columns[1].tolist() == ["a", None, "b"]
    schema = Schema.from_dict(table.select(["x"]).schema.to_dict())
    np.testing.assert_array_equal(schema.read(frame).columns[0], [1, np.nan, 3])


@pytest.mark.parametrize("code", [999, -9, -999, 9999, -2147483648])
def test_codes_are_told_where_values_are_spread_wider_than_they_are_away(code):
    rng = np.random.default_rng(0)
    values = rng.normal(200, 40, 300).round()
    values[:30] = code
    assert f"holds {code} in 30 rows" in kinds(values)["missing_code"]


@pytest.mark.parametrize("code", [99, 999, -9])
def test_values_that_come_once_or_lie_among_others_are_no_codes(code):
    values = np.random.default_rng(0).lognormal(np.log(abs(code)), 1, 300).round(1)
    values[:2] = abs(code)
    assert "missing_code" not in kinds(values)
