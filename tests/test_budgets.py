"""Budgets: what fits, and what is bought before any choice."""

import numpy as np
import pytest

from frugalforest.costs import Budget, CostModel
from frugalforest.errors import BudgetError, CostError
from reference.messages import says


def test_rounding_does_not_break_a_budget():
    assert Budget(0.3).fits(0.1 + 0.2)
    assert not Budget(0.3).fits(0.3001)
    assert not Budget(0.0).fits(1e-12)
    assert Budget().fits(1e300)
    assert Budget(2.0).fits(np.array([1.0, 2.0, 3.0])).tolist() == [True, True, False]
    assert Budget().fits(np.array([1.0, 1e300])).tolist() == [True, True]


def test_what_is_left_of_a_budget_still_fits():
    assert Budget(0.3).left(0.1) >= 0.2
    assert Budget(0.3).fits(0.1 + Budget(0.3).left(0.1))
    assert Budget().left(5.0) == np.inf


@pytest.mark.parametrize("bad", [-1, np.nan, "50", True, np.True_, [50], -np.inf])
def test_a_budget_that_is_not_an_amount_is_refused(bad):
    with pytest.raises(BudgetError, match=says("`budget` is", "0 or more", "None for no limit")):
        Budget.read(bad)


def test_a_budget_may_be_any_number_or_no_limit():
    assert Budget.read(np.int64(5)) == Budget(5.0)
    assert Budget.read(0) == Budget(0.0)
    assert Budget.read(None) == Budget.read(np.inf) == Budget()
    assert not Budget().is_limited
    assert Budget.read(Budget(3.0)) == Budget(3.0)
    assert sorted([Budget(), Budget(2.0), Budget(1.0)]) == [Budget(1.0), Budget(2.0), Budget()]


def test_free_and_required_features_are_in_from_the_start():
    model = CostModel(
        [0, 5, 3, 0, 0], groups=["", "", "", "g", ""], group_costs={"g": 1}, required=2, excluded=4
    )
    prices = model.align(None, n_features=5)
    assert prices.free.tolist() == [True, False, False, False, False]
    assert prices.start(3).tolist() == [True, False, True, False, False]
    assert prices.start(None).tolist() == [True, False, True, False, False]


def test_required_features_beyond_the_budget_are_named_with_their_price():
    prices = CostModel({"a": 5, "b": 7, "c": 1}, required=["a", "b"]).align(["a", "b", "c"])
    with pytest.raises(BudgetError, match=says("['a', 'b']", "12", "budget=10", "`required`")):
        prices.start(10)


def test_a_budget_that_buys_nothing_names_the_cheapest_feature():
    prices = CostModel({"ldl": 8, "crp": 5}).align(["ldl", "crp"])
    with pytest.raises(BudgetError) as error:
        prices.check_affordable(3)
    assert str(error.value) == (
        "no feature fits budget=3: the cheapest, 'crp', costs 5. Raise `budget` to 5 or more."
    )
    prices.check_affordable(5)
    prices.check_affordable(None)


def test_the_budget_a_message_asks_for_is_enough():
    prices = CostModel({"a": 0.1}, groups={"a": "g"}, group_costs={"g": 0.2}).align(["a"])
    with pytest.raises(BudgetError, match=r"Raise `budget` to 0\.3 or more"):
        prices.check_affordable(0.2)
    prices.check_affordable(0.3)


def test_a_free_or_required_feature_is_enough_to_go_on():
    CostModel([0, 5]).align(None, 2).check_affordable(0)
    CostModel([2, 5], required=[0]).align(None, 2).check_affordable(2)


def test_excluding_every_feature_is_refused():
    with pytest.raises(CostError, match="`excluded` leaves no feature"):
        CostModel([0, 5], excluded=[0, 1]).align(None, 2).check_affordable(9)


def test_the_cheapest_feature_counts_its_fee_and_is_the_first_of_equals():
    model = CostModel(
        [0, 1, 3, 3, 2], groups=[None, "g", None, None, None], group_costs={"g": 9}, excluded=[4]
    )
    assert model.align(None, 5).cheapest() == (2, 3.0)
    assert CostModel([0, 1], excluded=[1]).align(None, 2).cheapest() is None
