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
_N_BISECTIONS = 14
_LARGEST, _SMALLEST = 1e3, 1e-6


def cegb(
    problem: Problem, budget: Budget, new_rows: NDArray[np.float64]
) -> tuple[FeatureSet, NDArray[np.intp]]:
    """What it uses within the budget, and the classes it predicts for new rows."""
    X = problem.encoder.transform(problem.table)
    y = problem.outcome.labels
    prices = problem.prices
    low, high = np.log(_SMALLEST), np.log(_LARGEST)
    best: tuple[FeatureSet, Any] | None = None
    spent = -1.0
    for _ in range(_N_BISECTIONS):
        middle = (low + high) / 2
        booster = _train(X, y, problem.outcome.n_classes, prices.alone, float(np.exp(middle)))
        used = tuple(np.flatnonzero(booster.feature_importance()).tolist())
        price = float(prices.total(list(used)))
        if budget.fits(price):
            high = middle
            if price > spent:
                best, spent = (used, booster), price
        else:
            low = middle
    assert best is not None  # the largest trade-off uses nothing
    features, booster = best
    shares = np.asarray(booster.predict(new_rows))
    labels = shares.argmax(axis=1) if shares.ndim == 2 else (shares > 0.5).astype(np.intp)
    return features, labels


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
