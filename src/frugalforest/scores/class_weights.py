"""Class weights: rows that count more while trees grow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables import Classes, Outcome, as_text
from frugalforest.words.numerals import read_number
from frugalforest.words.wording import did_you_mean, listed, show

__all__ = ["ClassWeight", "read_class_weight", "row_weights"]

# None, "balanced", or a weight for each class by its name: plain values, for files and tasks.
ClassWeight = str | dict[str, float] | None


def read_class_weight(class_weight: object, outcome: Classes) -> ClassWeight:
    """What `class_weight` means, checked. Classes that a mapping leaves out weigh 1.

    Examples
    --------
    >>> read_class_weight({1: 5}, Classes.read([0, 1, 0]))
    {'0': 1.0, '1': 5.0}
    """
    if class_weight is None:
        return None
    if isinstance(class_weight, str) and class_weight == "balanced":
        return "balanced"
    if not isinstance(class_weight, Mapping):
        raise ValueError(
            f"`class_weight` is {show(class_weight)}: it must be None, 'balanced', or a mapping of "
            "classes to weights."
        )
    weights = dict.fromkeys(outcome.class_names, 1.0)
    for given, value in class_weight.items():
        name = as_text(given)
        if name not in weights:
            raise DataError(
                f"`class_weight` names the class {name!r}, which the target does not have: its "
                f"classes are {listed(outcome.class_names)}."
                f"{did_you_mean(name, outcome.class_names)}"
            )
        weight = read_number(value)
        if weight is None or not 0 < weight < float("inf"):
            raise ValueError(
                f"`class_weight` of {name!r} is {show(value)}: it must be a number above 0."
            )
        weights[name] = weight
    return weights


def row_weights(
    class_weight: ClassWeight, outcome: Outcome, sample_weight: NDArray[Any] | None = None
) -> NDArray[np.float64] | None:
    """A weight for each row, times `sample_weight`; None if all weigh the same.

    "balanced" makes all classes of these rows weigh the same together.

    Examples
    --------
    >>> row_weights("balanced", Classes.read(["a", "a", "a", "b"]))
    array([0.66666667, 0.66666667, 0.66666667, 2.        ])
    """
    if class_weight is None:
        return sample_weight
    classes = outcome.as_classes
    if isinstance(class_weight, str):
        of_class = classes.n_rows / (classes.n_classes * np.maximum(classes.counts, 1))
    else:
        of_class = np.array([class_weight[name] for name in classes.class_names])
    weights: NDArray[np.float64] = of_class[classes.labels]
    return weights if sample_weight is None else weights * sample_weight
