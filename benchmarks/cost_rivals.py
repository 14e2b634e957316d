"""Others who weigh the price of measurements against the cost of errors, for two classes.

An optimal tree (STreeD, package pystreed) is the cheapest of all trees up to some depth on the rows
it learns from: tests that lie on a case's path, with fees that they share, plus the cost of errors.
It asks for yes or no, so numbers are cut at quantiles. Its size is tuned by its own five-fold
validation. CEGB (LightGBM) is told by weights of rows what errors cost, and its trade-off between
loss and prices is tuned by the total in cross-validation. A forest on everything pays for
everything, and decides by expected cost.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import StratifiedKFold

try:
    import pystreed
except ImportError:  # then the tree's rows are left out
    pystreed = None

from frugalforest.costs import Prices
from rivals import train_cegb

_DEPTH = 4
_MOST_CUTS = 5
_TRADEOFFS = np.geomspace(1e-3, 1e3, 13)  # from all features to none
_N_FOLDS = 3
Matrix = NDArray[np.float64]
Labels = NDArray[np.intp]


@dataclass(frozen=True)
class Bill:
    """What one strategy costs a case, as means over new rows."""

    measurements: float
    errors: float
    n_features: int


def error_bill(y: Labels, predicted: Labels, losses: Matrix) -> float:
    """What errors cost a case. `losses` by true class (rows) and predicted class (columns)."""
    return float(losses[y, predicted].mean())


def nothing(y: Labels, y_new: Labels, losses: Matrix) -> Bill:
    """Measure nothing, and always give the answer that was cheapest on the rows learned from."""
    answer = int((np.bincount(y, minlength=2) @ losses).argmin())
    return Bill(0.0, error_bill(y_new, np.full(len(y_new), answer), losses), 0)


class ForestOnEverything:
    """scikit-learn's forest on all columns; one serves all costs of errors."""

    def __init__(self, X: Matrix, y: Labels, n_trees: int) -> None:
        self.forest = RandomForestClassifier(n_trees, n_jobs=1, random_state=0).fit(X, y)

    def bill(self, X_new: Matrix, y_new: Labels, prices: Prices, losses: Matrix) -> Bill:
        """Decide by the lowest expected cost."""
        predicted = (self.forest.predict_proba(X_new) @ losses).argmin(axis=1)
        n_features = X_new.shape[1]
        everything = float(prices.total(list(range(n_features))))
        return Bill(everything, error_bill(y_new, predicted, losses), n_features)


def cegb(
    X: Matrix, y: Labels, X_new: Matrix, y_new: Labels, prices: Prices, losses: Matrix
) -> Bill:
    """CEGB at the trade-off whose total is the lowest in cross-validation."""
    folds = list(StratifiedKFold(_N_FOLDS, shuffle=True, random_state=0).split(X, y))

    def at(tradeoff: float, train: Any, X_test: Matrix, y_test: Labels) -> Bill:
        weight = losses.max(axis=1)[y[train]]
        weight = weight / weight.mean()
        booster = train_cegb(X[train], y[train], 2, prices.alone, tradeoff, weight)
        used = np.flatnonzero(booster.feature_importance()).tolist()
        predicted = (np.asarray(booster.predict(X_test)) > 0.5).astype(np.intp)
        total = float(prices.total(used))
        return Bill(total, error_bill(y_test, predicted, losses), len(used))

    totals = []
    for tradeoff in _TRADEOFFS:
        bills = [at(tradeoff, train, X[test], y[test]) for train, test in folds]
        totals.append(sum(bill.measurements + bill.errors for bill in bills))
    best = float(_TRADEOFFS[int(np.argmin(totals))])
    return at(best, np.arange(len(y)), X_new, y_new)


class Cuts:
    """Columns as yes or no: above each of some values, and missing where that occurs."""

    def __init__(self, X: Matrix) -> None:
        self.cuts = []
        for column in X.T:
            values = np.unique(column[~np.isnan(column)])
            cuts = values[:-1]
            if len(cuts) > _MOST_CUTS:
                shares = np.arange(1, _MOST_CUTS + 1) / (_MOST_CUTS + 1)
                cuts = np.unique(np.nanquantile(column, shares, method="lower"))
            # A column of one value would have no question: one that is always answered alike.
            above = [("above", cut) for cut in (cuts if len(cuts) else values[:1])]
            self.cuts.append([*above, *([("missing", 0.0)] if np.isnan(column).any() else [])])
        self.column = np.repeat(np.arange(X.shape[1]), [len(cuts) for cuts in self.cuts])

    def transform(self, X: Matrix) -> NDArray[np.intc]:
        """Answers, one column for each question."""
        answers = [
            column > cut if kind == "above" else np.isnan(column)
            for column, cuts in zip(X.T, self.cuts, strict=True)
            for kind, cut in cuts
        ]
        return np.array(answers, dtype=np.intc).T


def optimal_tree(
    X: Matrix, y: Labels, X_new: Matrix, y_new: Labels, prices: Prices, losses: Matrix
) -> tuple[Bill, Bill]:
    """What the tree costs if tests are made one by one, and as a panel of all its tests."""
    cuts = Cuts(X)
    model = pystreed.STreeDCostSensitiveClassifier(max_depth=_DEPTH, hyper_tune=True)
    model.fit(cuts.transform(X), y, _specify(cuts, prices, losses))
    answers = cuts.transform(X_new)
    paid = np.empty(len(X_new))
    predicted = np.empty(len(X_new), dtype=np.intp)
    for i, row in enumerate(answers):
        node, path = model.tree_, set()
        while node.is_branching_node():
            path.add(int(cuts.column[node.feature]))
            node = node.right_child if row[node.feature] else node.left_child
        paid[i] = prices.total(sorted(path))
        predicted[i] = node.label
    panel = sorted(_tests_of(model.tree_, cuts))
    errors = error_bill(y_new, predicted, losses)
    one_by_one = Bill(float(paid.mean()), errors, len(panel))
    return one_by_one, Bill(float(prices.total(panel)), errors, len(panel))


def _specify(cuts: Cuts, prices: Prices, losses: Matrix) -> Any:
    """Prices in the tree's terms: alone, and once a test of the same group was made."""
    specified, begin = [], 0
    for j, questions in enumerate(cuts.cuts):
        end = begin + len(questions) - 1
        group = f"group {prices.group[j]}" if prices.group[j] >= 0 else f"alone {j}"
        alone, discounted = float(prices.alone[j]), float(prices.feature_cost[j])
        specified.append(pystreed.FeatureCostSpecifier(alone, discounted, group, begin, end))
        begin = end + 1
    return pystreed.CostSpecifier(losses.tolist(), specified)


def _tests_of(node: Any, cuts: Cuts) -> set[int]:
    if not node.is_branching_node():
        return set()
    below = _tests_of(node.left_child, cuts) | _tests_of(node.right_child, cuts)
    return below | {int(cuts.column[node.feature])}
