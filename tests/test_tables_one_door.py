"""One awkward table, through every door: the same columns, kinds and codes."""

import csv
from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest import compare
from frugalforest.tables import Encoder, Outcome, Table, read_table

N = 40
RNG = np.random.default_rng(0)
TARGET = RNG.choice(["sick", "well", "unknown"], N)
GAP = RNG.random(N) < 0.15

DAYS = [date(2020, 1, 1 + int(k)) for k in RNG.integers(0, 28, N)]
DOSES = (RNG.integers(0, 200, N) / 8).tolist()
COUNTS = RNG.integers(0, 5, N).tolist()
COLOURS = [{"sick": "red", "well": "blue", "unknown": "dark red"}[t] for t in TARGET]
GRADES = RNG.choice(["1", "2", "3a"], N).tolist()
SMOKER = RNG.random(N) < 0.5


def with_gaps(values, gap):
    return [gap if missing else value for value, missing in zip(values, GAP, strict=True)]


KINDS = {
    "iso": "date",
    "day_first": "date",
    "dose": "number",
    "questioned": "number",
    "colour": "text",
    "grade": "text",
    "smoker": "boolean",
    "count": "number",
    "same": "number",
}

# As they would stand in a file: text.
CELLS = {
    "iso": with_gaps([d.isoformat() for d in DAYS], ""),
    "day_first": with_gaps([f"{d:%d/%m/%Y}" for d in DAYS], "NA"),
    "dose": with_gaps([str(dose).replace(".", ",") for dose in DOSES], ""),
    "questioned": with_gaps([str(count) for count in COUNTS], "?"),
    "colour": with_gaps(COLOURS, "N/A"),
    "grade": with_gaps(GRADES, "null"),
    "smoker": with_gaps([str(s) for s in SMOKER], ""),
    "count": with_gaps([str(count) for count in COUNTS], "<NA>"),
    "same": ["7"] * N,
}

# As a program would hold them.
VALUES = {
    "iso": with_gaps([datetime(d.year, d.month, d.day) for d in DAYS], None),
    "day_first": with_gaps([datetime(d.year, d.month, d.day) for d in DAYS], None),
    "dose": with_gaps(DOSES, None),
    "questioned": with_gaps(COUNTS, None),
    "colour": with_gaps(COLOURS, None),
    "grade": with_gaps(GRADES, None),
    "smoker": with_gaps(SMOKER.tolist(), None),
    "count": with_gaps(COUNTS, None),
    "same": [7] * N,
}


def pandas_frame():
    return pd.DataFrame(VALUES).astype(
        {
            "iso": "datetime64[s]",
            "day_first": "datetime64[ns]",
            "dose": "float64",
            "questioned": "float32",
            "colour": "category",
            "grade": "string",
            "smoker": "boolean",
            "count": "Int64",
            "same": "int8",
        }
    )


def polars_frame():
    frame = pl.DataFrame(VALUES)
    return frame.with_columns(
        pl.col("iso").cast(pl.Date), pl.col("colour").cast(pl.Categorical), pl.col("same").cast(int)
    )


def file_with(separator):
    def door(folder):
        file = folder / "awkward.csv"
        with file.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.writer(stream, delimiter=separator)
            writer.writerow(CELLS)
            writer.writerows(zip(*CELLS.values(), strict=True))
        return read_table(file)

    return door


def spreadsheet(folder):
    pd.DataFrame(VALUES, dtype=object).to_excel(folder / "awkward.xlsx", index=False)
    return read_table(folder / "awkward.xlsx")


def parquet(folder):
    pandas_frame().to_parquet(folder / "awkward.parquet")
    return read_table(folder / "awkward.parquet")


def named_array(values):
    return Table.read(np.array(list(values.values()), dtype=object).T, list(values))


DOORS = {
    "commas": file_with(","),  # decimal commas are quoted
    "semicolons": file_with(";"),
    "tabs": file_with("\t"),
    "spreadsheet": spreadsheet,
    "parquet": parquet,
    "pandas": lambda _: pandas_frame(),
    "pandas text": lambda _: pd.DataFrame(CELLS, dtype="str"),
    "pandas categories": lambda _: pd.DataFrame(CELLS, dtype="category"),
    "polars": lambda _: polars_frame(),
    "polars text": lambda _: pl.DataFrame(CELLS),
    "array of objects": lambda _: named_array(VALUES),
    "array of text": lambda _: named_array(CELLS),
    "rows": lambda _: Table.read([list(r) for r in zip(*VALUES.values(), strict=True)], KINDS),
}


@pytest.fixture(scope="module")
def expected():
    table = Table.read(pandas_frame())
    return table, Encoder.fit(table, Outcome.read(TARGET))


def test_the_awkward_table_is_what_it_is_meant_to_be(expected):
    table, _ = expected
    assert dict(zip(table.names, table.kinds, strict=True)) == KINDS
    np.testing.assert_array_equal(table.columns[0], table.columns[1])
    assert GAP.any()
    for column in table.columns[:-1]:
        assert [value is None or value != value for value in column.tolist()] == GAP.tolist()


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_the_same_columns_kinds_and_codes(door, expected, tmp_path):
    table, encoder = expected
    found = Table.read(DOORS[door](tmp_path))
    assert found.schema == table.schema
    for ours, theirs in zip(found.columns, table.columns, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_array_equal(ours, theirs)
    assert Encoder.fit(found, Outcome.read(TARGET)) == encoder
    np.testing.assert_array_equal(encoder.transform(found), encoder.transform(table))


@pytest.mark.parametrize("door", DOORS)
def test_every_door_gives_new_rows_the_same_codes(door, expected, tmp_path):
    table, encoder = expected
    found = table.schema.read(DOORS[door](tmp_path))
    np.testing.assert_array_equal(encoder.transform(found), encoder.transform(table))


def test_every_door_leads_to_the_same_selection(tmp_path):
    found = [
        compare(
            DOORS[door](tmp_path), TARGET, budgets=2, methods=["auc"], n_trees=20, n_resamples=2
        ).to_dict()
        for door in ("commas", "pandas", "polars text", "array of objects")
    ]
    for document in found:
        # How cells were written is told, and differs from door to door.
        kept = [n for n in document["notices"] if n["kind"] not in ("day_first", "decimal_comma")]
        document["notices"] = kept
    assert all(document == found[0] for document in found)
