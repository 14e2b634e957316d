"""The work of a comparison, as pure functions of (plan, rows): one on all rows, one a resample."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice import (
    Grown,
    PackedShares,
    Pool,
    PooledSet,
    Tuned,
    grow_on,
    make_pool,
    measured_sets,
    pooled_sets,
    tune,
)
from frugalforest.comparison.plan import Plan
from frugalforest.costs import Budget, Prices
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import Split, seed_on_all_rows
from frugalforest.methods import Candidate, Method, Origin, Step
from frugalforest.methods.criterion import lowest
from frugalforest.problem import FeatureSet, Problem
from frugalforest.results import TriedSet
from frugalforest.running.seeds import derive_seed
from frugalforest.scores import row_weights
from frugalforest.tables import Outcome, Table

__all__ = [
    "AllRows",
    "Chosen",
    "ColumnSubstitute",
    "Pick",
    "Rerun",
    "Resample",
    "choose_on_all",
    "finish_pick",
    "grow_set",
    "run_resample",
    "score_found_sets",
]

# Substitutes are tried with so many trees; where there are many to try, with fewer, and only the
# most promising, so that the time they take stays bounded (40,000 trees on 500 rows: some 4 s).
# With many rows, fewer trees tell sets apart.
_SUBSTITUTE_TREES = 500
_FEWEST_SUBSTITUTE_TREES = 250
_FEWEST_SUBSTITUTE_TREES_FOR_MANY_ROWS = 100
_MOST_SUBSTITUTE_TREES_IN_ALL = 40_000
_MANY_ROWS = 2_000
# Nobody looks for what could stand in for one of more features than these.
_MOST_FEATURES_TO_EXCHANGE = 100


@dataclass(frozen=True)
class ColumnSubstitute:
    """A chosen column, the column to measure in its place, and what that does to the OOB score."""

    feature: int
    substitute: int | None
    error_change: float | None


@dataclass(frozen=True)
class Chosen:
    """What a method buys at a budget, from all rows. `winner`: the best of the methods there."""

    budget: float
    method: str
    winner: bool
    features: tuple[int, ...]
    cost: float
    xi: float | None
    score: float
    oob_error: float
    brier: float
    steps: tuple[Step, ...]
    tried: tuple[TriedSet, ...]
    substitutes: tuple[ColumnSubstitute, ...]
    model: str = ""


@dataclass(frozen=True)
class AllRows:
    """What every method buys at every budget, from all rows.

    `pools` has, for methods that are judged on rows left out, all sets they propose.
    """

    chosen: tuple[Chosen, ...]
    pools: dict[str, Pool] = field(default_factory=dict)


@dataclass(frozen=True)
class Rerun:
    """What a method bought in a resample, and its mean loss on the rows left out.

    `left_out` is what its forest said of them, for the best of the methods only.
    """

    budget: float
    method: str
    winner: bool
    features: tuple[int, ...]
    error: float
    left_out: PackedShares | None = None


@dataclass(frozen=True)
class Resample:
    """Every method at every budget, on part of the rows; `pools` as for all rows."""

    reruns: tuple[Rerun, ...]
    pools: dict[str, Pool] = field(default_factory=dict)


@dataclass(frozen=True)
class Pick:
    """A set that was judged best for a budget, and the method whose pool it is from."""

    budget: float
    method: str
    features: tuple[int, ...]
    xi: float | None


def choose_on_all(table: Table, outcome: Outcome, prices: Prices, plan: Plan) -> AllRows:
    """What would be bought, from all rows."""
    problem = _problem(table, outcome, prices, plan, seed_on_all_rows(plan.seed))
    tuned = _tune_all(problem, plan)
    chosen = []
    for budget in plan.budgets:
        winner = _best_method(tuned, budget, plan)
        for method, found in tuned.items():
            best = found[budget].best
            chosen.append(
                Chosen(
                    budget.limit,
                    method.name,
                    method is winner,
                    best.candidate.features,
                    best.candidate.cost,
                    best.candidate.origin.xi,
                    best.score.value,
                    best.score.oob_error,
                    best.score.brier,
                    best.candidate.steps,
                    _tried(found[budget]),
                    _exchanges(problem, best.candidate.features, budget)
                    if method is winner
                    else (),
                )
            )
    pools = {
        m.name: make_pool(problem, m, plan.budgets, final=plan.final) for m in plan.judged_methods
    }
    return AllRows(tuple(chosen), pools)


def score_found_sets(
    table: Table, outcome: Outcome, prices: Prices, plan: Plan, sets: Sequence[FeatureSet]
) -> list[PooledSet]:
    """Sets that were found in resamples, scored on all rows."""
    problem = _problem(table, outcome, prices, plan, seed_on_all_rows(plan.seed))
    return pooled_sets(problem, plan.final, sets)


def finish_pick(table: Table, outcome: Outcome, prices: Prices, plan: Plan, pick: Pick) -> Chosen:
    """The scores of a picked set in full precision, and what could stand in for its features."""
    problem = _problem(table, outcome, prices, plan, seed_on_all_rows(plan.seed))
    budget = Budget(pick.budget)
    candidate = Candidate.from_set(prices, budget, pick.features, Origin(pick.method, pick.xi))
    value = oob_error = brier = np.nan
    if plan.search_rows is None:  # or they are measured on all rows in the end
        score = problem.scores([candidate.features])[0]
        value, oob_error, brier = score.value, score.oob_error, score.brier
    final = plan.final
    return Chosen(
        pick.budget,
        pick.method,
        True,
        candidate.features,
        candidate.cost,
        pick.xi,
        value,
        oob_error,
        brier,
        candidate.steps,
        (),
        _exchanges(problem, candidate.features, budget),
        "forest" if final is None else final.kind_of(problem, candidate.features),
    )


def run_resample(
    table: Table, outcome: Outcome, prices: Prices, plan: Plan, split: Split, number: int
) -> Resample:
    """The whole procedure on the training rows, and its error on the test rows."""
    seed = derive_seed(plan.seed, "resample", number)
    problem = _problem(table, outcome, prices, plan, seed).on_rows(split.train, seed)
    tuned = _tune_all(problem, plan)
    rows, truth, known = table.rows(split.test), outcome.truth[split.test], problem.outcome.known
    pools = {
        m.name: make_pool(problem, m, plan.budgets, rows, plan.final) for m in plan.judged_methods
    }
    if not tuned:
        return Resample((), pools)
    sets = sorted({f[b].best.candidate.features for f in tuned.values() for b in plan.budgets})
    said = {s: _said(problem, s, rows, plan) for s in sets}
    error_of = {
        s: float(plan.score.row_losses(packed.of_set(0, 1), truth, known).mean())
        for s, packed in said.items()
    }
    reruns = []
    for budget in plan.budgets:
        winner = _best_method(tuned, budget, plan)
        for method, found in tuned.items():
            features, wins = found[budget].best.candidate.features, method is winner
            kept = said[features] if wins else None
            reruns.append(
                Rerun(budget.limit, method.name, wins, features, error_of[features], kept)
            )
    return Resample(tuple(reruns), pools)


def _said(problem: Problem, features: FeatureSet, rows: Table, plan: Plan) -> PackedShares:
    """What the model of a set says of new rows."""
    said = measured_sets(problem, [features], rows, None, plan.final_of_tuned)[1]
    assert said is not None  # because there are rows
    return said


def grow_set(
    table: Table,
    outcome: Outcome,
    prices: Prices,
    plan: Plan,
    parts: Parts,
    where: int,
    features: FeatureSet,
) -> Grown:
    """The forest of one set on those rows of a large table that are asked for."""
    problem = _problem(table, outcome, prices, plan, seed_on_all_rows(plan.seed))
    return grow_on(problem, parts, where, features, plan.final)


def _problem(table: Table, outcome: Outcome, prices: Prices, plan: Plan, seed: int) -> Problem:
    return Problem.from_table(
        table,
        outcome,
        prices,
        random_state=seed,
        forests=plan.forests,
        score=plan.score,
        sample_weight=row_weights(plan.class_weight, outcome),
    )


TunedMethods = Mapping[Method, Mapping[Budget, Tuned]]


def _tune_all(problem: Problem, plan: Plan) -> TunedMethods:
    return {method: tune(problem, method, plan.budgets) for method in plan.tuned_methods}


def _best_method(tuned: TunedMethods, budget: Budget, plan: Plan) -> Method | None:
    """The lowest score; ties go to the lower cost, then to the method named first.

    None if a method that is judged on rows left out will have the say.
    """
    if plan.judged_methods:
        return None
    best = [found[budget].best for found in tuned.values()]
    place = lowest([b.score.value for b in best], [b.candidate.cost for b in best])
    assert place is not None  # because each method's own choice has a score
    return list(tuned)[place]


def _tried(found: Tuned) -> tuple[TriedSet, ...]:
    return tuple(
        TriedSet(
            t.candidate.origin.xi,
            t.candidate.origin.variant,
            len(t.candidate.features),
            t.candidate.cost,
            t.score.value,
        )
        for t in found.tried
    )


def _exchanges(
    problem: Problem, features: FeatureSet, budget: Budget
) -> tuple[ColumnSubstitute, ...]:
    """For each chosen feature, what to measure in its place, within the same budget.

    By the out-of-bag score of the exchanged set; None if nothing else fits. Nothing for very large
    sets.
    """
    if len(features) > _MOST_FEATURES_TO_EXCHANGE:
        return ()
    prices = problem.prices
    n_forests = max(1, len(features) * (problem.n_features - len(features)))
    in_all, fewest = _MOST_SUBSTITUTE_TREES_IN_ALL, _FEWEST_SUBSTITUTE_TREES
    if (n_rows := problem.table.n_rows) > _MANY_ROWS:
        in_all = in_all * _MANY_ROWS // n_rows
        fewest = _FEWEST_SUBSTITUTE_TREES_FOR_MANY_ROWS
    n_trees = np.clip(in_all // n_forests, fewest, _SUBSTITUTE_TREES)
    settings = problem.small_forests(int(n_trees))
    most = max(5, int(in_all / n_trees / max(1, len(features))))
    found = []
    for j in features:
        if prices.required[j] or prices.free[j]:
            continue
        rest = [k for k in features if k != j]
        mask = np.zeros(problem.n_features, dtype=bool)
        mask[rest] = True
        price = float(prices.total(mask)) + prices.marginal_each(mask)
        possible = ~mask & ~prices.excluded & budget.fits(price)
        possible[j] = False
        candidates = np.flatnonzero(possible)
        if len(candidates) > most:
            candidates = _most_promising(problem, j, candidates, most)
        best: int | None = None
        change: float | None = None
        if len(candidates):
            errors = problem.extended_scores(
                rest, [*candidates.tolist(), j], "substitutes", settings
            )
            at = int(errors[:-1].argmin())
            own = problem.quoted(errors)
            best, change = int(candidates[at]), float(own[at] - own[-1])
        found.append(ColumnSubstitute(j, best, change))
    return tuple(found)


def _most_promising(
    problem: Problem, column: int, candidates: NDArray[np.intp], most: int
) -> NDArray[np.intp]:
    """Half of them the likest to the column, by correlation of ranks, half the best by themselves.

    The best are those whose mean ranks differ most between the classes, or layers of numbers.
    """
    ranks, strengths = problem.remember("ranks to compare columns by", lambda: _ranks(problem))
    likeness, strength = np.abs(ranks @ ranks[column])[candidates], strengths[candidates]
    likest = np.argsort(-likeness, kind="stable")[: (most + 1) // 2]
    strongest = np.argsort(-strength, kind="stable")
    strongest = strongest[~np.isin(strongest, likest)]
    return np.sort(candidates[[*likest, *strongest[: most // 2]]])


def _ranks(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Ranks of the columns, scaled to unit length, and how far mean ranks of the strata differ."""
    ranks: NDArray[np.float64] = problem.data.codes().astype(np.float64)
    ranks -= ranks.mean(axis=1, keepdims=True)
    scale = np.sqrt((ranks**2).sum(axis=1))
    ranks /= np.where(scale == 0, 1.0, scale)[:, np.newaxis]
    strata = problem.outcome.strata
    member = np.eye(int(strata.max()) + 1)[strata]
    strength = ((ranks @ member) ** 2 / np.maximum(member.sum(axis=0), 1)).sum(axis=1)
    return ranks, strength
