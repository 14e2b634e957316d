"""Pictures of a comparison: what they keep, what they say, and what they refuse."""

import copy
import subprocess
import sys
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib import colors, pyplot

from frugalforest.methods import METHODS as SHIPPED
from frugalforest.plotting import (
    FrontierDisplay,
    SelectionFrequencyDisplay,
    XiCurveDisplay,
)
from frugalforest.results import TriedSet
from frugalforest.results.looks import BEST, MARKERS
from reference.sample_results import (
    BRIER,
    METHODS,
    RESULTS,
    features_at,
    judged,
    make_results,
)

FOUR = ("auc", "pfi", "sts", "forward")
COLUMNS = [
    "$price$",
    "<b>bold</b>",
    "a very long name of a column that never seems to end",
    "noise",
]
PRICES = features_at(dict(zip(COLUMNS, [3.0, 2.0, 1.0, 1.0], strict=True)))
SETS = {1: COLUMNS[3:], 3: COLUMNS[2:], 50: COLUMNS[:3]}


def compared(errors=(0.3, 0.2, 0.18), **options):
    options = {
        "features": PRICES,
        "methods": FOUR,
        "winner": "sts",
        "counts": (50, 50),
        "frequencies": {"noise": 0.6, "<b>bold</b>": 0.4},
    } | options
    return make_results(SETS, errors, **options)


@pytest.fixture(scope="module")
def result():
    return compared()


@pytest.fixture(scope="module")
def without_resamples():
    return compared(None)


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
            display.ax_.get_title(loc="left"),
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
def test_a_display_does_not_spill_over_the_axes_it_is_given(result, draw):
    figure, places = pyplot.subplots(2, 2, figsize=(11, 8), layout="constrained")
    display = draw(result, ax=places[1, 0])
    figure.canvas.draw()
    inside = display.ax_.get_window_extent()
    legend = display.ax_.get_legend().get_window_extent()
    assert inside.x0 <= legend.x0
    assert legend.x1 <= inside.x1
    assert inside.y0 <= legend.y0
    assert legend.y1 <= inside.y1
    whole = display.ax_.get_tightbbox()
    for neighbour in (places[0, 0], places[1, 1], places[0, 1]):
        assert not whole.overlaps(neighbour.get_tightbbox())
    assert figure.bbox.x0 <= whole.x0


@every_display
def test_a_display_makes_its_own_figure_and_can_be_drawn_again(result, draw):
    display = draw(result)
    first = display.figure_
    said = texts(display)
    assert texts(display.plot()) == said
    assert display.figure_ is not first


@every_display
def test_drawing_leaves_the_comparison_as_it_is(result, draw):
    before = copy.deepcopy(result)
    draw(result)
    assert result == before


@every_display
def test_axes_are_labelled_with_units(result, draw):
    display = draw(result)
    labels = display.ax_.get_xlabel() + display.ax_.get_ylabel()
    assert "%" in labels
    assert display.ax_.get_xlabel() != ""


@every_display
@pytest.mark.parametrize("style", ["default", "dark_background", "ggplot", "grayscale"])
def test_everything_can_be_seen_in_any_style(result, draw, style):
    with pyplot.style.context(style):
        display = draw(result)
        display.figure_.canvas.draw()
        lines = [line for line in display.ax_.lines if len(line.get_xdata())]
        drawn = [line.get_color() for line in lines]
        drawn += [patch.get_facecolor() for patch in display.ax_.patches]
        drawn += [text.get_color() for text in display.ax_.texts]
        paper = _luminance(display.ax_.get_facecolor())
        for colour in drawn:
            ink = _luminance(colour, display.ax_.get_facecolor())
            lighter, darker = max(ink, paper), min(ink, paper)
            # WCAG asks for 3:1; bars of features that are not bought are meant to be fainter.
            assert (lighter + 0.05) / (darker + 0.05) > 1.4


@pytest.mark.parametrize("name", SHIPPED)
def test_a_methods_colour_can_be_told_from_dark_paper_and_is_its_own_on_white(name):
    facts = (replace(METHODS["auc"], colour=SHIPPED[name].colour),)
    results = replace(compared(methods=("auc",), winner="auc"), methods_used=facts)
    line = FrontierDisplay.from_comparison(results).ax_.containers[0].lines[0]
    assert line.get_color() == SHIPPED[name].colour
    with pyplot.style.context("dark_background"):
        line = FrontierDisplay.from_comparison(results).ax_.containers[0].lines[0]
        # 3:1 is what the Web Content Accessibility Guidelines ask for.
        assert (_luminance(line.get_color()) + 0.05) / 0.05 >= 3


def _luminance(colour, paper=(1, 1, 1, 1)):
    *rgb, alpha = colors.to_rgba(colour)
    mixed = [alpha * c + (1 - alpha) * p for c, p in zip(rgb, colors.to_rgb(paper), strict=True)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in mixed]
    return float(np.dot(linear, [0.2126, 0.7152, 0.0722]))


@pytest.mark.parametrize("name", RESULTS)
@pytest.mark.slow
def test_any_comparison_can_be_drawn(name):
    results = RESULTS[name]()
    texts(FrontierDisplay.from_comparison(results))
    for budget in results.budgets:
        texts(XiCurveDisplay.from_comparison(results, budget))
        if results.has_honest_errors:
            texts(SelectionFrequencyDisplay.from_comparison(results, budget))


@pytest.mark.slow
def test_importing_the_module_loads_no_matplotlib():
    code = "import sys, frugalforest.plotting; print('matplotlib' in sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


def test_without_matplotlib_the_error_says_what_to_install(monkeypatch, result):
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'frugalforest\[plot\]'"):
        FrontierDisplay.from_comparison(result)


def test_methods_have_the_look_that_they_bring_also_those_that_are_not_known():
    results = compared(methods=tuple(METHODS), winner="oracle")
    display = FrontierDisplay.from_comparison(results)
    lines = {c.get_label().partition(":")[0]: c.lines[0] for c in display.ax_.containers}
    assert set(lines) == {BEST.label, *(method.label for method in METHODS.values())}
    for method in METHODS.values():
        assert lines[method.label].get_color() == method.colour
        assert lines[method.label].get_marker() == MARKERS[method.marker].matplotlib


# --- frontier -----------------------------------------------------------------------------------


def test_frontier_keeps_the_numbers_of_the_comparison(result):
    display = FrontierDisplay.from_comparison(result)
    assert display.budgets.tolist() == [1, 3, 50]
    assert list(display.curves) == ["best", *FOUR]
    for i, budget in enumerate(result.budgets):
        for name, curve in display.curves.items():
            row = result.best(budget) if name == "best" else result.selection(budget, name)
            assert curve.cost[i] == row.cost
            assert curve.error[i] == row.honest.error
            assert (curve.low[i], curve.high[i]) == (row.honest.low, row.honest.high)
            assert curve.selection_score[i] == row.score
    assert display.guess_error == 0.5


def test_frontier_is_drawn_against_money_spent(result):
    display = FrontierDisplay.from_comparison(result)
    best = next(c for c in display.ax_.containers if c.get_label().startswith(BEST.label))
    assert best.lines[0].get_xdata().tolist() == [1, 2, 6]
    assert display.ax_.get_xlim()[1] < 50
    assert "Money spent" in display.ax_.get_xlabel()


def test_frontier_names_the_honest_error_and_the_selection_score(result):
    said = texts(FrontierDisplay.from_comparison(result))
    assert "Honest error (% of new cases)" in said
    assert "Best of the methods: honest error, 95 % interval" in said
    assert "Best of the methods: selection score" in said
    for name in FOUR:
        assert METHODS[name].label in said


@pytest.mark.parametrize("oob", [0.05, 0.45])
def test_no_score_is_called_too_low(oob):
    said = texts(FrontierDisplay.from_comparison(compared(oob=oob)))
    assert "too low" not in said


def test_a_brier_score_is_not_drawn_on_the_scale_of_errors():
    display = FrontierDisplay.from_comparison(compared(score=BRIER))
    # Honest numbers are Brier scores, too: both are on one scale, which is not one of percent.
    assert "selection score" in texts(display)
    assert display.ax_.get_ylabel() == "Honest Brier score"
    assert max(float(tick.get_text()) for tick in display.ax_.get_yticklabels()) < 1
    assert "Guessing by how common the classes are" in texts(display)
    scores = FrontierDisplay.from_comparison(compared(None, score=BRIER))
    assert "Selection score: out-of-bag Brier score\n" in texts(scores)
    assert "%" not in scores.ax_.get_ylabel()


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
    assert "Selection score: out-of-bag error (%)\nnot an error to expect" in said
    assert "onest" not in said
    assert np.isnan(display.curves["best"].error).all()
    assert len(display.ax_.lines) >= 5


def test_frontier_of_one_method_draws_it_once():
    display = FrontierDisplay.from_comparison(compared(methods=("auc",), winner="auc"))
    assert list(display.curves) == ["auc"]
    assert "AUC filter: honest error, 95 % interval" in texts(display)


def test_frontier_of_one_budget_and_one_resample_has_no_interval():
    results = make_results({1: ["a"]}, [0.2], n_resamples=1)
    assert "interval" not in texts(FrontierDisplay.from_comparison(results))


def test_frontier_marks_the_error_of_guessing_where_there_is_room():
    guessing = "Guessing: always the commonest class"
    assert guessing in texts(FrontierDisplay.from_comparison(compared(counts=(80, 20))))
    assert guessing not in texts(FrontierDisplay.from_comparison(compared(counts=(51, 49))))


def test_amounts_far_apart_have_a_logarithmic_axis():
    features = features_at({"a": 1.0, "b": 99.0})
    results = make_results({1: ["a"], 100: ["a", "b"]}, [0.3, 0.2], features=features)
    display = FrontierDisplay.from_comparison(results)
    assert display.ax_.get_xscale() == "log"
    assert "logarithmic" in display.ax_.get_xlabel()
    texts(display)
    shown = {label.get_text() for label in display.ax_.get_xticklabels()}
    assert {"1", "10", "100"} <= shown


def free_cheap_and_dear(errors=(0.5, 0.3, 0.25)):
    features = features_at({"a": 0.0, "b": 5.0, "c": 9995.0})
    sets = {0: ["a"], 5: ["a", "b"], 10_000: ["a", "b", "c"]}
    return make_results(sets, list(errors), features=features, spread=0.01)


def test_an_amount_of_nothing_stands_apart_from_a_logarithmic_axis():
    display = FrontierDisplay.from_comparison(free_cheap_and_dear())
    assert "logarithmic scale, 0 apart" in display.ax_.get_xlabel()
    texts(display)
    ticks = display.ax_.get_xticks().tolist()
    assert ticks[:3] == [0, 5, 10]
    places = display.ax_.transData.transform([(cost, 0.3) for cost in (0, 5, 10_000)])[:, 0]
    left, right = np.diff(places)
    assert 0.2 < left / right < 0.3


def test_an_error_axis_that_does_not_start_at_0_says_so():
    near = FrontierDisplay.from_comparison(free_cheap_and_dear((0.5, 0.45, 0.4)))
    assert near.ax_.get_ylim()[0] > 0.3
    assert "(the axis does not start at 0)" in near.ax_.get_ylabel()
    wide = FrontierDisplay.from_comparison(free_cheap_and_dear((0.5, 0.3, 0.1)))
    assert wide.ax_.get_ylim()[0] == 0
    assert "axis" not in wide.ax_.get_ylabel()


def test_where_one_method_has_the_say_it_is_the_boldest_and_has_its_own_name_everywhere():
    display = FrontierDisplay.from_comparison(judged())
    widths = {bar.get_label(): bar.lines[0].get_linewidth() for bar in display.ax_.containers}
    assert max(widths, key=widths.get) == "Oracle: honest error, 95 % interval"
    assert "selection score" not in texts(display)
    often = SelectionFrequencyDisplay.from_comparison(judged(), budget=5)
    assert "Oracle, budget 5" in texts(often)


def test_a_logarithmic_axis_of_many_amounts_has_round_labels():
    names = [f"f{j}" for j in range(40)]
    sets = {k: names[:k] for k in (1, 3, 4, 7, 9, 15, 22, 40)}
    features = features_at(dict.fromkeys(names, 1.0))
    results = make_results(sets, [0.3] * len(sets), features=features)
    display = FrontierDisplay.from_comparison(results)
    texts(display)
    shown = [label.get_text() for label in display.ax_.get_xticklabels()]
    assert {"1", "2", "5", "10", "20"} <= set(shown)


def test_frontier_of_some_methods_shows_those_only(result):
    display = FrontierDisplay.from_comparison(result, methods=["sts", "auc"])
    assert list(display.curves) == ["auc", "sts"]
    assert "Best of" not in texts(display)
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
    results = request.getfixturevalue(from_what)
    display = XiCurveDisplay.from_comparison(results, 3)
    for method in FOUR:
        row = results.selection(3, method)
        assert display.xis[method].tolist() == [t.xi for t in row.tried]
        assert display.scores[method].tolist() == [t.score for t in row.tried]
        assert display.chosen[method] == row.xi
    rings = [line for line in display.ax_.lines if line.get_markerfacecolor() == "none"]
    assert sorted(float(line.get_xdata()[0]) for line in rings) == sorted(display.chosen.values())
    said = texts(display)
    assert "Selection score: out-of-bag error (%)" in said
    assert "budget of 3" in said
    assert "onest" not in said


def test_only_sets_that_stay_the_same_to_the_next_xi_are_drawn_in_steps(result):
    display = XiCurveDisplay.from_comparison(result, 3)
    curves = [line for line in display.ax_.lines if len(line.get_xdata()) > 1]
    styles = {line.get_label().partition(" (")[0]: line.get_drawstyle() for line in curves}
    assert styles["AUC filter"] == "steps-post"
    assert styles["Shallow trees"] == "default"


def test_xi_curves_of_a_comparison_by_brier_score_show_that_score():
    results = compared(score=BRIER)
    display = XiCurveDisplay.from_comparison(results, 3, methods="sts")
    row = results.selection(3, "sts")
    assert display.scores["sts"].tolist() == [t.score for t in row.tried]
    assert display.ax_.get_ylabel() == "Selection score: out-of-bag Brier score"


def test_xi_curves_show_very_large_values_too(result):
    far = TriedSet(250.0, "", 2, 2.0, 0.3)
    results = replace(
        result, selections=tuple(replace(s, tried=(*s.tried, far)) for s in result.selections)
    )
    display = XiCurveDisplay.from_comparison(results, 3)
    texts(display)
    assert display.ax_.get_xlim()[1] > 250
    assert "100" in [label.get_text() for label in display.ax_.get_xticklabels()]


def test_methods_without_xi_are_named_and_not_drawn():
    results = compared(methods=("auc", "oracle"), winner="oracle")
    display = XiCurveDisplay.from_comparison(results, 3)
    assert list(display.xis) == ["auc"]
    assert "Oracle: has no ξ" in texts(display)
    with pytest.raises(ValueError, match=r"oracle: no ξ, .* With ξ there is auc\."):
        XiCurveDisplay.from_comparison(results, 3, methods="oracle")
    alone = compared(methods=("oracle",), winner="oracle")
    with pytest.raises(ValueError, match=r"With ξ there is no method\."):
        XiCurveDisplay.from_comparison(alone, 3)


@pytest.mark.parametrize("draw", [XiCurveDisplay, SelectionFrequencyDisplay])
def test_a_budget_that_was_not_compared_is_refused(result, draw):
    with pytest.raises(ValueError, match=r"no result for budget 60: the budgets are 1, 3, 50\."):
        draw.from_comparison(result, 60)


# --- selection frequencies ----------------------------------------------------------------------


@pytest.mark.parametrize("method", ["best", *FOUR])
def test_frequencies_are_in_order_and_those_of_the_comparison(result, method):
    display = SelectionFrequencyDisplay.from_comparison(result, 3, method=method)
    row = result.best(3) if method == "best" else result.selection(3, method)
    assert display.frequencies.tolist() == sorted(display.frequencies, reverse=True)
    for name, share, is_bought in zip(
        display.features, display.frequencies, display.bought, strict=True
    ):
        assert row.frequencies[name] == share
        assert is_bought == (name in row.features)
    assert set(display.features) == {
        n for n, s in row.frequencies.items() if s or n in row.features
    }
    said = texts(display)
    assert "Chosen in (% of 10 resamples)" in said
    assert "stability" in said
    assert "In the set to buy" in said


def test_column_names_are_shown_as_they_are_and_long_ones_cut(result):
    display = SelectionFrequencyDisplay.from_comparison(result, 50)
    shown = [label.get_text() for label in display.ax_.get_yticklabels()]
    assert "$price$" in shown
    assert "<b>bold</b>" in shown
    assert all(len(name) <= 40 for name in shown)
    display.figure_.canvas.draw()


def test_bars_beyond_the_most_that_are_drawn_are_counted(result):
    display = SelectionFrequencyDisplay.from_comparison(result, 50, max_features=1)
    assert len(display.ax_.get_yticklabels()) == 1
    assert f"{len(display.features) - 1} more" in texts(display)


def test_without_resamples_there_are_no_frequencies_and_it_is_said_so(without_resamples):
    with pytest.raises(ValueError, match="no selection frequencies: compare with `n_resamples`"):
        SelectionFrequencyDisplay.from_comparison(without_resamples, 3)
