"""What all methods share: what goes in, what comes out, and the scikit-learn side.

A method is a small frozen dataclass of its parameters with one function,
``candidates(problem, budgets, xis)``: for each budget and ξ, the set it would buy and the steps by
which it got there. It never tunes itself. A selector is a scikit-learn estimator around one method,
for one budget and one ξ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.feature_selection import SelectorMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from frugalforest.costs import Prices, check_budget, fits
from frugalforest.engine import ForestSettings
from frugalforest.problem import FeatureSet, Problem

__all__ = [
    "BudgetSelector",
    "Candidate",
    "Candidates",
    "Method",
    "PricedSelector",
    "Step",
    "build_problem",
    "check_xi",
]


class Step(NamedTuple):
    """One purchase: what was added, for what gain, at what price.

    The gain is in the method's own measure; it is NaN for features that were in from the start.
    """

    features: FeatureSet
    gain: float
    cost: float


@dataclass(frozen=True)
class Candidate:
    """A feature set that a method would buy, and how it came about."""

    features: FeatureSet
    cost: float
    steps: tuple[Step, ...]

    @classmethod
    def from_steps(cls, prices: Prices, steps: Sequence[Step]) -> Self:
        """The set that the steps add up to."""
        bought = np.zeros(prices.n_features, dtype=bool)
        bought[[j for step in steps for j in step.features]] = True
        features = tuple(np.flatnonzero(bought).tolist())
        return cls(features, float(prices.total(bought)), tuple(steps))


# By budget (None is no limit) and ξ.
Candidates = Mapping[tuple[float | None, float], Candidate]


class Method(Protocol):
    """A way to choose features. `exact` says whether its whole ξ path can be enumerated."""

    @property
    def exact(self) -> bool:
        """Whether `critical_xis` gives one ξ for every set that some ξ leads to."""
        ...

    def candidates(
        self, problem: Problem, budgets: Sequence[float | None], xis: Sequence[float]
    ) -> Candidates:
        """The set for each budget and ξ."""
        ...

    def critical_xis(self, problem: Problem, budget: float | None) -> list[float]:
        """One ξ for every different set, ascending. Only if `exact`."""
        ...


def check_xi(xi: object) -> float:
    """ξ as a number that is not negative."""
    value = float(xi) if isinstance(xi, Real) and not isinstance(xi, bool) else np.nan
    if not 0 <= value < np.inf:
        raise ValueError(f"`xi` is {xi!r}: it must be a number, 0 or more.")
    return value


def start_steps(prices: Prices, budget: float | None) -> tuple[NDArray[np.bool_], list[Step]]:
    """What is in from the start, and the step that says so: free and required features."""
    prices.check_affordable(budget)
    selected = prices.start(budget)
    if not selected.any():
        return selected, []
    features = tuple(np.flatnonzero(selected).tolist())
    return selected, [Step(features, np.nan, float(prices.total(selected)))]


def affordable(
    prices: Prices, selected: NDArray[np.bool_], marginal: NDArray[np.float64], budget: float | None
) -> NDArray[np.bool_]:
    """Which single features can still be bought."""
    fit: NDArray[np.bool_] = fits(float(prices.total(selected)) + marginal, budget)
    return fit & ~selected & ~prices.excluded


class PricedSelector(SelectorMixin, BaseEstimator):  # type: ignore[misc]
    """What selectors and tuned selectors have in common: a support, a price and a path."""

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        return tags

    def _get_support_mask(self) -> NDArray[np.bool_]:
        check_is_fitted(self, "support_")
        return self.support_

    def _keep(self, candidate: Candidate, n_features: int) -> None:
        self.support_ = np.zeros(n_features, dtype=bool)
        self.support_[list(candidate.features)] = True
        self.total_cost_ = candidate.cost
        cost = np.array([step.cost for step in candidate.steps], dtype=np.float64)
        added = np.empty(len(candidate.steps), dtype=object)
        added[:] = [step.features for step in candidate.steps]
        self.path_ = {
            "features": added,
            "gain": np.array([step.gain for step in candidate.steps], dtype=np.float64),
            "cost": cost,
            "cumulative_cost": np.cumsum(cost),
        }


def build_problem(
    estimator: Any,
    X: ArrayLike,
    y: ArrayLike,
    costs: object,
    random_state: object,
    n_jobs: int | None,
    scoring: ForestSettings | None = None,
) -> Problem:
    """The problem that an estimator's `fit` is given, with `n_features_in_` and names set."""
    X, y = validate_data(estimator, X, y, dtype=np.float64, ensure_all_finite=False)
    check_classification_targets(y)
    names = getattr(estimator, "feature_names_in_", None)
    return Problem.from_table(
        X,
        y,
        costs,
        feature_names=None if names is None else names.tolist(),
        random_state=random_state,
        scoring=scoring,
        n_jobs=n_jobs,
    )


class BudgetSelector(PricedSelector):
    """Base of the selectors: one method, one budget, one ξ.

    Subclasses say by `method` which method their parameters describe.
    """

    def method(self) -> Method:
        """The method with this selector's parameters."""
        raise NotImplementedError

    def fit(self, X: ArrayLike, y: ArrayLike) -> Self:
        """Choose the features.

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
        budget, xi, method = check_budget(self.budget), check_xi(self.xi), self.method()
        problem = build_problem(self, X, y, self.costs, self.random_state, self.n_jobs)
        found = method.candidates(problem, [budget], [xi])
        self._keep(found[budget, xi], problem.n_features)
        return self
