"""Comparison: questions to it, the final model, and its file."""

import json
import signal
from dataclasses import replace
from functools import partial

import matplotlib
import numpy as np
import pytest
from matplotlib import pyplot

from frugalforest import Comparison, compare
from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import ErrorEstimate, nogueira_stability
from frugalforest.plotting import FrontierDisplay
from frugalforest.problem import Problem
from frugalforest.results import BestOfMethods, DataFacts, ScoreFacts, Selection, Settings
from reference.runners import RecordingRunner
from reference.small_tables import ALL_METHODS, BUDGETS, PRICES, QUICK, make_table
from test_compare_runs import start_python


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def result(table):
    return compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)


def test_the_models_of_several_budgets_are_those_of_each(table, result, monkeypatch):
    X, y = table
    read = []
    monkeypatch.setattr(Problem, "from_table", partial(_noting, read, Problem.from_table))
    models = list(result.fit_each(X, y, BUDGETS, about=lambda chosen: {"cost": chosen.cost}))
    assert len(read) == 1  # the table is read and coded once
    for budget, model in zip(BUDGETS, models, strict=True):
        alone = result.fit(X, y, budget)
        assert model.features == alone.features == result.best(budget).features
        assert model.oob_error == alone.oob_error
        assert model.about == {**alone.about, "cost": result.best(budget).cost}


def _noting(calls, function, *args, **kwargs):
    calls.append(args)
    return function(*args, **kwargs)


def made_up(errors, costs=None, se=0.01, budgets=None):
    """A comparison with these honest errors, without any forest."""
    budgets = budgets or [float(b) for b in range(1, len(errors) + 1)]
    selections, procedures = [], []
    for budget, cost, error in zip(budgets, costs or budgets, errors, strict=True):
        honest = ErrorEstimate(error, se, error - 2 * se, error + 2 * se)
        worse = replace(honest, error=error + 0.05)
        scores = (error / 2, error / 2, error / 2)
        selections += [
            Selection(budget, cost, ("a",), "auc", 1.0, *scores, worse),
            Selection(budget, cost, ("a", "b"), "sts", 1.0, *scores, worse),
        ]
        procedures.append(BestOfMethods(budget, "sts", {"auc": 0, "sts": 3}, honest, {}, 0.5))
    settings = Settings(tuple(budgets), ("auc", "sts"), None, "error", 10, 3, 1 / 3, False, 0)
    facts = DataFacts(20, 2, ("no", "yes"), (10, 10), "0")
    score = ScoreFacts("error", "out-of-bag error", 0.5)
    return Comparison(facts, settings, (), (), score, tuple(selections), tuple(procedures))


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


def test_knee_and_cheapest_good_answer_for_the_frontier():
    result = made_up([0.4, 0.2, 0.195, 0.19])
    assert result.knee().budget == 2.0
    assert result.cheapest_good().budget == 2.0
    assert result.recommended == result.cheapest_good()


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


def test_a_comparison_shows_its_methods_and_budgets(result):
    assert repr(result) == (
        "Comparison(methods=('auc', 'pfi', 'sts', 'forward'), budgets=(3.0, 5.5, 9.0))"
    )


# --- the model ----------------------------------------------------------------------------------


def test_the_model_is_the_forest_that_was_measured(result, table):
    for budget in result.budgets:
        model = result.fit(*table, budget)
        assert model.features == result.best(budget).features
        assert model.oob_error == result.best(budget).oob_error


def test_a_model_of_other_rows_is_refused(result, table):
    X, y = table
    swapped = y.copy()
    swapped[[0, np.argmax(y != y[0])]] = y[[np.argmax(y != y[0]), 0]]
    for other in [(X[:60], y[:60]), (X.drop(columns="noise"), y), (X, swapped)]:
        with pytest.raises(DataError, match="not the table and the target that were compared on"):
            result.fit(*other)


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
    result = compare(X, y, budgets=6, methods="auc", n_trees=5, n_resamples=1, verbose=0)
    result.save(tmp_path / "c.json")
    assert Comparison.load(tmp_path / "c.json").best().features == tuple(names)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "is no saved comparison"),
        (b"{", "is no saved comparison"),
        (b"\xff\xfe\x00", "is no saved comparison"),
        (b"[" * 100_000, "is no saved comparison"),
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


@pytest.mark.parametrize(("version", "message"), [(4, "newer frugalforest"), (2, "an older")])
def test_a_file_of_another_format_is_refused(result, tmp_path, version, message):
    file = tmp_path / "other.json"
    file.write_text(json.dumps({**result.to_dict(), "format_version": version}))
    with pytest.raises(DataError, match=message):
        Comparison.load(file)


def wrong_values(plain, path=()):
    """Each place of a document once, for a value that cannot stand there."""
    items = plain.items() if isinstance(plain, dict) else list(enumerate(plain))[:1]
    for key, value in items:
        yield (*path, key)
        if isinstance(value, dict | list):
            yield from wrong_values(value, (*path, key))


@pytest.mark.slow
def test_a_wrong_value_anywhere_in_a_file_is_named(result, tmp_path):
    file = tmp_path / "wrong.json"
    places = [p for p in wrong_values(result.to_dict()) if p[0] not in ("format", "format_version")]
    assert len(places) > 100
    for place in places:
        document = json.loads(json.dumps(result.to_dict()))
        inner = document
        for key in place[:-1]:
            inner = inner[key]
        is_compound = isinstance(inner[place[-1]], dict | list)
        inner[place[-1]] = "neither" if is_compound else {"neither": [0]}
        file.write_text(json.dumps(document))
        with pytest.raises(DataError, match=r"wrong\.json: .* (must be|is missing)"):
            Comparison.load(file)


# Dies when all of the new file is written, before it takes the old one's place.
DIE_WHILE_SAVING = """
import os, signal, sys
from frugalforest.comparison import Comparison

result = Comparison.load(sys.argv[1])
os.replace = os.rename = lambda *_, **__: os.kill(os.getpid(), signal.SIGKILL)
result.save(sys.argv[1])
"""


@pytest.mark.slow
def test_a_process_killed_while_saving_leaves_the_old_file(result, tmp_path):
    file = tmp_path / "comparison.json"
    result.save(file)
    with start_python(DIE_WHILE_SAVING, file) as process:
        pass
    assert process.returncode == -signal.SIGKILL
    assert Comparison.load(file) == result
    result.save(file)  # what the killed one left behind is no obstacle
    assert Comparison.load(file) == result


def test_frequencies_and_stability_are_those_of_the_resamples(table):
    runner = RecordingRunner()
    result = compare(*table, PRICES, BUDGETS, ["auc", "sts"], runner=runner, **QUICK)
    reruns = [rerun for task in runner.results[1:] for rerun in task["reruns"]]
    names = list(table[0].columns)
    for selection in result.selections:
        sets = [
            rerun["features"]  # column indices
            for rerun in reruns
            if (rerun["budget"], rerun["method"]) == (selection.budget, selection.method)
        ]
        chosen = np.array([[j in features for j in range(len(names))] for features in sets])
        assert chosen.shape == (3, len(names))
        assert selection.frequencies["size"] == 1.0  # free
        shares = dict(zip(names, chosen.mean(axis=0).tolist(), strict=True))
        assert selection.frequencies == pytest.approx(shares)
        assert selection.stability == pytest.approx(nogueira_stability(chosen))
    # Not all the same, or the resamples could be mixed up without a failure.
    assert len({tuple(s.frequencies.values()) for s in result.selections}) > 1
    assert len({s.stability for s in result.selections}) > 1


def test_plot_draws_the_frontier_on_the_axes_given(result):
    matplotlib.use("Agg")
    figure, (left, right) = pyplot.subplots(1, 2)
    display = result.plot(ax=right, methods=["auc"])
    assert isinstance(display, FrontierDisplay)
    assert display.ax_ is right
    assert list(display.curves) == ["auc"]
    assert not left.has_data()
    pyplot.close(figure)
