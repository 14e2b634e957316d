"""Tuning picks the lowest score, whatever the forests say: most scores here are scripted."""

import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import ClassVar

import numpy as np
import pytest

from frugalforest import (
    AUCSelector,
    CostModel,
    ForwardSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
)
from frugalforest.choice import Scored, choose, tune
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import (
    AUC,
    DEFAULT_GRID,
    METHODS,
    Candidate,
    Forward,
    Origin,
    Permutation,
    RatioMethod,
    ShallowTreeMethod,
)
from frugalforest.problem import Problem
from frugalforest.scores import OobScore

NAN = float("nan")
NO_LIMIT = Budget()


@pytest.fixture
def table():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 6)), np.arange(60) % 2
    X[:, 0] += y
    X[:, 1] += 0.7 * y
    return X, y, np.array([2.0, 1.0, 0.5, 1.5, 0.7, 1.1])


def problem_of(table, n_trees=10):
    X, y, costs = table
    return Problem.from_table(X, y, costs, forests=ForestSettings(n_trees=n_trees))


# --- scripted methods and scores ------------------------------------------------------------------


@dataclass(frozen=True)
class Scripted(RatioMethod):
    """A method whose set at ξ is {j} with j told by `which`, or the number of the tenth of ξ."""

    which: Mapping | None = None
    name: ClassVar[str] = "scripted"
    label: ClassVar[str] = "scripted"

    def at(self, problem, budgets, xis):
        return {budget: [self.set_at(problem, budget, xi) for xi in xis] for budget in budgets}

    def set_at(self, problem, budget, xi):
        j = round(10 * xi) if self.which is None else self.which[xi]
        cost = float(problem.prices.feature_cost[j])
        return Candidate((j,), cost, (), Origin(self.name, xi))


@dataclass(frozen=True)
class ScriptedPath(Scripted):
    """The same, with a known path."""

    exact: ClassVar[bool] = True

    def whole_path(self, problem, budget):
        return [self.set_at(problem, budget, xi) for xi in sorted(self.which)]


class ScriptedProblem:
    """A problem whose forest on {j} has the j-th of the errors."""

    def __init__(self, errors, costs=1.0):
        self.errors = errors
        self.prices = CostModel(costs).align(None, len(errors))
        self.asked = []

    def scores(self, feature_sets):
        sets = list(feature_sets)
        self.asked += sets
        return [OobScore(float(self.errors[j]), NAN, NAN, 0, NAN, 1.0) for (j,) in sets]

    def seed_for(self, *purpose):
        return 0


def xis_of(tuned):
    return [t.candidate.origin.xi for t in tuned.tried]


def best_xi(tuned):
    return tuned.best.candidate.origin.xi


def scored(xi, error, cost=1.0):
    return Scored(
        Candidate((0,), cost, (), Origin("scripted", xi)), OobScore(error, NAN, NAN, 0, NAN, 1.0)
    )


def chosen_xi(tried):
    return choose(tried).candidate.origin.xi


def test_lowest_error_is_chosen():
    assert chosen_xi([scored(0, 0.3), scored(1, 0.1), scored(2, 0.2)]) == 1


def test_equal_errors_go_to_the_lower_cost_then_to_the_first():
    tried = [scored(0, 0.2, cost=3), scored(0.5, 0.2, cost=2), scored(1, 0.2, cost=2)]
    assert chosen_xi(tried) == 0.5


def test_undefined_scores_are_passed_over():
    assert chosen_xi([scored(0, NAN), scored(1, 0.4), scored(2, NAN)]) == 1


def test_nothing_but_undefined_scores_is_an_error():
    with pytest.raises(ValueError, match="no feature set could be scored"):
        choose([scored(0, NAN), scored(1, NAN)])


def tuned_over(problem, which, **options):
    return tune(problem, Scripted(tuple(which), which=which, **options), [NO_LIMIT])[NO_LIMIT]


def test_tuning_picks_the_minimum_of_a_scripted_table():
    tuned = tuned_over(ScriptedProblem([0.3, 0.1, 0.2]), {0.0: 0, 0.5: 1, 1.0: 2})
    assert best_xi(tuned) == 0.5
    assert tuned.best.candidate.features == (1,)
    assert [t.score.value for t in tuned.tried] == [0.3, 0.1, 0.2]


def test_tuning_breaks_ties_by_cost_then_xi():
    problem = ScriptedProblem([0.1, 0.1, 0.1, 0.4], costs=[3, 2, 2, 1])
    assert best_xi(tuned_over(problem, {0.0: 0, 0.5: 1, 1.0: 2, 1.5: 3})) == 0.5


def test_tuning_goes_on_where_a_score_is_undefined():
    assert best_xi(tuned_over(ScriptedProblem([NAN, 0.2, NAN]), {0.0: 0, 0.5: 1, 1.0: 2})) == 0.5


def test_exact_path_is_used_by_methods_that_have_one():
    method = ScriptedPath(which={0.0: 0, 0.123: 1, 7.5: 2})
    tuned = tune(ScriptedProblem([0.3, 0.1, 0.2]), method, [NO_LIMIT])[NO_LIMIT]
    assert xis_of(tuned) == [0.0, 0.123, 7.5]
    assert best_xi(tuned) == 0.123


# --- the grid and its extension -------------------------------------------------------------------


def test_default_grid_is_that_of_the_study():
    assert tuple(round(0.1 * i, 1) for i in range(21)) == DEFAULT_GRID


def grid_best(errors):
    problem = ScriptedProblem(errors)
    tuned = tune(problem, Scripted("grid"), [NO_LIMIT])[NO_LIMIT]
    assert xis_of(tuned) == [i / 10 for i in range(len(tuned.tried))]
    assert set(problem.asked) == {t.candidate.features for t in tuned.tried}
    return best_xi(tuned), xis_of(tuned)[-1]


def test_grid_is_not_extended_if_its_end_is_not_the_best():
    errors = np.full(61, 0.5)
    errors[7] = 0.1
    assert grid_best(errors) == (0.7, 2.0)


def test_grid_is_not_extended_if_its_end_only_ties():
    assert grid_best(np.full(61, 0.5)) == (0.0, 2.0)


def test_grid_is_extended_if_the_set_at_its_end_is_the_best():
    # From ξ = 1.5 on it is one set, and a tie goes to the smaller ξ; at ξ = 3 comes a better one.
    sets = {i / 10: 0 if i < 15 else 1 if i < 30 else 2 for i in range(61)}
    method = Scripted("grid", which=sets)
    tuned = tune(ScriptedProblem([0.5, 0.3, 0.1]), method, [NO_LIMIT])[NO_LIMIT]
    assert (best_xi(tuned), tuned.best.score.value) == (3.0, 0.1)


def test_costs_that_differ_by_rounding_are_tied():
    tried = [scored(0.0, 0.1, cost=0.1 + 0.2), scored(0.5, 0.1, cost=0.3)]
    assert chosen_xi(tried) == 0.0


def test_grid_is_extended_once_if_its_end_is_the_best():
    errors = np.full(61, 0.5)
    errors[20], errors[27] = 0.3, 0.2
    assert grid_best(errors) == (2.7, 4.0)


def test_grid_is_extended_at_most_twice():
    assert grid_best(np.linspace(0.5, 0.1, 81)) == (6.0, 6.0)


def test_extension_that_finds_nothing_better_keeps_the_old_end():
    errors = np.full(61, 0.5)
    errors[20] = 0.3
    assert grid_best(errors) == (2.0, 4.0)


def test_undefined_scores_in_the_extension_are_passed_over():
    errors = np.full(61, NAN)
    errors[:21] = np.linspace(0.5, 0.1, 21)
    assert grid_best(errors) == (2.0, 4.0)


def test_only_budgets_whose_end_is_best_are_extended():
    tried = set()

    class ByBudget(Scripted):
        def set_at(self, problem, budget, xi):
            tried.add((budget, xi))
            if (budget, xi) == (NO_LIMIT, 0.5):  # leads to the best set of all
                return Candidate((61,), 1.0, (), Origin(self.name, xi))
            return super().set_at(problem, budget, xi)

    errors = np.full(62, 0.5)
    errors[20], errors[61] = 0.3, 0.1
    limited = Budget(1.0)
    tuned = tune(ScriptedProblem(errors), ByBudget("grid"), [limited, NO_LIMIT])
    assert [best_xi(tuned[budget]) for budget in (limited, NO_LIMIT)] == [2.0, 0.5]
    assert max(xi for budget, xi in tried if budget == limited) == 4.0
    assert max(xi for budget, xi in tried if budget == NO_LIMIT) == 2.0


# --- each set is scored once ----------------------------------------------------------------------


def test_every_distinct_set_is_scored_once_across_xi_budgets_and_methods(table):
    problem = problem_of(table)
    methods = (AUC(), Permutation(n_trees=10), ShallowTreeMethod(n_trees=10), Forward(n_trees=10))
    wanted = set()
    for method in methods:
        for xis in ((0.0, 0.5, 1.0, 2.0), "auto"):
            budgets = [Budget(1.5), Budget(3.0), NO_LIMIT]
            for tuned in tune(problem, replace(method, xis=xis), budgets).values():
                wanted |= {t.candidate.features for t in tuned.tried}
    assert problem.n_forests == len(wanted)


def test_scores_do_not_depend_on_what_else_is_scored(table):
    together = problem_of(table).scores([(0,), (0, 1), (2, 3)])
    assert problem_of(table).scores([(0, 1)]) == [together[1]]
    assert problem_of(table).scores([(1, 0)]) == [together[1]]


def test_scores_of_another_precision_are_others(table):
    problem = problem_of(table)
    coarse = problem.scores([(0, 1)], ForestSettings(n_trees=3))
    assert coarse != problem.scores([(0, 1)])
    assert coarse == problem.scores([(0, 1)], ForestSettings(n_trees=3))
    assert problem.n_forests == 2


# --- other ways to say which ξ --------------------------------------------------------------------


def test_explicit_list_is_sorted_and_without_repeats(table):
    tuned = tune(problem_of(table), AUC([1.0, 0, 0.5, 1]), [Budget(2.0)])[Budget(2.0)]
    assert xis_of(tuned) == [0.0, 0.5, 1.0]


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
def test_wrong_xis_are_named(xis, message):
    with pytest.raises(ValueError, match=message):
        AUC(xis)


def test_wrong_scoring_is_named(table):
    with pytest.raises(ValueError, match="`scoring` is 'accuracy': it must be one of 'error', "):
        XiSearch(scoring="accuracy").fit(*table[:2])


def test_bayesian_search_is_the_same_for_the_same_seed(table):
    X, y, costs = table
    selector = AUCSelector(costs=costs, budget=2.0, random_state=5)
    one, two = (XiSearch(selector, xis="bayes", n_trees=10).fit(X, y) for _ in range(2))
    np.testing.assert_array_equal(one.results_["xi"], two.results_["xi"])
    assert one.best_xi_ == two.best_xi_
    other = XiSearch(selector.set_params(random_state=6), xis="bayes", n_trees=10).fit(X, y)
    assert other.results_["xi"].tolist() != one.results_["xi"].tolist()


def test_bayesian_search_tries_the_two_untuned_strategies(table):
    tuned = tune(problem_of(table), AUC("bayes"), [Budget(2.0)])[Budget(2.0)]
    tried = xis_of(tuned)
    assert {0.0, 1.0} <= set(tried)
    assert tried == sorted(set(tried))
    assert tuned.best.score.oob_error == min(t.score.oob_error for t in tuned.tried)


def test_bayesian_search_leaves_the_log_as_it_was(table):
    import optuna

    before = optuna.logging.get_verbosity()
    tune(problem_of(table), AUC("bayes"), [Budget(2.0)])
    assert optuna.logging.get_verbosity() == before


def test_bayesian_search_passes_over_undefined_scores():
    class HalfUndefined(Scripted):
        def set_at(self, problem, budget, xi):
            return Candidate((int(xi >= 1),), 1.0, (), Origin(self.name, xi))

    tuned = tune(ScriptedProblem([NAN, 0.2]), HalfUndefined("bayes"), [NO_LIMIT])[NO_LIMIT]
    assert best_xi(tuned) >= 1


def test_bayesian_search_without_optuna_says_what_to_install(table, monkeypatch):
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(ImportError, match=r"pip install 'frugalforest\[bayes\]'.*xis='grid'"):
        tune(problem_of(table), AUC("bayes"), [Budget(2.0)])


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
    by_xi = {name for name, kind in METHODS.items() if issubclass(kind, RatioMethod)}
    assert set(SELECTORS) == by_xi


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
    columns = ["xi", "features", "n_features", "total_cost", "score", "oob_error", "brier"]
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
