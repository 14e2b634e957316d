"""What a model's file says is to be expected of it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.evaluation.validation import Promise
from frugalforest.scores import NUMBER_SCORES, SCORES
from frugalforest.storage.records import from_plain, to_plain
from frugalforest.tables import Classes, Outcome

__all__ = ["promise", "read_promise"]


def promise(scoring: str, honest: ErrorEstimate | None, outcome: Outcome) -> dict[str, Any]:
    """What goes with a model that has an honest error; nothing without."""
    if honest is None:
        return {}
    counts = outcome.counts.tolist() if isinstance(outcome, Classes) else []
    own = Promise(scoring, honest.error, honest.low, honest.high, tuple(counts))
    return {"promised": to_plain(own)}


def read_promise(about: Mapping[str, Any], n_classes: int) -> Promise | None:
    """What `promise` left; None if there is nothing."""
    if about.get("promised") is None:
        return None
    found = from_plain(Promise, about["promised"], "what the model's file promises")
    known = SCORES if n_classes else NUMBER_SCORES
    if found.scoring not in known or len(found.class_counts) != n_classes:
        raise DataError("the model's file promises an error of another kind: it is damaged.")
    return found
