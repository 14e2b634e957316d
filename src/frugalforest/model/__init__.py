"""The model that a selection leaves behind: the one that was measured, on the chosen columns."""

from frugalforest.model.final_model import FinalModel, fit_model
from frugalforest.model.fitted import FittedModel
from frugalforest.model.promises import promise

__all__ = ["FinalModel", "FittedModel", "fit_model", "promise"]
