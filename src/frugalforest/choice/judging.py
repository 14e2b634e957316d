"""The choice by rows left out, and an error of that choice that can be trusted.

A *way* to a set is a search of a method with an inner budget, tuned as the paper does it: of all
that the search proposes (for its values of ξ, or sizes) the set with the lowest out-of-bag error is
taken, in every resample anew. That gives the way's out-of-bag error there, and its error on the
rows left out. Among some dozens of ways a few look good by luck. So there is a *standard*: the
linear surrogate's forward search at the whole budget. Other ways, also those for less money, count
only if they make clearly fewer errors than the standard on the rows left out; or no more there, if
the sum of the two errors is clearly lower: a search may need all rows to show what it finds. Of the
ways that count the one with the lowest sum of the two errors, both graded, wins, with its set on
all rows; if there is none, the standard does. Grades tell by how much votes were right or wrong
(see `scores.grading`); whether a way counts, and what is quoted, goes by errors alone.

Nothing is bought if the error to expect is no lower than that of guessing by how common the classes
are. If most other ways do no better than guessing, it must be lower by ¾ of a standard error of the
difference; where any guess is as good, always by a whole one. (What is said of errors holds for any
score: each is a mean over rows of what they lose.)

The winner's own mean error is too low, because it is the lowest of many. The error to quote
bootstraps the rows: the winner is chosen on the rows drawn, and its error is taken on the others
(bootstrap bias correction, Tsamardinos, Greasidou and Borboudakis 2018).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.left_out import LeftOut
from frugalforest.choice.pools import Pool
from frugalforest.costs import Budget
from frugalforest.criterion import rounded_cost
from frugalforest.diagnosis import Diagnosis
from frugalforest.final import Final
from frugalforest.resampling import ErrorEstimate, Split
from frugalforest.scores import ERROR, Score
from frugalforest.seeds import derive_seed

__all__ = ["Judged", "judge"]

# A way counts if it beats the standard by so many standard errors, and an answer stands if it is
# worse than that of a smaller amount by no more of them. With 1½ some ways beat it by luck, which
# costs ranks on real sets; with 3, what is better is overlooked.
_CLEARLY = 2.0
# What is bought beats guessing by so many standard errors, unless most other ways beat it, too.
# With none, noise is bought nearly twice as often; with one, weak effects are overlooked. Where any
# guess is as good, noise beats guessing in every second sample (see `Score`): it takes more.
_LIKELY, _EVEN = 0.75, 1.0
_N_BOOTSTRAPS = 500
_BOOTSTRAPS_AT_ONCE = 50  # so many, that memory stays small with many rows
_TIE = 1e-12
_NORMAL = 1.96  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Judged:
    """What is chosen for a budget.

    Attributes
    ----------
    place : int or None
        Of the configuration in the pool of all rows; None if nothing is worth buying.
    honest : ErrorEstimate
    reruns : tuple of feature sets
        What it bought in each resample.
    beside : tuple of Judged
        What else would be chosen for smaller amounts, the most money first.
    diagnosis : Diagnosis or None
        What was predicted for rows left out; None if nothing is bought.
    """

    place: int | None
    honest: ErrorEstimate
    reruns: tuple[tuple[int, ...], ...]
    beside: tuple[Judged, ...] = ()
    diagnosis: Diagnosis | None = None


@dataclass(frozen=True, eq=False)
class _Table:
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

    def some(self, index: NDArray[np.bool_]) -> _Table:
        return _Table(*(part[index] for part in vars(self).values()))

    def within(self, limits: Sequence[float], budget: Budget) -> _Table:
        """Those for these inner budgets, whose sets fit the budget."""
        return self.some(np.isin(self.limit, limits) & budget.fits(self.cost))

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
        # What errs in the same rows is no worse, and may be cheaper.
        counts = mean >= _CLEARLY * np.sqrt(variance / n_rows) - _TIE
        # The out-of-bag errors have no rows to compare, so the margin is that of the standard's
        # error, which is wider where ways are alike and where rows are few.
        level = self.errors[standard] @ weight
        # No losses from 0 to `highest` with this mean vary more (Bhatia and Davis 2000).
        margin = _CLEARLY * np.sqrt(np.maximum(level * (highest - level), 0.0) / n_rows)
        counts |= (mean >= -_TIE) & (both[standard] - both >= margin - _TIE)
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
            alike &= self.out_of_bag <= self.out_of_bag[winner] + _TIE
            cheapest = int(np.flatnonzero(alike)[0])
            if rounded_cost(self.cost[cheapest]) < rounded_cost(self.cost[winner]):
                winners[winners == winner] = cheapest
        return winners

    def _standard(self) -> int | None:
        """The standard for the largest inner budget that has one."""
        found = np.flatnonzero(self.standard)
        return int(found[self.limit[found].argmax()]) if len(found) else None


def judge(
    pool: Pool,
    resamples: Sequence[Pool],
    splits: Sequence[Split],
    labels: NDArray[np.intp],
    budgets: Sequence[Budget],
    seed: int,
    score: Score = ERROR,
    final: Final | None = None,
) -> dict[Budget, Judged]:
    """The best way for each budget, or nothing.

    The answer for a budget does not depend on the others. Ways for less money are among those that
    it is chosen from, and no answer is clearly worse than that of a smaller amount.

    Parameters
    ----------
    pool : Pool
        Of all rows.
    resamples : sequence of Pool
        One a split.
    splits : sequence of Split
    labels : ndarray of int, shape (n_rows,)
        Classes of all rows.
    budgets : sequence of Budget
        Those that the pools were made for.
    seed : int
    score : Score
        What sets are compared by.
    final : Final, optional
        What was tested on the rows left out, if not the forest. Then these alone decide, and each
        configuration is a way: an out-of-bag error says nothing of another model.
    """
    score = score.for_rows(np.bincount(labels))
    left_out = LeftOut(tuple(resamples), tuple(splits), labels, score)
    table = _collect(pool, left_out, tuned=final is None)
    if final is not None:
        unknown = np.zeros_like(table.cost)
        table = replace(table, out_of_bag=unknown, graded_out_of_bag=unknown)
    test_train_ratio = float(np.mean([len(s.test) / len(s.train) for s in splits]))
    nothing = _judge_nothing(left_out, derive_seed(seed, "nothing"))

    def judged(amounts: tuple[float, ...]) -> Judged | None:
        among = table.within(amounts, Budget(amounts[-1]))
        if not len(among.places):
            return None
        return _judge_one(among, pool, left_out, test_train_ratio, seed, nothing)

    # Budgets share the amounts below them: each is judged once.
    once = cache(judged)
    losses = _LossesByRow(table, left_out)
    return {
        budget: _up_to(tuple(sorted(pool.inner[budget.limit])), once, losses) for budget in budgets
    }


@dataclass(frozen=True, eq=False)
class _LossesByRow:
    """What rows left out lose with what is chosen, also with nothing."""

    table: _Table
    left_out: LeftOut

    def rises(self, here: Judged, there: Judged) -> bool:
        """Whether the error is clearly higher there."""
        difference = self._of(there) - self._of(here)
        se = float(difference.std()) / math.sqrt(len(difference))
        return there.honest.error - here.honest.error > _CLEARLY * se + _TIE

    def _of(self, judged: Judged) -> NDArray[np.float64]:
        if judged.place is not None:
            (at,) = np.flatnonzero(self.table.places == judged.place)
            return np.asarray(self.table.errors[at])
        rows, labels = self.left_out.times_tested > 0, self.left_out.labels
        return self.left_out.losses_of_nothing(labels, self.left_out.counts)[rows]


def _up_to(
    amounts: tuple[float, ...],
    judged: Callable[[tuple[float, ...]], Judged | None],
    losses: _LossesByRow,
) -> Judged:
    """The answer for the last of ascending amounts, with what smaller ones get beside it.

    Each amount has an answer: what is best up to it, unless that is clearly worse than a smaller
    amount's; then what was best so far. So an answer follows from the amounts below, whatever
    budgets are asked for, and more money never gets what is clearly worse.
    """
    answers: list[Judged] = []
    found: dict[int | None, Judged] = {}
    for i in range(len(amounts)):
        here = judged(amounts[: i + 1])
        if here is None:
            continue
        found.pop(here.place, None)
        found[here.place] = here
        if not answers or answers[-1].place is None:
            answers.append(here)
        # If all the money buys nothing that helps, less money may.
        elif here.place is None or any(losses.rises(before, here) for before in answers):
            answers.append(answers[-1])
        else:
            answers.append(here)
    best = answers[-1]
    # The most money first.
    others = tuple(each for each in reversed(found.values()) if each.place != best.place)
    return replace(best, beside=others)


def _collect(pool: Pool, left_out: LeftOut, tuned: bool) -> _Table:
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
    return _Table(
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


def _judge_nothing(left_out: LeftOut, seed: int) -> Judged:
    """Guessing by how common the classes are among the rows at hand."""
    labels, score = left_out.labels, left_out.score
    # All rows count, and each row by itself: as for any share.
    losses = left_out.losses_of_nothing(labels, left_out.counts)
    errors = [
        float(left_out.losses_of_nothing(labels[split.test], left_out.counts_in(r)).mean())
        for r, split in enumerate(left_out.splits)
    ]
    error = _corrected_guess(left_out, seed)
    se = float(losses.std() / math.sqrt(len(labels)))
    reach = _NORMAL * se
    most = score.highest(left_out.n_classes)
    ends = max(0.0, error - reach), min(most, error + reach)
    honest = ErrorEstimate(error, se, *ends, tuple(errors))
    return Judged(None, honest, ((),) * len(left_out.splits))


def _corrected_guess(left_out: LeftOut, seed: int) -> float:
    """Error of guessing on new rows: which class is the commonest is a choice, too.

    Corrected as other choices are, by rows drawn and rows not drawn: those by class, with the
    number that is expected not to be drawn. Where no draw changes the guess it is the error seen.
    Of noise in two classes as common as each other, 150 rows show 3.2 points too little, and this
    1.4. Without the limit that would be nil on average, but 53 % for 75 rows of each class.
    """
    counts, seen = left_out.counts, left_out.of_nothing
    if left_out.score.guessing_is_even:
        return seen
    drawn = np.random.default_rng(seed).multinomial(
        counts.sum(), counts / counts.sum(), size=_N_BOOTSTRAPS
    )
    left = counts * (1 - 1 / counts) ** drawn
    drawn, left = drawn[left.sum(axis=1) > 0], left[left.sum(axis=1) > 0]
    classes = np.arange(len(counts))
    guesses = np.array([left_out.losses_of_nothing(classes, each) for each in drawn])
    more = guesses - left_out.losses_of_nothing(classes, counts)
    corrected = seen + float(((left * more).sum(axis=1) / left.sum(axis=1)).mean())
    # At most what it would be if no class were commoner than another.
    return max(seen, min(corrected, left_out.score.of_nothing(np.ones_like(counts))))


def _judge_one(
    table: _Table,
    pool: Pool,
    left_out: LeftOut,
    test_train_ratio: float,
    seed: int,
    nothing: Judged,
) -> Judged:
    """The best of the ways, or nothing if nothing may be bought and does as well."""
    n_rows = table.errors.shape[1]
    most = left_out.score.highest(left_out.n_classes)
    (best,) = table.winners(np.full((n_rows, 1), 1 / n_rows), most).tolist()
    error, shares_of_wins = _bias_corrected(table, best, most, derive_seed(seed, "judge"))
    se = float(table.errors[best].std() / math.sqrt(n_rows))
    if pool.may_be_empty and not _is_worth_buying(table, best, error, left_out):
        return nothing
    raw = ErrorEstimate.from_errors(table.by_resample[best], test_train_ratio, most=most)
    raw = raw.at_least_as_wide(se, most=most)
    # The rows' parts in an AUC are a linear approximation: their means may be a little below 0.
    honest = raw.moved_to(min(max(error, 0.0), most), most=most)
    reruns = tuple(
        resample.sets[at].features
        for resample, at in zip(left_out.resamples, table.rerun[best].tolist(), strict=True)
    )
    cases = [(table.rerun[at].tolist(), weight) for at, weight in shares_of_wins.items()]
    return Judged(
        int(table.places[best]),
        honest,
        reruns,
        diagnosis=left_out.diagnosis(cases, honest),
    )


def _is_worth_buying(table: _Table, best: int, error: float, left_out: LeftOut) -> bool:
    """Whether what is best is expected to do better than guessing, and not by luck alone."""
    score, of_nothing = left_out.score, left_out.of_nothing
    losses = table.errors[best]
    guesses = left_out.losses_of_nothing(left_out.labels, left_out.counts)
    gain = guesses[left_out.times_tested > 0] - losses
    others = table.errors[(table.errors != losses).any(axis=1)].mean(axis=1)
    if score.guessing_is_even:
        surely = _EVEN
    else:
        # Luck favours few: if most other ways do better, too, there is something to be found.
        surely = 0.0 if len(others) and np.median(others) < of_nothing else _LIKELY
    return bool(error < of_nothing - surely * gain.std() / math.sqrt(len(gain)))


def _bias_corrected(
    table: _Table, winner: int, highest: float, seed: int
) -> tuple[float, dict[int, NDArray[np.float64]]]:
    """Mean error on rows not drawn, of the way chosen on the rows drawn.

    With it, for each way that was chosen, what each row counts in that mean.
    """
    n_rows = table.errors.shape[1]
    rng = np.random.default_rng(seed)
    found: list[float] = []
    weights: dict[int, NDArray[np.float64]] = {}
    for _ in range(_N_BOOTSTRAPS // _BOOTSTRAPS_AT_ONCE):
        drawn = rng.integers(n_rows, size=(_BOOTSTRAPS_AT_ONCE, n_rows))
        times = np.stack([np.bincount(rows, minlength=n_rows) for rows in drawn])
        times = times[(times == 0).any(axis=1)]
        best = table.winners(times.T / n_rows, highest)
        for at, left in zip(best.tolist(), times == 0, strict=True):
            found.append(float(table.errors[at, left].mean()))
            weights.setdefault(at, np.zeros(n_rows))[left] += 1 / left.sum()
    if not found:
        return float(table.errors.mean()), {winner: np.full(n_rows, 1 / n_rows)}
    return float(np.mean(found)), {at: weight / len(found) for at, weight in weights.items()}


def _first_lowest(scores: NDArray[np.float64]) -> NDArray[np.intp]:
    """For each column the first row with the lowest score; what differs by rounding is tied."""
    return np.asarray((scores <= scores.min(axis=0) + _TIE).argmax(axis=0))
