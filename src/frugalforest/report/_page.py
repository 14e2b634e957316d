"""What the page says: from the results of a comparison to the values that the templates show."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from frugalforest.report._charts import CurvePoint, frontier_chart
from frugalforest.report._panels import make_panels
from frugalforest.report._whatif import candidate_sets
from frugalforest.results import FeatureFacts, MethodFacts, Results, Selection
from frugalforest.results.findings import BudgetFinding, Findings
from frugalforest.results.looks import BEST, BEST_KEY, Look, looks_of

__all__ = ["frontier_values", "page_values"]

# Rows of the price list that are not folded away.
_MOST_OPEN_ROWS = 40


def page_values(results: Results) -> dict[str, Any]:
    """Everything that the templates show."""
    findings = Findings.of(results)
    shown = frontier_values(results, findings)
    looks = shown["looks"]
    panels = make_panels(results, findings.stretches, looks)
    return {
        "results": results,
        "findings": findings,
        "honest": results.has_honest_errors,
        "panels": panels,
        "top": next(p for p in panels if p.finding is findings.lead),
        **shown,
        "price_list_open": len(results.features) <= _MOST_OPEN_ROWS,
        "fees": _fees(results.features),
        "candidates": candidate_sets(results, findings),
        "tried_xi": _tried_xi(results),
        "in_currency": f" ({results.about.currency})" if results.about.currency else "",
        "call": _call(results),
    }


def frontier_values(results: Results, findings: Findings) -> dict[str, Any]:
    """What the chart of error against money needs: points, ticks, and how methods look."""
    looks = {**looks_of(results.methods_used), BEST_KEY: BEST}
    return {"looks": looks, "frontier": _frontier(results, findings, looks)}


def _frontier(results: Results, findings: Findings, looks: Mapping[str, Look]) -> dict[str, Any]:
    """The chart of all methods, and its figures as a table."""
    honest, score = results.has_honest_errors, results.score_used
    answer = None if results.judge is None else results.judge.name
    shown = [stretch.finding for stretch in findings.stretches]
    curves: dict[str, list[CurvePoint | None]] = {
        m: [
            _point(results, results.selection(b.selection.budget, m), b)
            if m in results.methods_at(b.selection.budget)
            else None
            for b in shown
        ]
        for m in results.methods
    }
    best = [_point(results, finding.selection, finding) for finding in shown]
    # One method alone is the best of the methods; so is the lowest score at each budget.
    if honest and len(results.methods) > 1 and results.judge is None:
        curves[BEST_KEY] = list(best)
    return {
        "chart": frontier_chart(
            curves,
            {key: looks[key].label for key in curves},
            best,
            f"Honest {score.on_axis}" if honest else f"Selection score: {score.label}",
            in_percent=score.in_percent,
            smallest_span=score.smallest_span,
            guess=score.of_nothing if honest else None,
            answer=answer,
        ),
        "table": [
            (stretch.amounts, [(key, curve[i]) for key, curve in curves.items()])
            for i, stretch in enumerate(findings.stretches)
        ],
        "keys": list(curves),
        "same_sets": any(p is not None and p.same_set for curve in curves.values() for p in curve),
        # At first the answer stands alone, where one method has the say.
        "aside": [key for key in curves if honest and answer in curves and key != answer],
    }


def _point(results: Results, selection: Selection, finding: BudgetFinding) -> CurvePoint:
    honest, score, currency = selection.honest, results.score_used, results.about.currency
    if honest is None:
        value, low, high = selection.score, None, None
        text = score.text(value, currency)
    else:
        value, text = honest.error, score.text(honest.error, currency)
        low, high = (None, None) if math.isnan(honest.low) else (honest.low, honest.high)
        if low is not None:
            text = f"{text} ({score.interval(honest.low, honest.high)})"
    same = finding.is_reached_by(selection)
    return CurvePoint(selection.budget, selection.cost, value, low, high, text, same)


def _fees(features: Sequence[FeatureFacts]) -> dict[str | None, float]:
    """The shared fees, by group."""
    return {f.group: f.group_cost for f in features if f.group_cost > 0}


def _tried_xi(results: Results) -> dict[str, tuple[float, float]]:
    """The smallest and the largest ξ tried, of each method that has one."""
    found = {}
    for method in results.methods:
        xis = [
            t.xi
            for s in results.selections
            if s.method == method
            for t in s.tried
            if t.xi is not None
        ]
        if xis:
            found[method] = (min(xis), max(xis))
    return found


def _call(results: Results) -> str:
    """The call of `compare` that leads to these results."""
    settings, methods = results.settings, results.methods_used
    budgets = ", ".join(repr(int(b) if b == int(b) else b) for b in settings.budgets)
    arguments = [
        *([] if settings.whole_frontier else [f"budgets=[{budgets}]"]),
        f"methods=[{', '.join(method.call or repr(method.name) for method in methods)}]",
        *([] if settings.xi is None else [f"xi={settings.xi!r}"]),
        *_scoring(results),
        f"n_trees={settings.n_trees}",
        f"bins={settings.bins}",
        *(
            []
            if settings.min_samples_leaf == 1
            else [f"min_samples_leaf={settings.min_samples_leaf}"]
        ),
        f"search_rows={settings.search_rows}",
        *_final(results),
        f"n_resamples={settings.n_resamples}",
        f"test_share={settings.test_share!r}",
        *(["row_groups=row_groups"] if settings.row_groups else []),
        f"random_state={settings.seed}",
    ]
    lines = "".join(f"    {argument},\n" for argument in ["X", "y", "costs", *arguments])
    return (
        f"from frugalforest import compare\n{_imports(methods)}\n"
        f"result = compare(\n{lines})\n"
        'result.to_html("report.html")'
    )


def _final(results: Results) -> list[str]:
    """What the call says of the final model: nothing if it is the usual one."""
    final, of_tuned = results.settings.final, results.settings.final_of_tuned
    usual = "'auto'" if results.judge else ""
    if final == usual and of_tuned == "":
        return []
    return [f"final={final or repr('forest')}"]


def _scoring(results: Results) -> list[str]:
    """What the call says of scores, costs of errors and weights of classes."""
    settings, costs = results.settings, results.score_used.error_costs
    said = [f"scoring={settings.scoring!r}"]
    if costs:
        names = results.data.classes
        pairs = [
            f"({a!r}, {b!r}): {costs[i][j]:g}"
            for i, a in enumerate(names)
            for j, b in enumerate(names)
            if i != j or costs[i][j]
        ]
        said.append(f"error_costs={{{', '.join(pairs)}}}")
    if settings.class_weight is not None:
        said.append(f"class_weight={settings.class_weight!r}")
    return said


def _imports(methods: Sequence[MethodFacts]) -> str:
    classes = sorted({method.call.partition("(")[0] for method in methods if method.call})
    return f"from frugalforest.methods import {', '.join(classes)}\n" if classes else ""
