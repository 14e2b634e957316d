"""Out-of-bag scores of the forests on feature sets: selection scores, not error estimates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import BatchScores
from frugalforest.scores.base import Score
from frugalforest.scores.grading import best_power, graded_losses
from frugalforest.scores.score import ERROR, Brier

__all__ = ["OobScore", "needs_shares", "oob_scores", "score_batch", "score_evidence", "vote_error"]


@dataclass(frozen=True)
class OobScore:
    """Out-of-bag scores of a forest on one feature set.

    Attributes
    ----------
    value : float
        By the score that sets are compared by.
    oob_error, brier : float
    n_unvoted : int
        Rows without an out-of-bag vote.
    graded : float
        Mean of the graded losses, if the score has grades: see `grading`. If not, or if it is 0,
        the score.
    power : float
        Of the shares, for grades of other rows.
    """

    value: float
    oob_error: float
    brier: float
    n_unvoted: int
    graded: float
    power: float


def needs_shares(score: Score) -> bool:
    """Whether a batch must keep its shares for the score: error and Brier score it has anyway."""
    return score not in (ERROR, Brier())


def score_batch(
    score: Score, batch: BatchScores, labels: NDArray[np.integer[Any]], counts: NDArray[np.intp]
) -> NDArray[np.float64]:
    """The score of each forest of a batch, from what was out of its bags."""
    if score == ERROR:
        return batch.oob_error
    if score == Brier():
        return batch.brier
    assert batch.oob_shares is not None  # because `needs_shares` was asked
    return np.array([score.of_rows(shares, labels, counts) for shares in batch.oob_shares])


def oob_scores(
    score: Score, batch: BatchScores, labels: NDArray[np.integer[Any]], counts: NDArray[np.intp]
) -> list[OobScore]:
    """The scores of each forest of a batch."""
    value = score_batch(score, batch, labels, counts).tolist()
    if score.has_grades:
        assert batch.oob_votes is not None  # because `has_grades` was asked
        grades = [_grade(*each, labels) for each in zip(value, batch.oob_votes, strict=True)]
    else:
        grades = [(each, 1.0) for each in value]
    powers = [power for _, power in grades]
    graded = [loss for loss, _ in grades]
    known = (batch.oob_error.tolist(), batch.brier.tolist(), batch.n_unvoted.tolist())
    return [OobScore(*row) for row in zip(value, *known, graded, powers, strict=True)]


def score_evidence(
    score: Score,
    evidence: NDArray[Any],
    labels: NDArray[np.integer[Any]],
    counts: NDArray[np.intp],
) -> OobScore:
    """The scores of one model, from votes or shares of rows that it had no part of.

    Rows without any have zeros, and are left out.

    Examples
    --------
    >>> shares, labels = np.array([[0.9, 0.1], [0.4, 0.6], [0, 0]]), np.array([0, 0, 1])
    >>> score_evidence(ERROR, shares, labels, np.array([2, 1])).value
    0.5
    """
    known = evidence.sum(axis=1) > 0
    n_unknown = int(len(known) - known.sum())
    if n_unknown == len(known):
        nan = float("nan")
        return OobScore(nan, nan, nan, n_unknown, nan, 1.0)
    evidence, labels = evidence[known], labels[known]
    value = score.of_rows(evidence, labels, counts)
    graded, power = _grade(value, evidence, labels) if score.has_grades else (value, 1.0)
    brier = Brier().of_rows(evidence, labels, counts)
    return OobScore(value, vote_error(evidence, labels), brier, n_unknown, graded, power)


def _grade(
    error: float, votes: NDArray[Any], labels: NDArray[np.integer[Any]]
) -> tuple[float, float]:
    """Mean graded loss and the power of the shares; of rows that have a vote.

    Without errors nothing is left to gain, and the loss is 0.
    """
    voted = votes.sum(axis=1) > 0
    if not voted.any():
        return float("nan"), 1.0
    votes, labels = votes[voted], labels[voted]
    power = best_power(votes, labels)
    return float(graded_losses(error, votes, labels, power).mean()) if error > 0 else 0.0, power


def vote_error(votes: NDArray[Any], labels: NDArray[np.integer[Any]]) -> float:
    """Share of rows that the majority gets wrong; with t classes in the lead, 1 − 1/t of a row.

    Examples
    --------
    >>> votes = np.array([[3, 1], [2, 2], [0, 4]], dtype=np.uint32)
    >>> vote_error(votes, np.array([1, 0, 1]))
    0.5
    """
    counts = np.bincount(labels, minlength=votes.shape[1])
    return float(ERROR.row_losses(votes, labels, counts).mean())
