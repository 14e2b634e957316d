"""What is said of predictions for cases left out: what is found, or how far they are off."""

from __future__ import annotations

import math

from frugalforest.evaluation.diagnosis import Diagnosis, Figure
from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.results.findings._facts import Facts
from frugalforest.words.formats import MINUS, named, percent, shorten

__all__ = ["diagnosis_sentence"]

_MOST_CLASSES = 8  # named in a sentence


def diagnosis_sentence(facts: Facts) -> str:
    """Of what is recommended; empty if it is not known, or should not be relied on."""
    found = facts.lead.selection.diagnosis
    if found is None or facts.too_good:
        return ""
    if isinstance(found, NumberDiagnosis):
        return _of_numbers(facts, found)
    return _of_classes(facts, found)


def _of_classes(facts: Facts, found: Diagnosis) -> str:
    """What is found and what is not, of the class that counts as positive."""
    k, n_classes = facts.positive, len(facts.data.classes)
    pairs = ", the mean over pairs of classes" if n_classes > 2 else ""
    auc = "" if math.isnan(found.auc.value) else f" AUC {found.auc.value:.3f}{pairs}."
    if n_classes > 2 and not facts.positive_named:  # none of them is the positive one
        recalls = [
            f"‘{shorten(name)}’ {percent(found.sensitivity(j).value)}"
            for j, name in enumerate(facts.data.classes)
        ]
        return (
            "Found, of the cases of each class that were left out of the choice (recall): "
            f"{named(recalls, _MOST_CLASSES)}.{'' if facts.score.name == 'auc' else auc}"
        )
    name = f"‘{shorten(facts.data.classes[k])}’"
    right, wrong = found.sensitivity(k), found.specificity(k)
    why = "" if facts.positive_named else ", which counts as positive,"
    return (
        f"Of the cases of {name}{why} left out of the choice, {_share(right)} are found "
        f"(sensitivity); of the others, {_share(wrong)} are not called {name} (specificity)."
        f"{'' if facts.score.name == 'auc' else auc}"
    )


def _share(figure: Figure) -> str:
    if math.isnan(figure.low):
        return percent(figure.value)
    return f"{percent(figure.value)} ({100 * figure.low:.1f} to {percent(figure.high)})"


def _of_numbers(facts: Facts, found: NumberDiagnosis) -> str:
    """How much is explained, and by how much predictions are off; not what the score says."""
    said = []
    if facts.score.name != "r2":
        said.append(f"R² is {_interval(found.r2, 2)}")
    if facts.score.name != "mae":
        digits = facts.score.decimals if facts.score.words.style == "amount" else 3
        said.append(f"predictions are off by {found.mae.value:,.{digits}f} on average")
    return f"On cases left out of the choice, {' and '.join(said)}."


def _interval(figure: Figure, digits: int) -> str:
    value, low, high = (
        f"{v:.{digits}f}".replace("-", MINUS) for v in (figure.value, figure.low, figure.high)
    )
    return value if math.isnan(figure.low) else f"{value} ({low} to {high})"
