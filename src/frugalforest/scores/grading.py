"""Graded errors: by how much rows were got right or wrong, not only whether they were.

Counting errors, 500 rows hardly tell a set with 8 % from one with 7 %. Of two sets with as many
errors, the one whose votes were further from the truth will make more of them on new rows: the log
loss of the votes tells which. But a forest on many weak features hesitates where it is nearly
always right, and would look worse than one on few strong ones. So votes are *sharpened*: shares are
raised to the power with which they fit the rows best. And a forest that is sure and wrong in one
row, which may be mislabelled, should not lose more by it than by a few errors: there is a limit to
what a row can lose. A row's graded loss is its error plus half of its sharpened log loss.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["best_power", "graded_losses", "sharpened_log_losses"]

_WEIGHT = 0.5
# Added to the share of each class before the power is taken: no class is impossible.
_SMOOTHING = 0.005
# Powers that are tried: 0, 0.25, … 6. Where no row is wrong, the sharper the better: there must be
# an end.
_STEP = 0.25
_N_STEPS = 24
# How often the truth is taken to be any class, whatever the votes say: a row of two classes loses
# at most -log(0.0025), a graded loss of 4 errors.
_ANY_CLASS = 0.005


def best_power(votes: NDArray[Any], labels: NDArray[np.integer[Any]]) -> float:
    """The power of the shares with which the true classes are the least surprising.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_classes)
        Of trees that had no part of these rows; at least one a row.
    labels : ndarray of int, shape (n_rows,)

    Examples
    --------
    >>> votes = np.array([[3, 1], [3, 1], [1, 3], [1, 3]])
    >>> best_power(votes, np.array([0, 0, 1, 1]))  # always right: it should not hesitate
    6.0
    >>> best_power(votes, np.array([0, 1, 0, 1]))  # its votes tell nothing
    0.0
    """
    step = _relative_shares(votes) ** _STEP
    raised = np.ones_like(step)
    losses = [_log_losses(raised, labels).mean()]
    for _ in range(_N_STEPS):
        raised *= step
        losses.append(_log_losses(raised, labels).mean())
    return _STEP * int(np.argmin(losses))


def sharpened_log_losses(
    votes: NDArray[Any], labels: NDArray[np.integer[Any]], power: float
) -> NDArray[np.float64]:
    """How surprising the true class of each row is, by shares raised to a power.

    Examples
    --------
    >>> votes, labels = np.array([[3, 1], [2, 2]]), np.array([0, 0])
    >>> sharpened_log_losses(votes, labels, power=2.0).round(3)
    array([0.11 , 0.693])
    """
    return _log_losses(_relative_shares(votes) ** power, labels)


def graded_losses(
    errors: NDArray[np.float64] | float,
    votes: NDArray[Any],
    labels: NDArray[np.integer[Any]],
    power: float,
) -> NDArray[np.float64]:
    """What each row loses: its error, or that of all, plus half of its sharpened log loss.

    Examples
    --------
    >>> votes, labels = np.array([[3, 1], [2, 2]]), np.array([0, 0])
    >>> graded_losses(np.array([0.0, 0.5]), votes, labels, power=2.0).round(3)
    array([0.055, 0.847])
    """
    return np.asarray(errors + _WEIGHT * sharpened_log_losses(votes, labels, power))


def _relative_shares(votes: NDArray[Any]) -> NDArray[np.float64]:
    """Smoothed, and 1 for the class with the most votes: no power is too large for a float."""
    shares = votes / votes.sum(axis=1, keepdims=True) + _SMOOTHING
    return np.asarray(shares / shares.max(axis=1, keepdims=True))


def _log_losses(
    shares: NDArray[np.float64], labels: NDArray[np.integer[Any]]
) -> NDArray[np.float64]:
    own = shares[np.arange(len(labels)), labels] / shares.sum(axis=1)
    return np.asarray(-np.log((1 - _ANY_CLASS) * own + _ANY_CLASS / shares.shape[1]))
