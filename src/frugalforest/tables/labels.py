"""Classes of new rows, as numbers of the classes that are known already."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables.cells import as_text
from frugalforest.words.missing import is_missing
from frugalforest.words.wording import at_row, did_you_mean, listed

__all__ = ["known_labels"]


def known_labels(y: Any, classes: NDArray[Any]) -> NDArray[np.intp]:
    """The number of the class of each row.

    Labels are compared as they are written: 1, 1.0 and "1" are the same class.

    Raises
    ------
    DataError
        If a label is missing, or is no class that is known.

    Examples
    --------
    >>> known_labels(["yes", "no"], np.array(["no", "yes"]))
    array([1, 0])
    """
    values = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
    if values.ndim != 1 or not len(values):
        raise DataError(f"y has shape {values.shape}: it must hold one label for each row.")
    names = [as_text(value) for value in classes]
    number = {name: k for k, name in enumerate(names)}
    labels = np.empty(len(values), dtype=np.intp)
    for i, value in enumerate(values.tolist()):
        text = as_text(value)
        if text in number:
            labels[i] = number[text]
        elif is_missing(value) or not text:
            raise DataError(f"the target is missing in {at_row(i)}: remove such rows.")
        else:
            hint = did_you_mean(text, names)
            raise DataError(
                f"the target is {text!r} in {at_row(i)}, which the model does not know: its "
                f"classes are {listed(names)}.{hint}"
            )
    return labels
