"""One unit: its data, every method, budget and ξ on it, and each distinct set scored once.

A set's out-of-bag scores and its score on the test rows come from one forest, in one call of the
engine. The numbers of a set depend on the unit and the set only, so methods can be added later and
get the numbers they would have got together with the others.
"""

from __future__ import annotations

import platform
import time
import traceback
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np

from frugalforest.choice import Scored, choose
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import Candidate, RatioMethod
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore
from frugalforest.study.design import Unit, study_methods
from frugalforest.study.sources import UnitData
from frugalforest.tables import Outcome, Table

__all__ = ["STRATEGIES", "Failure", "MethodRun", "ScoredSet", "UnitResults", "run_unit"]

# Cost-agnostic, plain ratio, and ξ tuned by the out-of-bag score; as the paper calls them.
STRATEGIES = ("agnostic", "simple", "tuned")
_FIXED_XI = {"agnostic": 0.0, "simple": 1.0}


@dataclass(frozen=True)
class ScoredSet:
    """A feature set of a unit, with the scores of its forest.

    `test_error` is by the unit's score, the error by default.
    """

    features: FeatureSet
    cost: float
    score: OobScore
    test_error: float
    seconds: float


@dataclass(frozen=True)
class MethodRun:
    """What one method did on a unit.

    Attributes
    ----------
    sets : mapping from (budget, ξ) to the set bought
        Of a method without ξ, its choice at each budget, under ξ = 0.
    chosen_xi : mapping from (budget, strategy) to ξ
    select_seconds : float
        Time to find the sets of all budgets and ξ. Forests that an earlier method of the unit has
        grown and this one needs as well (forward selection with another ξ) are not counted again.
    score_seconds : float
        Time of the forests on its distinct sets: growing them and predicting the test rows. A set
        that another method bought too counts for both.
    """

    method: str
    sets: Mapping[tuple[float, float], FeatureSet]
    chosen_xi: Mapping[tuple[float, str], float]
    select_seconds: float
    score_seconds: float


@dataclass(frozen=True)
class UnitResults:
    """All results of a unit for some methods."""

    unit: Unit
    n_train: int
    n_test: int
    sets: tuple[ScoredSet, ...]
    runs: tuple[MethodRun, ...]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class Failure:
    """A unit that could not be finished, and why."""

    unit: Unit
    methods: tuple[str, ...]
    message: str
    details: str


def run_unit(
    unit: Unit, methods: Iterable[str], data_dir: str | None = None
) -> UnitResults | Failure:
    """Run some methods on a unit.

    An error inside becomes a `Failure`: the other units of the study go on.

    Examples
    --------
    >>> from frugalforest.study import get_design
    >>> outcome = run_unit(get_design("smoke").units[0], ["auc"])
    >>> [run.method for run in outcome.runs]
    ['auc']
    """
    methods = tuple(methods)
    try:
        return _run(unit, methods, data_dir)
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        return Failure(unit, methods, message, traceback.format_exc())


def _run(unit: Unit, methods: tuple[str, ...], data_dir: str | None) -> UnitResults:
    data = unit.source.load(unit.draw, unit.replicate, data_dir)
    outcome = Outcome.read(data.y_train)
    problem = Problem.from_table(
        data.X_train,
        outcome,
        data.costs,
        random_state=unit.source.seeds(unit.draw, unit.replicate)["forests"],
        forests=ForestSettings(n_trees=unit.effort.scoring_trees),
        score=unit.scoring.score(tuple(outcome.classes)),
    )
    scorer = _Scorer(problem, data)
    runs = tuple(_run_method(unit, method, problem, scorer) for method in methods)
    return UnitResults(
        unit, len(data.y_train), len(data.y_test), tuple(scorer.scored.values()), runs, _versions()
    )


def _run_method(unit: Unit, name: str, problem: Problem, scorer: _Scorer) -> MethodRun:
    method = study_methods()[name].build(unit.effort, unit.xis)
    budgets = [Budget(limit) for limit in unit.budgets]
    start = time.perf_counter()
    proposals = method.propose(problem, budgets)
    select_seconds = time.perf_counter() - start
    sets: dict[tuple[float, float], FeatureSet] = {}
    chosen: dict[tuple[float, str], float] = {}
    for budget, candidates in proposals.items():
        scorer.score(candidates)
        best = choose([Scored(c, scorer.scored[c.features].score) for c in candidates]).candidate
        tried = candidates if isinstance(method, RatioMethod) else [best]
        sets |= {(budget.limit, _xi(candidate)): candidate.features for candidate in tried}
        chosen |= {
            (budget.limit, strategy): xi
            for strategy, xi in _strategies(method, tried, best).items()
        }
    seconds = sum(scorer.scored[features].seconds for features in set(sets.values()))
    return MethodRun(name, sets, chosen, select_seconds, seconds)


def _xi(candidate: Candidate) -> float:
    return candidate.origin.xi or 0.0


def _strategies(method: object, tried: Sequence[Candidate], best: Candidate) -> dict[str, float]:
    """ξ by each strategy that the tried values allow."""
    xis = [_xi(candidate) for candidate in tried]
    if not isinstance(method, RatioMethod):
        return {"tuned": _xi(best)}
    chosen = {strategy: xi for strategy, xi in _FIXED_XI.items() if xi in xis}
    return {**chosen, "tuned": _xi(best)} if len(xis) > 1 else chosen


class _Scorer:
    """Scores each feature set of a problem once, out of bag and on the test rows."""

    def __init__(self, problem: Problem, data: UnitData) -> None:
        self.scored: dict[FeatureSet, ScoredSet] = {}
        self._problem = problem
        self._test_rows = Table.read(data.X_test)
        self._test_labels = np.searchsorted(problem.outcome.as_classes.classes, data.y_test)

    def score(self, candidates: Iterable[Candidate]) -> None:
        """Score what is new. Sets of about one size together: they share the measured time."""
        new = {c.features: c.cost for c in candidates if c.features not in self.scored}
        if not new:
            return
        start = time.perf_counter()
        evidence = self._problem.predict(list(new), self._test_rows)
        seconds = (time.perf_counter() - start) / len(new)
        for (features, cost), of_set in zip(new.items(), evidence, strict=True):
            score = self._problem.scores([features])[0]
            counts = self._problem.outcome.known
            losses = self._problem.score.row_losses(of_set, self._test_labels, counts)
            error = float(losses.mean())
            self.scored[features] = ScoredSet(features, cost, score, error, seconds)


def _versions() -> dict[str, str]:
    packages = ("frugalforest", "numpy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
