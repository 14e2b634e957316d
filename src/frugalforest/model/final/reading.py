"""What `final=` means."""

from __future__ import annotations

from sklearn.base import is_classifier

from frugalforest.errors import DataError
from frugalforest.model.final._base import Final
from frugalforest.model.final.estimator import EstimatorFinal
from frugalforest.model.final.own import OwnFinal
from frugalforest.tables import Task

__all__ = ["FINALS", "read_final"]

# By name; the forest alone is None.
FINALS: dict[str, Final | None] = {
    "auto": OwnFinal("auto"),
    "forest": None,
    "blend": OwnFinal("blend"),
    "logistic": OwnFinal("logistic"),
}


def read_final(final: object, task: Task = "classification") -> Final | None:
    """What `final=` means: None is the forest.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> read_final(LogisticRegression(C=0.1)).name
    'LogisticRegression(C=0.1)'
    >>> read_final("blend").name
    "'blend'"
    """
    if task == "regression":
        if final is None or final == "forest":
            return None
        raise DataError(
            f"`final` is {final!r}, which is for classes: for a target of numbers it is 'forest'."
        )
    if final is None or isinstance(final, Final):
        return final
    if isinstance(final, str) and final in FINALS:
        return FINALS[final]
    if isinstance(final, type) or not hasattr(final, "fit") or not is_classifier(final):
        known = ", ".join(map(repr, FINALS))
        raise ValueError(
            f"`final` is {final!r}: it must be one of {known}, or a scikit-learn classifier, such "
            "as LogisticRegression()."
        )
    return EstimatorFinal(final)
