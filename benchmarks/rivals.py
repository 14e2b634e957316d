"""What others would do: LightGBM's cost-efficient boosting, and scikit-learn's way forward.

CEGB has no budget: it weighs a penalty for each feature it uses against the loss. The weight
(`cegb_tradeoff`) is bisected until what it uses fits the budget, as dearly as possible. Fees that
several features share are unknown to it; what it uses is priced with them all the same.

Sequential selection knows no prices: features are added one by one, each time the one that helps a
linear classifier (ridge) most in cross-validation, as the selectors of scikit-learn and mlxtend do.
They are bought in that order, without those that do not fit.
"""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.impute import SimpleImputer
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

try:
    import lightgbm
except ImportError:  # then CEGB's columns are left out
    lightgbm = None

from frugalforest.costs import Budget
from frugalforest.problem import FeatureSet, Problem

_N_ROUNDS = 100
_N_BISECTIONS = 11
_LARGEST, _SMALLEST = 1e3, 1e-4
_MOST_STEPS = 15


class Cegb:
    """CEGB on one problem; budgets share the trade-offs that were tried."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.X = problem.encoder.transform(problem.table)
        self.tried: dict[float, tuple[FeatureSet, float, Any]] = {}

    def within(
        self, budget: Budget, new_rows: NDArray[np.float64]
    ) -> tuple[FeatureSet, NDArray[np.intp]]:
        """What it uses within the budget, and the classes it predicts for new rows."""
        low, high = np.log(_SMALLEST), np.log(_LARGEST)
        for _ in range(_N_BISECTIONS):
            middle = (low + high) / 2
            if budget.fits(self._at(float(middle))[1]):
                high = middle
            else:
                low = middle
        fitting = [found for found in self.tried.values() if budget.fits(found[1])]
        fitting = fitting or [self._at(float(np.log(_LARGEST)))]
        features, _, booster = max(fitting, key=lambda found: found[1])
        shares = np.asarray(booster.predict(new_rows))
        labels = shares.argmax(axis=1) if shares.ndim == 2 else (shares > 0.5).astype(np.intp)
        return features, labels

    def _at(self, log_tradeoff: float) -> tuple[FeatureSet, float, Any]:
        if log_tradeoff not in self.tried:
            outcome, prices = self.problem.outcome, self.problem.prices
            tradeoff = float(np.exp(log_tradeoff))
            booster = train_cegb(self.X, outcome.labels, outcome.n_classes, prices.alone, tradeoff)
            used = tuple(np.flatnonzero(booster.feature_importance()).tolist())
            self.tried[log_tradeoff] = used, float(prices.total(list(used))), booster
        return self.tried[log_tradeoff]


def train_cegb(
    X: NDArray[np.float64],
    y: NDArray[np.intp],
    n_classes: int,
    price: Any,
    tradeoff: float,
    weight: NDArray[np.float64] | None = None,
) -> Any:
    """A booster that weighs prices against the loss; rows count by `weight`."""
    objective = {"objective": "binary"}
    if n_classes > 2:
        objective = {"objective": "multiclass", "num_class": n_classes}
    parameters = {
        **objective,
        "cegb_tradeoff": tradeoff,
        "cegb_penalty_feature_coupled": price.tolist(),
        "learning_rate": 0.1,
        "num_leaves": 15,
        "min_data_in_leaf": 5,
        "num_threads": 1,
        "verbosity": -1,
        "seed": 0,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return lightgbm.train(
            parameters, lightgbm.Dataset(X, y, weight=weight), num_boost_round=_N_ROUNDS
        )


class Sequential:
    """Forward selection without prices on one problem; one order serves all budgets."""

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.order = self._forward()

    def within(self, budget: Budget) -> FeatureSet:
        """The features in the order they were added, without those that do not fit."""
        prices = self.problem.prices
        bought: list[int] = []
        for j in self.order:
            if budget.fits(float(prices.total([*bought, j]))):
                bought.append(j)
        return tuple(sorted(bought))

    def _forward(self) -> list[int]:
        problem = self.problem
        imputer = SimpleImputer(strategy="median", keep_empty_features=True)
        scaled = make_pipeline(imputer, StandardScaler())
        X = scaled.fit_transform(problem.encoder.transform(problem.table))
        # No more folds than the rarest class has rows, but two.
        splitter = StratifiedKFold(min(3, max(2, int(problem.outcome.counts.min()))))
        folds = list(splitter.split(X, problem.outcome.labels))
        possible = np.flatnonzero(~problem.prices.excluded).tolist()
        order: list[int] = []
        while possible and len(order) < _MOST_STEPS:
            errors = [self._errors(X[:, [*order, j]], folds) for j in possible]
            order.append(possible.pop(int(np.argmin(errors))))
        return order

    def _errors(self, X: NDArray[np.float64], folds: list[Any]) -> int:
        labels, wrong = self.problem.outcome.labels, 0
        for train, test in folds:
            model = RidgeClassifier().fit(X[train], labels[train])
            wrong += int((model.predict(X[test]) != labels[test]).sum())
        return wrong
