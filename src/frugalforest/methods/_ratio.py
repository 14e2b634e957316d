"""Methods that weigh benefit against price by ξ: which values of ξ they are run with.

Three ways besides a list of values:

- exact: every set that some ξ leads to, where a method can enumerate them;
- grid: 0, 0.1, …, 2.0, extended while the best set is that of the largest ξ;
- Bayesian: for methods where each ξ is expensive (needs the extra ``frugalforest[bayes]``).
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, ClassVar

import numpy as np

from frugalforest.costs import Budget
from frugalforest.methods._base import Candidate, Method, Proposals
from frugalforest.methods.criterion import lowest
from frugalforest.problem import Problem

__all__ = ["DEFAULT_GRID", "RatioMethod", "check_xi", "check_xis"]

DEFAULT_GRID: tuple[float, ...] = tuple(i / 10 for i in range(21))
# The grid is extended by its own length, at most twice: to ξ = 4 and ξ = 6.
_MOST_EXTENSIONS = 2
_BAYES_TRIALS = 20
_BAYES_LARGEST = 4.0
_SEARCHES = ("auto", "grid", "bayes")


def check_xi(xi: object) -> float:
    """ξ as a number that is not negative."""
    value = float(xi) if isinstance(xi, Real) and not isinstance(xi, bool) else np.nan
    if not 0 <= value < np.inf:
        raise ValueError(f"`xi` is {xi!r}: it must be a number, 0 or more.")
    return value


def check_xis(xis: object) -> str | tuple[float, ...]:
    """The name of a search, or values of ξ: ascending, each once.

    Examples
    --------
    >>> check_xis([1, 0, 1])
    (0.0, 1.0)
    """
    if isinstance(xis, str) and xis in _SEARCHES:
        return xis
    if isinstance(xis, str) or not isinstance(xis, Iterable):
        raise ValueError(
            f"`xis` is {xis!r}: it must be 'auto', 'grid', 'bayes' or a list of numbers."
        )
    values = tuple(sorted({check_xi(xi) for xi in xis}))
    if not values:
        raise ValueError("`xis` is empty: give at least one value.")
    return values


@dataclass(frozen=True)
class RatioMethod(Method):
    """A method with a weight ξ of cost against benefit.

    Parameters
    ----------
    xis : "auto", "grid", "bayes", or a sequence of float
        The values of ξ to propose sets for. "auto" is every set that some ξ leads to if the method
        can enumerate them (`exact`), else the grid.
    """

    xis: str | tuple[float, ...] = "auto"

    exact: ClassVar[bool] = False

    def __post_init__(self) -> None:
        object.__setattr__(self, "xis", check_xis(self.xis))

    @abstractmethod
    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""

    def whole_path(self, problem: Problem, budget: Budget) -> list[Candidate]:
        """One set for each run of equal sets along ξ, ascending. Only if `exact`."""
        raise NotImplementedError

    def propose(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        """The sets of the values of ξ, ascending."""
        if not isinstance(self.xis, str):
            return self.at(problem, budgets, self.xis)
        if self.xis == "bayes":
            return {budget: self._sampled(problem, budget) for budget in budgets}
        if self.xis == "auto" and self.exact:
            return {budget: self.whole_path(problem, budget) for budget in budgets}
        return self._on_grid(problem, budgets)

    def _on_grid(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        found = self.at(problem, budgets, DEFAULT_GRID)
        step = len(DEFAULT_GRID) - 1
        for extension in range(1, _MOST_EXTENSIONS + 1):
            # All budgets' sets in one batch: that keeps all threads busy.
            problem.scores(c.features for candidates in found.values() for c in candidates)
            at_end = [b for b, candidates in found.items() if _best_is_last(problem, candidates)]
            if not at_end:
                break
            more = [i / 10 for i in range(extension * step + 1, (extension + 1) * step + 1)]
            for budget, candidates in self.at(problem, at_end, more).items():
                found[budget] = [*found[budget], *candidates]
        return found

    def _sampled(self, problem: Problem, budget: Budget) -> list[Candidate]:
        try:
            import optuna
        except ImportError:
            raise ImportError(
                "xis='bayes' needs Optuna: pip install 'frugalforest[bayes]', or use xis='grid'."
            ) from None
        tried: dict[float, Candidate] = {}

        def score(trial: Any) -> float:
            xi = round(trial.suggest_float("xi", 0.0, _BAYES_LARGEST), 3)
            if xi not in tried:
                tried[xi] = self.at(problem, [budget], [xi])[budget][0]
            # Optuna counts a trial without a number as failed and goes on; so do we.
            return problem.scores([tried[xi].features])[0].value

        limit = budget.limit if budget.is_limited else None
        sampler = optuna.samplers.TPESampler(seed=problem.seed_for("bayes", limit) % 2**32)
        verbosity = optuna.logging.get_verbosity()
        optuna.logging.set_verbosity(optuna.logging.WARNING)
        try:
            study = optuna.create_study(direction="minimize", sampler=sampler)
            for xi in (0.0, 1.0):  # the two strategies without tuning are always among those tried
                study.enqueue_trial({"xi": xi})
            study.optimize(score, n_trials=_BAYES_TRIALS)
        finally:
            optuna.logging.set_verbosity(verbosity)
        return [tried[xi] for xi in sorted(tried)]


def _best_is_last(problem: Problem, candidates: Sequence[Candidate]) -> bool:
    # By its set: a tie goes to a smaller ξ, and yet nothing is known of what comes after.
    scores = [score.value for score in problem.scores(c.features for c in candidates)]
    best = lowest(scores, [c.cost for c in candidates])
    return best is not None and candidates[best].features == candidates[-1].features
