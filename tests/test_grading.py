"""Grades: the sharpened log loss is what plain loops say, and ranks hesitant forests fairly."""

import numpy as np
import pytest

from frugalforest.engine import ForestSettings, score_sets
from frugalforest.problem import Problem
from frugalforest.scores import best_power, find_score, graded_losses
from frugalforest.scores.grading import sharpened_log_losses
from reference import plain_scores as plain
from reference.tiny_problems import tiny_problem


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
    assert best_power(votes, labels) == plain.best_power(votes.tolist(), labels.tolist())


@pytest.mark.parametrize("power", [0.0, 0.7, 1.0, 6.0])
@pytest.mark.parametrize("n_classes", [2, 4])
def test_losses_are_what_plain_loops_say(n_classes, power):
    votes, labels = draw_votes(1, n_classes)
    expected = [
        plain.sharpened_log_loss([row], [label], power)
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
        loss = plain.sharpened_log_loss(votes[voted].tolist(), labels[voted].tolist(), found.power)
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
