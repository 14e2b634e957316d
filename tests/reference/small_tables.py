"""A small table with prices, for tests of what surrounds the forests."""

import numpy as np
import pandas as pd

from frugalforest import CostModel

ALL_METHODS = ("auc", "pfi", "sts", "forward")
PRICES = CostModel(
    {"signal": 4, "echo": 3, "twin": 3, "noise": 1, "colour": 2, "size": 0},
    groups={"signal": "lab", "echo": "lab", "noise": "lab"},
    group_costs={"lab": 1.5},
)
BUDGETS = [3.0, 5.5, 9.0]
# Small forests and few resamples: these tests are about what surrounds them.
QUICK = {"n_trees": 12, "n_resamples": 3, "verbose": 0}


def make_table(n_rows=90, n_classes=2, seed=0):
    """Numbers and text, with gaps; the class shows in four of the six columns."""
    rng = np.random.default_rng(seed)
    labels = rng.permutation(np.arange(n_rows) % n_classes)
    colours = np.array(["red", "green", "blue", "black"], dtype=object)
    X = pd.DataFrame(
        {
            "signal": labels + rng.normal(0, 0.5, n_rows),
            "echo": labels + rng.normal(0, 0.8, n_rows),
            "twin": labels + rng.normal(0, 0.8, n_rows),
            "noise": rng.normal(size=n_rows),
            "colour": colours[(labels + (rng.random(n_rows) < 0.3)) % 4],
            "size": rng.integers(0, 5, n_rows),
        }
    )
    X.loc[rng.random(n_rows) < 0.1, "echo"] = np.nan
    X.loc[rng.random(n_rows) < 0.1, "colour"] = None
    return X, labels


def prices_with(**changes):
    """`PRICES` with other arguments."""
    arguments = {
        "costs": dict(PRICES.costs),
        "groups": dict(PRICES.groups),
        "group_costs": dict(PRICES.group_costs),
    }
    return CostModel(**arguments | changes)
