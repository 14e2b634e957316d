"""What the pictures of predictions share: which budget, which class, whose colour."""

from __future__ import annotations

from frugalforest.evaluation.diagnosis import Diagnosis, rarest_class
from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.plotting._drawing import all_looks
from frugalforest.results import Results
from frugalforest.results.findings import Findings
from frugalforest.results.looks import BEST_KEY, Look
from frugalforest.words.formats import money

__all__ = ["LONGEST_CLASS", "find_diagnosis", "find_positive", "look_of_best"]

# Of a class's name, where room is short.
LONGEST_CLASS = 24


def find_diagnosis(comparison: Results, budget: float | None) -> tuple[float, Diagnosis]:
    """The budget, the recommended one for None, and what was predicted there for rows left out."""
    if not comparison.has_honest_errors:
        raise ValueError(
            "there are no predictions for rows left out: compare with `n_resamples` above 0."
        )
    if budget is None:
        recommended = Findings.of(comparison).recommended
        assert recommended is not None  # because there are honest errors
        budget = recommended.budget
    diagnosis = comparison.best(budget).diagnosis
    if diagnosis is None:
        others = [b for b in comparison.budgets if comparison.best(b).diagnosis is not None]
        where = f"for {', '.join(map(money, others))}" if others else "for no budget"
        raise ValueError(
            f"nothing is bought for {money(budget)}, so nothing was predicted: there are "
            f"predictions {where}."
        )
    if isinstance(diagnosis, NumberDiagnosis):
        raise ValueError("this picture is of classes, and numbers were predicted.")
    return float(budget), diagnosis


def find_positive(comparison: Results, diagnosis: Diagnosis, positive: object | None) -> int:
    """The number of the class that counts as positive; the rarest for None."""
    classes = comparison.data.classes
    if positive is None:
        k = rarest_class(comparison.data.class_counts)
    else:
        # Classes are kept as text, in which whole numbers have no point.
        text = f"{positive:g}" if isinstance(positive, float) else str(positive).strip()
        if text not in classes:
            raise ValueError(
                f"`positive` is {positive!r}, which is no class of the target: there are "
                f"{', '.join(classes)}."
            )
        k = classes.index(text)
    if not diagnosis.n_cases[k]:
        raise ValueError(
            f"no case of class {classes[k]!r} was ever left out: compare with more resamples."
        )
    return k


def look_of_best(comparison: Results) -> Look:
    """That of the method which has the say, or which is the only one; else of the best of them."""
    looks = all_looks(comparison)
    if comparison.judge is not None:
        return looks[comparison.judge.name]
    return looks[comparison.methods[0] if len(comparison.methods) == 1 else BEST_KEY]
