"""Scores: from the votes of a forest to one number, the lower the better.

A score that a set was chosen by is a selection score: lower than the error to expect.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import BatchScores

__all__ = [
    "ERROR",
    "SCORES",
    "OobScore",
    "Score",
    "find_score",
    "oob_scores",
    "row_errors",
    "vote_error",
]


@dataclass(frozen=True)
class Score:
    """What sets are compared by.

    Attributes
    ----------
    name : str
        As callers write it: `scoring=`.
    label : str
        As people read it.
    of_batch : callable
        The score of each forest of a batch, from its out-of-bag votes and class shares.
    guessing : callable
        The score of a forest that knows nothing, by the number of classes.
    in_percent : bool
        Whether it is a share of rows.
    """

    name: str
    label: str
    of_batch: Callable[[BatchScores], NDArray[np.float64]]
    guessing: Callable[[int], float]
    in_percent: bool


ERROR = Score(
    "error",
    "out-of-bag error",
    of_batch=lambda batch: batch.oob_error,
    guessing=lambda n_classes: 1 - 1 / n_classes,
    in_percent=True,
)
BRIER = Score(
    "brier",
    "out-of-bag Brier score",
    of_batch=lambda batch: batch.brier,
    # Equal shares of K classes are off by (1 − 1/K)² + (K − 1)/K² = 1 − 1/K; for two classes half
    # of the squared distance is meant.
    guessing=lambda n_classes: 0.25 if n_classes == 2 else 1 - 1 / n_classes,
    in_percent=False,
)

SCORES: Mapping[str, Score] = MappingProxyType({score.name: score for score in (ERROR, BRIER)})


def find_score(scoring: object) -> Score:
    """The score that `scoring` names.

    Examples
    --------
    >>> find_score("brier").label
    'out-of-bag Brier score'
    """
    if isinstance(scoring, str) and scoring in SCORES:
        return SCORES[scoring]
    known = " or ".join(repr(name) for name in SCORES)
    raise ValueError(f"`scoring` is {scoring!r}: it must be {known}.")


@dataclass(frozen=True)
class OobScore:
    """Out-of-bag scores of a forest on one feature set: selection scores, not error estimates.

    Attributes
    ----------
    value : float
        By the score that sets are compared by.
    oob_error, brier : float
    n_unvoted : int
        Rows without an out-of-bag vote.
    """

    value: float
    oob_error: float
    brier: float
    n_unvoted: int


def oob_scores(score: Score, batch: BatchScores) -> list[OobScore]:
    """The scores of each forest of a batch."""
    columns = (score.of_batch(batch), batch.oob_error, batch.brier, batch.n_unvoted)
    return [OobScore(*row) for row in zip(*(c.tolist() for c in columns), strict=True)]


def vote_error(votes: NDArray[np.uint32], labels: NDArray[np.integer]) -> float:
    """Share of rows that the majority gets wrong; with t classes in the lead, 1 − 1/t of a row.

    Examples
    --------
    >>> votes = np.array([[3, 1], [2, 2], [0, 4]], dtype=np.uint32)
    >>> vote_error(votes, np.array([1, 0, 1]))
    0.5
    """
    return float(row_errors(votes, labels).mean())


def row_errors(votes: NDArray[np.uint32], labels: NDArray[np.integer]) -> NDArray[np.float64]:
    """How wrong the majority is for each row: 0, 1, or 1 − 1/t with t classes in the lead."""
    leads = votes == votes.max(axis=1, keepdims=True)
    return np.asarray(1 - leads[np.arange(len(labels)), labels] / leads.sum(axis=1))
