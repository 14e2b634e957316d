"""Every score where data are awkward: rare classes, perfect columns, noise, little memory."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from frugalforest import Comparison, FrugalForestClassifier, compare
from frugalforest import problem as problem_module
from frugalforest.engine import ForestSettings, score_sets
from frugalforest.errors import DataError
from frugalforest.problem import Problem
from frugalforest.scores import SCORES, find_score

NAMES = tuple(SCORES)
ALL = pytest.mark.parametrize("scoring", NAMES)
QUICK = {"n_trees": 10, "n_resamples": 3, "verbose": 0}
METHODS = pytest.mark.parametrize("methods", ["auto", "auc"])


def arguments(scoring):
    return {"scoring": scoring, "error_costs": 5 if scoring == "cost" else None}


def score_named(scoring, classes):
    return find_score(scoring, 5 if scoring == "cost" else None, classes)


def check_written(result, tmp_path):
    result.save(tmp_path / "r.json")
    assert Comparison.load(tmp_path / "r.json").to_dict() == result.to_dict()
    result.to_html(tmp_path / "r.html")
    pyplot.close(result.plot().figure_)
    assert result.cheapest_good().budget in result.budgets


@METHODS
@ALL
def test_a_class_of_two_rows_is_no_obstacle(scoring, methods, tmp_path):
    rng = np.random.default_rng(0)
    y = np.array(["common"] * 50 + ["other"] * 20 + ["rare"] * 2)
    X = pd.DataFrame({"a": (y == "other") + rng.normal(0, 0.7, 72), "b": rng.normal(size=72)})
    result = compare(X, y, budgets=[1, 2], methods=methods, **arguments(scoring), **QUICK)
    for budget in result.budgets:
        assert math.isfinite(result.best(budget).honest.error)
    check_written(result, tmp_path)


@ALL
def test_a_class_that_no_test_row_has_is_no_obstacle(scoring, tmp_path):
    """The only row of a class is always learned from."""
    rng = np.random.default_rng(0)
    y = np.array(["common"] * 50 + ["other"] * 20 + ["single"])
    X = pd.DataFrame({"a": (y == "other") + rng.normal(0, 0.7, 71), "b": rng.normal(size=71)})
    result = compare(X, y, budgets=1, methods="auc", **arguments(scoring), **QUICK)
    assert math.isfinite(result.best().honest.error)
    assert result.best().diagnosis.n_cases[2] == 0
    check_written(result, tmp_path)


@METHODS
@ALL
def test_a_column_that_tells_all_is_written_and_read(scoring, methods, tmp_path):
    y = np.array(["ill"] * 12 + ["well"] * 36)
    X = pd.DataFrame({"a": (y == "ill") * 1.0, "b": np.arange(48.0) % 5})
    result = compare(X, y, budgets=1, methods=methods, **arguments(scoring), **QUICK)
    assert result.best().honest.error == pytest.approx(0, abs=2e-3)
    assert result.best().diagnosis.auc.value == 1
    check_written(result, tmp_path)


@ALL
def test_of_noise_nothing_is_bought_and_the_score_of_nothing_is_expected(scoring, tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(90) % 4 == 0, "ill", "well")
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    result = compare(X, y, budgets=1, methods="auto", **arguments(scoring), **QUICK)
    best = result.best()
    assert best.features == ()
    counts = np.unique(y, return_counts=True)[1]
    expected = score_named(scoring, ("ill", "well")).of_nothing(counts)
    # Shares of classes are not known to the last digit, which decisions do not mind here.
    by_shares = scoring in ("brier", "log_loss")
    assert (best.honest.error > expected) == by_shares
    assert best.honest.error == pytest.approx(expected, rel=0.05 if by_shares else 1e-6)
    assert result.score_used.of_nothing == pytest.approx(expected)
    check_written(result, tmp_path)
    model = FrugalForestClassifier(
        budget=1, n_trees=10, n_resamples=3, random_state=0, **arguments(scoring)
    ).fit(X, y)
    assert model.selected_features_.tolist() == []
    assert model.predict(X).shape == (90,)


# --- scores of many sets at once ----------------------------------------------------------------


def draw_problem(scoring, n_classes=3):
    rng = np.random.default_rng(0)
    labels = rng.choice(n_classes, 80, p=(0.2, 0.3, 0.5))
    X = labels[:, np.newaxis] + rng.normal(0, 1.5, (80, 4))
    y = np.array(["a", "b", "c"])[labels]
    score = score_named(scoring, ("a", "b", "c"))
    return Problem.from_table(X, y, score=score, forests=ForestSettings(n_trees=15))


SETS = [(0,), (1,), (0, 1), (2, 3), (0, 1, 2, 3)]


@ALL
def test_scores_do_not_depend_on_how_much_is_done_at_once(scoring, monkeypatch):
    at_once = draw_problem(scoring)
    values = at_once.scores(SETS)
    new = at_once.predict(SETS, at_once.table)
    monkeypatch.setattr(problem_module, "_MOST_SHARES", 1)
    one_by_one = draw_problem(scoring)
    assert one_by_one.scores(SETS) == values
    np.testing.assert_array_equal(one_by_one.predict(SETS, one_by_one.table), new)
    forests = ForestSettings(n_trees=5)
    np.testing.assert_array_equal(
        one_by_one.brief_scores(SETS, "here", forests), at_once.brief_scores(SETS, "here", forests)
    )


@ALL
def test_scores_of_a_set_and_one_more_are_those_of_the_larger_set(scoring):
    problem, forests = draw_problem(scoring), ForestSettings(n_trees=15)
    found = problem.extended_scores((1,), [0, 2, 3], "here", forests)
    each = problem.brief_scores([(0, 1), (1, 2), (1, 3)], "here", forests)
    np.testing.assert_allclose(found, each, rtol=0, atol=1e-12)


@ALL
def test_selection_scores_are_those_of_shares_out_of_the_bag(scoring):
    """With the same forest: by votes for the error, otherwise by what batches say of shares."""
    problem = draw_problem(scoring)
    (found,) = problem.scores([(0, 1)])
    own = [(0, 1)], [problem.forest_seed], problem.forests
    batch = score_sets(problem.data, problem.target, *own, keep_shares=True)
    shares, labels = batch.oob_shares[0], problem.outcome.labels
    if scoring == "error":
        assert found.value == found.oob_error == batch.oob_error[0]
    else:
        value = problem.score.of_rows(shares, labels, problem.outcome.counts)
        assert found.value == pytest.approx(value, rel=1e-12)
    assert found.brier == batch.brier[0]


# --- files whose score was changed --------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "beauty"}, "no score that is known"),
        ({"name": "brier"}, "do not go with"),
        ({"error_costs": []}, "do not go with"),
        ({"error_costs": [[0, 5]]}, "each pair of classes"),
        ({"error_costs": [[0, 5], [5]]}, "each pair of classes"),
        ({"error_costs": [[0, -5], [5, 0]]}, "no amount of money"),
        ({"error_costs": [[0, 0.001], [0.001, 0]]}, "out of bounds"),
    ],
)
def test_a_file_whose_score_was_changed_is_refused(change, message, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = pd.DataFrame({"a": y + rng.normal(size=40)})
    result = compare(X, y, budgets=1, methods="auc", error_costs=5, **QUICK)
    document = result.to_dict()
    document["score_used"] |= change
    document["settings"]["scoring"] = document["score_used"]["name"]
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match=message):
        Comparison.load(tmp_path / "r.json")
