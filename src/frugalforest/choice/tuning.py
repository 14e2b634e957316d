"""The choice among proposed sets: the one whose forest has the lowest out-of-bag score.

The score that picks the winner is a selection score. It is lower than the error to expect.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from frugalforest.costs import Budget
from frugalforest.errors import DataError
from frugalforest.methods import Candidate, Method
from frugalforest.methods.criterion import lowest
from frugalforest.problem import Problem
from frugalforest.running.progress import note_step
from frugalforest.scores import OobScore

__all__ = ["Scored", "Tuned", "choose", "tune"]


@dataclass(frozen=True)
class Scored:
    """A proposed set with the scores of its forest."""

    candidate: Candidate
    score: OobScore


@dataclass(frozen=True)
class Tuned:
    """The best of a method's sets for one budget, and all that were tried."""

    best: Scored
    tried: tuple[Scored, ...]


def choose(tried: Sequence[Scored]) -> Scored:
    """The lowest score; ties go to the lower cost, then to the one named first."""
    best = lowest([t.score.value for t in tried], [t.candidate.cost for t in tried])
    if best is None:
        raise DataError(
            "no feature set could be scored: every forest's out-of-bag error is undefined. There "
            "are too few rows, or too few trees (`n_trees`), for out-of-bag votes."
        )
    return tried[best]


def tune(problem: Problem, method: Method, budgets: Sequence[Budget]) -> dict[Budget, Tuned]:
    """The best of a method's sets for each budget.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalforest.engine import ForestSettings
    >>> from frugalforest.methods import AUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> forests = ForestSettings(n_trees=100)
    >>> problem = Problem.from_table(X, y, costs=[1, 2, 3] * 10, forests=forests)
    >>> tuned = tune(problem, AUC(xis=[0, 1]), [Budget(3), Budget(10)])
    >>> [found.best.candidate.cost for found in tuned.values()]
    [3.0, 10.0]
    """
    note_step(method.label)
    proposals = method.propose(problem, budgets)
    # All budgets' sets in one batch: that keeps all threads busy.
    problem.scores(c.features for candidates in proposals.values() for c in candidates)
    found = {}
    for budget, candidates in proposals.items():
        scores = problem.scores(c.features for c in candidates)
        tried = tuple(map(Scored, candidates, scores))
        found[budget] = Tuned(choose(tried), tried)
    return found
