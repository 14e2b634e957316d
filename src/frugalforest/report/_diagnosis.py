"""What the page shows of what is got right and wrong at one budget."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from frugalforest.evaluation.diagnosis import Diagnosis, Figure
from frugalforest.words.formats import percent, whole_percent

__all__ = ["ConfusionRow", "DiagnosisView", "FigureRow", "view_diagnosis"]

_TICKS = (0.0, 0.25, 0.5, 0.75, 1.0)


@dataclass(frozen=True)
class FigureRow:
    """A figure, what it is, and its interval; empty if that is not known."""

    label: str
    text: str
    interval: str
    meaning: str


@dataclass(frozen=True)
class ConfusionRow:
    """What the cases of one class were called: share of them, and whether that is right."""

    name: str
    n_cases: int
    cells: Sequence[tuple[str, bool]]


@dataclass(frozen=True)
class DiagnosisView:
    """All that is shown. Places are in percent of the plotting area, from the upper left."""

    positive: str
    is_positive: bool
    others: str
    figures: list[FigureRow]
    confusion: Sequence[ConfusionRow]
    roc: str
    decision: tuple[float, float]
    reliability: Sequence[tuple[float, float, float, float, str]]
    ticks: Sequence[tuple[float, float, str]]


def view_diagnosis(
    diagnosis: Diagnosis,
    names: Sequence[str],
    k: int,
    prevalence: float | None = None,
    *,
    named: bool = False,
) -> DiagnosisView:
    """What to show of a diagnosis, with the curves of one class against the others.

    Of two classes it counts as positive; of more only if it was `named`. `prevalence` is how common
    it is where the model will be used, if somebody said.
    """
    is_positive = named or len(names) == 2
    others = names[1 - k] if len(names) == 2 else "the other classes"
    found, right = diagnosis.sensitivity(k), diagnosis.specificity(k)
    n = sum(diagnosis.n_cases)
    points = []
    for given, observed, weight in diagnosis.reliability[k]:
        own = Figure.of_share(observed, weight * diagnosis.n_independent(k)[2])
        title = f"given {percent(given)}: {percent(observed)} of about {weight * n:.0f} cases"
        points.append((_x(given), _y(observed), _y(own.low), _y(own.high), title))
    return DiagnosisView(
        names[k],
        is_positive,
        others,
        [
            *(_of_positive(diagnosis, names[k], k, prevalence) if is_positive else ()),
            *_recalls(diagnosis, names, k if is_positive else None),
            *_of_shares(diagnosis, names, k),
        ],
        [
            ConfusionRow(
                name,
                diagnosis.n_cases[i],
                [(percent(diagnosis.called(i, j).value), i == j) for j in range(len(names))],
            )
            for i, name in enumerate(names)
        ],
        "M" + "L".join(f"{_x(a):g} {_y(b):g}" for a, b in diagnosis.roc[k]),
        (_x(1 - right.value), _y(found.value)),
        points,
        [(_x(t), _y(t), whole_percent(t)) for t in _TICKS],
    )


def _of_positive(
    diagnosis: Diagnosis, positive: str, k: int, prevalence: float | None
) -> list[FigureRow]:
    name = f"‘{positive}’"
    rows = [
        _share("Sensitivity", diagnosis.sensitivity(k), f"of the cases of {name} that are found"),
        _share(
            "Specificity", diagnosis.specificity(k), f"of the others that are not called {name}"
        ),
    ]
    shares: list[tuple[float | None, float, str]] = [
        (None, diagnosis.prevalence(k), "as in the table")
    ]
    if prevalence is not None:
        shares.append((prevalence, prevalence, "as you said"))
    for given, share, why in shares:
        where = f"where {percent(share)} are {name}, {why}"
        rows += [
            _share(
                "Positive predictive value",
                diagnosis.positive_value(k, given),
                f"of the cases called {name} that are {name}, {where}",
            ),
            _share(
                "Negative predictive value",
                diagnosis.negative_value(k, given),
                f"of the cases not called {name} that are not, {where}",
            ),
        ]
    return rows


def _recalls(
    diagnosis: Diagnosis, names: Sequence[str], positive: int | None
) -> Iterator[FigureRow]:
    """How much is found of each class; with two, sensitivity and specificity say it."""
    for j, name in enumerate(names if len(names) > 2 else ()):
        if j != positive:
            recall = diagnosis.sensitivity(j)
            yield _share(f"Recall of ‘{name}’", recall, "of its cases that are found")


def _of_shares(diagnosis: Diagnosis, names: Sequence[str], k: int) -> Iterator[FigureRow]:
    pairs = ", mean over pairs of classes" if len(names) > 2 else ""
    auc = f"how often a case of one class is ranked before one of another{pairs}"
    yield _plain("AUC", diagnosis.auc, auc)
    yield _plain("Brier score", diagnosis.brier, "squared distance from the truth")
    yield _share(
        "Calibration",
        diagnosis.observed_share(k),
        f"of the cases left out are ‘{names[k]}’; the share given to it was "
        f"{percent(diagnosis.expected_share(k))} on average",
    )


def _share(label: str, figure: Figure, meaning: str) -> FigureRow:
    if math.isnan(figure.value):
        return FigureRow(label, "–", "", "nothing is called that")
    interval = "" if math.isnan(figure.low) else f"{100 * figure.low:.1f} to {percent(figure.high)}"
    return FigureRow(label, percent(figure.value), interval, meaning)


def _plain(label: str, figure: Figure, meaning: str) -> FigureRow:
    interval = "" if math.isnan(figure.low) else f"{figure.low:.3f} to {figure.high:.3f}"
    return FigureRow(label, f"{figure.value:.3f}", interval, meaning)


def _x(share: float) -> float:
    return round(100 * share, 2)


def _y(share: float) -> float:
    return round(100 * (1 - share), 2)
