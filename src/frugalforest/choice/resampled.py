"""The choice by rows left out, all in one process: what an estimator's `fit` does."""

from __future__ import annotations

from collections.abc import Sequence

from frugalforest.choice.judging import Judged, judge
from frugalforest.choice.pools import Pool, make_pool
from frugalforest.costs import Budget
from frugalforest.final import Final
from frugalforest.methods import Method
from frugalforest.problem import Problem
from frugalforest.resampling import Split, make_splits

__all__ = ["choose_on_resamples"]


def choose_on_resamples(
    problem: Problem,
    method: Method,
    budgets: Sequence[Budget],
    n_resamples: int,
    test_share: float = 1 / 3,
    final: Final | None = None,
) -> tuple[Pool, dict[Budget, Judged]]:
    """The pool of all rows, and the best of it for each budget by rows left out.

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
    pool = make_pool(problem, method, budgets)
    splits = make_splits(problem.outcome.strata, n_resamples, test_share, problem.seed)
    pools = []
    for number, split in enumerate(splits):
        part = _on_part(problem, split, number)
        pools.append(make_pool(part, method, budgets, problem.table.rows(split.test), final))
    labels, score = problem.outcome.labels, problem.score
    return pool, judge(pool, pools, splits, labels, budgets, problem.seed, score, final)


def _on_part(problem: Problem, split: Split, number: int) -> Problem:
    return Problem.from_table(
        problem.table.rows(split.train),
        problem.outcome.rows(split.train),
        problem.prices,
        random_state=problem.seed_for("resample", number),
        forests=problem.forests.for_rows(problem.table.n_rows),
        score=problem.score,
        n_jobs=problem.n_jobs,
        sample_weight=(
            None if problem.sample_weight is None else problem.sample_weight[split.train]
        ),
    )
