"""Graded errors: by how much rows were got right or wrong, not only whether they were.

Counting errors, 500 rows hardly tell a set with 8 % from one with 7 %. Of two sets with as many
errors, the one whose votes were further from the truth will make more of them on new rows: the log
loss of the votes tells which. But a forest on many weak features hesitates where it is nearly
always right, and would look worse than one on few strong ones. So votes are *sharpened*: shares are
raised to the power with which they fit the rows best. A row's graded loss is its error plus half of
its sharpened log loss.

In trials, among sets within two points of the lowest out-of-bag error, the rank correlation with
the test error was 0.15 to 0.57 by the error and 0.43 to 0.60 by the sharpened log loss in setting C
(budgets 30 to 1), 0.05 and 0.36 in families of other data, 0.03 and 0.22 on real data.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq

__all__ = ["best_power", "graded_losses", "sharpened_log_losses"]

_WEIGHT = 0.5
# Added to every class's votes, so that no class is impossible.
_SMOOTHING = 0.5
# Where no row is wrong, the sharper the better: there must be an end.
_SHARPEST = 6.0
_CLOSE_ENOUGH = 1e-9


def best_power(votes: NDArray[Any], labels: NDArray[np.integer[Any]]) -> float:
    """The power of the shares with which the true classes are the least surprising.

    Parameters
    ----------
    votes : ndarray of shape (n_rows, n_classes)
        Of trees that had no part of these rows.
    labels : ndarray of int, shape (n_rows,)

    Examples
    --------
    >>> votes = np.array([[3, 1], [3, 1], [1, 3], [1, 3]])
    >>> best_power(votes, np.array([0, 0, 1, 1]))  # always right: it should not hesitate
    6.0
    >>> best_power(votes, np.array([0, 1, 0, 1]))  # its votes tell nothing
    0.0
    """
    logs = _log_shares(votes)
    own = logs[np.arange(len(labels)), labels]

    def slope(power: float) -> float:
        """Of the mean log loss, which is convex in the power."""
        shares = np.exp(power * logs)
        expected = (shares * logs).sum(axis=1) / shares.sum(axis=1)
        return float((expected - own).mean())

    if slope(0.0) >= 0:
        return 0.0
    if slope(_SHARPEST) <= 0:
        return _SHARPEST
    return float(brentq(slope, 0.0, _SHARPEST, xtol=_CLOSE_ENOUGH))


def sharpened_log_losses(
    votes: NDArray[Any], labels: NDArray[np.integer[Any]], power: float
) -> NDArray[np.float64]:
    """How surprising the true class of each row is, by shares raised to a power.

    Examples
    --------
    >>> votes, labels = np.array([[3, 1], [2, 2]]), np.array([0, 0])
    >>> sharpened_log_losses(votes, labels, power=2.0).round(3)
    array([0.169, 0.693])
    """
    logs = power * _log_shares(votes)
    return np.asarray(np.log(np.exp(logs).sum(axis=1)) - logs[np.arange(len(labels)), labels])


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
    array([0.084, 0.847])
    """
    return np.asarray(errors + _WEIGHT * sharpened_log_losses(votes, labels, power))


def _log_shares(votes: NDArray[Any]) -> NDArray[np.float64]:
    """Up to a constant of the row: the class with the most votes has 0."""
    logs = np.log(votes + _SMOOTHING)
    return np.asarray(logs - logs.max(axis=1, keepdims=True))
