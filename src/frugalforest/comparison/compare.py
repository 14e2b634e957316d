"""compare(): all methods at all budgets, with an error that can be trusted.

The out-of-bag error of a chosen set is what the choice was made by, so it is too low. The honest
error re-runs the whole procedure (coding of text, selection, tuning, choice of method) on part of
the rows and tests on rows it never saw, many times::

    table, outcome, prices ──► plan ──► tasks: all rows, resample 0, 1, …  ──► Comparison
                                        each a pure function of (plan, its rows)

Tasks run through one runner, on this machine or a cluster, and finished ones can be kept in a
file, so that an interrupted run continues where it stopped.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from os import PathLike
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from frugalforest.comparison.assembly import Resampled, assemble
from frugalforest.comparison.hashes import hash_data
from frugalforest.comparison.options import Options
from frugalforest.comparison.plan import make_plan
from frugalforest.comparison.result import Comparison
from frugalforest.comparison.signatures import takes_options
from frugalforest.comparison.stages import Stages
from frugalforest.costs import Budget, CostModel, Prices, price_doubts
from frugalforest.evaluation.parts import make_parts
from frugalforest.evaluation.resampling import make_splits
from frugalforest.evaluation.row_groups import RowGroups, read_row_groups
from frugalforest.methods import inner_budgets
from frugalforest.results import ColumnNotice
from frugalforest.running.runner import Runner, Task, finish_tasks, run_tasks, tasks_at_once
from frugalforest.scores import settled_task
from frugalforest.storage.ledger import Ledger
from frugalforest.tables import (
    Notice,
    Table,
    column_checks,
    copied_rows,
    read_outcome,
    task_notice,
)
from frugalforest.tables.screening import screened

__all__ = ["compare"]


@takes_options()
def compare(
    X: Any,
    y: Any,
    costs: object = None,
    budgets: Sequence[float] | float | None = None,
    methods: object = None,
    *,
    row_groups: ArrayLike | None = None,
    n_jobs: int | None = None,
    dask: str | None = None,
    resume: str | PathLike[str] | None = None,
    verbose: int = 1,
    runner: Runner = run_tasks,
    **options: Any,
) -> Comparison:
    """Compare methods at several budgets, with honest errors.

    Parameters
    ----------
    X : data frame or array of shape (n_rows, n_features)
        Numbers, text, categories or dates; empty, None or NaN is missing. A text column is one
        feature.
    y : array-like of shape (n_rows,)
        Classes, at least two, or numbers: see `task`.
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budgets : float, sequence of float, or None
        One or several limits. By default the whole frontier: round amounts from the cheapest
        feature to the price of all, of which those stay that buy something new.
    methods : str, Method, or a sequence of them, optional
        Names (see `frugalforest.methods.METHODS`) or methods with parameters of their own, such as
        ``Forward(racing=True)``, which are used as they are. By default `auto`, whose answer is
        reported, and for comparison the paper's four methods, unless they are too slow: forward
        selection only in small tables or with `racing`, none of them for more than 20,000 rows or
        1,000 features.
    {options}
    row_groups : array-like of shape (n_rows,), optional
        Rows of one group (a patient, a batch) are never on both sides of a split.
    n_jobs : int or None
        Tasks at the same time. Results do not depend on it.
    dask : str, optional
        Address of a Dask scheduler, such as "tcp://…:8786": its workers run the tasks, and results
        are the same. Inside ``joblib.parallel_config("dask")`` those of its client do.
    resume : path, optional
        A file that keeps finished tasks. Run again with the same file, data and settings, and
        they are not repeated.
    verbose : int, default=1
        0 shows no progress. Without a terminal it goes to the log ("frugalforest", INFO).
    runner : callable
        What runs the tasks; see `frugalforest.running.runner.run_tasks`.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = compare(X, y, budgets=[2, 5], methods=["auc"], n_trees=50, n_resamples=3)
    >>> result.best(5).cost
    5.0
    """
    asked = Options(**options)
    task = settled_task(asked.task, asked.scoring, asked.error_costs, asked.class_weight)
    table, outcome = Table.read(X), read_outcome(y, task)
    independent = asked.rows_are_independent
    if independent and row_groups is not None:
        raise ValueError("`row_groups` say that rows are not independent: leave one of them out.")
    known = {"grouped": row_groups is not None, "independent": independent}
    notices = column_checks(table, outcome, **known)
    doubts = price_doubts(costs, table.names if hasattr(X, "columns") else None)
    notices += task_notice(outcome) if task is None else []
    notices += [Notice(kind, (), message) for kind, message in doubts.items()]
    prices = screened(CostModel.coerce(costs, table.names).align(table.names), notices)
    if "prices_by_position" in doubts:
        warnings.warn(doubts["prices_by_position"], stacklevel=3)  # 2 is what checks the options
    limits = _whole_frontier(prices) if budgets is None else _read_budgets(budgets)
    plan = make_plan(table, outcome, limits, methods, asked)
    for budget in plan.budgets:
        prices.check_affordable(budget)
    named = None if row_groups is None else read_row_groups(row_groups, table.n_rows)
    groups = RowGroups.of(named, None if independent else copied_rows(table))
    parts, searched = None, groups
    strata = outcome.strata_for(groups is not None and not groups.are_copies)
    if plan.search_rows is not None:
        parts = make_parts(strata, plan.search_rows, plan.seed, groups)
        strata = strata[parts.search]
        searched = None if groups is None else groups.rows(parts.search)
    splits = make_splits(strata, int(asked.n_resamples), asked.test_share, plan.seed, searched)

    data_hash = hash_data(table, outcome)
    with Ledger(resume) as ledger:

        def finish(tasks: Sequence[Task], *shared: Any) -> dict[str, Any]:
            run = partial(runner, shared=shared, n_jobs=n_jobs, dask=dask)
            return finish_tasks(tasks, ledger, run, verbose, tasks_at_once(n_jobs, dask))

        stages = Stages(table, outcome, prices, plan, splits, parts, groups, data_hash, finish)
        found = stages.run()
    ratio = float(np.mean([len(s.test) / len(s.train) for s in splits])) if splits else np.nan
    resampled = Resampled(
        found.resamples,
        splits,
        ratio,
        row_groups is not None,
        None if parts is None else len(parts.final.test),
        searched,
    )
    facts = assemble(table, outcome, prices, plan, data_hash, found, resampled)
    result = Comparison(
        **facts,
        notices=tuple(ColumnNotice(n.kind, n.columns, n.message, n.loud) for n in notices),
        never_bought=tuple(table.names[j] for j in np.flatnonzero(prices.screened)),
    )
    return _frontier_only(result) if budgets is None else result


def _read_budgets(budgets: object) -> list[Budget]:
    limits = [Budget.read(b) for b in np.ravel(np.asarray(budgets, dtype=object)).tolist()]
    if not limits or not all(budget.is_limited for budget in limits):
        raise ValueError("`budgets` must hold at least one number, and no limit is no budget.")
    return limits


def _whole_frontier(prices: Prices) -> list[Budget]:
    """Amounts from the cheapest feature to all; nothing, if all that may be bought is free."""
    return [b for b in inner_budgets(prices, Budget()) if b.is_limited] or [Budget(0.0)]


def _frontier_only(result: Comparison) -> Comparison:
    """Without the budgets that buy nothing, or nothing better than a smaller one."""
    kept: list[float] = []
    lowest = np.inf
    bought: tuple[str, ...] = ()
    of_budgets = {result.best(budget).features for budget in result.budgets}
    for amount in result.amounts:
        best = result.best(amount)
        error = best.score if best.honest is None else best.honest.error
        shown = amount in result.budgets or best.features not in of_budgets
        if shown and best.features != bought and error < lowest:
            kept.append(amount)
            lowest, bought = error, best.features
    budgets = [budget for budget in result.budgets if budget in kept] or [result.budgets[-1]]
    smaller = [amount for amount in kept if amount not in budgets and amount < budgets[-1]]
    kept = [*budgets, *smaller]
    return replace(
        result,
        settings=replace(
            result.settings, budgets=tuple(budgets), smaller=tuple(smaller), whole_frontier=True
        ),
        selections=tuple(s for s in result.selections if s.budget in kept),
        procedures=tuple(p for p in result.procedures if p.budget in kept),
    )
