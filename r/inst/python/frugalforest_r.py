"""What R hands over and takes back: bytes, texts, plain numbers and files.

Arrays are not among them: a reticulate that is older than NumPy 2 cannot convert those. A column is
bytes of float64, or bytes of int32 (which of the levels, -1 is missing) with its levels. Bytes go
to Python only; what R is to keep comes back in files.
"""

from __future__ import annotations

import atexit
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from joblib.externals.loky import get_reusable_executor

from frugalforest import Comparison, CostModel, compare
from frugalforest.model import FittedModel
from frugalforest.results.findings import Findings
from frugalforest.words.formats import plain


def attempt(name: str, *arguments: Any) -> dict[str, Any]:
    """The value of a function of this module, or what R is to signal."""
    try:
        return {"value": _FUNCTIONS[name](*arguments)}
    except (ImportError, OSError, TypeError, ValueError) as error:
        return {"message": " ".join(str(error).split()), "kind": type(error).__name__}


def _column(given: dict[str, Any]) -> Any:
    if "numbers" in given:
        return np.frombuffer(given["numbers"], dtype="<f8")
    texts = np.array([*given["levels"], None], dtype=object)
    return texts[np.frombuffer(given["codes"], dtype="<i4")]


def _frame(columns: dict[str, dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame({name: _column(given) for name, given in columns.items()})


def _costs(given: Any, required: list[str], excluded: list[str]) -> CostModel:
    model = CostModel.from_csv(given) if isinstance(given, str) else CostModel.coerce(given)
    return CostModel(model.costs, model.groups, model.group_costs, required, excluded)


def _compare(
    columns: dict[str, Any],
    target: dict[str, Any],
    costs: Any,
    required: list[str],
    excluded: list[str],
    budgets: Any,
    row_groups: dict[str, Any] | None,
    options: dict[str, Any],
    folder: str,
) -> dict[str, Any]:
    """What was found; the folder gets it as comparison.json, and a model for each budget."""
    X, y = _frame(columns), _column(target)
    result = compare(
        X,
        y,
        _costs(costs, required, excluded),
        budgets,
        row_groups=None if row_groups is None else _column(row_groups),
        **options,
    )
    findings = Findings.of(result)
    frame = result.to_frame()
    result.save(Path(folder, "comparison.json"))
    # What is recommended may be for less money than any budget that was asked for.
    amounts = sorted({*result.budgets, findings.lead.selection.budget})
    models = result.fit_each(X, y, amounts, n_jobs=options.get("n_jobs"))
    for place, model in enumerate(models):
        model.save(Path(folder, f"model-{place}.zip"))
    return {
        "budgets": amounts,
        "recommended": findings.lead.selection.budget,
        "score": findings.score.title,
        "sentences": [plain(line) for line in findings.sentences],
        "notices": [plain(notice.message) for notice in result.notices],
        "frame": {name: frame[name].tolist() for name in frame if name != "features"},
        "features": [list(features) for features in frame["features"]],
        "best": [_selection(result, budget) for budget in amounts],
    }


def _selection(result: Comparison, budget: float) -> dict[str, Any]:
    best = result.best(budget)
    honest = best.honest
    shares = best.frequencies or {}
    return {
        "features": list(best.features),
        "cost": best.cost,
        "method": best.method,
        "honest": None
        if honest is None
        else {name: getattr(honest, name) for name in ("error", "se", "low", "high")},
        "frequencies": {name: shares[name] for name in best.features if name in shares},
    }


def _predict(model: bytes, columns: dict[str, Any]) -> dict[str, Any]:
    """Places among the classes, and a list of shares for each class."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "model.zip")
        file.write_bytes(model)
        fitted = FittedModel.load(file)
    predicted, shares = fitted.predict_with_shares(_frame(columns))
    return {
        "classes": fitted.classes.tolist(),
        "places": np.searchsorted(fitted.classes, predicted).tolist(),
        "shares": [column.tolist() for column in shares.T],
    }


def _report(saved: bytes, path: str) -> None:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "comparison.json")
        file.write_bytes(saved)
        Comparison.load(file).to_html(path)


def _goodbye() -> None:
    """What Python does when it ends, which R does not let it do: no worker or file is left."""
    get_reusable_executor().shutdown()
    atexit._run_exitfuncs()


_FUNCTIONS = {"compare": _compare, "goodbye": _goodbye, "predict": _predict, "report": _report}
