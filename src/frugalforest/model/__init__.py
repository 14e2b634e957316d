"""The model that a selection leaves behind: the one that was measured, on the chosen columns."""

from frugalforest.model.final_model import AnyModel, FinalModel, fit_model
from frugalforest.model.fitted import FittedModel
from frugalforest.model.loading import load_model
from frugalforest.model.number_model import NumberModel
from frugalforest.model.promises import promise

__all__ = [
    "AnyModel",
    "FinalModel",
    "FittedModel",
    "NumberModel",
    "fit_model",
    "load_model",
    "promise",
]
