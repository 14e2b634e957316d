"""Ways to a set, and which of them is the best, by rows left out.

A *way* is a search of a method with an inner budget, tuned: of all that the search proposes (for
its values of ξ, or sizes) the set with the lowest graded out-of-bag error is taken, in every
resample anew. That gives the way's out-of-bag error there, and its error on the rows left out.
Among some dozens of ways a few look good by luck. So there is a *standard*: the linear surrogate's
forward search at the whole budget. Other ways, also those for less money, count only if they make
clearly fewer errors than the standard on the rows left out, by two standard errors; or by one, if
the sum of the two errors is clearly lower: a search may need all rows to show what it finds. Of the
ways that count the one with the lowest sum of the two errors, both graded, wins, with its set on
all rows; if there is none, the standard does. Grades tell by how much votes were right or wrong
(see `scores.grading`); whether a way counts, and what is quoted, goes by errors alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.left_out import LeftOut
from frugalforest.choice.pools import Pool
from frugalforest.costs import Budget
from frugalforest.criterion import rounded_cost

__all__ = ["CLEARLY", "TIE", "Ways", "collect_ways"]

# What differs by so many standard errors, row by row, is clearly better: then a way counts beside
# the standard. With 1½ some do so by luck, which costs ranks on real sets; with 3, what is better
# is overlooked.
CLEARLY = 2.0
# Or by one on the rows left out, and so many by both errors together. If any lead on the rows left
# out were enough, small real sets would lose a quarter of a point; without this way to count, what
# needs all rows would be lost: a third of a point on families of other kinds.
_CLEARLY_BY_BOTH = 1.5
TIE = 1e-12  # what differs by less is equal


@dataclass(frozen=True, eq=False)
class Ways:
    """Ways that every resample has, with their numbers, the cheapest first.

    Attributes
    ----------
    places : ndarray of int, shape (n,)
        Of the configuration in the pool of all rows.
    limit, cost : ndarray of shape (n,)
        Inner budget, and the price of the set on all rows.
    standard : ndarray of bool, shape (n,)
        Whether others must clearly beat it.
    out_of_bag, graded_out_of_bag : ndarray of shape (n,)
        Out-of-bag error: mean of those of the reruns (together) and of the set on all rows.
    errors, graded : ndarray of shape (n, n_rows)
        What each row loses: mean over the resamples that left it out, of rows that some left out.
    by_resample : ndarray of shape (n, n_resamples)
        Error on the rows left out.
    rerun : ndarray of int, shape (n, n_resamples)
        The set in the pool of each resample.
    """

    places: NDArray[np.intp]
    limit: NDArray[np.float64]
    cost: NDArray[np.float64]
    standard: NDArray[np.bool_]
    out_of_bag: NDArray[np.float64]
    graded_out_of_bag: NDArray[np.float64]
    errors: NDArray[np.float64]
    graded: NDArray[np.float64]
    by_resample: NDArray[np.float64]
    rerun: NDArray[np.intp]

    def some(self, index: NDArray[np.bool_]) -> Ways:
        """Some of them."""
        return Ways(*(part[index] for part in vars(self).values()))

    def within(self, limits: Sequence[float]) -> NDArray[np.bool_]:
        """Which are for these inner budgets, with sets that the last of them buys."""
        return np.isin(self.limit, limits) & Budget(limits[-1]).fits(self.cost)

    def scores(self, weight: NDArray[np.float64], highest: float) -> NDArray[np.float64]:
        """Score of each way, infinite for those that do not count.

        A column for each column of `weight`, the share that each row has. No error is above
        `highest`.
        """
        score = self.graded @ weight + self.graded_out_of_bag[:, np.newaxis]
        standard = self._standard()
        if standard is None:
            return score
        both = self.errors @ weight + self.out_of_bag[:, np.newaxis]
        n_rows = self.errors.shape[1]
        fewer = self.errors[standard] - self.errors
        mean = fewer @ weight
        variance = np.maximum(fewer**2 @ weight - mean**2, 0.0)
        standard_error = np.sqrt(variance / n_rows)
        # What errs in the same rows is no worse, and may be cheaper.
        counts = mean >= CLEARLY * standard_error - TIE
        # The out-of-bag errors have no rows to compare, so the margin is that of the standard's
        # error, which is wider where ways are alike and where rows are few.
        level = self.errors[standard] @ weight
        # No losses from 0 to `highest` with this mean vary more (Bhatia and Davis 2000); but the
        # rows' parts in an AUC are not within these limits.
        spread = np.maximum(
            level * (highest - level), self.errors[standard] ** 2 @ weight - level**2
        )
        margin = _CLEARLY_BY_BOTH * np.sqrt(np.maximum(spread, 0.0) / n_rows)
        if self.out_of_bag.any():  # there are none of a final model
            counts |= (mean >= standard_error - TIE) & (both[standard] - both >= margin - TIE)
        counts[standard] = True
        return np.where(counts, score, np.inf)

    def winners(self, weight: NDArray[np.float64], highest: float) -> NDArray[np.intp]:
        """The way with the lowest score, for each column of `weight`.

        Votes may be nearer to the truth for money that spares no error: if cheaper ways err in the
        same rows as the winner, and no more out of bag, the cheapest of them is taken.
        """
        winners = _first_lowest(self.scores(weight, highest))
        for winner in np.unique(winners).tolist():
            alike = (self.errors == self.errors[winner]).all(axis=1)
            alike &= self.out_of_bag <= self.out_of_bag[winner] + TIE
            cheapest = int(np.flatnonzero(alike)[0])
            if rounded_cost(self.cost[cheapest]) < rounded_cost(self.cost[winner]):
                winners[winners == winner] = cheapest
        return winners

    def _standard(self) -> int | None:
        """The standard for the largest inner budget that has one."""
        found = np.flatnonzero(self.standard)
        return int(found[self.limit[found].argmax()]) if len(found) else None


def collect_ways(pool: Pool, left_out: LeftOut, tuned: bool) -> Ways:
    """Those of the pool of all rows that every resample has.

    If not `tuned`, each configuration is one (see `Pool.ways`), and the rows left out alone tell.
    """
    resamples = left_out.resamples
    ways, *of_resamples = (each.ways(tuned) for each in (pool, *resamples))
    cost = np.array([pool.sets[i].cost for i in pool.set_of])
    # The cheapest first, since the first of equal scores wins. What differs by rounding is equal.
    price = [rounded_cost(c) for c in cost.tolist()]
    keys = [way for way in ways if all(way in others for others in of_resamples)]
    keys.sort(key=lambda way: (price[ways[way]], ways[way]))
    places = [ways[way] for way in keys]
    n, n_rows = len(places), len(left_out.labels)
    errors, graded = np.zeros((n, n_rows)), np.zeros((n, n_rows))
    of_all = np.array([pool.set_of[i] for i in places], dtype=np.intp)
    out_of_bag, graded_out_of_bag = (each[of_all] / 2 for each in _out_of_bag(pool))
    by_resample = np.empty((n, len(resamples)))
    rerun = np.empty((n, len(resamples)), dtype=np.intp)
    for r, (resample, split) in enumerate(zip(resamples, left_out.splits, strict=True)):
        sets = np.array([resample.set_of[of_resamples[r][way]] for way in keys], dtype=np.intp)
        here = left_out.losses(r, sets)
        errors[:, split.test] += here
        graded[:, split.test] += left_out.graded_losses(r, sets, here) if tuned else here
        by_resample[:, r] = here.mean(axis=1)
        on_part, graded_on_part = _out_of_bag(resample)
        out_of_bag += on_part[sets] / len(resamples) / 2
        graded_out_of_bag += graded_on_part[sets] / len(resamples) / 2
        rerun[:, r] = sets
    tested, times = left_out.times_tested > 0, left_out.times_tested
    if not tuned:
        out_of_bag = graded_out_of_bag = np.zeros(n)
    return Ways(
        np.array(places, dtype=np.intp),
        np.array([pool.configurations[i].limit for i in places]),
        cost[places],
        np.isin(places, pool.standards),
        out_of_bag,
        graded_out_of_bag,
        errors[:, tested] / times[tested],
        graded[:, tested] / times[tested],
        by_resample,
        rerun,
    )


def _out_of_bag(pool: Pool) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """The out-of-bag error of each set, and the graded one."""
    return np.array([s.oob_score for s in pool.sets]), np.array([s.graded for s in pool.sets])


def _first_lowest(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """For each column the first row with the lowest score; what differs by rounding is tied."""
    return np.asarray((scores <= scores.min(axis=0) + TIE).argmax(axis=0))
