"""Prices of feature sets, and how they are bound to columns."""

import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalforest.costs import CostModel, Prices
from frugalforest.errors import CostError
from reference.messages import says

BLOOD = CostModel(
    {"age": 0, "chol": 5, "fbs": 3, "ecg": 15},
    groups={"chol": "blood", "fbs": "blood"},
    group_costs={"blood": 2},
)
COLUMNS = ["age", "chol", "fbs", "ecg"]


@pytest.fixture
def blood() -> Prices:
    return BLOOD.align(COLUMNS)


# --- the price of a set, against a plain-Python reference ---------------------------------------


def reference_total(costs, groups, fees, selected):
    price = 0.0
    paid_groups = set()
    for feature in sorted(set(selected)):
        price += costs[feature]
        if groups[feature] is not None and groups[feature] not in paid_groups:
            paid_groups.add(groups[feature])
            price += fees[groups[feature]]
    return price


@st.composite
def price_lists(draw):
    """Costs, groups and fees of up to 12 features; prices of 0 and equal prices are common."""
    price = st.one_of(st.integers(0, 3), st.floats(0, 1000))
    n_features = draw(st.integers(1, 12))
    costs = draw(st.lists(price, min_size=n_features, max_size=n_features))
    group = st.sampled_from([None, "a", "b", "c"])
    groups = draw(st.lists(group, min_size=n_features, max_size=n_features))
    fees = {label: draw(price) for label in sorted({g for g in groups if g is not None})}
    return costs, groups, fees


@st.composite
def priced_sets(draw, n_sets):
    costs, groups, fees = draw(price_lists())
    feature_set = st.sets(st.integers(0, len(costs) - 1))
    return (costs, groups, fees), [draw(feature_set) for _ in range(n_sets)]


def bind(costs, groups, fees):
    return CostModel(costs, groups=groups, group_costs=fees).align(None, n_features=len(costs))


def masks_of(sets, n_features):
    return np.array([[j in s for j in range(n_features)] for s in sets], dtype=bool)


# Sums of up to 12 prices below 1000: rounding stays far under this.
CLOSE = {"rel": 1e-9, "abs": 1e-9}


@given(priced_sets(n_sets=1))
def test_total_equals_the_plain_reference(case):
    prices, (selected,) = case
    assert bind(*prices).total(selected) == pytest.approx(
        reference_total(*prices, selected), **CLOSE
    )


@given(priced_sets(n_sets=2))
def test_marginal_is_the_difference_of_two_totals(case):
    price_list, (selected, added) = case
    prices = bind(*price_list)
    difference = prices.total(selected | added) - prices.total(selected)
    assert prices.marginal(selected, added) == pytest.approx(difference, **CLOSE)


@given(priced_sets(n_sets=2))
def test_a_larger_set_is_never_cheaper(case):
    price_list, (one, other) = case
    prices = bind(*price_list)
    assert prices.total(one | other) >= prices.total(one) * (1 - 1e-9)


@given(priced_sets(n_sets=3))
def test_marginal_never_rises_as_more_is_paid_for(case):
    price_list, (paid, more, added) = case
    prices = bind(*price_list)
    assert prices.marginal(paid | more, added) <= prices.marginal(paid, added) + 1e-9


@given(priced_sets(n_sets=6))
def test_a_batch_gives_the_same_prices_bit_for_bit_as_one_by_one(case):
    price_list, (selected, *sets) = case
    prices = bind(*price_list)
    masks = masks_of(sets, prices.n_features)
    assert prices.total(masks).tolist() == [prices.total(s) for s in sets]
    one_by_one = [prices.marginal(selected, s) for s in sets]
    assert prices.marginal(selected, masks).tolist() == one_by_one
    assert prices.marginal(selected, np.asfortranarray(masks)).tolist() == one_by_one


def test_a_set_costs_the_same_bit_for_bit_anywhere_in_a_large_batch():
    rng = np.random.default_rng(0)
    prices = CostModel(
        rng.random(201), groups=rng.integers(0, 9, 201), group_costs=dict(enumerate(rng.random(9)))
    ).align(None, n_features=201)
    one = rng.random(201) < 0.3
    batch = np.tile(one, (1003, 1))
    assert set(prices.total(batch).tolist()) == {prices.total(one)}


@given(priced_sets(n_sets=1))
def test_marginal_each_is_the_marginal_of_each_single_feature(case):
    price_list, (selected,) = case
    prices = bind(*price_list)
    expected = prices.marginal(selected, np.eye(prices.n_features, dtype=bool))
    assert prices.marginal_each(selected).tolist() == expected.tolist()


@given(price_lists())
def test_the_empty_set_costs_nothing(price_list):
    assert bind(*price_list).total([]) == 0


@given(price_lists())
def test_free_features_add_nothing_to_any_set(price_list):
    prices = bind(*price_list)
    assert prices.total(prices.free) == 0
    assert all(prices.alone[~prices.free] > 0)


def test_a_fee_is_paid_with_the_first_feature_of_its_group_only(blood):
    assert blood.total(["chol"]) == 7
    assert blood.total(["chol", "fbs"]) == 10
    assert blood.marginal(["chol"], ["fbs"]) == 3


def test_indices_names_masks_and_sets_name_the_same_features(blood):
    same = [
        [1, 2],
        (2, 1, 1),
        {"fbs", "chol"},
        np.array([1, 2]),
        np.array(["chol", "fbs"]),
        np.array([False, True, True, False]),
        [False, True, True, False],
        [np.int32(1), "fbs"],
    ]
    assert [blood.total(s) for s in same] == [10.0] * len(same)
    assert blood.total("chol") == blood.total(1) == 7


def test_prices_in_arrays_cannot_be_changed(blood):
    with pytest.raises(ValueError, match="read-only"):
        blood.feature_cost[0] = 1


@pytest.mark.parametrize(
    ("features", "message"),
    [
        (["cholesterol"], says("'cholesterol'", "not a column", "'chol'")),
        ([4], says("column 4", "4 columns", "0 to 3")),
        ([-1], says("column -1")),
        ([1.0], says("1.0", "names or indices")),
        ([True, False], says("2 entries", "4 columns")),
        (np.zeros((3, 5), dtype=bool), says("5 columns", "has 4")),
        (np.zeros((3, 4)), says("feature set")),
        (None, says("feature set is None")),
    ],
)
def test_a_wrong_feature_set_is_named(blood, features, message):
    with pytest.raises(CostError, match=message):
        blood.total(features)


def test_as_many_groups_as_features_take_no_quadratic_memory():
    n = 20_000
    prices = CostModel(1, groups=range(n), group_costs=dict.fromkeys(range(n), 2)).align(None, n)
    masks = np.zeros((5, n), dtype=bool)
    masks[:, ::2] = True
    tracemalloc.start()
    assert prices.total(masks).tolist() == [n / 2 * 3.0] * 5
    assert prices.total(masks[0]) == n / 2 * 3.0
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # Features by groups would take at least 400 MB.
    assert peak < 20e6


# --- binding to the columns of a table ----------------------------------------------------------


def test_prices_by_name_follow_the_order_of_the_table():
    prices = BLOOD.align(["ecg", "fbs", "age", "chol"])
    assert prices.feature_cost.tolist() == [15, 3, 0, 5]
    assert prices.group.tolist() == [-1, 0, -1, 0]
    assert prices.group_names == ("blood",)
    assert prices.feature_names == ("ecg", "fbs", "age", "chol")


def test_a_table_without_names_gets_x0_x1():
    prices = CostModel([1, 2], required=[1]).align(None, n_features=2)
    assert prices.feature_names == ("x0", "x1")
    assert prices.required.tolist() == [False, True]
    assert prices.group.dtype == np.int64
    assert prices.feature_cost.dtype == prices.group_cost.dtype == np.float64


@pytest.mark.parametrize(
    ("model", "columns", "message"),
    [
        (CostModel({"age": 1, "crp_mg": 5}), ["age", "crp"], says("'crp_mg'", "'crp'")),
        (CostModel({"age": 1, "agee": 5}), ["age"], says("'agee'", "Did you mean 'age'")),
        (CostModel({"CRP": 1}), ["age", "crp"], says("'CRP'", "Did you mean 'crp'")),
        (CostModel({"age": 1, "zzz": 5}), ["age"], says("'zzz'", "The columns are ['age']")),
        (CostModel({"a": 1, "y": 5, "z": 2}), ["a"], says("['y', 'z']", "are not columns")),
        (CostModel({"age": 1}), ["age", "crp"], says("no cost for columns ['crp']", "`costs`")),
        (
            CostModel({"a": 1, "ldl": 5}, groups={"ldl": "g"}),
            ["a"],
            says("`costs` names 'ldl'", "not a column"),
        ),
        (CostModel([1, 2, 3]), ["a", "b"], says("`costs` has 3 entries", "2 columns")),
        (CostModel([1e308, 1e308]), ["a", "b"], says("`costs` add up", "highest is 1e+308")),
        (
            CostModel(1, groups=["g", "h"], group_costs={"g": 1e308, "h": 1e308}),
            ["a", "b"],
            says("`costs` add up to more than a number can hold"),
        ),
        (CostModel(1, groups=["g"]), ["a", "b"], says("`groups` has 1 entries", "2 columns")),
        (CostModel(1, groups={"aa": "g"}), ["aaa"], says("`groups` names 'aa'", "'aaa'")),
        (CostModel(1, required=["crp_"]), ["crp"], says("`required` names 'crp_'", "'crp'")),
        (CostModel(1, excluded=[3]), ["crp"], says("`excluded` has column 3", "1 columns")),
        (CostModel(1, required=["a"], excluded=[0]), ["a"], says("['a']", "both", "`excluded`")),
        (CostModel([1, 2]), ["a", "a"], says("two columns are called 'a'", "Rename")),
        (
            CostModel({"a": 1, "b": 2}, groups=["g", None]),
            ["b", "a"],
            says("`groups` by position", "Give `groups` by name"),
        ),
    ],
)
def test_a_model_that_does_not_fit_the_columns_is_refused_by_name(model, columns, message):
    with pytest.raises(CostError, match=message):
        model.align(columns)


@pytest.mark.parametrize(
    "model", [CostModel({"a": 1}), CostModel(1, groups={"a": 1}), CostModel(1, required="a")]
)
def test_names_are_refused_for_a_table_without_names(model):
    with pytest.raises(CostError, match=r"no column names\. Pass a data frame whose .* are text"):
        model.align(None, n_features=1)


def test_neither_names_nor_a_number_of_columns_is_refused():
    with pytest.raises(CostError, match="`n_features` is missing"):
        CostModel(1).align(None)


def test_groups_in_order_are_fine_with_prices_by_name_in_the_same_order():
    model = CostModel({"a": 1, "b": 2}, groups=["g", None], group_costs={"g": 4})
    assert model.align(["a", "b"]).total(["a"]) == 5


def test_describe_gives_one_row_per_feature(blood):
    rows = blood.describe()
    assert [row["feature"] for row in rows] == COLUMNS
    assert rows[1] == {
        "feature": "chol",
        "cost": 7.0,
        "group": "blood",
        "cost_if_group_paid": 5.0,
        "group_cost": 2.0,
    }
    assert rows[3]["group"] is None
