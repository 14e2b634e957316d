"""The benefit-cost ratio and its ties, against a comparison that can be read at a glance."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalforest.methods.criterion import TradeOff, bcr, rounded_cost

examples = settings(max_examples=150, deadline=None, derandomize=True)


def naive_best(gains, costs, xi):
    """Score, then gain, then lower cost, then lower index; `xi` is a whole number.

    In fractions: no rounding, so that a tie is a tie.
    """

    def key(i):
        gain, weight = Fraction(gains[i]), Fraction(costs[i]) ** xi
        weight = weight if gain <= 0 or weight == 0 else 1 / weight
        score = math.inf if gain > 0 and weight == 0 else gain * weight
        return score, gain, -costs[i], -i

    return max(range(len(gains)), key=key)


# Gains and costs on coarse grids of exact floats, so that every kind of tie occurs.
gains = st.integers(-8, 8).map(lambda k: k / 16)
costs = st.sampled_from([0.0, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0])
candidates = st.lists(st.tuples(gains, costs), min_size=1, max_size=8)
whole_xis = st.integers(0, 6)


@given(candidates, whole_xis)
@examples
def test_best_equals_a_naive_comparison(pairs, xi):
    gain, cost = zip(*pairs, strict=True)
    assert TradeOff(gain, cost).best(xi) == naive_best(gain, cost, xi)


@given(candidates, whole_xis)
@examples
def test_order_is_the_best_then_the_best_of_the_rest(pairs, xi):
    gain, cost = zip(*pairs, strict=True)
    left, expected = list(range(len(gain))), []
    while left:
        best = naive_best([gain[i] for i in left], [cost[i] for i in left], xi)
        expected.append(left.pop(best))
    assert TradeOff(gain, cost).order(xi).tolist() == expected


@given(candidates, whole_xis, st.data())
@examples
def test_best_looks_only_at_what_is_allowed(pairs, xi, data):
    gain, cost = zip(*pairs, strict=True)
    allowed = np.array(data.draw(st.lists(st.booleans(), min_size=len(gain), max_size=len(gain))))
    if not allowed.any():
        allowed[0] = True
    index = np.flatnonzero(allowed).tolist()
    expected = index[naive_best([gain[i] for i in index], [cost[i] for i in index], xi)]
    assert TradeOff(gain, cost).best(xi, allowed) == expected


@given(candidates, whole_xis, costs)
@examples
def test_best_within_a_price_looks_only_at_what_costs_no_more(pairs, xi, most):
    gain, cost = zip(*pairs, strict=True)
    index = [i for i in range(len(gain)) if cost[i] <= most]
    best = naive_best([gain[i] for i in index], [cost[i] for i in index], xi) if index else None
    assert TradeOff(gain, cost).best_within(xi, most) == (None if best is None else index[best])


@given(candidates, st.floats(0, 20))
@examples
def test_best_is_first_in_order(pairs, xi):
    gain, cost = zip(*pairs, strict=True)
    trade = TradeOff(gain, cost)
    assert trade.best(xi) == trade.order(xi)[0]


@given(candidates, st.floats(0, 8))
@examples
def test_best_has_the_highest_ratio(pairs, xi):
    gain, cost = zip(*pairs, strict=True)
    scores = bcr(gain, cost, xi)
    best = scores[TradeOff(gain, cost).best(xi)]
    # Ratios closer than the tenth decimal of their logarithm are tied.
    assert best == scores.max() or best == pytest.approx(scores.max(), rel=1e-9, abs=1e-12)


def test_ties_go_to_gain_then_cost_then_index():
    assert TradeOff([0.1, 0.2], [1, 2]).best(1) == 1
    assert TradeOff([0.2, 0.2], [2, 1]).best(0) == 1
    assert TradeOff([0.2, 0.2, 0.2], [2, 1, 1]).best(0) == 1
    assert TradeOff([0.2, 0.2], [1, 1]).best(1) == 0


def test_ratios_that_differ_by_rounding_are_tied():
    # 0.1 / 0.3 and 0.2 / 0.6 are not the same float.
    assert 0.1 / 0.3 != 0.7 / 2.1
    assert TradeOff([0.1, 0.7], [0.3, 2.1]).best(1) == 1
    assert TradeOff([0.7, 0.1], [2.1, 0.3]).best(1) == 0


def test_gains_that_differ_by_rounding_are_tied():
    noisy = 0.1 + 0.2  # a little above 0.3
    for xi in (0.0, 1.0):
        assert TradeOff([noisy, 0.3], [2, 1]).best(xi) == 1
        assert TradeOff([0.3, noisy], [1, 2]).best(xi) == 0
        assert TradeOff([0.3, noisy], [1, 2]).order(xi).tolist() == [0, 1]


def test_gain_that_is_only_rounding_is_no_gain():
    noise = 0.1 + 0.2 - 0.3
    assert TradeOff([noise, 0.0], [2, 1]).best(1.0) == 1
    assert TradeOff([0.0, -noise], [2, 1]).best(1.0) == 1


@pytest.mark.parametrize("xi", [0.0, 0.5, 1.0, 3.0])
def test_among_equal_losses_the_cheaper_one_is_better(xi):
    assert TradeOff([-0.1, -0.1], [4, 2]).best(xi) == 1


def test_loss_is_multiplied_by_its_price_and_not_divided():
    np.testing.assert_allclose(bcr([-0.1, 0.1], [4, 4], 0.5), [-0.2, 0.05])


@pytest.mark.parametrize("xi", [0.0, 0.5, 2.0])
def test_as_printed_a_loss_is_divided_by_its_price(xi):
    gain, cost = np.array([-0.1, -0.1, -0.2, 0.1, 0.0, -0.1]), np.array([1, 4, 4, 9, 2, 0.5])
    ratio = gain / cost**xi
    trade = TradeOff(gain, cost, divide_losses=True)
    assert ratio[trade.order(xi)].tolist() == sorted(ratio, reverse=True)
    for most_cost in (0.5, 1.0, 4.0, 9.0):
        best = trade.best(xi, cost <= most_cost)
        assert ratio[best] == ratio[cost <= most_cost].max()
        assert trade.best_within(xi, most_cost) == best


def test_as_printed_ratios_that_differ_by_rounding_are_tied():
    # −0.1 / 0.3 and −0.7 / 2.1 are one ratio: the smaller loss goes first, at any unit of money.
    for unit in (1.0, 0.1, 3.0):
        trade = TradeOff([-0.7, -0.1], np.array([2.1, 0.3]) * unit, divide_losses=True)
        assert trade.best(1.0) == trade.best_within(1.0, 10.0) == 1


def test_as_printed_a_loss_that_costs_nothing_is_the_worst():
    trade = TradeOff([-0.1, -0.5], [0.0, 1.0], divide_losses=True)
    assert trade.best(1.0) == trade.best_within(1.0, 1.0) == 1


@pytest.mark.parametrize("unit", [1.0, 7.0, 1e-9, 1e9])
def test_costs_that_differ_by_rounding_are_one(unit):
    assert rounded_cost(unit * (0.1 + 0.2)) == rounded_cost(unit * 0.3)
    assert rounded_cost(unit * 0.3) < rounded_cost(unit * 0.3001)
    assert rounded_cost(0.0) < rounded_cost(unit)


@pytest.mark.parametrize("xi", [0.0, 1.0, 1e3])
def test_any_gain_is_better_than_none_and_none_better_than_any_loss(xi):
    trade = TradeOff([-1e-9, 0.0, 1e-9], [0.01, 50, 100])
    assert trade.order(xi).tolist() == [2, 1, 0]


@pytest.mark.parametrize("xi", [300.0, 1e4, 1e8])
def test_huge_xi_leaves_the_cheapest_first(xi):
    # 0.1^10000 is no float: only logarithms can compare these.
    cost = [0.3, 0.1, 7.0, 0.2]
    assert TradeOff([0.5, 0.01, 0.9, 0.4], cost).order(xi).tolist() == [1, 3, 0, 2]
    assert TradeOff([-0.5, -0.9, -0.01, -0.4], cost).order(xi).tolist() == [1, 3, 0, 2]


def test_what_costs_nothing_comes_first_if_cost_counts():
    gain, cost = [0.5, 0.1, 0.2], [1.0, 0.0, 0.0]
    assert TradeOff(gain, cost).order(0).tolist() == [0, 2, 1]
    assert TradeOff(gain, cost).order(0.1).tolist() == [2, 1, 0]
    assert bcr(gain, cost, 0.1)[1] == np.inf


def test_loss_that_costs_nothing_is_the_best_of_the_losses():
    assert TradeOff([-0.5, -0.1, -0.2], [0.0, 1.0, 0.0]).order(1.0).tolist() == [2, 0, 1]


def test_infinite_loss_is_last():
    for xi in (0.0, 1.0, 5.0):
        assert TradeOff([-np.inf, -0.5, 0.1], [0.1, 9.0, 9.0]).order(xi).tolist() == [2, 1, 0]


def test_zero_xi_ignores_cost():
    gain = [0.1, 0.3, -0.2, 0.2]
    assert TradeOff(gain, [1, 100, 1e-9, 5]).order(0).tolist() == [1, 3, 0, 2]
    np.testing.assert_array_equal(bcr(gain, [1, 100, 1e-9, 5], 0), gain)


def test_scores_of_many_xis_are_those_of_each():
    rng = np.random.default_rng(0)
    trade = TradeOff(rng.normal(size=7), rng.uniform(0.1, 1, 7))
    xis = np.array([0.0, 0.3, 2.0])
    for xi, row in zip(xis, trade.log_scores(xis), strict=True):
        np.testing.assert_array_equal(row, trade.log_scores(xi))
