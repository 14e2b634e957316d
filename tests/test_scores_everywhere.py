"""All six scores the whole way on a small unbalanced problem; choosing by a score improves it."""

import json
import math

import numpy as np
import pytest
from matplotlib import pyplot

from frugalforest import (
    AUCSelector,
    Comparison,
    ForwardSelector,
    FrugalForestClassifier,
    XiSearch,
    compare,
)
from frugalforest.scores import SCORES, find_score
from reference.runners import RecordingRunner
from reference.unbalanced import CLASSES, arguments, draw_unbalanced, loss_on

NAMES = tuple(SCORES)
OTHERS = tuple(name for name in NAMES if name != "error")
ALL = pytest.mark.parametrize("scoring", NAMES)
QUICK = {"n_trees": 10, "n_resamples": 2, "verbose": 0}
METHODS = {"auto": ["auto"], "plain": ["auc", "forward"]}


def highest(scoring):
    given = arguments(scoring)
    return find_score(given["scoring"], given["error_costs"], tuple(CLASSES)).highest(2)


@pytest.fixture(scope="module")
def table():
    return draw_unbalanced(90, 0)


@pytest.fixture(scope="module")
def results(table):
    """Each comparison is made once, for all tests."""
    kept = {}

    def result(scoring, methods):
        if (scoring, methods) not in kept:
            kept[scoring, methods] = compare(
                *table, budgets=[1, 2], methods=METHODS[methods], **arguments(scoring), **QUICK
            )
        return kept[scoring, methods]

    return result


# --- the whole way ------------------------------------------------------------------------------


@pytest.mark.parametrize("methods", METHODS)
@ALL
def test_a_comparison_has_honest_values_within_bounds(results, scoring, methods):
    result = results(scoring, methods)
    assert result.score_used.name == result.settings.scoring == scoring
    for selection in (*result.selections, *map(result.best, result.budgets)):
        honest = selection.honest
        assert 0 <= honest.error <= highest(scoring)
        assert math.isfinite(selection.score)
        if math.isnan(honest.low):  # all resamples have the same value
            assert honest.se == 0 or math.isnan(honest.se)
        else:
            assert 0 <= honest.low <= honest.error <= honest.high <= highest(scoring)
        for substitute in selection.substitutes:
            assert substitute.error_change is None or math.isfinite(substitute.error_change)
    errors = [point.error for point in result.frontier()]
    assert errors == [result.best(budget).honest.error for budget in result.budgets]
    assert result.cheapest_good().budget in result.budgets
    (step,) = result.money_buys()
    assert math.isfinite(step.spent)
    assert result.cheapest(highest(scoring)) is not None


@pytest.mark.parametrize("methods", METHODS)
@ALL
def test_a_comparison_is_saved_loaded_and_shown(results, scoring, methods, tmp_path):
    result = results(scoring, methods)
    result.save(tmp_path / "r.json")
    assert Comparison.load(tmp_path / "r.json").to_dict() == result.to_dict()
    result.to_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert result.score_used.noun.lower() in page.lower()
    assert "nan" not in [word.strip("<>.,%") for word in page.split()]
    assert result._repr_html_()
    assert len(result.to_frame()) == len(result.selections)
    display = result.plot()
    pyplot.close(display.figure_)
    assert result.score_used.on_axis in display.ax_.get_ylabel()


@pytest.mark.parametrize("methods", METHODS)
@ALL
def test_a_comparison_hands_over_a_model_that_is_saved_and_loaded(
    results, table, scoring, methods, tmp_path
):
    X, y = table
    model = results(scoring, methods).fit(X, y)
    model.save(tmp_path / "m.frf")
    loaded = type(model).load(tmp_path / "m.frf")
    assert loaded.predict(X).tolist() == model.predict(X).tolist()
    assert 0 <= loss_on(model, X, y, scoring) <= highest(scoring)


@ALL
def test_finished_tasks_are_not_repeated_and_another_score_is_other_tasks(table, scoring, tmp_path):
    first, second, other = RecordingRunner(), RecordingRunner(), RecordingRunner()
    ledger = tmp_path / "done.sqlite"
    options = {"budgets": 1, "methods": "auc", "resume": ledger, **QUICK}
    one = compare(*table, **arguments(scoring), runner=first, **options)
    assert first.labels == ["all rows", "resample 0", "resample 1"]
    two = compare(*table, **arguments(scoring), runner=second, **options)
    assert second.labels == []
    assert one.to_dict() == two.to_dict()
    compare(*table, error_costs=7, runner=other, **options)
    assert len(other.labels) == 3


def test_other_error_costs_are_other_tasks(table, tmp_path):
    ledger, runner = tmp_path / "done.sqlite", RecordingRunner()
    options = {"budgets": 1, "methods": "auc", "resume": ledger, **QUICK}
    compare(*table, error_costs=7, **options)
    compare(*table, error_costs=8, runner=runner, **options)
    assert len(runner.labels) == 3


@pytest.mark.slow
@pytest.mark.parametrize("methods", METHODS)
@ALL
def test_two_processes_give_the_same_bit_for_bit(results, table, scoring, methods):
    two = compare(
        *table, budgets=[1, 2], methods=METHODS[methods], n_jobs=2, **arguments(scoring), **QUICK
    )
    assert json.dumps(two.to_dict()) == json.dumps(results(scoring, methods).to_dict())


@pytest.mark.parametrize("method", ["auto", "forward", "tune"])
@ALL
def test_an_estimator_works_with_every_score(table, scoring, method):
    X, y = table
    fitted = [
        FrugalForestClassifier(
            budget=1,
            method=method,
            n_trees=10,
            n_resamples=2,
            random_state=0,
            n_jobs=n_jobs,
            **arguments(scoring),
        ).fit(X, y)
        for n_jobs in (1, 2)
    ]
    one, two = fitted
    assert one.selected_features_.tolist() == two.selected_features_.tolist()
    np.testing.assert_array_equal(one.predict_proba(X), two.predict_proba(X))
    assert one.predict(X).tolist() == two.predict(X).tolist()
    assert 0 <= one.selection_score_ <= highest(scoring)
    np.testing.assert_allclose(one.predict_proba(X).sum(axis=1), 1)
    assert np.isfinite(one.feature_importances_).all()
    assert (one.honest_error_ is not None) == (method == "auto")


@ALL
def test_a_search_over_xi_works_with_every_score(table, scoring):
    for selector in (AUCSelector(budget=2), ForwardSelector(budget=2, n_trees=5)):
        costs = dict(zip(table[0].columns, [2, 1, 1, 1], strict=True))
        selector.set_params(random_state=0, costs=costs)
        search = XiSearch(selector, n_trees=10, **arguments(scoring)).fit(*table)
        assert search.best_score_ == np.nanmin(search.results_["score"])
        assert 0 <= search.best_score_ <= highest(scoring)
        assert search.total_cost_ <= 2
        name = {"error": "oob_error", "brier": "brier"}.get(scoring)
        if name is not None:
            np.testing.assert_array_equal(search.results_["score"], search.results_[name])


@ALL
def test_rows_may_weigh_by_class_with_every_score(table, scoring):
    X, y = table
    X = X[["level"]]
    shares = [
        FrugalForestClassifier(
            method="auc",
            budget=1,
            n_trees=10,
            random_state=0,
            class_weight=weight,
            **arguments(scoring),
        )
        .fit(X, y)
        .predict_proba(X)[:, 0]
        .mean()
        for weight in (None, "balanced", {"ill": 4, "well": 1})
    ]
    assert shares[0] < min(shares[1:])  # the ill have a greater share where they weigh more


# --- choosing by a score improves that score ----------------------------------------------------


def fit_by(scoring, method, seed, **options):
    X, y = draw_unbalanced(400, seed)
    return FrugalForestClassifier(
        budget=1, method=method, random_state=seed, **arguments(scoring), **options
    ).fit(X, y)


def mean_losses(scoring, method, n_seeds, **options):
    """On new rows: of models chosen by the error, and of models chosen by the score."""
    new = draw_unbalanced(4000, 999)
    found = np.array(
        [
            [
                loss_on(fit_by(by, method, seed, **options), *new, scoring)
                for by in ("error", scoring)
            ]
            for seed in range(n_seeds)
        ]
    )
    return found.mean(axis=0)


# By how much, at least: about half of what the populations differ by (see `unbalanced`).
BETTER = {"balanced_error": 0.11, "auc": 0.11, "brier": 0.008, "log_loss": 0.04, "cost": 0.23}


@pytest.mark.parametrize("scoring", OTHERS)
def test_choosing_by_a_score_improves_it(scoring):
    by_error, by_score = mean_losses(scoring, "forward", 3, n_trees=15)
    assert by_score < by_error - BETTER[scoring]


def test_choosing_by_the_error_has_the_lowest_error():
    new = draw_unbalanced(4000, 999)
    losses = {
        by: np.mean([loss_on(fit_by(by, "forward", s, n_trees=15), *new, "error") for s in (0, 1)])
        for by in NAMES
    }
    assert all(losses["error"] < losses[name] - 0.02 for name in OTHERS)


@pytest.mark.slow
@pytest.mark.parametrize("scoring", OTHERS)
def test_auto_by_a_score_improves_it(scoring):
    by_error, by_score = mean_losses(scoring, "auto", 3, n_trees=20, n_resamples=4)
    assert by_score < by_error - BETTER[scoring]


@pytest.mark.slow
@pytest.mark.parametrize("methods", ["auto", "forward"])
@pytest.mark.parametrize("scoring", OTHERS)
def test_a_comparison_by_a_score_buys_what_is_best_by_it_and_expects_it(scoring, methods):
    # So many rows that even the Brier scores of the two clearly differ, as `auto` asks for.
    X, y = draw_unbalanced(1600, 1)
    quick = {"n_trees": 20, "n_resamples": 5, "verbose": 0}
    result = compare(X, y, budgets=1, methods=methods, **arguments(scoring), **quick)
    assert result.best().features == ("level",)
    by_error = compare(X, y, budgets=1, methods=methods, **quick)
    assert by_error.best().features == ("mark",)
    new = draw_unbalanced(4000, 999)
    loss = loss_on(result.fit(X, y), *new, scoring)
    honest = result.best().honest
    assert honest.low <= loss <= honest.high


@pytest.mark.parametrize("scoring", OTHERS)
def test_a_search_by_a_score_finds_what_is_best_by_it(scoring):
    X, y = draw_unbalanced(400, 1)
    selector = ForwardSelector(budget=1, n_trees=15, random_state=0)
    search = XiSearch(selector, xis=[0, 1], n_trees=20, **arguments(scoring)).fit(X, y)
    assert X.columns[search.support_].tolist() == ["level"]
    by_error = XiSearch(selector, xis=[0, 1], n_trees=20).fit(X, y)
    assert X.columns[by_error.support_].tolist() == ["mark"]


@pytest.mark.parametrize("scoring", ["balanced_error", "cost"])
def test_with_the_same_columns_decisions_alone_improve_it(scoring):
    """Both models have the level alone; by votes, nobody would be called ill for certain."""
    X, y = draw_unbalanced(400, 0)
    only = X[["level"]]
    new_X, new_y = draw_unbalanced(4000, 999)
    by_error, by_score = (
        loss_on(
            FrugalForestClassifier(
                budget=1, method="auc", n_trees=25, random_state=0, **arguments(by)
            ).fit(only, y),
            new_X[["level"]],
            new_y,
            scoring,
        )
        for by in ("error", scoring)
    )
    assert by_score < by_error - BETTER[scoring]
