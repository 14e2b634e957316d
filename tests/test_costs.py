"""Prices of feature sets, and the messages for wrong ones."""

import copy
import pickle
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frugalforest.costs import CostModel, Prices, check_budget, fits
from frugalforest.errors import BudgetError, CostError

DATASETS = Path(__file__).parents[2] / "shared" / "datasets"

BLOOD = CostModel(
    {"age": 0, "chol": 5, "fbs": 3, "ecg": 15},
    groups={"chol": "blood", "fbs": "blood"},
    group_costs={"blood": 2},
)
COLUMNS = ["age", "chol", "fbs", "ecg"]


@pytest.fixture
def blood() -> Prices:
    return BLOOD.align(COLUMNS)


@pytest.fixture
def price_list(tmp_path):
    """Write a price list and read it back."""

    def read(text, encoding="utf-8"):
        path = tmp_path / "prices.csv"
        path.write_bytes(text.encode(encoding))
        return CostModel.from_csv(path)

    return read


def says(*parts):
    """Pattern for a message that holds all the parts, in this order."""
    return "(?s)" + ".*".join(re.escape(part) for part in parts)


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
        (CostModel([1, 2, 3]), ["a", "b"], says("`costs` has 3 entries", "2 columns")),
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


# --- the ways to write prices down --------------------------------------------------------------


@pytest.mark.parametrize("costs", [2, 2.0, np.float32(2), np.array(2), np.int64(2)])
def test_one_number_is_the_price_of_every_column(costs):
    assert CostModel(costs).align(None, n_features=3).total([0, 2]) == 4


def test_arrays_mappings_and_series_of_any_library_give_the_same_prices():
    pandas = pytest.importorskip("pandas")
    polars = pytest.importorskip("polars")
    names = ["a", "b", "c"]
    same = [
        [1, 2, 3],
        (1, 2.0, np.int8(3)),
        np.array([1, 2, 3]),
        pandas.Series([1, 2, 3]),
        pandas.Series([3, 1, 2], index=["c", "a", "b"]),
        polars.Series([1, 2, 3]),
        {"b": 2, "a": 1, "c": 3},
    ]
    for costs in same:
        assert CostModel(costs).align(names).feature_cost.tolist() == [1, 2, 3]
        assert CostModel.coerce(costs, names).align(names).feature_cost.tolist() == [1, 2, 3]


@pytest.mark.parametrize("none", [None, np.nan, ""])
def test_none_nan_and_empty_text_mean_no_group(none):
    model = CostModel(1, groups=["g", none], group_costs={"g": 4})
    assert model.align(None, n_features=2).group.tolist() == [0, -1]


def test_groups_from_a_series_with_gaps_match_whole_number_fees():
    pandas = pytest.importorskip("pandas")
    groups = pandas.Series([1, None, 1], index=["a", "b", "c"])
    model = CostModel(1, groups=groups, group_costs=pandas.Series({1: 5}))
    assert model.align(["a", "b", "c"]).total(["a", "b", "c"]) == 8


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        (None, "missing"),
        (np.nan, "missing"),
        (-5, "is -5, and a price cannot be negative"),
        (np.float64(-0.5), "is -0.5, and"),
        (np.inf, "infinite"),
        ("five", "is 'five', not a number"),
        ("5", "is '5', not a number"),
        (True, "is True, not a number"),
        (np.False_, "is False, not a number"),
        ([1], "is [1], not a number"),
    ],
)
def test_a_bad_price_is_reported_with_its_column(bad, message):
    with pytest.raises(CostError, match=says("`costs`", "column 'crp'", message)):
        CostModel({"age": 1, "crp": bad})
    with pytest.raises(CostError, match=says("`costs`", "column 1", message)):
        CostModel([1, bad])
    with pytest.raises(CostError, match=says("`costs`", "column 'crp'", message)):
        CostModel.coerce([1, bad], feature_names=["age", "crp"])
    with pytest.raises(CostError, match=says("`group_costs`", "group 'g'", message)):
        CostModel(1, groups=["g"], group_costs={"g": bad})


def test_the_missing_value_of_pandas_is_a_missing_price():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(CostError, match="column 'crp' is missing"):
        CostModel({"crp": pandas.NA})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"costs": -1}, says("price of every column", "-1")),
        ({"costs": True}, says("True")),
        ({"costs": "prices.csv"}, says("'prices.csv'", "CostModel.from_csv")),
        ({"costs": Path("prices.csv")}, says("CostModel.from_csv")),
        ({"costs": {1, 2}}, says("`costs`", "in column order or by column name")),
        ({"costs": np.ones((2, 2))}, says("`costs` has shape (2, 2)")),
        ({"costs": {0: 1.0}}, says("label 0", "column names are text")),
        ({"groups": "blood"}, says("`groups` is 'blood'")),
        ({"groups": [["a"]]}, says("group of column 0", "one group or none")),
        ({"groups": ["a"], "group_costs": 3}, says("`group_costs` is 3")),
        ({"group_costs": {"blood": 3}}, says("fee for group 'blood'", "no feature")),
        (
            {"groups": ["blood"], "group_costs": {"blood": 1, "blod": 3}},
            says("fee for group 'blod'", "Did you mean 'blood'?"),
        ),
        (
            {"groups": ["blood", "urine"], "group_costs": {"blood": 1}},
            says("group 'urine' has no fee in `group_costs`"),
        ),
        ({"required": [True, False]}, says("`required` has True", "flatnonzero")),
        ({"excluded": [1.5]}, says("`excluded` has 1.5")),
    ],
)
def test_a_wrong_argument_is_refused_when_the_model_is_made(arguments, message):
    with pytest.raises(CostError, match=message):
        CostModel(**arguments)


def test_a_series_that_names_a_column_twice_is_refused():
    pandas = pytest.importorskip("pandas")
    with pytest.raises(CostError, match="names column 'a' twice"):
        CostModel(pandas.Series([1, 2], index=["a", "a"]))
    with pytest.raises(CostError, match="names group 'g' twice"):
        CostModel(1, groups=["g"], group_costs=pandas.Series([1, 2], index=["g", "g"]))


def test_groups_without_any_fees_are_labels_only():
    assert CostModel([1, 2], groups=["g", "g"]).total([0, 1]) == 3


def test_coerce_takes_what_a_costs_parameter_may_hold():
    assert CostModel.coerce(None) == CostModel(1.0)
    assert CostModel.coerce(BLOOD) is BLOOD
    assert CostModel.coerce([1, 2]) == CostModel([1, 2])
    assert CostModel.coerce({"a": 1}) == CostModel({"a": 1})
    assert CostModel.coerce(3, feature_names=["a"]) == CostModel(3)


def test_coerce_reports_a_wrong_length_with_both_numbers():
    with pytest.raises(CostError, match=says("3 entries", "2 columns")):
        CostModel.coerce([1, 2, 3], feature_names=["a", "b"]).align(["a", "b"])


# --- the model as an object ---------------------------------------------------------------------


def test_copies_and_pickles_are_equal_and_price_the_same():
    BLOOD.total(["chol"])  # fills the cache, which must not get in the way
    for other in (copy.deepcopy(BLOOD), copy.copy(BLOOD), pickle.loads(pickle.dumps(BLOOD))):
        assert other == BLOOD
        assert hash(other) == hash(BLOOD)
        assert other.total(["chol", "fbs"]) == 10


def test_bound_prices_survive_a_pickle(blood):
    blood.total([1])
    assert pickle.loads(pickle.dumps(blood)).total([1, 2]) == 10


def test_models_differ_if_any_argument_differs():
    models = [
        CostModel(),
        CostModel(2),
        CostModel([1, 1]),
        CostModel({"a": 1, "b": 1}),
        CostModel(1, groups=["g"]),
        CostModel(1, groups=["g"], group_costs={"g": 1}),
        CostModel(1, required=["a"]),
        CostModel(1, excluded=["a"]),
    ]
    assert all((a == b) == (i == j) for i, a in enumerate(models) for j, b in enumerate(models))
    assert CostModel() != 1.0


def test_the_order_of_names_does_not_make_models_differ():
    one = CostModel({"a": 1, "b": 2}, required=["a", "b"])
    other = CostModel({"b": 2, "a": 1}, required=["b", "a"])
    assert one == other
    assert hash(one) == hash(other)


def test_the_representation_shows_what_was_given_and_rebuilds_small_models():
    assert repr(CostModel([1, 2], required="a")) == "CostModel(costs=(1.0, 2.0), required=('a',))"
    assert eval(repr(BLOOD)) == BLOOD
    assert len(repr(CostModel(np.ones(10_000)))) < 100


def test_a_model_cannot_be_changed_from_outside():
    costs = np.array([1.0, 2.0])
    by_name = {"a": 1.0}
    model, named = CostModel(costs), CostModel(by_name)
    costs[0] = by_name["a"] = 99
    assert model.total([0]) == named.total(["a"]) == 1
    with pytest.raises(AttributeError):
        model.costs = 3
    with pytest.raises(TypeError):
        named.costs["a"] = 3


def test_scikit_learn_clones_an_estimator_that_holds_a_model():
    base = pytest.importorskip("sklearn.base")

    class Holder(base.BaseEstimator):
        def __init__(self, costs=None):
            self.costs = costs

    cloned = base.clone(Holder(costs=BLOOD))
    assert cloned.costs == BLOOD
    assert "CostModel" in repr(cloned)


def test_a_model_prices_sets_of_its_own_features():
    assert BLOOD.total(["chol", "fbs"]) == BLOOD.total([1, 2]) == 10
    assert BLOOD.marginal(["chol"], ["fbs"]) == 3
    assert CostModel([1, 2, 4]).total(np.eye(3, dtype=bool)).tolist() == [1, 2, 4]
    assert CostModel(1, groups=["g", "g"], group_costs={"g": 2}).total([0, 1]) == 4


def test_required_names_do_not_keep_an_array_from_pricing_its_own_columns():
    assert CostModel([1, 2], required=["a"]).total([0, 1]) == 3


def test_none_required_and_none_excluded_is_the_default():
    assert CostModel(1, required=None, excluded=None) == CostModel(1)


def test_one_price_for_all_counts_the_distinct_columns():
    model = CostModel(1.5)
    assert model.total([]) == 0
    assert model.total([0, 7, 7]) == 3
    assert model.marginal([0], [0, 7]) == 1.5
    assert model.total([True, True, False]) == 3
    assert model.total(np.eye(3, dtype=bool)).tolist() == [1.5] * 3


def test_one_price_for_all_does_not_know_names():
    with pytest.raises(CostError, match=says("model.align(feature_names)")):
        CostModel(1).total(["a"])
    with pytest.raises(CostError, match=says("model.align(feature_names)")):
        CostModel(1, groups={"a": "g"}).total([0])


# --- budgets ------------------------------------------------------------------------------------


def test_rounding_does_not_break_a_budget():
    assert fits(0.1 + 0.2, 0.3)
    assert not fits(0.3001, 0.3)
    assert not fits(1e-12, 0)
    assert fits(1e300, None)
    assert fits(np.array([1.0, 2.0, 3.0]), 2).tolist() == [True, True, False]
    assert fits(np.array([1.0, 1e300]), None).tolist() == [True, True]


@pytest.mark.parametrize("bad", [-1, np.nan, "50", True, np.True_, [50], -np.inf])
def test_a_budget_that_is_not_an_amount_is_refused(bad):
    with pytest.raises(BudgetError, match=says("`budget` is", "0 or more", "None for no limit")):
        check_budget(bad)


def test_a_budget_may_be_any_number_or_no_limit():
    assert check_budget(np.int64(5)) == 5.0
    assert check_budget(0) == 0.0
    assert check_budget(None) is None
    assert check_budget(np.inf) is None


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


# --- price lists as files -----------------------------------------------------------------------


@pytest.mark.skipif(not DATASETS.is_dir(), reason="the shared data sets are not here")
@pytest.mark.parametrize(
    ("name", "n_features", "added_up", "with_sharing"),
    [
        ("heart_cleveland", 13, 600.57, 323.97),
        ("hepatitis", 19, 51.38, 42.98),
        ("bupa", 5, 38.94, 30.54),
    ],
)
def test_the_medical_price_lists_cost_what_their_source_says(
    name, n_features, added_up, with_sharing
):
    model = CostModel.from_csv(DATASETS / f"{name}_costs.csv")
    prices = model.align(model.costs)
    assert prices.n_features == n_features
    assert sum(row["cost"] for row in prices.describe()) == pytest.approx(added_up, abs=1e-9)
    assert prices.total(range(n_features)) == pytest.approx(with_sharing, abs=1e-9)


def test_both_forms_of_a_price_list_give_the_same_model(price_list):
    fee = price_list("feature,cost,group,group_cost\nage,1,,\nchol,5.17,A,2.1\nfbs,3.10,A,2.1\n")
    difference = price_list(
        "feature,cost,group,cost_if_group_paid,result\n"
        "age,1.00,,1.00,now\nchol,7.27,A,5.17,later\nfbs,5.20,A,3.10,\n"
    )
    assert fee == difference
    assert fee.group_costs == {"A": 2.1}


@pytest.mark.parametrize(
    "text",
    [
        "feature,cost\nage,1\ncrp,2.5\n",
        "\ufefffeature,cost\r\nage,1\r\ncrp,2.5\r\n",
        "\n Feature , Cost \n\n age , 1 \n,\n crp, 2.5",
        "feature;cost\nage;1\ncrp;2.5\n",
        "feature\tcost\tnote\nage\t1\ncrp\t2.5\tx\n",
        'cost,feature\n1,"age"\n2.5, "crp"\n',
        "feature,cost,group,group_cost\nage,1\ncrp,2.5,,\n",
        "feature,cost,group,cost_if_group_paid\nage,1,,\ncrp,2.5,,2.5\n",
    ],
)
def test_a_price_list_is_read_however_it_was_saved(price_list, text):
    assert price_list(text) == CostModel({"age": 1, "crp": 2.5})


def test_a_group_fee_may_stand_on_one_row_of_the_group(price_list):
    model = price_list("feature,cost,group,group_cost\na,1,g,\nb,2,g,5\n")
    assert model.total(["a"]) == 6


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", says("prices.csv has no prices", "feature,cost")),
        ("feature,cost\n", says("no prices")),
        ("name,cost\na,1\n", says("no column 'feature'", "['name', 'cost']")),
        ("feature,cost,cost\na,1,2\n", says("a column twice")),
        ("feature,cost,group,group_costs\na,1,g,2\n", says("'group_costs'", "'group_cost'")),
        ("feature,cost,group,group_cost,cost_if_group_paid\na,1,,,\n", says("both", "keep one")),
        ("feature,cost,cost_if_group_paid\na,1,1\n", says("no column `group`")),
        ("feature,cost\na,1\n\nb,2\na,3\n", says("'a'", "lines 2 and 5")),
        ("feature,cost\na,\n", says("line 2", "cost of 'a' is missing")),
        ("feature,cost\na,nan\n", says("line 2", "cost of 'a' is missing")),
        ("feature,cost\na,-2\n", says("line 2", "cost of 'a' is -2", "negative")),
        ("feature,cost\na,inf\n", says("line 2", "infinite")),
        ("feature,cost\na,cheap\n", says("line 2", "'a' is 'cheap', not a number")),
        ("feature;cost\na;7,27\n", says("line 2", "'7,27'", "with a point")),
        ("feature,cost\na,1_000\n", says("line 2", "'1_000'", "not a number")),
        ("feature,cost\na,7,27\n", says("line 2 has 3 fields", "header has 2")),
        ("feature,cost\n,7\n", says("line 2", "name is missing")),
        ("feature,cost,group_cost\na,1,5\n", says("line 2", "'a' has a group_cost but no group")),
        (
            "feature,cost,group,group_cost\na,1,g,5\nb,1,g,6\n",
            says("line 3", "group 'g' is 6, but 5 on line 2"),
        ),
        ("feature,cost,group,group_cost\na,1,g,\n", says("line 2", "group 'g' has no group_cost")),
        (
            "feature,cost,group,cost_if_group_paid\na,7,g,5\nb,6,g,5\n",
            says("line 3", "group 'g' shares 1 at 'b' but 2 at 'a' (line 2)", "must be the same"),
        ),
        (
            "feature,cost,group,cost_if_group_paid\na,5,g,7\n",
            says("line 2", "of 'a', 7, is more than its cost alone, 5"),
        ),
        ("feature,cost,group,cost_if_group_paid\na,5,,3\n", says("line 2", "'a' has no group")),
        (
            "feature,cost,group,cost_if_group_paid\na,5,g,\n",
            says("line 2", "cost_if_group_paid of 'a' is missing"),
        ),
    ],
)
def test_a_wrong_price_list_is_refused_with_line_and_feature(price_list, text, message):
    with pytest.raises(CostError, match=message):
        price_list(text)


@pytest.mark.parametrize("encoding", ["utf-16", "latin-1"])
def test_a_price_list_that_is_not_utf8_is_refused(price_list, encoding):
    with pytest.raises(CostError, match=says("prices.csv is not UTF-8", "Save it as")):
        price_list("feature,cost\nmüde,1\n", encoding=encoding)
