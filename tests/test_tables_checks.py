"""A look at the columns before money is spent on them."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import compare
from frugalforest.errors import DataError
from frugalforest.tables import Outcome, Table, check_features, column_checks

N = 60
RNG = np.random.default_rng(0)
TARGET = np.where(RNG.random(N) < 0.4, "yes", "no")
NOISE = RNG.normal(size=N)


def notices(columns, y=TARGET):
    """Of columns and target: rows that are alike have tests of their own."""
    told = column_checks(Table.read(pd.DataFrame(columns)), Outcome.read(y))
    return [notice for notice in told if notice.kind not in ("alike_rows", "copied_rows")]


def found(columns, y=TARGET):
    return [(notice.kind, *notice.columns) for notice in notices(columns, y)]


def test_nothing_is_said_about_a_sound_table():
    columns = {
        "x": NOISE,
        "count": RNG.poisson(3, N),
        "colour": RNG.choice(["red", "green", "blue"], N),
        "smoker": RNG.random(N) < 0.5,
        "income": RNG.permutation(np.arange(N) * 137 + 20_000),
        "gaps": np.where(RNG.random(N) < 0.2, np.nan, NOISE**2),
        "only sometimes": np.where(RNG.random(N) < 0.2, np.nan, 1.0),
    }
    assert found(columns) == []


@pytest.mark.parametrize(
    ("column", "kind"),
    [
        ([None] * N, "empty"),
        ([np.nan] * N, "empty"),
        (["?"] * N, "empty"),
        ([7] * N, "constant"),
        (["same"] * N, "constant"),
        (pd.to_datetime(["2020-01-01"] * N), "constant"),
    ],
    ids=str,
)
def test_columns_that_tell_nothing_are_named(column, kind):
    assert found({"x": NOISE, "a": column, "b": column}) == [(kind, "a"), (kind, "b")]


# --- copies -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "copy",
    [NOISE, NOISE * 3 - 2, np.exp(NOISE), -NOISE, NOISE.astype(str)],
    ids=lambda c: str(c[0]),
)
def test_a_column_that_orders_the_rows_as_another_does_is_named(copy):
    assert found({"x": NOISE, "other": NOISE**2, "copy": copy}) == [("copies", "x", "copy")]


def test_gaps_are_part_of_the_order():
    gap = np.arange(N) < 5
    x = np.where(gap, np.nan, NOISE)
    assert found({"x": NOISE, "a": x}) == []
    assert found({"a": x, "b": np.where(gap, np.nan, 2 * NOISE)}) == [("copies", "a", "b")]


def test_categories_are_copies_if_the_same_rows_are_together():
    colour = RNG.choice(["red", "green", "blue"], N)
    other = pd.Series(colour).map({"red": "r", "green": "a", "blue": "z"})
    assert found({"colour": colour, "other": other}) == [("copies", "colour", "other")]
    with_gap = other.where(other != "r", None)
    assert found({"colour": colour, "gap": with_gap}) == []


def test_two_categories_are_a_copy_of_two_numbers():
    sex = RNG.random(N) < 0.5
    columns = {"sex": np.where(sex, "m", "f"), "male": sex, "code": np.where(sex, 1, 2)}
    notice = notices(columns)[0]
    assert notice.columns == ("sex", "male", "code")
    assert notice.message.startswith("['male', 'code'] order the rows as 'sex' does")


# --- identifiers --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("a", np.arange(N)),
        ("a", RNG.permutation(N) + 1000),
        ("a", np.cumsum(RNG.integers(1, 50, N))),
        ("patient_id", RNG.permutation(N) * 17),
        ("Case No", RNG.permutation(N) * 17),
    ],
    ids=["rows", "shuffled", "rising", "by name", "by name in capitals"],
)
def test_numbers_that_name_the_rows_are_named(name, values):
    assert found({"x": NOISE, name: values}) == [("identifier", name)]


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("rapid", RNG.permutation(N) * 17),
        ("patient_id", np.arange(N) // 2),
        ("patient_id", NOISE),
        ("date", pd.date_range("2020-01-01", periods=N)),
    ],
)
def test_measurements_are_no_identifiers(name, values):
    assert "identifier" not in [kind for kind, *_ in found({name: values})]


# --- a column that gives the target away --------------------------------------------------------


@pytest.mark.parametrize(
    "leak",
    [
        TARGET,
        np.where(TARGET == "yes", 1, 0),
        np.where(TARGET == "yes", "dead", "alive"),
        np.where(TARGET == "yes", 100 + NOISE, NOISE),
        np.where(TARGET == "yes", RNG.choice(["a", "b"], N), RNG.choice(["c", "d", "e"], N)),
        np.where(np.arange(N) < 5, None, TARGET),
    ],
    ids=["copy", "code", "words", "threshold", "several", "gaps"],
)
def test_a_column_that_alone_predicts_the_target_is_the_first_and_loudest_notice(leak):
    first = notices({"same": [1] * N, "leak": leak})[0]
    assert (first.kind, first.columns, first.loud) == ("predicts_target", ("leak",), True)
    assert "alone predicts the target without error" in first.message


def test_a_leak_of_three_classes_is_found():
    y = np.arange(N) % 3
    assert ("predicts_target", "leak") in found({"leak": y * 10 + RNG.random(N)}, y)


@pytest.mark.parametrize("seed", range(20))
def test_noise_does_not_predict_the_target(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(30) < 3  # so few that chance often puts them at one end
    columns = {f"x{j}": rng.normal(size=30) for j in range(50)}
    columns["id"] = [f"p{i}" for i in range(30)]
    assert "predicts_target" not in [kind for kind, *_ in found(columns, y)]


def test_one_wrong_row_is_not_perfect():
    leak = np.where(TARGET == "yes", 1, 0)
    leak[0] = 1 - leak[0]
    assert found({"leak": leak}) == [("nearly_predicts_target", "leak")]


# --- values -------------------------------------------------------------------------------------


@pytest.mark.parametrize("code", [-9, -99, -999, 99, 999, 9999])
def test_codes_for_missing_values_are_named_with_their_number(code):
    values = RNG.integers(0, 5, N).astype(float)
    values[:3] = code
    (notice,) = notices({"x": values})
    assert notice.kind == "missing_code"
    assert f"holds {code} in 3 rows, far from all others (0 to 4)" in notice.message


def test_two_codes_for_missing_values_are_both_named():
    values = RNG.integers(0, 5, N)
    values[:2] = [-99, -999]
    assert found({"x": values}) == [("missing_code", "x"), ("missing_code", "x")]


@pytest.mark.parametrize("values", [np.arange(50, 150, 100 / N).round(), [0, 99] * (N // 2)])
def test_values_among_others_are_no_codes(values):
    assert "missing_code" not in [kind for kind, *_ in found({"x": values})]


def test_whole_numbers_that_floats_cannot_hold_are_named():
    assert found({"x": 2**53 + RNG.integers(0, 9, N)}) == [("large_integers", "x")]
    assert found({"x": 6e23 * np.exp(NOISE), "y": 1e15 + RNG.integers(0, 9, N)}) == []


def test_dates_with_the_day_first_are_told_with_their_range():
    days = [f"{i % 28 + 1:02d}/03/{2000 + i}" for i in range(N)]
    (told,) = notices({"seen": days})
    assert (told.kind, told.columns) == ("day_first", ("seen",))
    assert f"day first: they go from 2000-03-01 to {2000 + N - 1}-03-" in told.message
    (unsure,) = notices({"seen": [f"{i % 12 + 1:02d}/03/{2000 + i}" for i in range(N)]})
    assert "though it may be the month" in unsure.message


def test_decimal_commas_are_told_in_one_line_however_many_columns():
    written = [f"{value:.2f}".replace(".", ",") for value in NOISE]
    (told,) = notices({f"x{j}": list(np.roll(written, j)) for j in range(6)})
    assert told.kind == "decimal_comma"
    assert f"'x0' ({NOISE.round(2).min():.6g} to {NOISE.round(2).max():.6g})" in told.message
    assert told.message.endswith("and 2 more.")
    assert notices({"x": NOISE, "seen": [f"{2000 + i}-03-01" for i in range(N)]}) == []


def test_text_that_is_no_category_is_named():
    texts = {
        "name": [f"p{i}" for i in range(N)],
        "dose": ["12 mg", *map(str, range(N - 1))],
        "price": [f"{i},000" if i else "950" for i in range(N)],
        "day": [f"01/{i % 30 + 1:02d}/{2000 + i}" for i in range(N)],
    }
    assert found(texts) == [
        ("names_rows", "name"),
        ("word_among_numbers", "dose"),
        ("unknown_style", "price"),
        ("unknown_style", "day"),
    ]


# --- target and rows ----------------------------------------------------------------------------


def test_classes_that_differ_in_case_or_spaces_are_named():
    y = np.tile(["yes", "Yes", "not yet", "notyet", "no"], N // 5)
    first, second = notices({"x": NOISE}, y)
    assert (first.kind, first.columns) == ("similar_classes", ())
    assert "['Yes', 'yes']" in first.message
    assert "['not yet', 'notyet']" in second.message


def test_categories_that_differ_in_case_or_spaces_are_named():
    sex = RNG.choice(["male", "Female", "female "], N)
    assert found({"x": NOISE, "sex": sex}) == [("similar_categories", "sex")]
    assert "['Female', 'female']" in notices({"x": NOISE, "sex": sex})[0].message


def test_prices_by_position_are_told_if_columns_have_names():
    X = pd.DataFrame({"age": NOISE, "stage": NOISE**2})
    run = {"budgets": [4], "methods": ["auc"], "n_trees": 10, "n_resamples": 0, "verbose": 0}

    def told(X, costs):
        kinds = {n.kind: n.message for n in compare(X, TARGET, costs, **run).notices}
        return kinds.get("prices_by_position", "")

    with pytest.warns(UserWarning, match="were taken in the order of the columns") as warned:
        assert "('age' costs 1, 'stage' costs 3)" in told(X, [1, 3])
    assert len(warned) == 1
    assert warned[0].filename == __file__
    assert told(X, {"age": 1, "stage": 3}) == told(X, 2) == told(X.to_numpy(), [1, 3]) == ""


def test_small_classes_and_few_rows_are_named():
    y = ["a"] * 9 + ["b"] * 2 + ["c"]
    said = notices({"x": NOISE[:12]}, y)
    assert [notice.kind for notice in said] == ["few_rows", "small_class", "small_class"]
    assert "12 rows only" in said[0].message
    assert "'b' has 2 rows only" in said[1].message
    assert "'c' has 1 row only" in said[2].message


# --- what cannot be meant -----------------------------------------------------------------------


def test_an_identifier_is_no_feature():
    frame = pd.DataFrame({"id": [f"p{i}" for i in range(40)], "x": np.arange(40.0)})
    with pytest.raises(DataError, match=r"'id' is text with 40 different values.*--drop 'id'"):
        check_features(Table.read(frame))
    check_features(Table.read(frame[["x"]]))


def test_one_word_among_numbers_is_found():
    column = [str(i) for i in range(40)]
    column[7] = "12 mg"
    with pytest.raises(DataError, match="'dose' holds numbers, but '12 mg' in row 8"):
        check_features(Table.read(pd.DataFrame({"dose": column})))


def test_few_codes_are_categories():
    check_features(Table.read(pd.DataFrame({"code": ["1", "2", "3a"] * 20})))
