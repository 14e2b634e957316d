"""Tuning ξ: among a method's candidate sets, the one whose forest has the lowest OOB score.

`tune` is the function, `XiSearch` the scikit-learn estimator around it. Three ways to search:

- exact: a filter's whole ξ path, one forest for each different set;
- grid: 0, 0.1, …, 2.0, extended while the best set is that of the largest ξ;
- Bayesian: for methods where each ξ is dear (needs the extra ``frugalforest[bayes]``).

The score that picks the winner is a selection score. It is lower than the error to expect.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from frugalforest.costs import check_budget
from frugalforest.criterion import rounded_cost
from frugalforest.engine import ForestSettings
from frugalforest.problem import OobScore, Problem
from frugalforest.selectors import (
    AUCSelector,
    BudgetSelector,
    Candidate,
    Method,
    PricedSelector,
    build_problem,
    check_xi,
)

__all__ = ["DEFAULT_GRID", "SCORINGS", "ScoredXi", "Tuned", "XiSearch", "choose", "tune"]

DEFAULT_GRID: tuple[float, ...] = tuple(i / 10 for i in range(21))
SCORINGS = ("oob_error", "brier")
# The grid is extended by its own length, at most twice: to ξ = 4 and ξ = 6.
_MOST_EXTENSIONS = 2
_BAYES_TRIALS = 20
_BAYES_LARGEST = 4.0


@dataclass(frozen=True)
class ScoredXi:
    """One value of ξ: the set it leads to, and that set's scores."""

    xi: float
    candidate: Candidate
    score: OobScore

    def value(self, scoring: str) -> float:
        """The score that is compared."""
        return self.score.oob_error if scoring == "oob_error" else self.score.brier

    def preference(self, scoring: str = "oob_error") -> tuple[float, float]:
        """What decides, the lower the better: the score, then the cost."""
        return self.value(scoring), rounded_cost(self.candidate.cost)


@dataclass(frozen=True)
class Tuned:
    """The best ξ for one budget, and all that were tried, ascending."""

    best: ScoredXi
    tried: tuple[ScoredXi, ...]


def choose(tried: Sequence[ScoredXi], scoring: str = "oob_error") -> ScoredXi:
    """The lowest score; ties go to the lower cost, then to the smaller ξ. NaN never wins."""
    usable = [t for t in tried if not np.isnan(t.value(scoring))]
    if not usable:
        raise ValueError(
            "no feature set could be scored: every forest's out-of-bag error is undefined. There "
            "are too few rows for out-of-bag votes."
        )
    return min(usable, key=lambda t: (*t.preference(scoring), t.xi))


def tune(
    problem: Problem,
    method: Method,
    budgets: Sequence[float | None],
    xis: str | Sequence[float] = "auto",
    scoring: str = "oob_error",
) -> dict[float | None, Tuned]:
    """The best ξ for each budget.

    Parameters
    ----------
    problem : Problem
    method : Method
    budgets : sequence of float or None
    xis : "auto", "grid", "bayes", or a sequence of float
        "auto" is the exact path if the method has one, else the grid.
    scoring : {"oob_error", "brier"}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalforest.selectors import AUC
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> scoring_forests = ForestSettings(n_trees=100)
    >>> problem = Problem.from_table(X, y, costs=[1, 2, 3] * 10, scoring=scoring_forests)
    >>> tuned = tune(problem, AUC(), budgets=[3, 10], xis=[0, 1])
    >>> [tuned[budget].best.candidate.cost for budget in (3, 10)]
    [3.0, 10.0]
    """
    if scoring not in SCORINGS:
        raise ValueError(f"`scoring` is {scoring!r}: it must be one of {SCORINGS}.")
    if isinstance(xis, Iterable) and not isinstance(xis, str):
        values = sorted({check_xi(xi) for xi in xis})
        if not values:
            raise ValueError("`xis` is empty: give at least one value.")
        tried = _try_all(problem, method, dict.fromkeys(budgets, values))
    elif xis == "auto" and method.exact:
        exact = {budget: method.critical_xis(problem, budget) for budget in budgets}
        tried = _try_all(problem, method, exact)
    elif xis in ("auto", "grid"):
        tried = _try_grid(problem, method, budgets, scoring)
    elif xis == "bayes":
        tried = {b: _try_bayes(problem, method, b, scoring) for b in budgets}
    else:
        raise ValueError(
            f"`xis` is {xis!r}: it must be 'auto', 'grid', 'bayes' or a list of numbers."
        )
    return {budget: Tuned(choose(found, scoring), found) for budget, found in tried.items()}


def _try_all(
    problem: Problem,
    method: Method,
    xis: Mapping[float | None, Sequence[float]],
) -> dict[float | None, tuple[ScoredXi, ...]]:
    """Try each budget's ξ; the sets of all budgets are scored in one batch."""
    candidates: dict[tuple[float | None, float], Candidate] = {}
    by_values: dict[tuple[float, ...], list[float | None]] = {}
    for budget, values in xis.items():
        by_values.setdefault(tuple(values), []).append(budget)
    for values, budgets in by_values.items():
        candidates |= method.candidates(problem, budgets, values)
    problem.scores(c.features for c in candidates.values())
    result = {}
    for budget, values in xis.items():
        chosen = [candidates[budget, xi] for xi in values]
        scores = problem.scores(c.features for c in chosen)
        result[budget] = tuple(map(ScoredXi, values, chosen, scores))
    return result


def _try_grid(
    problem: Problem, method: Method, budgets: Sequence[float | None], scoring: str
) -> dict[float | None, tuple[ScoredXi, ...]]:
    result = _try_all(problem, method, dict.fromkeys(budgets, DEFAULT_GRID))
    step = len(DEFAULT_GRID) - 1
    for extension in range(1, _MOST_EXTENSIONS + 1):
        # By its set: a tie goes to a smaller ξ, and yet nothing is known of what comes after.
        at_end = [
            budget
            for budget, tried in result.items()
            if choose(tried, scoring).candidate.features == tried[-1].candidate.features
        ]
        if not at_end:
            break
        more = [i / 10 for i in range(extension * step + 1, (extension + 1) * step + 1)]
        for budget, tried in _try_all(problem, method, dict.fromkeys(at_end, more)).items():
            result[budget] += tried
    return result


def _try_bayes(
    problem: Problem, method: Method, budget: float | None, scoring: str
) -> tuple[ScoredXi, ...]:
    try:
        import optuna
    except ImportError:
        raise ImportError(
            "xis='bayes' needs Optuna: pip install 'frugalforest[bayes]', or use xis='grid'."
        ) from None
    tried: dict[float, ScoredXi] = {}

    def score(trial: Any) -> float:
        xi = round(trial.suggest_float("xi", 0.0, _BAYES_LARGEST), 3)
        if xi not in tried:
            tried[xi] = _try_all(problem, method, {budget: [xi]})[budget][0]
        # Optuna counts a trial without a number as failed and goes on; so do we.
        return tried[xi].value(scoring)

    verbosity = optuna.logging.get_verbosity()
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    try:
        sampler = optuna.samplers.TPESampler(seed=problem.seed_for("bayes", budget) % 2**32)
        study = optuna.create_study(direction="minimize", sampler=sampler)
        for xi in (0.0, 1.0):  # the two strategies without tuning are always among those tried
            study.enqueue_trial({"xi": xi})
        study.optimize(score, n_trials=_BAYES_TRIALS)
    finally:
        optuna.logging.set_verbosity(verbosity)
    return tuple(tried[xi] for xi in sorted(tried))


def results_table(tried: Sequence[ScoredXi]) -> dict[str, NDArray[Any]]:
    """One entry for each ξ, as a dict of arrays."""
    features = np.empty(len(tried), dtype=object)
    features[:] = [t.candidate.features for t in tried]
    return {
        "xi": np.array([t.xi for t in tried]),
        "features": features,
        "n_features": np.array([len(t.candidate.features) for t in tried]),
        "total_cost": np.array([t.candidate.cost for t in tried]),
        "oob_error": np.array([t.score.oob_error for t in tried]),
        "brier": np.array([t.score.brier for t in tried]),
    }


class XiSearch(PricedSelector):
    """A selector whose ξ is tuned on the out-of-bag error of a refitted forest.

    Prices and budget are those of the selector. ``xis=[0]`` is the cost-agnostic strategy,
    ``xis=[1]`` the simple ratio, and the default tunes.

    Parameters
    ----------
    selector : AUCSelector, PermutationSelector, ShallowTreeSelector or ForwardSelector
        The method to tune; an `AUCSelector` by default.
    xis : "auto", "grid", "bayes", or a sequence of float, default="auto"
        "auto" enumerates every set that some ξ leads to (AUC and permutation; with more than some
        700 prices, a large sample of them), or uses the grid 0, 0.1, …, 2, extended while the set
        at its end is best.
    scoring : {"oob_error", "brier"}, default="oob_error"
        What to minimise.
    n_trees : int, default=1000
        Trees of the forests that sets are scored with.

    Attributes
    ----------
    best_xi_ : float
    best_score_ : float
        Lowest score found: a selection score, lower than the error to expect on new data.
    results_ : dict of ndarrays
        One entry for each ξ: xi, features, n_features, total_cost, oob_error, brier.
    support_, total_cost_, path_
        Of the best ξ, as in the selectors.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = XiSearch(AUCSelector(costs=[1, 2, 3] * 10, budget=5, random_state=0), n_trees=100)
    >>> search.fit(X, y).total_cost_ <= 5
    True
    """

    def __init__(
        self,
        selector: BudgetSelector | None = None,
        xis: str | Sequence[float] = "auto",
        scoring: str = "oob_error",
        n_trees: int = 1000,
    ) -> None:
        self.selector = selector
        self.xis = xis
        self.scoring = scoring
        self.n_trees = n_trees

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Try the values of ξ and keep the best.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes, and at most 20 or one for ten rows.

        Returns
        -------
        self
        """
        if self.selector is not None and not isinstance(self.selector, BudgetSelector):
            raise ValueError(
                f"`selector` is {self.selector!r}: it must be an AUCSelector, PermutationSelector, "
                "ShallowTreeSelector or ForwardSelector."
            )
        selector = AUCSelector() if self.selector is None else clone(self.selector)
        budget = check_budget(selector.budget)
        problem = build_problem(
            self,
            X,
            y,
            selector.costs,
            selector.random_state,
            selector.n_jobs,
            ForestSettings(n_trees=self.n_trees),
        )
        tuned = tune(problem, selector.method(), [budget], self.xis, self.scoring)[budget]
        self.best_xi_ = tuned.best.xi
        self.best_score_ = tuned.best.value(self.scoring)
        self.results_ = results_table(tuned.tried)
        self._keep(tuned.best.candidate, problem.n_features)
        return self
