"""From the results of the tasks to one `Comparison`."""

from __future__ import annotations

import platform
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import fields
from importlib.metadata import version
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice import error_in_words, rule_in_words
from frugalforest.comparison.picks import Picked
from frugalforest.comparison.plan import Plan
from frugalforest.comparison.stages import Found
from frugalforest.comparison.tasks import Chosen, Rerun, Resample
from frugalforest.costs import Prices
from frugalforest.evaluation.diagnoses import AnyDiagnosis, diagnose_any
from frugalforest.evaluation.diagnosis import LeftOutCases
from frugalforest.evaluation.resampling import ErrorEstimate, Split, nogueira_stability
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.methods import Method, RatioMethod
from frugalforest.results import (
    Alternative,
    BestOfMethods,
    DataFacts,
    FeatureFacts,
    MethodFacts,
    NumberFacts,
    ScoreFacts,
    Selection,
    SelectionStep,
    Settings,
    Substitute,
)
from frugalforest.scores import Cost, Score
from frugalforest.tables import Classes, Numbers, Outcome, Table

__all__ = ["Resampled", "assemble", "versions"]


class Resampled(NamedTuple):
    """The results of the resamples, and how those were drawn."""

    resamples: Sequence[Resample]
    splits: Sequence[Split]
    test_train_ratio: float
    row_groups: bool
    held_out_rows: int | None
    groups: RowGroups | None = None  # of the rows that are searched


class _Quoted(NamedTuple):
    """The score, and the outcome in whose unit it is quoted."""

    score: Score
    outcome: Outcome

    def estimate(self, losses: NDArray[np.float64], test_train_ratio: float) -> ErrorEstimate:
        """From one mean loss a resample."""
        most = self.score.highest(self.outcome.width)
        own = ErrorEstimate.from_errors(losses, test_train_ratio, most=most)
        quoted: ErrorEstimate = self.score.quote(own, self.outcome.unit)
        return quoted


def assemble(
    table: Table,
    outcome: Outcome,
    prices: Prices,
    plan: Plan,
    data_hash: str,
    found: Found,
    resampled: Resampled,
) -> dict[str, Any]:
    """The fields of a `Results`."""
    everything, picked = found.everything, found.picked
    names = prices.feature_names
    reruns = [rerun for resample in resampled.resamples for rerun in resample.reruns]
    ratio, score = resampled.test_train_ratio, _Quoted(plan.score, outcome)
    return {
        "data": _data_facts(outcome, len(names), data_hash),
        "settings": _settings(plan, resampled, everything.chosen),
        "features": _feature_facts(table, prices),
        "score_used": _score_facts(plan.score, outcome),
        "methods_used": tuple(_method_facts(m, plan, outcome) for m in plan.methods),
        "selections": tuple(
            _selection(
                c,
                names,
                _over(c, reruns, found, names, ratio, score),
                _alternatives(c, picked, names),
            )
            for c in everything.chosen
        ),
        "procedures": tuple(
            _procedure(c, plan, names, resampled, found, outcome)
            for c in everything.chosen
            if c.winner
        ),
        "versions": versions(),
    }


def _settings(plan: Plan, resampled: Resampled, chosen: Sequence[Chosen]) -> Settings:
    """How the comparison was run. What has a name in the plan, or in its options, is of there."""
    names = {each.name for each in fields(Settings)}
    same = {
        name: getattr(source, name)
        for source in (plan.options, plan)  # what an option comes to, not how it was given
        for name in names
        if hasattr(source, name)
    }
    budgets = tuple(budget.limit for budget in plan.budgets)
    own = {
        "budgets": budgets,
        "methods": tuple(method.name for method in plan.methods),
        "scoring": plan.score.name,
        "n_resamples": len(resampled.resamples),
        "test_share": float(plan.options.test_share),
        "row_groups": resampled.row_groups,
        "final": "" if plan.final is None else plan.final.name,
        "final_of_tuned": "" if plan.final_of_tuned is None else plan.final_of_tuned.name,
        "held_out_rows": resampled.held_out_rows,
        "smaller": tuple(sorted({c.budget for c in chosen} - set(budgets))),
    }
    return Settings(**{**same, **own})


def versions() -> dict[str, str]:
    """Of this package and of those that its numbers depend on."""
    packages = ("frugalforest", "numpy", "scikit-learn")
    return {"python": platform.python_version(), **{name: version(name) for name in packages}}


def _data_facts(outcome: Outcome, n_features: int, data_hash: str) -> DataFacts:
    if isinstance(outcome, Classes):
        counts = tuple(outcome.counts.tolist())
        return DataFacts(outcome.n_rows, n_features, outcome.class_names, counts, data_hash)
    assert isinstance(outcome, Numbers)  # there are no others
    values = outcome.values
    numbers = NumberFacts(
        float(values.mean()),
        float(np.median(values)),
        float(values.std()),
        float(values.min()),
        float(values.max()),
    )
    return DataFacts(outcome.n_rows, n_features, (), (), data_hash, numbers)


def _feature_facts(table: Table, prices: Prices) -> tuple[FeatureFacts, ...]:
    return tuple(
        FeatureFacts(
            **{**row, "group": None if row["group"] is None else str(row["group"])},
            required=bool(prices.required[j]),
            excluded=bool(prices.excluded[j]),
            free=bool(prices.free[j]),
            kind=table.kinds[j],
            n_missing=_count_missing(table.columns[j]),
        )
        for j, row in enumerate(prices.describe())
    )


def _count_missing(column: NDArray[Any]) -> int:
    if column.dtype == object:
        return sum(text is None for text in column.tolist())
    return int(np.isnan(column).sum())


def _method_facts(method: Method, plan: Plan, outcome: Outcome) -> MethodFacts:
    label, summary = method.words(outcome.task)
    exact = isinstance(method, RatioMethod) and method.exact and method.xis == "auto"
    return MethodFacts(
        method.name,
        label,
        summary,
        _prose(method, outcome.n_classes),
        method.colour,
        method.marker,
        has_xi=isinstance(method, RatioMethod),
        exact=exact,
        call="" if plan.is_default(method) else repr(method),
        judged=method.judged_on_rows_left_out,
        correction=error_in_words() if method.judged_on_rows_left_out else "",
    )


def _prose(method: Method, n_classes: int) -> str:
    """What it does, and which of its sets is taken; how that is corrected is said elsewhere."""
    prose = method.prose(n_classes)
    return f"{prose} {rule_in_words()}" if method.judged_on_rows_left_out else prose


def _over(
    chosen: Chosen,
    reruns: Sequence[Rerun],
    found: Found,
    names: Sequence[str],
    test_train_ratio: float,
    score: _Quoted,
) -> dict[str, Any]:
    """What the resamples, and rows held out from them, say of a method at a budget."""
    for p in found.picked:
        if (p.pick.budget, p.pick.method) == (chosen.budget, chosen.method):
            if p.judged is None:
                return _over_resamples([], names, test_train_ratio, score)
            sets = _of_sets(p.judged.reruns, names)
            gains = {"gain": p.judged.gain, "over_forest": p.judged.over_forest}
            return {"honest": p.judged.honest, **gains, **sets}
    same = [r for r in reruns if r.budget == chosen.budget and r.method == chosen.method]
    over = _over_resamples(same, names, test_train_ratio, score)
    checked = found.checked.get((chosen.budget, chosen.method))
    return over if checked is None else {**over, "honest": checked.honest}


def _alternatives(
    chosen: Chosen, picked: Sequence[Picked], names: Sequence[str]
) -> tuple[Alternative, ...]:
    for p in picked:
        if (p.pick.budget, p.pick.method) == (chosen.budget, chosen.method):
            return tuple(
                Alternative(tuple(names[j] for j in features), cost, way.honest, chosen)
                for chosen, ways in ((True, p.alternatives), (False, p.others))
                for features, cost, way in ways
            )
    return ()


def _selection(
    chosen: Chosen,
    names: Sequence[str],
    over: dict[str, Any],
    alternatives: tuple[Alternative, ...],
) -> Selection:
    return Selection(
        chosen.budget,
        chosen.cost,
        tuple(names[j] for j in chosen.features),
        chosen.method,
        chosen.xi,
        chosen.score,
        chosen.oob_error,
        chosen.brier,
        steps=tuple(
            SelectionStep(tuple(names[j] for j in step.features), step.gain, step.cost)
            for step in chosen.steps
        ),
        tried=chosen.tried,
        substitutes=tuple(
            Substitute(
                names[s.feature],
                None if s.substitute is None else names[s.substitute],
                s.error_change,
            )
            for s in chosen.substitutes
        ),
        alternatives=alternatives,
        model=chosen.model,
        **over,
    )


def _procedure(
    winner: Chosen,
    plan: Plan,
    names: Sequence[str],
    resampled: Resampled,
    found: Found,
    outcome: Outcome,
) -> BestOfMethods:
    ratio, score = resampled.test_train_ratio, _Quoted(plan.score, outcome)
    for p in found.picked:
        if (p.pick.budget, p.pick.method) == (winner.budget, winner.method):
            over = _over(winner, [], found, names, ratio, score)
            for gain in ("gain", "over_forest"):  # of the set, not of the procedure
                over.pop(gain, None)
            diagnosis = None if p.judged is None else p.judged.diagnosis
            return BestOfMethods(winner.budget, winner.method, {}, **over, diagnosis=diagnosis)
    taken = [
        rerun
        for resample in resampled.resamples
        for rerun in resample.reruns
        if rerun.winner and rerun.budget == winner.budget
    ]
    counts = Counter(r.method for r in taken)
    over = _over_resamples(taken, names, ratio, score)
    diagnosis = None
    if (checked := found.checked.get((winner.budget, winner.method))) is not None:
        over, diagnosis = {**over, "honest": checked.honest}, checked.diagnosis
    elif taken:
        diagnosis = _diagnosis(taken, resampled, outcome, plan)
    return BestOfMethods(
        winner.budget,
        winner.method,
        {method.name: counts[method.name] for method in plan.methods},
        **over,
        diagnosis=diagnosis,
    )


def _diagnosis(
    taken: Sequence[Rerun], resampled: Resampled, outcome: Outcome, plan: Plan
) -> AnyDiagnosis:
    """What was predicted for rows left out; every resample counts the same."""
    splits = resampled.splits

    def cases() -> Iterable[LeftOutCases]:
        for rerun, split in zip(taken, splits, strict=True):
            assert rerun.left_out is not None  # because it is of the best of the methods
            each = np.full(len(split.test), 1 / len(split.test) / len(splits))
            known = outcome.rows(split.train).known
            yield LeftOutCases(split.test, rerun.left_out.of_set(0, 1), each, known)

    return diagnose_any(cases(), outcome, plan.score, resampled.groups)


def _score_facts(score: Score, outcome: Outcome) -> ScoreFacts:
    return ScoreFacts(
        score.name,
        score.label,
        score.quoted(score.of_nothing(outcome.known), outcome.unit),
        score.error_costs.matrix if isinstance(score, Cost) else (),
    )


def _over_resamples(
    reruns: Sequence[Rerun], names: Sequence[str], test_train_ratio: float, score: _Quoted
) -> dict[str, Any]:
    """Honest error, selection frequencies and stability of one procedure; None without reruns."""
    if not reruns:
        return {"honest": None, "frequencies": None, "stability": None}
    errors = np.array([rerun.error for rerun in reruns])
    return {
        "honest": score.estimate(errors, test_train_ratio),
        **_of_sets([rerun.features for rerun in reruns], names),
    }


def _of_sets(sets: Sequence[Sequence[int]], names: Sequence[str]) -> dict[str, Any]:
    """How often each feature was chosen in the resamples, and how much the sets agree."""
    chosen = np.zeros((len(sets), len(names)), dtype=bool)
    for i, features in enumerate(sets):
        chosen[i, list(features)] = True
    stability = nogueira_stability(chosen)
    return {
        "frequencies": dict(zip(names, chosen.mean(axis=0).tolist(), strict=True)),
        "stability": None if np.isnan(stability) else stability,
    }
