"""Forward selection: one feature at a time, judged by a forest on all that are in.

Paths for different ξ and budgets share their forests: a forest's error is a pure function of its
feature set, and is remembered in the problem.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.errors import DataError
from frugalforest.methods._base import (
    Candidate,
    Origin,
    Proposals,
    Step,
    affordable,
    register,
    start_steps,
)
from frugalforest.methods._ratio import RatioMethod
from frugalforest.methods._selector import BudgetSelector
from frugalforest.methods.criterion import TradeOff
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import ERROR
from frugalforest.tables import Classes
from frugalforest.words.formats import count
from frugalforest.words.wording import show

__all__ = ["Forward", "ForwardSelector", "forward_path"]

# The error of a set, and of a set and one feature more for each of some.
SetError = Callable[[FeatureSet], float]
NextErrors = Callable[[FeatureSet, Sequence[int], NDArray[np.float64], float], NDArray[np.float64]]

# Racing: share of the trees for all candidates, then for the best eighth, then all trees for the
# best thirty-second, but never fewer than four candidates. Each round then takes about as long.
_RACE = ((0.04, 1 / 8), (0.2, 1 / 32))
_FEWEST_IN_RACE = 4


def forward_path(
    set_error: SetError,
    next_errors: NextErrors,
    prices: Prices,
    budget: Budget,
    xi: float,
) -> Candidate:
    """Add the feature with the best gain per price until nothing more fits.

    Parameters
    ----------
    set_error : callable
        Error of the set to start from.
    next_errors : callable
        ``next_errors(features, candidates, cost, xi)``: the error of `features` and one candidate
        more, for each candidate. It may give infinity for one that cannot be the best.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> errors = {(): 0.5, (0,): 0.3, (1,): 0.3, (0, 1): 0.1}
    >>> def next_errors(features, candidates, cost, xi):
    ...     return np.array([errors[tuple(sorted((*features, j)))] for j in candidates])
    >>> prices = CostModel([4, 2]).align(None, 2)
    >>> forward_path(errors.get, next_errors, prices, Budget(4), xi=1).features
    (1,)
    """
    selected, steps = start_steps(prices, budget)
    error: float | None = None
    while True:
        marginal = prices.marginal_each(selected)
        possible = np.flatnonzero(affordable(prices, selected, marginal, budget))
        if len(possible) == 0:
            return Candidate.from_steps(prices, steps, Origin(Forward.name, xi))
        features = tuple(np.flatnonzero(selected).tolist())
        if error is None:
            error = set_error(features)
        cost = marginal[possible]
        errors = next_errors(features, possible.tolist(), cost, xi)
        if not np.isfinite(errors).any():
            raise DataError(
                "no forest has an out-of-bag vote: give more rows, or more trees (`n_trees`)."
            )
        gain = error - errors
        best = TradeOff(gain, cost).best(xi, allowed=np.isfinite(errors))
        j = int(possible[best])
        selected[j] = True
        steps.append(Step((j,), float(gain[best]), float(cost[best])))
        error = float(errors[best])


class _ForestErrors:
    """Errors of forests on a problem, each computed once."""

    def __init__(self, problem: Problem, n_trees: int, racing: bool) -> None:
        self._problem = problem
        self._n_trees = n_trees
        self._racing = racing
        self._known: dict[tuple[int, FeatureSet], float] = {}

    def of_set(self, features: FeatureSet) -> float:
        return self._of_set(features, self._n_trees)

    @property
    def _of_nothing(self) -> float:
        """Before anything is measured: the paper's chance error, or what guessing scores."""
        problem = self._problem
        outcome = problem.outcome
        if problem.score == ERROR and isinstance(outcome, Classes):
            return outcome.chance_error
        return problem.score.of_nothing(outcome.known)

    def _of_set(self, features: FeatureSet, n_trees: int) -> float:
        if not features:
            return self._of_nothing
        key = (n_trees, features)
        if key not in self._known:
            (error,) = self._problem.brief_scores(
                [features], "forward", self._problem.small_forests(n_trees)
            )
            self._known[key] = float(error)
        return self._known[key]

    def of_next(
        self,
        features: FeatureSet,
        candidates: Sequence[int],
        cost: NDArray[np.float64],
        xi: float,
    ) -> NDArray[np.float64]:
        running = np.arange(len(candidates))
        if self._racing:
            for share, kept in _RACE:
                n_kept = max(_FEWEST_IN_RACE, round(kept * len(candidates)))
                if len(running) <= n_kept:
                    continue
                n_trees = max(1, round(share * self._n_trees))
                errors = self._grow(features, [candidates[i] for i in running.tolist()], n_trees)
                # From as many trees: beside a larger forest, most gains would look like losses.
                before = self._of_set(features, n_trees)
                order = TradeOff(before - errors, cost[running]).order(xi)
                running = np.sort(running[order[:n_kept]])
        result = np.full(len(candidates), np.inf)
        result[running] = self._grow(
            features, [candidates[i] for i in running.tolist()], self._n_trees
        )
        return result

    def _grow(
        self, features: FeatureSet, candidates: Sequence[int], n_trees: int
    ) -> NDArray[np.float64]:
        keys = [(n_trees, tuple(sorted((*features, j)))) for j in candidates]
        new = [(key, j) for key, j in zip(keys, candidates, strict=True) if key not in self._known]
        if new:
            errors = self._problem.extended_scores(
                features, [j for _, j in new], "forward", self._problem.small_forests(n_trees)
            )
            for (key, _), error in zip(new, errors.tolist(), strict=True):
                self._known[key] = error
        return np.array([self._known[key] for key in keys])


@register
@dataclass(frozen=True)
class Forward(RatioMethod):
    """Forward selection as a method."""

    n_trees: int = 500
    racing: bool = False

    name: ClassVar[str] = "forward"
    label: ClassVar[str] = "Forward selection"
    summary: ClassVar[str] = "adds one feature at a time, by a forest on all that are in."
    number_words: ClassVar[tuple[str, str]] = (label, summary)
    colour: ClassVar[str] = "#D55E00"
    marker: ClassVar[str] = "triangle down"

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.racing, bool | np.bool_):
            raise ValueError(f"`racing` is {show(self.racing)}: it must be True or False.")

    def scaled_to(self, n_trees: int) -> Self:
        """Half as many trees as the scoring forests."""
        return replace(self, n_trees=max(1, n_trees // 2))

    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""
        errors = problem.remember(
            ("forward", self.n_trees, self.racing),
            lambda: _ForestErrors(problem, self.n_trees, self.racing),
        )
        return {
            budget: [
                forward_path(errors.of_set, errors.of_next, problem.prices, budget, xi)
                for xi in xis
            ]
            for budget in budgets
        }

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        raced = (
            " (candidates are first compared with fewer trees, and only those in the lead with all "
            "of them)"
        )
        return (
            "Forward selection adds one feature at a time, by the out-of-bag error of a random "
            f"forest of {count(self.n_trees, 'tree')} on the features already in and the new "
            f"one{raced if self.racing else ''}."
        )


class ForwardSelector(BudgetSelector):
    """Forward selection by the out-of-bag error of random forests, within a budget.

    At each step a forest is grown for every feature that still fits, and the one with the best
    gain per price is added, until nothing fits.

    Parameters
    ----------
    {prices and ξ}
    n_trees : int, default=500
        Trees of each forest.
    racing : bool, default=False
        Grow 4 % of the trees for every candidate, 20 % for the best eighth, and all only for the
        best thirty-second (at least four). Several times as fast; the set found may differ.
    {draws}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = ForwardSelector(costs=[1, 2, 3] * 10, budget=3, n_trees=50, random_state=0)
    >>> selector.fit(X, y).total_cost_
    3.0
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        n_trees: int = 500,
        racing: bool = False,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.n_trees = n_trees
        self.racing = racing
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self, xis: Any) -> Forward:
        """The method with this selector's parameters, for some values of ξ."""
        return Forward(xis, self.n_trees, self.racing)
