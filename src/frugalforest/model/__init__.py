"""The model that a selection leaves behind: the forest that was measured, on the chosen columns."""

from frugalforest.model.fitted import FittedModel

__all__ = ["FittedModel"]
