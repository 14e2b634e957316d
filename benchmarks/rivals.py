"""LightGBM's cost-efficient gradient boosting (CEGB) held to a budget.

CEGB has no budget: it weighs a penalty for each feature it uses against the loss. The weight
(`cegb_tradeoff`) is bisected until what it uses fits the budget, as dearly as possible. Fees that
several features share are unknown to it; what it uses is priced with them all the same.
"""

from __future__ import annotations

import warnings
from typing import Any

import lightgbm
import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.problem import FeatureSet, Problem

_N_ROUNDS = 100
_N_BISECTIONS = 11
_LARGEST, _SMALLEST = 1e3, 1e-4


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
            booster = _train(self.X, outcome.labels, outcome.n_classes, prices.alone, tradeoff)
            used = tuple(np.flatnonzero(booster.feature_importance()).tolist())
            self.tried[log_tradeoff] = used, float(prices.total(list(used))), booster
        return self.tried[log_tradeoff]


def _train(
    X: NDArray[np.float64], y: NDArray[np.intp], n_classes: int, price: Any, tradeoff: float
) -> Any:
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
        return lightgbm.train(parameters, lightgbm.Dataset(X, y), num_boost_round=_N_ROUNDS)
