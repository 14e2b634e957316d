"""Wrong parameters and tables of the estimators: each gets one message that names it."""

import numpy as np
import pytest
from sklearn.feature_selection import SelectKBest

from frugalforest import (
    AUCSelector,
    ForwardSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
)
from frugalforest.errors import BudgetError, CostError
from reference.priced_frame import PRICES, classifier, priced_frame


@pytest.fixture(scope="module")
def frame():
    return priced_frame()


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"method": "boosting"}, "no method 'boosting'. The methods are auc, pfi, sts, forward"),
        ({"method": []}, "no method was given"),
        ({"xi": "best"}, "`xi` is 'best'"),
        ({"xi": -1}, "`xi` is -1: it must be a number, 0 or more"),
        ({"n_trees": 0}, "`n_trees` is 0: it must be a whole number from 1 to 2\\^31 - 1"),
        ({"n_jobs": 0}, "`n_jobs` is 0"),
        ({"random_state": -3}, "`random_state` is -3"),
        ({"budget": -1}, "`budget` is -1"),
        ({"budget": "ten"}, "`budget` is 'ten'"),
        ({"xi": "auto"}, "`xi` is 'auto': it must be 'tune' or a number"),
        ({"method": np.array(["auc", "boosting"])}, "no method 'boosting'"),
    ],
)
def test_wrong_parameters_of_the_classifier_are_named(params, message, frame):
    with pytest.raises(ValueError, match=message):
        classifier(**params).fit(*frame)


@pytest.mark.parametrize(
    ("selector", "message"),
    [
        (AUCSelector(xi=-0.5), "`xi` is -0.5: it must be a number, 0 or more"),
        (AUCSelector(xi="tune"), "`xi` is 'tune'"),
        (AUCSelector(xi=float("nan")), "`xi` is nan"),
        (AUCSelector(xi=1j), "`xi` is 1j"),
        (AUCSelector(xi=b"1"), "`xi` is b'1'"),
        (AUCSelector(xi=np.True_), "`xi` is "),
        (AUCSelector(budget=float("nan")), "`budget` is nan"),
        (PermutationSelector(n_trees=0), "`n_trees` is 0"),
        (PermutationSelector(n_trees=2.5), "`n_trees` is 2.5"),
        (ForwardSelector(n_trees=-1), "`n_trees` is -1"),
        (ForwardSelector(n_jobs=0), "`n_jobs` is 0"),
        (ShallowTreeSelector(n_trees=0, budget=4), "`n_trees` is 0"),
        (ShallowTreeSelector(rule="printed"), "`rule` is 'printed': it must be 'half' or 'paper'"),
        (ShallowTreeSelector(max_depth=0), "`max_depth` is 0: it must be 1 to 16, or None"),
        (ShallowTreeSelector(max_depth=2.0), "`max_depth` is 2.0: it must be 1 to 16, or None"),
        (ShallowTreeSelector(max_depth=True), "`max_depth` is True"),
        (ShallowTreeSelector(trees="wide"), "`trees` is 'wide': it must be 'depth', 'features' or"),
        (
            ShallowTreeSelector(trees="features", tree_features=0),
            "`tree_features` is 0: it must be a whole number from 1, or None",
        ),
        (ShallowTreeSelector(trees="features", tree_features=2.0), "`tree_features` is 2.0"),
        (
            ShallowTreeSelector(trees="features", tree_features=99),
            "`tree_features` is 99, but the table has 6.features: give 6 or less, or None",
        ),
        (
            ShallowTreeSelector(trees="cost", tree_cost=0.5),
            "`tree_cost` is 0.50: the cheapest feature, 'age', costs 1. Give that or more, or None",
        ),
        (ShallowTreeSelector(trees="cost", tree_cost=0), "`tree_cost` is 0: it must be a number"),
        (
            ShallowTreeSelector(trees="cost", tree_cost=float("inf")),
            "`tree_cost` is inf: it must be a number above 0, and finite, or None",
        ),
        (
            ShallowTreeSelector(tree_features=3),
            "`tree_features` limits trees only with trees='features', and `trees` is 'depth': lea",
        ),
        (
            ShallowTreeSelector(trees="cost", max_depth=3),
            "`max_depth` limits trees only with trees='depth', and `trees` is 'cost'",
        ),
        (ShallowTreeSelector(zeta=-1), "`zeta` is -1: it must be a number, 0 or more, and finite"),
        (ShallowTreeSelector(zeta=float("inf")), "`zeta` is inf: it must be a number, 0 or more"),
        (ShallowTreeSelector(zeta=float("nan")), "`zeta` is nan"),
        (ShallowTreeSelector(zeta="two"), "`zeta` is 'two': it must be a number, .* or 'xi'"),
        (ShallowTreeSelector(zeta=True), "`zeta` is True"),
        (XiSearch("auc"), "`selector` is 'auc': it must be a selector of frugalforest"),
        (XiSearch(xis=0.5), "`xis` is 0.5: it must be 'auto', 'grid', 'bayes' or a list"),
        (XiSearch(xis=None), "`xis` is None: it must be 'auto'"),
        (ShallowTreeSelector(random_state="lucky"), "`random_state` is 'lucky'"),
    ],
)
def test_wrong_parameters_of_a_selector_are_named(selector, message, frame):
    with pytest.raises(ValueError, match=message):
        selector.fit(*frame)


def test_forward_says_so_if_no_row_has_an_out_of_bag_vote():
    selector = ForwardSelector(n_trees=1, random_state=0)
    with pytest.raises(ValueError, match="out-of-bag"):
        selector.fit([[1.0, 2.0], [3.0, 4.0]], [0, 1])


def test_search_says_which_selectors_it_takes(frame):
    with pytest.raises((TypeError, ValueError), match="selector"):
        XiSearch(SelectKBest()).fit(*frame)


def test_column_without_a_price_is_named(frame):
    prices = {name: price for name, price in PRICES.items() if name != "crp"}
    with pytest.raises(CostError, match="crp"):
        classifier(costs=prices).fit(*frame)


def test_budget_below_every_price_names_the_cheapest_column(frame):
    with pytest.raises(BudgetError, match=r"the cheapest, 'ldl', costs 0\.5"):
        classifier(budget=0.2).fit(*frame)


def test_column_that_is_infinite_is_named(frame):
    X, y = frame
    with pytest.raises(ValueError, match="crp"):
        classifier().fit(X.assign(crp=np.inf), y)
