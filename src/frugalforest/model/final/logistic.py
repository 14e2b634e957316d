"""A ridge-penalized logistic model of any number of classes, by Newton's method.

The log odds of class k are ``a_k + Σ_j b_jk z_j``. Least is the log loss of the rows plus
``λ Σ_jk b_jk²``, with λ = max(1, columns / 5). For two classes that is the usual penalty,
``λ/2 · b²`` of the one slope of each column; intercepts are free. The penalty bounds the slopes
where a line parts the classes. A class without rows has a share of 0.

What the model says of a row it did not learn from needs no second fit: one Newton step from the
minimum, towards that without the row, is a closed form (Rad and Maleki 2020).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import cho_factor, cho_solve
from scipy.special import softmax

__all__ = ["Logistic", "fit_logistic"]

_COLUMNS_PER_PENALTY = 5
# Of intercepts: only so that no matrix is singular.
_LEAST_RIDGE = 1e-6
# More coefficients have no matrix of their second derivatives (8 MB), but a bound of it.
_MOST_FOR_NEWTON = 1_000
# Newton's method needs some ten; with the bound, what is left after so many is little.
_MOST_STEPS = 100
# The loss of all rows that a step can still save: when it is so small, that step is the last.
_CLOSE = 1e-6
_MOST_HALVINGS = 30


@dataclass(frozen=True, eq=False)
class Logistic:
    """A fitted model.

    Attributes
    ----------
    intercepts : ndarray of shape (n_classes,)
        Minus infinity for classes without rows.
    slopes : ndarray of shape (n_columns, n_classes)
    """

    intercepts: NDArray[np.float64]
    slopes: NDArray[np.float64]

    def shares(self, Z: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each class, for rows of column scores."""
        return np.asarray(softmax(self.intercepts + Z @ self.slopes, axis=1))


def fit_logistic(
    Z: NDArray[np.float64],
    labels: NDArray[np.intp],
    n_classes: int,
    sample_weight: NDArray[np.float64] | None = None,
) -> tuple[Logistic, NDArray[np.float64] | None]:
    """The model, and what it says of each row if that row is left out.

    The latter is approximate, and None for models of very many coefficients.

    Parameters
    ----------
    Z : ndarray of shape (n_rows, n_columns)
        Scores: see `NormalScores`.
    labels : ndarray of int
    n_classes : int
    sample_weight : ndarray, optional
        Only their proportions count. Rows of weight 0 have no part.

    Examples
    --------
    >>> Z, labels = np.array([[-1.0], [0.0], [0.0], [1.0]]), np.array([0, 0, 1, 1])
    >>> model, left_out = fit_logistic(Z, labels, 2)
    >>> model.shares(np.array([[1.0]])).round(2)
    array([[0.34, 0.66]])
    >>> left_out[3].round(2)  # without that row, which is one of the two of its class
    array([0.57, 0.43])
    """
    weight = np.ones(len(labels)) if sample_weight is None else sample_weight
    weight = weight * (np.count_nonzero(weight) / weight.sum())
    present, numbers = np.unique(labels[weight > 0], return_inverse=True)
    intercepts = np.full(n_classes, -np.inf)
    slopes = np.zeros((Z.shape[1], n_classes))
    intercepts[present] = 0.0
    if len(present) == 1:
        model = Logistic(intercepts, slopes)
        return model, model.shares(Z)
    truth = np.zeros((len(labels), len(present)))
    truth[weight > 0, numbers] = 1.0
    fit = _Fit(np.column_stack([np.ones(len(Z)), Z]), truth, weight)
    theta = fit.minimum()
    found = theta @ fit.contrasts.T
    intercepts[present], slopes[:, present] = found[0], found[1:]
    if not fit.is_small:
        return Logistic(intercepts, slopes), None
    left_out = np.zeros((len(labels), n_classes))
    left_out[:, present] = fit.left_out_shares(theta)
    return Logistic(intercepts, slopes), left_out


@dataclass(frozen=True, eq=False)
class _Fit:
    """The loss and its derivatives, in contrasts of the classes: one fewer than there are classes.

    `theta` has a row for each column of X, the first of them for the intercepts.
    """

    X: NDArray[np.float64]
    truth: NDArray[np.float64]
    weight: NDArray[np.float64]

    @cached_property
    def contrasts(self) -> NDArray[np.float64]:
        """Orthonormal, and to what all classes have in common."""
        n_classes = self.truth.shape[1]
        centered = np.eye(n_classes) - 1 / n_classes
        return np.asarray(np.linalg.svd(centered)[0][:, : n_classes - 1])

    @cached_property
    def ridge(self) -> NDArray[np.float64]:
        """The second derivatives of the penalty, by row of theta."""
        n_columns = self.X.shape[1] - 1
        slopes = np.full(n_columns, 2 * max(1.0, n_columns / _COLUMNS_PER_PENALTY))
        return np.concatenate([[_LEAST_RIDGE], slopes])

    @property
    def is_small(self) -> bool:
        """Whether the second derivatives fit into one matrix."""
        return bool(self.X.shape[1] * self.contrasts.shape[1] <= _MOST_FOR_NEWTON)

    def minimum(self) -> NDArray[np.float64]:
        """Where the loss is least."""
        theta = np.zeros((self.X.shape[1], self.contrasts.shape[1]))
        loss, shares = self._loss(theta)
        bound = None if self.is_small else cho_factor(self._bound())
        for _ in range(_MOST_STEPS):
            residuals = self.weight[:, np.newaxis] * (shares - self.truth)
            gradient = self.X.T @ residuals @ self.contrasts + self.ridge[:, np.newaxis] * theta
            if bound is None:
                curvature = cho_factor(self._curvature(shares))
                step = cho_solve(curvature, gradient.T.ravel()).reshape(gradient.T.shape).T
            else:
                step = cho_solve(bound, gradient)
            saved = float((gradient * step).sum())
            for _ in range(_MOST_HALVINGS):
                new_loss, new_shares = self._loss(theta - step)
                if new_loss <= loss:
                    break
                step = step / 2
            else:
                return theta  # nothing is lower, but for rounding
            theta, loss, shares = theta - step, new_loss, new_shares
            if saved <= _CLOSE:
                break
        return theta

    def left_out_shares(self, theta: NDArray[np.float64]) -> NDArray[np.float64]:
        """The shares of each row by one Newton step towards the model without it."""
        shares = self._loss(theta)[1]
        n, (n_rows, d) = theta.shape[1], self.X.shape
        inverse = np.linalg.inv(self._curvature(shares)).reshape(n, d, n, d)
        # How much a row pulls on its own log odds, and how curved its loss is there.
        pull = np.empty((n_rows, n, n))
        for a in range(n):
            for b in range(n):
                pull[:, a, b] = ((self.X @ inverse[a, :, b]) * self.X).sum(axis=1)
        curved = self._row_curvature(shares)
        residuals = self.weight[:, np.newaxis] * (shares - self.truth) @ self.contrasts
        moved = np.linalg.solve(np.eye(n) - pull @ curved, pull @ residuals[:, :, np.newaxis])
        return np.asarray(softmax((self.X @ theta + moved[:, :, 0]) @ self.contrasts.T, axis=1))

    def _loss(self, theta: NDArray[np.float64]) -> tuple[float, NDArray[np.float64]]:
        """The loss with its penalty, and the shares of all rows."""
        odds = self.X @ theta @ self.contrasts.T
        odds -= odds.max(axis=1, keepdims=True)
        shares = np.exp(odds)
        total = shares.sum(axis=1)
        surprise = np.log(total) - (odds * self.truth).sum(axis=1)
        penalty = (self.ridge @ theta**2).sum() / 2
        return float(self.weight @ surprise + penalty), shares / total[:, np.newaxis]

    def _row_curvature(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivatives of each row's loss by its contrasts."""
        Q = self.contrasts
        means = shares @ Q
        squares = np.einsum("ik,ka,kb->iab", shares, Q, Q)
        each = squares - means[:, :, np.newaxis] * means[:, np.newaxis, :]
        return np.asarray(self.weight[:, np.newaxis, np.newaxis] * each)

    def _curvature(self, shares: NDArray[np.float64]) -> NDArray[np.float64]:
        """Second derivatives of the loss: a block for each pair of contrasts."""
        rows = self._row_curvature(shares)
        n, d = rows.shape[1], self.X.shape[1]
        blocks = np.empty((n, d, n, d))
        for a in range(n):
            for b in range(a + 1):
                block = self.X.T @ (rows[:, a, b, np.newaxis] * self.X)
                blocks[a, :, b] = block
                blocks[b, :, a] = block.T
        whole = blocks.reshape(n * d, n * d)
        whole[np.diag_indices(n * d)] += np.tile(self.ridge, n)
        return whole

    def _bound(self) -> NDArray[np.float64]:
        """What no block of second derivatives exceeds, the same for all (Böhning 1992)."""
        whole = self.X.T @ (self.weight[:, np.newaxis] * self.X) / 2
        whole[np.diag_indices(len(whole))] += self.ridge
        return np.asarray(whole)
