"""NumberModel: the forest on the chosen columns that predicts numbers; takes raw tables.

As of `FittedModel`: it is the very forest that the set was scored with.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import GrownNumberForest, NumberTarget, grow_number_forest
from frugalforest.errors import DataError
from frugalforest.model.file import read_parts, write_parts
from frugalforest.model.onnx import write_number_onnx
from frugalforest.problem import FeatureSet, Problem
from frugalforest.storage.records import from_plain
from frugalforest.tables import Encoder, Numbers, Schema, Table

__all__ = ["NumberModel"]

TASK = "regression"


@dataclass(frozen=True)
class _Header:
    """What a model file says besides its arrays."""

    schema: dict[str, Any]
    orders: dict[str, dict[str, int]]
    constant: float
    oob_error: float
    about: dict[str, Any]


@dataclass(frozen=True)
class NumberModel:
    """A forest for numbers on the chosen columns of a table.

    Attributes
    ----------
    schema : Schema
        The columns that it needs, and what kind each is.
    encoder : Encoder
        The order of the categories of those that hold text.
    constant : float
        What it predicts if it needs no columns: the mean, or the median, of its rows.
    forest : GrownNumberForest or None
        None if it needs no columns.
    oob_error : float
        Root mean squared error of the forest, out of bag: a selection score where the columns were
        chosen by it.
    about : mapping
        Where it comes from, as the caller says.

    Examples
    --------
    >>> outcome = Numbers.read([2.5, 7.5] * 20)
    >>> problem = Problem.from_table([[0.0, 3], [1.0, 4]] * 20, outcome)
    >>> model = NumberModel.fit(problem, features=(0,))
    >>> model.predict([[0.1], [0.9]])
    array([2.5, 7.5])
    """

    schema: Schema
    encoder: Encoder
    constant: float
    forest: GrownNumberForest | None
    oob_error: float
    about: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def fit(
        cls, problem: Problem, features: FeatureSet, about: Mapping[str, Any] | None = None
    ) -> Self:
        """The forest that a problem scores a feature set with; without features, a constant."""
        outcome, target = problem.outcome, problem.target
        assert isinstance(outcome, Numbers)  # `fit_model` asks for classes elsewhere
        assert isinstance(target, NumberTarget)
        table = problem.table.select([problem.table.names[j] for j in features])
        encoder = problem.encoder.select(table.names)
        unit = outcome.unit
        constant = float(problem.score.guess(outcome.known, 1)[0, 0]) * unit
        forest, oob_error = None, problem.scores([()])[0].oob_error
        if features:
            grown, scores = grow_number_forest(
                problem.data,
                target,
                features,
                problem.forest_seed,
                problem.forests,
                n_jobs=problem.n_jobs,
            )
            # A power of two: nothing is rounded.
            forest = replace(grown, scale=grown.scale * unit).for_columns(features)
            oob_error = math.sqrt(scores.mse) * unit
        return cls(table.schema, encoder, constant, forest, oob_error, dict(about or {}))

    @property
    def kind(self) -> str:
        """What it is."""
        return "forest"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns that it needs."""
        return self.schema.names

    def read(self, X: Any) -> Table:
        """The needed columns of a table, read as the training table was."""
        return self.schema.read(X)

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The mean of what the trees predict for each row; the constant, if it needs no columns."""
        if self.forest is None:
            return np.full(X.n_rows if isinstance(X, Table) else len(X), self.constant)
        return self.forest.predict(self.encoder.transform(self.read(X)), n_jobs)

    def unseen(self, X: Any) -> dict[str, list[str]]:
        """Categories of each text column that were not there in training."""
        return self.encoder.unseen(self.read(X)) if self.features else {}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model. The file appears whole or not at all, and holds no code."""
        header = {
            "task": TASK,
            "schema": self.schema.to_dict(),
            "orders": {name: dict(order) for name, order in self.encoder.orders.items()},
            "constant": self.constant,
            "oob_error": self.oob_error,
            "about": dict(self.about),
        }
        arrays = {} if self.forest is None else self.forest.to_arrays()
        write_parts(path, header, arrays, newer=True)

    def to_onnx(self, path: str | PathLike[str]) -> None:
        """Write the model as an ONNX file; see `frugalforest.model.onnx`."""
        write_number_onnx(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote. Reading a file runs nothing that is in it."""
        content, arrays = read_parts(path)
        return cls.of_parts(content, arrays, where=f"{path}")

    @classmethod
    def of_parts(
        cls, content: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]], where: str
    ) -> Self:
        """From the parts of a file, checked."""
        if content.get("task") != TASK:
            raise DataError(f"{where} is a model of classes: read it with FittedModel.load.")
        header = from_plain(_Header, dict(content), where)
        try:
            schema = Schema.from_dict(header.schema)
            size = len(schema.names)
            if bool(arrays) != bool(size):
                raise DataError("its trees do not go with its columns.")
            forest = GrownNumberForest.from_arrays(arrays, size) if arrays else None
        except DataError as error:
            raise DataError(f"{where} is a damaged model: {error}") from None
        strangers = set(header.orders) - set(schema.names)
        if strangers:
            raise DataError(f"{where} is a damaged model: it orders {sorted(strangers)[0]!r}.")
        if not math.isfinite(header.constant):
            raise DataError(f"{where} is a damaged model: its constant is no number.")
        encoder = Encoder(header.orders)
        return cls(schema, encoder, header.constant, forest, header.oob_error, header.about)
