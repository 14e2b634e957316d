"""Data files of every format are read as they were written, or say why they cannot be."""

import gzip
import sys
import tracemalloc

import numpy as np
import openpyxl
import pandas as pd
import pytest

from frugalforest.errors import DataError
from frugalforest.tables import Table, find_column, read_table, write_table

FRAME = pd.DataFrame(
    {
        "age": [50.25, np.nan, 61.0, 0.1 + 0.2],
        "n": [1, 2, 3, 4],
        "colour": ["red", "dark blue", None, "red"],
        "smoker": [True, False, True, True],
    }
)


def write(frame, path):
    if path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".xlsx":
        frame.to_excel(path, index=False)
    else:
        separator = "\t" if "tsv" in path.name else ";" if "semicolon" in path.name else ","
        decimal = "," if "decimal_comma" in path.name else "."
        frame.to_csv(path, index=False, sep=separator, decimal=decimal)
    return path


@pytest.mark.parametrize(
    "name",
    [
        "t.csv",
        "t.CSV",
        "t.tsv",
        "t.csv.gz",
        "t.tsv.gz",
        "t.parquet",
        "t.xlsx",
        "semicolon.csv",
        "semicolon_decimal_comma.csv",
    ],
)
def test_every_format_gives_the_same_table(tmp_path, name):
    table = Table.read(read_table(write(FRAME, tmp_path / name)))
    assert table.names == tuple(FRAME.columns)
    assert table.kinds == ("number", "number", "text", "boolean")
    # A spreadsheet keeps 16 digits, the others all.
    tolerance = 1e-15 if name.endswith("xlsx") else 0
    np.testing.assert_allclose(table.columns[0], FRAME["age"], rtol=tolerance)
    assert table.columns[1].tolist() == [1, 2, 3, 4]
    assert table.columns[2].tolist() == ["red", "dark blue", None, "red"]
    assert table.columns[3].tolist() == [1, 0, 1, 1]


def test_text_cells_are_kept_as_written(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,note\n007,NA\n008, x\n")
    assert read_table(file)["id"].tolist() == ["007", "008"]


def test_a_table_written_and_read_again_is_the_same(tmp_path):
    values = np.random.default_rng(0).normal(size=200) * 1e-7
    for name in ("t.csv", "t.tsv", "t.csv.gz"):
        write_table(pd.DataFrame({"x": values}), tmp_path / name)
        assert (Table.read(read_table(tmp_path / name)).columns[0] == values).all()


def test_names_are_read_without_byte_order_mark_and_spaces(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes("\ufeff\n age , größe\r\n1,2\r\n\r\n".encode())
    assert list(read_table(file).columns) == ["age", "größe"]
    assert len(read_table(file)) == 1


def test_row_numbers_without_a_name_are_no_column(tmp_path):
    FRAME.to_csv(tmp_path / "t.csv")
    FRAME.to_csv(tmp_path / "t.tsv", sep="\t")
    FRAME.to_excel(tmp_path / "t.xlsx")
    for name in ("t.csv", "t.tsv", "t.xlsx"):
        assert list(read_table(tmp_path / name).columns) == list(FRAME.columns)


def test_quoted_cells_may_hold_the_separator_and_line_breaks(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text('a,b\n"x, y",1\n"two\nlines",2\n')
    assert read_table(file)["a"].tolist() == ["x, y", "two\nlines"]


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_dates_are_the_numbers_that_compare_makes_of_them(tmp_path, name):
    dates = pd.to_datetime(["2020-01-02", None, "2020-01-01 13:30", "1960-02-29"], format="ISO8601")
    frame = pd.DataFrame({"taken": dates, "n": range(4)})
    read = Table.read(read_table(write(frame, tmp_path / name)))
    np.testing.assert_equal(read.columns[0], Table.read(frame).columns[0])
    assert read.kinds[0] == "date"


BAD_FILES = {
    "folder": ("d.csv", None, "is a folder"),
    "ending": ("t.docx", b"a,b\n1,2\n", "this kind of file cannot be read.*Parquet"),
    "empty": ("t.csv", b"", "is empty"),
    "blank": ("t.csv", b"\n\n", "is empty"),
    "no rows": ("t.csv", b"a,b\n", "no rows"),
    "encoding": ("t.csv", "größe\n1\n".encode("latin-1"), "not UTF-8"),
    "utf-16": ("t.csv", "a,b\n1,2\n".encode("utf-16"), "not UTF-8"),
    "double name": ("t.csv", b"a,b,a\n1,2,3\n", "two columns are called 'a'"),
    "double name parquet": ("t.parquet", b"PAR1nothing", "cannot be read as Parquet"),
    "damaged xlsx": ("t.xlsx", b"PK\3\4nothing", "cannot be read as Excel"),
    "damaged gz": ("t.csv.gz", gzip.compress(b"a,b\n1,2\n" * 99)[:-12], "cannot be unpacked"),
    "no gz": ("t.csv.gz", b"a,b\n1,2\n", "cannot be unpacked"),
    "long row": ("t.csv", b"a,b\n1,2\n1,2,3\n", "line 3 has 3 fields, but the header has 2"),
    "long field": ("t.csv", b"a,b\n1," + b"x" * 200_000, "line 2 .* more than 131,072 characters"),
}


@pytest.mark.parametrize("case", BAD_FILES)
def test_what_cannot_be_read_says_why_in_one_line(tmp_path, case):
    name, content, message = BAD_FILES[case]
    if content is None:
        (tmp_path / name).mkdir()
    else:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(DataError, match=message) as caught:
        read_table(tmp_path / name)
    assert "\n" not in str(caught.value)
    assert name in str(caught.value)


def test_double_names_are_seen_in_spreadsheets(tmp_path):
    frame = pd.DataFrame([[1, 2]], columns=["a", "a"])
    frame.to_excel(tmp_path / "t.xlsx", index=False)
    with pytest.raises(DataError, match="two columns are called 'a'"):
        read_table(tmp_path / "t.xlsx")


def test_a_missing_package_is_named(tmp_path, monkeypatch):
    FRAME.to_parquet(tmp_path / "t.parquet")
    FRAME.to_excel(tmp_path / "t.xlsx")
    for name in ("pyarrow", "fastparquet", "openpyxl", "python_calamine"):
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(DataError, match=r"pip install 'frugalforest\[parquet\]'"):
        read_table(tmp_path / "t.parquet")
    with pytest.raises(DataError, match=r"pip install 'frugalforest\[excel\]'"):
        read_table(tmp_path / "t.xlsx")


def test_the_nearest_column_is_suggested():
    with pytest.raises(DataError, match=r"t.csv has no column 'Colour'. Did you mean 'colour'\?"):
        find_column(FRAME, "Colour", "t.csv")
    with pytest.raises(DataError, match=r"Its columns are \['age', 'n', 'colour', 'smoker'\]"):
        find_column(FRAME, "xyzzy", "t.csv")


def test_tables_are_written_as_text_only(tmp_path):
    with pytest.raises(DataError, match=r"written as \.csv or \.tsv"):
        write_table(FRAME, tmp_path / "t.xlsx")


def test_the_encoding_and_the_separator_may_be_given(tmp_path):
    file = tmp_path / "t.csv"
    file.write_bytes("größe|a,b\n1|2\n".encode("latin-1"))
    frame = read_table(file, encoding="latin-1", separator="|")
    assert list(frame.columns) == ["größe", "a,b"]
    with pytest.raises(DataError, match="'latin-99' is no encoding"):
        read_table(file, encoding="latin-99")
    with pytest.raises(DataError, match="not utf-16 text"):
        read_table(file, encoding="utf-16")


@pytest.mark.parametrize("separator", "0123456789abcdef")
def test_any_character_may_be_the_separator(tmp_path, separator):
    (tmp_path / "t.csv").write_text(f"x{separator}y\nz{separator}w\n")
    found = read_table(tmp_path / "t.csv", separator=separator)
    assert found.to_numpy().tolist() == [["z", "w"]]
    assert list(found.columns) == ["x", "y"]


def test_old_line_ends_are_read(tmp_path):
    (tmp_path / "t.csv").write_bytes(b"a,b\r1,2\r")
    assert read_table(tmp_path / "t.csv")["b"].tolist() == ["2"]


def test_a_sheet_may_be_named(tmp_path):
    with pd.ExcelWriter(tmp_path / "t.xlsx") as book:
        FRAME.to_excel(book, sheet_name="notes", index=False)
        pd.DataFrame({"x": [1]}).to_excel(book, sheet_name="data", index=False)
    assert list(read_table(tmp_path / "t.xlsx").columns) == list(FRAME.columns)
    assert list(read_table(tmp_path / "t.xlsx", sheet="data").columns) == ["x"]
    with pytest.raises(DataError, match=r"has no sheet 'Data'. Did you mean 'data'\?"):
        read_table(tmp_path / "t.xlsx", sheet="Data")


def test_formulas_without_a_result_are_missing(tmp_path):
    pd.DataFrame({"x": [1, "#DIV/0!", "#N/A", 2]}).to_excel(tmp_path / "t.xlsx", index=False)
    table = Table.read(read_table(tmp_path / "t.xlsx"))
    np.testing.assert_array_equal(table.columns[0], [1, np.nan, np.nan, 2])


# --- sizes --------------------------------------------------------------------------------------


def sheet_with(path, cells):
    book = openpyxl.Workbook()
    for place, value in cells.items():
        book.active[place] = value
    book.save(path)


@pytest.mark.slow
def test_one_cell_far_away_does_not_make_a_sheet_large(tmp_path):
    file = tmp_path / "t.xlsx"
    sheet_with(file, {"A1": "x", "B1": "y", "A2": 1, "B2": 2, "XFD1048576": "far", "A1048576": 3})
    assert file.stat().st_size < 10_000
    tracemalloc.start()
    frame = read_table(file)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert frame["x"].tolist() == [1, 3]
    assert list(frame.columns) == ["x", "y"]
    assert peak < 50e6


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz"])
def test_more_text_than_the_limit_is_refused_before_it_is_read(tmp_path, name):
    write_table(pd.DataFrame({"x": np.arange(3000)}), tmp_path / name)
    with pytest.raises(DataError, match=rf"{name} holds .*kB of text, and at most 10 kB are read"):
        read_table(tmp_path / name, max_bytes=10_000)
    assert len(read_table(tmp_path / name, max_bytes=20_000)) == 3000


def test_a_packed_bomb_is_not_unpacked(tmp_path):
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"a,b\n" + b"0,0\n" * 10_000_000))
    tracemalloc.start()
    with pytest.raises(DataError, match="more than 1 MB of text"):
        read_table(tmp_path / "t.csv.gz", max_bytes=1_000_000)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10e6


@pytest.mark.parametrize("name", ["t.xlsx", "t.parquet"])
def test_more_cells_than_the_limit_are_refused_with_their_number(tmp_path, name):
    write(pd.DataFrame(np.zeros((60, 5)), columns=list("abcde")), tmp_path / name)
    with pytest.raises(DataError, match=r"rows or more and 5 columns, and at most 200 cells"):
        read_table(tmp_path / name, max_cells=200)
    assert len(read_table(tmp_path / name, max_cells=300)) == 60


def test_a_spreadsheet_that_unpacks_to_more_than_the_limit_is_refused(tmp_path):
    write(pd.DataFrame(np.zeros((600, 5)), columns=list("abcde")), tmp_path / "t.xlsx")
    with pytest.raises(DataError, match=r"t\.xlsx unpacks to .*kB, and at most 20 kB are read"):
        read_table(tmp_path / "t.xlsx", max_bytes=20_000)
