"""The methods find the sets and steps that plain-Python versions of them find."""

import math
from dataclasses import replace

import pytest

from frugalforest.costs import Budget
from frugalforest.methods import AUC, Forward, Permutation, ShallowTreeMethod
from frugalforest.methods._tree_levels import largest_depth
from reference import plain_methods as plain
from reference.tiny_problems import tiny_problem

XIS = (0.0, 0.4, 1.0, 2.5)
N_TREES = 8


def check_same(found, expected):
    features, steps = expected
    assert set(found.features) == features
    assert [set(step.features) for step in found.steps] == [set(step.features) for step in steps]
    for step, plain_step in zip(found.steps, steps, strict=True):
        # The two versions add the same numbers in a different order.
        assert step.cost == pytest.approx(plain_step.cost, abs=1e-9)
        if plain_step.gain is None:
            assert math.isnan(step.gain)
        else:
            assert step.gain == pytest.approx(plain_step.gain, abs=1e-9)


def check_all(tiny, method, expected, xis=XIS):
    budgets = [Budget.read(money) for money in tiny.budgets]
    found = replace(method, xis=xis).propose(tiny.problem(), budgets)
    assert list(found) == list(dict.fromkeys(budgets))
    for money in tiny.budgets:
        candidates = found[Budget.read(money)]
        assert [c.origin.xi for c in candidates] == list(xis)
        for candidate in candidates:
            check_same(candidate, expected(money, candidate.origin.xi))


@pytest.mark.parametrize("seed", range(60))
def test_auc_filter_buys_what_counting_pairs_would_buy(seed):
    tiny = tiny_problem(seed)
    benefit = plain.auc_benefit(tiny.problem(), tiny.X.tolist())
    assert AUC().benefit(tiny.problem()).tolist() == pytest.approx(benefit, abs=1e-12)
    check_all(tiny, AUC(), lambda b, xi: plain.fill(benefit, tiny.prices, b, xi))


@pytest.mark.parametrize("seed", range(60))
def test_permutation_filter_buys_the_best_ratio_that_fits(seed):
    tiny = tiny_problem(seed)
    benefit = plain.permutation_benefit(tiny.problem(), tiny.prices, N_TREES)
    method = Permutation(n_trees=N_TREES)
    check_all(tiny, method, lambda b, xi: plain.fill(benefit, tiny.prices, b, xi))


@pytest.mark.parametrize("seed", range(25))
def test_forward_selection_equals_growing_every_forest_from_scratch(seed):
    tiny = tiny_problem(seed)
    problem = tiny.problem()
    check_all(
        tiny,
        Forward(n_trees=N_TREES),
        lambda b, xi: plain.forward(problem, tiny.prices, b, xi, N_TREES),
    )


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.slow
def test_racing_grows_all_trees_only_for_those_in_the_lead(seed):
    n_trees = 50  # 2 in the first round, 10 in the second
    tiny = tiny_problem(seed, n_features=40)
    problem = tiny.problem()
    budget = tiny.budgets[1]
    check_all(
        replace(tiny, budgets=(budget,)),
        Forward(n_trees=n_trees, racing=True),
        lambda b, xi: plain.forward(problem, tiny.prices, b, xi, n_trees, racing=True),
    )


@pytest.mark.parametrize("rule", ["half", "paper"])
@pytest.mark.parametrize("seed", range(25))
def test_shallow_trees_are_chosen_as_by_counting_every_vote(seed, rule):
    tiny = tiny_problem(seed)
    problem = tiny.problem()
    check_all(
        tiny,
        ShallowTreeMethod(n_trees=N_TREES, rule=rule),
        lambda b, xi: plain.shallow_trees(
            problem,
            tiny.prices,
            b,
            xi,
            N_TREES,
            rule,
            plain.depth_levels(plain.depth_for(tiny.prices, b)),
        ),
        xis=(0.0, 0.7, 2.5),
    )


@pytest.mark.parametrize("rule", ["half", "paper"])
@pytest.mark.parametrize("seed", range(10))
def test_shallow_trees_for_many_classes_are_chosen_as_by_counting_every_vote(seed, rule):
    tiny = tiny_problem(seed, n_classes=5)
    problem = tiny.problem()
    check_all(
        tiny,
        ShallowTreeMethod(n_trees=25, rule=rule),
        lambda b, xi: plain.shallow_trees(
            *(problem, tiny.prices, b, xi, 25, rule),
            plain.depth_levels(plain.depth_for(tiny.prices, b)),
        ),
        xis=(0.0, 0.7),
    )


@pytest.mark.parametrize("depth", [1, 3])
@pytest.mark.parametrize("seed", range(5))
def test_shallow_trees_of_a_given_depth_are_chosen_as_by_counting_every_vote(seed, depth):
    tiny = tiny_problem(seed)
    problem = tiny.problem()
    check_all(
        tiny,
        ShallowTreeMethod(n_trees=N_TREES, max_depth=depth),
        lambda b, xi: plain.shallow_trees(
            problem, tiny.prices, b, xi, N_TREES, "half", plain.depth_levels(depth)
        ),
        xis=(1.0,),
    )


LEVELS = {"features": plain.feature_levels, "cost": plain.cost_levels}


@pytest.mark.parametrize("zeta", [0.0, 1.0, "xi"])
@pytest.mark.parametrize("trees", LEVELS)
@pytest.mark.parametrize("seed", range(12))
def test_trees_of_few_features_or_little_money_are_chosen_as_by_counting_every_vote(
    seed, trees, zeta
):
    tiny = tiny_problem(seed)
    problem = tiny.problem()
    check_all(
        tiny,
        ShallowTreeMethod(n_trees=N_TREES, trees=trees, zeta=zeta),
        lambda b, xi: plain.shallow_trees(
            *(problem, tiny.prices, b, xi, N_TREES, "half"),
            LEVELS[trees](tiny.prices, b),
            xi if zeta == "xi" else zeta,
        ),
        xis=(0.0, 0.7),
    )


@pytest.mark.parametrize("seed", range(4))
def test_shallow_trees_with_a_price_on_splits_are_chosen_as_by_counting_every_vote(seed):
    tiny = tiny_problem(seed)
    problem = tiny.problem()
    check_all(
        tiny,
        ShallowTreeMethod(n_trees=N_TREES, zeta=0.5),
        lambda b, xi: plain.shallow_trees(
            *(problem, tiny.prices, b, xi, N_TREES, "half"),
            plain.depth_levels(plain.depth_for(tiny.prices, b)),
            zeta=0.5,
        ),
        xis=(0.0, 1.0),
    )


def check_depths(tiny):
    prices = tiny.problem().prices
    for budget in tiny.budgets:
        assert largest_depth(prices, Budget.read(budget)) == plain.depth_for(tiny.prices, budget)


@pytest.mark.parametrize("seed", range(40))
def test_depth_is_what_buying_the_cheapest_first_allows(seed):
    check_depths(tiny_problem(seed, with_groups=False))


def test_depth_is_what_buying_the_cheapest_first_with_its_fee_allows():
    for seed in range(40):
        check_depths(tiny_problem(seed))
