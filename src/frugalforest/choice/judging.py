"""The choice by rows left out, and an error of that choice that can be trusted.

A *configuration* is a way to a set: a method, its ξ and variant, and an inner budget. Every one is
re-run in every resample, which gives its error there, out of bag and on the rows left out, and its
doubt, a Brier score: how far the votes are from unanimous and right. Doubt tells sets apart that
are wrong about the same rows, and with less noise. The configuration with the lowest sum wins and
is run on all rows. If its error to expect is no lower than that of always naming the commonest
class, nothing is bought.

The winner's own mean error is too low, because it is the lowest of many. The error to quote
bootstraps the rows: the winner is chosen on the rows drawn, and its error is taken on the others
(bootstrap bias correction, Tsamardinos, Greasidou and Borboudakis 2018).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.pools import Pool
from frugalforest.costs import Budget
from frugalforest.criterion import rounded_cost
from frugalforest.final import Final
from frugalforest.resampling import ErrorEstimate, Split
from frugalforest.seeds import derive_seed

__all__ = ["Judged", "judge"]

# Of 0, ½, 1, 2, 4 and Brier scores alone, 4 had the lowest test error and rank on six real sets and
# four families (53 cells): 14.36 % in place of 14.52 % without.
_WEIGHT_OF_DOUBT = 4.0
_N_BOOTSTRAPS = 500
_NORMAL = 1.96  # 95 % of a normal distribution lie within so many standard deviations


@dataclass(frozen=True)
class Judged:
    """What is chosen for a budget.

    Attributes
    ----------
    place : int or None
        Of the configuration in the pool of all rows; None if nothing is worth buying.
    score : float
        What it was chosen by.
    honest : ErrorEstimate
    reruns : tuple of feature sets
        What it bought in each resample.
    """

    place: int | None
    score: float
    honest: ErrorEstimate
    reruns: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, eq=False)
class _Table:
    """Configurations that every resample has, with their numbers.

    Attributes
    ----------
    places : ndarray of int, shape (n,)
        In the pool of all rows.
    limit, cost : ndarray of shape (n,)
        Inner budget, and the price of the set on all rows.
    out_of_bag : ndarray of shape (n,)
        Out-of-bag error and weighted doubt: mean of the reruns' mean and of the set on all rows.
    losses, doubts : ndarray of shape (n, n_rows)
        Mean error and doubt for each row over the resamples that left it out; NaN if none did.
    errors : ndarray of shape (n, n_resamples)
        Error on the rows left out, by resample.
    """

    places: NDArray[np.intp]
    limit: NDArray[np.float64]
    cost: NDArray[np.float64]
    out_of_bag: NDArray[np.float64]
    losses: NDArray[np.float64]
    doubts: NDArray[np.float64]
    errors: NDArray[np.float64]

    def some(self, index: NDArray[np.intp]) -> _Table:
        return _Table(*(part[index] for part in vars(self).values()))


def judge(
    pool: Pool,
    resamples: Sequence[Pool],
    splits: Sequence[Split],
    labels: NDArray[np.intp],
    budgets: Sequence[Budget],
    seed: int,
    final: Final | None = None,
) -> dict[Budget, Judged]:
    """The best configuration for each budget, or nothing.

    More money never gets a worse score: if a smaller budget's choice is better, it stands.

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
    final : Final, optional
        What was tested on the rows left out, if not the forest. Then these alone decide: an
        out-of-bag error says nothing of another model.
    """
    table = _collect(pool, resamples, splits, len(labels))
    if final is not None:
        table = replace(table, out_of_bag=np.zeros_like(table.out_of_bag), doubts=table.losses)
    test_train_ratio = float(np.mean([len(s.test) / len(s.train) for s in splits]))
    nothing = _judge_nothing(labels, splits, final is None)
    found: dict[float, Judged] = {}
    answers: dict[Budget, Judged] = {}
    for budget in sorted(budgets):
        limits = sorted(pool.inner[budget.limit])
        for i, limit in enumerate(limits):
            among = np.isin(table.limit, limits[: i + 1]) & Budget(limit).fits(table.cost)
            if limit not in found and among.any():
                here = table.some(np.flatnonzero(among))
                seed_here = derive_seed(seed, "judge")
                judged = _judge_one(here, pool, resamples, test_train_ratio, seed_here)
                useless = judged.honest.error >= nothing.honest.error
                found[limit] = nothing if pool.may_be_empty and useless else judged
        asked = [b.limit for b in answers]
        amounts = sorted({x for x in (*limits, *asked) if x in found})
        # The first of the best: of equal scores, that of the least money.
        answers[budget] = min((found[amount] for amount in amounts), key=lambda j: j.score)
    return answers


def _collect(pool: Pool, resamples: Sequence[Pool], splits: Sequence[Split], n_rows: int) -> _Table:
    everywhere = set(pool.configurations)
    for resample in resamples:
        everywhere &= set(resample.configurations)
    places = [i for i, key in enumerate(pool.configurations) if key in everywhere]
    keys = [pool.configurations[i] for i in places]
    n = len(places)
    total, doubt, times = np.zeros((n, n_rows)), np.zeros((n, n_rows)), np.zeros(n_rows)
    errors, on_reruns = np.empty((n, len(resamples))), np.zeros(n)
    for r, (resample, split) in enumerate(zip(resamples, splits, strict=True)):
        number = {key: i for i, key in enumerate(resample.configurations)}
        sets = np.array([resample.set_of[number[key]] for key in keys])
        losses = resample.row_losses()[sets]
        total[:, split.test] += losses
        doubt[:, split.test] += resample.row_doubts()[sets]
        times[split.test] += 1
        errors[:, r] = losses.mean(axis=1)
        on_reruns += _out_of_bag(resample)[sets] / len(resamples)
    of_all = np.array([pool.set_of[i] for i in places])
    with np.errstate(invalid="ignore"):
        total, doubt = total / times, doubt / times
    return _Table(
        np.array(places),
        np.array([key.limit for key in keys]),
        np.array([s.cost for s in pool.sets])[of_all],
        (on_reruns + _out_of_bag(pool)[of_all]) / 2,
        total,
        doubt,
        errors,
    )


def _out_of_bag(pool: Pool) -> NDArray[np.float64]:
    return np.array([s.oob_error + _WEIGHT_OF_DOUBT * s.oob_doubt for s in pool.sets])


def _judge_nothing(
    labels: NDArray[np.intp], splits: Sequence[Split], with_out_of_bag: bool
) -> Judged:
    """Always naming the commonest class of the rows at hand, with doubt by the class shares."""
    errors = []
    for split in splits:
        counts = np.bincount(labels[split.train], minlength=labels.max() + 1)
        errors.append(float((labels[split.test] != counts.argmax()).mean()))
    # Nothing is learned, so all rows count, and each row by itself: as for any share.
    error = float(1 - np.bincount(labels).max() / len(labels))
    se = math.sqrt(error * (1 - error) / len(labels))
    reach = _NORMAL * se
    honest = ErrorEstimate(error, se, max(0.0, error - reach), error + reach, tuple(errors))
    # A final model's doubt is its error: it is there without shares.
    shares = np.bincount(labels) / len(labels)
    doubt = (1 - shares @ shares) / 2
    score = error + _WEIGHT_OF_DOUBT * (doubt if with_out_of_bag else error)
    score *= 2 if with_out_of_bag else 1
    return Judged(None, float(score), honest, ((),) * len(splits))


def _judge_one(
    table: _Table,
    pool: Pool,
    resamples: Sequence[Pool],
    test_train_ratio: float,
    seed: int,
) -> Judged:
    tested = ~np.isnan(table.losses[0])
    losses = table.losses[:, tested]
    badness = losses + _WEIGHT_OF_DOUBT * table.doubts[:, tested]
    price = np.array([rounded_cost(c) for c in table.cost.tolist()])
    score = badness.mean(axis=1) + table.out_of_bag
    best = int(np.lexsort((price, score.round(12)))[0])
    corrected = _bias_corrected(losses, badness, table.out_of_bag, price, seed)
    raw = ErrorEstimate.from_errors(table.errors[best], test_train_ratio)
    raw = raw.at_least_as_wide(float(losses[best].std() / math.sqrt(losses.shape[1])))
    key = pool.configurations[int(table.places[best])]
    reruns = []
    for resample in resamples:
        at = resample.set_of[resample.configurations.index(key)]
        reruns.append(resample.sets[at].features)
    return Judged(
        int(table.places[best]), float(score[best]), raw.moved_to(corrected), tuple(reruns)
    )


def _bias_corrected(
    losses: NDArray[np.float64],
    badness: NDArray[np.float64],
    out_of_bag: NDArray[np.float64],
    price: NDArray[np.float64],
    seed: int,
) -> float:
    """Mean error on rows not drawn, of the configuration chosen on the rows drawn.

    It is chosen by `badness` and `out_of_bag`, as on all rows; its error is in `losses`.
    """
    n_rows = losses.shape[1]
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(_N_BOOTSTRAPS):
        weight = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows)
        left = weight == 0
        if not left.any():
            continue
        score = badness @ (weight / n_rows) + out_of_bag
        lowest = np.flatnonzero(score <= score.min() + 1e-12)
        best = lowest[int(np.argmin(price[lowest]))]
        found.append(losses[best, left].mean())
    return float(np.mean(found)) if found else float(losses.mean())
