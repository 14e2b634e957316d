"""What is asked of scores and weights, for the kind of outcome that there is."""

from __future__ import annotations

from frugalforest.errors import DataError
from frugalforest.scores.base import NUMBER_SCORES, SCORES, Score
from frugalforest.scores.class_weights import ClassWeight, read_class_weight
from frugalforest.scores.numbers import find_number_score
from frugalforest.scores.score import find_score
from frugalforest.tables import Classes, Outcome, Task, check_task

__all__ = ["read_scoring", "settled_task"]


def settled_task(
    task: object, scoring: object = None, error_costs: object = None, class_weight: object = None
) -> Task | None:
    """The task that was asked for, or that follows from what else was; None if nothing says so.

    Examples
    --------
    >>> settled_task(None, "mae"), settled_task(None, None, error_costs=5), settled_task(None)
    ('regression', 'classification', None)
    """
    settled = check_task(task)
    if settled is not None or not isinstance(scoring, str | None):
        return settled
    if scoring in NUMBER_SCORES:
        return "regression"
    for_classes = scoring in SCORES or error_costs is not None or class_weight is not None
    return "classification" if for_classes else None


def read_scoring(
    outcome: Outcome, scoring: object, error_costs: object = None, class_weight: object = None
) -> tuple[Score, ClassWeight]:
    """The score that sets are compared by, and what rows of each class weigh."""
    if isinstance(outcome, Classes):
        score = find_score(scoring, error_costs, outcome.class_names)
        return score, read_class_weight(class_weight, outcome)
    if error_costs is not None:
        raise DataError(
            "`error_costs` are for classes: for a target of numbers, choose by `scoring` "
            f"({', '.join(map(repr, NUMBER_SCORES))})."
        )
    if class_weight is not None:
        raise DataError("`class_weight` is for classes, and the target is numbers: leave it out.")
    return find_number_score(scoring), None
