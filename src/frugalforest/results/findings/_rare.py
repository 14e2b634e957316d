"""What the share of errors hides where one class is rare."""

from __future__ import annotations

import math

from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.results.findings._budget import Verdict
from frugalforest.results.findings._facts import Facts
from frugalforest.words.formats import percent, shorten

__all__ = ["rare_class_sentence"]

# A class with a smaller share of the rows is hardly ever named by what errs least.
_RARE = 0.2


def rare_class_sentence(facts: Facts) -> str:
    """That a rare class may be told apart all the same, and how to choose by that.

    Empty unless sets were compared by the share of errors, a class is rare, and nothing is shown to
    be better than guessing by it.
    """
    data, lead = facts.data, facts.lead
    if facts.score.name != "error" or facts.too_good:  # numbers have other scores
        return ""
    share = min(data.class_counts) / data.n_rows
    if share >= _RARE or lead.verdict in (Verdict.BETTER, Verdict.UNTESTED):
        return ""
    rare = shorten(data.classes[data.class_counts.index(min(data.class_counts))])
    how = "--scoring balanced_error, --scoring auc, or what errors cost (--error-costs)"
    said = (
        f"‘{rare}’ is rare ({percent(share)}): the share of errors hardly counts whether it is "
        f"found, and always naming ‘{shorten(data.commonest)}’ errs in {percent(data.guess_error)} "
        "only."
    )
    found = lead.selection.diagnosis
    assert not isinstance(found, NumberDiagnosis)  # numbers have other scores
    # By their intervals: above what drawing lots would have.
    if found is None or math.isnan(found.auc.low) or found.auc.low <= 0.5:
        return f"{said} To choose by how well it is told apart: {how}."
    recalls = [found.sensitivity(k).value for k in range(len(data.classes))]
    balanced = 1 - sum(recalls) / len(recalls)
    return (
        f"{said} Yet these features tell the classes apart: AUC {found.auc.value:.3f}, where "
        f"guessing has 0.500. To choose by that: {how}; as it is, the balanced error is "
        f"{percent(balanced)}, and that of guessing {percent(1 - 1 / len(recalls))}."
    )
