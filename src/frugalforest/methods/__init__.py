"""The methods, one file each, and their scikit-learn selectors."""

from frugalforest.methods._base import (
    METHODS,
    Candidate,
    Method,
    Origin,
    Proposals,
    Step,
    check_methods,
    find_methods,
    register,
)
from frugalforest.methods._defaults import DEFAULT_METHODS, PAPER_METHODS, default_methods
from frugalforest.methods._ratio import DEFAULT_GRID, RatioMethod, check_xi, check_xis
from frugalforest.methods._selector import (
    BudgetSelector,
    PricedSelector,
    allow_any_columns,
    read_rows,
)

# The order in which methods are listed is that in which they are registered.
from frugalforest.methods.auc import AUC, AUCSelector  # isort: skip
from frugalforest.methods.permutation import Permutation, PermutationSelector  # isort: skip
from frugalforest.methods.shallow_trees import (  # isort: skip
    ShallowTreeMethod,
    ShallowTreeSelector,
)
from frugalforest.methods.forward import Forward, ForwardSelector, forward_path  # isort: skip
from frugalforest.methods.backward import Backward, BackwardSelector  # isort: skip
from frugalforest.methods.linear import Linear, LinearSelector  # isort: skip
from frugalforest.methods.auto import Auto, inner_budgets  # isort: skip

__all__ = [
    "AUC",
    "DEFAULT_GRID",
    "DEFAULT_METHODS",
    "METHODS",
    "PAPER_METHODS",
    "AUCSelector",
    "Auto",
    "Backward",
    "BackwardSelector",
    "BudgetSelector",
    "Candidate",
    "Forward",
    "ForwardSelector",
    "Linear",
    "LinearSelector",
    "Method",
    "Origin",
    "Permutation",
    "PermutationSelector",
    "PricedSelector",
    "Proposals",
    "RatioMethod",
    "ShallowTreeMethod",
    "ShallowTreeSelector",
    "Step",
    "allow_any_columns",
    "check_methods",
    "check_xi",
    "check_xis",
    "default_methods",
    "find_methods",
    "forward_path",
    "inner_budgets",
    "read_rows",
    "register",
]
