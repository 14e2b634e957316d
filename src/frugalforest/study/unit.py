"""One unit: its data, every method, budget and ξ on it, and each distinct set scored once.

A set's out-of-bag scores and its error on the test rows come from one forest, in one call of the
engine. The numbers of a set depend on the unit and the set only, so methods can be added later and
get the numbers they would have got together with the others.
"""

from __future__ import annotations

import platform
import time
import traceback
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import version

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings, score_sets
from frugalforest.problem import FeatureSet, OobScore, Problem
from frugalforest.selectors import Candidate, Candidates
from frugalforest.study.design import METHODS, Unit
from frugalforest.study.sources import UnitData
from frugalforest.tuning import ScoredXi, choose

__all__ = ["STRATEGIES", "Failure", "MethodRun", "Outcome", "ScoredSet", "run_unit", "vote_error"]

# Cost-agnostic, plain ratio, and ξ tuned by the out-of-bag error; as the paper calls them.
STRATEGIES = ("agnostic", "simple", "tuned")
_FIXED_XI = {"agnostic": 0.0, "simple": 1.0}


@dataclass(frozen=True)
class ScoredSet:
    """A feature set of a unit, with the scores of its forest."""

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
class Outcome:
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


def run_unit(unit: Unit, methods: Iterable[str], data_dir: str | None = None) -> Outcome | Failure:
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


def _run(unit: Unit, methods: tuple[str, ...], data_dir: str | None) -> Outcome:
    data = unit.source.load(unit.draw, unit.replicate, data_dir)
    problem = Problem.from_table(
        data.X_train,
        data.y_train,
        data.costs,
        random_state=unit.source.seeds(unit.draw, unit.replicate)["forests"],
        scoring=ForestSettings(n_trees=unit.effort.scoring_trees),
    )
    scorer = _Scorer(problem, data)
    runs = tuple(_run_method(unit, method, problem, scorer) for method in methods)
    return Outcome(
        unit, len(data.y_train), len(data.y_test), tuple(scorer.scored.values()), runs, _versions()
    )


def _run_method(unit: Unit, name: str, problem: Problem, scorer: _Scorer) -> MethodRun:
    spec = METHODS[name]
    xis = spec.xis(unit.xis)
    start = time.perf_counter()
    candidates = spec.build(unit.effort).candidates(problem, unit.budgets, xis)
    select_seconds = time.perf_counter() - start
    for budget in unit.budgets:
        scorer.score(candidates[budget, xi] for xi in xis)
    sets = {(b, xi): candidates[b, xi].features for b in unit.budgets for xi in xis}
    return MethodRun(
        name,
        sets,
        {
            (budget, strategy): xi
            for budget in unit.budgets
            for strategy, xi in _choose(candidates, budget, xis, scorer).items()
        },
        select_seconds,
        sum(scorer.scored[features].seconds for features in set(sets.values())),
    )


def _choose(
    candidates: Candidates, budget: float, xis: tuple[float, ...], scorer: _Scorer
) -> dict[str, float]:
    """ξ by each strategy that the tried values allow."""
    chosen = {strategy: xi for strategy, xi in _FIXED_XI.items() if xi in xis}
    if len(xis) > 1:
        tried = [
            ScoredXi(xi, found, scorer.scored[found.features].score)
            for xi in xis
            for found in [candidates[budget, xi]]
        ]
        chosen["tuned"] = choose(tried).xi
    return chosen


class _Scorer:
    """Scores each feature set of a problem once, out of bag and on the test rows."""

    def __init__(self, problem: Problem, data: UnitData) -> None:
        self.scored: dict[FeatureSet, ScoredSet] = {}
        self._problem = problem
        self._X_test = data.X_test
        self._test_labels = np.searchsorted(problem.classes, data.y_test)

    def score(self, candidates: Iterable[Candidate]) -> None:
        """Score what is new. Sets of about one size together: they share the measured time."""
        new = {c.features: c.cost for c in candidates if c.features not in self.scored}
        if not new:
            return
        start = time.perf_counter()
        batch = score_sets(
            self._problem.data,
            self._problem.target,
            list(new),
            # The seed of `Problem.scores`: a set has the same out-of-bag scores there and here.
            [self._problem.seed_for("scores")] * len(new),
            self._problem.scoring,
            new_rows=self._X_test,
            n_jobs=self._problem.n_jobs,
        )
        seconds = (time.perf_counter() - start) / len(new)
        assert batch.new_votes is not None  # because there were new rows
        for i, (features, cost) in enumerate(new.items()):
            score = OobScore(
                float(batch.oob_error[i]), float(batch.brier[i]), int(batch.n_unvoted[i])
            )
            error = vote_error(batch.new_votes[i], self._test_labels)
            self.scored[features] = ScoredSet(features, cost, score, error, seconds)


def vote_error(votes: NDArray[np.uint32], labels: NDArray[np.integer]) -> float:
    """Share of rows that the majority gets wrong; with t classes in the lead, 1 − 1/t of a row.

    Examples
    --------
    >>> votes = np.array([[3, 1], [2, 2], [0, 4]], dtype=np.uint32)
    >>> vote_error(votes, np.array([1, 0, 1]))
    0.5
    """
    leads = votes == votes.max(axis=1, keepdims=True)
    right = leads[np.arange(len(labels)), labels] / leads.sum(axis=1)
    return float(1 - right.mean())


def _versions() -> dict[str, str]:
    packages = ("frugalforest", "numpy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}
