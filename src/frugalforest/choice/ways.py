"""Ways to a set, and which of them is taken.

A *way* is a search of a method with an inner budget, tuned: of all sets that the search proposes
for it and that cost at most an amount, the one with the lowest graded out-of-bag score, on all rows
and in each resample anew. To buy
nothing, or only what is free or required, is a way, too: the *baseline*.

Of the ways to spend at most the budget, the one is taken whose improvement on the baseline, row by
row on rows that took no part in it, is largest after a deduction for chance; the cheaper of equals.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.left_out import NOTHING, LeftOut
from frugalforest.choice.pools import Amount, Pool
from frugalforest.costs import Budget
from frugalforest.methods.criterion import rounded_cost

__all__ = ["DEDUCTION", "OUT_OF_BAG", "Ways", "collect_ways"]

# What is taken off an improvement, in its standard errors. With ½, 1 and 1½ noise is bought in 13,
# 7 and 3 % of cases, and nothing in 18, 22 and 28 % of others; errors differ by 0.1 points.
DEDUCTION = 1.0
# What the out-of-bag score counts beside that on the rows left out: worth 0.22 ± 0.09 points.
OUT_OF_BAG = 0.25
# What differs by less is equal: square roots make 1e-8 of a rounding error in a variance of 0.
_TIE = 1e-7


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways that every resample has, with their numbers, the cheapest first.

    Attributes
    ----------
    places : ndarray of int, shape (n,)
        Of the configuration in the pool of all rows, or `NOTHING`.
    limit, amount, cost : ndarray of shape (n,)
        Inner budget, what of it may be spent, and the price of the set on all rows.
    losses : ndarray of shape (n, n_rows)
        What each row loses: mean over the resamples that left it out, of rows that some left out.
    scores : ndarray of shape (n, n_rows)
        The same, graded, with a part of the out-of-bag score: what ways are compared by.
    by_resample : ndarray of shape (n, n_resamples)
        Mean loss of the rows left out.
    rerun : ndarray of int, shape (n, n_resamples)
        The set in the pool of each resample.
    baseline : int
        The way that others must improve on.
    may_be_empty : bool
        Whether nothing, the first way, can be taken.
    """

    places: NDArray[np.intp]
    limit: NDArray[np.float64]
    amount: NDArray[np.float64]
    cost: NDArray[np.float64]
    losses: NDArray[np.float64]
    scores: NDArray[np.float64]
    by_resample: NDArray[np.float64]
    rerun: NDArray[np.intp]
    baseline: int
    may_be_empty: bool

    def within(self, amounts: Sequence[Amount]) -> NDArray[np.intp]:
        """Numbers of the ways for these amounts, with sets that the last of them buys."""
        own = Budget(amounts[-1][1]).fits(self.cost)
        own &= [amount in amounts for amount in zip(self.limit, self.amount, strict=True)]
        own[0] = self.may_be_empty
        return np.flatnonzero(own)

    def best(self, numbers: NDArray[np.intp]) -> int:
        """Which of some ways is taken."""
        n_rows = self.losses.shape[1]
        return int(self.winners(numbers, np.full((n_rows, 1), 1 / n_rows))[0])

    def winners(self, numbers: NDArray[np.intp], weight: NDArray[np.float64]) -> NDArray[np.intp]:
        """Which of some ways is taken, for each column of `weight`: the share that each row has."""
        assured = self.assured(numbers, weight)
        return np.asarray(numbers[(assured >= assured.max(axis=0) - _TIE).argmax(axis=0)])

    def assured(
        self, numbers: NDArray[np.intp], weight: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Improvements on the baseline, less the deduction for chance; see `winners`."""
        better = self.scores[self.baseline] - self.scores[numbers]
        mean = better @ weight
        variance = np.maximum(better**2 @ weight - mean**2, 0.0)
        return np.asarray(mean - DEDUCTION * np.sqrt(variance / better.shape[1]))


def collect_ways(pool: Pool, left_out: LeftOut) -> Ways:
    """Those of the pool of all rows that every resample has, and the baseline."""
    resamples, tested = left_out.resamples, left_out.times_tested > 0
    ways, *of_resamples = (each.ways for each in (pool, *resamples))
    keys = [way for way in ways if all(way in others for others in of_resamples)]
    # The cheapest first, since the first of equals is taken. What differs by rounding is equal.
    price = [rounded_cost(pool.sets[i].cost) for i in pool.set_of]
    keys.sort(key=lambda way: (price[ways[way]], ways[way]))
    places = [ways[way] for way in keys]
    n, n_rows = len(places), left_out.outcome.n_rows
    losses, scores = np.zeros((n + 1, n_rows)), np.zeros((n + 1, n_rows))
    by_resample = np.empty((n + 1, len(resamples)))
    rerun = np.full((n + 1, len(resamples)), NOTHING)
    out_of_bag = _out_of_bag(pool)[[pool.set_of[i] for i in places]] / 2
    for r, (resample, split) in enumerate(zip(resamples, left_out.splits, strict=True)):
        sets = np.array([resample.set_of[of_resamples[r][way]] for way in keys], dtype=np.intp)
        here, graded = left_out.losses(r, sets)
        nothing, graded_nothing = left_out.losses_of_nothing(r)
        losses[:, split.test] += np.vstack([nothing, here])
        scores[:, split.test] += np.vstack([graded_nothing, graded])
        by_resample[:, r] = [nothing.mean(), *here.mean(axis=1)]
        out_of_bag += _out_of_bag(resample)[sets] / len(resamples) / 2
        rerun[1:, r] = sets
    losses, scores = (each[:, tested] / left_out.times_tested[tested] for each in (losses, scores))
    if left_out.of_forests:
        # Guessing has nothing of the kind: it does out of bag as it does on rows left out.
        scores += OUT_OF_BAG * np.array([scores[0].mean(), *out_of_bag])[:, np.newaxis]
    return Ways(
        np.array([NOTHING, *places], dtype=np.intp),
        np.array([0.0, *(limit for *_, limit, _ in keys)]),
        np.array([0.0, *(amount for *_, amount in keys)]),
        np.array([0.0, *(pool.sets[pool.set_of[i]].cost for i in places)]),
        losses,
        scores,
        by_resample,
        rerun,
        _baseline(scores, places.index(pool.baseline) + 1 if pool.baseline in places else 0),
        pool.may_be_empty,
    )


def _baseline(scores: NDArray[np.float64], start: int) -> int:
    """What is free or required, unless that does no better than guessing."""
    return start if scores[start].mean() < scores[0].mean() else 0


def _out_of_bag(pool: Pool) -> NDArray[np.float64]:
    return np.array([s.graded for s in pool.sets])
