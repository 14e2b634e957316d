"""Validation: what a model does on rows that it never saw, beside what was promised of it.

The figures are those of a `Diagnosis`, of what the model predicts: a tie is not counted in part,
as the model names a class. Calibration is that of one class against the others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.evaluation.calibration import fit_correction
from frugalforest.evaluation.diagnosis import (
    Diagnosis,
    Figure,
    LeftOutCases,
    diagnose,
    rarest_class,
)
from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.scores import ERROR, ClassScore
from frugalforest.scores.facts import ScoreFacts
from frugalforest.words.formats import MINUS, decimal

__all__ = ["Promise", "Validation", "validated"]

_NORMAL = 1.959963984540054
# Scores of what is predicted, not of the shares.
_OF_PREDICTIONS = ("error", "balanced_error", "cost")


@dataclass(frozen=True)
class Promise:
    """What a model's file says is to be expected of it: the honest error of its choice."""

    scoring: str
    error: float
    low: float
    high: float
    class_counts: tuple[int, ...]


@dataclass(frozen=True)
class Validation:
    """What a model does on new rows.

    Attributes
    ----------
    model : str
        What it is: "forest", "blend" or "logistic".
    n_features, n_rows : int
    classes : tuple of str
    positive : int
        The class that sensitivity and calibration are of.
    score : ScoreFacts
    error : ErrorEstimate
        By that score; with the interval of so many rows.
    promised : Promise or None
    diagnosis : Diagnosis
        Confusion matrix, sensitivity and the like, AUC, Brier score and curves.
    intercept, slope : Figure
        Of calibration: the intercept where the slope is 1. NaN where they are not known.
    """

    model: str
    n_features: int
    n_rows: int
    classes: tuple[str, ...]
    positive: int
    score: ScoreFacts
    error: ErrorEstimate
    promised: Promise | None
    diagnosis: Diagnosis
    intercept: Figure
    slope: Figure

    @property
    def difference(self) -> Figure | None:
        """How much higher the error is than was promised, with a 95 % interval."""
        if self.promised is None or math.isnan(self.error.low + self.promised.low):
            return None
        own, other = self.error, self.promised
        reach = math.hypot(own.high - own.low, other.high - other.low) / 2
        middle = own.error - other.error
        return Figure(middle, middle - reach, middle + reach)

    @property
    def agrees(self) -> bool | None:
        """Whether error and promise differ by no more than chance; None if that is not known."""
        found = self.difference
        return None if found is None else found.low <= 0 <= found.high

    @property
    def sentences(self) -> tuple[str, ...]:
        """The findings in plain words."""
        return (self.error_sentence, self.calibration_sentence)

    @property
    def error_sentence(self) -> str:
        """The error, and whether it is what was promised."""
        score = self.score
        own = f"{score.title} on these rows: {self._text(self.error)}."
        if self.promised is None:
            return f"{own} The model's file does not say what to expect."
        other = f"Promised: {self._text(self.promised)}"
        if self.difference is None:
            return f"{own} {other}; whether the two agree is not known."
        if self.agrees:
            return f"{own} {other}. The two agree: they differ by no more than chance may explain."
        worse = self.error.error > self.promised.error
        return f"{own} {other}. That is clearly {'worse' if worse else 'better'} than promised."

    def _text(self, estimate: ErrorEstimate | Promise) -> str:
        value = self.score.text(estimate.error)
        if math.isnan(estimate.low):
            return value
        return f"{value} ({self.score.interval(estimate.low, estimate.high)})"

    @property
    def calibration_sentence(self) -> str:
        """How shares fit what happens."""
        if math.isnan(self.slope.value):
            return "Calibration cannot be told from these rows."
        name = f"‘{self.classes[self.positive]}’"
        said = (
            f"Calibration of {name}: intercept {_interval(self.intercept)}, slope "
            f"{_interval(self.slope)}. "
        )
        if self.slope.high < 1:
            return f"{said}Shares are too extreme."
        if self.slope.low > 1:
            return f"{said}Shares are not extreme enough."
        if self.intercept.low > 0:
            return f"{said}{name} is commoner than the shares say."
        if self.intercept.high < 0:
            return f"{said}{name} is rarer than the shares say."
        return f"{said}Shares fit, within chance."


def _interval(figure: Figure) -> str:
    low, high = (decimal(value).replace("-", MINUS) for value in (figure.low, figure.high))
    return f"{decimal(figure.value).replace('-', MINUS)} ({low} to {high})"


def validated(
    evidence: NDArray[Any],
    predicted: NDArray[np.intp],
    labels: NDArray[np.intp],
    classes: Sequence[str],
    score: ClassScore,
    promised: Promise | None,
    positive: int | None = None,
    model: str = "forest",
    n_features: int = 0,
) -> Validation:
    """Put together what a model says of new rows.

    Parameters
    ----------
    evidence : ndarray of shape (n_rows, n_classes)
        Votes or shares.
    predicted, labels : ndarray of int
    classes : sequence of str
    score : ClassScore
        What the model was chosen by.
    promised : Promise or None
    positive : int, optional
        By default the rarest class of the rows.
    model : str
    n_features : int
    """
    n_rows, n_classes = evidence.shape
    own = np.bincount(labels, minlength=n_classes)
    counts = own if promised is None else np.array(promised.class_counts)
    said = np.eye(n_classes)[predicted] if score.name in _OF_PREDICTIONS else evidence
    losses = score.for_rows(own).row_losses(said, labels, counts)
    error = ErrorEstimate.of_rows(losses, score.highest(n_classes))
    if score == ERROR:
        share = Figure.of_share(error.error, n_rows)
        error = replace(error, low=share.low, high=share.high)
    each = np.full(n_rows, 1 / n_rows)
    found = diagnose(
        [LeftOutCases(np.arange(n_rows), evidence, each, counts)], labels, n_classes, score
    )
    confusion = np.zeros((n_classes, n_classes))
    np.add.at(confusion, (labels, predicted), 1 / n_rows)
    found = replace(found, confusion=tuple(tuple(row) for row in confusion.tolist()))
    k = rarest_class(own[own > 0].tolist()) if positive is None else positive
    k = int(np.flatnonzero(own > 0)[k]) if positive is None else k
    shares = evidence / evidence.sum(axis=1, keepdims=True)
    facts = ScoreFacts(score.name, score.label, score.of_nothing(own), _costs(score, counts))
    return Validation(
        model,
        n_features,
        n_rows,
        tuple(classes),
        k,
        facts,
        error,
        promised,
        found,
        *_calibration(np.column_stack([1 - shares[:, k], shares[:, k]]), (labels == k).astype(int)),
    )


def _costs(score: ClassScore, counts: NDArray[np.intp]) -> tuple[tuple[float, ...], ...]:
    if score.name != "cost":
        return ()
    return tuple(tuple(row) for row in score.losses(counts).tolist())


def _calibration(shares: NDArray[np.float64], labels: NDArray[np.intp]) -> tuple[Figure, Figure]:
    """Intercept, with a slope of 1, and slope."""
    try:
        level, (of_level,) = fit_correction(shares, labels, with_slope=False)
        line, (_, of_slope) = fit_correction(shares, labels, with_slope=True)
    except DataError:
        unknown = Figure(math.nan, math.nan, math.nan)
        return unknown, unknown
    return _figure(level.intercepts[1], of_level), _figure(line.slope, of_slope)


def _figure(value: float, se: float) -> Figure:
    return Figure(value, value - _NORMAL * float(se), value + _NORMAL * float(se))
