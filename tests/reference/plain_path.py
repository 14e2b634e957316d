"""Every set that some ξ leads to, by looking at every pair of features and filling by hand."""

from __future__ import annotations

import math
from itertools import combinations, pairwise

import numpy as np

from frugalforest.costs import Budget, Prices
from frugalforest.methods.criterion import TradeOff

# Swaps and prices that differ by less are one swap and one price, up to rounding.
SAME_XI = 1e-11
SAME_PRICE = 1e-10


def path(prices: Prices, benefit: np.ndarray, budget: Budget) -> list[tuple[float, list[int]]]:
    """The first ξ of each run of equal sets, and what is bought there, in that order."""
    found = []
    for xi in between(swaps(prices, benefit)):
        picks = fill(prices, benefit, budget, xi)
        if not found or set(picks) != set(found[-1][1]):
            found.append((xi, picks))
    return found


def swaps(prices: Prices, benefit: np.ndarray) -> list[float]:
    """All ξ > 0 at which two features swap places, at any of the prices they can have."""
    lines = set()
    for j in np.flatnonzero(~prices.excluded).tolist():
        sign = int(TradeOff([benefit[j]], [1.0]).sign[0])
        for cost in (prices.feature_cost[j], prices.alone[j]):
            if sign and cost > 0:
                lines.add((sign, sign * math.log(abs(benefit[j])), math.log(cost)))
    found = []
    for (sign, height, slope), (other_sign, other_height, other_slope) in combinations(lines, 2):
        if sign == other_sign and abs(slope - other_slope) > SAME_PRICE:
            found.append((height - other_height) / (slope - other_slope))
    return sorted(xi for xi in found if xi > 0)


def between(crossings: list[float]) -> list[float]:
    """0, one ξ between each two neighbouring swaps, and one more behind the last."""
    if not crossings:
        return [0.0]
    middles = [(low + high) / 2 for low, high in pairwise(crossings) if high > low * (1 + SAME_XI)]
    return [0.0, crossings[0] / 2, *middles, crossings[-1] * 1.5]


def fill(prices: Prices, benefit: np.ndarray, budget: Budget, xi: float) -> list[int]:
    """One purchase at a time: the best ratio, at today's prices, that fits."""
    selected = prices.start(budget)
    picks: list[int] = []
    while True:
        left = np.flatnonzero(~selected & ~prices.excluded)
        options = TradeOff(benefit[left], prices.marginal_each(selected)[left])
        best = options.best_within(xi, budget.left(prices.total(selected)))
        if best is None:
            return picks
        picks.append(int(left[best]))
        selected[left[best]] = True
