"""compare(): what is learned from which rows, honest errors, budgets, kinds of data, bad input."""

import re

import numpy as np
import pandas as pd
import polars as pl
import pytest

from frugalforest import Comparison, CostModel, compare
from frugalforest.comparison.options import Options
from frugalforest.comparison.plan import make_plan
from frugalforest.comparison.tasks import choose_on_all, run_resample
from frugalforest.costs import Budget
from frugalforest.errors import BudgetError, CostError, DataError
from frugalforest.evaluation.resampling import Split
from frugalforest.methods import Forward, ShallowTreeMethod
from frugalforest.results import Substitute
from frugalforest.tables import Outcome, Table
from reference.runners import RecordingRunner
from reference.small_tables import ALL_METHODS, BUDGETS, PRICES, QUICK, make_table, prices_with


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def recorded(table):
    """A comparison, and the results of its resamples."""
    runner = RecordingRunner()
    result = compare(*table, PRICES, BUDGETS, ALL_METHODS, runner=runner, **QUICK)
    return result, [task["reruns"] for task in runner.results[1:]]


# --- rows never seen ----------------------------------------------------------------------------


def test_nothing_in_the_test_rows_changes_what_a_resample_chooses(table):
    X, y = table
    test = np.arange(0, len(y), 3)
    split = Split(np.setdiff1d(np.arange(len(y)), test), test)
    poisoned, wrong = X.copy(), y.copy()
    wrong[test] = 1 - y[test]
    poisoned.loc[test, "noise"] = 1e6 * wrong[test]  # would make noise the best column of all
    poisoned.loc[test, ["signal", "echo", "twin", "size"]] = -1e6
    poisoned.loc[test, "colour"] = np.where(wrong[test], "red", "violet")
    limits = [Budget(budget) for budget in BUDGETS]
    plan = make_plan(Table.read(X), Outcome.read(y), limits, ALL_METHODS, Options(n_trees=12))
    prices = PRICES.align(X.columns)

    def run(frame, labels):
        data = Table.read(frame), Outcome.read(labels), prices, plan
        return run_resample(*data, split, 0).reruns, choose_on_all(*data).chosen

    (before, clean), (after, leaky) = run(X, y), run(poisoned, wrong)
    for key in ("budget", "method", "winner", "features"):
        assert [getattr(r, key) for r in before] == [getattr(r, key) for r in after]
    # The poison works: it changes the test errors, and what is chosen from all rows.
    assert [r.error for r in before] != [r.error for r in after]
    assert [c.features for c in clean] != [c.features for c in leaky]


@pytest.mark.slow
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


def test_the_choice_among_methods_is_inside_the_resampling(recorded):
    result, resamples = recorded
    for procedure in result.procedures:
        winners = [
            next(r for r in reruns if r["winner"] and r["budget"] == procedure.budget)
            for reruns in resamples
        ]
        assert procedure.honest.errors == tuple(winner["error"] for winner in winners)
        assert procedure.honest.error == pytest.approx(np.mean([w["error"] for w in winners]))
        assert sum(procedure.methods_picked.values()) == len(winners)
        for name, times in procedure.methods_picked.items():
            assert times == sum(winner["method"] == name for winner in winners)


def test_rows_of_a_group_are_never_on_both_sides(table):
    X, y = table
    patients = np.array([f"patient {i % 17}" for i in range(len(y))], dtype=object)
    splits = []

    def look(tasks, *, shared=(), **_):
        splits.extend(task.arguments[0] for task in tasks if task.arguments)
        yield from RecordingRunner()(tasks, shared=shared)

    result = compare(X, y, PRICES, [5], ["auc"], row_groups=patients, runner=look, **QUICK)
    assert len(splits) == 3
    for split in splits:
        assert set(patients[split.train]).isdisjoint(patients[split.test])
    assert result.settings.row_groups is True


# --- budgets and choices ------------------------------------------------------------------------


def test_no_choice_costs_more_than_its_budget(recorded, table):
    result, resamples = recorded
    prices = PRICES.align(table[0].columns)
    for selection in result.selections:
        assert prices.total(selection.features) == selection.cost <= selection.budget
        for tried in selection.tried:
            assert tried.cost <= selection.budget
    assert len(resamples) == 3
    for reruns in resamples:
        for rerun in reruns:
            assert prices.total(rerun["features"]) <= rerun["budget"]
            assert rerun["features"]


@pytest.mark.parametrize(("scoring", "field"), [("error", "oob_error"), ("brier", "brier")])
def test_the_winner_has_the_lowest_selection_score(table, scoring, field):
    result = compare(
        *table, PRICES, BUDGETS, ALL_METHODS, scoring=scoring, **QUICK | {"n_resamples": 0}
    )
    for budget in result.budgets:
        rows = [s for s in result.selections if s.budget == budget]
        best = result.best(budget)
        assert best.score == getattr(best, field) == min(s.score for s in rows)
        for row in rows:
            assert row.score == getattr(row, field) == min(tried.score for tried in row.tried)


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


def test_a_method_given_as_an_object_keeps_its_parameters(table):
    quick = QUICK | {"n_resamples": 0}
    given = compare(*table, PRICES, 5.5, [Forward(xis=[0.5], n_trees=7)], **quick)
    assert given.selection(5.5, "forward").xi == 0.5
    assert len(given.selection(5.5, "forward").tried) == 1
    with pytest.raises(ValueError, match="'forward' is given twice"):
        compare(*table, PRICES, 5.5, [Forward(), Forward(racing=True)], **quick)


@pytest.mark.parametrize("trees", ["features", "cost"])
def test_shallow_trees_with_other_limits_take_part(table, trees):
    quick = QUICK | {"n_resamples": 1}
    method = ShallowTreeMethod(n_trees=10, trees=trees, zeta="xi")
    found = compare(*table, PRICES, BUDGETS, [method], **quick)
    assert all(0 < row.cost <= row.budget for row in found.selections)


def test_substitutes_fit_the_budget_and_are_not_in_the_set(table):
    X, y = table
    costs = prices_with(required=["noise"], excluded=["twin"])
    prices = costs.align(X.columns)
    result = compare(X, y, costs, BUDGETS, ["auc", "sts"], **QUICK | {"n_resamples": 0})
    n_found = 0
    for row in result.selections:
        if row.method != result.procedure(row.budget).method:
            assert row.substitutes == ()
            continue
        # Required features must be bought, and free ones cost nothing: neither is exchanged.
        assert [s.feature for s in row.substitutes] == [
            f for f in row.features if f not in ("noise", "size")
        ]
        for entry in row.substitutes:
            if entry.substitute is None:
                assert entry.error_change is None
                continue
            n_found += 1
            assert entry.substitute not in [*row.features, "twin"]
            exchanged = [f for f in row.features if f != entry.feature] + [entry.substitute]
            assert prices.total(exchanged) <= row.budget
            assert -1 <= entry.error_change <= 1
    assert n_found > 0


def test_nothing_else_that_fits_means_no_substitute():
    X, y = make_table()
    result = compare(
        X[["signal", "noise"]], y, {"signal": 1, "noise": 5}, 1, "auc", n_trees=10, n_resamples=0
    )
    assert result.selections[0].substitutes == (Substitute("signal", None, None),)


def test_the_substitute_of_a_feature_is_its_twin():
    X, y = make_table(300)
    X = X[["signal", "noise"]].assign(copy=X["signal"].round(1), other=X["noise"] ** 2)
    result = compare(X, y, budgets=1, methods="auc", n_trees=50, n_resamples=0)
    (entry,) = result.selections[0].substitutes
    assert {entry.feature, entry.substitute} == {"signal", "copy"}
    assert abs(entry.error_change) < 0.1


# --- many kinds of data -------------------------------------------------------------------------


def test_text_gaps_three_classes_and_string_labels_work_together():
    X, labels = make_table(150, n_classes=3)
    y = np.array(["benign", "malignant", "unsure"])[labels]
    result = compare(X, y, PRICES, [2, 9], ALL_METHODS, **QUICK)
    assert result.data.classes == ("benign", "malignant", "unsure")
    assert result.data.class_counts == tuple(np.bincount(labels).tolist())
    colour = next(f for f in result.features if f.feature == "colour")
    assert colour.kind == "text"
    assert colour.n_missing == X["colour"].isna().sum() > 0
    # Chance is ⅔; a text column alone is well below, so its categories were put to use.
    assert result.best(2).features == ("colour", "size")
    assert result.best(2).honest.error < 0.5


def test_a_text_column_that_the_training_rows_never_fill_does_no_harm():
    X, labels = make_table(60, n_classes=3)
    quick = {"budgets": 3, "methods": "auc", "n_trees": 10, "n_resamples": 6, "verbose": 0}
    X["colour"] = None
    X.loc[5, "colour"] = "red"
    result = compare(X, labels, **quick)
    # One cell of sixty tells nothing: the errors are those of the table without the column.
    without = compare(X.drop(columns="colour"), labels, **quick)
    assert result.best().features == without.best().features
    assert result.best().honest.errors == without.best().honest.errors


def test_pandas_polars_and_arrays_give_the_same(table):
    X, y = table
    numbers = X[["signal", "noise", "size"]]
    expected = compare(numbers, y, budgets=[1, 2], methods=["auc", "sts"], **QUICK)
    frame = pl.DataFrame({name: numbers[name].to_numpy() for name in numbers})
    assert compare(frame, y.tolist(), budgets=[1, 2], methods=["auc", "sts"], **QUICK) == expected
    array = compare(numbers.to_numpy(), y, budgets=[1, 2], methods=["auc", "sts"], **QUICK)
    assert [p.honest for p in array.procedures] == [p.honest for p in expected.procedures]


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
    compare(X, y, costs, budgets, methods, row_groups=groups, **QUICK)
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
    runner = RecordingRunner()
    one = QUICK | {"n_resamples": 1}
    result = compare(*table, PRICES, BUDGETS, "auc", runner=runner, **one)
    (reruns,) = (task["reruns"] for task in runner.results[1:])
    result.save(tmp_path / "one.json")  # JSON knows no NaN
    loaded = Comparison.load(tmp_path / "one.json")
    assert loaded.to_dict() == result.to_dict()
    for budget in BUDGETS:
        (rerun,) = (rerun for rerun in reruns if rerun["budget"] == budget)
        for honest in (result.best(budget).honest, loaded.best(budget).honest):
            assert honest.errors == (honest.error,) == (rerun["error"],)
            assert np.isnan([honest.se, honest.low, honest.high]).all()
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
        (
            {"y": [0, 1, None] * 10},
            DataError,
            "missing in 10 rows, first in row 3 (counted from 1)",
        ),
        (
            {"y": ["u", "v", np.nan] * 10},
            DataError,
            "missing in 10 rows, first in row 3 (counted from 1)",
        ),
        ({"y": pd.Series(["u", None] * 15, dtype="string")}, DataError, "missing in 15 rows"),
        (
            {"y": np.arange(30) / 7, "task": "classification"},
            DataError,
            "30 different values in 30 rows",
        ),
        ({"X": X_SMALL[:0]}, DataError, "the table is empty"),
        ({"X": X_SMALL[[]]}, DataError, "the table is empty"),
        ({"X": [1, 2, 3]}, DataError, "it must be a table"),
        ({"X": X_SMALL.assign(b=np.inf)}, DataError, "column 'b' holds an infinite value"),
        ({"costs": {"a": 1}}, CostError, "no cost for columns ['b']"),
        ({"costs": [1, 2, 3]}, CostError, "3 entries"),
        ({"budgets": [0.5, 2]}, BudgetError, "no feature fits budget=0.5"),
        ({"costs": CostModel(1, required=["a", "b"])}, BudgetError, "`required`"),
        ({"budgets": []}, ValueError, "at least one number"),
        ({"budgets": [1, np.inf]}, ValueError, "no limit is no budget"),
        ({"budgets": "1"}, BudgetError, "`budget` is '1'"),
        ({"budgets": [-1]}, BudgetError, "`budget` is -1"),
        ({"methods": ["auc", "boosting"]}, ValueError, "no method 'boosting'"),
        ({"methods": ["auk"]}, ValueError, "Did you mean 'auc'?"),
        ({"methods": []}, ValueError, "no method was given"),
        ({"xi": "bayes"}, ValueError, "`xi` is 'bayes'"),
        ({"xi": -1}, ValueError, "`xi` is -1"),
        ({"xi": None}, ValueError, "`xi` is None"),
        ({"scoring": "oob_error"}, ValueError, "`scoring` is 'oob_error'"),
        ({"n_trees": 0}, ValueError, "`n_trees` is 0"),
        ({"n_resamples": -1}, ValueError, "`n_resamples` is -1"),
        ({"n_resamples": 2.5}, ValueError, "`n_resamples` is 2.5"),
        ({"test_share": 1}, ValueError, "`test_share` is 1"),
        ({"test_share": "0.5"}, ValueError, "`test_share` is '0.5'"),
        ({"methods": 5}, ValueError, "5 is no method"),
        ({"row_groups": [0] * 30}, DataError, "one group only"),
        ({"row_groups": [0, 1]}, DataError, "`row_groups` has shape (2,)"),
        ({"row_groups": ["u", None] * 15}, DataError, "`row_groups` is missing in 15 rows"),
        ({"row_groups": [0, 1] * 15}, DataError, "too few groups"),
        ({"random_state": "a"}, ValueError, "`random_state` is 'a'"),
        ({"resume": "nowhere/done.sqlite"}, DataError, "does not exist"),
    ],
)
def test_bad_input_is_said_so_before_any_forest_grows(change, error, message):
    arguments = {"X": X_SMALL, "y": Y_SMALL, "budgets": 1, "methods": "auc", "n_trees": 5}
    runner = RecordingRunner()
    with pytest.raises(error, match=re.escape(message)):
        compare(**arguments | change, runner=runner)
    assert runner.labels == []
