"""Choose which features to measure, within a budget, for random forests."""

from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    # mypy sees the function, and `__getattr__`.
    from frugalforest.comparison import Comparison, compare  # type: ignore[no-redef]
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

# Where a name is, if not in `methods`.
_ROOMS = {
    "Comparison": "comparison",
    "compare": "comparison",
    "CostModel": "costs",
    "FrugalForestClassifier": "estimators",
    "FrugalForestRegressor": "estimators",
    "XiSearch": "estimators",
}


# Imported when they are asked for: a command line with a mistake in it ends before that.
def __getattr__(name: str) -> Any:
    if name in __all__:
        value = getattr(import_module(f"{__name__}.{_ROOMS.get(name, 'methods')}"), name)
    elif name.startswith("_") or find_spec(f"{__name__}.{name}") is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    else:
        value = import_module(f"{__name__}.{name}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
