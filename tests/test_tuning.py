"""Tuning picks the lowest score, whatever the forests say: most scores here are scripted."""

import sys
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import pytest

import frugalforest.problem
from frugalforest import (
    AUCSelector,
    ForwardSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
)
from frugalforest.engine import BatchScores, ForestSettings
from frugalforest.problem import OobScore, Problem
from frugalforest.selectors import (
    AUC,
    METHODS,
    Candidate,
    Forward,
    Permutation,
    ShallowTreeMethod,
    Step,
)
from frugalforest.tuning import DEFAULT_GRID, ScoredXi, choose, tune

NAN = float("nan")


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    X[:, 0] += y
    X[:, 1] += 0.7 * y
    return X, y, np.array([2.0, 1.0, 0.5, 1.5, 0.7, 1.1])


def problem_of(table, n_trees=10):
    X, y, costs = table
    return Problem.from_table(X, y, costs, scoring=ForestSettings(n_trees=n_trees))


# --- scripted methods and scores ------------------------------------------------------------------


@dataclass(frozen=True)
class Scripted:
    """A method whose set at ξ is {j} with j told by `which`, or the number of the tenth of ξ."""

    which: dict | None = None
    exact: bool = False

    def candidates(self, problem, budgets, xis):
        found = {}
        for budget in budgets:
            for xi in xis:
                j = round(10 * xi) if self.which is None else self.which[xi]
                cost = float(problem.prices.feature_cost[j])
                found[budget, xi] = Candidate((j,), cost, (Step((j,), 0.1, cost),))
        return found

    def critical_xis(self, problem, budget):
        return sorted(self.which)


def scripted_problem(monkeypatch, errors, costs=None, briers=None):
    """A problem whose forest on {j} has the j-th of the errors; and the sets asked for, in turn."""
    asked = []

    def score(data, target, feature_sets, seeds, settings, *, n_jobs):
        asked.extend(feature_sets)
        assert len(seeds) == len(feature_sets)
        error = np.array([errors[j] for (j,) in feature_sets], dtype=float)
        brier = error if briers is None else np.array([briers[j] for (j,) in feature_sets])
        return BatchScores(error, brier, np.zeros(len(error), dtype=np.uint32))

    monkeypatch.setattr(frugalforest.problem, "score_sets", score)
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(10, len(errors))), np.arange(10) % 2
    return Problem.from_table(X, y, costs), asked


def scored(xi, error, cost=1.0, brier=0.0):
    return ScoredXi(xi, Candidate((0,), cost, ()), OobScore(error, brier, 0))


def test_lowest_error_is_chosen():
    assert choose([scored(0, 0.3), scored(1, 0.1), scored(2, 0.2)]).xi == 1


def test_equal_errors_go_to_the_lower_cost_then_to_the_smaller_xi():
    tried = [scored(0, 0.2, cost=3), scored(0.5, 0.2, cost=2), scored(1, 0.2, cost=2)]
    assert choose(tried).xi == 0.5
    assert choose(tried[::-1]).xi == 0.5


def test_brier_score_is_minimised_if_asked_for():
    tried = [scored(0, 0.1, brier=0.2), scored(1, 0.2, brier=0.1)]
    assert choose(tried).xi == 0
    assert choose(tried, "brier").xi == 1


def test_undefined_scores_are_passed_over():
    assert choose([scored(0, NAN), scored(1, 0.4), scored(2, NAN)]).xi == 1


def test_nothing_but_undefined_scores_is_an_error():
    with pytest.raises(ValueError, match="no feature set could be scored"):
        choose([scored(0, NAN), scored(1, NAN)])


def test_tuning_picks_the_minimum_of_a_scripted_table(monkeypatch):
    problem, _ = scripted_problem(monkeypatch, [0.3, 0.1, 0.2])
    method = Scripted({0.0: 0, 0.5: 1, 1.0: 2})
    tuned = tune(problem, method, [None], [0.0, 0.5, 1.0])[None]
    assert tuned.best.xi == 0.5
    assert tuned.best.candidate.features == (1,)
    assert [t.score.oob_error for t in tuned.tried] == [0.3, 0.1, 0.2]


def test_tuning_breaks_ties_by_cost_then_xi(monkeypatch):
    problem, _ = scripted_problem(monkeypatch, [0.1, 0.1, 0.1, 0.4], costs=[3, 2, 2, 1])
    method = Scripted({0.0: 0, 0.5: 1, 1.0: 2, 1.5: 3})
    assert tune(problem, method, [None], [0.0, 0.5, 1.0, 1.5])[None].best.xi == 0.5


def test_tuning_goes_on_where_a_score_is_undefined(monkeypatch):
    problem, _ = scripted_problem(monkeypatch, [NAN, 0.2, NAN])
    method = Scripted({0.0: 0, 0.5: 1, 1.0: 2})
    assert tune(problem, method, [None], [0.0, 0.5, 1.0])[None].best.xi == 0.5


def test_exact_path_is_used_by_methods_that_have_one(monkeypatch):
    problem, _ = scripted_problem(monkeypatch, [0.3, 0.1, 0.2])
    method = Scripted({0.0: 0, 0.123: 1, 7.5: 2}, exact=True)
    tuned = tune(problem, method, [None])[None]
    assert [t.xi for t in tuned.tried] == [0.0, 0.123, 7.5]
    assert tuned.best.xi == 0.123


# --- the grid and its extension -------------------------------------------------------------------


def test_default_grid_is_that_of_the_study():
    assert tuple(round(0.1 * i, 1) for i in range(21)) == DEFAULT_GRID


def grid_best(monkeypatch, errors):
    problem, asked = scripted_problem(monkeypatch, errors)
    tuned = tune(problem, Scripted(), [None], "grid")[None]
    assert [t.xi for t in tuned.tried] == [i / 10 for i in range(len(tuned.tried))]
    assert len(asked) == len(tuned.tried)
    return tuned.best.xi, tuned.tried[-1].xi


def test_grid_is_not_extended_if_its_end_is_not_the_best(monkeypatch):
    errors = np.full(61, 0.5)
    errors[7] = 0.1
    assert grid_best(monkeypatch, errors) == (0.7, 2.0)


def test_grid_is_not_extended_if_its_end_only_ties(monkeypatch):
    assert grid_best(monkeypatch, np.full(61, 0.5)) == (0.0, 2.0)


def test_grid_is_extended_if_the_set_at_its_end_is_the_best(monkeypatch):
    # From ξ = 1.5 on it is one set, and a tie goes to the smaller ξ; at ξ = 3 comes a better one.
    problem, _ = scripted_problem(monkeypatch, [0.5, 0.3, 0.1])
    sets = {i / 10: 0 if i < 15 else 1 if i < 30 else 2 for i in range(61)}
    tuned = tune(problem, Scripted(sets), [None], "grid")[None]
    assert (tuned.best.xi, tuned.best.score.oob_error) == (3.0, 0.1)


def test_costs_that_differ_by_rounding_are_tied():
    tried = [scored(0.5, 0.1, cost=0.3), scored(0.0, 0.1, cost=0.1 + 0.2)]
    assert choose(tried).xi == 0.0


def test_grid_is_extended_once_if_its_end_is_the_best(monkeypatch):
    errors = np.full(61, 0.5)
    errors[20], errors[27] = 0.3, 0.2
    assert grid_best(monkeypatch, errors) == (2.7, 4.0)


def test_grid_is_extended_at_most_twice(monkeypatch):
    assert grid_best(monkeypatch, np.linspace(0.5, 0.1, 81)) == (6.0, 6.0)


def test_extension_that_finds_nothing_better_keeps_the_old_end(monkeypatch):
    errors = np.full(61, 0.5)
    errors[20] = 0.3
    assert grid_best(monkeypatch, errors) == (2.0, 4.0)


def test_undefined_scores_in_the_extension_are_passed_over(monkeypatch):
    errors = np.full(61, NAN)
    errors[:21] = np.linspace(0.5, 0.1, 21)
    assert grid_best(monkeypatch, errors) == (2.0, 4.0)


def test_only_budgets_whose_end_is_best_are_extended(monkeypatch):
    class ByBudget(Scripted):
        def candidates(self, problem, budgets, xis):
            tried.update((budget, xi) for budget in budgets for xi in xis)
            found = super().candidates(problem, budgets, xis)
            if (None, 0.5) in found:  # without a limit, ξ = ½ leads to the best set of all
                found[None, 0.5] = Candidate((61,), 1.0, ())
            return found

    tried = set()
    errors = np.full(62, 0.5)
    errors[20], errors[61] = 0.3, 0.1
    problem, _ = scripted_problem(monkeypatch, errors)
    tuned = tune(problem, ByBudget(), [1.0, None], "grid")
    assert [tuned[budget].best.xi for budget in (1.0, None)] == [2.0, 0.5]
    assert max(xi for budget, xi in tried if budget == 1.0) == 4.0
    assert max(xi for budget, xi in tried if budget is None) == 2.0


# --- each set is scored once ----------------------------------------------------------------------


def test_every_distinct_set_is_scored_once_across_xi_budgets_and_methods(table, monkeypatch):
    problem = problem_of(table)
    grown = Counter()
    n_calls = 0
    score_sets = frugalforest.problem.score_sets

    def counting(data, target, feature_sets, *rest, **options):
        nonlocal n_calls
        n_calls += bool(feature_sets)
        grown.update(map(tuple, feature_sets))
        return score_sets(data, target, feature_sets, *rest, **options)

    monkeypatch.setattr(frugalforest.problem, "score_sets", counting)
    methods = (AUC(), Permutation(n_trees=10), ShallowTreeMethod(n_trees=10), Forward(n_trees=10))
    wanted = set()
    for method in methods:
        for xis in ([0, 0.5, 1, 2], "auto"):
            for tuned in tune(problem, method, [1.5, 3.0, None], xis).values():
                wanted |= {t.candidate.features for t in tuned.tried}
    assert set(grown) == wanted
    assert set(grown.values()) == {1}
    # One batch for all budgets of a call, and one more for each of at most two extensions of the
    # two methods that have them.
    assert n_calls <= len(methods) * 2 + 2 * 2


def test_scores_do_not_depend_on_what_else_is_scored(table):
    together = problem_of(table).scores([(0,), (0, 1), (2, 3)])
    assert problem_of(table).scores([(0, 1)]) == [together[1]]
    assert problem_of(table).scores([(1, 0)]) == [together[1]]


# --- other ways to say which ξ --------------------------------------------------------------------


def test_explicit_list_is_sorted_and_without_repeats(table):
    tuned = tune(problem_of(table), AUC(), [2.0], [1.0, 0, 0.5, 1])[2.0]
    assert [t.xi for t in tuned.tried] == [0.0, 0.5, 1.0]


@pytest.mark.parametrize(
    ("xis", "message"),
    [
        ("best", "`xis` is 'best': it must be 'auto', 'grid', 'bayes' or a list of numbers"),
        ([], "`xis` is empty"),
        ([0, -1], "`xi` is -1"),
        ([0, NAN], "`xi` is nan"),
        (["one"], "`xi` is 'one'"),
    ],
)
def test_wrong_xis_are_named(table, xis, message):
    with pytest.raises(ValueError, match=message):
        tune(problem_of(table), AUC(), [2.0], xis)


def test_wrong_scoring_is_named(table):
    with pytest.raises(ValueError, match="`scoring` is 'accuracy': it must be one of"):
        tune(problem_of(table), AUC(), [2.0], [0], scoring="accuracy")


def test_bayesian_search_is_the_same_for_the_same_seed(table):
    X, y, costs = table
    selector = AUCSelector(costs=costs, budget=2.0, random_state=5)
    one, two = (XiSearch(selector, xis="bayes", n_trees=10).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.results_["xi"], two.results_["xi"])
    assert one.best_xi_ == two.best_xi_
    other = XiSearch(selector.set_params(random_state=6), xis="bayes", n_trees=10).fit(X, y)
    assert other.results_["xi"].tolist() != one.results_["xi"].tolist()


def test_bayesian_search_tries_the_two_untuned_strategies(table):
    tuned = tune(problem_of(table), AUC(), [2.0], "bayes")[2.0]
    tried = [t.xi for t in tuned.tried]
    assert {0.0, 1.0} <= set(tried)
    assert tried == sorted(set(tried))
    assert tuned.best.score.oob_error == min(t.score.oob_error for t in tuned.tried)


def test_bayesian_search_leaves_the_log_as_it_was(table):
    import optuna

    before = optuna.logging.get_verbosity()
    tune(problem_of(table), AUC(), [2.0], "bayes")
    assert optuna.logging.get_verbosity() == before


def test_bayesian_search_passes_over_undefined_scores(monkeypatch):
    class HalfUndefined(Scripted):
        def candidates(self, problem, budgets, xis):
            by_xi = Scripted({xi: int(xi >= 1) for xi in xis})
            return by_xi.candidates(problem, budgets, xis)

    problem, _ = scripted_problem(monkeypatch, [NAN, 0.2])
    assert tune(problem, HalfUndefined(), [None], "bayes")[None].best.xi >= 1


def test_bayesian_search_without_optuna_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"pip install 'frugalforest\[bayes\]'.*xis='grid'"):
        tune(problem_of(table), AUC(), [2.0], "bayes")


# --- XiSearch -------------------------------------------------------------------------------------

SELECTORS = {
    "auc": AUCSelector(),
    "pfi": PermutationSelector(n_trees=10),
    "sts": ShallowTreeSelector(n_trees=10),
    "forward": ForwardSelector(n_trees=5),
}
every_method = pytest.mark.parametrize("name", SELECTORS)


def search(name, table, **params):
    X, y, costs = table
    selector = SELECTORS[name].set_params(costs=costs, budget=2.5, random_state=0)
    return XiSearch(selector, **({"n_trees": 20} | params)).fit(X, y)


def test_every_method_is_looked_at():
    assert set(SELECTORS) == set(METHODS)


@every_method
def test_the_three_strategies_are_one_parameter_apart(name, table):
    X, y, costs = table
    for xi in (0.0, 1.0):
        fixed = SELECTORS[name].set_params(costs=costs, budget=2.5, xi=xi, random_state=0)
        np.testing.assert_array_equal(
            search(name, table, xis=[xi]).support_, fixed.fit(X, y).support_
        )
    tuned = search(name, table)
    for xi in (0.0, 1.0):
        assert tuned.best_score_ <= search(name, table, xis=[xi]).best_score_


@every_method
def test_results_have_one_entry_for_each_xi(name, table):
    found = search(name, table)
    results = found.results_
    columns = ["xi", "features", "n_features", "total_cost", "oob_error", "brier"]
    assert list(results) == columns
    assert {len(column) for column in results.values()} == {len(results["xi"])}
    assert (np.diff(results["xi"]) > 0).all()
    costs = table[2]
    for features, n_features, total_cost in zip(
        results["features"], results["n_features"], results["total_cost"], strict=True
    ):
        assert len(features) == n_features
        assert total_cost == pytest.approx(costs[list(features)].sum())
        assert total_cost <= 2.5 * (1 + 1e-9)
    best = results["xi"].tolist().index(found.best_xi_)
    assert results["oob_error"][best] == results["oob_error"].min() == found.best_score_
    assert results["features"][best] == tuple(found.get_support(indices=True).tolist())
    assert results["total_cost"][best] == found.total_cost_


@every_method
def test_path_of_the_best_xi_leads_to_its_set(name, table):
    found = search(name, table)
    added = {j for step in found.path_["features"] for j in step}
    assert added == set(found.get_support(indices=True).tolist())
    assert found.path_["cost"].sum() == pytest.approx(found.total_cost_)


@every_method
def test_search_by_brier_score_minimises_it(name, table):
    found = search(name, table, scoring="brier")
    assert found.best_score_ == found.results_["brier"].min()


@pytest.mark.parametrize("name", ["auc", "pfi"])
def test_filters_are_tuned_over_sets_that_all_differ(name, table):
    sets = search(name, table).results_["features"].tolist()
    assert all(low != high for low, high in pairwise(sets))


@pytest.mark.parametrize("name", ["sts", "forward"])
def test_other_methods_are_tuned_over_the_grid(name, table):
    tried = search(name, table).results_["xi"].tolist()
    assert tried[:21] == list(DEFAULT_GRID)


@every_method
def test_search_gives_the_same_answer_for_any_number_of_threads(name, table):
    X, y, costs = table
    results = []
    for n_jobs in (1, 2):
        selector = SELECTORS[name].set_params(
            costs=costs, budget=2.5, random_state=0, n_jobs=n_jobs
        )
        results.append(XiSearch(selector, xis=[0, 0.5, 1], n_trees=20).fit(X, y).results_)
    SELECTORS[name].set_params(n_jobs=None)
    for column, values in results[0].items():
        assert values.tolist() == results[1][column].tolist()


def test_search_leaves_its_selector_alone(table):
    X, y, costs = table
    selector = AUCSelector(costs=costs, budget=2.5, xi=0.25, random_state=0)
    before = selector.get_params()
    XiSearch(selector, n_trees=20).fit(X, y)
    assert selector.get_params() == before
    assert not hasattr(selector, "support_")
