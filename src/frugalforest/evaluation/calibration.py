"""Calibration: how the shares that a model gives fit what happens, and shares corrected by it.

Share p_k becomes proportional to ``exp(a_k) · p_k^b``. For two classes the log odds are multiplied
by the slope b, and the intercept is added: what a logistic regression on the log odds of new cases
finds (Cox 1958). A slope below 1 says that shares were too extreme, an intercept above 0 that the
class is commoner than they say.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_softmax, softmax

from frugalforest.errors import DataError

__all__ = ["LEAST_SHARE", "Correction", "fit_correction"]

# Smaller shares count as this: log odds of shares of 0 are not finite.
LEAST_SHARE = 1e-3
_MOST_STEPS = 100
_CLOSE = 1e-10
# Beyond, the classes are told apart without error, and there is no end.
_MOST = 30.0
# Beyond, the slope cannot be told from the intercept: all rows have the same shares, or nearly so.
_MOST_CONDITION = 1e12


@dataclass(frozen=True)
class Correction:
    """What shares become.

    Attributes
    ----------
    slope : float
    intercepts : tuple of float
        One a class; 0 for the first.

    Examples
    --------
    >>> Correction(0.5, (0.0, 0.0)).shares(np.array([[0.9, 0.1]])).round(3)
    array([[0.75, 0.25]])
    """

    slope: float
    intercepts: tuple[float, ...]

    def shares(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """The corrected shares."""
        return np.asarray(softmax(self.slope * log_shares(shares) + self.intercepts, axis=1))


def log_shares(shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Logarithms of shares, none below that of the least."""
    return np.asarray(np.log(np.maximum(shares, LEAST_SHARE)))


def fit_correction(
    shares: NDArray[np.float64], labels: NDArray[np.intp], with_slope: bool
) -> tuple[Correction, NDArray[np.float64]]:
    """The correction that fits new rows best, and standard errors: of intercepts, and of the slope.

    Parameters
    ----------
    shares : ndarray of shape (n_rows, n_classes)
        What the model says of rows that it did not learn from.
    labels : ndarray of int
    with_slope : bool
        Otherwise the slope is 1.

    Raises
    ------
    DataError
        If a class has no rows, or the shares tell the classes apart without error.

    Examples
    --------
    >>> shares = np.array([[0.8, 0.2], [0.8, 0.2], [0.2, 0.8], [0.2, 0.8]] * 5)
    >>> correction, _ = fit_correction(shares, np.array([0, 1, 1, 1] * 5), with_slope=False)
    >>> round(correction.intercepts[1], 2)
    1.58
    """
    n_rows, n_classes = shares.shape
    logs = log_shares(shares)
    # What a step in each parameter adds to the log odds of each class.
    design = np.zeros((n_rows, n_classes, n_classes - 1 + with_slope))
    design[:, np.arange(1, n_classes), np.arange(n_classes - 1)] = 1.0
    if with_slope:
        design[:, :, -1] = logs
    at = np.zeros(design.shape[2])
    fixed = 0.0 if with_slope else logs
    if len(np.unique(labels)) < n_classes:
        raise DataError("a class has no rows: shares can only be corrected with rows of each.")
    truth = np.eye(n_classes)[labels]

    def surprise(at: NDArray[np.float64]) -> float:
        return -float((log_softmax(design @ at + fixed, axis=1) * truth).sum())

    for _ in range(_MOST_STEPS):
        found = softmax(design @ at + fixed, axis=1)
        if with_slope and (found * truth).sum(axis=1).min() > 1 / 2:
            break  # all are on the right side: the steeper, the better
        gradient = np.einsum("ik,ikp->p", found - truth, design)
        mean = np.einsum("ik,ikp->ip", found, design)
        curvature = np.einsum("ik,ikp,ikq->pq", found, design, design) - mean.T @ mean
        if not np.linalg.cond(curvature) < _MOST_CONDITION:
            break  # all shares are alike, say
        step = np.linalg.solve(curvature, gradient)
        while np.abs(step).max() > _CLOSE and not surprise(at - step) <= surprise(at):
            step = step / 2
        at = at - step
        if not np.isfinite(at).all() or np.abs(at).max() > _MOST:
            break
        if float(gradient @ step) < _CLOSE:
            errors = np.sqrt(np.diag(np.linalg.inv(curvature)))
            slope = float(at[-1]) if with_slope else 1.0
            return Correction(slope, (0.0, *at[: n_classes - 1].tolist())), errors
    raise DataError(
        "the shares tell the classes of these rows apart without error, or nothing of them: there "
        "is nothing to correct them by."
    )
