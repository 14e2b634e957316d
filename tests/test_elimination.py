"""Backward elimination: who leaves, in what order, and what the survivors cost."""

import numpy as np
import pytest

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.methods._elimination import Elimination, elimination_candidates
from frugalforest.methods._proposals import Removals, buyable
from frugalforest.problem import Problem
from reference import plain_proposers as plain
from reference.tiny_problems import tiny_problem

XIS = (0.0, 0.5, 1.5)
SMALL = Elimination(xis=XIS, n_trees=10)


def useful_columns(X):
    """Columns with two different values, a missing one among them."""
    return [j for j in range(X.shape[1]) if len({str(v) for v in X[:, j].tolist()}) > 1]


def sets_of(proposals):
    names = {False: "", True: ", filled up"}
    return {(p.note.search + names[p.note.filled], p.note.xi): set(p.features) for p in proposals}


@pytest.mark.parametrize("n_features", [6, 15])
@pytest.mark.parametrize("seed", range(8))
def test_paths_are_those_of_sorting_one_by_one(seed, n_features):
    tiny = tiny_problem(seed, n_features=n_features)
    problem, useful = tiny.problem(), useful_columns(tiny.X)
    found = elimination_candidates(tiny.problem(), tiny.limits, SMALL)
    for budget in tiny.budgets:
        sets = sets_of(found[Budget.read(budget)])
        for xi in XIS:
            bare, full = plain.elimination(problem, tiny.prices, useful, budget, xi, 10, 0.15)
            assert sets["elimination", xi] == bare
            assert sets["elimination, filled up", xi] == full


@pytest.mark.parametrize("seed", range(8))
def test_budget_start_and_exclusions_are_kept_and_constant_columns_never_bought(seed):
    tiny = tiny_problem(seed, n_features=9)
    tiny.X[:, 0], tiny.X[:, 1] = 3.0, np.nan
    start = tiny.prices.in_from_the_start()
    for budget, proposals in elimination_candidates(tiny.problem(), tiny.limits, SMALL).items():
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
    together = elimination_candidates(tiny.problem(), tiny.limits, SMALL)
    for budget in tiny.limits:
        alone = tiny.problem()
        alone.n_jobs = 2
        assert elimination_candidates(alone, [budget], SMALL)[budget] == together[budget]


@pytest.mark.parametrize("seed", range(5))
def test_permuting_the_columns_permutes_the_sets(seed):
    rng = np.random.default_rng(seed)
    X, y, costs = rng.normal(size=(80, 12)), np.arange(80) % 2, rng.uniform(1, 2, 12)
    X[:, 3] += y
    order = rng.permutation(12)
    budget = Budget(5.0)
    before = elimination_candidates(Problem.from_table(X, y, costs), [budget], SMALL)[budget]
    moved = Problem.from_table(X[:, order], y, costs[order])
    after = elimination_candidates(moved, [budget], SMALL)[budget]
    assert [{int(order[j]) for j in p.features} for p in after] == [set(p.features) for p in before]


def test_importance_of_a_set_is_measured_once_whatever_path_leads_to_it():
    tiny = tiny_problem(3, n_features=12, with_groups=False, with_restrictions=False)
    problem = tiny.problem()
    everything = np.ones(12, dtype=bool)
    first = SMALL.importance(problem, everything)
    assert SMALL.importance(problem, everything) is first
    np.testing.assert_array_equal(SMALL.importance(tiny.problem(), everything), first)


def test_a_pair_that_only_works_together_survives():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(300, 20))
    y = X[:, 4] * X[:, 11] > 0
    problem = Problem.from_table(X, y)
    for proposal in elimination_candidates(problem, [Budget(2.0)])[Budget(2.0)]:
        assert proposal.features == (4, 11)


def test_a_group_of_weak_features_leaves_with_its_fee():
    rng = np.random.default_rng(2)
    y = np.repeat([0, 1], 150)
    X = rng.normal(size=(300, 5)) + y[:, None] * [0.9, 0.9, 0.9, 1.2, 1.2]
    costs = CostModel(1.0, groups=["a", "a", "a", None, None], group_costs={"a": 20.0})
    problem = Problem.from_table(X, y, costs)
    assert sets_of(elimination_candidates(problem, [Budget(23.0)])[Budget(23.0)])[
        "elimination", 1.0
    ] == {3, 4}


def test_while_many_are_left_the_paths_of_all_xi_are_one():
    tiny = tiny_problem(5, n_features=30, with_groups=False, with_restrictions=False)
    problem = tiny.problem()
    start, open_ = buyable(problem, Budget())
    how = Elimination(xis=XIS, n_trees=10, together=15)
    few = [
        how.path(problem, start, open_, xi, lambda s: (s & ~start).sum() <= 15).kept for xi in XIS
    ]
    assert len(set(few)) == 1
    fewer = [
        how.path(problem, start, open_, xi, lambda s: (s & ~start).sum() <= 4).kept for xi in XIS
    ]
    assert len(set(fewer)) > 1


def test_with_no_limit_everything_that_varies_is_proposed():
    tiny = tiny_problem(6, n_features=8, with_restrictions=False)
    tiny.X[:, 2] = 1.0
    (features,) = {
        p.features for p in elimination_candidates(tiny.problem(), [Budget()], SMALL)[Budget()]
    }
    assert set(features) - tiny.prices.in_from_the_start() == (
        set(range(8)) - {2} - tiny.prices.in_from_the_start()
    )


def test_survivors_are_filled_up_from_those_who_left_last():
    path = Removals(np.zeros(5, dtype=bool), ((0, 1), (2,), (3,)), kept=(4,))
    prices = CostModel([1, 1, 4, 2, 1]).align(None, 5)
    bare, full = path.buys(prices, Budget(3.5))
    assert np.flatnonzero(bare).tolist() == [3, 4]
    assert np.flatnonzero(full).tolist() == [3, 4]
    bare, full = path.buys(prices, Budget(4.0))
    assert np.flatnonzero(full).tolist() == [1, 3, 4]
