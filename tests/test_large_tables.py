"""A search on part of the rows, and the judgement of what it finds on all of them."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from typer.testing import CliRunner

from frugalforest import Comparison, FrugalForestClassifier, compare
from frugalforest.cli.app import app
from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.evaluation.parts import make_parts, search_rows_for
from frugalforest.evaluation.resampling import ErrorEstimate, seed_on_all_rows
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.problem import Problem
from frugalforest.report import render
from frugalforest.scores import vote_error
from reference.runners import RecordingRunner
from reference.small_tables import make_table

ROWS, SEARCHED = 600, 90
FEW_SEARCHED = 30  # then there is a race
QUICK = {"n_trees": 20, "n_resamples": 2, "verbose": 0, "search_rows": SEARCHED}


@pytest.fixture(scope="module")
def table():
    return make_table(ROWS)


@pytest.fixture(scope="module")
def compared(table):
    return compare(*table, budgets=[1, 3], methods=["auto", "auc"], **QUICK)


# --- parts --------------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.integers(1, 400), min_size=2, max_size=5),
    st.floats(0.01, 0.7),
    st.integers(0, 9),
)
def test_parts_grow_and_leave_the_rows_held_out_alone(sizes, share, seed):
    labels = np.repeat(np.arange(len(sizes)), sizes)
    parts = make_parts(labels, max(1, int(share * len(labels))), seed)
    steps = [parts.search, *parts.race, parts.final.train]
    for small, large in pairwise(steps):
        assert set(small) <= set(large)
    together = np.concatenate([parts.final.train, parts.final.test])
    assert sorted(together) == list(range(len(labels)))
    for k, size in enumerate(sizes):
        held_out = int((labels[parts.final.test] == k).sum())
        assert held_out == min(max(1, round(0.2 * size)), size - 1)
        searched = int((labels[parts.search] == k).sum())
        wanted = max(2, round(len(parts.search) and int(share * len(labels)) / len(labels) * size))
        assert abs(searched - min(wanted, size - held_out)) <= 1


def test_groups_are_in_a_part_or_out():
    groups = np.repeat(np.arange(60), 5)
    labels = np.arange(300) % 2
    parts = make_parts(labels, 60, seed=0, groups=RowGroups.of(groups))
    for rows in (parts.search, *parts.race, parts.final.test):
        inside = set(groups[rows])
        outside = set(groups[np.setdiff1d(np.arange(300), rows)])
        assert inside.isdisjoint(outside)


def test_too_few_groups_for_every_class_are_said():
    groups = np.repeat([0, 1, 2], 100)
    labels = (groups == 2).astype(int)
    with pytest.raises(DataError, match="ask for more `search_rows`, or None for all"):
        make_parts(labels, 60, seed=0, groups=RowGroups.of(groups))


@pytest.mark.parametrize("wrong", ["some", 3, 0, -1, 2.5, True])
def test_what_search_rows_cannot_be(wrong, table):
    with pytest.raises(ValueError, match=r"`search_rows` is .*'auto', a whole number from 10 on"):
        search_rows_for(wrong, 500)
    with pytest.raises(ValueError, match="`search_rows` is"):
        compare(*table, budgets=[1], methods=["auc"], search_rows=wrong)


# --- errors -------------------------------------------------------------------------------------


def test_the_honest_error_is_that_on_rows_held_out(table, compared):
    X, y = table
    parts = make_parts(y, SEARCHED, seed=0)
    problem = Problem.from_table(
        X.iloc[parts.final.train],
        y[parts.final.train],
        random_state=seed_on_all_rows(0),
        forests=ForestSettings(n_trees=20),
    )
    new = problem.table.schema.read(X.iloc[parts.final.test])
    for budget in compared.budgets:
        chosen = compared.selection(budget, "auc")
        features = tuple(sorted(X.columns.get_loc(name) for name in chosen.features))
        error = vote_error(problem.predict([features], new)[0], y[parts.final.test])
        assert chosen.honest.error == pytest.approx(error)
        assert chosen.honest.low <= error <= chosen.honest.high


def test_the_error_of_auto_is_near_that_of_its_set_on_rows_held_out(compared):
    for budget in compared.budgets:
        best = compared.selection(budget, "auto")
        assert best.honest.errors[0] == pytest.approx(best.honest.error, abs=2 * best.honest.se)
        assert best.cost <= budget


def test_a_budget_above_the_price_of_all_is_as_good_as_that(table):
    price = table[0].shape[1]
    enough, more = (
        compare(*table, budgets=[budget], methods=["auto"], **QUICK).best()
        for budget in (price, price + 2)
    )
    assert (enough.features, enough.honest) == (more.features, more.honest)


def test_nothing_in_the_rows_held_out_changes_search_or_race(table):
    X, y = table
    parts = make_parts(y, FEW_SEARCHED, seed=0)
    test = parts.final.test

    def poisoned(rows):
        """With noise that tells the classes of these rows: the best column of all."""
        own = X["noise"].to_numpy().copy()
        own[rows] = 1e6 * y[rows]
        return X.assign(noise=own)

    def searched(X):
        runner = RecordingRunner()
        few = QUICK | {"search_rows": FEW_SEARCHED}
        compare(X, y, budgets=[1, 3], methods=["auto", "auc"], runner=runner, **few)
        n_most = sum(f"on {ROWS - len(test)} rows" in label for label in runner.labels)
        at = next(i for i, s in enumerate(runner.labels) if f"on {ROWS - len(test)} rows" in s)
        assert n_most
        return runner.labels[:at], runner.results[:at]

    labels, before = searched(X)
    assert searched(poisoned(test)) == (labels, before)
    assert searched(poisoned(parts.search))[1] != before  # the poison works where it is seen
    race = [len(part) for part in parts.race]
    assert race
    assert all(any(label.endswith(f"on {n} rows") for label in labels) for n in race)


def test_rows_without_any_error_have_an_interval_all_the_same():
    estimate = ErrorEstimate.of_rows(np.zeros(1000))
    assert (estimate.low, estimate.high) == (0, 0.003)


def test_a_perfect_column_has_an_interval(table):
    X, y = table
    result = compare(X.assign(copy=y), y, budgets=[1], methods=["auto"], **QUICK)
    honest = result.best(1).honest
    assert honest.error == 0
    assert 0 < honest.high < 0.05


# --- the whole way ------------------------------------------------------------------------------


def test_the_model_is_the_one_that_was_measured(table, compared, tmp_path):
    compared.save(tmp_path / "selection.json")
    Comparison.load(tmp_path / "selection.json").fit(*table)  # it compares the errors


def test_page_and_settings_say_on_how_many_rows_what_was_done(compared):
    page = render(compared)
    assert (compared.settings.search_rows, compared.settings.held_out_rows) == (SEARCHED, 120)
    assert "search_rows=90" in page
    assert "Sets were looked for on 90" in page
    assert "neither search nor race has seen" in page
    assert "t distribution" not in page


def test_what_is_finished_is_not_done_again(table, tmp_path):
    file = tmp_path / "kept.sqlite"
    asked = {"budgets": [1, 3], "methods": ["auto"], "resume": file, **QUICK}
    first = compare(*table, **asked)
    runner = RecordingRunner()
    again = compare(*table, **asked, runner=runner)
    assert runner.labels == []
    assert again.selections == first.selections


@pytest.mark.slow
def test_the_same_with_worker_processes(table, compared):
    again = compare(*table, budgets=[1, 3], methods=["auto", "auc"], n_jobs=2, **QUICK)
    assert again.selections == compared.selections


def test_rows_of_a_group_stay_together(table):
    groups = np.arange(ROWS) // 4
    result = compare(*table, budgets=[2], methods=["auto"], row_groups=groups, **QUICK)
    assert result.best(2).honest.error < 0.4


@pytest.mark.parametrize("scoring", ["balanced_error", "auc", "brier", "log_loss"])
def test_every_score_goes_the_same_way(table, scoring):
    result = compare(*table, budgets=[3], methods=["auto", "auc"], scoring=scoring, **QUICK)
    for method in ("auto", "auc"):
        honest = result.selection(3, method).honest
        assert honest.low < honest.error < honest.high


def test_without_resamples_there_is_no_honest_error(table):
    result = compare(*table, budgets=[3], methods=["auto", "auc"], **QUICK | {"n_resamples": 0})
    assert [s.honest for s in result.selections] == [None, None]
    page = render(result)
    assert "Sets were looked for on 90" in page
    assert "seen: the honest error" not in page


def test_nothing_is_bought_where_nothing_helps():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(800, 5)), (np.arange(800) < 251).astype(int)
    result = compare(X, y, budgets=[2], methods=["auto"], **QUICK)
    assert result.best(2).features == ()
    assert result.fit(X, y).oob_error == 251 / 800  # of all rows, not of those searched


def test_a_final_model_is_judged_on_rows_held_out(table):
    X, y = table
    X = X[["signal", "twin", "noise"]]
    result = compare(X, y, budgets=[2], methods=["auto"], final=LogisticRegression(), **QUICK)
    assert result.best(2).honest.error < 0.25


@pytest.mark.parametrize("method", ["auto", "auc", "tune"])
def test_the_classifier_searches_on_a_part(table, method):
    X, y = table
    kept = {"n_trees": 20, "n_resamples": 2, "random_state": 0}
    model = FrugalForestClassifier(budget=3, method=method, search_rows=SEARCHED, **kept)
    model.fit(X, y)
    assert model.total_cost_ <= 3
    assert (model.honest_error_ is not None) == (method == "auto")
    assert model.model_.oob_error == model.selection_score_  # of all rows, not of those searched


def test_the_command_line_takes_search_rows(table, tmp_path):
    X, y = table
    X.assign(ill=y).to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "--target", "ill", "--budget", "2"]
    command += ["--methods", "auto", "--trees", "20", "--resamples", "2", "--jobs", "1"]
    command += ["--out", str(tmp_path / "out")]
    told = CliRunner().invoke(app, [*command, "--search-rows", "90"])
    assert told.exit_code == 0, told.output
    words = " ".join(told.output.split())
    assert "Sets were looked for on 90 of the rows, and tested on 120 others." in words
    assert "--search-rows 90" in (tmp_path / "out" / "report.html").read_text()
    wrong = CliRunner().invoke(app, [*command, "--search-rows", "few"])
    assert wrong.exit_code == 2
    assert "neither 'auto' nor 'all' nor a whole number" in " ".join(wrong.output.split())


@pytest.mark.slow
def test_above_20000_rows_a_part_is_searched_with_fewer_trees():
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(40_000, 4)), columns=list("abcd"))
    y = (X["a"] + X["b"] + rng.normal(size=40_000) > 0).to_numpy()
    result = compare(X, y, budgets=[1, 2], methods=["auto"], n_resamples=2, verbose=0)
    facts = result.settings
    assert (facts.search_rows, facts.held_out_rows, facts.n_trees) == (5000, 8000, 500)
    assert result.best(2).features == ("a", "b")
    assert 0.196 < result.best(2).honest.error < 0.26  # Bayes error: arctan(1/√2) / π
