"""compare(): what is learned from which rows, honest errors, budgets, resuming, clusters, files."""

import dataclasses
import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest import CostModel, compare, comparison
from frugalforest.comparison import Comparison, Plan
from frugalforest.errors import BudgetError, CostError, DataError
from frugalforest.problem import OobScore
from frugalforest.resampling import Split
from frugalforest.selectors import Candidate
from frugalforest.tuning import ScoredXi, Tuned

ALL_METHODS = ("auc", "pfi", "sts", "forward")
PRICES = CostModel(
    {"signal": 4, "echo": 3, "twin": 3, "noise": 1, "colour": 2, "size": 0},
    groups={"signal": "lab", "echo": "lab", "noise": "lab"},
    group_costs={"lab": 1.5},
)
BUDGETS = [3.0, 5.5, 9.0]
# Small forests and few values of ξ: these tests are about what surrounds them.
QUICK = {"n_trees": 12, "n_resamples": 3, "verbose": 0}


def make_table(n_rows=90, n_classes=2, seed=0):
    """Numbers and text, with gaps; the class shows in four of the six columns."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n_rows) % n_classes)
    colours = np.array(["red", "green", "blue", "black"], dtype=object)
    X = pd.DataFrame(
        {
            "signal": labels + rng.normal(0, 0.5, n_rows),
            "echo": labels + rng.normal(0, 0.8, n_rows),
            "twin": labels + rng.normal(0, 0.8, n_rows),
            "noise": rng.normal(size=n_rows),
            "colour": colours[(labels + (rng.random(n_rows) < 0.3)) % 4],
            "size": rng.integers(0, 5, n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "echo"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "colour"] = None
    return X, labels


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def result(table):
    return compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)


@pytest.fixture
def count_tasks(monkeypatch):
    """A list that grows by the name of every task that is run in this process."""
    names = []
    run = comparison._run_named

    def counted(key, *task):
        names.append(key.rpartition(" ")[0])
        return run(key, *task)

    monkeypatch.setattr(comparison, "_run_named", counted)
    return names


@pytest.fixture
def resample_results(monkeypatch):
    """A list that grows by the result of every resample."""
    results = []
    run = comparison._run_resample

    def recorded(*arguments):
        results.append(run(*arguments))
        return results[-1]

    monkeypatch.setattr(comparison, "_run_resample", recorded)
    return results


# --- rows never seen ----------------------------------------------------------------------------


def test_nothing_in_the_test_rows_changes_what_a_resample_chooses(
    monkeypatch, resample_results, table
):
    X, y = table
    test = np.arange(0, len(y), 3)
    split = Split(np.setdiff1d(np.arange(len(y)), test), test)
    monkeypatch.setattr(comparison, "make_splits", lambda *_: [split])

    poisoned, wrong = X.copy(), y.copy()
    wrong[test] = 1 - y[test]
    poisoned.loc[test, "noise"] = 1e6 * wrong[test]  # would make noise the best column of all
    poisoned.loc[test, ["signal", "echo", "twin", "size"]] = -1e6
    poisoned.loc[test, "colour"] = np.where(wrong[test], "red", "violet")

    clean = compare(X, y, PRICES, BUDGETS, ALL_METHODS, **QUICK)
    leaky = compare(poisoned, wrong, PRICES, BUDGETS, ALL_METHODS, **QUICK)

    before, after = (result["rows"] for result in resample_results)
    for key in ("budget", "method", "winner", "features"):
        assert [row[key] for row in before] == [row[key] for row in after]
    # The poison works: it changes the test errors, and what is chosen from all rows.
    assert [row["error"] for row in before] != [row["error"] for row in after]
    assert [s["features"] for s in clean.document["selections"]] != [
        s["features"] for s in leaky.document["selections"]
    ]


def test_encoding_and_forests_are_given_the_training_rows_only(monkeypatch, table):
    X, y = table
    X = X.assign(size=np.arange(len(y)))  # each row can be told by its number
    seen, splits = [], []

    def code_table(rows, names):
        seen.append(sorted(rows[:, names.index("size")].astype(int)))
        return original_code(rows, names)

    def fit(table, labels, n_classes):
        seen.append(sorted(table.columns[table.names.index("size")].astype(int)))
        return original_fit(table, labels, n_classes)

    def make_splits(*arguments):
        splits.extend(original_splits(*arguments))
        return splits

    original_code, original_fit = comparison.code_table, comparison.Encoder.fit
    original_splits = comparison.make_splits
    monkeypatch.setattr(comparison, "code_table", code_table)
    monkeypatch.setattr(comparison.Encoder, "fit", fit)
    monkeypatch.setattr(comparison, "make_splits", make_splits)
    compare(X, y, PRICES, [5], ["auc"], **QUICK)

    expected = [list(range(len(y)))] + [sorted(split.train) for split in splits]
    assert seen == [rows for rows in expected for _ in ("encoder", "forests")]
    assert len(splits) == 3


def test_on_pure_noise_the_honest_error_is_chance_and_the_selection_score_is_not():
    scores, errors = [], []
    for seed in range(4):
        X = np.random.default_rng(seed).normal(size=(120, 30))
        y = np.arange(120) % 2
        result = compare(
            X, y, budgets=3, methods=("auc", "sts", "forward"), xi=0, n_trees=60, n_resamples=6
        )
        best = result.best()
        scores.append(best.oob_error)
        errors.append(best.honest.error)
        assert best.oob_error < best.honest.error
        assert best.honest.low < 0.5 < best.honest.high
    # 120 rows tell an error of ½ to √(¼/120) = 0.046, so the mean of four tables to 0.023. What
    # chance gives the training rows it takes from the test rows, so the mean is a little above ½
    # (0.52 over ten tables). The best of the 4060 sets of three looks some 0.11 better than ½.
    assert np.mean(errors) == pytest.approx(0.5, abs=0.08)
    assert np.mean(scores) < 0.5 - 0.08


def test_the_choice_among_methods_is_inside_the_resampling(resample_results, table):
    result = compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)
    for row in result.document["best"]:
        winners = [
            next(r for r in task["rows"] if r["winner"] and r["budget"] == row["budget"])
            for task in resample_results
        ]
        assert row["honest"]["errors"] == [winner["error"] for winner in winners]
        assert row["honest"]["error"] == pytest.approx(np.mean([w["error"] for w in winners]))
        assert sum(row["methods_picked"].values()) == len(winners)
        for name, times in row["methods_picked"].items():
            assert times == sum(winner["method"] == name for winner in winners)


def test_groups_are_never_on_both_sides(monkeypatch, table):
    X, y = table
    patients = np.array([f"patient {i % 17}" for i in range(len(y))], dtype=object)
    splits = []

    def make_splits(*arguments):
        splits.extend(original(*arguments))
        return splits

    original = comparison.make_splits
    monkeypatch.setattr(comparison, "make_splits", make_splits)
    result = compare(X, y, PRICES, [5], ["auc"], groups=patients, **QUICK)
    assert len(splits) == 3
    for split in splits:
        assert set(patients[split.train]).isdisjoint(patients[split.test])
    assert result.document["settings"]["grouped"] is True


# --- budgets and choices ------------------------------------------------------------------------


def test_no_choice_costs_more_than_its_budget(resample_results, table):
    result = compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)
    prices = PRICES.align(table[0].columns)
    for row in result.document["selections"]:
        assert prices.total(row["features"]) == row["cost"] <= row["budget"]
        for tried in row["tried"]:
            assert tried["cost"] <= row["budget"]
    assert len(resample_results) == 3
    for task in resample_results:
        for row in task["rows"]:
            assert prices.total(row["features"]) <= row["budget"]
            assert row["features"]


@pytest.mark.parametrize("scoring", ["oob_error", "brier"])
def test_the_winner_has_the_lowest_selection_score(table, scoring):
    result = compare(
        *table, PRICES, BUDGETS, ALL_METHODS, scoring=scoring, **QUICK | {"n_resamples": 0}
    )
    for budget in result.budgets:
        rows = [row for row in result.document["selections"] if row["budget"] == budget]
        winner = [row for row in rows if row["winner"]]
        assert len(winner) == 1
        assert winner[0][scoring] == min(row[scoring] for row in rows)
        assert result.best(budget).method == winner[0]["method"]
        for row in rows:
            assert row[scoring] == min(tried[scoring] for tried in row["tried"])


def test_equal_scores_go_to_the_lower_cost_then_to_the_method_named_first():
    plan = Plan((2.0,), ("auc", "sts", "pfi"), None, "oob_error", 10, False, 0)

    def winner(**score_and_cost):
        best = {
            name: ScoredXi(1.0, Candidate((0,), cost, ()), OobScore(score, 0.0, 0))
            for name, (score, cost) in score_and_cost.items()
        }
        scripted = {name: {2.0: Tuned(scored, (scored,))} for name, scored in best.items()}
        return comparison._best_method(scripted, 2.0, plan)

    assert winner(auc=(0.1, 1.0), sts=(0.2, 0.5), pfi=(0.3, 0.1)) == "auc"
    assert winner(auc=(0.1, 2.0), sts=(0.1, 1.5), pfi=(0.2, 1.0)) == "sts"
    assert winner(auc=(0.2, 2.0), sts=(0.1, 1.5), pfi=(0.1, 1.5)) == "sts"


def test_budgets_are_sorted_and_used_once(table):
    quick = QUICK | {"n_resamples": 0}
    result = compare(*table, PRICES, [9, 3.0, 9.0, 5.5, 3], "auc", **quick)
    assert result.budgets == (3.0, 5.5, 9.0)
    assert result == compare(*table, PRICES, np.array([3.0, 5.5, 9.0]), ["auc"], **quick)
    assert compare(*table, PRICES, 5.5, "auc", **quick).budgets == (5.5,)


def test_a_budget_gives_the_same_alone_and_among_others(table):
    quick = QUICK | {"n_resamples": 1}
    among = compare(*table, PRICES, BUDGETS, ALL_METHODS, **quick)
    alone = compare(*table, PRICES, 5.5, ALL_METHODS, **quick)
    assert alone.best(5.5) == among.best(5.5)


def test_substitutes_fit_the_budget_and_are_not_in_the_set(table):
    X, y = table
    costs = prices_with(required=["noise"], excluded=["twin"])
    prices = costs.align(X.columns)
    result = compare(X, y, costs, BUDGETS, ["auc", "sts"], **QUICK | {"n_resamples": 0})
    n_found = 0
    for row in result.document["selections"]:
        if not row["winner"]:
            assert row["substitutes"] == []
            continue
        features = row["features"]
        # Required features must be bought, and free ones cost nothing: neither is exchanged.
        assert [s["feature"] for s in row["substitutes"]] == [
            f for f in features if f not in ("noise", "size")
        ]
        for entry in row["substitutes"]:
            if entry["substitute"] is None:
                assert entry["error_change"] is None
                continue
            n_found += 1
            assert entry["substitute"] not in [*features, "twin"]
            exchanged = [f for f in features if f != entry["feature"]] + [entry["substitute"]]
            assert prices.total(exchanged) <= row["budget"]
            assert -1 <= entry["error_change"] <= 1
    assert n_found > 0


def test_nothing_else_that_fits_means_no_substitute():
    X, y = make_table()
    result = compare(
        X[["signal", "noise"]], y, {"signal": 1, "noise": 5}, 1, "auc", n_trees=10, n_resamples=0
    )
    assert result.document["selections"][0]["substitutes"] == [
        {"feature": "signal", "substitute": None, "error_change": None}
    ]


def test_the_substitute_of_a_feature_is_its_twin():
    X, y = make_table(300)
    X = X[["signal", "noise"]].assign(copy=X["signal"], other=X["noise"] ** 2)
    result = compare(X, y, budgets=1, methods="auc", n_trees=50, n_resamples=0)
    (entry,) = result.document["selections"][0]["substitutes"]
    assert {entry["feature"], entry["substitute"]} == {"signal", "copy"}
    assert entry["error_change"] == 0.0


# --- many kinds of data -------------------------------------------------------------------------


def test_text_gaps_three_classes_and_string_labels_work_together():
    X, labels = make_table(150, n_classes=3)
    y = np.array(["benign", "malignant", "unsure"])[labels]
    result = compare(X, y, PRICES, [2, 9], ALL_METHODS, **QUICK)
    data = result.document["data"]
    assert data["classes"] == ["benign", "malignant", "unsure"]
    assert data["class_counts"] == np.bincount(labels).tolist()
    colour = next(f for f in result.document["features"] if f["feature"] == "colour")
    assert colour["text"] is True
    assert colour["n_missing"] == X["colour"].isna().sum() > 0
    # Chance is ⅔; a text column alone is well below, so its categories were put to use.
    assert result.best(2).features == ("colour", "size")
    assert result.best(2).honest.error < 0.5


def test_a_text_column_that_the_training_rows_never_fill_does_no_harm():
    X, labels = make_table(60, n_classes=3)
    X["colour"] = None
    X.loc[5, "colour"] = "red"
    result = compare(X, labels, budgets=3, methods="auc", n_trees=10, n_resamples=6, verbose=0)
    assert result.document["settings"]["n_resamples"] == 6


def test_pandas_polars_and_arrays_give_the_same(table):
    X, y = table
    numbers = X[["signal", "noise", "size"]]
    expected = compare(numbers, y, budgets=[1, 2], methods=["auc", "sts"], **QUICK)
    frame = pl.DataFrame({name: numbers[name].to_numpy() for name in numbers})
    assert compare(frame, y.tolist(), budgets=[1, 2], methods=["auc", "sts"], **QUICK) == expected
    array = compare(numbers.to_numpy(), y, budgets=[1, 2], methods=["auc", "sts"], **QUICK)
    assert [row["honest"] for row in array.document["best"]] == [
        row["honest"] for row in expected.document["best"]
    ]


def test_labels_of_a_series_go_by_position_not_by_index(table):
    X, y = table
    shuffled_index = pd.Series(y, index=np.arange(len(y))[::-1])
    one = compare(X, shuffled_index, PRICES, 5, "auc", **QUICK)
    assert one == compare(X, y, PRICES, 5, "auc", **QUICK)


def test_inputs_are_equal_before_and_after(table):
    X, y = table
    X, y = X.copy(), y.copy()
    costs = {"signal": 4, "echo": 3, "twin": 3, "noise": 1, "colour": 2, "size": 0}
    budgets, methods = [9, 3], ["sts", "auc"]
    groups = np.arange(len(y)) % 10
    before = X.copy(deep=True), y.copy(), dict(costs), groups.copy()
    compare(X, y, costs, budgets, methods, groups=groups, **QUICK)
    pd.testing.assert_frame_equal(X, before[0])
    np.testing.assert_array_equal(y, before[1])
    np.testing.assert_array_equal(groups, before[3])
    assert (costs, budgets, methods) == (before[2], [9, 3], ["sts", "auc"])


def test_without_resamples_there_is_no_honest_error_and_it_is_said_so(table):
    result = compare(*table, PRICES, BUDGETS, "auc", **QUICK | {"n_resamples": 0})
    assert result.best().honest is None
    assert result.to_frame()["error"].isna().all()
    for question in (result.frontier, result.knee, result.cheapest_good, result.money_buys):
        with pytest.raises(ValueError, match="no honest error"):
            question()


def test_one_resample_gives_an_error_without_an_interval(table, tmp_path):
    result = compare(*table, PRICES, BUDGETS, "auc", **QUICK | {"n_resamples": 1})
    assert 0 <= result.best().honest.error <= 1
    assert np.isnan(result.best().honest.low)
    result.save(tmp_path / "one.json")  # JSON knows no NaN
    assert Comparison.load(tmp_path / "one.json") == result
    assert result.cheapest_good().honest.error == min(p.error for p in result.frontier())


# --- errors -------------------------------------------------------------------------------------

X_SMALL = pd.DataFrame({"a": np.arange(30.0), "b": np.arange(30.0) % 7})
Y_SMALL = [0, 1] * 15


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"y": [1] * 30}, DataError, "one class only ('1')"),
        ({"y": []}, DataError, "the target is empty"),
        ({"y": [0, 1] * 10}, DataError, "20 labels, but the table has 30 rows"),
        ({"y": [[0], [1]] * 15}, DataError, "y has shape (30, 1)"),
        ({"y": [0, 1, None] * 10}, DataError, "missing in 10 rows, first in row 2"),
        ({"y": ["u", "v", np.nan] * 10}, DataError, "missing in 10 rows, first in row 2"),
        ({"y": pd.Series(["u", None] * 15, dtype="string")}, DataError, "missing in 15 rows"),
        ({"y": np.arange(30) / 7}, DataError, "30 different values in 30 rows"),
        ({"X": X_SMALL[:0]}, DataError, "the table is empty"),
        ({"X": X_SMALL[[]]}, DataError, "the table is empty"),
        ({"X": [1, 2, 3]}, DataError, "it must be a table"),
        ({"X": X_SMALL.assign(b=np.inf)}, DataError, "column 'b' holds an infinite value"),
        ({"costs": {"a": 1}}, CostError, "no cost for columns ['b']"),
        ({"costs": [1, 2, 3]}, CostError, "3 entries"),
        ({"budgets": [0.5, 2]}, BudgetError, "no feature fits budget=0.5"),
        ({"costs": CostModel(1, required=["a", "b"])}, BudgetError, "`required`"),
        ({"budgets": []}, ValueError, "at least one number"),
        ({"budgets": None}, ValueError, "at least one number"),
        ({"budgets": [1, np.inf]}, ValueError, "no limit is no budget"),
        ({"budgets": "1"}, BudgetError, "`budget` is '1'"),
        ({"budgets": [-1]}, BudgetError, "`budget` is -1"),
        ({"methods": ["auc", "lasso"]}, ValueError, "no method 'lasso'"),
        ({"methods": []}, ValueError, "no method was given"),
        ({"xi": "bayes"}, ValueError, "`xi` is 'bayes'"),
        ({"xi": -1}, ValueError, "`xi` is -1"),
        ({"xi": None}, ValueError, "`xi` is None"),
        ({"scoring": "auc"}, ValueError, "`scoring` is 'auc'"),
        ({"n_trees": 0}, ValueError, "`n_trees` is 0"),
        ({"n_resamples": -1}, ValueError, "`n_resamples` is -1"),
        ({"n_resamples": 2.5}, ValueError, "`n_resamples` is 2.5"),
        ({"test_share": 1}, ValueError, "`test_share` is 1"),
        ({"test_share": "0.5"}, ValueError, "`test_share` is '0.5'"),
        ({"methods": None}, ValueError, "None is no method"),
        ({"groups": [0] * 30}, DataError, "one group only"),
        ({"groups": [0, 1]}, DataError, "`groups` has shape (2,)"),
        ({"groups": ["u", None] * 15}, DataError, "`groups` is missing in 15 rows"),
        ({"groups": [0, 1] * 15}, DataError, "too few groups"),
        ({"random_state": "a"}, ValueError, "`random_state` is 'a'"),
        ({"resume": "nowhere/done.sqlite"}, DataError, "does not exist"),
    ],
)
def test_bad_input_is_said_so_before_any_forest_grows(count_tasks, change, error, message):
    arguments = {"X": X_SMALL, "y": Y_SMALL, "budgets": 1, "methods": "auc", "n_trees": 5}
    with pytest.raises(error, match=re.escape(message)):
        compare(**arguments | change)
    assert count_tasks == []


# --- the same on any number of processes, and on a cluster --------------------------------------


def test_two_processes_give_the_same_as_one_bit_for_bit(table, result):
    two = compare(*table, PRICES, BUDGETS, ALL_METHODS, n_jobs=2, **QUICK)
    assert json.dumps(two.document) == json.dumps(result.document)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        # Two Python processes start and load the package: slow where all cores are busy.
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=None,
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def has_compared():
    return "frugalforest.comparison" in sys.modules


def test_a_cluster_of_two_workers_gives_the_same_bit_for_bit(monkeypatch, cluster, table, result):
    def stay_away(*_):
        raise AssertionError("a task ran here, not on the cluster")

    monkeypatch.setattr(comparison, "_problem_on", stay_away)  # in this process only
    with joblib.parallel_config("dask"):
        on_cluster = compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)
    assert json.dumps(on_cluster.document) == json.dumps(result.document)
    assert list(cluster.run(has_compared).values()) == [True, True]


def test_the_same_seed_gives_the_same_and_another_seed_another(table, result):
    assert compare(*table, PRICES, BUDGETS, ALL_METHODS, random_state=0, **QUICK) == result
    other = compare(*table, PRICES, BUDGETS, ALL_METHODS, random_state=1, **QUICK)
    assert [r["honest"] for r in other.document["best"]] != [
        r["honest"] for r in result.document["best"]
    ]


# --- resuming -----------------------------------------------------------------------------------


def test_finished_tasks_are_not_repeated(count_tasks, table, result, tmp_path):
    ledger = tmp_path / "done.sqlite"
    first = compare(*table, PRICES, BUDGETS, ALL_METHODS, resume=ledger, **QUICK)
    assert count_tasks == ["all rows", "resample 0", "resample 1", "resample 2"]
    count_tasks.clear()
    second = compare(*table, PRICES, BUDGETS, ALL_METHODS, resume=ledger, **QUICK)
    assert count_tasks == []
    assert first == second == result


def test_more_resamples_repeat_none_of_those_finished(count_tasks, table, tmp_path):
    ledger = tmp_path / "done.sqlite"
    compare(*table, PRICES, 5, "auc", resume=ledger, **QUICK)
    count_tasks.clear()
    more = compare(*table, PRICES, 5, "auc", resume=ledger, **QUICK | {"n_resamples": 5})
    assert count_tasks == ["resample 3", "resample 4"]
    assert more == compare(*table, PRICES, 5, "auc", **QUICK | {"n_resamples": 5})


def test_a_failed_task_is_not_kept_and_those_before_it_are(
    monkeypatch, count_tasks, table, tmp_path
):
    ledger = tmp_path / "done.sqlite"
    run = comparison._run_resample

    def fail_once(*arguments):
        if arguments[-1] == 1:
            raise MemoryError
        return run(*arguments)

    with monkeypatch.context() as patch:
        patch.setattr(comparison, "_run_resample", fail_once)
        with pytest.raises(MemoryError):
            compare(*table, PRICES, 5, "auc", resume=ledger, **QUICK)
    count_tasks.clear()
    compare(*table, PRICES, 5, "auc", resume=ledger, **QUICK)
    assert count_tasks == ["resample 1", "resample 2"]


class StoppedError(Exception):
    """Carries the keys of the tasks that would have been run."""


def task_keys(monkeypatch, **changes):
    def stop(tasks, *_):
        raise StoppedError(*tasks)

    X, y = make_table(30)
    arguments = {
        "X": X,
        "y": y,
        "costs": PRICES,
        "budgets": [3, 9],
        "methods": ["auc", "sts"],
        "groups": np.arange(30) % 10,
        "n_resamples": 2,
        "verbose": 0,
    }
    with monkeypatch.context() as patch:
        patch.setattr(comparison, "_run_tasks", stop)
        with pytest.raises(StoppedError) as stopped:
            compare(**arguments | changes)
    return stopped.value.args


PLAN_CHANGES = {
    "budgets": {"budgets": [3, 9, 10]},
    "methods": {"methods": ["sts", "auc"]},
    "xi": {"xi": 1.0},
    "scoring": {"scoring": "brier"},
    "n_trees": {"n_trees": 999},
    "racing": {"racing": True},
    "seed": {"random_state": 1},
}


def swap_two_labels():
    y = make_table(30)[1]
    y[[np.argmin(y), np.argmax(y)]] = y[[np.argmax(y), np.argmin(y)]]
    return y


def change_cell(column, row, value):
    X = make_table(30)[0]
    X[column] = X[column].astype(object if isinstance(value, str) else float)
    X.loc[row, column] = value
    return X


def prices_with(**changes):
    arguments = {
        "costs": dict(PRICES.costs),
        "groups": dict(PRICES.groups),
        "group_costs": dict(PRICES.group_costs),
    }
    return CostModel(**arguments | changes)


DATA_CHANGES = {
    "a number": {"X": change_cell("noise", 3, 0.5)},
    "a number to a gap": {"X": change_cell("noise", 3, np.nan)},
    "a text": {"X": change_cell("colour", 3, "violet")},
    "a column's name": {
        "X": make_table(30)[0].rename(columns={"twin": "brother"}),
        "costs": prices_with(
            costs={("brother" if k == "twin" else k): v for k, v in PRICES.costs.items()}
        ),
    },
    "labels": {"y": swap_two_labels()},
    "the classes' names": {"y": np.array(["no", "yes"])[make_table(30)[1]]},
    "a price": {"costs": prices_with(costs=dict(PRICES.costs) | {"twin": 3.01})},
    "a fee": {"costs": prices_with(group_costs={"lab": 1.6})},
    "a group": {"costs": prices_with(groups=dict(PRICES.groups) | {"twin": "lab"})},
    "required": {"costs": prices_with(required=["noise"])},
    "excluded": {"costs": prices_with(excluded=["noise"])},
}


def test_every_field_of_the_plan_is_tested_for_its_part_in_the_key():
    assert set(PLAN_CHANGES) == {field.name for field in dataclasses.fields(Plan)}


@pytest.mark.parametrize("changes", [*PLAN_CHANGES.values(), *DATA_CHANGES.values()])
def test_a_change_of_settings_or_data_changes_every_key(monkeypatch, changes):
    before, after = task_keys(monkeypatch), task_keys(monkeypatch, **changes)
    assert set(before).isdisjoint(after)
    assert before == task_keys(monkeypatch)


@pytest.mark.parametrize(
    "changes", [{"groups": np.arange(30) % 9}, {"groups": None}, {"test_share": 0.5}]
)
def test_a_change_of_the_split_changes_the_keys_of_the_resamples(monkeypatch, changes):
    before, after = task_keys(monkeypatch), task_keys(monkeypatch, **changes)
    assert before[0] == after[0]  # the choice from all rows knows no split
    assert set(before[1:]).isdisjoint(after[1:])


def test_a_gap_and_the_text_none_have_different_keys(monkeypatch):
    X = make_table(30)[0]
    with_gap, with_text = X.copy(), X.copy()
    with_gap.loc[4, "colour"], with_text.loc[4, "colour"] = None, "None"
    assert set(task_keys(monkeypatch, X=with_gap)).isdisjoint(task_keys(monkeypatch, X=with_text))


def test_the_number_of_processes_and_the_progress_bar_are_no_part_of_the_key(monkeypatch):
    assert task_keys(monkeypatch) == task_keys(monkeypatch, n_jobs=2, verbose=1)


# A run in a process of its own. Its third task does not come to its end, so it is caught midway.
SLOW_RUN = """
import sys, time
from test_comparison import ALL_METHODS, BUDGETS, PRICES, QUICK, compare, comparison, make_table

run, started = comparison._run_named, []
def slowly(*task):
    started.append(task)
    result = run(*task)
    if len(started) > 2:
        time.sleep(60)
    return result
comparison._run_named = slowly
compare(*make_table(), PRICES, BUDGETS, ALL_METHODS, resume=sys.argv[1], **QUICK)
"""


def finished_tasks(ledger):
    """The tasks in the file, and when SQLite first put them there."""
    if not ledger.exists():
        return {}
    connection = sqlite3.connect(ledger)
    try:
        return dict(connection.execute("SELECT key, rowid FROM finished"))
    except sqlite3.OperationalError:  # not made yet
        return {}
    finally:
        connection.close()


def start_python(code, *arguments, **options):
    here = os.path.dirname(__file__)
    environment = os.environ | {"PYTHONPATH": here, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, **options)


def test_a_run_killed_midway_goes_on_where_it_was(count_tasks, table, result, tmp_path):
    ledger = tmp_path / "done.sqlite"
    deadline = time.monotonic() + 60
    with start_python(SLOW_RUN, ledger) as process:
        while len(finished_tasks(ledger)) < 2 and time.monotonic() < deadline:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    before = finished_tasks(ledger)
    assert len(before) == 2

    resumed = compare(*table, PRICES, BUDGETS, ALL_METHODS, resume=ledger, **QUICK)

    assert json.dumps(resumed.document) == json.dumps(result.document)
    assert len(count_tasks) == 2
    assert {key.rpartition(" ")[0] for key in before}.isdisjoint(count_tasks)
    after = finished_tasks(ledger)
    assert len(after) == 4
    assert {key: after[key] for key in before} == before  # replaced ones would be at the end


# --- progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("verbose", [0, 1])
def test_nothing_is_printed_where_standard_error_is_no_terminal(capfd, table, verbose):
    compare(*table, PRICES, 5, "auc", **QUICK | {"verbose": verbose})
    assert capfd.readouterr() == ("", "")


ON_A_TERMINAL = """
import sys
from test_comparison import PRICES, QUICK, compare, make_table
compare(*make_table(), PRICES, 5, "auc", **QUICK)
print("silent so far", file=sys.stderr, flush=True)
compare(*make_table(), PRICES, 5, "auc", **QUICK | {"verbose": 1})
"""


def test_a_terminal_shows_a_bar_unless_told_not_to():
    ours, theirs = pty.openpty()
    shown = b""
    with start_python(ON_A_TERMINAL, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
        printed = process.stdout.read()
    os.close(ours)
    before, _, after = shown.decode().partition("silent so far")
    assert process.returncode == 0
    assert before == ""
    assert "resample 2" in after
    assert "4/4" in after
    assert "━" in after  # the bar itself
    assert "left:" in after
    assert printed == b""


# --- questions to a comparison ------------------------------------------------------------------


def made_up(errors, costs=None, se=0.01, budgets=None):
    """A comparison with these honest errors, without any forest."""
    budgets = budgets or [float(b) for b in range(1, len(errors) + 1)]
    costs = costs or budgets
    selections, best = [], []
    for budget, cost, error in zip(budgets, costs, errors, strict=True):
        honest = {"error": error, "se": se, "low": error - 2 * se, "high": error + 2 * se}
        for name, wins in (("auc", False), ("sts", True)):
            selections.append(
                {
                    "budget": budget,
                    "method": name,
                    "winner": wins,
                    "features": ["a", "b"] if wins else ["a"],
                    "cost": cost,
                    "xi": 1.0,
                    "oob_error": error / 2,
                    "brier": error / 2,
                    "honest": {**honest, "error": error + 0.05},
                    "stability": 0.5,
                }
            )
        best.append({"budget": budget, "method": "sts", "honest": honest})
    return Comparison(
        {
            "settings": {"budgets": budgets, "methods": ["auc", "sts"]},
            "selections": selections,
            "best": best,
        }
    )


def test_best_is_the_winners_set_with_the_error_of_the_whole_procedure():
    best = made_up([0.3, 0.2]).best(1)
    assert (best.method, best.features, best.budget) == ("sts", ("a", "b"), 1.0)
    assert best.honest.error == 0.3  # not 0.35, which is that of the winning method alone
    assert made_up([0.3, 0.2]).selection(1, "sts").honest.error == pytest.approx(0.35)


def test_best_is_by_default_that_of_the_largest_budget():
    assert made_up([0.3, 0.2]).best().budget == 2.0


def test_budgets_and_methods_that_were_not_compared_are_named():
    result = made_up([0.3, 0.2])
    with pytest.raises(ValueError, match=r"budget 7: the budgets are 1, 2\."):
        result.best(7)
    with pytest.raises(ValueError, match=r"budgets are 1, 2, the methods auc, sts\."):
        result.selection(1, "forward")


def test_frontier_has_one_point_a_budget():
    points = made_up([0.3, 0.2], costs=[0.5, 2.0]).frontier()
    assert [(p.budget, p.cost, p.error, p.se) for p in points] == [
        (1.0, 0.5, 0.3, 0.01),
        (2.0, 2.0, 0.2, 0.01),
    ]


def test_knee_cheapest_good_and_money_buys_answer_for_the_frontier():
    result = made_up([0.4, 0.2, 0.195, 0.19])
    assert result.knee().budget == 2.0
    assert result.cheapest_good().budget == 2.0
    assert result.money_buys() == pytest.approx([0.2, 0.005, 0.005])


def test_a_straight_frontier_has_no_knee():
    assert made_up([0.3, 0.3, 0.3]).knee() is None
    assert made_up([0.3]).knee() is None


def test_cheapest_is_the_cheapest_set_with_at_most_that_honest_error():
    result = made_up([0.4, 0.2, 0.1])
    assert result.cheapest(max_error=0.25).budget == 2.0
    assert result.cheapest(max_error=0.1).budget == 3.0
    assert result.cheapest(max_error=0.05) is None


def test_to_frame_has_one_row_for_each_budget_and_method(result):
    frame = result.to_frame()
    assert list(zip(frame["budget"], frame["method"], strict=True)) == [
        (budget, method) for budget in BUDGETS for method in ALL_METHODS
    ]
    assert frame.groupby("budget")["winner"].sum().tolist() == [1, 1, 1]
    for row in frame.itertuples():
        selection = result.selection(row.budget, row.method)
        assert row.features == selection.features
        assert row.n_features == len(selection.features)
        assert (row.cost, row.xi, row.oob_error) == (
            selection.cost,
            selection.xi,
            selection.oob_error,
        )
        assert (row.error, row.low, row.high) == (
            selection.honest.error,
            selection.honest.low,
            selection.honest.high,
        )
        assert row.low <= row.error <= row.high


def test_frequencies_and_stability_are_those_of_the_resamples(resample_results, table):
    result = compare(*table, PRICES, BUDGETS, ["auc", "sts"], **QUICK)
    names = list(table[0].columns)
    for row in result.document["selections"]:
        sets = [
            r["features"]
            for task in resample_results
            for r in task["rows"]
            if (r["budget"], r["method"]) == (row["budget"], row["method"])
        ]
        assert len(sets) == 3
        for j, name in enumerate(names):
            assert row["frequencies"][name] == pytest.approx(np.mean([j in s for s in sets]))
        assert row["frequencies"]["size"] == 1.0  # free
        assert row["stability"] <= 1


def test_a_comparison_shows_its_methods_and_budgets(result):
    assert repr(result) == (
        "Comparison(methods=['auc', 'pfi', 'sts', 'forward'], budgets=[3.0, 5.5, 9.0])"
    )


# --- files --------------------------------------------------------------------------------------


def test_what_was_saved_is_what_is_loaded(result, tmp_path):
    file = tmp_path / "comparison.json"
    result.save(file)
    loaded = Comparison.load(file)
    assert loaded == result
    assert loaded.best() == result.best()
    assert loaded.knee() == result.knee()
    assert [path.name for path in tmp_path.iterdir()] == ["comparison.json"]


def test_names_with_accents_quotes_and_markup_survive_saving(tmp_path):
    X, y = make_table(40)
    names = ["größe", '"quoted"', "<script>", "a\nb", "価格", "plain"]
    X.columns = names
    result = compare(X, y, budgets=6, methods="auc", n_trees=5, n_resamples=1)
    result.save(tmp_path / "c.json")
    assert Comparison.load(tmp_path / "c.json").best().features == tuple(names)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no saved comparison"),
        (b"{", "is no saved comparison"),
        (b"\xff\xfe\x00", "is no saved comparison"),
        (b"[1, 2]", "is no saved comparison"),
        (b'{"format": "something else"}', "is no saved comparison"),
        (b'{"format": "frugalforest comparison"}', "it has no format version"),
    ],
)
def test_a_file_that_is_no_comparison_is_refused(tmp_path, content, message):
    file = tmp_path / "broken.json"
    file.write_bytes(content)
    with pytest.raises(DataError, match=message):
        Comparison.load(file)


def test_half_a_file_is_refused(result, tmp_path):
    file = tmp_path / "half.json"
    result.save(file)
    content = file.read_bytes()
    file.write_bytes(content[: len(content) // 2])
    with pytest.raises(DataError, match="is no saved comparison"):
        Comparison.load(file)


def test_a_file_of_a_newer_format_is_refused(result, tmp_path):
    file = tmp_path / "newer.json"
    newer = comparison.FORMAT_VERSION + 1
    file.write_text(json.dumps({**result.document, "format_version": newer}))
    with pytest.raises(DataError, match="newer frugalforest"):
        Comparison.load(file)


# Each dies in another moment of saving: half of the new file written, all of it written.
DIE_WHILE_SAVING = """
import os, signal, sys
from pathlib import Path
from frugalforest.comparison import Comparison

def die():
    os.kill(os.getpid(), signal.SIGKILL)

def write_half(path, text, **_):
    with open(path, "w") as file:
        file.write(text[: len(text) // 2])
        file.flush()
        die()

if sys.argv[2] == "half":
    Path.write_text = write_half
else:
    Path.replace = lambda *_: die()
Comparison({"new": list(range(10_000))}).save(sys.argv[1])
"""


@pytest.mark.parametrize("moment", ["half", "whole"])
def test_a_process_killed_while_saving_leaves_the_old_file(result, tmp_path, moment):
    file = tmp_path / "comparison.json"
    result.save(file)
    with start_python(DIE_WHILE_SAVING, file, moment) as process:
        pass
    assert process.returncode == -signal.SIGKILL
    assert Comparison.load(file) == result
    result.save(file)  # what the killed one left behind is no obstacle
    assert Comparison.load(file) == result


def test_a_failed_save_leaves_the_old_file_and_nothing_else(monkeypatch, result, tmp_path):
    file = tmp_path / "comparison.json"
    result.save(file)

    def fail(*_):
        raise OSError("no space left")

    with monkeypatch.context() as patch:
        patch.setattr(type(file), "replace", fail)
        with pytest.raises(OSError, match="no space left"):
            Comparison({"new": 1}).save(file)
    assert [path.name for path in tmp_path.iterdir()] == ["comparison.json"]
    assert Comparison.load(file) == result
