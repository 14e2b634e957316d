"""The four methods, one file each, and their scikit-learn selectors."""

from collections.abc import Mapping
from types import MappingProxyType

from frugalforest.selectors._base import (
    BudgetSelector,
    Candidate,
    Candidates,
    Method,
    PricedSelector,
    Step,
    build_problem,
    check_xi,
)
from frugalforest.selectors.auc import AUC, AUCSelector
from frugalforest.selectors.forward import Forward, ForwardSelector, forward_path
from frugalforest.selectors.permutation import Permutation, PermutationSelector
from frugalforest.selectors.shallow_trees import ShallowTreeMethod, ShallowTreeSelector

__all__ = [
    "AUC",
    "METHODS",
    "AUCSelector",
    "BudgetSelector",
    "Candidate",
    "Candidates",
    "Forward",
    "ForwardSelector",
    "Method",
    "Permutation",
    "PermutationSelector",
    "PricedSelector",
    "ShallowTreeMethod",
    "ShallowTreeSelector",
    "Step",
    "build_problem",
    "check_xi",
    "forward_path",
]

# By the names that `compare`, `FrugalForestClassifier` and the command line use.
METHODS: Mapping[str, Method] = MappingProxyType(
    {"auc": AUC(), "pfi": Permutation(), "sts": ShallowTreeMethod(), "forward": Forward()}
)
