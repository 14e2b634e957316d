"""Pictures of a comparison: what they keep, what they say, and what they refuse."""

import copy
import subprocess
import sys

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from frugalforest import compare, plotting
from frugalforest.comparison import Comparison
from frugalforest.plotting import (
    FrontierDisplay,
    SelectionFrequencyDisplay,
    XiCurveDisplay,
)

METHODS = ["auc", "pfi", "sts", "forward"]


@pytest.fixture(scope="module")
def result():
    rng = np.random.default_rng(0)
    labels = np.arange(90) % 2
    X = pd.DataFrame(
        {
            "$price$": labels + rng.normal(0, 0.6, 90),
            "<b>bold</b>": labels + rng.normal(0, 0.9, 90),
            "a very long name of a column that never seems to end": rng.normal(size=90),
            "noise": rng.normal(size=90),
        }
    )
    return compare(
        X, labels, [3, 2, 1, 1], [1, 3, 5], METHODS, n_trees=15, n_resamples=4, verbose=0
    )


@pytest.fixture(scope="module")
def without_resamples(result):
    document = copy.deepcopy(result.document)
    for row in document["selections"] + document["best"]:
        row.update(honest=None, frequencies=None, stability=None)
    document["settings"]["n_resamples"] = 0
    return Comparison(document)


@pytest.fixture(autouse=True)
def draw_without_a_screen():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def texts(display):
    """All that the picture says."""
    display.figure_.canvas.draw()  # this is where a wrong formula or glyph would show
    legend = display.ax_.get_legend()
    return "\n".join(
        [
            display.ax_.get_xlabel(),
            display.ax_.get_ylabel(),
            legend.get_title().get_text(),
            *(text.get_text() for text in legend.get_texts()),
            *(text.get_text() for text in display.ax_.texts),
            *(label.get_text() for label in display.ax_.get_yticklabels()),
        ]
    )


DRAW = {
    "frontier": FrontierDisplay.from_comparison,
    "xi": lambda comparison, **options: XiCurveDisplay.from_comparison(comparison, 3, **options),
    "frequency": lambda comparison, **options: SelectionFrequencyDisplay.from_comparison(
        comparison, 3, **options
    ),
}
every_display = pytest.mark.parametrize("draw", DRAW.values(), ids=DRAW)


# --- what all have in common --------------------------------------------------------------------


@every_display
def test_a_display_draws_on_the_axes_it_is_given(result, draw):
    figure, (left, right) = pyplot.subplots(1, 2)
    display = draw(result, ax=right)
    assert display.ax_ is right
    assert display.figure_ is figure
    assert not left.has_data()
    assert display.plot(left) is display
    assert display.ax_ is left
    assert left.has_data()


@every_display
def test_a_display_makes_its_own_figure_and_can_be_drawn_again(result, draw):
    display = draw(result)
    first = display.figure_
    said = texts(display)
    assert texts(display.plot()) == said
    assert display.figure_ is not first


@every_display
def test_drawing_leaves_the_comparison_as_it_is(result, draw):
    before = copy.deepcopy(result.document)
    draw(result)
    assert result.document == before


@every_display
def test_axes_are_labelled_with_units(result, draw):
    display = draw(result)
    labels = display.ax_.get_xlabel() + display.ax_.get_ylabel()
    assert "%" in labels
    assert display.ax_.get_xlabel() != ""


def test_importing_the_module_loads_no_matplotlib():
    code = "import sys, frugalforest.plotting; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, result):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'frugalforest\[plot\]'"):
        FrontierDisplay.from_comparison(result)


def test_every_method_has_its_own_colour_marker_and_name():
    for part in ("colour", "marker", "name"):
        values = [getattr(plotting._LOOKS[name], part) for name in ["best", *METHODS]]
        assert len(set(values)) == len(values)


# --- frontier -----------------------------------------------------------------------------------


def test_frontier_keeps_the_numbers_of_the_comparison(result):
    display = FrontierDisplay.from_comparison(result)
    assert display.budgets.tolist() == [1, 3, 5]
    assert list(display.curves) == ["best", *METHODS]
    for i, budget in enumerate(result.budgets):
        best = result.best(budget)
        curve = display.curves["best"]
        assert curve.error[i] == best.honest.error
        assert (curve.low[i], curve.high[i]) == (best.honest.low, best.honest.high)
        assert curve.selection_score[i] == best.oob_error
        for method in METHODS:
            selection = result.selection(budget, method)
            assert display.curves[method].error[i] == selection.honest.error
            assert display.curves[method].selection_score[i] == selection.oob_error
    assert display.trivial_error == 0.5


def test_frontier_names_the_honest_error_and_the_selection_score(result):
    said = texts(FrontierDisplay.from_comparison(result))
    assert "Honest error (% of new rows misclassified)" in said
    assert "Best of all: honest error, 95 % interval" in said
    assert "Best of all: selection score (too low)" in said
    assert "Budget" in said
    for name in ("AUC filter", "Permutation importance", "Shallow trees", "Forward selection"):
        assert name in said


def test_frontier_shows_every_interval(result):
    display = FrontierDisplay.from_comparison(result)
    bars = [container for container in display.ax_.containers if container.has_yerr]
    assert len(bars) == 5
    bottom, top = display.ax_.get_ylim()
    assert bottom == 0
    for curve, container in zip(display.curves.values(), bars, strict=True):
        (lines,) = container.lines[2]
        drawn = [segment[:, 1].tolist() for segment in lines.get_segments()]
        np.testing.assert_allclose(drawn, np.column_stack([curve.low, curve.high]))
        assert curve.high.max() <= top


def test_frontier_without_resamples_shows_selection_scores_and_says_so(without_resamples):
    display = FrontierDisplay.from_comparison(without_resamples)
    said = texts(display)
    assert "Selection score: out-of-bag error (%)\nlower than the error to expect" in said
    assert "onest" not in said
    assert np.isnan(display.curves["best"].error).all()
    assert len(display.ax_.lines) >= 5


def test_frontier_of_one_budget_and_one_resample_can_be_drawn():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(40, 3)), np.arange(40) % 2
    result = compare(X, y, budgets=1, methods="auc", n_trees=5, n_resamples=1, verbose=0)
    said = texts(FrontierDisplay.from_comparison(result))
    assert "interval" not in said


def test_frontier_marks_the_error_of_always_naming_the_most_frequent_class(result):
    document = copy.deepcopy(result.document)
    document["data"]["class_counts"] = [95, 5]
    display = FrontierDisplay.from_comparison(Comparison(document))
    assert display.trivial_error == pytest.approx(0.05)
    assert "Always the most frequent class" in texts(display)


def test_frontier_of_some_methods_shows_those_only(result):
    display = FrontierDisplay.from_comparison(result, methods=["sts", "auc"])
    assert list(display.curves) == ["auc", "sts"]
    assert "Best of all" not in texts(display)
    assert list(FrontierDisplay.from_comparison(result, methods="best").curves) == ["best"]


@pytest.mark.parametrize("methods", ["lasso", ["auc", "lasso"]])
def test_methods_that_were_not_compared_are_named(result, methods):
    with pytest.raises(ValueError, match=r"'lasso' is not in the comparison: there are .*auc"):
        FrontierDisplay.from_comparison(result, methods=methods)
    with pytest.raises(ValueError, match="`methods` is empty"):
        FrontierDisplay.from_comparison(result, methods=[])


# --- ξ curves -----------------------------------------------------------------------------------


@pytest.mark.parametrize("from_what", ["result", "without_resamples"])
def test_xi_curves_keep_what_was_tried_and_mark_what_was_chosen(request, from_what):
    result = request.getfixturevalue(from_what)
    display = XiCurveDisplay.from_comparison(result, 3)
    for row in result.document["selections"]:
        if row["budget"] != 3:
            continue
        method = row["method"]
        assert display.xis[method].tolist() == [t["xi"] for t in row["tried"]]
        assert display.scores[method].tolist() == [t["oob_error"] for t in row["tried"]]
        assert display.chosen[method] == row["xi"]
    rings = [line for line in display.ax_.lines if line.get_markerfacecolor() == "none"]
    assert sorted(float(line.get_xdata()[0]) for line in rings) == sorted(display.chosen.values())
    said = texts(display)
    assert "Selection score: out-of-bag error (%)" in said
    assert "budget 3" in said
    assert "onest" not in said


def test_xi_curves_of_a_comparison_by_brier_score_show_that_score(result):
    document = copy.deepcopy(result.document)
    document["settings"]["scoring"] = "brier"
    display = XiCurveDisplay.from_comparison(Comparison(document), 3, methods="sts")
    row = next(r for r in document["selections"] if r["budget"] == 3 and r["method"] == "sts")
    assert display.scores["sts"].tolist() == [t["brier"] for t in row["tried"]]
    assert display.ax_.get_ylabel() == "Selection score: out-of-bag Brier score"


def test_xi_curves_show_very_large_values_too(result):
    document = copy.deepcopy(result.document)
    row = next(r for r in document["selections"] if r["budget"] == 3 and r["method"] == "pfi")
    row["tried"].append({**row["tried"][-1], "xi": 250.0})
    display = XiCurveDisplay.from_comparison(Comparison(document), 3)
    texts(display)
    assert display.ax_.get_xlim()[1] > 250
    assert "100" in [label.get_text() for label in display.ax_.get_xticklabels()]


@pytest.mark.parametrize("draw", [XiCurveDisplay, SelectionFrequencyDisplay])
def test_a_budget_that_was_not_compared_is_refused(result, draw):
    with pytest.raises(ValueError, match=r"no result for budget 4: the budgets are 1, 3, 5\."):
        draw.from_comparison(result, 4)


# --- selection frequencies ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["best", *METHODS])
def test_frequencies_are_in_order_and_those_of_the_comparison(result, method):
    display = SelectionFrequencyDisplay.from_comparison(result, 3, method=method)
    if method == "best":
        row = next(r for r in result.document["best"] if r["budget"] == 3)
        bought = result.best(3).features
    else:
        row = next(
            r for r in result.document["selections"] if (r["budget"], r["method"]) == (3, method)
        )
        bought = row["features"]
    assert display.frequencies.tolist() == sorted(display.frequencies, reverse=True)
    for name, share, is_bought in zip(
        display.features, display.frequencies, display.bought, strict=True
    ):
        assert row["frequencies"][name] == share
        assert is_bought == (name in bought)
    assert set(display.features) == {n for n, s in row["frequencies"].items() if s or n in bought}
    said = texts(display)
    assert "Chosen in (% of 4 resamples)" in said
    assert "stability" in said
    assert "In the set to buy" in said


def test_column_names_are_shown_as_they_are_and_long_ones_cut(result):
    display = SelectionFrequencyDisplay.from_comparison(result, 5)
    shown = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert "$price$" in shown
    assert "<b>bold</b>" in shown
    assert all(len(name) <= 40 for name in shown)
    display.figure_.canvas.draw()


def test_bars_beyond_the_most_that_are_drawn_are_counted(result):
    display = SelectionFrequencyDisplay.from_comparison(result, 5, max_features=1)
    assert len(display.ax_.get_yticklabels()) == 1
    assert f"{len(display.features) - 1} more" in texts(display)


def test_without_resamples_there_are_no_frequencies_and_it_is_said_so(without_resamples):
    with pytest.raises(ValueError, match="no selection frequencies: compare with `n_resamples`"):
        SelectionFrequencyDisplay.from_comparison(without_resamples, 3)
