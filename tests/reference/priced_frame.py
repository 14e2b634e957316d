"""A small priced table and a quick classifier for tests of the estimators."""

import numpy as np
import pandas as pd
from sklearn.datasets import make_classification

from frugalforest import FrugalForestClassifier

PRICES = {"age": 1.0, "bmi": 2.0, "crp": 1.5, "ldl": 0.5, "hdl": 3.0, "tsh": 2.5}


def priced_frame():
    """Six named columns, two of them useful, and labels in words."""
    X, y = make_classification(
        120, 6, n_informative=2, n_redundant=0, shuffle=False, class_sep=1.5, random_state=5
    )
    return pd.DataFrame(X, columns=list(PRICES)), np.array(["ill", "well"])[y]


def classifier(**params):
    """A quick one, with these prices unless others are given."""
    defaults = {"costs": PRICES, "budget": 4, "method": "auc", "n_trees": 20, "random_state": 0}
    return FrugalForestClassifier(**(defaults | params))
