"""Columns that give the target away nearly, or by where they are filled in."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import compare
from frugalforest.results.findings import Findings
from frugalforest.tables import Outcome, Table, column_checks

N = 200
RNG = np.random.default_rng(0)
DEAD = RNG.random(N) < 0.3
TARGET = np.where(DEAD, "dead", "alive")
NOISE = RNG.normal(size=N)


def found(columns, y=TARGET):
    table = Table.read(pd.DataFrame(columns))
    return [(n.kind, *n.columns) for n in column_checks(table, Outcome.read(y)) if n.loud]


def flipped(labels, n_wrong):
    copy = labels.copy()
    copy[:n_wrong] = ~copy[:n_wrong]
    return copy


@pytest.mark.parametrize(
    "leak",
    [
        flipped(DEAD, 1),
        flipped(DEAD, 6),
        np.where(flipped(DEAD, 6), "yes", "no"),
        np.where(flipped(DEAD, 1), 100 + NOISE, NOISE),
        np.where(np.arange(N) < 20, None, flipped(DEAD, 26).astype(object)),
    ],
    ids=["one wrong", "97 %", "97 %, words", "threshold, one wrong", "gaps"],
)
def test_a_copy_of_the_target_with_a_few_wrong_cells_is_loud(leak):
    assert found({"x": NOISE, "leak": leak}) == [("nearly_predicts_target", "leak")]


def of_columns(notices):
    """Without those about rows: a table of one column has copies of rows."""
    return [notice for notice in notices if notice.columns]


def test_the_message_counts_the_wrong_rows():
    table = Table.read(pd.DataFrame({"leak": flipped(DEAD, 6)}))
    (notice,) = of_columns(column_checks(table, Outcome.read(TARGET)))
    assert "predicts the target in all but 6 of 200 rows" in notice.message


@pytest.mark.parametrize("values", [NOISE, np.where(NOISE > 0, "a", "b")], ids=["numbers", "text"])
def test_a_column_filled_in_for_one_class_only_is_loud_whatever_it_holds(values):
    column = np.where(DEAD, values.astype(object), None)
    assert found({"x": NOISE, "died of": column}) == [("missing_tells_target", "died of")]
    column[np.flatnonzero(DEAD)[:2]] = None
    column[np.flatnonzero(~DEAD)[0]] = values[0]
    assert found({"x": NOISE, "died of": column}) == [("missing_tells_target", "died of")]


def test_a_column_filled_in_for_some_of_one_class_is_loud():
    some = DEAD & (RNG.random(N) < 0.4)
    table = Table.read(pd.DataFrame({"autopsy": np.where(some, NOISE, np.nan)}))
    (notice,) = of_columns(column_checks(table, Outcome.read(TARGET)))
    assert notice.kind == "missing_tells_target"
    assert f"filled in for class 'dead' only ({some.sum()} of" in notice.message


def test_a_test_that_the_ill_have_more_often_is_no_leak():
    done = RNG.random(N) < np.where(DEAD, 0.8, 0.3)
    assert found({"test": np.where(done, NOISE, np.nan)}) == []


@pytest.mark.parametrize("share_wrong", [0.12, 0.2])
def test_a_good_predictor_is_no_leak(share_wrong):
    good = np.where(RNG.random(N) < share_wrong, ~DEAD, DEAD)
    assert found({"good": good, "measured": good + NOISE / 5}) == []


@pytest.mark.parametrize("seed", range(20))
def test_gaps_and_categories_of_noise_are_no_leak(seed):
    rng = np.random.default_rng(seed)
    y = np.arange(60) < 5
    columns = {f"g{j}": np.where(rng.random(60) < 0.1, 1.0, np.nan) for j in range(40)}
    columns |= {f"c{j}": rng.integers(0, 15, 60).astype(str) for j in range(40)}
    assert found(columns, y) == []


def test_the_answer_is_to_check_the_leak_first():
    X = pd.DataFrame({"x": NOISE, "died of": np.where(DEAD, NOISE[::-1], np.nan)})
    quick = {"n_trees": 20, "n_resamples": 3, "verbose": 0}
    findings = Findings.of(compare(X, TARGET, budgets=[1], methods=["forward"], **quick))
    assert findings.headline == "Check ‘died of’ first: it gives the answer away"
