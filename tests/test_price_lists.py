"""Price lists as files."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from frugalforest import AUCSelector, FrugalForestClassifier, XiSearch, compare
from frugalforest.costs import CostModel
from frugalforest.errors import CostError
from reference.messages import says

DATASETS = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.fixture
def price_list(tmp_path):
    """Write a price list and read it back."""

    def read(text, encoding="utf-8"):
        path = tmp_path / "prices.csv"
        path.write_bytes(text.encode(encoding))
        return CostModel.from_csv(path)

    return read


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
        "feature;cost\nage;1\ncrp;2,5\n",
        'feature,cost\nage,1\ncrp,"2,5"\n',
        "feature\tcost\nage\t1,0\ncrp\t2,50\n",
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
        (
            "feature;cost\na;7,27\nb;1.5\n",
            says("line 2", "'a' is '7,27'", "other prices have a point", "all decimals alike"),
        ),
        (
            'feature,cost\na,2\nb,"1,200"\n',
            says("line 3", "'b' is '1,200'", "thousands or decimals"),
        ),
        ("feature;cost\na;1,2,3\n", says("line 2", "'1,2,3'", "not a number")),
        (f"feature,cost\na,{'1' * 200_000}\n", says("line 2", "more than 131,072 characters")),
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


def test_decimal_commas_are_read_in_fees_and_differences(price_list):
    stated = price_list("feature;cost;group;group_cost\nchol;5,17;A;2,1\nfbs;3,1;A;\n")
    shared = price_list("feature;cost;group;cost_if_group_paid\nchol;7,27;A;5,17\nfbs;5,2;A;3,1\n")
    expected = CostModel(
        {"chol": 5.17, "fbs": 3.1}, groups={"chol": "A", "fbs": "A"}, group_costs={"A": 2.1}
    )
    assert stated == shared == expected


def test_three_decimals_after_a_comma_are_read_where_the_comma_separates_no_fields(price_list):
    assert price_list("feature;cost\na;1,200\nb;950\n") == CostModel({"a": 1.2, "b": 950})


@pytest.mark.parametrize(("name", "message"), [("", "is a folder"), ("no.csv", "there is no file")])
def test_a_price_list_that_is_no_file_is_refused(tmp_path, name, message):
    with pytest.raises(CostError, match=message):
        CostModel.from_csv(tmp_path / name)


def test_costs_may_be_a_path_or_a_frame_of_a_price_list_everywhere(tmp_path):
    text = "feature,cost,group,group_cost\nage,1,,\ncrp,4,blood,2\nldl,1.5,blood,\n"
    path = tmp_path / "prices.csv"
    path.write_text(text)
    expected = CostModel.from_csv(path)
    frame = pd.read_csv(path)
    assert [CostModel.coerce(c) for c in (path, str(path), frame)] == [expected] * 3
    X = pd.DataFrame({"age": range(40), "crp": np.arange(40) % 7, "ldl": np.arange(40) % 5})
    assert CostModel(path, required=["crp"]) == CostModel(
        expected.costs, expected.groups, expected.group_costs, ["crp"]
    )
    run = {"n_trees": 10, "n_resamples": 0}
    y, totals = np.arange(40) % 2, []
    for costs in (path, str(path), frame, expected):
        selector = AUCSelector(costs=costs, budget=6.5, random_state=0).fit(X, y)
        search = XiSearch(clone(selector), n_trees=10).fit(X, y)
        model = FrugalForestClassifier(costs, 6.5, "auc", random_state=0, **run).fit(X, y)
        result = compare(X, y, costs, 6.5, "auc", verbose=0, **run)
        found = [e.total_cost_ for e in (selector, search, model)]
        totals.append([*found, result.best().cost, *(f.cost for f in result.features)])
    first, *others = totals
    assert others == [first] * 3
    assert max(first) <= 6.5
    for costs in (dict(expected.costs), pd.Series(expected.costs)):
        assert compare(X, y, costs, 6.5, "auc", verbose=0, **run).features[1].cost == 4


def test_a_frame_that_is_no_price_list_is_refused():
    with pytest.raises(CostError, match="`costs` has no column 'feature'"):
        CostModel.coerce(pd.DataFrame({"name": ["a"], "cost": [1]}))
    with pytest.raises(CostError, match="`costs`, row 2: the cost of 'b' is 'x', not a number"):
        CostModel.coerce(pd.DataFrame({"feature": ["a", "b"], "cost": [1, "x"]}))
