"""What was predicted for cases left out, whatever the kind of outcome."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from frugalforest.evaluation.diagnosis import Diagnosis, LeftOutCases, diagnose
from frugalforest.evaluation.number_diagnosis import NumberDiagnosis, diagnose_numbers
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.tables import Classes, Numbers, Outcome

__all__ = ["AnyDiagnosis", "diagnose_any"]

AnyDiagnosis = Diagnosis | NumberDiagnosis


def diagnose_any(
    cases: Iterable[LeftOutCases],
    outcome: Outcome,
    score: Any,
    groups: RowGroups | None = None,
) -> AnyDiagnosis:
    """Put together what several forests said of cases left out: see `diagnose`."""
    if isinstance(outcome, Numbers):
        return diagnose_numbers(cases, outcome, groups)
    assert isinstance(outcome, Classes)  # there are no others
    return diagnose(cases, outcome.labels, outcome.n_classes, score, groups)
