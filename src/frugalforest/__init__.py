"""Choose which features to measure, within a budget, for random forests."""

from frugalforest.comparison import Comparison, compare
from frugalforest.costs import CostModel
from frugalforest.estimators import FrugalForestClassifier, FrugalForestRegressor, XiSearch
from frugalforest.methods import (
    AUCSelector,
    BackwardSelector,
    ForwardSelector,
    LinearSelector,
    PermutationSelector,
    ShallowTreeSelector,
)

__all__ = [
    "AUCSelector",
    "BackwardSelector",
    "Comparison",
    "CostModel",
    "ForwardSelector",
    "FrugalForestClassifier",
    "FrugalForestRegressor",
    "LinearSelector",
    "PermutationSelector",
    "ShallowTreeSelector",
    "XiSearch",
    "compare",
]
