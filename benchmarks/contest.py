"""What each method buys on one problem, and the test error of a forest on that.

Plain methods are tuned on their own out-of-bag error; forward selection is raced; the knapsack
holds the largest sum of permutation importances that the budget pays for; sequential selection
knows no prices and is filled by them; CEGB (LightGBM) is held to the budget and counts with its own
predictions and with a forest on its features; `auto` is judged on resamples; "everything" pays for
all features, whatever the budget.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from choices import Row, problem_of, read_rows, test_error, test_labels
from common import timed
from frugalforest.choice import choose_on_resamples, tune
from frugalforest.costs import Budget
from frugalforest.methods import METHODS, Auto, Forward, Permutation
from frugalforest.problem import FeatureSet, Problem
from problems import Drawn
from rivals import Cegb, Sequential, lightgbm

__all__ = [
    "CEGB",
    "FIELDS",
    "METHODS_COMPARED",
    "PAPER",
    "RIVALS",
    "knapsack",
    "read_numbers",
    "run_contest",
]

PAPER = ("auc", "pfi", "sts", "forward")
CEGB = {"cegb", "cegb forest"} if lightgbm else set()
RIVALS = ("knapsack", "sequential", *sorted(CEGB))
METHODS_COMPARED = (*PAPER, *RIVALS, "auto")
FIELDS = ("problem", "draw", "budget", "method", "cost", "n_features", "test_error", "quoted", "s")


def run_contest(
    drawn: Drawn, name: str, number: int, wanted: set[str], n_trees: int, n_resamples: int
) -> list[Row]:
    """The wanted methods on one draw, for all its budgets."""
    problem = problem_of(drawn, number, n_trees)
    budgets = [Budget(limit) for limit in drawn.budgets]
    rows: list[Row] = []

    def add(
        budget: Budget,
        method: str,
        features: FeatureSet,
        s: float,
        quoted: float = np.nan,
        error: float | None = None,
    ) -> None:
        if error is None:
            error = test_error(problem, features, drawn, None)
        cost = float(problem.prices.total(list(features)))
        values = (name, number, budget.limit, method, cost, len(features), error, quoted, s)
        rows.append(dict(zip(FIELDS, values, strict=True)))

    for method in (m for m in _paper_methods(n_trees) if m.name in wanted):
        seconds, tuned = timed(lambda m=method: tune(problem, m, budgets))
        for budget, found in tuned.items():
            add(budget, method.name, found.best.candidate.features, seconds)
    if "knapsack" in wanted:
        for budget in budgets:
            seconds, features = timed(lambda b=budget: knapsack(problem, b, n_trees))
            add(budget, "knapsack", features, seconds)
    if "everything" in wanted:
        everything = tuple(np.flatnonzero(~problem.prices.excluded).tolist())
        for budget in budgets:
            add(budget, "everything", everything, 0.0)
    if "sequential" in wanted:
        seconds, sequential = timed(lambda: Sequential(problem))
        for budget in budgets:
            add(budget, "sequential", sequential.within(budget), seconds)
    if wanted & CEGB:
        cegb, labels = Cegb(problem), test_labels(problem, drawn)
        new_values = problem.encoder.transform(problem.table.schema.read(drawn.X_test))
        for budget in budgets:
            seconds, (features, answers) = timed(lambda b=budget: cegb.within(b, new_values))
            own_error = {"cegb": float((answers != labels).mean())}
            for rival in sorted(wanted & CEGB):
                add(budget, rival, features, seconds, error=own_error.get(rival))
    if "auto" in wanted:
        method = Auto().scaled_to(n_trees)
        seconds, (pool, judged) = timed(
            lambda: choose_on_resamples(problem, method, budgets, n_resamples)
        )
        for budget, found in judged.items():
            add(budget, "auto", pool.chosen(found.place)[0], seconds, found.honest.error)
    return rows


def knapsack(problem: Problem, budget: Budget, n_trees: int) -> FeatureSet:
    """The set with the largest sum of permutation importances that the budget pays for."""
    prices, n = problem.prices, problem.n_features
    worth = Permutation(n_trees=n_trees).benefit(problem)
    worth = np.where(prices.excluded, 0.0, np.maximum(worth, 0.0))
    groups = prices.group[:, np.newaxis] == np.arange(len(prices.group_cost))
    # Features, then groups whose fee is paid: a feature needs its group.
    cost = np.concatenate([prices.feature_cost, prices.group_cost])
    member_of = np.hstack([np.eye(n), -groups.astype(float)])[groups.any(axis=1)]
    constraints = [LinearConstraint(cost, ub=budget.limit * (1 + 1e-9))]
    if len(member_of):
        constraints.append(LinearConstraint(member_of, ub=0.0))
    n_all = len(cost)
    found = milp(
        -np.concatenate([worth, np.zeros(n_all - n)]),
        integrality=np.ones(n_all),
        bounds=Bounds(0, 1),
        constraints=constraints,
    )
    bought = np.flatnonzero((np.round(found.x[:n]) == 1) & (worth > 0))
    return tuple(bought.tolist())


def _paper_methods(n_trees: int) -> list:
    forward = Forward(xis=(0.0, 0.5, 1.0), racing=True).scaled_to(max(20, n_trees // 3))
    return [*(METHODS[name]().scaled_to(n_trees) for name in PAPER[:-1]), forward]


def read_numbers(path: Path | None) -> list[Row]:
    """Rows that were made before, with their numbers."""
    rows = read_rows(path)
    for row in rows:
        row |= {name: int(str(row[name])) for name in ("draw", "n_features")}
        row |= {n: float(str(row[n])) for n in ("budget", "cost", "test_error", "quoted", "s")}
    return rows
