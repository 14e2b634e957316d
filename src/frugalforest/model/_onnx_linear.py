"""The linear part of a model as nodes of an ONNX graph.

::

    column ─► share of each piece between knots that lies below the value ─► score ─┐
    column ─► …                                                                     ├─► softmax
                                                                                    ┘
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from frugalforest.model.final import LinearModel, NormalScores

__all__ = ["linear_nodes"]


def linear_nodes(
    onnx: Any, model: LinearModel, columns: Sequence[str], output: str
) -> tuple[list[Any], list[Any]]:
    """Nodes that say what a linear model says of these columns, and constants that they need."""
    make, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    nodes: list[Any] = []
    constants = [
        tensor(np.array(0.5), "half"),
        tensor(model.logistic.slopes, "slopes"),
        tensor(model.logistic.intercepts, "intercepts"),
    ]
    for j, (column, scores) in enumerate(zip(columns, model.columns, strict=True)):
        own = {name: f"{name} {j}" for name in (*_constants(scores), *_STEPS)}
        constants += [tensor(array, own[name]) for name, array in _constants(scores).items()]
        nodes += [
            make(kind, [column if i == "column" else own.get(i, i) for i in inputs], [own[name]])
            for name, (kind, inputs) in _STEPS.items()
        ]
    nodes += [
        make("Concat", [f"score {j}" for j in range(len(columns))], ["scores"], axis=1),
        make("MatMul", ["scores", "slopes"], ["without intercepts"]),
        make("Add", ["without intercepts", "intercepts"], ["log odds"]),
        make("Softmax", ["log odds"], [output], axis=1),
    ]
    return nodes, constants


# From a column to its scores: each result, the operator, and what it takes. Values are halved, so
# that no difference of two is too large.
_STEPS = {
    "missing": ("IsNaN", ["column"]),
    "known": ("Where", ["missing", "lowest", "column"]),
    "from": ("Max", ["known", "lower"]),
    "within": ("Min", ["from", "upper"]),
    "halved": ("Mul", ["within", "half"]),
    "above": ("Sub", ["halved", "half of lower"]),
    "piece": ("Div", ["above", "half of width"]),
    "rise": ("MatMul", ["piece", "increments"]),
    "value": ("Add", ["rise", "first"]),
    "score": ("Where", ["missing", "of missing", "value"]),
}


def _constants(scores: NormalScores) -> dict[str, Any]:
    """The pieces between the knots of a column; one that does not rise, for a single knot."""
    knots, values = scores.knots, scores.scores
    if len(knots) == 1:
        knots, values = knots + np.array([0.0, 1.0]), np.repeat(values, 2)
    lower, upper = knots[:-1], knots[1:]
    return {
        "lowest": np.array(knots[0]),
        "lower": lower,
        "upper": upper,
        "half of lower": lower / 2,
        "half of width": upper / 2 - lower / 2,
        "increments": np.diff(values)[:, np.newaxis],
        "first": np.array(values[0]),
        "of missing": np.array(scores.of_missing),
    }
