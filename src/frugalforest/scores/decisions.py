"""Decisions: from the votes or class shares of a forest to classes, by the lowest expected loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

__all__ = ["BY_VOTES", "DecisionRule", "decided", "loss_of_errors"]

# Expected losses that differ by less than this share of the largest loss are tied.
_TIE = 1e-9
# Added to each class share where a share of 0 would be infinitely wrong.
_SMOOTHING = 1e-3


def loss_of_errors(n_classes: int) -> NDArray[np.float64]:
    """One for every error: of a case of each class (rows) that is called each class (columns).

    Examples
    --------
    >>> loss_of_errors(2)
    array([[0., 1.],
           [1., 0.]])
    """
    return 1 - np.eye(n_classes)


def decided(evidence: NDArray[Any], losses: NDArray[np.float64]) -> NDArray[np.float64]:
    """The class with the lowest expected loss: 1 for it, 1/t for each of t that are tied.

    Parameters
    ----------
    evidence : ndarray of shape (n_rows, n_classes)
        Votes, or class shares.
    losses : ndarray of shape (n_classes, n_classes)
        Loss of a case of each class (rows) that is called each class (columns).

    Examples
    --------
    >>> decided(np.array([[3, 1], [2, 2]]), loss_of_errors(2))
    array([[1. , 0. ],
           [0.5, 0.5]])
    >>> decided(np.array([[0.7, 0.3]]), np.array([[0.0, 1.0], [5.0, 0.0]]))
    array([[0., 1.]])
    """
    expected = evidence @ losses
    near = _tie(losses, evidence.sum(axis=1, keepdims=True))
    leads = expected <= expected.min(axis=1, keepdims=True) + near
    return np.asarray(leads / leads.sum(axis=1, keepdims=True))


def _tie(losses: NDArray[np.float64], total: Any) -> Any:
    return _TIE * losses.max() * total


@dataclass(frozen=True)
class DecisionRule:
    """How a forest's votes become what it predicts: the same when measured and when used.

    Attributes
    ----------
    evidence : {"votes", "shares"}
        Shares of the trees' votes, or the mean class shares of the leaves.
    smoothed : bool
        Whether no class gets a probability of 0.
    losses : tuple of tuple of float, or None
        Loss of a case of each class (outer) that is called each class (inner); None for one an
        error.

    Examples
    --------
    >>> rule = DecisionRule("shares", losses=((0.0, 1.0), (5.0, 0.0)))
    >>> rule.classes(np.array([[0.7, 0.3], [0.9, 0.1]]))
    array([1, 0])
    """

    evidence: Literal["votes", "shares"] = "votes"
    smoothed: bool = False
    losses: tuple[tuple[float, ...], ...] | None = None

    @property
    def smoothing(self) -> float:
        """What is added to each class share."""
        return _SMOOTHING if self.smoothed else 0.0

    def tie(self, n_classes: int, total: float) -> float:
        """Expected losses that differ by no more are tied, of votes or shares of such a sum."""
        return float(_tie(self.loss_matrix(n_classes), total))

    def loss_matrix(self, n_classes: int) -> NDArray[np.float64]:
        """The losses; one for every error by default."""
        return loss_of_errors(n_classes) if self.losses is None else np.array(self.losses)

    def probabilities(self, evidence: NDArray[Any]) -> NDArray[np.float64]:
        """Votes or shares as shares that add up to 1."""
        shares = evidence / evidence.sum(axis=-1, keepdims=True)
        return np.asarray((shares + self.smoothing) / (1 + self.smoothing * shares.shape[-1]))

    def classes(self, evidence: NDArray[Any]) -> NDArray[np.intp]:
        """Number of the class of each row; the first of those that are tied."""
        losses = self.loss_matrix(evidence.shape[1])
        return np.asarray(decided(evidence, losses).argmax(axis=1))


BY_VOTES = DecisionRule()
