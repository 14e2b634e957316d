"""Columns of a table and trees as nodes of an ONNX graph."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import GrownForest, GrownNumberForest
from frugalforest.tables import Encoder

__all__ = ["column_nodes", "tree_attributes", "tree_node"]

_AT_MOST, _SUM, _NO_TRANSFORM = 0, 1, 0


def column_nodes(
    onnx: Any, names: tuple[str, ...], encoder: Encoder
) -> tuple[list[Any], list[Any], list[str]]:
    """Nodes that turn text to numbers, the inputs, and what the columns are called as numbers."""
    make, types = onnx.helper, onnx.TensorProto
    nodes, inputs, columns = [], [], []
    for j, name in enumerate(names):
        order = encoder.orders.get(name)
        kind = types.DOUBLE if order is None else types.STRING
        inputs.append(make.make_tensor_value_info(name, kind, [None, 1]))
        columns.append(name)
        if order is not None:
            columns[-1] = f"column {j}"
            nodes += _category_nodes(onnx, name, columns[-1], order)
    return nodes, inputs, columns


def tree_node(onnx: Any, trees: Mapping[str, Any], output: str) -> Any:
    return onnx.helper.make_node("TreeEnsemble", ["table"], [output], domain="ai.onnx.ml", **trees)


def _category_nodes(onnx: Any, name: str, output: str, order: Mapping[str, int]) -> list[Any]:
    """From text to the number of the category; NaN for what was not there in training."""
    categories = list(order) or [""]  # a column that was empty in training knows none
    places = [float(order[c]) for c in order] or [np.nan]
    return [
        onnx.helper.make_node(
            "LabelEncoder",
            [name],
            [f"{output} as float"],
            domain="ai.onnx.ml",
            keys_strings=categories,
            values_floats=places,
            default_float=np.nan,
        ),
        # Whole numbers below 2^24, so nothing is lost on the way.
        onnx.helper.make_node("Cast", [f"{output} as float"], [output], to=onnx.TensorProto.DOUBLE),
    ]


def tree_attributes(onnx: Any, forest: GrownForest | GrownNumberForest) -> dict[str, Any]:
    """The attributes of ONNX's operator for trees, but for what its leaves say.

    Inner nodes and leaves are numbered apart.

    A tree that is one leaf gets a node with that leaf on both sides.
    """
    ends = forest.tree_start.astype(np.int64)
    tree = np.repeat(np.arange(forest.n_trees), ends[1:] - ends[:-1])
    start = ends[:-1]
    is_leaf = forest.column < 0
    place = np.where(is_leaf, np.cumsum(is_leaf), np.cumsum(~is_leaf)) - 1
    inner = np.flatnonzero(~is_leaf)
    left = start[tree[inner]] + forest.left[inner]
    bare = np.flatnonzero(is_leaf[start])
    node: dict[str, list[NDArray[Any]]] = {
        "featureids": [forest.column[inner], np.zeros(len(bare))],
        "splits": [forest.threshold[inner], np.zeros(len(bare))],
        "missing_value_tracks_true": [forest.missing_left[inner], np.ones(len(bare))],
        "truenodeids": [place[left], place[start[bare]]],
        "trueleafs": [is_leaf[left], np.ones(len(bare))],
        "falsenodeids": [place[left + 1], place[start[bare]]],
        "falseleafs": [is_leaf[left + 1], np.ones(len(bare))],
    }
    roots = place[start].copy()
    roots[bare] = len(inner) + np.arange(len(bare))
    whole = {name: np.concatenate(parts) for name, parts in node.items()}
    splits = whole.pop("splits").astype(np.float64)
    tensor = onnx.numpy_helper.from_array
    return {
        "aggregate_function": _SUM,
        "post_transform": _NO_TRANSFORM,
        "tree_roots": roots.tolist(),
        "nodes_modes": tensor(np.full(len(splits), _AT_MOST, dtype=np.uint8)),
        "nodes_splits": tensor(splits),
        **{f"nodes_{name}": values.astype(np.int64).tolist() for name, values in whole.items()},
    }
