"""What a clinician reads: against plain loops, by hand, and by simulation."""

import math
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.stats import binomtest
from sklearn import metrics

from frugalforest import FrugalForestClassifier, compare
from frugalforest.evaluation.diagnosis import (
    Diagnosis,
    Figure,
    LeftOutCases,
    diagnose,
    rarest_class,
)
from frugalforest.scores import AUC, ERROR, SCORES, BalancedError, Brier, Cost, ErrorCosts
from frugalforest.storage.records import from_plain, to_plain
from reference import plain_diagnosis, plain_scores

ERROR_COSTS = {("ill", "well"): 10, ("well", "ill"): 1}


def draw_cases(n_classes, n_parts=3, n_rows=90, seed=0, coarse=False):
    """Several forests' shares of some rows each, of unequal weights that add up to 1."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(
        n_classes, n_rows, p=np.arange(1, n_classes + 1) / sum(range(n_classes + 1))
    )
    labels[:n_classes] = range(n_classes)
    parts = []
    for _ in range(n_parts):
        rows = np.sort(rng.choice(n_rows, n_rows // 2, replace=False))
        shares = (
            rng.dirichlet(np.ones(n_classes), len(rows)) + 0.3 * np.eye(n_classes)[labels[rows]]
        )
        if coarse:
            shares = np.round(3 * shares) + 0.0
            shares[shares.sum(axis=1) == 0] = 1
        weight = rng.random(len(rows))
        counts = np.bincount(np.delete(labels, rows), minlength=n_classes)
        parts.append(LeftOutCases(rows, shares, weight, counts))
    total = sum(part.weight.sum() for part in parts)
    parts = [LeftOutCases(p.rows, p.evidence, p.weight / total, p.counts) for p in parts]
    return parts, labels


def score_for(name, n_classes):
    if name != "cost":
        return SCORES[name]()
    matrix = 1.0 + np.arange(n_classes**2).reshape(n_classes, n_classes) * (1 - np.eye(n_classes))
    return Cost(ErrorCosts(tuple(map(tuple, (matrix * (1 - np.eye(n_classes))).tolist()))))


# --- against plain loops ------------------------------------------------------------------------


@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "tied"])
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", tuple(SCORES))
def test_every_figure_is_what_plain_loops_say(name, n_classes, coarse):
    score = score_for(name, n_classes)
    parts, labels = draw_cases(n_classes, coarse=coarse)
    found = diagnose(parts, labels, n_classes, score)
    plain = [(p.evidence.tolist(), labels[p.rows].tolist(), p.weight.tolist()) for p in parts]
    losses = [score.losses(p.counts).tolist() for p in parts]
    matrix = plain_diagnosis.confusion(plain, losses)
    np.testing.assert_allclose(found.confusion, matrix)
    assert sum(map(sum, found.confusion)) == pytest.approx(1)
    tested = set(np.concatenate([p.rows for p in parts]).tolist())
    assert found.n_cases == tuple(sum(labels[i] == k for i in tested) for k in range(n_classes))
    for k in range(n_classes):
        sensitivity = plain_diagnosis.sensitivity(matrix, k)
        specificity = plain_diagnosis.specificity(matrix, k)
        assert found.sensitivity(k).value == pytest.approx(sensitivity)
        assert found.specificity(k).value == pytest.approx(specificity)
        assert found.called(k, 0).value == pytest.approx(matrix[k][0] / sum(matrix[k]))
        prevalence = (labels == k).mean()
        assert found.prevalence(k) == pytest.approx(prevalence)
        for given, share in ((None, prevalence), (0.01, 0.01), (0.7, 0.7)):
            for figure, by_hand in (
                (found.positive_value, plain_diagnosis.positive_value),
                (found.negative_value, plain_diagnosis.negative_value),
            ):
                value = figure(k, given)
                assert value.value == pytest.approx(by_hand(sensitivity, specificity, share))
                assert 0 <= value.low <= value.value <= value.high <= 1


@pytest.mark.parametrize("n_classes", [2, 3])
def test_auc_and_brier_score_are_weighted_means_of_what_rows_lose(n_classes):
    parts, labels = draw_cases(n_classes)
    found = diagnose(parts, labels, n_classes, ERROR)
    for score, figure in ((AUC(), found.auc.complement), (Brier(), found.brier)):
        each = np.zeros((2, len(labels)))
        for p in parts:
            losses = score.row_losses(p.evidence, labels[p.rows], p.counts)
            for row, weight, loss in zip(p.rows, p.weight, losses, strict=True):
                each[:, row] += weight, weight * loss
        own = [lost / weight for weight, lost in each.T if weight]
        mean = each[1].sum()
        se = math.sqrt(sum((loss - mean) ** 2 for loss in own)) / len(own)
        if score == AUC() and min(found.n_cases) < 20:
            assert figure.high - figure.low >= 1.9 * 1.959964 * se or figure.low == 0
            continue
        assert figure.value == pytest.approx(mean)
        assert figure.low == pytest.approx(max(0, mean - 1.959964 * se), abs=1e-7)
        assert figure.high == pytest.approx(min(1, mean + 1.959964 * se), abs=1e-7)


def one_part(n_classes=2, n_rows=300, seed=0):
    """One forest, every row once: the figures are those of any table of predictions."""
    rng = np.random.default_rng(seed)
    labels = rng.choice(
        n_classes, n_rows, p=np.arange(1, n_classes + 1) / sum(range(n_classes + 1))
    )
    noise = rng.dirichlet(np.ones(n_classes), n_rows)
    shares = 0.75 * noise + 0.25 * np.eye(n_classes)[labels]
    counts = np.bincount(labels, minlength=n_classes)
    rows = np.arange(n_rows)
    part = LeftOutCases(rows, shares, np.full(n_rows, 1 / n_rows), counts)
    return part, labels, shares


def test_figures_of_one_forest_are_those_of_scikit_learn():
    part, labels, shares = one_part()
    found = diagnose([part], labels, 2, ERROR)
    called = shares.argmax(axis=1)
    np.testing.assert_allclose(
        found.confusion, metrics.confusion_matrix(labels, called, normalize="all")
    )
    assert found.sensitivity(1).value == pytest.approx(metrics.recall_score(labels, called))
    assert found.specificity(1).value == pytest.approx(
        metrics.recall_score(labels, called, pos_label=0)
    )
    assert found.positive_value(1).value == pytest.approx(metrics.precision_score(labels, called))
    assert found.negative_value(1).value == pytest.approx(
        metrics.precision_score(labels, called, pos_label=0)
    )
    assert found.auc.value == pytest.approx(metrics.roc_auc_score(labels, shares[:, 1]))
    assert found.brier.value == pytest.approx(metrics.brier_score_loss(labels, shares[:, 1]))


def test_the_interval_of_the_auc_of_one_forest_is_that_of_delong():
    part, labels, shares = one_part(n_rows=120)
    found = diagnose([part], labels, 2, ERROR)
    variance = plain_scores.delong_variance(shares[labels == 1, 1], shares[labels == 0, 1])
    reach = 1.959964 * math.sqrt(variance)
    assert found.auc.low == pytest.approx(found.auc.value - reach, abs=1e-7)
    assert found.auc.high == pytest.approx(found.auc.value + reach, abs=1e-7)


# --- intervals of shares ------------------------------------------------------------------------


@pytest.mark.parametrize(("k", "n"), [(0, 5), (5, 5), (1, 20), (13, 40), (299, 300), (1, 1)])
def test_intervals_of_shares_are_those_of_wilson(k, n):
    figure = Figure.of_share(k / n, n)
    expected = binomtest(k, n).proportion_ci(method="wilson")
    assert figure.value == k / n
    assert figure.low == pytest.approx(expected.low, abs=1e-12)
    assert figure.high == pytest.approx(expected.high, abs=1e-12)


def test_sensitivity_and_specificity_have_the_intervals_of_their_cases():
    confusion = ((0.08, 0.02), (0.18, 0.72))  # of 20 ill and 180 well
    found = Diagnosis(
        (20, 180), (0.1, 0.9), confusion, *[Figure(0.5, 0.4, 0.6)] * 2, ((), ()), ((), ())
    )
    for figure, k, n in (
        (found.sensitivity(0), 16, 20),
        (found.specificity(0), 144, 180),
        (found.sensitivity(1), 144, 180),
        (found.called(1, 0), 36, 180),
    ):
        expected = binomtest(k, n).proportion_ci(method="wilson")
        assert figure.value == pytest.approx(k / n)
        assert figure.low == pytest.approx(expected.low)
        assert figure.high == pytest.approx(expected.high)
    # Of 52 that are called ill 16 are.
    assert found.positive_value(0).value == pytest.approx(16 / 52)
    assert found.negative_value(0).value == pytest.approx(144 / 148)
    # One in a hundred: 0.8 · 0.01 against 0.2 · 0.99.
    assert found.positive_value(0, 0.01).value == pytest.approx(0.008 / 0.206)
    assert found.negative_value(0, 0.01).value == pytest.approx(0.792 / 0.794)


def test_predictive_values_rise_and_fall_with_the_prevalence():
    part, labels, _ = one_part()
    found = diagnose([part], labels, 2, ERROR)
    prevalences = [0.01, 0.1, 0.3, 0.6, 0.9, 0.99]
    for one, other in pairwise(prevalences):
        assert found.positive_value(1, one).value < found.positive_value(1, other).value
        assert found.negative_value(1, one).value > found.negative_value(1, other).value
    for prevalence in (0, 1, 2, math.nan):
        with pytest.raises(ValueError, match=r"`prevalence` is .* above 0 and below 1"):
            found.positive_value(1, prevalence)
    for number in (-1, 2, "ill"):
        with pytest.raises(ValueError, match="give its number, from 0 to 1"):
            found.specificity(number)


def test_an_auc_of_few_cases_has_the_interval_of_so_few():
    """All five ill are ranked alike by chance: what they differ by would say too little."""
    labels = np.array([1] * 5 + [0] * 95)
    shares = np.column_stack([np.full(100, 0.5), np.full(100, 0.5)])
    shares[5:, 1] += np.linspace(-0.2, 0.2, 95)
    shares[:, 0] = 1 - shares[:, 1]
    part = LeftOutCases(np.arange(100), shares, np.full(100, 0.01), np.array([95, 5]))
    found = diagnose([part], labels, 2, ERROR).auc
    assert found.value == pytest.approx(0.5)
    assert found.high - found.low > 0.4


def test_what_is_not_known_has_no_number():
    """Nothing is called the first class; or there is no case of it."""
    nothing = Figure(0.5, math.nan, math.nan)
    never = Diagnosis(
        (5, 15), (0.25, 0.75), ((0.0, 0.25), (0.0, 0.75)), nothing, nothing, ((), ()), ((), ())
    )
    assert math.isnan(never.positive_value(0).value)
    assert never.negative_value(0).value == 0.75
    assert never.sensitivity(0).value == 0
    assert never.sensitivity(0).high == pytest.approx(
        binomtest(0, 5).proportion_ci(method="wilson").high
    )
    none = Diagnosis(
        (0, 20), (0.0, 1.0), ((0.0, 0.0), (0.1, 0.9)), nothing, nothing, ((), ()), ((), ())
    )
    assert math.isnan(none.sensitivity(0).value)
    assert math.isnan(none.sensitivity(0).low)
    assert none.specificity(0).value == pytest.approx(0.9)


def test_forests_that_are_never_wrong_have_figures():
    labels = np.array([0] * 10 + [1] * 30)
    part = LeftOutCases(np.arange(40), np.eye(2)[labels], np.full(40, 1 / 40), np.array([10, 30]))
    found = diagnose([part], labels, 2, ERROR)
    assert (found.auc.value, found.brier.value) == (1, 0)
    assert found.sensitivity(0).value == found.positive_value(0).value == 1
    assert found.sensitivity(0).low == pytest.approx(
        binomtest(10, 10).proportion_ci(method="wilson").low
    )
    assert found.positive_value(0).low < 1
    assert found.roc[0] == found.roc[1] == ((0, 0), (0, 1), (1, 1))
    assert from_plain(Diagnosis, to_plain(found), "here").confusion == found.confusion


def test_the_rarest_class_counts_as_positive():
    assert [rarest_class(c) for c in ((5, 9), (9, 5), (5, 5), (7, 3, 9), (3, 3, 9))] == [
        *(0, 1, 1, 1, 1)
    ]


# --- curves -------------------------------------------------------------------------------------


def area(curve):
    return sum((b[0] - a[0]) * (a[1] + b[1]) / 2 for a, b in pairwise(curve))


@pytest.mark.parametrize("n_classes", [2, 3])
def test_roc_curves_rise_from_corner_to_corner_with_the_right_area(n_classes):
    for seed in range(3):
        part, labels, shares = one_part(n_classes, seed=seed)
        found = diagnose([part], labels, n_classes, ERROR)
        assert len(found.roc) == n_classes
        for k, curve in enumerate(found.roc):
            assert (curve[0], curve[-1]) == ((0, 0), (1, 1))
            assert all(a[0] <= b[0] and a[1] <= b[1] for a, b in pairwise(curve))
            assert len(curve) <= 202
            expected = plain_diagnosis.area_of_one_class(shares.tolist(), labels.tolist(), k)
            assert area(curve) == pytest.approx(expected, abs=0.01)


def test_reliability_curves_have_all_cases_and_their_shares():
    for n_classes in (2, 3):
        parts, labels = draw_cases(n_classes)
        found = diagnose(parts, labels, n_classes, ERROR)
        for k, curve in enumerate(found.reliability):
            assert sum(weight for _, _, weight in curve) == pytest.approx(1)
            assert len(curve) <= 10
            assert all(a[0] < b[0] for a, b in pairwise(curve))
            given = sum((p.weight * p.evidence[:, k] / p.evidence.sum(axis=1)).sum() for p in parts)
            own = sum((p.weight * (labels[p.rows] == k)).sum() for p in parts)
            assert found.expected_share(k) == pytest.approx(given, abs=1e-3)
            assert found.observed_share(k).value == pytest.approx(own, abs=1e-4)


def test_reliability_tells_shares_that_are_true_from_those_that_are_not():
    rng = np.random.default_rng(0)
    n_rows = 40_000
    share = rng.random(n_rows)
    labels = (rng.random(n_rows) < share).astype(int)
    counts, weight = np.bincount(labels), np.full(n_rows, 1 / n_rows)
    true = LeftOutCases(np.arange(n_rows), np.column_stack([1 - share, share]), weight, counts)
    for given, observed, part in diagnose([true], labels, 2, ERROR).reliability[1]:
        assert observed == pytest.approx(given, abs=4 * math.sqrt(0.25 / (part * n_rows)))
        assert part == pytest.approx(0.1, abs=0.01)
    half = LeftOutCases(
        np.arange(n_rows), np.column_stack([1 - share / 2, share / 2]), weight, counts
    )
    found = diagnose([half], labels, 2, ERROR)
    for given, observed, _ in found.reliability[1]:
        assert observed == pytest.approx(2 * given, abs=0.03)
    assert found.expected_share(1) == pytest.approx(0.25, abs=0.01)
    assert found.observed_share(1).value == pytest.approx(0.5, abs=0.01)


# --- of a comparison and an estimator -----------------------------------------------------------


def draw_table(n_rows=120, seed=0):
    rng = np.random.default_rng(seed)
    ill = rng.random(n_rows) < 0.25
    X = pd.DataFrame(
        {
            f"x{j}": ill * strength + rng.normal(size=n_rows)
            for j, strength in enumerate((1.5, 1.0, 0.5, 0.0))
        }
    )
    return X, np.where(ill, "ill", "well")


QUICK = {"n_trees": 15, "n_resamples": 3, "verbose": 0}


@pytest.fixture(scope="module", params=["auto", "plain"])
def methods(request):
    return {"auto": ["auto"], "plain": ["auc", "pfi"]}[request.param]


def test_one_minus_the_diagonal_is_the_honest_error(methods):
    result = compare(*draw_table(), budgets=[1, 2], methods=methods, **QUICK)
    for budget in (1, 2):
        best = result.best(budget)
        found = best.diagnosis
        right = sum(found.confusion[k][k] for k in range(2))
        assert 1 - right == pytest.approx(best.honest.error, abs=1e-12)
        assert sum(map(sum, found.confusion)) == pytest.approx(1)
        assert sum(found.n_cases) <= 120


@pytest.mark.parametrize("scoring", ["auc", "brier"])
def test_the_figure_that_is_the_score_is_the_honest_one(methods, scoring):
    result = compare(*draw_table(), budgets=2, methods=methods, scoring=scoring, **QUICK)
    best = result.best()
    figure = best.diagnosis.auc.complement if scoring == "auc" else best.diagnosis.brier
    assert figure.value == pytest.approx(best.honest.error, abs=1e-12)
    assert best.diagnosis.auc.value > 0.6


def test_the_cost_of_the_confusion_matrix_is_the_honest_cost(methods):
    result = compare(*draw_table(), budgets=2, methods=methods, error_costs=ERROR_COSTS, **QUICK)
    best = result.best()
    (_, missed), (alarm, _) = best.diagnosis.confusion
    assert 10 * missed + alarm == pytest.approx(best.honest.error, abs=1e-12)
    by_error = compare(*draw_table(), budgets=2, methods=methods, **QUICK).best().diagnosis
    assert best.diagnosis.sensitivity(0).value > by_error.sensitivity(0).value


def test_the_balanced_error_is_that_of_sensitivity_and_specificity():
    """Every resample has the same share of each class, so means over resamples are the same."""
    result = compare(*draw_table(), budgets=2, methods="auc", scoring="balanced_error", **QUICK)
    best = result.best()
    found = best.diagnosis
    mean = (found.sensitivity(0).value + found.specificity(0).value) / 2
    assert 1 - mean == pytest.approx(best.honest.error, abs=1e-12)


@pytest.mark.parametrize("scoring", tuple(SCORES))
def test_an_estimator_has_the_same_figures(scoring):
    X, y = draw_table()
    costs = ERROR_COSTS if scoring == "cost" else None
    model = FrugalForestClassifier(
        budget=2, scoring=scoring, error_costs=costs, n_trees=15, n_resamples=3, random_state=0
    ).fit(X, y)
    found, honest = model.diagnosis_, model.honest_error_.error
    (a, b), (c, d) = found.confusion
    expected = {
        "error": b + c,
        "auc": 1 - found.auc.value,
        "brier": found.brier.value,
        "cost": 10 * b + c,
    }
    if scoring in expected:
        assert expected[scoring] == pytest.approx(honest, abs=1e-12)
    assert a + b + c + d == pytest.approx(1)
    for k in range(2):
        for figure in (found.sensitivity(k), found.specificity(k), found.auc, found.brier):
            assert 0 <= figure.low <= figure.value <= figure.high <= 1


def test_without_resamples_or_features_there_is_no_diagnosis():
    X, y = draw_table()
    none = compare(X, y, budgets=2, methods="auc", **QUICK | {"n_resamples": 0})
    assert none.best().diagnosis is None
    noise = pd.DataFrame(np.random.default_rng(5).normal(size=(len(y), 2)))
    bought = compare(noise, y, budgets=1, methods="auto", **QUICK).best()
    assert bought.features == ()
    assert bought.diagnosis is None
    plain = FrugalForestClassifier(budget=2, method="auc", n_trees=10).fit(X, y)
    assert plain.diagnosis_ is None


def test_the_figures_of_a_final_model_are_its_own():
    from sklearn.linear_model import LogisticRegression

    X, y = draw_table()
    for scoring in ("error", "auc"):
        result = compare(
            X, y, budgets=2, methods="auc", scoring=scoring, final=LogisticRegression(), **QUICK
        )
        best = result.best()
        (_, b), (c, _) = best.diagnosis.confusion
        own = b + c if scoring == "error" else 1 - best.diagnosis.auc.value
        assert own == pytest.approx(best.honest.error, abs=1e-12)


# --- by simulation ------------------------------------------------------------------------------


@pytest.mark.slow
def test_intervals_of_sensitivity_cover_the_truth():
    """A fixed rule, right for 80 % of the ill and 90 % of the well, on rows drawn anew."""
    rng = np.random.default_rng(0)
    covered = np.zeros(4)
    n_draws = 1000
    for _ in range(n_draws):
        labels = (rng.random(120) < 0.75).astype(int)
        right = rng.random(120) < np.where(labels == 0, 0.8, 0.9)
        shares = np.eye(2)[np.where(right, labels, 1 - labels)]
        part = LeftOutCases(
            np.arange(120), shares, np.full(120, 1 / 120), np.bincount(labels, minlength=2)
        )
        found = diagnose([part], labels, 2, ERROR)
        truth = 0.25 * 0.8, 0.75 * 0.1
        for i, (figure, value) in enumerate(
            (
                (found.sensitivity(0), 0.8),
                (found.specificity(0), 0.9),
                (found.positive_value(0, 0.25), truth[0] / sum(truth)),
                (found.negative_value(0, 0.25), 0.675 / (0.675 + 0.05)),
            )
        ):
            covered[i] += figure.low <= value <= figure.high
    assert (covered / n_draws > 0.93).all(), covered / n_draws
    assert (covered / n_draws < 0.99).all(), covered / n_draws


@pytest.mark.slow
def test_intervals_of_a_whole_procedure_cover_what_its_model_does_on_new_rows():
    """Cases count once, however many resamples left them out: intervals must not be too narrow.

    The procedure learns from four fifths of the rows, so it is a little off, and 95 % is not asked.
    """
    new_X, new_y = draw_table(5000, seed=999)
    covered, n_draws = 0, 40
    quick = {"n_trees": 25, "n_resamples": 8, "verbose": 0}
    for seed in range(n_draws):
        X, y = draw_table(120, seed)
        result = compare(
            X,
            y,
            budgets=2,
            methods="auc",
            xi=0.0,
            scoring="balanced_error",
            random_state=seed,
            **quick,
        )
        found = (result.fit(X, y).predict(new_X)[new_y == "ill"] == "ill").mean()
        figure = result.best().diagnosis.sensitivity(0)
        covered += figure.low <= found <= figure.high
    assert covered / n_draws > 0.8, covered / n_draws


def test_balanced_decisions_are_those_of_the_rows_learned_from():
    """Two forests that learned from other shares of the classes decide otherwise."""
    labels, shares = np.array([0, 1]), np.array([[0.4, 0.6], [0.4, 0.6]])
    called = []
    for counts in ((30, 70), (50, 50)):
        part = LeftOutCases(np.arange(2), shares, np.full(2, 0.5), np.array(counts))
        called.append(diagnose([part], labels, 2, BalancedError()).confusion)
    assert called == [((0.5, 0.0), (0.5, 0.0)), ((0.0, 0.5), (0.0, 0.5))]
