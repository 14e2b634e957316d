"""Normal scores of ranks: what a linear model sees of a column, whatever its scale.

A value becomes the normal quantile of its rank, between ±3, then shifted and scaled to mean 0 and
variance 1 over the rows that it was learned from. Between *knots* (values with their scores) the
map is straight, beyond the outer ones it is level. What is missing has the median's score.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

__all__ = ["NormalScores"]

# More would follow the noise of single rows, and make models longer.
_MOST_KNOTS = 100
_FARTHEST = 3.0


@dataclass(frozen=True, eq=False)
class NormalScores:
    """The map of one column.

    Attributes
    ----------
    knots, scores : ndarray of shape (n_knots,)
        Ascending values, and what each becomes.
    of_missing : float

    Examples
    --------
    >>> scores = NormalScores.of(np.array([1.0, 10.0, 1000.0, np.nan]))
    >>> scores.transform(np.array([1.0, 10.0, 1e9, np.nan])).round(2)
    array([-1.22,  0.  ,  1.22,  0.  ])
    """

    knots: NDArray[np.float64]
    scores: NDArray[np.float64]
    of_missing: float

    @classmethod
    def of(cls, column: NDArray[np.float64]) -> Self:
        """Learned from a column; NaN is missing."""
        known = column[~np.isnan(column)]
        values, counts = np.unique(known, return_counts=True)
        if len(values) < 2:
            return cls(np.zeros(1), np.zeros(1), 0.0)
        ranks = (np.cumsum(counts) - counts / 2) / len(known)
        if len(values) > _MOST_KNOTS:
            wanted = np.linspace(ranks[0], ranks[-1], _MOST_KNOTS)
            kept = np.unique(np.searchsorted(ranks, wanted - 1e-12))
            values, ranks = values[kept], ranks[kept]
        scores = np.clip(ndtri(ranks), -_FARTHEST, _FARTHEST)
        each = np.interp(known, values, scores)
        scores = (scores - each.mean()) / each.std()
        return cls(values, scores, float(np.interp(np.median(known), values, scores)))

    def transform(self, column: NDArray[np.float64]) -> NDArray[np.float64]:
        """The scores of new values."""
        scores = np.interp(column, self.knots, self.scores)
        return np.where(np.isnan(column), self.of_missing, scores)
