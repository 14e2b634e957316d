"""Sets that a search finds in several resamples are among its sets on all rows."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, compare
from frugalforest.choice import Configuration, PooledSet, pooled_sets, with_recurring_sets
from frugalforest.choice.pools import pool_forests
from frugalforest.problem import Problem
from reference.runners import RecordingRunner
from reference.scripted_pools import scripted

OWN, FOUND, OTHER = (0,), (1, 2), (3,)


def pool_of(*proposed, search="beam"):
    """A pool of one search that proposes these sets: features and graded score of each.

    By errors alone it would tell the opposite.
    """
    made = scripted([0.0] * len(proposed), [s for _, s in proposed], (1.0,) * len(proposed))
    return replace(
        made,
        sets=tuple(PooledSet(features, 1.0, 1 - score, score, 1.0) for features, score in proposed),
        configurations=tuple(
            Configuration("linear", search, None, f"size {k}", 1.0) for k in range(len(proposed))
        ),
        left_out=None,
    )


def taken(pool):
    ((_, place),) = pool.ways.items()
    return pool.chosen(place)[0]


def score_of(value):
    return lambda sets: [PooledSet(features, 1.0, 1 - value, value, 1.0) for features in sets]


def never(sets):
    raise AssertionError(sets)


TWICE = [pool_of((FOUND, 0.2)), pool_of((OTHER, 0.1)), pool_of((FOUND, 0.2))]


@pytest.mark.parametrize(("score", "expected"), [(0.2, FOUND), (0.4, OWN)])
def test_what_two_resamples_found_is_taken_if_its_score_on_all_rows_is_lower(score, expected):
    pool = with_recurring_sets(pool_of((OWN, 0.3)), TWICE, score_of(score))
    assert taken(pool) == expected
    assert [s.features for s in pool.sets] == [OWN, FOUND]
    assert pool.configurations[1] == Configuration("linear", "beam", None, "found again 0", 1.0)


def test_what_one_resample_found_is_not_looked_at():
    pool = pool_of((OWN, 0.3))
    assert with_recurring_sets(pool, TWICE[:2], never) == pool


def test_a_set_counts_for_the_search_that_took_it():
    others = [pool_of((FOUND, 0.2), search="forward") for _ in range(3)]
    pool = pool_of((OWN, 0.3))
    assert with_recurring_sets(pool, others, never) == pool


def test_what_is_proposed_on_all_rows_is_not_scored_again():
    pool = pool_of((OWN, 0.3), (FOUND, 0.35))
    assert with_recurring_sets(pool, TWICE, never) == pool


def test_a_set_that_another_search_has_is_not_scored_again():
    pool = pool_of((OWN, 0.3), (FOUND, 0.2))
    second = Configuration("linear", "forward", None, "", 1.0)
    pool = replace(pool, configurations=(pool.configurations[0], second))
    found = with_recurring_sets(pool, TWICE, never)
    assert found.sets == pool.sets
    assert found.set_of == (0, 1, 1)


def test_of_a_resample_only_what_the_search_took_there_counts():
    """The set with the lowest score, not everything that it proposed."""
    resamples = [pool_of((OTHER, 0.1), (FOUND, 0.2)) for _ in range(3)]
    pool = with_recurring_sets(pool_of((OWN, 0.3)), resamples, score_of(0.05))
    assert [s.features for s in pool.sets] == [OWN, OTHER]


# --- with forests -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    """The first two columns tell the class together, and nothing alone."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(120, 8)), columns=list("abcdefgh"))
    return X, np.where(X["a"] * X["b"] > 0, "yes", "no")


def test_scores_are_those_of_pools(table):
    problem = Problem.from_table(*table, costs=2.0)
    (found,) = pooled_sets(problem, None, [(0, 1)])
    assert found.cost == 4.0
    expected = problem.scores([(0, 1)], pool_forests(problem.forests))
    assert found.oob_score == expected[0].value


def test_the_classifier_and_compare_agree(table):
    options = {"n_trees": 20, "random_state": 0}
    model = FrugalForestClassifier(budget=2, n_resamples=5, **options).fit(*table)
    result = compare(*table, budgets=2, methods="auto", n_resamples=5, verbose=0, **options)
    assert tuple(model.selected_features_) == result.best().features == ("a", "b")
    assert model.honest_error_.error == pytest.approx(result.best().honest.error)


def test_a_run_that_is_resumed_scores_nothing_again(table, tmp_path):
    options = {"n_trees": 20, "random_state": 0, "n_resamples": 5, "verbose": 0}
    options |= {"budgets": 2, "methods": "auto", "resume": tmp_path / "progress.sqlite"}
    runner = RecordingRunner()
    first = compare(*table, runner=runner, **options)
    assert [label for label in runner.labels if "that resamples found" in label]
    runner = RecordingRunner()
    assert compare(*table, runner=runner, **options) == first
    assert runner.labels == []
