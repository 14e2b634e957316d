"""Documents of small comparisons, for the tests of the report."""

from functools import cache

import numpy as np
import pandas as pd
from sklearn.datasets import load_breast_cancer

from frugalforest import CostModel, compare

SCRIPT = "<script>alert(1)</script>"
HOSTILE = [SCRIPT, '"><img src=x onerror=alert(2)>', "a & b </script>\u2028 <!--", "{{ 7 * 7 }}"]
LONG = "long_" * 60
GROUP = "<b>blood</b>"
CLASSES = ["<i>healthy</i>", "mild & odd", "severe"]


@cache
def demo():
    """Breast cancer: ten measurements, each with its fee, all methods, four budgets."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    names = [str(name) for name in X.columns]
    group = {
        name: name.removeprefix("mean ").removeprefix("worst ").removesuffix(" error")
        for name in names
    }
    fees = {g: 2 + i % 5 * 2.5 for i, g in enumerate(dict.fromkeys(group.values()))}
    costs = CostModel(dict.fromkeys(names, 1.0), groups=group, group_costs=fees)
    return compare(
        X, y, costs, [5, 10, 20, 40], n_trees=20, racing=True, n_resamples=4, verbose=0
    ).document


def _hostile_problem():
    rng = np.random.default_rng(0)
    n = 120
    label = rng.integers(0, 3, n)
    X = pd.DataFrame({name: label + rng.normal(size=n) for name in HOSTILE})
    X["smoker"] = np.where(rng.random(n) < 0.2, None, np.where(label > 1, "yes", "no"))
    X["age"] = np.where(np.arange(n) < 20, np.nan, rng.normal(size=n))
    X[LONG] = label + rng.normal(size=n)
    X["postcode"] = rng.normal(size=n)
    prices = dict(zip(X.columns, [2, 1.25, 1, 1, 1, 0, 0.333, 1], strict=True))
    costs = CostModel(
        prices,
        groups=dict.fromkeys(HOSTILE[:2], GROUP),
        group_costs={GROUP: 2.5},
        required=["smoker"],
        excluded=["postcode"],
    )
    return X, np.array(CLASSES)[label], costs


@cache
def hostile():
    """Names that are markup, three classes, text, missing values, free, required, excluded."""
    X, y, costs = _hostile_problem()
    methods = ["auc", "forward"]
    return compare(X, y, costs, [2, 4, 12], methods, n_trees=20, n_resamples=3, verbose=0).document


@cache
def single():
    """One budget, one method, one resample, a fixed ξ, the Brier score, grouped rows."""
    X, y, costs = _hostile_problem()
    return compare(
        X,
        y,
        costs,
        4,
        "auc",
        xi=1.0,
        scoring="brier",
        n_trees=20,
        n_resamples=1,
        groups=np.arange(len(y)) // 2,
        verbose=0,
    ).document


@cache
def without_resamples():
    """No honest errors."""
    X, y, costs = _hostile_problem()
    return compare(
        X, y, costs, [2, 4], ["auc", "sts"], n_trees=20, n_resamples=0, verbose=0
    ).document


@cache
def wide():
    """200 features, about 30 of them chosen, and budgets far apart."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 200))
    y = (X[:, :20].sum(axis=1) > 0).astype(int)
    names = [f"marker_{j:03d}" + "_of_a_long_name" * (j % 5) for j in range(200)]
    costs = dict(zip(names, rng.choice([1.0, 1.5], 200), strict=True))
    X = pd.DataFrame(X, columns=names)
    return compare(X, y, costs, [1, 40], "auc", n_trees=20, n_resamples=2, verbose=0).document


DOCUMENTS = {f.__name__: f for f in (demo, hostile, single, without_resamples, wide)}
