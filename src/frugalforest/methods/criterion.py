"""The benefit-cost ratio, and the order of ties: written once, here.

A candidate that gains g (error before minus error after) and costs c more is worth g / c^ξ. A
candidate that loses is worth g · c^ξ: dividing a loss would prefer the most expensive loser.

Ties go to the higher gain, then to the lower cost, then to the lower index.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["TradeOff", "bcr", "lowest", "lowest_first", "rounded_cost"]

# What differs by less than rounding is tied: 0.1 / 0.3 and 0.2 / 0.6 are one score, and two means
# over trees that add up to the same are one gain.
_DECIMALS = 10
_ROUNDING = 12
_SAME_SCORE = 0.5 * 10**-_DECIMALS
_NO_GAIN = 0.5 * 10**-_ROUNDING


def bcr(gain: ArrayLike, cost: ArrayLike, xi: float) -> NDArray[np.float64]:
    """Sign-safe benefit-cost ratio; the higher, the better.

    Examples
    --------
    >>> bcr([0.2, 0.2, -0.1, -0.1], [1, 4, 1, 4], xi=0.5)
    array([ 0.2,  0.1, -0.1, -0.2])
    """
    gain = np.asarray(gain, dtype=np.float64)
    weight = np.asarray(cost, dtype=np.float64) ** xi
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(gain > 0, gain / weight, gain * weight)


def rounded_cost(cost: float) -> float:
    """A number that is the same for costs that differ by rounding only, and higher for higher ones.

    Examples
    --------
    >>> rounded_cost(0.1 + 0.2) == rounded_cost(0.3)
    True
    """
    return round(math.log(cost), _DECIMALS) if cost > 0 else -math.inf


def lowest_first(scores: Sequence[float], costs: Sequence[float]) -> list[int]:
    """Indices by score; ties go to the lower cost, then to the lower index. NaN is left out.

    Examples
    --------
    >>> lowest_first([0.2, 0.1, 0.1, float("nan")], costs=[1, 3, 2, 1])
    [2, 1, 0]
    """
    usable = [i for i, score in enumerate(scores) if not math.isnan(score)]
    return sorted(usable, key=lambda i: (scores[i], rounded_cost(costs[i]), i))


def lowest(scores: Sequence[float], costs: Sequence[float]) -> int | None:
    """Index of the first of `lowest_first`; None if every score is NaN.

    Examples
    --------
    >>> lowest([0.2, 0.1, 0.1], costs=[1, 3, 2])
    2
    """
    return next(iter(lowest_first(scores, costs)), None)


class TradeOff:
    """Candidates with their gains and costs, ready to be compared at any ξ.

    Works with logarithms, so that no ξ is too large, and takes them once for all ξ.

    Parameters
    ----------
    gain, cost : array-like
    divide_losses : bool, default=False
        Divide a loss by its price, too, as the paper prints the ratio.

    Examples
    --------
    >>> candidates = TradeOff([0.3, 0.2, -0.1], [4.0, 1.0, 0.5])
    >>> candidates.best(xi=0), candidates.best(xi=1)
    (0, 1)
    >>> candidates.order(xi=1)
    array([1, 0, 2])
    """

    def __init__(self, gain: ArrayLike, cost: ArrayLike, divide_losses: bool = False) -> None:
        self.gain = np.asarray(gain, dtype=np.float64)
        self.cost = np.asarray(cost, dtype=np.float64)
        self.divide_losses = divide_losses

    @cached_property
    def sign(self) -> NDArray[np.float64]:
        """1 for gains, 0 for none, −1 for losses."""
        # A gain that is only the rounding of a difference is none.
        return np.sign(self.gain.round(_ROUNDING))

    @cached_property
    def _log_gain(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(np.abs(self.gain))

    @cached_property
    def _log_cost(self) -> NDArray[np.float64]:
        with np.errstate(divide="ignore"):
            return np.log(self.cost)

    @cached_property
    def gain_rank(self) -> NDArray[np.float64]:
        """The higher, the higher the gain, among candidates of one sign."""
        with np.errstate(invalid="ignore"):
            rank = self.sign * self._log_gain
        rank[self.sign == 0] = 0.0
        return rank.round(_DECIMALS)

    @cached_property
    def cheapness(self) -> NDArray[np.float64]:
        """The higher, the lower the cost."""
        return -self._log_cost.round(_DECIMALS)

    def log_scores(
        self, xi: ArrayLike, index: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.float64]:
        """The order of candidates of one sign: of gains, of zeros, of losses.

        For an array of ξ, one row each. `index` picks some of the candidates.
        """
        xi = np.asarray(xi, dtype=np.float64)[..., None]
        sign, log_gain = self.sign[index], self._log_gain[index]
        with np.errstate(invalid="ignore"):
            weight = np.where(xi == 0, 0.0, xi * self._log_cost[index])
            if self.divide_losses:
                weight = np.where(sign < 0, -weight, weight)
            scores = np.where(sign > 0, log_gain, -log_gain) - weight
        scores[..., sign == 0] = 0.0
        return scores.round(_DECIMALS)

    def best(self, xi: float, allowed: NDArray[np.bool_] | None = None) -> int:
        """Index of the best candidate among those `allowed` (all by default)."""
        index = np.arange(self.gain.size) if allowed is None else np.flatnonzero(allowed)
        sign = self.sign[index]
        index = index[sign == sign.max()]
        scores = self.log_scores(xi, index)
        index = index[scores == scores.max()]
        for key in (self.gain_rank, self.cheapness):
            values = key[index]
            index = index[values == values.max()]
        return int(index[0])

    def best_within(self, xi: float, most_cost: float) -> int | None:
        """Index of the best candidate that costs no more than `most_cost`, if there is one.

        In plain Python: for a dozen candidates the calls into NumPy would cost more than the work.

        Examples
        --------
        >>> TradeOff([0.3, 0.2, -0.1], [4.0, 1.0, 0.5]).best_within(0, most_cost=2)
        1
        """
        for same_sign in self._by_sign:
            if xi:
                scores = [(g - xi * c, i) for i, cost, g, c in same_sign if cost <= most_cost]
            else:
                scores = [(g, i) for i, cost, g, _ in same_sign if cost <= most_cost]
            if scores:
                near = max(scores)[0] - _SAME_SCORE
                tied = [i for score, i in scores if score >= near]
                if len(tied) == 1:
                    return tied[0]
                return max(tied, key=lambda i: (self.gain_rank[i], self.cheapness[i], -i))
        return None

    @cached_property
    def _by_sign(self) -> tuple[list[tuple[int, float, float, float]], ...]:
        """Gains, zeros and losses: index, cost, signed logarithm of the gain, and of the cost."""
        gains, zeros, losses = [], [], []
        for i, (gain, cost) in enumerate(zip(self.gain.tolist(), self.cost.tolist(), strict=True)):
            log_cost = math.log(cost) if cost > 0 else -math.inf
            if gain > _NO_GAIN:
                gains.append((i, cost, math.log(gain), log_cost))
            elif gain < -_NO_GAIN:
                weight = -log_cost if self.divide_losses else log_cost
                losses.append((i, cost, -math.log(-gain), weight))
            else:
                zeros.append((i, cost, 0.0, 0.0))
        return gains, zeros, losses

    def order(self, xi: float) -> NDArray[np.intp]:
        """All candidates, the best first."""
        return np.lexsort((-self.cheapness, -self.gain_rank, -self.log_scores(xi), -self.sign))
