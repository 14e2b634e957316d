"""Forests for each kind of outcome: how they are grown by default, and what scoring them takes."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import (
    NUMBER_FORESTS,
    CodedData,
    ForestSettings,
    NumberTarget,
    Target,
    code_numbers,
    code_target,
    forest_without_columns,
    score_number_sets,
    score_sets,
)
from frugalforest.scores.base import Score
from frugalforest.scores.numbers import NumberScore, SquaredError
from frugalforest.scores.oob import OobScore, needs_shares, oob_scores, score_batch
from frugalforest.scores.score import ERROR
from frugalforest.tables import Classes, Numbers, Outcome, Task

__all__ = ["Forests", "ScoredForests", "forests_for"]

FeatureSets = Sequence[Sequence[int]]


@dataclass(frozen=True, eq=False)
class ScoredForests:
    """Scores of a batch of forests, and what they say, where that was to be kept.

    Attributes
    ----------
    scores : list of OobScore
    own : ndarray of shape (n_forests, n_rows, width) or None
        What the score looks at, out of bag.
    new : ndarray of shape (n_forests, n_new_rows, width) or None
        The same of new rows.
    """

    scores: list[OobScore]
    own: NDArray[Any] | None = None
    new: NDArray[Any] | None = None


class Forests(ABC):
    """Forests for one kind of outcome.

    Attributes
    ----------
    default : ForestSettings
        How they are grown if nothing is said.
    """

    default: ClassVar[ForestSettings]

    @abstractmethod
    def target(self, outcome: Any, weight: NDArray[np.float64] | None) -> Target | NumberTarget:
        """The outcome as the engine reads it."""

    @abstractmethod
    def keeps_rows(self, score: Score, keep_said: bool) -> bool:
        """Whether a batch must hold something for each row."""

    @abstractmethod
    def grow(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        new_rows: NDArray[np.float64] | None = None,
        keep_own: bool = False,
        n_jobs: int | None = None,
    ) -> ScoredForests:
        """Scores of the forest of each set, and what these say of their rows and of new ones."""

    @abstractmethod
    def brief(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        """The mean loss of the forest of each set, out of bag."""

    @abstractmethod
    def of_regrown(self, score: Any, outcome: Any) -> float | None:
        """What an error counts of forests that are grown again where a candidate changes them.

        None if the score needs whole forests.
        """

    @abstractmethod
    def of_nothing(self, score: Any, outcome: Any) -> OobScore:
        """The scores of somebody who measures nothing."""


class _ClassForests(Forests):
    default: ClassVar[ForestSettings] = ForestSettings()

    def target(self, outcome: Classes, weight: NDArray[np.float64] | None) -> Target:
        return code_target(outcome.labels, outcome.n_classes, weight)

    def keeps_rows(self, score: Score, keep_said: bool) -> bool:
        return keep_said or needs_shares(score) or score.has_grades

    def grow(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        new_rows: NDArray[np.float64] | None = None,
        keep_own: bool = False,
        n_jobs: int | None = None,
    ) -> ScoredForests:
        by_votes, keep_said = score.evidence == "votes", keep_own or new_rows is not None
        batch = score_sets(
            data,
            target,
            sets,
            [seed] * len(sets),
            settings,
            new_rows=new_rows,
            keep_votes=score.has_grades or (keep_own and by_votes),
            keep_shares=needs_shares(score) or (keep_said and not by_votes),
            n_jobs=n_jobs,
        )
        scores = oob_scores(score, batch, outcome.labels, outcome.counts)
        own, new = (
            (batch.oob_votes, batch.new_votes) if by_votes else (batch.oob_shares, batch.new_shares)
        )
        return ScoredForests(scores, own if keep_own else None, new)

    def brief(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        seeds, keep_shares = [seed] * len(sets), needs_shares(score)
        batch = score_sets(
            data, target, sets, seeds, settings, keep_shares=keep_shares, n_jobs=n_jobs
        )
        return score_batch(score, batch, outcome.labels, outcome.counts)

    def of_regrown(self, score: Any, outcome: Any) -> float | None:
        return 1.0 if score == ERROR else None

    def of_nothing(self, score: Any, outcome: Any) -> OobScore:
        """Of always naming the commonest class."""
        _, scores = forest_without_columns(outcome.counts)
        value = score.of_nothing(outcome.counts)
        return OobScore(value, scores.oob_error, scores.brier, 0, graded=math.nan, power=math.nan)


class _NumberForests(Forests):
    default: ClassVar[ForestSettings] = NUMBER_FORESTS

    def target(self, outcome: Numbers, weight: NDArray[np.float64] | None) -> NumberTarget:
        assert weight is None  # because weights are refused where a target is numbers
        return code_numbers(outcome.truth)

    def keeps_rows(self, score: Any, keep_said: bool) -> bool:
        return keep_said or not score.of_squares

    def grow(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        new_rows: NDArray[np.float64] | None = None,
        keep_own: bool = False,
        n_jobs: int | None = None,
    ) -> ScoredForests:
        batch = score_number_sets(
            data,
            target,
            sets,
            [seed] * len(sets),
            settings,
            new_rows=new_rows,
            keep_predictions=keep_own or not score.of_squares,
            n_jobs=n_jobs,
        )
        losses = _losses(score, outcome, batch.mse, batch.oob_predictions)
        scores = [
            _scored(score, outcome, loss, mse, n_unpredicted)
            for loss, mse, n_unpredicted in zip(
                losses.tolist(), batch.mse.tolist(), batch.n_unpredicted.tolist(), strict=True
            )
        ]
        own, new = batch.oob_predictions, batch.new_predictions
        return ScoredForests(
            scores,
            None if own is None or not keep_own else own[..., np.newaxis],
            None if new is None else new[..., np.newaxis],
        )

    def brief(
        self,
        score: Any,
        outcome: Any,
        data: CodedData,
        target: Any,
        sets: FeatureSets,
        seed: int,
        settings: ForestSettings,
        n_jobs: int | None = None,
    ) -> NDArray[np.float64]:
        seeds, keep = [seed] * len(sets), not score.of_squares
        batch = score_number_sets(
            data, target, sets, seeds, settings, keep_predictions=keep, n_jobs=n_jobs
        )
        return _losses(score, outcome, batch.mse, batch.oob_predictions)

    def of_regrown(self, score: Any, outcome: Any) -> float | None:
        return float(score.of_square(outcome.known)) if score.of_squares else None

    def of_nothing(self, score: Any, outcome: Any) -> OobScore:
        """Of always answering with the mean, or the median."""
        squares = SquaredError().of_nothing(outcome.known)
        return _scored(score, outcome, score.of_nothing(outcome.known), squares, 0)


def _losses(
    score: NumberScore, outcome: Numbers, mse: NDArray[np.float64], own: NDArray[np.float64] | None
) -> NDArray[np.float64]:
    """The mean loss of each forest: that of squares is known, and others go row by row."""
    if score.of_squares:
        return mse * score.of_square(outcome.known)
    assert own is not None  # because they were kept
    truth, known = outcome.truth, outcome.known
    return np.array([score.of_rows(each[:, np.newaxis], truth, known) for each in own])


def _scored(
    score: NumberScore, outcome: Numbers, loss: float, mse: float, n_unpredicted: int
) -> OobScore:
    unit = outcome.unit
    root = math.sqrt(mse) * unit if not math.isnan(mse) else mse
    value = score.quoted(loss, unit)
    return OobScore(value, root, math.nan, n_unpredicted, graded=loss, power=1.0)


_FORESTS: dict[Task, Forests] = {
    "classification": _ClassForests(),
    "regression": _NumberForests(),
}


def forests_for(outcome: Outcome | Task) -> Forests:
    """The forests for an outcome, or for all of its kind.

    Examples
    --------
    >>> forests_for("regression").default.max_features
    'third'
    """
    return _FORESTS[outcome if isinstance(outcome, str) else outcome.task]
