"""`compare` and the classifier take one road: with one seed they buy the same sets."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import CostModel, FrugalForestClassifier, compare
from reference.small_tables import make_table

OPTIONS = {"n_trees": 30, "n_resamples": 5, "random_state": 3}


def correlated():
    rng = np.random.default_rng(0)
    z = rng.normal(size=(120, 8))
    X = pd.DataFrame(z + 0.8 * rng.normal(size=(120, 1)), columns=list("abcdefgh"))
    return X, np.where(X["a"] - X["b"] + 0.3 * rng.normal(size=120) > 0, "ill", "well")


def gaps_and_text():
    X, y = make_table(120, n_classes=3)
    X = X.astype(object)
    X.iloc[::7, 0] = None
    return X, y


def interactions():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(140, 10))).rename(columns="x{}".format)
    return X, (X["x0"] * X["x1"] > 0).astype(int)


def noise():
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(90, 5)), columns=list("abcde"))
    return X, rng.integers(0, 2, 90)


@pytest.mark.parametrize("table", [correlated, gaps_and_text, interactions, noise])
@pytest.mark.parametrize("options", [{}, {"scoring": "brier"}, {"class_weight": "balanced"}])
def test_the_classifier_buys_what_compare_buys(table, options):
    X, y = table()
    prices = {name: (j + 1) / 2 for j, name in enumerate(X.columns)}
    costs = CostModel(prices, dict.fromkeys(X.columns[:2], "kit"), {"kit": 1.0})
    model = FrugalForestClassifier(costs, budget=4, **OPTIONS, **options).fit(X, y)
    result = compare(X, y, costs, 4, "auto", verbose=0, **OPTIONS, **options)
    best = result.best()
    assert np.flatnonzero(model.support_).tolist() == [
        result.features.index(f) for f in result.features if f.feature in best.features
    ]
    assert model.honest_error_ == best.honest
    assert model.diagnosis_ == best.diagnosis
    fitted = result.fit(X, y)
    assert np.array_equal(model.predict_proba(X), fitted.predict_proba(X))


def test_so_do_methods_that_are_tuned_out_of_bag():
    X, y = correlated()
    for method in ("auc", "pfi", "sts", "forward", "backward", "linear"):
        model = FrugalForestClassifier(budget=3, method=method, **OPTIONS).fit(X, y)
        best = compare(X, y, 1.0, 3, method, verbose=0, **OPTIONS).best()
        assert tuple(model.selected_features_) == best.features
