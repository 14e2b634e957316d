"""Rows that are copies, and rows that look like visits of one person."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, compare
from frugalforest.evaluation.parts import make_parts
from frugalforest.evaluation.resampling import make_splits
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.tables import Outcome, Table, column_checks, copied_rows

N = 60
QUICK = {"n_trees": 20, "n_resamples": 4, "verbose": 0}


def told(X, y, **known):
    found = column_checks(Table.read(X), Outcome.read(y), **known)
    return {n.kind: n.message for n in found if n.kind.endswith("_rows") and n.kind != "few_rows"}


def frame(seed=0, n=N):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame({"x": rng.normal(size=n), "sex": rng.choice(["m", "f"], n)})
    X["gap"] = np.where(rng.random(n) < 0.2, np.nan, rng.integers(0, 40, n))
    return X, (rng.random(n) < 0.4).astype(int)


def three_times(X, y, seed=0):
    rows = np.random.default_rng(seed).permutation(np.repeat(np.arange(len(y)), 3))
    return X.iloc[rows].reset_index(drop=True), y[rows], rows


# --- copies -------------------------------------------------------------------------------------


def test_copies_are_told_and_numbered_alike():
    X, y = frame()
    assert told(X, y) == {}
    assert copied_rows(Table.read(X)) is None
    X3, y3, rows = three_times(X, y)
    assert (
        "120 rows of 180 are copies of an earlier one: there are 60 different"
        in (told(X3, y3)["copied_rows"])
    )
    number = copied_rows(Table.read(X3))
    assert len(set(zip(number, rows, strict=True))) == N


def test_copies_with_another_class_are_counted():
    X3, y3, _ = three_times(*frame())
    y3[0] = 1 - y3[0]
    assert "copies of an earlier one, 1 time with another class" in told(X3, y3)["copied_rows"]


def test_one_copy_is_found_and_what_differs_in_one_cell_is_none():
    X, y = frame()
    other = pd.concat([X, X.iloc[[7]]], ignore_index=True)
    assert copied_rows(Table.read(other)).tolist() == [*range(N), 7]
    assert "1 row of 61 is a copy" in told(other, np.append(y, 0))["copied_rows"]
    other.loc[N, "x"] += 1e-9
    assert copied_rows(Table.read(other)) is None


def test_rows_alike_by_chance_are_cases_of_their_own():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 3, (200, 4))).rename(columns=str)
    y = rng.integers(0, 2, 200)
    assert copied_rows(Table.read(X)) is None
    assert "may be chance" in told(X, y)["alike_rows"]
    X["age"] = rng.integers(20, 60, 200)
    X = X[["0", "age"]]
    assert copied_rows(Table.read(X)) is None


@pytest.mark.parametrize("seed", range(3))
def test_copies_are_on_one_side_of_every_split_and_class_shares_are_kept(seed):
    X, y = frame(seed)
    _, y3, rows = three_times(X, y)
    groups = RowGroups.of(None, rows)
    splits = make_splits(y3, 10, 1 / 5, seed, groups)
    plain = make_splits(groups.of_single(y3), 10, 1 / 5, seed)
    for split, single in zip(splits, plain, strict=True):
        assert set(rows[split.train]).isdisjoint(rows[split.test])
        assert sorted(set(rows[split.test])) == single.test.tolist()
        assert abs(y3[split.test].mean() - y3.mean()) < 0.05
    parts = make_parts(y3, 60, seed, groups)
    for part in (parts.search, *parts.race, parts.final.test):
        assert set(rows[part]).isdisjoint(np.delete(rows, part))


def test_without_copies_splits_are_what_they_were():
    _, y = frame()
    once = RowGroups.of(None, np.arange(N))
    for one, other in zip(make_splits(y, 7, 0.3, 0), make_splits(y, 7, 0.3, 0, once), strict=True):
        assert one.test.tolist() == other.test.tolist()


def test_named_groups_that_share_a_copy_are_one():
    named = np.array(["a", "a", "b", "c", "c"])
    assert RowGroups.of(named).number.tolist() == [0, 0, 1, 2, 2]
    number = RowGroups.of(named, np.array([0, 1, 0, 2, 3])).number
    assert number[0] == number[1] == number[2] != number[3] == number[4]


def test_copies_do_not_lower_the_error():
    """Each row of noise three times: the error of guessing, and not the few per cent of copies."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(80, 4))).rename(columns=str)
    X3, y3, _ = three_times(X, rng.permutation(np.arange(80) % 2))
    kept = compare(X3, y3, budgets=[4], methods=["auc"], **QUICK).best().honest.error
    apart = compare(X3, y3, budgets=[4], methods=["auc"], rows_are_independent=True, **QUICK)
    assert apart.best().honest.error < 0.25 < 0.35 < kept
    assert "alike_rows" in [n.kind for n in apart.notices]
    model = FrugalForestClassifier(n_resamples=4, n_trees=20, random_state=0).fit(X3, y3)
    assert model.honest_error_.error > 0.35


def test_groups_and_independence_cannot_both_be():
    X, y = frame()
    with pytest.raises(ValueError, match="`row_groups` say that rows are not independent"):
        compare(X, y, budgets=[1], row_groups=y, rows_are_independent=True, **QUICK)


# --- visits of one person -----------------------------------------------------------------------


def visits(seed=0, n_persons=40):
    """Age, sex and arm are of the person; two laboratory values change from visit to visit."""
    rng = np.random.default_rng(seed)
    person = np.repeat(np.arange(n_persons), rng.integers(2, 8, n_persons))
    own = pd.DataFrame(
        {
            "age": rng.uniform(30, 80, n_persons).round(0),
            "sex": rng.choice(["m", "f"], n_persons, p=[0.1, 0.9]),
            "arm": rng.choice(["drug", "placebo"], n_persons),
        }
    )
    X = own.iloc[person].reset_index(drop=True)
    X["lab"] = rng.normal(size=len(X)) + rng.normal(size=n_persons)[person]
    X["edema"] = rng.choice(["no", "yes"], len(X))
    return X, rng.integers(0, 2, n_persons)[person], person


@pytest.mark.parametrize("seed", range(5))
def test_visits_of_one_person_are_told_with_the_columns_that_tell(seed):
    X, y, _ = visits(seed)
    (message,) = [m for kind, m in told(X, y).items() if kind == "repeated_rows"]
    assert "these rows look like 40 persons measured several times" in message or (
        # Two neighbors of one age are one block.
        "these rows look like 3" in message
    )
    assert "'age'" in message
    assert "'arm'" in message
    assert "'lab'" not in message
    assert "'edema'" not in message


def test_nothing_is_said_once_it_is_known():
    X, y, _ = visits()
    assert "repeated_rows" not in told(X, y, grouped=True)
    assert "repeated_rows" not in told(X, y, independent=True)


@pytest.mark.parametrize("by", [["age"], ["arm", "age"], ["site", "age"], ["day"]])
def test_a_sorted_table_is_no_table_of_visits(by):
    rng = np.random.default_rng(1)
    n = 400
    X = pd.DataFrame(
        {
            "age": rng.integers(20, 80, n),
            "sex": rng.choice(["m", "f"], n),
            "arm": rng.choice(["drug", "placebo"], n),
            "site": rng.choice(list("abcdefgh"), n),
            "day": rng.integers(0, 60, n),
            "lab": rng.normal(size=n),
        }
    )
    X["decade"] = X["age"] // 10
    X["site head"] = X["site"].str.upper()
    X = X.sort_values(by).reset_index(drop=True)
    assert "repeated_rows" not in told(X, rng.integers(0, 2, n))


def test_it_is_a_loud_notice_of_a_comparison_until_groups_are_named():
    X, y, person = visits()
    run = {"budgets": [2], "methods": ["auc"], **QUICK}
    (notice,) = [n for n in compare(X, y, **run).notices if n.kind == "repeated_rows"]
    assert notice.loud
    grouped = compare(X, y, row_groups=person, **run)
    assert not [n for n in grouped.notices if n.kind == "repeated_rows"]
