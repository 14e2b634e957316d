"""Prices as a user writes them down, and the messages for wrong ones."""

import copy
import pickle
from pathlib import Path

import numpy as np
import pytest

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
        ({"costs": "no such.csv"}, says("no such.csv")),
        ({"costs": Path("p.csv"), "groups": ["a"]}, says("price list", "Leave out `groups`")),
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


def test_a_price_list_is_restricted_to_the_columns_of_a_table():
    some = BLOOD.restricted_to(["ecg", "age", "other"])
    assert some == CostModel({"age": 0, "ecg": 15})
    assert BLOOD.restricted_to(["chol"]).total(["chol"]) == 7
    assert BLOOD.unknown(["chol", "other"]) == ("age", "fbs", "ecg")
    assert BLOOD.restricted_to(COLUMNS) == BLOOD


def test_what_goes_by_column_order_cannot_be_restricted():
    model = CostModel([1, 2], groups=["g", None], group_costs={"g": 1}, required=[0])
    assert model.restricted_to(["a"]) == model
    assert model.unknown(["a"]) == ()
