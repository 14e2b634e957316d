"""What a score is, whatever is predicted, and the names by which scores are known.

Every score is a mean over rows of what each row loses, the lower the better. So one test compares
any two sets row by row, one bootstrap corrects any score for having taken the lowest, and one
formula has its standard error. The score that a set was chosen by is a selection score: lower than
what is to be expected.

A score registered with `register_score` is known to `compare`, the estimators and the command line,
and its words to page and terminal.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Literal, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.scores.facts import ScoreWords, know_words
from frugalforest.tables import Task

__all__ = ["NUMBER_SCORES", "SCORES", "Score", "register_score"]

Evidence = NDArray[Any]
Truth = NDArray[Any]
Known = NDArray[Any]


@dataclass(frozen=True)
class Score(ABC):
    """What sets are compared by.

    Attributes
    ----------
    name : str
        As callers write it: `scoring=`.
    label : str
        As people read it, of an out-of-bag forest.
    words : ScoreWords
        How it is spoken of.
    task : {"classification", "regression"}
        What it is a score of.
    evidence : {"votes", "shares", "predictions"}
        What it looks at: the trees' votes, the mean class shares of the leaves, or predicted
        numbers. With few and coarse features leaves are mixed, and votes hide by how much.
    guessing_is_even : bool
        Whether a guess of somebody who measures nothing is as good as any other. Then a model of
        pure noise does better in every second sample.
    has_grades : bool
        Whether rows are compared by how far votes were from the truth, too: see `grading`.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    words: ClassVar[ScoreWords]
    task: ClassVar[Task]
    evidence: ClassVar[Literal["votes", "shares", "predictions"]]
    guessing_is_even: ClassVar[bool] = False
    has_grades: ClassVar[bool] = False

    @abstractmethod
    def row_losses(self, evidence: Evidence, truth: Truth, known: Known) -> NDArray[np.float64]:
        """What each row loses; the mean over the rows is the score.

        Parameters
        ----------
        evidence : ndarray of shape (n_rows, width)
            What forests say that had no part of these rows: votes, shares or predictions.
        truth : ndarray of shape (n_rows,)
            What is true of the rows: see `Outcome.truth`.
        known : ndarray
            What was known of the rows that the forest learned from: see `Outcome.known`.
        """

    @abstractmethod
    def guess(self, known: Known, n_rows: int) -> Evidence:
        """What somebody says of so many rows who measures nothing."""

    @abstractmethod
    def of_nothing(self, known: Known) -> float:
        """The score of whoever measures nothing, on the rows that this is known of."""

    @abstractmethod
    def highest(self, width: int) -> float:
        """The largest value it can have; infinity if there is none."""

    @abstractmethod
    def of_rows(self, evidence: Evidence, truth: Truth, known: Known) -> float:
        """The score; rows that nothing is said of are left out. NaN if there is no other row."""

    def for_rows(self, known: Known) -> Score:
        """The same, where rows are weighed by what is known of all rows, not of some."""
        return self

    def error_weights(self, known: Known) -> NDArray[np.float64] | None:
        """What an error in a row of each class counts, where only errors can be counted."""
        return None

    @property
    def of_shares(self) -> Score:
        """A score that goes with it and that small forests tell finely."""
        return self

    def quoted(self, value: Any, unit: float = 1.0) -> Any:
        """A value, or an array of them, as it is quoted: in the unit of the outcome."""
        return value

    def quote(self, estimate: Any, unit: float) -> Any:
        """An estimate of it, with its interval, as it is quoted."""
        return estimate


S = TypeVar("S", bound=type[Score])
_registered: dict[Task, dict[str, type[Score]]] = {"classification": {}, "regression": {}}

# By the names that callers use, of classes and of numbers.
SCORES: Mapping[str, type[Score]] = MappingProxyType(_registered["classification"])
NUMBER_SCORES: Mapping[str, type[Score]] = MappingProxyType(_registered["regression"])


def register_score(score: S) -> S:
    """Make a score known by its name. A decorator of its class."""
    if score.name in SCORES or score.name in NUMBER_SCORES:
        raise ValueError(f"there is a score {score.name!r} already.")
    _registered[score.task][score.name] = score
    know_words(score.name, score.words)
    return score
