"""Problems to choose features on: a table to choose from, new rows to test on, prices, budgets.

Each problem is a function of its name and a number, the draw. Settings A to D are the paper's, with
its spreads read as variances, and A-sd to D-sd the same with standard deviations; real sets are
split anew by each draw (and those without prices get drawn ones); the other families are ours, and
none of them is Gaussian with linear classes. The later families were written when `auto` had been
settled on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.datasets import make_classification

from frugalforest.costs import CostModel
from frugalforest.datasets import (
    PRICED_SETS,
    REAL_SETS,
    Spread,
    draw_costs,
    load_priced,
    load_real,
    make_cost_classification,
)

DATA = Path(__file__).parents[2] / "shared" / "datasets"

N_TEST = 3000
_MOST_REAL_ROWS = 500


@dataclass(frozen=True)
class Drawn:
    """A problem: what to choose from, what to test on."""

    X: Any
    y: NDArray[Any]
    X_test: Any
    y_test: NDArray[Any]
    costs: Any
    budgets: tuple[float, ...]


def draw(name: str, number: int, n_rows: int | None = None) -> Drawn:
    """Draw `number` of the problem `name`; `n_rows` for another number of rows than usual."""
    rng = np.random.default_rng([number, *name.encode()])
    if name in SETTINGS:
        return _setting(name, number, n_rows or 500, "variance")
    if name in SD_SETTINGS:
        return _setting(name.removesuffix("-sd"), number, n_rows or 500, "sd")
    families = FAMILIES | LATER_FAMILIES
    if name in families:
        return families[name](rng, n_rows or 300)
    return _real(name, number, rng, n_rows)


def _setting(name: str, number: int, n_rows: int, spread: Spread) -> Drawn:
    of_draw = {"design_seed": 1_000 + number, "spread": spread}
    X, y, costs = make_cost_classification(name, n_rows, random_state=1, **of_draw)
    X_test, y_test, _ = make_cost_classification(name, N_TEST, random_state=2, **of_draw)
    return Drawn(X, y, X_test, y_test, costs, (1.0, 2.0, 5.0, 10.0, 30.0))


def _real(name: str, number: int, rng: np.random.Generator, n_rows: int | None) -> Drawn:
    if name in PRICED_SETS:
        data = load_priced(name, DATA)
        costs = CostModel.from_csv(data.costs_path)
    else:
        data = load_real(name, DATA)
        costs = dict(zip(data.feature_names, draw_costs(data.X.shape[1], number), strict=True))
    X = pd.DataFrame(data.X, columns=list(data.feature_names))
    order = rng.permutation(len(X))
    cut = min(n_rows or _MOST_REAL_ROWS, 2 * len(X) // 3)
    here, there = order[:cut], order[cut:]
    prices = CostModel.coerce(costs, tuple(X)).align(tuple(X))
    total = float(prices.total(np.ones(len(X.columns), dtype=bool)))
    least = float(prices.alone[prices.alone > 0].min())
    budgets = {max(least, round(share * total, 2)) for share in (0.03, 0.1, 0.3, 0.6)}
    return Drawn(
        X.iloc[here], data.y[here], X.iloc[there], data.y[there], costs, tuple(sorted(budgets))
    )


def _cut(
    X: Any, y: NDArray[Any], n_rows: int, costs: Any, budgets: tuple[float, ...] = (1.0, 3.0, 8.0)
) -> Drawn:
    rows = X.iloc if isinstance(X, pd.DataFrame) else X
    return Drawn(rows[:n_rows], y[:n_rows], rows[n_rows:], y[n_rows:], costs, budgets)


def _correlated(rng: np.random.Generator, n: int, p: int) -> NDArray[np.float64]:
    """Normal columns in blocks of five that share a factor."""
    factors = rng.normal(size=(n, p // 5))
    return 0.7 * np.repeat(factors, 5, axis=1) + 0.7 * rng.normal(size=(n, p))


def _interactions(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Three pairs decide by the signs of their products: no feature helps alone."""
    X = rng.normal(size=(n_rows + N_TEST, 60))
    used = rng.permutation(60)[:6]
    product = X[:, used[:3]] * X[:, used[3:]]
    y = (np.sign(product) @ [2.0, 1.0, 1.0] + 0.5 * rng.normal(size=len(X)) > 0).astype(int)
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, 60))


def _heavy_tails(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Correlated, with outliers, and measured on distorted scales."""
    n, p = n_rows + N_TEST, 60
    latent = _correlated(rng, n, p) * np.sqrt(2 / rng.chisquare(2, size=(n, 1)))
    effect = np.where(rng.random(p) < 0.4, rng.normal(size=p), 0.0)
    signal = latent @ effect
    y = (signal + 0.3 * np.median(np.abs(signal)) * rng.logistic(size=n) > 0).astype(int)
    distort = [np.exp, lambda x: x**3, np.arctan, lambda x: np.round(x), lambda x: x]
    X = np.column_stack([distort[j % 5](np.clip(latent[:, j], -50, 50)) for j in range(p)])
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, p))


def _unbalanced(rng: np.random.Generator, n_rows: int) -> Drawn:
    """One case in six, told by how far some features are from the middle."""
    n, p = n_rows + N_TEST, 50
    X = _correlated(rng, n, p)
    used = rng.permutation(p)[:8]
    signal = (X[:, used] ** 2).sum(axis=1) + 1.5 * X[:, used[:2]].sum(axis=1)
    signal += 1.5 * rng.normal(size=n)
    y = (signal > np.quantile(signal, 5 / 6)).astype(int)
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, p))


def _text_and_fees(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Categories with effects of their own, gaps, and panels whose fee is paid once."""
    n, p = n_rows + N_TEST, 40
    columns: dict[str, Any] = {}
    signal = np.zeros(n)
    for j in range(p):
        levels = int(rng.integers(2, 9))
        code = rng.integers(levels, size=n)
        if rng.random() < 0.35:
            signal += rng.normal(size=levels)[code]
        text = np.array([f"level {c}" for c in rng.permutation(levels)], dtype=object)[code]
        text[rng.random(n) < 0.05] = None
        columns[f"c{j}"] = text if j % 2 else code + rng.random(n)
    y = np.where(signal + rng.normal(size=n) > np.median(signal), "ill", "well")
    panels = {f"c{j}": f"panel {j // 5}" for j in range(25)}
    fees = {f"panel {k}": float(rng.uniform(0.5, 3)) for k in range(5)}
    prices = dict(zip(columns, rng.uniform(0.1, 1.5, p).tolist(), strict=True))
    model = CostModel(prices, panels, fees)
    return _cut(pd.DataFrame(columns), y, n_rows, model, (2.0, 5.0, 12.0))


def _rules(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Four classes by the paths of a random tree over counts and measurements."""
    n, p = n_rows + N_TEST, 45
    X = np.column_stack([rng.poisson(3, n) if j % 3 else rng.gamma(2.0, size=n) for j in range(p)])
    used = rng.permutation(p)[:7]
    above = X[:, used] > np.median(X[:, used], axis=0)
    leaf = above @ (2 ** np.arange(7))
    y = rng.integers(4, size=128)[leaf]
    wrong = rng.random(n) < 0.1
    y[wrong] = rng.integers(4, size=int(wrong.sum()))
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, p))


def _noise(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Nothing to find."""
    X = rng.normal(size=(n_rows + N_TEST, 30))
    y = (rng.random(len(X)) < rng.uniform(0.3, 0.5)).astype(int)
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, 30))


def _proxies(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Three instruments for each of twelve quantities: the dearer, the more accurate."""
    n, n_quantities = n_rows + N_TEST, 12
    latent = rng.normal(size=(n, n_quantities))
    X = np.hstack([latent + noise * rng.normal(size=latent.shape) for noise in (2.0, 0.8, 0.2)])
    costs = np.concatenate([p * rng.uniform(0.6, 1.4, n_quantities) for p in (0.2, 1.0, 3.0)])
    effect = rng.normal(size=n_quantities) * (rng.random(n_quantities) < 0.6)
    signal = latent @ effect + latent[:, 0] * latent[:, 1]
    y = (signal + 0.5 * rng.normal(size=n) > 0).astype(int)
    return _cut(X, y, n_rows, costs)


def _clusters(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Three classes of four clusters each in eight columns, and ten mixtures of these."""
    X, y = make_classification(
        n_rows + N_TEST,
        n_features=50,
        n_informative=8,
        n_redundant=10,
        n_classes=3,
        n_clusters_per_class=4,
        class_sep=1.5,
        random_state=int(rng.integers(2**31)),
    )
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, 50))


def _wide(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Half of the rows, 600 columns, twelve of them with effects, log-normal prices."""
    n_rows, p = n_rows // 2, 600
    X = _correlated(rng, n_rows + N_TEST, p)
    used = rng.permutation(p)[:12]
    signal = X[:, used] @ rng.choice([-1, 1], 12)
    y = (signal + 0.5 * rng.normal(size=len(X)) > 0).astype(int)
    return _cut(X, y, n_rows, rng.lognormal(0, 1, p))


def _rings(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Sensors of four channels with a fee each; how far three are from their origin decides."""
    n, n_sensors = n_rows + N_TEST, 12
    X = rng.normal(size=(n, 4 * n_sensors))
    X = 0.8 * X + 0.6 * np.repeat(rng.normal(size=(n, n_sensors)), 4, axis=1)
    radius = np.zeros(n)
    for sensor, weight in zip(rng.permutation(n_sensors)[:3], (1.0, 0.7, 0.5), strict=True):
        radius += weight * (X[:, 4 * sensor : 4 * sensor + 2] ** 2).sum(axis=1)
    limits = np.quantile(radius, [1 / 3, 2 / 3])
    y = np.digitize(radius + 0.5 * rng.normal(size=n), limits).astype(int)
    names = [f"x{j}" for j in range(4 * n_sensors)]
    fees = {f"sensor {k}": float(rng.uniform(0.3, 1.5)) for k in range(n_sensors)}
    prices = dict(zip(names, rng.uniform(0.05, 0.4, len(names)).tolist(), strict=True))
    sensors = {name: f"sensor {j // 4}" for j, name in enumerate(names)}
    return _cut(pd.DataFrame(X, columns=names), y, n_rows, CostModel(prices, sensors, fees))


def _gaps(rng: np.random.Generator, n_rows: int) -> Drawn:
    """Rounded values that are missing the more often the larger they are; a tenth mislabelled."""
    n, p = n_rows + N_TEST, 40
    X = _correlated(rng, n, p)
    effect = np.where(rng.random(p) < 0.3, rng.normal(size=p), 0)
    y = (X @ effect + 0.4 * rng.normal(size=n) > 0).astype(int)
    X = np.round(X * 2) / 2
    X[rng.random((n, p)) < 1 / (1 + np.exp(-1.5 * (X - 1.2)))] = np.nan
    wrong = rng.random(n) < 0.1
    return _cut(X, np.where(wrong, 1 - y, y), n_rows, rng.uniform(0.1, 2.0, p))


def _threeway(rng: np.random.Generator, n_rows: int) -> Drawn:
    """The sign of a product of three, a steep difference of two, a distance of two."""
    X = _correlated(rng, n_rows + N_TEST, 50)
    used = X[:, rng.permutation(50)[:7]].T
    signal = np.sign(used[0] * used[1] * used[2]) + 2 * np.tanh(3 * (used[3] - used[4]))
    signal += np.abs(used[5] - used[6]) - 1
    y = (signal + 0.3 * rng.normal(size=len(X)) > 0).astype(int)
    return _cut(X, y, n_rows, rng.uniform(0.1, 2.0, 50))


SETTINGS = ("A", "B", "C", "D")
SD_SETTINGS = ("A-sd", "B-sd", "C-sd", "D-sd")
REAL = (*REAL_SETS, *PRICED_SETS)
FAMILIES: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "interactions": _interactions,
    "heavy tails": _heavy_tails,
    "unbalanced": _unbalanced,
    "text and fees": _text_and_fees,
    "rules": _rules,
    "noise": _noise,
}
LATER_FAMILIES: dict[str, Callable[[np.random.Generator, int], Drawn]] = {
    "proxies": _proxies,
    "clusters": _clusters,
    "wide": _wide,
    "rings": _rings,
    "gaps": _gaps,
    "threeway": _threeway,
}
