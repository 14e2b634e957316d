"""Which kind of outcome a target is: as the caller says, or as its values tell."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

import numpy as np

from frugalforest.errors import DataError
from frugalforest.tables.cells import read_column
from frugalforest.tables.columns import Notice
from frugalforest.tables.numbers import Numbers
from frugalforest.tables.outcome import Classes, Outcome, Task, most_classes
from frugalforest.words.missing import MISSING_MARKS

__all__ = ["TASKS", "check_task", "found_task", "read_outcome", "task_notice"]

TASKS: tuple[Task, ...] = ("classification", "regression")
# Numbers with fractions, of more than so many different values, are no names of classes.
_MOST_FRACTIONS = 10


def check_task(task: object) -> Task | None:
    """A task by its name; None is found from the target."""
    if task is None:
        return None
    if task in TASKS:
        return TASKS[TASKS.index(task)]
    raise ValueError(
        f"`task` is {task!r}: it must be 'classification', 'regression', or None to go by the "
        "target."
    )


def read_outcome(
    y: Any, task: Task | None = None, missing: Container[str] = MISSING_MARKS
) -> Outcome:
    """What is predicted: classes or numbers.

    Without a `task`, numbers are to be predicted where there are too many different ones for
    classes (more than 20, and more than one for ten rows), or more than ten of which some have
    fractions.

    Examples
    --------
    >>> read_outcome(["no", "yes"] * 10).task, read_outcome([0.5 * i for i in range(30)]).task
    ('classification', 'regression')
    """
    if isinstance(y, Outcome):
        if task not in (None, y.task):
            raise ValueError(f"`task` is {task!r}, but the target was read for {y.task}.")
        return y
    if (task or found_task(y)) == "classification":
        return Classes.read(y, missing)
    numbers = Numbers.read(y, missing)
    if len(np.unique(numbers.values)) == 2:
        low, high = np.unique(numbers.values).tolist()
        raise DataError(
            f"the target has two different values only ({low:.12g} and {high:.12g}), which are "
            "two classes: task='classification' (--task classification) predicts them."
        )
    return numbers


def task_notice(outcome: Outcome) -> list[Notice]:
    """That numbers are taken for classes, if nobody said so and there are many different ones."""
    if not isinstance(outcome, Classes) or outcome.n_classes <= _MOST_FRACTIONS:
        return []
    try:
        Numbers.read(outcome.classes)
    except DataError:
        return []
    return [
        Notice(
            "task_found",
            (),
            f"the target holds {outcome.n_classes} different numbers, which are taken for classes. "
            "To predict them as numbers: --task regression (task='regression').",
        )
    ]


def found_task(y: Any) -> Task:
    """What a target asks for if nobody says: see `read_outcome`."""
    cells = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
    if cells.ndim != 1 or not len(cells) or cells.dtype.kind in "bmM":
        return "classification"
    try:
        reading = read_column("target", cells)
    except DataError:  # an infinite number
        return "regression"
    if reading.kind != "number" or reading.measured is not None:
        return "classification"
    different = np.unique(reading.column[~np.isnan(reading.column)])
    if len(different) > most_classes(len(cells)):
        return "regression"
    has_fractions = bool((different != np.floor(different)).any())
    many = len(different) > _MOST_FRACTIONS
    return "regression" if has_fractions and many else "classification"
