"""What the page shows of how far predicted numbers are off at one budget."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from frugalforest.evaluation.diagnosis import Figure
from frugalforest.evaluation.number_diagnosis import CaseGroup, NumberDiagnosis
from frugalforest.report._charts import round_step
from frugalforest.report._diagnosis import FigureRow
from frugalforest.scores.facts import ScoreFacts
from frugalforest.words.formats import MINUS, whole_percent

__all__ = ["NumberView", "view_numbers"]

_N_TICKS = 5


@dataclass(frozen=True)
class NumberView:
    """All that is shown. Places are in percent of the plotting area, from the upper left.

    Attributes
    ----------
    figures : sequence of FigureRow
    points : sequence of (x, y, y of the low end, y of the high end, title)
        Groups of cases: what was predicted, and the truth.
    line : (x, y, x, y)
        Where predictions are the truth.
    ticks : sequence of (x, y, text)
    bars : sequence of (x, width, height, title)
        How far predictions were off.
    off_ticks : sequence of (x, text)
    """

    figures: Sequence[FigureRow]
    points: Sequence[tuple[float, float, float, float, str]]
    line: tuple[float, float, float, float]
    ticks: Sequence[tuple[float, float, str]]
    bars: Sequence[tuple[float, float, float, str]]
    off_ticks: Sequence[tuple[float, str]]


def view_numbers(found: NumberDiagnosis, score: ScoreFacts) -> NumberView:
    """What to show of a diagnosis of numbers."""
    digits = _digits(found)
    ends = [v for g in found.groups for v in (g.predicted, g.observed, g.low, g.high)]
    low, high = min(ends), max(ends)
    room = (high - low) / 20 or 1.0
    low, high = low - room, high + room

    def at(value: float) -> float:
        return round(100 * (value - low) / (high - low), 2)

    def point(group: CaseGroup) -> tuple[float, float, float, float, str]:
        places = (100 - at(v) for v in (group.observed, group.low, group.high))
        y, y_low, y_high = (round(place, 2) for place in places)
        title = (
            f"predicted {_text(group.predicted, digits)}: {_text(group.observed, digits)} in "
            f"{group.n_cases} cases"
        )
        return at(group.predicted), y, y_low, y_high, title

    bars, off_ticks = _residuals(found, digits)
    return NumberView(
        _figures(found, digits),
        [point(group) for group in found.groups],
        (0.0, 100.0, 100.0, 0.0),
        [(at(v), round(100 - at(v), 2), text) for v, text in _marks(low, high, _N_TICKS)],
        bars,
        off_ticks,
    )


def _figures(found: NumberDiagnosis, digits: int) -> list[FigureRow]:
    return [
        _row("R²", found.r2, 3, "share of the variance that predictions explain"),
        _row(
            "Root mean squared error",
            found.rmse,
            digits,
            "large errors count more; in the unit of the target",
        ),
        _row("Mean absolute error", found.mae, digits, "in the unit of the target"),
        _row("Bias", found.bias, digits, "mean of what was predicted less the truth"),
        _row(
            "Slope",
            found.slope,
            2,
            "of the truth on what was predicted: 1 is calibrated; where it is less, predictions "
            "are too far apart",
        ),
    ]


def _row(label: str, figure: Figure, digits: int, meaning: str) -> FigureRow:
    if math.isnan(figure.value):
        return FigureRow(label, "–", "", meaning)
    interval = ""
    if not math.isnan(figure.low):
        interval = f"{_text(figure.low, digits)} to {_text(figure.high, digits)}"
    return FigureRow(label, _text(figure.value, digits), interval, meaning)


def _residuals(
    found: NumberDiagnosis, digits: int
) -> tuple[list[tuple[float, float, float, str]], list[tuple[float, str]]]:
    """The histogram of what was predicted less the truth."""
    first, last = found.residuals[0][0], found.residuals[-1][1]
    width = last - first
    most = max(share for *_, share in found.residuals)
    bars = [
        (
            round(100 * (start - first) / width, 2),
            round(100 * (end - start) / width, 2),
            round(100 * share / most, 2),
            f"{_text(start, digits)} to {_text(end, digits)}: {whole_percent(share)} of cases",
        )
        for start, end, share in found.residuals
    ]
    marks = _marks(first, last, 4)
    return bars, [(round(100 * (v - first) / width, 2), text) for v, text in marks]


def _marks(low: float, high: float, most: int) -> list[tuple[float, str]]:
    """Round numbers between two others, as they are written."""
    step = round_step((high - low) / most)
    places = max(0, -math.floor(math.log10(step) + 1e-9))
    numbers = [i * step for i in range(math.ceil(low / step), math.floor(high / step) + 1)]
    return [(number, _text(number, places)) for number in numbers]


def _digits(found: NumberDiagnosis) -> int:
    """Decimals that tell a hundredth of a typical error."""
    size = found.rmse.value
    return max(0, 2 - math.floor(math.log10(size))) if size > 0 else 2


def _text(value: float, digits: int) -> str:
    return f"{value:,.{digits}f}".replace("-", MINUS)
