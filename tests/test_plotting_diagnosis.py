"""Pictures of what is predicted for cases left out: what they keep, say and refuse."""

import copy
from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from matplotlib import colors, pyplot
from sklearn.metrics import confusion_matrix, roc_curve

from frugalforest import compare
from frugalforest.evaluation.diagnosis import Figure, LeftOutCases, diagnose
from frugalforest.plotting import ConfusionDisplay, ReliabilityDisplay, RocDisplay
from frugalforest.scores import find_score
from reference.sample_results import make_results

DISPLAYS = [RocDisplay, ReliabilityDisplay, ConfusionDisplay]
WITH_POSITIVE = DISPLAYS[:2]
every_display = pytest.mark.parametrize("display_of", DISPLAYS, ids=lambda d: d.__name__)
with_positive = pytest.mark.parametrize("display_of", WITH_POSITIVE, ids=lambda d: d.__name__)
SETS = {1: ["a"], 2: ["a", "b"], 3: ["a", "b", "c"]}
TWO = ("$ill$", "well")
THREE = ("mild", "none", "a severe case with a long name indeed")


def predicted(n_classes, seed=0, n_rows=300):
    """Labels, the rarest first, and class shares that know something of them."""
    rng = np.random.default_rng(seed)
    labels = np.sort(rng.choice(n_classes, n_rows, p=[0.2, 0.8] if n_classes == 2 else None))
    shares = rng.dirichlet(np.ones(n_classes), n_rows) + 0.6 * np.eye(n_classes)[labels]
    # Curves are made of thousandths. None of them are tied.
    thousandths = np.floor(1000 * shares / shares.sum(axis=1, keepdims=True)).astype(int)
    thousandths[:, -1] += 1000 - thousandths.sum(axis=1)
    tied = (thousandths == thousandths.max(axis=1, keepdims=True)).sum(axis=1) > 1
    thousandths[tied, 0] += 1
    thousandths[tied, -1] -= 1
    return labels, thousandths / 1000


def diagnosed(n_classes, seed=0):
    labels, shares = predicted(n_classes, seed)
    everything = LeftOutCases(
        np.arange(len(labels)),
        shares,
        np.full(len(labels), 1 / len(labels)),
        np.bincount(labels),
    )
    return diagnose([everything], labels, n_classes, find_score("error"))


def compared(n_classes, without=(), **options):
    """Three budgets of which the second is recommended; nothing is bought at those `without`."""
    labels, _ = predicted(n_classes)
    classes = TWO if n_classes == 2 else THREE
    counts = tuple(np.bincount(labels).tolist())
    results = make_results(SETS, (0.3, 0.12, 0.11), classes=classes, counts=counts, **options)
    procedures = tuple(
        replace(p, diagnosis=None if p.budget in without else diagnosed(n_classes, int(p.budget)))
        for p in results.procedures
    )
    return replace(results, procedures=procedures)


@pytest.fixture(scope="module")
def two():
    return compared(2)


@pytest.fixture(scope="module")
def three():
    return compared(3)


@pytest.fixture(autouse=True)
def draw_without_a_screen():
    matplotlib.use("Agg")
    yield
    pyplot.close("all")


def texts(display):
    """All that the picture says."""
    display.figure_.canvas.draw()  # this is where a wrong formula or glyph would show
    ax, legend = display.ax_, display.ax_.get_legend()
    said = [ax.get_title(loc="left"), ax.get_xlabel(), ax.get_ylabel()]
    said += [text.get_text() for text in ax.texts]
    said += [label.get_text() for label in [*ax.get_xticklabels(), *ax.get_yticklabels()]]
    if legend is not None:
        said += [legend.get_title().get_text(), *(text.get_text() for text in legend.get_texts())]
    return "\n".join(said).replace("\u00a0", " ")


# --- what all have in common --------------------------------------------------------------------


@every_display
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_display_draws_on_the_axes_it_is_given_and_stays_within_them(n_classes, display_of):
    results = compared(n_classes)
    figure, places = pyplot.subplots(2, 2, figsize=(13, 11), layout="constrained")
    display = display_of.from_comparison(results, ax=places[1, 0])
    assert display.ax_ is places[1, 0]
    assert display.figure_ is figure
    figure.canvas.draw()
    whole = display.ax_.get_tightbbox()
    for neighbour in (places[0, 0], places[1, 1], places[0, 1]):
        assert not neighbour.has_data()
        assert not whole.overlaps(neighbour.get_tightbbox())
    assert figure.bbox.x0 <= whole.x0


@every_display
@pytest.mark.parametrize("n_classes", [2, 3])
def test_a_figure_of_its_own_has_room_for_all_and_can_be_drawn_again(n_classes, display_of):
    results = compared(n_classes)
    before = copy.deepcopy(results)
    display = display_of.from_comparison(results)
    assert results == before
    figure = display.figure_
    figure.canvas.draw()
    whole = display.ax_.get_tightbbox()
    assert figure.bbox.x0 <= whole.x0
    assert whole.x1 <= figure.bbox.x1
    assert whole.y1 <= figure.bbox.y1 + 1
    said = texts(display)
    assert texts(display.plot()) == said
    assert display.figure_ is not figure


@every_display
def test_by_default_it_is_the_recommended_budget(two, display_of):
    assert display_of.from_comparison(two).budget == 2
    assert "budget 2" in texts(display_of.from_comparison(two))
    assert display_of.from_comparison(two, 3).budget == 3


@every_display
def test_without_resamples_it_says_what_to_do(display_of):
    with pytest.raises(ValueError, match="no predictions for rows left out: compare with `n_res"):
        display_of.from_comparison(make_results(SETS))


@every_display
def test_where_nothing_is_bought_it_says_where_something_is(display_of):
    results = compared(2, without=(1, 3))
    with pytest.raises(ValueError, match=r"nothing is bought for 3, .* predictions for 2\.$"):
        display_of.from_comparison(results, 3)
    results = compared(2, without=(1, 2, 3))
    with pytest.raises(ValueError, match=r"nothing is bought for 2, .* for no budget\.$"):
        display_of.from_comparison(results)


@every_display
def test_a_budget_that_was_not_compared_is_refused(two, display_of):
    with pytest.raises(ValueError, match=r"no result for budget 4: the budgets are 1, 2, 3\."):
        display_of.from_comparison(two, 4)


@every_display
@pytest.mark.parametrize("style", ["default", "dark_background", "ggplot", "grayscale"])
def test_everything_can_be_seen_in_any_style(three, display_of, style):
    with pyplot.style.context(style):
        display = display_of.from_comparison(three)
        display.figure_.canvas.draw()
        ax = display.ax_
        for line in ax.lines:
            if len(line.get_xdata()):
                assert contrast(line.get_color(), ax.get_facecolor()) > 1.4
        for image in ax.images:
            for text in ax.texts:
                column, row = text.get_position()
                behind = image.cmap(image.norm(image.get_array()[row, column]))
                # What the Web Content Accessibility Guidelines ask for, for large text.
                assert contrast(text.get_color(), behind) >= 3


def contrast(one, other):
    def luminance(colour):
        rgb = colors.to_rgb(colour)
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
        return float(np.dot(linear, [0.2126, 0.7152, 0.0722])) + 0.05

    return max(luminance(one), luminance(other)) / min(luminance(one), luminance(other))


# --- the class that counts as positive ----------------------------------------------------------


@with_positive
def test_by_default_the_rarest_class_is_positive(two, display_of):
    assert display_of.from_comparison(two).positive == "$ill$"
    assert "‘$ill$’" in texts(display_of.from_comparison(two)).replace("\\$", "$")
    assert display_of.from_comparison(two, positive="well").positive == "well"


@with_positive
@pytest.mark.parametrize("positive", [1, 1.0, "1", np.int64(1), np.float64(1)])
def test_a_class_may_be_given_as_it_was_in_the_target(display_of, positive):
    results = compared(2)
    results = replace(results, data=replace(results.data, classes=("0", "1")))
    assert display_of.from_comparison(results, positive=positive).positive == "1"


@with_positive
def test_a_class_that_is_none_is_refused_by_name(two, display_of):
    with pytest.raises(ValueError, match=r"`positive` is 'sick', .* there are \$ill\$, well\.$"):
        display_of.from_comparison(two, positive="sick")


@with_positive
def test_a_class_of_which_no_case_was_left_out_is_refused(two, display_of):
    lacking = replace(two.best(2).diagnosis, n_cases=(0, 240))
    procedures = tuple(replace(p, diagnosis=lacking) for p in two.procedures)
    with pytest.raises(ValueError, match=r"no case of class '\$ill\$' was ever left out: compare"):
        display_of.from_comparison(replace(two, procedures=procedures))


# --- ROC ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_classes", "k"), [(2, 0), (2, 1), (3, 2)])
def test_the_roc_curve_is_that_of_scikit_learn(n_classes, k):
    results = compared(n_classes)
    positive = results.data.classes[k]
    display = RocDisplay.from_comparison(results, 3, positive=positive)
    labels, shares = predicted(n_classes, seed=3)
    x, y, _ = roc_curve(labels == k, shares[:, k], drop_intermediate=False)
    # The curve leaves out corners that are less than a hundredth from the last.
    known = set(zip(np.round(x, 5), np.round(y, 5), strict=True))
    assert set(zip(display.false_alarms, display.found, strict=True)) <= known
    assert len(display.found) > 20
    (line,) = (line for line in display.ax_.lines if len(line.get_xdata()) > 2)
    assert line.get_xdata().tolist() == display.false_alarms.tolist()
    assert line.get_ydata().tolist() == display.found.tolist()


def test_the_point_where_the_forest_decides_is_marked_with_its_intervals(two):
    display = RocDisplay.from_comparison(two, 3)
    labels, shares = predicted(2, seed=3)
    called = shares.argmax(axis=1)
    assert display.sensitivity.value == pytest.approx((called[labels == 0] == 0).mean())
    assert display.specificity.value == pytest.approx((called[labels == 1] == 1).mean())
    assert display.n_positive == (labels == 0).sum()
    assert display.n_others == (labels == 1).sum()
    (point,) = display.ax_.containers
    assert point.lines[0].get_xdata()[0] == pytest.approx(1 - display.specificity.value)
    assert point.lines[0].get_ydata()[0] == pytest.approx(display.sensitivity.value)
    across, up = (bars.get_segments()[0] for bars in point.lines[2])
    right, found = display.specificity, display.sensitivity
    np.testing.assert_allclose(across[:, 0], [1 - right.high, 1 - right.low])
    np.testing.assert_allclose(up[:, 1], [found.low, found.high])
    said = texts(display)
    assert f"sensitivity {100 * found.value:.1f} % ({100 * found.low:.1f} to " in said
    assert f"specificity {100 * right.value:.1f} % ({100 * right.low:.1f} to " in said


def test_the_area_is_given_with_its_interval_and_of_several_classes_said_to_be_of_pairs(two, three):
    auc = two.best(2).diagnosis.auc
    said = texts(RocDisplay.from_comparison(two))
    assert f"AUC {auc.value:.3f} ({auc.low:.3f} to {auc.high:.3f})" in said
    assert "pairs" not in said
    assert "mean over pairs of classes" in texts(RocDisplay.from_comparison(three))


def test_an_area_without_an_interval_is_given_alone(two):
    known = replace(two.best(2).diagnosis, auc=Figure(1.0, np.nan, np.nan))
    results = replace(two, procedures=tuple(replace(p, diagnosis=known) for p in two.procedures))
    assert "AUC 1.000\n" in texts(RocDisplay.from_comparison(results)) + "\n"


# --- reliability --------------------------------------------------------------------------------


@pytest.mark.parametrize(("n_classes", "k"), [(2, 0), (3, 1)])
def test_reliability_is_what_groups_of_cases_were_given_and_were(n_classes, k):
    results = compared(n_classes)
    display = ReliabilityDisplay.from_comparison(results, 3, positive=results.data.classes[k])
    labels, shares = predicted(n_classes, seed=3)
    order = np.argsort(shares[:, k])
    assert display.n_cases.sum() == pytest.approx(len(labels))
    at = np.round(np.cumsum(display.n_cases)).astype(int)
    for given, observed, rows in zip(
        display.given, display.observed, np.split(order, at[:-1]), strict=True
    ):
        assert given == pytest.approx(shares[rows, k].mean(), abs=1e-4)
        assert observed == pytest.approx((labels[rows] == k).mean(), abs=1e-4)


def test_each_group_has_the_interval_of_wilson(two):
    display = ReliabilityDisplay.from_comparison(two)
    z = 1.959963984540054
    for observed, n, low, high in zip(
        display.observed, display.n_cases, display.low, display.high, strict=True
    ):
        # Wilson's ends are where the distance is z standard errors of the end itself.
        for end in (low, high):
            if 1e-9 < end < 1 - 1e-9:
                assert abs(observed - end) == pytest.approx(z * np.sqrt(end * (1 - end) / n))
    (bars,) = display.ax_.containers
    drawn = [segment[:, 1].tolist() for segment in bars.lines[2][0].get_segments()]
    np.testing.assert_allclose(drawn, np.column_stack([display.low, display.high]))


def test_reliability_says_how_many_cases_and_what_was_given_in_all(two):
    labels, shares = predicted(2, seed=2)
    said = texts(ReliabilityDisplay.from_comparison(two))
    assert "10 groups of " in said
    assert "of 300 cases" in said
    assert f"{100 * shares[:, 0].mean():.1f} % given" in said
    assert f"{100 * (labels == 0).mean():.1f} % observed" in said


# --- confusion ----------------------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3])
def test_confusion_is_that_of_scikit_learn_in_percent_of_the_true_class(n_classes):
    display = ConfusionDisplay.from_comparison(compared(n_classes), 3)
    labels, shares = predicted(n_classes, seed=3)
    counts = confusion_matrix(labels, shares.argmax(axis=1))
    np.testing.assert_allclose(display.shares, counts / counts.sum(axis=1, keepdims=True))
    said = texts(display)
    for true in range(n_classes):
        n = counts[true].sum()
        assert f"\n{n} cases" in said
        for called in counts[true]:
            case = "case" if called == 1 else "cases"
            assert f"{100 * called / n:.1f} %\n{called} {case}" in said
    drawn = display.ax_.images[0].get_array()
    np.testing.assert_allclose(drawn, display.shares)


def test_names_of_classes_are_shown_as_they_are_and_long_ones_cut(two, three):
    assert "$ill$" in texts(ConfusionDisplay.from_comparison(two))
    said = texts(ConfusionDisplay.from_comparison(three))
    assert "a severe ca…" in said
    assert THREE[2] not in said


def test_a_class_without_cases_has_no_share(two):
    nobody = replace(two.best(2).diagnosis, n_cases=(0, 240), confusion=((0.0, 0.0), (0.1, 0.9)))
    results = replace(two, procedures=tuple(replace(p, diagnosis=nobody) for p in two.procedures))
    said = texts(ConfusionDisplay.from_comparison(results))
    assert "no case" in said
    assert "nan" not in said


def test_of_many_classes_a_cell_has_its_share_only():
    n = 8
    shares = np.eye(n) * 0.3 + 0.7 / n
    display = ConfusionDisplay(
        budget=1,
        classes=[f"class {k}" for k in range(n)],
        shares=shares,
        n_cases=[10] * n,
        look=ConfusionDisplay.from_comparison(compared(2)).look,
    ).plot()
    assert {len(text.get_text().splitlines()) for text in display.ax_.texts} == {1}


# --- from a comparison that was run -------------------------------------------------------------


@pytest.mark.parametrize("scoring", ["error", "balanced_error"])
def test_what_is_drawn_agrees_with_the_honest_error(scoring):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(120, 3))
    y = np.where(X[:, 0] + 0.5 * rng.normal(size=120) > 0.9, "ill", "well")
    result = compare(
        X, y, budgets=[1], methods=["auc"], scoring=scoring, n_trees=30, n_resamples=3, verbose=0
    )
    display = ConfusionDisplay.from_comparison(result, 1)
    wrong = 1 - np.diag(display.shares)
    honest = result.best(1).honest.error
    weight = np.array(display.n_cases) / sum(display.n_cases) if scoring == "error" else 0.5
    # Cases of a class that are left out more often than others make a small difference.
    assert (wrong * weight).sum() == pytest.approx(honest, abs=0.02)
    assert RocDisplay.from_comparison(result).positive == "ill"
    ReliabilityDisplay.from_comparison(result)
