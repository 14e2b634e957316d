"""FittedModel: our own forest or linear model on the chosen columns, or both; takes raw tables.

The forest is grown with the seed and the settings with which its feature set was scored, so it is
the very forest that was measured: its out-of-bag error is the one that the choice was made by, bit
for bit.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestScores, GrownForest, forest_without_columns, grow_forest
from frugalforest.errors import DataError
from frugalforest.evaluation.calibration import Correction, fit_correction
from frugalforest.evaluation.validation import Promise, Validation, validated
from frugalforest.model.file import read_parts, write_parts
from frugalforest.model.final import LinearModel, OwnFinal, blended
from frugalforest.model.onnx import write_onnx
from frugalforest.model.promises import read_promise
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import (
    BY_VOTES,
    ClassScore,
    Cost,
    DecisionRule,
    ErrorCosts,
    as_class_score,
    find_score,
)
from frugalforest.storage.records import from_plain, to_plain
from frugalforest.tables import Classes, Encoder, Schema, Table, known_labels

__all__ = ["FittedModel"]


@dataclass(frozen=True)
class _Rule:
    """A `DecisionRule` as it is written; what a file of version 0.1 does not say is the default."""

    evidence: str = "votes"
    smoothed: bool = False
    losses: tuple[tuple[float, ...], ...] | None = None

    def read(self, n_classes: int) -> DecisionRule:
        if self.evidence not in ("votes", "shares"):
            raise DataError(f"it decides by {self.evidence!r}, which is not known.")
        losses = self.losses
        if losses is not None and {len(losses), *map(len, losses)} != {n_classes}:
            raise DataError("its losses are not for its classes.")
        if losses is not None and not all(0 <= loss < np.inf for row in losses for loss in row):
            raise DataError("its losses are no amounts.")
        kind: Any = self.evidence
        return DecisionRule(kind, self.smoothed, losses)


@dataclass(frozen=True)
class _Header:
    """What a model file says besides its arrays."""

    schema: dict[str, Any]
    orders: dict[str, dict[str, int]]
    classes: tuple[Any, ...]
    oob_error: float
    about: dict[str, Any]
    rule: _Rule = _Rule()
    correction: Correction | None = None

    def read_correction(self) -> Correction | None:
        """Checked."""
        found = self.correction
        if found is not None:
            numbers = (found.slope, *found.intercepts)
            if len(numbers) != len(self.classes) + 1 or not np.isfinite(numbers).all():
                raise DataError("the correction of its shares is not one for its classes.")
        return found


@dataclass(frozen=True)
class FittedModel:
    """A forest on the chosen columns of a table, a linear model, or both, averaged.

    Attributes
    ----------
    schema : Schema
        The columns that it needs, and what kind each is.
    encoder : Encoder
        The order of the categories of those that hold text.
    classes : ndarray
        What is predicted.
    forest : GrownForest or None
        None if it is a linear model alone.
    oob_error : float
        Out-of-bag error of the forest: a selection score where the columns were chosen by it. NaN
        if there is no forest.
    about : mapping
        Where it comes from, as the caller says.
    rule : DecisionRule
        How votes become what it predicts: what was measured.
    linear : LinearModel or None
        None if it is a forest alone.
    correction : Correction or None
        What is done to shares before anything is decided by them; see `recalibrated`.

    Examples
    --------
    >>> table = {"colour": ["red", "blue"] * 10, "weight": range(20)}
    >>> import pandas as pd
    >>> problem = Problem.from_table(pd.DataFrame(table), ["yes", "no"] * 10)
    >>> model = FittedModel.fit(problem, features=(0,))
    >>> model.predict(pd.DataFrame({"colour": ["red", "blue"]}))
    array(['yes', 'no'], dtype='<U3')
    """

    schema: Schema
    encoder: Encoder
    classes: NDArray[Any]
    forest: GrownForest | None
    oob_error: float
    about: Mapping[str, Any] = field(default_factory=dict)
    rule: DecisionRule = BY_VOTES
    linear: LinearModel | None = None
    correction: Correction | None = None

    @classmethod
    def fit(
        cls,
        problem: Problem,
        features: FeatureSet,
        about: Mapping[str, Any] | None = None,
        final: OwnFinal | None = None,
    ) -> Self:
        """The forest that a problem scores a feature set with, or what `final` says.

        Without features it is a forest that always names the commonest class.
        """
        table = problem.table.select([problem.table.names[j] for j in features])
        encoder = problem.encoder.select(table.names)
        grown, scores = _forest(problem, features)
        forest: GrownForest | None = grown
        linear, oob_error = None, scores.oob_error
        if features and final is not None:
            by_votes = problem.score.evidence == "votes"
            own = scores.oob_votes if by_votes else np.nan_to_num(scores.oob_shares)
            kind, _, linear = final.chosen(problem, features, own)
            if kind == "forest":
                linear = None
            if kind == "logistic":
                forest, oob_error = None, math.nan
        outcome = problem.outcome.as_classes
        return cls(
            table.schema,
            encoder,
            outcome.classes,
            forest,
            oob_error,
            dict(about or {}),
            as_class_score(problem.score).rule(outcome.counts),
            linear,
        )

    @property
    def kind(self) -> str:
        """What it is: "forest", "blend" or "logistic"."""
        if self.linear is None:
            return "forest"
        return "logistic" if self.forest is None else "blend"

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns that it needs."""
        return self.schema.names

    def read(self, X: Any) -> Table:
        """The needed columns of a table, read as the training table was."""
        return self.schema.read(X)

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """Share of each class, one row a case: of the trees' votes, or of the leaves.

        Of votes where the set was chosen by the error; of leaves otherwise. With a linear model,
        that model's probabilities, or their mean with the forest's shares. A category that was not
        there in training is missing. A model that needs no columns says the same of all rows.
        """
        return self.rule.probabilities(self._evidence(X, n_jobs))

    def _evidence(self, X: Any, n_jobs: int | None) -> NDArray[Any]:
        evidence = self._uncorrected(X, n_jobs)
        if self.correction is None:
            return evidence
        return self.correction.shares(evidence / evidence.sum(axis=1, keepdims=True))

    def _uncorrected(self, X: Any, n_jobs: int | None) -> NDArray[Any]:
        if self.features:
            rows = self.encoder.transform(self.read(X))
        else:
            rows = np.empty((X.n_rows if isinstance(X, Table) else len(X), 0))
        if self.forest is None:
            assert self.linear is not None  # one of the two is there
            return self.linear.shares(rows)
        votes, shares = self.forest.votes(rows, n_jobs=n_jobs)
        evidence = votes if self.rule.evidence == "votes" else shares
        return evidence if self.linear is None else blended(evidence, self.linear.shares(rows))

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """The class with the lowest expected loss; the first of them if several are tied.

        Where the set was chosen by the error, that is the class with the largest share.
        """
        return np.asarray(self.classes[self.rule.classes(self._evidence(X, n_jobs))])

    def predict_with_shares(
        self, X: Any, n_jobs: int | None = None
    ) -> tuple[NDArray[Any], NDArray[np.float64]]:
        """What `predict` and `predict_proba` say, worked out once."""
        evidence = self._evidence(X, n_jobs)
        return np.asarray(self.classes[self.rule.classes(evidence)]), self.rule.probabilities(
            evidence
        )

    def validate(
        self, X: Any, y: Any, positive: int | None = None, n_jobs: int | None = None
    ) -> Validation:
        """What the model does on rows that it never saw, beside what was promised of it.

        Parameters
        ----------
        X : table with the model's columns
        y : array-like of shape (n_rows,)
            Their classes: those of the model.
        positive : int, optional
            Number of the class that sensitivity and calibration are of: by default the rarest.
        n_jobs : int or None

        Examples
        --------
        >>> problem = Problem.from_table([[0.0], [1.0], [0.1], [0.9]] * 9, [0, 1, 0, 1] * 9)
        >>> found = FittedModel.fit(problem, (0,)).validate([[0.2], [0.8], [0.9]], [0, 1, 0])
        >>> round(found.error.error, 3), found.diagnosis.sensitivity(1).value
        (0.333, 1.0)
        """
        labels = known_labels(y, self.classes)
        evidence = self._evidence(X, n_jobs)
        if len(evidence) != len(labels):
            raise DataError(f"there are {len(labels)} labels, but {len(evidence)} rows: one each.")
        names = Classes(labels, self.classes).class_names
        promised = read_promise(self.about, len(names))
        return validated(
            evidence,
            self.rule.classes(evidence),
            labels,
            names,
            _score(promised, self.rule),
            promised,
            positive,
            self.kind,
            len(self.features),
        )

    def recalibrated(self, X: Any, y: Any, n_jobs: int | None = None) -> tuple[Self, str]:
        """The model with shares that are corrected by new rows, and what was corrected and why.

        The intercepts are always corrected; the slope, too, if the new rows show that it is not 1.
        The model itself stays as it is. What it predicts goes by the corrected shares.

        Parameters
        ----------
        X, y
            As for `validate`.
        n_jobs : int or None
        """
        labels = known_labels(y, self.classes)
        evidence = self._uncorrected(X, n_jobs)
        shares = evidence / evidence.sum(axis=1, keepdims=True)
        line, errors = fit_correction(shares, labels, with_slope=True)
        reach = 1.96 * float(errors[-1])
        said = (
            f"the slope is {line.slope:.2f} ({line.slope - reach:.2f} to {line.slope + reach:.2f})"
        )
        about = {**self.about, "promised": None}  # it was not of this model
        if abs(line.slope - 1) > reach:
            found = replace(self, correction=line, about=about)
            return found, f"Intercept and slope are corrected: {said}, which is clearly not 1."
        level, _ = fit_correction(shares, labels, with_slope=False)
        found = replace(self, correction=level, about=about)
        return found, f"The intercept alone is corrected: {said}, which may be 1."

    def unseen(self, X: Any) -> dict[str, list[str]]:
        """Categories of each text column that were not there in training."""
        return self.encoder.unseen(self.read(X)) if self.features else {}

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model. The file appears whole or not at all, and holds no code."""
        header = {
            "schema": self.schema.to_dict(),
            "orders": {name: dict(order) for name, order in self.encoder.orders.items()},
            "classes": self.classes.tolist(),
            "oob_error": self.oob_error,
            "about": dict(self.about),
            "rule": to_plain(self.rule),
            **({} if self.correction is None else {"correction": to_plain(self.correction)}),
        }
        parts = (part for part in (self.forest, self.linear) if part is not None)
        arrays = {name: array for part in parts for name, array in part.to_arrays().items()}
        write_parts(path, header, arrays, newer=bool(self.linear or self.correction))

    def to_onnx(self, path: str | PathLike[str]) -> None:
        """Write the model as an ONNX file; see `frugalforest.model.onnx`."""
        write_onnx(self, path)

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a model that `save` wrote. Reading a file runs nothing that is in it."""
        content, arrays = read_parts(path)
        return cls.of_parts(content, dict(arrays), where=f"{path}")

    @classmethod
    def of_parts(
        cls, content: Mapping[str, Any], arrays: dict[str, NDArray[Any]], where: str
    ) -> Self:
        """From the parts of a file, checked."""
        if "task" in content:
            raise DataError(f"{where} is a model of numbers: read it with NumberModel.load.")
        header = from_plain(_Header, dict(content), where)
        try:
            schema = Schema.from_dict(header.schema)
            classes = _read_classes(header.classes)
            size = len(schema.names), len(classes)
            of_line = {name: arrays.pop(name) for name in list(arrays) if "linear_" in name}
            linear = LinearModel.from_arrays(of_line, *size) if of_line else None
            forest = GrownForest.from_arrays(arrays, *size) if arrays or not of_line else None
            rule = header.rule.read(len(classes))
            correction = header.read_correction()
        except DataError as error:
            raise DataError(f"{where} is a damaged model: {error}") from None
        strangers = set(header.orders) - set(schema.names)
        if strangers:
            raise DataError(f"{where} is a damaged model: it orders {sorted(strangers)[0]!r}.")
        encoder = Encoder(header.orders)
        own = forest, header.oob_error, header.about, rule, linear, correction
        return cls(schema, encoder, classes, *own)


def _forest(problem: Problem, features: FeatureSet) -> tuple[GrownForest, ForestScores]:
    """The forest of a set, for its columns only, with its out-of-bag scores."""
    if not features:
        return forest_without_columns(problem.outcome.as_classes.counts)
    # On the whole table and not on the chosen columns alone: of two equal columns, each has random
    # numbers of its own, which the other's being there decides.
    forest, scores = grow_forest(
        problem.data,
        problem.class_target,
        features,
        problem.forest_seed,
        problem.forests,
        n_jobs=problem.n_jobs,
    )
    return forest.for_columns(features), scores


def _score(promised: Promise | None, rule: DecisionRule) -> ClassScore:
    """What the model was chosen by; the error if that is not known."""
    if promised is None or (promised.scoring == "cost" and rule.losses is None):
        return find_score("error")
    if promised.scoring == "cost":
        assert rule.losses is not None
        return Cost(ErrorCosts(rule.losses))
    return find_score(promised.scoring)


def _read_classes(classes: tuple[Any, ...]) -> NDArray[Any]:
    kinds = {type(value) for value in classes}
    if len(classes) < 2 or len(kinds) > 1 or not kinds <= {str, int, float, bool}:
        raise DataError("its classes must be two or more texts or numbers.")
    if len(set(classes)) < len(classes):
        raise DataError("it names a class twice.")
    array = np.array(classes)
    if array.dtype == object:
        raise DataError("its classes are numbers that are too large.")
    return array
