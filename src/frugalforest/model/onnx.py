"""A fitted model as an ONNX graph, for programs that do not speak Python.

::

    one input a column ─► categories to numbers ─► forest ─► votes ─┬─► share of each class
    (numbers, or text)                               or class shares └─► predicted class

With a linear model, what it says takes the place of the votes, or is averaged with them.

Inputs are columns of shape (n_rows, 1): 64-bit floats with NaN for missing (dates as seconds since
1970, truth values as 0 and 1), or text, where the empty text and whatever was not there in training
are missing. Needs the extra ``frugalforest[onnx]``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import GrownForest
from frugalforest.errors import DataError
from frugalforest.evaluation.calibration import LEAST_SHARE
from frugalforest.model._onnx_linear import linear_nodes
from frugalforest.model._onnx_trees import column_nodes, tree_attributes, tree_node
from frugalforest.scores import DecisionRule
from frugalforest.storage.files import whole_file

if TYPE_CHECKING:
    from frugalforest.model.fitted import FittedModel
    from frugalforest.model.number_model import NumberModel

__all__ = ["write_number_onnx", "write_onnx"]

# The first versions with trees of 64-bit thresholds and outputs; any newer runtime reads them.
_OPSETS = {"": 18, "ai.onnx.ml": 5}
_IR_VERSION = 10


def write_onnx(model: FittedModel, path: str | PathLike[str]) -> None:
    """Write a model of classes as an ONNX file, with the outputs `predicted` and `shares`."""
    _write(lambda onnx: _graph(onnx, model), model.features, path)


def write_number_onnx(model: NumberModel, path: str | PathLike[str]) -> None:
    """Write a model of numbers as an ONNX file, with the output `predicted`."""
    _write(lambda onnx: _number_graph(onnx, model), model.features, path)


def _write(
    make_graph: Callable[[Any], Any], features: Sequence[str], path: str | PathLike[str]
) -> None:
    if not features:
        raise DataError("a model without features has no inputs: there is nothing to export.")
    onnx = _import_onnx()
    proto = onnx.helper.make_model(
        make_graph(onnx),
        opset_imports=[onnx.helper.make_opsetid(*item) for item in _OPSETS.items()],
        ir_version=_IR_VERSION,
        producer_name="frugalforest",
    )
    onnx.checker.check_model(proto)
    with whole_file(path) as draft:
        draft.write_bytes(proto.SerializeToString())


def _import_onnx() -> Any:
    try:
        import onnx
        import onnx.checker
        import onnx.helper
        import onnx.numpy_helper
    except ImportError:
        raise ImportError("ONNX files need: pip install 'frugalforest[onnx]'.") from None
    return onnx


def _graph(onnx: Any, model: FittedModel) -> Any:
    make, types = onnx.helper, onnx.TensorProto
    nodes, inputs, columns = column_nodes(onnx, model.features, model.encoder)
    classes = _class_tensor(onnx, model.classes)
    more_nodes, more_constants, total = _evidence(onnx, model, columns)
    nodes += more_nodes
    rule, n_classes = model.rule, len(model.classes)
    constants = [
        onnx.numpy_helper.from_array(np.array(total), "total"),
        classes,
        *more_constants,
        onnx.numpy_helper.from_array(rule.loss_matrix(n_classes), "losses"),
        onnx.numpy_helper.from_array(np.array(rule.smoothing), "smoothing"),
        onnx.numpy_helper.from_array(np.array(1 + n_classes * rule.smoothing), "smoothed total"),
        onnx.numpy_helper.from_array(np.array(rule.tie(n_classes, total)), "tie"),
        onnx.numpy_helper.from_array(np.array([1]), "over classes"),
    ]
    nodes += [
        make.make_node("Div", ["evidence", "total"], ["raw shares"]),
        make.make_node("Add", ["raw shares", "smoothing"], ["more"]),
        make.make_node("Div", ["more", "smoothed total"], ["shares"]),
        make.make_node("MatMul", ["evidence", "losses"], ["expected losses"]),
        make.make_node("ReduceMin", ["expected losses", "over classes"], ["lowest"], keepdims=1),
        make.make_node("Add", ["lowest", "tie"], ["low enough"]),
        make.make_node("LessOrEqual", ["expected losses", "low enough"], ["leads"]),
        make.make_node("Cast", ["leads"], ["leading"], to=types.INT64),
        # The first of those that are tied.
        make.make_node("ArgMax", ["leading"], ["chosen class"], axis=1, keepdims=0),
        make.make_node("Gather", ["classes", "chosen class"], ["predicted"], axis=0),
    ]
    outputs = [
        make.make_tensor_value_info("predicted", classes.data_type, [None]),
        make.make_tensor_value_info("shares", types.DOUBLE, [None, n_classes]),
    ]
    return make.make_graph(nodes, "frugalforest", inputs, outputs, constants)


def _number_graph(onnx: Any, model: NumberModel) -> Any:
    """The mean of what the leaves say."""
    make, tensor, forest = onnx.helper, onnx.numpy_helper.from_array, model.forest
    assert forest is not None  # because there are features
    nodes, inputs, columns = column_nodes(onnx, model.features, model.encoder)
    leaves = {
        "n_targets": 1,
        "leaf_targetids": [0] * len(forest.leaf_means),
        "leaf_weights": tensor(np.ascontiguousarray(forest.leaf_means)),
    }
    trees = {**tree_attributes(onnx, forest), **leaves}
    nodes += [
        make.make_node("Concat", columns, ["table"], axis=1),
        tree_node(onnx, trees, "sums"),
        make.make_node("Div", ["sums", "number of trees"], ["means"]),
        make.make_node("Squeeze", ["means", "over columns"], ["predicted"]),
    ]
    constants = [
        tensor(np.array(float(forest.n_trees)), "number of trees"),
        tensor(np.array([1]), "over columns"),
    ]
    output = make.make_tensor_value_info("predicted", onnx.TensorProto.DOUBLE, [None])
    return make.make_graph(nodes, "frugalforest", inputs, [output], constants)


def _evidence(
    onnx: Any, model: FittedModel, columns: list[str]
) -> tuple[list[Any], list[Any], float]:
    """Nodes for what classes are decided by, constants, and what that adds up to in each row."""
    if model.correction is None:
        return _uncorrected(onnx, model, columns, "evidence")
    node, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    nodes, constants, total = _uncorrected(onnx, model, columns, "uncorrected")
    numbers = {
        "uncorrected total": total,
        "least share": LEAST_SHARE,
        "slope": model.correction.slope,
        "corrections": model.correction.intercepts,
    }
    constants += [tensor(np.array(number), name) for name, number in numbers.items()]
    nodes += [
        node("Div", ["uncorrected", "uncorrected total"], ["uncorrected shares"]),
        node("Max", ["uncorrected shares", "least share"], ["shares above the least"]),
        node("Log", ["shares above the least"], ["logarithms"]),
        node("Mul", ["logarithms", "slope"], ["sloped"]),
        node("Add", ["sloped", "corrections"], ["corrected log odds"]),
        node("Softmax", ["corrected log odds"], ["evidence"], axis=1),
    ]
    return nodes, constants, 1.0


def _uncorrected(
    onnx: Any, model: FittedModel, columns: list[str], output: str
) -> tuple[list[Any], list[Any], float]:
    node, tensor = onnx.helper.make_node, onnx.numpy_helper.from_array
    if model.linear is None:
        assert model.forest is not None  # one of the two is there
        return _forest_nodes(onnx, model.forest, model.rule, columns, output)
    if model.forest is None:
        return *linear_nodes(onnx, model.linear, columns, output), 1.0
    nodes, _, n_trees = _forest_nodes(onnx, model.forest, model.rule, columns, "of trees")
    more, constants = linear_nodes(onnx, model.linear, columns, "of the linear model")
    constants.append(tensor(np.array(n_trees), "number of trees"))
    mean = [
        node("Div", ["of trees", "number of trees"], ["of the forest"]),
        node("Add", ["of the forest", "of the linear model"], ["of both"]),
        node("Mul", ["of both", "half"], [output]),
    ]
    return [*nodes, *more, *mean], constants, 1.0


def _forest_nodes(
    onnx: Any, forest: GrownForest, rule: DecisionRule, columns: list[str], output: str
) -> tuple[list[Any], list[Any], float]:
    nodes = [onnx.helper.make_node("Concat", columns, ["table"], axis=1)]
    trees = tree_attributes(onnx, forest)
    if rule.evidence == "votes":
        votes = forest.vote[forest.column < 0]
        leaves = {
            "n_targets": forest.n_classes,
            "leaf_targetids": votes.astype(np.int64).tolist(),
            "leaf_weights": onnx.numpy_helper.from_array(np.ones(len(votes))),
        }
        nodes.append(tree_node(onnx, {**trees, **leaves}, output))
    else:
        # A leaf has one target: its shares of the classes need a forest for each class.
        shares = forest.leaf_shares
        parts = [f"share {k}" for k in range(forest.n_classes)]
        for k, part in enumerate(parts):
            one = {"n_targets": 1, "leaf_targetids": [0] * len(shares)}
            weights = onnx.numpy_helper.from_array(np.ascontiguousarray(shares[:, k]))
            nodes.append(tree_node(onnx, {**trees, **one, "leaf_weights": weights}, part))
        nodes.append(onnx.helper.make_node("Concat", parts, [output], axis=1))
    return nodes, [], float(forest.n_trees)


def _class_tensor(onnx: Any, classes: NDArray[Any]) -> Any:
    if classes.dtype.kind not in "biufU":
        raise DataError(f"classes of type {classes.dtype} cannot be written as ONNX: use text.")
    values = classes.astype(object) if classes.dtype.kind == "U" else classes
    return onnx.numpy_helper.from_array(values, "classes")
