"""Whether the parts of a saved comparison belong together: a file may have been changed."""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Iterable, Mapping
from typing import Any

from frugalforest.errors import DataError
from frugalforest.evaluation.diagnosis import Diagnosis
from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.results import Results
from frugalforest.scores import (
    NUMBER_SCORES,
    SCORES,
    Cost,
    ErrorCosts,
    Score,
    find_number_score,
    find_score,
)

__all__ = ["check_coherent", "checksum", "score_of"]


def checksum(document: Mapping[str, Any]) -> str:
    """A number of a saved comparison's content that changes with any part of it."""
    content = {key: value for key, value in document.items() if key != "checksum"}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def score_of(results: Results) -> Score:
    """What sets were chosen by."""
    matrix = results.score_used.error_costs
    costs = ErrorCosts(matrix) if matrix else None
    if results.data.numbers is not None:
        return find_number_score(results.settings.scoring)
    return find_score(results.settings.scoring, costs, results.data.classes)


def check_coherent(results: Results, where: str) -> None:
    """Raise unless what one part names is there in the others."""
    for problem in _problems(results):
        raise DataError(f"{where}: {problem}. It is damaged: run the comparison again.")


def _problems(results: Results) -> Iterable[str]:
    data, settings = results.data, results.settings
    if data.numbers is not None:
        if data.classes or data.class_counts:
            yield "data has both numbers and classes"
    elif len(data.classes) != len(data.class_counts) or len(data.classes) < 2:
        yield "data.classes and data.class_counts do not have an entry for each class"
    elif data.n_rows < 1 or min(data.class_counts) < 0 or sum(data.class_counts) != data.n_rows:
        yield "data.class_counts do not add up to data.n_rows"
    names = [facts.feature for facts in results.features]
    if len(set(names)) != len(names) or len(names) != data.n_features:
        yield "features does not have one entry for each column"
    methods = [facts.name for facts in results.methods_used]
    if tuple(methods) != settings.methods or len(set(methods)) != len(methods) or not methods:
        yield "settings.methods and methods_used differ"
    budgets = settings.budgets
    if not budgets or any(a >= b for a, b in itertools.pairwise(budgets)):
        yield "settings.budgets are not in ascending order"
    elif not all(0 <= budget < float("inf") for budget in budgets):
        yield "settings.budgets holds what is no amount of money"
    if "frugalforest" not in results.versions:
        yield "versions does not say which frugalforest wrote it"
    if results.score_used.name != settings.scoring:
        yield "settings.scoring and score_used differ"
    yield from _score_problems(results)
    n_classes = len(data.classes)
    for i, procedure in enumerate(results.procedures):
        own = procedure.diagnosis
        if isinstance(own, Diagnosis) and not _fits(own, n_classes):
            yield f"procedures[{i}].diagnosis is not for data.classes"
        if isinstance(own, NumberDiagnosis) and data.numbers is None:
            yield f"procedures[{i}].diagnosis is not for data.numbers"
    expected = {(budget, method) for budget in budgets for method in methods}
    expected |= {(a, m.name) for a in settings.smaller for m in results.methods_used if m.judged}
    found = [(s.budget, s.method) for s in results.selections]
    if len(found) != len(expected) or set(found) != expected:
        yield "selections does not have one entry for each budget and method"
    if [p.budget for p in results.procedures] != list(results.amounts):
        yield "procedures does not have one entry for each budget"
    yield from _unknown_names(results, set(names), set(methods))
    yield from _wrong_numbers(results)


def _fits(diagnosis: Diagnosis, n_classes: int) -> bool:
    parts = [diagnosis.n_cases, diagnosis.shares, diagnosis.confusion, *diagnosis.confusion]
    if (own := diagnosis.effective) is not None:
        parts += [own.called, *own.called, own.others, own.observed]
    curves = (diagnosis.roc, diagnosis.reliability)
    points = [point for curves_ in curves for curve in curves_ for point in curve]
    lengths = {len(point) for curve in diagnosis.roc for point in curve} <= {2} and {
        len(point) for curve in diagnosis.reliability for point in curve
    } <= {3}
    return (
        all(len(part) == n_classes for part in (*parts, *curves))
        and lengths
        and all(0 <= value <= 1 for point in points for value in point)
    )


def _score_problems(results: Results) -> Iterable[str]:
    used, n_classes = results.score_used, len(results.data.classes)
    costs = used.error_costs
    if used.name not in (NUMBER_SCORES if results.data.numbers is not None else SCORES):
        yield "score_used.name is no score that is known"
    elif bool(costs) != (used.name == Cost.name):
        yield "score_used.error_costs do not go with settings.scoring"
    elif costs and {len(costs), *map(len, costs)} != {n_classes}:
        yield "score_used.error_costs do not have an entry for each pair of classes"
    elif not all(0 <= cost < float("inf") for row in costs for cost in row):
        yield "score_used.error_costs holds what is no amount of money"


def _unknown_names(results: Results, names: set[str], methods: set[str]) -> Iterable[str]:
    for i, selection in enumerate(results.selections):
        named = {*selection.features, *(selection.frequencies or ())}
        named |= {s.feature for s in selection.substitutes}
        named |= {s.substitute for s in selection.substitutes if s.substitute is not None}
        named |= {name for step in selection.steps for name in step.features}
        named |= {name for other in selection.alternatives for name in other.features}
        if not named <= names or len(set(selection.features)) != len(selection.features):
            yield f"selections[{i}] names features that features lacks, or one twice"
        if selection.frequencies is not None and set(selection.frequencies) != names:
            yield f"selections[{i}].frequencies does not have one entry for each feature"
    for i, procedure in enumerate(results.procedures):
        if not {procedure.method, *procedure.methods_picked} <= methods:
            yield f"procedures[{i}] names methods that methods_used lacks"
        if procedure.frequencies is not None and set(procedure.frequencies) != names:
            yield f"procedures[{i}].frequencies does not have one entry for each feature"
    if not set(results.never_bought) <= names:
        yield "never_bought names features that features lacks"


def _wrong_numbers(results: Results) -> Iterable[str]:
    for i, facts in enumerate(results.features):
        prices = (facts.cost, facts.cost_if_group_paid, facts.group_cost)
        if not all(0 <= price < float("inf") for price in prices):
            yield f"features[{i}] has a price that is no amount of money"
    has_errors = results.settings.n_resamples > 0
    most = score_of(results).highest(max(1, len(results.data.classes))) * (1 + 1e-9)
    for part in ("selections", "procedures"):
        for i, entry in enumerate(getattr(results, part)):
            if (entry.honest is not None) != has_errors:
                yield f"{part}[{i}].honest does not go with settings.n_resamples"
            elif (entry.frequencies is not None) != has_errors:
                yield f"{part}[{i}].frequencies does not go with settings.n_resamples"
            elif entry.honest is not None and not 0 <= entry.honest.error <= most:
                yield f"{part}[{i}].honest.error is out of bounds"
    if not _is_xi(results.settings.xi):
        yield "settings.xi is no weight of cost"
    for i, selection in enumerate(results.selections):
        if not all(map(_is_xi, (selection.xi, *(tried.xi for tried in selection.tried)))):
            yield f"selections[{i}] has a weight of cost that is none"
        if not 0 <= selection.cost <= selection.budget * (1 + 1e-9):
            yield f"selections[{i}].cost is not within its budget"
        if not all(
            0 <= other.cost <= selection.budget * (1 + 1e-9) for other in selection.alternatives
        ):
            yield f"selections[{i}].alternatives cost more than its budget"


def _is_xi(xi: float | None) -> bool:
    return xi is None or 0 <= xi < float("inf")
