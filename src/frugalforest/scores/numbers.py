"""Scores of numbers: from what a forest predicts to what each row loses.

Inside, predictions and truth are in the unit of the outcome's inside (`Outcome.unit`), and so are
losses. Quoted, scores are in the unit that the numbers were given in.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.scores.base import NUMBER_SCORES, SCORES, Score, register_score
from frugalforest.scores.facts import ScoreWords
from frugalforest.tables import Task

__all__ = [
    "AbsoluteError",
    "NumberScore",
    "RootSquaredError",
    "SquaredError",
    "Unexplained",
    "find_number_score",
]

_MEAN, _MEDIAN = "always answering with the mean", "always answering with the median"


@dataclass(frozen=True)
class NumberScore(Score):
    """A score of predicted numbers.

    The truth of a row is its number; what is known without measuring are the numbers of the rows.
    """

    task: ClassVar[Task] = "regression"
    evidence: ClassVar[Literal["predictions"]] = "predictions"

    def guess(self, known: NDArray[Any], n_rows: int) -> NDArray[Any]:
        """The mean, which squared errors call for."""
        return np.full((n_rows, 1), known.mean())

    def of_nothing(self, known: NDArray[Any]) -> float:
        """The mean loss of whoever measures nothing and knows the numbers' mean or median."""
        return float(self.row_losses(self.guess(known, len(known)), known, known).mean())

    def of_rows(self, evidence: NDArray[Any], truth: NDArray[Any], known: NDArray[Any]) -> float:
        """The mean loss; rows without a prediction are left out. NaN if there is no other row."""
        said = np.isfinite(evidence[:, 0])
        if not said.any():
            return float("nan")
        return float(self.row_losses(evidence[said], truth[said], known).mean())

    def highest(self, width: int) -> float:
        """No limit."""
        return float("inf")

    @property
    def of_squares(self) -> bool:
        """Whether it orders sets as the mean squared error does, which forests know anyway."""
        return True

    def of_square(self, known: NDArray[Any]) -> float:
        """What a squared error of one loses, if it is one that orders sets by squares."""
        return 1.0

    def quote(self, estimate: Any, unit: float) -> Any:
        """An estimate in the unit of the numbers as they were given."""
        return estimate.through(partial(self.quoted, unit=unit))


@register_score
@dataclass(frozen=True)
class SquaredError(NumberScore):
    """Mean squared error.

    Examples
    --------
    >>> SquaredError().row_losses(np.array([[1.0], [4.0]]), np.array([1.0, 2.0]), np.ones(2))
    array([0., 4.])
    """

    name: ClassVar[str] = "mse"
    label: ClassVar[str] = "out-of-bag mean squared error"
    words: ClassVar[ScoreWords] = ScoreWords(
        "mean squared error",
        "the mean squared difference of what is predicted for test rows from the truth",
        style="amount",
        doing_nothing=_MEAN,
    )

    def row_losses(
        self, evidence: NDArray[Any], truth: NDArray[Any], known: NDArray[Any]
    ) -> NDArray[np.float64]:
        """The squared error of each row."""
        return np.asarray((evidence[:, 0] - truth) ** 2)

    def quoted(self, value: Any, unit: float = 1.0) -> Any:
        """In squares of the unit."""
        return value * unit**2


@register_score
@dataclass(frozen=True)
class RootSquaredError(SquaredError):
    """Root of the mean squared error: in the unit of the numbers.

    Rows lose squares; the root is taken where it is quoted.

    Examples
    --------
    >>> RootSquaredError().quoted(4.0, unit=10.0)
    20.0
    """

    name: ClassVar[str] = "rmse"
    label: ClassVar[str] = "out-of-bag root mean squared error"
    words: ClassVar[ScoreWords] = ScoreWords(
        "root mean squared error",
        "the root of the mean squared difference of what is predicted for test rows from the truth",
        style="amount",
        doing_nothing=_MEAN,
    )

    def quoted(self, value: Any, unit: float = 1.0) -> Any:
        """The root, in the unit."""
        root = np.sqrt(np.maximum(value, 0.0)) * unit
        return root if isinstance(value, np.ndarray) else float(root)


@register_score
@dataclass(frozen=True)
class AbsoluteError(NumberScore):
    """Mean absolute error.

    Examples
    --------
    >>> AbsoluteError().row_losses(np.array([[1.0], [4.0]]), np.array([1.0, 2.0]), np.ones(2))
    array([0., 2.])
    """

    name: ClassVar[str] = "mae"
    label: ClassVar[str] = "out-of-bag mean absolute error"
    words: ClassVar[ScoreWords] = ScoreWords(
        "mean absolute error",
        "the mean size of the difference of what is predicted for test rows from the truth",
        style="amount",
        doing_nothing=_MEDIAN,
    )

    def guess(self, known: NDArray[Any], n_rows: int) -> NDArray[Any]:
        """The median, which absolute errors call for."""
        return np.full((n_rows, 1), np.median(known))

    def row_losses(
        self, evidence: NDArray[Any], truth: NDArray[Any], known: NDArray[Any]
    ) -> NDArray[np.float64]:
        """The size of each row's error."""
        return np.asarray(np.abs(evidence[:, 0] - truth))

    @property
    def of_squares(self) -> bool:
        """It does not."""
        return False

    def quoted(self, value: Any, unit: float = 1.0) -> Any:
        """In the unit."""
        return value * unit


@register_score
@dataclass(frozen=True)
class Unexplained(NumberScore):
    """One minus R²: the mean squared error as a share of the variance of all rows.

    Examples
    --------
    >>> truth = np.array([1.0, 3.0])
    >>> Unexplained().row_losses(np.array([[1.0], [2.0]]), truth, truth)
    array([0., 1.])
    """

    # By which squares are divided; None for the variance of what is known.
    variance: float | None = None

    name: ClassVar[str] = "r2"
    label: ClassVar[str] = "out-of-bag 1 − R²"
    words: ClassVar[ScoreWords] = ScoreWords(
        "R²",
        "one minus the mean squared difference of what is predicted for test rows from the truth, "
        "as a share of the variance of the table",
        style="complement",
        doing_nothing=_MEAN,
    )

    def for_rows(self, known: NDArray[Any]) -> Score:
        """With one variance, that of all rows."""
        return replace(self, variance=float(known.var()))

    def row_losses(
        self, evidence: NDArray[Any], truth: NDArray[Any], known: NDArray[Any]
    ) -> NDArray[np.float64]:
        """The squared error of each row as a share of the variance."""
        return np.asarray((evidence[:, 0] - truth) ** 2 * self.of_square(known))

    def of_square(self, known: NDArray[Any]) -> float:
        """One part of the variance."""
        return 1 / (float(known.var()) if self.variance is None else self.variance)


def find_number_score(scoring: object) -> NumberScore:
    """The score of numbers that `scoring` names; by default the root mean squared error.

    Examples
    --------
    >>> find_number_score(None).name, find_number_score("mae").label
    ('rmse', 'out-of-bag mean absolute error')
    """
    name = RootSquaredError.name if scoring is None else scoring
    if not isinstance(name, str) or name not in NUMBER_SCORES:
        known = ", ".join(map(repr, NUMBER_SCORES))
        other = " That is a score of classes." if name in tuple(SCORES) else ""
        raise DataError(f"`scoring` is {name!r}: it must be one of {known}, for numbers.{other}")
    found = NUMBER_SCORES[name]()
    assert isinstance(found, NumberScore)  # because it is registered as one
    return found
