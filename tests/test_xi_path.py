"""The walk along ξ finds every set that looking at every pair of features finds."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.methods._filling import Shop
from frugalforest.methods._xi_path import swapping_lines, walk
from reference import plain_path

seeds = st.integers(0, 2**31)
some_examples = settings(max_examples=60, deadline=None, derandomize=True)
many_examples = settings(max_examples=300, deadline=None, derandomize=True)


def walked(prices, benefit, budget):
    benefit = np.array(benefit, dtype=float)
    return [
        (xi, picks.tolist())
        for xi, picks in walk(
            Shop(prices, benefit, Budget(budget)), swapping_lines(prices, benefit)
        )
    ]


def sets_of(path):
    return [tuple(sorted(picks)) for _, picks in path]


def sets_at(prices, benefit, budget, xis):
    shop = Shop(prices, benefit, Budget(budget))
    return [tuple(np.sort(shop.fill(xi)).tolist()) for xi in xis]


def fee_problem(rng, p, n_groups, *, coarse, signs, share):
    """Benefits and prices on a coarse grid, so that ties abound, or from anywhere."""
    benefit = rng.integers(1, 9, p) / 8 if coarse else rng.uniform(0, 1, p)
    benefit = benefit * rng.choice(signs, p)
    costs = rng.choice([0.5, 1.0, 2.0, 4.0], p) if coarse else rng.lognormal(0, 1, p)
    costs[rng.random(p) < 0.1] = 0.0  # free, or free once its group is paid for
    groups = [None if g == n_groups else f"g{g}" for g in rng.integers(0, n_groups + 1, p)]
    fees = {
        g: float(rng.choice([0.0, 0.5, 2.0]) if coarse else rng.lognormal(0, 1))
        for g in sorted({g for g in groups if g is not None})
    }
    roles = rng.random(p)
    prices = CostModel(
        costs,
        groups=groups,
        group_costs=fees,
        required=np.flatnonzero(roles < 0.05).tolist(),
        excluded=(1 + np.flatnonzero(roles[1:] > 0.95)).tolist(),
    ).align(None, p)
    buyable = prices.cheapest()
    least = max(prices.total(prices.start(None)), 0.0 if buyable is None else buyable[1])
    return prices, benefit, float(max(share * prices.total(~prices.excluded), least))


@st.composite
def filter_problems(draw, largest=12):
    rng = np.random.default_rng(draw(seeds))
    return fee_problem(
        rng,
        p=draw(st.integers(3, largest)),
        n_groups=draw(st.sampled_from([0, 0, 1, 3])),
        coarse=draw(st.booleans()),
        signs=draw(st.sampled_from([[1], [1], [1, -1], [1, 1, 0, -1], [-1]])),
        share=draw(st.sampled_from([0.0, 0.05, 0.2, 0.4, 0.6, 0.9])),
    )


def check_equals_all_pairs(prices, benefit, budget):
    found, plain = walked(prices, benefit, budget), plain_path.path(prices, benefit, Budget(budget))
    assert [picks for _, picks in found] == [picks for _, picks in plain]
    # A swap that several pairs share comes out of them with different rounding.
    assert [xi for xi, _ in found] == pytest.approx([xi for xi, _ in plain], rel=1e-9)


@given(filter_problems())
@many_examples
def test_the_walk_finds_what_all_pairs_of_features_find(problem):
    check_equals_all_pairs(*problem)


@given(seeds, st.integers(3, 8), st.sampled_from([0.4, 0.6, 0.8]))
@many_examples
def test_the_walk_finds_what_all_pairs_of_nearly_equal_features_find(seed, p, share):
    # Just behind a swap such lines are nearer to each other than numbers can tell.
    rng = np.random.default_rng(seed)
    costs, gains = 20 + 0.01 * rng.integers(4, size=p), 0.3 * (1 + 1e-3 * rng.random(p))
    prices = CostModel(costs).align(None, p)
    check_equals_all_pairs(prices, gains, share * float(costs.sum()))


def test_a_swap_next_to_lines_in_the_wrong_order_is_not_lost():
    prices = CostModel([20.01, 20, 20, 20.01]).align(None, 4)
    check_equals_all_pairs(prices, np.array([0.300225, 0.3, 0.300061, 0.300225]), 60)


@pytest.mark.slow
@pytest.mark.parametrize("n_groups", [0, 8])
@pytest.mark.parametrize("seed", range(5))
def test_the_walk_finds_what_all_pairs_of_fifty_features_find(seed, n_groups):
    rng = np.random.default_rng(seed)
    share = rng.choice([0.1, 0.3, 0.6])
    check_equals_all_pairs(*fee_problem(rng, 50, n_groups, coarse=False, signs=[1], share=share))


@pytest.mark.slow
@given(filter_problems())
@some_examples
def test_the_walk_finds_every_set_of_a_dense_grid(problem):
    prices, benefit, budget = problem
    found = walked(prices, benefit, budget)
    grid = [*np.linspace(0, 3, 301), *np.linspace(3, 30, 109), 100.0, 1e3, 1e4]
    in_order, xis = sets_of(found), [xi for xi, _ in found]
    assert set(sets_at(prices, benefit, budget, grid)) <= set(in_order)
    assert xis[0] == 0
    assert all(low < high for low, high in pairwise(xis))
    assert all(low != high for low, high in pairwise(in_order))


@pytest.mark.parametrize("n_features", [30, 120, 1000])
@pytest.mark.parametrize("n_groups", [0, 10])
def test_the_walk_of_many_features_contains_a_dense_grid(n_features, n_groups):
    rng = np.random.default_rng(n_features)
    groups = [f"g{g}" for g in rng.integers(0, n_groups, n_features)] if n_groups else None
    fees = {f"g{g}": float(fee) for g, fee in enumerate(rng.uniform(0, 1, n_groups))} or None
    costs = rng.uniform(0.1, 1, n_features)
    prices = CostModel(costs, groups=groups, group_costs=fees).align(None, n_features)
    benefit = rng.exponential(size=n_features)
    found = set(sets_of(walked(prices, benefit, 2.0)))
    assert set(sets_at(prices, benefit, 2.0, np.linspace(0, 10, 501))) <= found


def test_the_walk_finds_what_a_grid_steps_over():
    # Feature 1 overtakes feature 0 at ξ = 0.5, feature 2 overtakes feature 1 just above it.
    benefit = [1.0, 4**-0.5 * 2**0.5, 4**-0.5 * 2**0.5 / 2**0.501]
    prices = CostModel([4.0, 2.0, 1.0]).align(None, 3)
    assert (1, 2) in sets_of(walked(prices, benefit, 4.0))


@pytest.mark.parametrize("noise", [1e-17, -1e-17])
@pytest.mark.parametrize("groups", [None, ["a", "a", "b"]])
def test_the_walk_takes_a_benefit_that_is_only_rounding_for_none(noise, groups):
    # Features 1 and 2 together, once ξ is so large that 0 comes after 1.
    fees = None if groups is None else {"a": 0.0, "b": 0.0}
    prices = CostModel([2.0, 1.0, 1.0], groups=groups, group_costs=fees).align(None, 3)
    assert sets_of(walked(prices, [0.3, 0.2, noise], 2.0)) == [(0,), (1, 2)]


def test_the_walk_takes_prices_that_differ_by_rounding_for_one():
    assert 0.1 * 3 != 0.3
    prices = CostModel([0.3, 0.1 * 3]).align(None, 2)
    assert walked(prices, [0.2, 0.1], 0.3) == [(0.0, [0])]


def test_the_walk_goes_on_where_a_change_is_hidden_by_rounding():
    # Feature 1 overtakes feature 0 at ξ = 1, but by less than rounding until long after 2 and 3,
    # which nobody buys, have swapped places.
    near = 1 + 1e-6
    benefit = [0.8 * near, 0.8, 0.001 * 2 ** (1 + 1e-6), 0.001]
    prices = CostModel([near, 1.0, 2.0, 1.0]).align(None, 4)
    assert sets_of(walked(prices, benefit, near)) == [(0,), (1,)]


def large_problem(p, groups=None, fees=None):
    """Benefits as AUCs from 200 rows are: few values, most of them small."""
    rng = np.random.default_rng(p)
    wins = rng.normal(5000, 410, p)
    wins[: p // 20] += rng.exponential(1000, p // 20)
    benefit = np.abs(2 * wins.round().clip(0, 10_000) / 10_000 - 1)
    prices = CostModel(rng.lognormal(0, 1, p), groups=groups, group_costs=fees).align(None, p)
    return prices, benefit


@pytest.mark.parametrize("with_fees", [False, True])
def test_ten_thousand_features_take_a_fill_a_set_and_few_of_their_pairs(with_fees):
    p = 10_000
    groups = [f"g{j // 5}" for j in range(p)] if with_fees else None
    fees = {f"g{g}": 0.5 + g % 7 for g in range(p // 5)} if with_fees else None
    prices, benefit = large_problem(p, groups, fees)
    shop = Shop(prices, benefit, Budget(15.0))
    n_sets = len(list(walk(shop, swapping_lines(prices, benefit))))
    assert n_sets > 30
    assert shop.filling.n_fills <= 1.2 * n_sets + 2
    # There are 50 million pairs.
    assert shop.filling.n_pairs < p**2 / 50
