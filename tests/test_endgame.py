"""The search among the last survivors: with a wide beam it is the search through all sets."""

import numpy as np
import pytest

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.methods._elimination import Elimination
from frugalforest.methods._endgame import Endgame, endgame_candidates
from frugalforest.problem import Problem
from reference import plain_proposers as plain
from reference.tiny_problems import tiny_problem

N_TREES = 10
ELIMINATION = Elimination(n_trees=N_TREES)
WIDE = Endgame(ELIMINATION, width=1000, n_trees=N_TREES, n_kept=3)


def useful_columns(X):
    return [j for j in range(X.shape[1]) if len({str(v) for v in X[:, j].tolist()}) > 1]


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(6))
def test_a_wide_beam_proposes_the_best_of_all_affordable_sets(seed, n_classes):
    tiny = tiny_problem(seed, n_features=6, n_classes=n_classes)
    problem, useful = tiny.problem(), useful_columns(tiny.X)
    found = endgame_candidates(tiny.problem(), tiny.limits, WIDE)
    for budget in tiny.budgets:
        sizes = range(1, 7)
        for size in sizes:
            of_size = [p.features for p in found[Budget.read(budget)] if p.note.size == size]
            expected = sorted(
                plain.brier(problem, features, N_TREES, leaf=1)
                for features in plain.affordable_sets(tiny.prices, useful, budget, size)
            )[:3]
            scores = [plain.brier(problem, frozenset(s), N_TREES, leaf=1) for s in of_size]
            assert scores == expected


@pytest.mark.parametrize("seed", range(8))
def test_budget_start_and_exclusions_are_kept_and_constant_columns_never_bought(seed):
    tiny = tiny_problem(seed, n_features=9)
    tiny.X[:, 0], tiny.X[:, 1] = 3.0, np.nan
    start = tiny.prices.in_from_the_start()
    how = Endgame(ELIMINATION, n_left=5, width=3, n_trees=N_TREES)
    for budget, proposals in endgame_candidates(tiny.problem(), tiny.limits, how).items():
        assert len({p.note for p in proposals}) == len(proposals)
        for proposal in proposals:
            chosen = set(proposal.features)
            assert start <= chosen
            assert not chosen & tiny.prices.excluded
            assert not (chosen - start) & {0, 1}
            assert budget.fits(tiny.prices.total(chosen))


@pytest.mark.parametrize("seed", range(5))
def test_proposals_depend_neither_on_threads_nor_on_the_other_budgets(seed):
    tiny = tiny_problem(seed, n_features=14)
    how = Endgame(ELIMINATION, n_left=8, width=3, n_trees=N_TREES)
    together = endgame_candidates(tiny.problem(), tiny.limits, how)
    for budget in tiny.limits:
        alone = tiny.problem()
        alone.n_jobs = 2
        assert endgame_candidates(alone, [budget], how)[budget] == together[budget]


def test_survivors_of_several_xi_are_united():
    rng = np.random.default_rng(0)
    y = np.arange(200) % 2
    X = rng.normal(size=(200, 20)) + y[:, None] * np.linspace(0, 1, 20)
    problem = Problem.from_table(X, y, np.linspace(0.1, 3, 20))
    each = [
        set(Endgame(ELIMINATION, xis=(xi,), n_left=6).survivors(problem, Budget(4.0)))
        for xi in (0.0, 1.5)
    ]
    united = Endgame(ELIMINATION, xis=(0.0, 1.5), n_left=6).survivors(problem, Budget(4.0))
    assert each[0] != each[1]
    assert set(united) == each[0] | each[1]


def test_an_interaction_without_main_effects_is_found_among_noise():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 25))
    y = X[:, 4] * X[:, 11] > 0
    found = endgame_candidates(Problem.from_table(X, y), [Budget(3.0)])[Budget(3.0)]
    assert next(p.features for p in found if p.note.size == 2) == (4, 11)


def test_nothing_is_proposed_where_many_features_can_be_bought():
    tiny = tiny_problem(2, n_features=10, with_groups=False, with_restrictions=False)
    problem = Problem.from_table(tiny.X, tiny.y, 1.0)
    found = endgame_candidates(
        problem, [Budget(3.0), Budget(4.0)], Endgame(ELIMINATION, most_buyable=3)
    )
    assert found[Budget(3.0)]
    assert found[Budget(4.0)] == []


def test_a_shared_fee_is_counted_once_when_buying_cheapest_first():
    rng = np.random.default_rng(3)
    X, y = rng.normal(size=(60, 4)), np.arange(60) % 2
    costs = CostModel(1.0, groups=["a"] * 4, group_costs={"a": 5.0})
    problem = Problem.from_table(X, y, costs)
    how = Endgame(ELIMINATION, most_buyable=3)
    assert endgame_candidates(problem, [Budget(8.0)], how)[Budget(8.0)]
    assert endgame_candidates(problem, [Budget(9.0)], how)[Budget(9.0)] == []
