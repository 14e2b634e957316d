"""Reading a model's file, whichever kind of model it is."""

from __future__ import annotations

from os import PathLike

from frugalforest.model.file import read_parts
from frugalforest.model.fitted import FittedModel
from frugalforest.model.number_model import NumberModel

__all__ = ["load_model"]


def load_model(path: str | PathLike[str]) -> FittedModel | NumberModel:
    """Read a model that `save` wrote, of classes or of numbers. Nothing in the file is run."""
    content, arrays = read_parts(path)
    if "task" in content:
        return NumberModel.of_parts(content, arrays, where=f"{path}")
    return FittedModel.of_parts(content, dict(arrays), where=f"{path}")
