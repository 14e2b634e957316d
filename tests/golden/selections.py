"""What the paper's methods chose when it was frozen, and the script that froze it.

python tests/golden/selections.py DATASETS_FOLDER

writes ``selections.json`` beside this file. Run it again only for a change that is meant to change
selections, and say so in the commit: `tests/test_golden_selections.py` holds every change to it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_iris, load_wine

from frugalforest import (
    AUCSelector,
    CostModel,
    ForwardSelector,
    PermutationSelector,
    ShallowTreeSelector,
    XiSearch,
    compare,
)
from frugalforest.datasets import (
    draw_costs,
    load_priced,
    load_real,
    make_cost_classification,
)

FROZEN = Path(__file__).with_name("selections.json")
METHODS = ("auc", "pfi", "sts", "forward")
N_TREES = 60

Problem = tuple[Any, Any, Any, list[float]]  # X, y, costs, budgets


def _real(name: str, n_rows: int) -> Callable[[Path], Problem]:
    def load(folder: Path) -> Problem:
        table = load_real(name, folder)
        rows = np.random.default_rng(0).permutation(len(table.y))[:n_rows]
        return table.X[rows], table.y[rows], draw_costs(table.X.shape[1], 3), [1.0, 3.0]

    return load


def _priced(name: str, budgets: list[float]) -> Callable[[Path], Problem]:
    """Shared fees; hepatitis and heart have missing values."""

    def load(folder: Path) -> Problem:
        import pandas as pd

        table = load_priced(name, folder)
        frame = pd.DataFrame(table.X, columns=list(table.feature_names))
        return frame, table.y, CostModel.from_csv(table.costs_path), budgets

    return load


def _authors(folder: Path) -> Problem:
    """Four classes."""
    import pandas as pd

    table = load_real("author", folder)
    names = pd.read_csv(folder / "author_labels.csv.gz").iloc[:, 0].to_numpy()
    rows = np.random.default_rng(1).permutation(len(names))[:300]
    return table.X[rows], names[rows], draw_costs(table.X.shape[1], 4), [2.0]


def _wine(folder: Path) -> Problem:
    """Three classes, groups with fees, a required, an excluded and a free feature."""
    X, y = load_wine(return_X_y=True, as_frame=True)
    names = list(X.columns)
    model = CostModel(
        {name: float(j % 4) for j, name in enumerate(names)},
        groups={name: "abc"[j % 3] for j, name in enumerate(names[:9])},
        group_costs={"a": 2.0, "b": 0.5, "c": 0.0},
        required=[names[5]],
        excluded=[names[6]],
    )
    return X, y, model, [5.0, 9.0]


def _iris_with_text(folder: Path) -> Problem:
    """Missing numbers, a text column with missing cells, a constant column."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    X = X.copy()
    X.loc[::7, X.columns[2]] = np.nan
    X["kind"] = np.where(X[X.columns[0]] > 6, "large", np.where(y == 1, "odd", "small"))
    X.loc[::11, "kind"] = None
    X["same"] = 1.0
    costs = dict(zip(X.columns, [1.0, 2.0, 3.0, 1.5, 1.0, 0.5], strict=True))
    return X, y, costs, [1.5, 4.0]


def _artificial(setting: str) -> Callable[[Path], Problem]:
    def make(folder: Path) -> Problem:
        X, y, costs = make_cost_classification(
            setting, n_samples=200, n_features=40, n_relevant=20, design_seed=5, random_state=6
        )
        return X, y, costs, [1.0, 4.0]

    return make


PROBLEMS: dict[str, Callable[[Path], Problem]] = {
    **{name: _real(name, 250) for name in ("ada", "author", "qsar", "spam", "tokyo", "wdbc")},
    "heart_cleveland": _priced("heart_cleveland", [10.0, 60.0, 300.0]),
    "hepatitis": _priced("hepatitis", [5.0, 20.0]),
    "bupa": _priced("bupa", [12.0, 30.0]),
    "authors": _authors,
    "wine": _wine,
    "iris_with_text": _iris_with_text,
    "artificial_A": _artificial("A"),
    "artificial_C": _artificial("C"),
}


def compared(problem: Problem) -> Iterator[dict[str, Any]]:
    """What `compare` buys with each method, ξ tuned, and with all of them, raced."""
    X, y, costs, budgets = problem
    for racing in (False, True):
        methods = ("forward",) if racing else METHODS
        result = compare(
            X,
            y,
            costs,
            budgets,
            methods,
            n_trees=N_TREES,
            racing=racing,
            n_resamples=0,
            random_state=11,
            verbose=0,
        )
        for budget in budgets:
            for method in methods:
                chosen = result.selection(budget, method)
                yield {
                    "by": f"compare {method}{' raced' * racing}",
                    "budget": budget,
                    "features": list(chosen.features),
                    "cost": chosen.cost,
                    "xi": chosen.xi,
                    "oob_error": chosen.oob_error,
                }


def searched(problem: Problem) -> Iterator[dict[str, Any]]:
    """What selectors buy at fixed ξ, and tuned ones on a grid and by the Brier score."""
    X, y, costs, budgets = problem
    budget = budgets[-1]
    given = {"costs": costs, "budget": budget, "random_state": 12}
    selectors = {
        "auc": AUCSelector(**given),
        "pfi": PermutationSelector(**given, n_trees=N_TREES),
        "sts": ShallowTreeSelector(**given, n_trees=N_TREES),
        "sts-paper": ShallowTreeSelector(**given, n_trees=N_TREES, rule="paper"),
        "forward": ForwardSelector(**given, n_trees=N_TREES // 2, racing=True),
    }
    for name, selector in selectors.items():
        for xi in (0.0, 1.0):
            fitted = selector.set_params(xi=xi).fit(X, y)
            yield {
                "by": f"{name} xi={xi:g}",
                "budget": budget,
                "features": fitted.get_support(indices=True).tolist(),
                "cost": fitted.total_cost_,
                "steps": [list(map(int, step)) for step in fitted.path_["features"]],
            }
    for name, xis, scoring in (
        ("auc", "auto", "brier"),
        ("pfi", "grid", None),
        ("sts", "auto", None),
    ):
        chosen = {} if scoring is None else {"scoring": scoring}
        search = XiSearch(selectors[name], xis=xis, n_trees=N_TREES, **chosen).fit(X, y)
        yield {
            "by": f"search {name} {xis} {scoring}",
            "budget": budget,
            "features": search.get_support(indices=True).tolist(),
            "cost": search.total_cost_,
            "xi": search.best_xi_,
            "n_tried": len(search.results_["xi"]),
        }


def selections(name: str, folder: Path) -> list[dict[str, Any]]:
    """Every frozen selection on one problem, as it is now."""
    problem = PROBLEMS[name](folder)
    found = list(compared(problem))
    if name != "iris_with_text":  # selectors took numbers only
        found += searched(problem)
    return found


if __name__ == "__main__":
    frozen = {name: selections(name, Path(sys.argv[1])) for name in PROBLEMS}
    FROZEN.write_text(json.dumps(frozen, indent=0) + "\n", encoding="utf-8")
