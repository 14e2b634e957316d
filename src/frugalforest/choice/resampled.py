"""The choice by rows left out, all in one process: what an estimator's `fit` does."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from frugalforest.choice.finalists import Grown, grow_on, judge_on_all_rows
from frugalforest.choice.judging import Judged, judge
from frugalforest.choice.pools import Pool, make_pool
from frugalforest.choice.recurring import pooled_sets, with_recurring_sets
from frugalforest.costs import Budget
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import make_splits
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.methods import Method
from frugalforest.model.final import Final
from frugalforest.problem import FeatureSet, Problem
from frugalforest.running.seeds import derive_seed

__all__ = ["choose_on_resamples"]


def choose_on_resamples(
    problem: Problem,
    method: Method,
    budgets: Sequence[Budget],
    n_resamples: int,
    test_share: float = 1 / 5,
    final: Final | None = None,
    parts: Parts | None = None,
    groups: RowGroups | None = None,
    seed: int | None = None,
) -> tuple[Pool, dict[Budget, Judged]]:
    """The pool of all rows, and the best of it for each budget by rows left out.

    With `parts`, sets are looked for on part of the rows, and the pool has the finalists only.
    Rows of one of the `groups` are never on both sides of a split. Splits, and what is drawn on
    parts of the rows, follow from the seed, by default that of the problem.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalforest.engine import ForestSettings
    >>> from frugalforest.methods import AUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=50))
    >>> pool, judged = choose_on_resamples(problem, AUC(xis=[0]), [Budget(3)], n_resamples=3)
    >>> len(pool.sets[pool.set_of[judged[Budget(3)].place]].features)
    3
    """
    seed = problem.seed if seed is None else seed
    if parts is not None:
        searched = problem.on_rows(parts.search, problem.seed)
        own_groups = None if groups is None else groups.rows(parts.search)
        pool, found = choose_on_resamples(
            searched, method, budgets, n_resamples, test_share, final, groups=own_groups, seed=seed
        )

        def grow(where: int, sets: Sequence[FeatureSet]) -> dict[FeatureSet, Grown]:
            return {features: grow_on(problem, parts, where, features, final) for features in sets}

        own = problem.outcome, seed, problem.score
        return judge_on_all_rows(pool, found, parts, *own, final, grow, groups)
    pool = make_pool(problem, method, budgets, final=final)
    grouped = groups is not None and not groups.are_copies
    strata = problem.outcome.strata_for(grouped)
    splits = make_splits(strata, n_resamples, test_share, seed, groups)
    pools = []
    for number, split in enumerate(splits):
        part = problem.on_rows(split.train, derive_seed(seed, "resample", number))
        pools.append(make_pool(part, method, budgets, problem.table.rows(split.test), final))
    if final is None or final.has_out_of_bag:
        pool = with_recurring_sets(pool, pools, partial(pooled_sets, problem, final))
    outcome, score = problem.outcome, problem.score
    return pool, judge(pool, pools, splits, outcome, budgets, seed, score, final, groups)
