"""Error against money: the knee, one standard error, what the next unit of money buys."""

import math

import pytest

from frugalforest.results.frontier import (
    FrontierPoint,
    by_money_spent,
    cheapest_within,
    find_knee,
    money_buys,
    within_one_se,
)


def points(*budget_and_error, se=0.0, costs=None):
    costs = costs or [budget for budget, _ in budget_and_error]
    return [
        FrontierPoint(budget, cost, error, se)
        for (budget, error), cost in zip(budget_and_error, costs, strict=True)
    ]


def test_the_knee_is_where_the_curve_bends():
    curve = points((1, 0.50), (2, 0.30), (3, 0.12), (6, 0.11), (9, 0.10))
    assert find_knee(curve).budget == 3


def test_the_knee_does_not_depend_on_the_units_of_money_or_error():
    curve = points((1, 0.50), (2, 0.30), (3, 0.12), (6, 0.11), (9, 0.10))
    cents = points((100, 50), (200, 30), (300, 12), (600, 11), (900, 10))
    assert find_knee(cents).budget == 100 * find_knee(curve).budget


@pytest.mark.parametrize(
    "curve",
    [
        pytest.param([], id="no point"),
        pytest.param([(5, 0.2)], id="one point"),
        pytest.param([(1, 0.3), (2, 0.2)], id="two points"),
        pytest.param([(1, 0.2), (2, 0.2), (3, 0.2)], id="flat"),
        pytest.param([(1, 0.1), (2, 0.2), (3, 0.3)], id="rising error"),
        pytest.param([(1, 0.75), (2, 0.5), (3, 0.25)], id="straight"),
        pytest.param([(1, 0.3), (2, 0.29), (3, 0.1)], id="bent the other way"),
    ],
)
def test_a_curve_without_a_bend_has_no_knee(curve):
    assert find_knee(points(*curve)) is None


def test_one_standard_error_is_that_of_the_best_point():
    curve = [
        FrontierPoint(1, 1, 0.15, 0.50),  # its own large uncertainty makes it no better
        FrontierPoint(2, 2, 0.12, 0.00),
        FrontierPoint(3, 3, 0.10, 0.02),
    ]
    assert within_one_se(curve).budget == 2


def test_within_one_standard_error_the_cheapest_set_is_taken_not_the_smallest_budget():
    curve = points((1, 0.10), (2, 0.10), (3, 0.10), se=0.02, costs=[1.0, 0.5, 3.0])
    assert within_one_se(curve).budget == 2


def test_without_a_standard_error_only_the_best_itself_is_near_the_best():
    curve = points((1, 0.11), (2, 0.10), se=float("nan"))
    assert within_one_se(curve).budget == 2


def test_one_point_is_its_own_best():
    (point,) = points((5, 0.2))
    assert within_one_se([point]) == point
    assert cheapest_within([point], 0.2) == point
    assert money_buys([point]) == []


def test_no_point_gives_no_answer():
    assert within_one_se([]) is None
    assert cheapest_within([], 1.0) is None
    assert money_buys([]) == []


def test_an_error_out_of_reach_has_no_cheapest_set():
    assert cheapest_within(points((1, 0.3), (2, 0.2)), 0.1) is None


def test_of_equal_costs_the_smaller_budget_is_taken():
    curve = points((1, 0.3), (2, 0.2), (3, 0.2), costs=[1.0, 2.0, 2.0])
    assert cheapest_within(curve, 0.25).budget == 2


def test_knee_and_slopes_go_by_money_spent_not_by_the_budget():
    curve = points((1, 0.50), (50, 0.12), (100, 0.10), costs=[1, 2, 9])
    assert find_knee(curve).budget == 50
    assert [step.per_unit for step in money_buys(curve)] == pytest.approx([0.38, 0.02 / 7])


def test_the_same_money_spent_buys_nothing():
    curve = points((1, 0.3), (2, 0.2), (3, 0.1), costs=[1, 1, 0.1 + 0.2 + 0.7])
    assert all(math.isnan(step.per_unit) for step in money_buys(curve))
    assert by_money_spent(curve) == curve[:1]
    assert find_knee(curve) is None


def test_a_larger_budget_that_spends_less_comes_first():
    curve = points((1, 0.3), (2, 0.2), costs=[5, 4])
    assert [point.budget for point in by_money_spent(curve)] == [2, 1]
    assert math.isnan(money_buys(curve)[0].per_unit)


def test_money_that_makes_it_worse_buys_a_negative_amount():
    steps = money_buys(points((1, 0.2), (3, 0.3), (4, 0.3)))
    assert [step.per_unit for step in steps] == pytest.approx([-0.05, 0.0])
    assert [step.fall for step in steps] == pytest.approx([-0.1, 0.0])


def test_what_money_buys_says_from_where_to_where_and_for_how_much():
    (step,) = money_buys(points((10, 0.5), (40, 0.1), costs=[8, 28]))
    assert (step.budget, step.next_budget, step.spent) == (10, 40, 20)
    assert step.fall == pytest.approx(0.4)
