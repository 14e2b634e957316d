"""What the page of a validation says."""

from __future__ import annotations

import math
from typing import Any

from frugalforest.evaluation.diagnosis import Figure
from frugalforest.evaluation.validation import Validation
from frugalforest.report._diagnosis import FigureRow, view_diagnosis

__all__ = ["validation_values"]

_KINDS = {
    "forest": "random forest",
    "blend": "random forest averaged with a linear model",
    "logistic": "linear model",
}
_HEADLINES = {True: "As good as promised", False: "Worse than promised", None: "On new rows"}


def validation_values(found: Validation, model: str, source: str) -> dict[str, Any]:
    """Everything that the template shows. `model` and `source` are names of files."""
    headline = _HEADLINES[found.agrees]
    if found.agrees is False and found.difference is not None and found.difference.value < 0:
        headline = "Better than promised"
    view = view_diagnosis(found.diagnosis, found.classes, found.positive)
    view.figures.extend(
        [
            _row("Calibration intercept", found.intercept, "0 if the class is as common as said"),
            _row("Calibration slope", found.slope, "below 1 if shares are too extreme"),
        ]
    )
    return {
        "found": found,
        "view": view,
        "headline": headline,
        "kind": _KINDS[found.model],
        "model": model,
        "source": source,
    }


def _row(label: str, figure: Figure, meaning: str) -> FigureRow:
    if math.isnan(figure.value):
        return FigureRow(label, "–", "", "not to be told from these rows")
    interval = f"{figure.low:.2f} to {figure.high:.2f}"
    return FigureRow(label, f"{figure.value:.2f}", interval, meaning)
