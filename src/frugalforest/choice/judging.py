"""The choice by rows left out, and an error of that choice that can be trusted.

A *configuration* is a way to a set: a method, its ξ and variant, and an inner budget. Every one is
re-run in every resample, which gives its out-of-bag error there and its error on the rows left
out. The configuration with the lowest sum of the two wins and is run on all rows. If its error to
expect is no lower than that of always naming the commonest class, nothing is bought.

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
        Mean of the out-of-bag errors of the reruns and of the set on all rows.
    losses : ndarray of shape (n, n_rows)
        Mean loss for each row over the resamples that left it out; NaN if none did.
    errors : ndarray of shape (n, n_resamples)
        Error on the rows left out, by resample.
    """

    places: NDArray[np.intp]
    limit: NDArray[np.float64]
    cost: NDArray[np.float64]
    out_of_bag: NDArray[np.float64]
    losses: NDArray[np.float64]
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
        table = replace(table, out_of_bag=np.zeros_like(table.out_of_bag))
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
    total, times = np.zeros((n, n_rows)), np.zeros(n_rows)
    errors, on_reruns = np.empty((n, len(resamples))), np.zeros(n)
    for r, (resample, split) in enumerate(zip(resamples, splits, strict=True)):
        number = {key: i for i, key in enumerate(resample.configurations)}
        sets = np.array([resample.set_of[number[key]] for key in keys])
        losses = resample.row_losses()[sets]
        total[:, split.test] += losses
        times[split.test] += 1
        errors[:, r] = losses.mean(axis=1)
        on_reruns += _out_of_bag(resample)[sets] / len(resamples)
    of_all = np.array([pool.set_of[i] for i in places])
    with np.errstate(invalid="ignore"):
        mean = total / times
    return _Table(
        np.array(places),
        np.array([key.limit for key in keys]),
        np.array([s.cost for s in pool.sets])[of_all],
        (on_reruns + _out_of_bag(pool)[of_all]) / 2,
        mean,
        errors,
    )


def _out_of_bag(pool: Pool) -> NDArray[np.float64]:
    return np.array([s.oob_error for s in pool.sets])


def _judge_nothing(
    labels: NDArray[np.intp], splits: Sequence[Split], with_out_of_bag: bool
) -> Judged:
    """Always naming the commonest class of the rows at hand."""
    errors = []
    for split in splits:
        counts = np.bincount(labels[split.train], minlength=labels.max() + 1)
        errors.append(float((labels[split.test] != counts.argmax()).mean()))
    # Nothing is learned, so all rows count, and each row by itself: as for any share.
    error = float(1 - np.bincount(labels).max() / len(labels))
    se = math.sqrt(error * (1 - error) / len(labels))
    reach = _NORMAL * se
    honest = ErrorEstimate(error, se, max(0.0, error - reach), error + reach, tuple(errors))
    score = error * (2 if with_out_of_bag else 1)
    return Judged(None, score, honest, ((),) * len(splits))


def _judge_one(
    table: _Table,
    pool: Pool,
    resamples: Sequence[Pool],
    test_train_ratio: float,
    seed: int,
) -> Judged:
    tested = ~np.isnan(table.losses[0])
    losses = table.losses[:, tested]
    price = np.array([rounded_cost(c) for c in table.cost.tolist()])
    score = losses.mean(axis=1) + table.out_of_bag
    best = int(np.lexsort((price, score.round(12)))[0])
    corrected = _bias_corrected(losses, table.out_of_bag, price, seed)
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
    out_of_bag: NDArray[np.float64],
    price: NDArray[np.float64],
    seed: int,
) -> float:
    """Mean error on rows not drawn, of the configuration chosen on the rows drawn."""
    n_rows = losses.shape[1]
    rng = np.random.default_rng(seed)
    found = []
    for _ in range(_N_BOOTSTRAPS):
        weight = np.bincount(rng.integers(n_rows, size=n_rows), minlength=n_rows)
        left = weight == 0
        if not left.any():
            continue
        score = losses @ (weight / n_rows) + out_of_bag
        lowest = np.flatnonzero(score <= score.min() + 1e-12)
        best = lowest[int(np.argmin(price[lowest]))]
        found.append(losses[best, left].mean())
    return float(np.mean(found)) if found else float(losses.mean())
