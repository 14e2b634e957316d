"""Data files of every format are read as they were written, or say why they cannot be."""

import gzip
import sys

import numpy as np
import pandas as pd
import pytest

from frugalforest.encoding import Table
from frugalforest.errors import DataError
from frugalforest.model import FittedModel
from frugalforest.tables import (
    check_features,
    clean_column,
    clean_frame,
    find_column,
    read_table,
    text_column,
    whole_file,
    write_table,
)

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
    table = clean_frame(read_table(write(FRAME, tmp_path / name)))
    assert list(table.columns) == list(FRAME.columns)
    # A spreadsheet keeps 16 digits, the others all.
    tolerance = 1e-15 if name.endswith("xlsx") else 0
    np.testing.assert_allclose(table["age"], FRAME["age"], rtol=tolerance)
    assert table["n"].tolist() == [1, 2, 3, 4]
    assert text_column(table["colour"]).tolist() == ["red", "dark blue", None, "red"]
    assert table["smoker"].tolist() == ["True", "False", "True", "True"]


def test_text_cells_are_kept_as_written(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("id,note\n007,NA\n008, x\n")
    assert read_table(file)["id"].tolist() == ["007", "008"]


def test_a_table_written_and_read_again_is_the_same(tmp_path):
    values = np.random.default_rng(0).normal(size=200) * 1e-7
    for name in ("t.csv", "t.tsv", "t.csv.gz"):
        write_table(pd.DataFrame({"x": values}), tmp_path / name)
        assert (clean_column(read_table(tmp_path / name)["x"]) == values).all()


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


@pytest.mark.parametrize("missing", ["", "NA", "n/a", "?", "nan", "NULL", " "])
def test_missing_cells_do_not_make_numbers_text(missing):
    np.testing.assert_equal(clean_column(["1", missing, "2.5"]), [1, np.nan, 2.5])


@pytest.mark.parametrize("name", ["t.csv", "t.parquet", "t.xlsx"])
def test_dates_are_the_numbers_that_compare_makes_of_them(tmp_path, name):
    dates = pd.to_datetime(["2020-01-02", None, "2020-01-01 13:30", "1960-02-29"], format="ISO8601")
    frame = pd.DataFrame({"taken": dates, "n": range(4)})
    read = clean_column(read_table(write(frame, tmp_path / name))["taken"])
    np.testing.assert_equal(read, Table.read(frame).columns[0])


@pytest.mark.parametrize(
    "text", ["2020-01-01T00:00Z", "2020-01-01 02:00+02:00", "2019-12-31T23:00:00.000-01:00"]
)
def test_dates_may_name_their_time_zone(text):
    assert clean_column([text]) == clean_column(["2020-01-01"])


@pytest.mark.parametrize("text", ["2020-13-01", "1/2/2020", "2020-1-1", "2020-W01-1", "soon"])
def test_what_is_no_date_for_certain_stays_text(text):
    assert clean_column(["2020-01-01", text]).tolist() == ["2020-01-01", text]


def test_none_can_be_a_category():
    assert clean_column(["None", "much"]).tolist() == ["None", "much"]


def test_nullable_columns_are_read():
    assert np.isnan(clean_column(pd.array([1, None], dtype="Int64"))[1])
    assert clean_column(pd.array([True, None], dtype="boolean")).tolist() == ["True", None]
    assert clean_column(pd.Categorical(["a", None])).tolist() == ["a", None]


def test_decimal_commas_are_read_only_where_they_cannot_be_anything_else(tmp_path):
    file = tmp_path / "t.csv"
    file.write_text("a;b\n1,5;1,5\n-2;x,y\n")
    table = clean_frame(read_table(file))
    assert table["a"].tolist() == [1.5, -2.0]
    assert table["b"].tolist() == ["1,5", "x,y"]


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
    "old line ends": ("t.csv", b"a,b\r1,2\r", "cannot be read"),
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


def test_an_identifier_is_no_feature():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "x": np.arange(40.0)})
    with pytest.raises(DataError, match=r"'id' is text with 40 different values.*--drop 'id'"):
        check_features(frame)
    check_features(frame[["x"]])


def test_one_word_among_numbers_is_found():
    column = [str(i) for i in range(40)]
    column[7] = "12 mg"
    with pytest.raises(DataError, match="'dose' holds numbers, but '12 mg' in row 8"):
        check_features(clean_frame(pd.DataFrame({"dose": column})))


def test_few_codes_are_categories():
    check_features(pd.DataFrame({"code": ["1", "2", "3a"] * 20}))


def test_the_nearest_column_is_suggested():
    with pytest.raises(DataError, match=r"t.csv has no column 'Colour'. Did you mean 'colour'\?"):
        find_column(FRAME, "Colour", "t.csv")
    with pytest.raises(DataError, match="Its columns are 'age', 'n', 'colour', 'smoker'"):
        find_column(FRAME, "xyzzy", "t.csv")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    file = tmp_path / "t.txt"
    file.write_text("old")

    def fail_halfway():
        with whole_file(file) as draft:
            draft.write_text("ne")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        fail_halfway()
    assert file.read_text() == "old"
    assert list(tmp_path.iterdir()) == [file]


def test_tables_are_written_as_text_only(tmp_path):
    with pytest.raises(DataError, match=r"written as \.csv or \.tsv"):
        write_table(FRAME, tmp_path / "t.xlsx")


# The model


@pytest.fixture(scope="module")
def fitted():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 3, 90)
    frame = pd.DataFrame(
        {
            "code": np.array(["007", "8", "x"])[labels],
            "noise": rng.normal(size=90),
            "weight": rng.normal(size=90) + labels,
        }
    )
    classes = np.array(["low", "mid", "high"])
    model = FittedModel.fit(frame, labels, classes, ["code", "weight"], 30, 0, about={"seed": 0})
    return model, frame


def test_a_model_needs_its_own_columns_only_in_any_order(fitted):
    model, frame = fitted
    whole = model.predict(frame)
    pd.testing.assert_frame_equal(whole, model.predict(frame[["weight", "code"]]))
    assert list(whole.columns) == ["predicted", "share_high", "share_low", "share_mid"]
    np.testing.assert_allclose(whole.iloc[:, 1:].sum(axis=1), 1)


def test_a_saved_model_predicts_the_same(fitted, tmp_path):
    model, frame = fitted
    model.save(tmp_path / "m.joblib")
    loaded = FittedModel.load(tmp_path / "m.joblib")
    pd.testing.assert_frame_equal(loaded.predict(frame), model.predict(frame))
    assert loaded.about == {"seed": 0}
    assert [f.name for f in tmp_path.iterdir()] == ["m.joblib"]


def test_unseen_categories_are_missing(fitted):
    model, _ = fitted
    new = pd.DataFrame({"code": ["purple"], "weight": [0.0]})
    missing = pd.DataFrame({"code": [None], "weight": [0.0]})
    pd.testing.assert_frame_equal(model.predict(new), model.predict(missing))
    assert model.unseen(new) == {"code": ["purple"]}
    assert model.unseen(missing) == {}


def test_categories_that_look_like_numbers_stay_categories(fitted):
    model, _ = fitted
    new = pd.DataFrame({"code": ["007", "8"], "weight": ["0", "1"]})
    assert model.predict(new)["predicted"].tolist() == ["low", "mid"]
    assert model.unseen(new) == {}


def test_missing_columns_are_named_with_what_is_near(fitted):
    model, _ = fitted
    with pytest.raises(DataError, match=r"lacks 'code' \(Did you mean 'Code'\?\), 'weight'\."):
        model.predict(pd.DataFrame({"Code": ["x"]}))


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PAR1", b"\x80\x04N.", b"x\x9c123"])
def test_a_file_that_is_no_model_is_refused(tmp_path, content):
    file = tmp_path / "m.joblib"
    file.write_bytes(content)
    with pytest.raises(DataError, match=r"m\.joblib is no model of frugalforest"):
        FittedModel.load(file)
