"""The scores and their grades against plain loops and scikit-learn; decisions; what is no score."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn import metrics

from frugalforest.engine import ForestSettings, score_sets
from frugalforest.problem import Problem
from frugalforest.scores import (
    AUC,
    ERROR,
    SCORES,
    BalancedError,
    Brier,
    Cost,
    DecisionRule,
    ErrorCosts,
    LogLoss,
    best_power,
    decided,
    find_score,
    graded_losses,
)
from frugalforest.scores.grading import sharpened_log_losses
from reference import plain_scores
from reference.tiny_problems import tiny_problem

NAMES = tuple(SCORES)
SIMPLE = (ERROR, BalancedError(), AUC(), Brier(), LogLoss())


def costs_for(n_classes, seed=0):
    """Another cost for each pair, nothing for what is right."""
    matrix = np.random.default_rng(seed).integers(1, 30, (n_classes, n_classes)) / 4
    np.fill_diagonal(matrix, 0)
    return ErrorCosts(tuple(map(tuple, matrix.tolist())))


def score_named(name, n_classes):
    return Cost(costs_for(n_classes)) if name == "cost" else SCORES[name]()


def plain_score(name, n_classes):
    """The same score in plain loops."""
    if name == "cost":
        return plain_scores.cost_of(costs_for(n_classes).matrix)
    return getattr(plain_scores, {"auc": "auc_loss"}.get(name, name))


def draw(n_classes, seed, coarse=False, n_rows=60):
    """Shares that know something of the labels, the labels, and the counts of training rows.

    Classes are unequally common. Coarse shares are full of ties.
    """
    rng = np.random.default_rng(seed)
    common = rng.dirichlet(np.full(n_classes, 3.0))
    labels = rng.choice(n_classes, n_rows, p=common)
    labels[:n_classes] = range(n_classes)
    counts = np.bincount(rng.choice(n_classes, 200, p=common), minlength=n_classes) + 1
    if coarse:
        shares = rng.multinomial(4, common, n_rows) + 2 * np.eye(n_classes, dtype=int)[labels]
    else:
        shares = rng.dirichlet(np.full(n_classes, 0.7), n_rows) + 0.3 * np.eye(n_classes)[labels]
        shares /= shares.sum(axis=1, keepdims=True)
    return shares, labels, counts


@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "tied"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("name", NAMES)
def test_every_score_is_what_plain_loops_say(name, n_classes, coarse):
    score = score_named(name, n_classes)
    for seed in range(5):
        shares, labels, counts = draw(n_classes, seed, coarse)
        expected = plain_score(name, n_classes)(shares.tolist(), labels.tolist(), counts.tolist())
        assert score.of_rows(shares, labels, counts) == pytest.approx(expected, rel=1e-12)
        losses = score.row_losses(shares, labels, counts)
        assert losses.shape == labels.shape
        assert losses.mean() == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("n_classes", [3, 5])
@pytest.mark.parametrize("name", NAMES)
def test_a_class_that_no_tested_row_has_is_left_out_of_means_over_classes(name, n_classes):
    score = score_named(name, n_classes)
    for seed in range(5):
        shares, labels, counts = draw(n_classes, seed)
        here = labels != 1
        shares, labels = shares[here], labels[here]
        expected = plain_score(name, n_classes)(shares.tolist(), labels.tolist(), counts.tolist())
        assert score.of_rows(shares, labels, counts) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_rows_of_one_class_alone_have_a_score(name):
    shares, labels, counts = draw(2, 0)
    shares, labels = shares[labels == 0], labels[labels == 0]
    expected = plain_score(name, 2)(shares.tolist(), labels.tolist(), counts.tolist())
    assert score_named(name, 2).of_rows(shares, labels, counts) == pytest.approx(expected)


@pytest.mark.parametrize("name", NAMES)
def test_a_class_that_the_forest_never_learned_has_a_score(name):
    shares, labels, _ = draw(3, 0)
    shares = np.column_stack([shares[:, :2] / shares[:, :2].sum(axis=1, keepdims=True), 0 * labels])
    counts = np.array([30, 10, 0])
    expected = plain_score(name, 3)(shares.tolist(), labels.tolist(), counts.tolist())
    value = score_named(name, 3).of_rows(shares, labels, counts)
    assert value == pytest.approx(expected)
    assert np.isfinite(value)


# --- scikit-learn's metrics ---------------------------------------------------------------------


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_of_decisions_are_those_of_scikit_learn(n_classes):
    for seed in range(5):
        shares, labels, counts = draw(n_classes, seed)
        classes = np.arange(n_classes)
        majority = shares.argmax(axis=1)
        assert ERROR.of_rows(shares, labels, counts) == pytest.approx(
            1 - metrics.accuracy_score(labels, majority)
        )
        balanced = (shares / counts).argmax(axis=1)
        assert BalancedError().of_rows(shares, labels, counts) == pytest.approx(
            1 - metrics.balanced_accuracy_score(labels, balanced)
        )
        cost = Cost(costs_for(n_classes))
        matrix = np.array(cost.error_costs.matrix)
        cheapest = (shares @ matrix).argmin(axis=1)
        confusion = metrics.confusion_matrix(labels, cheapest, labels=classes)
        assert cost.of_rows(shares, labels, counts) == pytest.approx(
            (confusion * matrix).sum() / len(labels)
        )


@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "tied"])
def test_scores_of_two_shares_are_those_of_scikit_learn(coarse):
    for seed in range(5):
        evidence, labels, counts = draw(2, seed, coarse)
        share = evidence[:, 1] / evidence.sum(axis=1)
        assert AUC().of_rows(evidence, labels, counts) == pytest.approx(
            1 - metrics.roc_auc_score(labels, share)
        )
        assert Brier().of_rows(evidence, labels, counts) == pytest.approx(
            metrics.brier_score_loss(labels, share)
        )


@pytest.mark.parametrize("coarse", [False, True], ids=["fine", "tied"])
@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_scores_of_several_shares_are_those_of_scikit_learn(n_classes, coarse):
    for seed in range(5):
        evidence, labels, counts = draw(n_classes, seed, coarse)
        shares = evidence / evidence.sum(axis=1, keepdims=True)
        smoothed = (shares + 0.001) / (1 + 0.001 * n_classes)
        assert LogLoss().of_rows(evidence, labels, counts) == pytest.approx(
            metrics.log_loss(labels, smoothed, labels=np.arange(n_classes))
        )
        if n_classes > 2:
            assert AUC().of_rows(evidence, labels, counts) == pytest.approx(
                1 - metrics.roc_auc_score(labels, shares, multi_class="ovo", average="macro")
            )
            squares = ((shares - np.eye(n_classes)[labels]) ** 2).sum(axis=1)
            assert Brier().of_rows(evidence, labels, counts) == pytest.approx(squares.mean())


# --- what rows lose ------------------------------------------------------------------------------


def test_row_losses_of_the_auc_have_the_variance_of_delong():
    for seed in range(10):
        shares, labels, counts = draw(2, seed, coarse=seed % 2 == 1)
        share = shares[:, 1] / shares.sum(axis=1)
        losses = AUC().row_losses(shares, labels, counts)
        expected = plain_scores.delong_variance(share[labels == 1], share[labels == 0])
        assert losses.var() / len(losses) == pytest.approx(expected, rel=1e-9)


def test_differences_of_row_losses_have_the_variance_of_two_aucs_of_the_same_rows():
    """DeLong's covariance: that of the components, class by class."""
    for seed in range(5):
        one, labels, counts = draw(2, seed)
        other = np.clip(one + np.random.default_rng(seed).normal(0, 0.2, one.shape), 0.01, None)
        difference = AUC().row_losses(one, labels, counts) - AUC().row_losses(other, labels, counts)
        expected = 0.0
        for k in (0, 1):
            parts = []
            for evidence in (one, other):
                share = evidence[:, 1] / evidence.sum(axis=1)
                rest = share[labels != k]
                parts.append([plain_scores.ordered_right([a], rest) for a in share[labels == k]])
            expected += np.subtract(*parts).var() / (labels == k).sum()
        assert difference.var() / len(labels) == pytest.approx(expected, rel=1e-9)


def test_rows_without_a_vote_are_left_out():
    shares, labels, counts = draw(3, 0)
    gaps = np.vstack([shares, np.full((2, 3), np.nan), np.zeros((1, 3))])
    more = np.append(labels, [0, 1, 2])
    for name in NAMES:
        score = score_named(name, 3)
        assert score.of_rows(gaps, more, counts) == score.of_rows(shares, labels, counts)
        assert math.isnan(score.of_rows(gaps[-3:], more[-3:], counts))


@pytest.mark.parametrize("name", NAMES)
def test_votes_and_shares_score_the_same(name):
    votes, labels, counts = draw(3, 1, coarse=True)
    score = score_named(name, 3)
    shares = votes / votes.sum(axis=1, keepdims=True)
    assert score.of_rows(votes, labels, counts) == pytest.approx(
        score.of_rows(shares, labels, counts)
    )


# --- measuring nothing, and bounds --------------------------------------------------------------


@pytest.mark.parametrize("counts", [(30, 10), (50, 30, 20), (5, 5), (7, 7, 7), (90, 4, 3, 2, 1)])
def test_the_score_of_nothing_is_that_of_shares_as_common_as_the_classes(counts):
    counts = np.array(counts)
    shares, n_classes = counts / counts.sum(), len(counts)
    smoothed = (shares + 0.001) / (1 + 0.001 * n_classes)
    squares = ((shares - np.eye(n_classes)) ** 2).sum(axis=1) @ shares
    matrix = np.array(costs_for(n_classes).matrix)
    expected = {
        "error": 1 - shares.max(),
        "balanced_error": 1 - 1 / n_classes,
        "auc": 0.5,
        "brier": squares / 2 if n_classes == 2 else squares,
        "log_loss": -(shares * np.log(smoothed)).sum(),
        "cost": (shares @ matrix).min(),
    }
    for name, value in expected.items():
        assert score_named(name, n_classes).of_nothing(counts) == pytest.approx(value), name


@given(st.data())
@settings(max_examples=100, deadline=None)
def test_every_score_lies_between_0_and_its_highest(data):
    n_classes = data.draw(st.integers(2, 5))
    n_rows = data.draw(st.integers(1, 8))
    votes = st.lists(st.integers(0, 5), min_size=n_classes, max_size=n_classes)
    rows = data.draw(st.lists(votes.filter(any), min_size=n_rows, max_size=n_rows))
    label = st.integers(0, n_classes - 1)
    labels = data.draw(st.lists(label, min_size=n_rows, max_size=n_rows))
    counts = data.draw(st.lists(st.integers(1, 50), min_size=n_classes, max_size=n_classes))
    for name in NAMES:
        score = score_named(name, n_classes)
        value = score.of_rows(np.array(rows), np.array(labels), np.array(counts))
        assert -1e-12 <= value <= score.highest(n_classes) + 1e-12
        assert value == pytest.approx(plain_score(name, n_classes)(rows, labels, counts))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_right_answers_score_0_and_the_worst_ones_the_highest(n_classes):
    labels, counts = np.arange(n_classes).repeat(3), np.full(n_classes, 3)
    right = np.eye(n_classes)[labels]
    for name in NAMES:
        score = score_named(name, n_classes)
        least = score.of_rows(right, labels, counts)
        # Smoothing keeps a thousandth for each class.
        most = math.log(1 + n_classes / 1000) if name == "log_loss" else 0.0
        assert least <= most + 1e-12
        worst = np.eye(n_classes)[(labels + 1) % n_classes]
        highest = score.of_rows(worst, labels, counts)
        if name in ("error", "balanced_error", "brier"):
            assert highest == score.highest(n_classes)
        assert highest <= score.highest(n_classes) * (1 + 1e-12)
    flipped = AUC().of_rows(1 - right, labels, counts)
    assert flipped == pytest.approx(AUC().highest(n_classes))


def test_the_dearest_error_is_the_highest_cost():
    score = Cost(ErrorCosts(((0.0, 2.0), (9.0, 0.0))))
    assert score.highest(2) == 9
    assert score.of_rows(np.array([[1.0, 0.0]]), np.array([1]), np.array([1, 1])) == 9


# --- decisions -----------------------------------------------------------------------------------


@given(st.data())
@settings(max_examples=200, deadline=None)
def test_decisions_have_the_lowest_expected_loss_and_ties_share(data):
    n_classes = data.draw(st.integers(2, 5))
    row = data.draw(st.lists(st.integers(0, 6), min_size=n_classes, max_size=n_classes).filter(any))
    loss = st.integers(0, 8)
    losses = np.array(
        [data.draw(st.lists(loss, min_size=n_classes, max_size=n_classes)) for _ in row],
        dtype=float,
    )
    np.fill_diagonal(losses, 0)
    found = decided(np.array([row]), losses)[0]
    expected = [
        sum(votes * losses[true, called] for true, votes in enumerate(row))
        for called in range(n_classes)
    ]
    best = [k for k, value in enumerate(expected) if value == min(expected)]
    assert np.flatnonzero(found).tolist() == best
    np.testing.assert_allclose(found[best], 1 / len(best))
    rule = DecisionRule("votes", losses=tuple(map(tuple, losses.tolist())))
    assert rule.classes(np.array([row])).tolist() == best[:1]


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("name", NAMES)
def test_the_rule_of_a_score_decides_as_the_score_does(name, n_classes):
    score = score_named(name, n_classes)
    shares, labels, counts = draw(n_classes, 2, coarse=True)
    rule = score.rule(counts)
    assert rule.evidence == ("votes" if name == "error" else "shares") == score.evidence
    of_score = decided(shares, score.losses(counts))
    assert rule.classes(shares).tolist() == of_score.argmax(axis=1).tolist()
    by_loops = [plain_scores.decisions(row, score.losses(counts).tolist())[0] for row in shares]
    assert rule.classes(shares).tolist() == by_loops
    said = rule.probabilities(shares)
    np.testing.assert_allclose(said.sum(axis=1), 1)
    if name == "log_loss":
        own = said[np.arange(len(labels)), labels]
        assert -np.log(own).mean() == pytest.approx(score.of_rows(shares, labels, counts))
        assert said.min() > 0
    else:
        np.testing.assert_allclose(said, shares / shares.sum(axis=1, keepdims=True))


def test_rounding_does_not_break_ties():
    third = 0.1 + 0.2  # a little more than 0.3
    shares = np.array([[0.4, third, 0.3], [third, 0.3, 0.4], [0.3, third, 0.1 * 3]])
    assert decided(shares, ERROR.losses(np.ones(3))).tolist() == [
        [1, 0, 0],
        [0, 0, 1],
        [1 / 3] * 3,
    ]


def test_by_the_balanced_error_shares_as_common_as_the_classes_are_a_tie():
    for counts in ((90, 10), (61, 29, 10), (3, 7, 11, 13, 17)):
        counts = np.array(counts)
        found = decided((counts / counts.sum())[np.newaxis], BalancedError().losses(counts))
        np.testing.assert_allclose(found, 1 / len(counts))


def test_with_one_cost_for_any_error_decisions_are_those_of_shares():
    shares, _, counts = draw(3, 3)
    score = Cost(ErrorCosts.read(7, ("a", "b", "c")))
    assert score.rule(counts).classes(shares).tolist() == shares.argmax(axis=1).tolist()


# --- grades --------------------------------------------------------------------------------------


def draw_votes(seed, n_classes, n_rows=60):
    """Votes of twenty trees, more or less for the true class."""
    rng = np.random.default_rng(seed)
    labels = rng.integers(n_classes, size=n_rows)
    shares = (
        rng.dirichlet(np.ones(n_classes), n_rows) + rng.uniform(0, 2) * np.eye(n_classes)[labels]
    )
    shares /= shares.sum(axis=1, keepdims=True)
    return np.array([rng.multinomial(20, each) for each in shares]), labels


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(6))
def test_the_best_power_has_the_lowest_loss_of_all_that_are_tried(seed, n_classes):
    votes, labels = draw_votes(seed, n_classes)
    assert best_power(votes, labels) == plain_scores.best_power(votes.tolist(), labels.tolist())


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0, 6.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_are_what_plain_loops_say(n_classes, power):
    votes, labels = draw_votes(1, n_classes)
    expected = [
        plain_scores.sharpened_log_loss([row], [label], power)
        for row, label in zip(votes.tolist(), labels.tolist(), strict=True)
    ]
    assert sharpened_log_losses(votes, labels, power).tolist() == pytest.approx(expected)
    errors = np.arange(len(labels)) % 2 * 1.0
    graded = graded_losses(errors, votes, labels, power)
    assert graded.tolist() == pytest.approx((errors + np.array(expected) / 2).tolist())


def test_whoever_hesitates_and_is_right_is_better_than_who_is_sure_and_wrong_more_often():
    labels = np.zeros(100, dtype=int)
    hesitant = np.tile([30, 20], (100, 1))
    hesitant[:5] = [20, 30]
    sure = np.tile([45, 5], (100, 1))
    sure[:15] = [5, 45]
    as_they_are = [sharpened_log_losses(v, labels, 1.0).mean() for v in (hesitant, sure)]
    at_their_best = [
        sharpened_log_losses(v, labels, best_power(v, labels)).mean() for v in (hesitant, sure)
    ]
    assert as_they_are[0] > as_they_are[1]
    assert at_their_best[0] < at_their_best[1]


@pytest.mark.parametrize("n_classes", [2, 7])
def test_one_row_that_is_surely_wrong_costs_no_more_than_a_few_errors(n_classes):
    # As a mislabelled one is, for a forest that is right in all the others.
    labels = np.arange(100) % n_classes
    votes = 500 * np.eye(n_classes, dtype=int)[labels]
    power = best_power(votes, labels)
    assert power > 1
    labels[0] = 1
    losses = graded_losses(labels != votes.argmax(axis=1), votes, labels, power)
    assert 3 < losses[0] < 5
    assert losses[1:].max() < 0.05


def test_a_forest_that_is_right_but_in_a_mislabelled_row_beats_one_that_errs_more_often():
    labels = np.zeros(100, dtype=int)
    good, worse = np.tile([500, 0], (100, 1)), np.tile([400, 100], (100, 1))
    good[0] = worse[0] = [0, 500]
    worse[1:5] = [200, 300]
    graded = []
    for votes in (good, worse):
        # Learned from the other rows, where the good one makes no error.
        power = best_power(votes[1:], labels[1:])
        errors = (votes.argmax(axis=1) != labels) * 1.0
        graded.append(graded_losses(errors, votes, labels, power).mean())
    assert graded[0] < graded[1]


def test_votes_that_are_all_wrong_or_all_equal_have_no_power():
    labels = np.array([0, 1, 0, 1])
    right, even = np.array([[9, 0], [0, 9], [9, 0], [0, 9]]), np.ones((4, 2), dtype=int)
    assert best_power(right, labels) > 0
    assert best_power(right[::-1], labels) == best_power(even, labels) == 0


@pytest.mark.parametrize("n_classes", [2, 3])
def test_scores_of_sets_have_the_grades_of_their_out_of_bag_votes(n_classes):
    # So few trees that some rows have no vote.
    tiny = tiny_problem(3, n_classes=n_classes)
    problem = Problem.from_table(tiny.X, tiny.y, forests=ForestSettings(n_trees=4))
    sets = [(0,), (0, 1, 2)]
    batch = score_sets(
        *(problem.data, problem.target, sets, [problem.forest_seed] * 2, problem.forests),
        keep_votes=True,
    )
    labels = problem.outcome.labels
    for found, votes in zip(problem.scores(sets), batch.oob_votes, strict=True):
        voted = votes.sum(axis=1) > 0
        assert found.n_unvoted == (~voted).sum() > 0
        assert found.power == best_power(votes[voted], labels[voted])
        assert found.oob_error > 0
        loss = plain_scores.sharpened_log_loss(
            votes[voted].tolist(), labels[voted].tolist(), found.power
        )
        assert found.graded == pytest.approx(found.oob_error + loss / 2)


def test_a_set_without_errors_has_nothing_to_grade():
    y = np.repeat([0, 1], 40)
    rng = np.random.default_rng(0)
    X = np.column_stack([y, y + 0.3 * rng.normal(size=80)])
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=50))
    sure, noisy = problem.scores([(0,), (1,)])
    assert sure.oob_error == sure.graded == 0
    assert noisy.graded > noisy.oob_error > 0


@pytest.mark.parametrize("scoring", ["brier", "auc", "balanced_error", "log_loss"])
def test_other_scores_are_their_own_grades(scoring):
    tiny = tiny_problem(3)
    problem = Problem.from_table(
        tiny.X, tiny.y, forests=ForestSettings(n_trees=20), score=find_score(scoring)
    )
    (found,) = problem.scores([(0, 1)])
    assert found.graded == found.value
