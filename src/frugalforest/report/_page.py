"""What the page says: from the document of a comparison to the values that the template shows."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from frugalforest.frontier import FrontierPoint, find_knee, money_buys, within_one_se
from frugalforest.report._charts import frontier_chart, xi_chart, xi_range
from frugalforest.report._numbers import interval, percent

__all__ = ["page_values"]

# The procedure that takes, at each budget, the method with the lowest out-of-bag score.
BEST = "best"
LABELS = {
    BEST: "Best of the methods",
    "auc": "AUC filter",
    "pfi": "Permutation filter",
    "sts": "Shallow trees",
    "forward": "Forward selection",
}
# Methods whose set changes at known values of ξ only, and stays the same in between.
_EXACT = ("auc", "pfi")
# Bars shown at once, unless so few are left that folding them away saves no room; and rows of the
# price list that are not folded away.
_MOST_BARS = 24
_FEW_BARS = 4
_MOST_OPEN_ROWS = 40

Document = Mapping[str, Any]


def page_values(document: Document) -> dict[str, Any]:
    """Everything that the template shows."""
    settings = document["settings"]
    methods = settings["methods"]
    labels = LABELS | {m: LABELS.get(m, m) for m in methods}
    honest = document["best"][0]["honest"] is not None
    panels = [_panel(document, best, labels) for best in document["best"]]
    recommended, reasons = _recommend(panels, honest)
    counts = document["data"]["class_counts"]
    return {
        "labels": labels,
        "colours": {key: f"c{i % 4}" for i, key in enumerate(methods)} | {BEST: "best"},
        "honest": honest,
        "data": document["data"],
        "settings": settings,
        "versions": document["versions"],
        "majority_error": 1 - max(counts) / sum(counts),
        "panels": panels,
        "recommended": recommended,
        **reasons,
        "frontier": _frontier(document, labels, honest),
        "purchases": _purchases(panels) if honest else [],
        "price_list": document["features"],
        "price_list_open": len(document["features"]) <= _MOST_OPEN_ROWS,
        "fees": _fees(document["features"]),
        "call": _call(settings),
    }


def _recommend(
    panels: Sequence[Mapping[str, Any]], honest: bool
) -> tuple[int, dict[str, Mapping[str, Any] | None]]:
    """The panel to start from, and those it is explained by.

    Without honest errors nothing can be recommended: the largest budget stands in.
    """
    if not honest:
        return len(panels) - 1, {"lowest": None, "knee": None}
    points = [
        FrontierPoint(
            p["budget"],
            p["cost"],
            p["honest"]["error"],
            math.nan if p["honest"]["se"] is None else p["honest"]["se"],
        )
        for p in panels
    ]
    good, knee = within_one_se(points), find_knee(points)
    assert good is not None
    lowest = min(points, key=lambda p: p.error)
    return points.index(good), {
        "lowest": panels[points.index(lowest)],
        "knee": None if knee is None else panels[points.index(knee)],
    }


def _panel(
    document: Document, best: Mapping[str, Any], labels: Mapping[str, str]
) -> dict[str, Any]:
    """All that the page shows for one budget."""
    budget, scoring = best["budget"], document["settings"]["scoring"]
    rows = [s for s in document["selections"] if s["budget"] == budget]
    winner = next(s for s in rows if s["winner"])
    largest_xi, scores = xi_range((t for row in rows for t in row["tried"]), scoring)
    return {
        "budget": budget,
        "cost": winner["cost"],
        "left": max(0.0, budget - winner["cost"]),
        "method": winner["method"],
        "xi": winner["xi"],
        "oob_error": winner["oob_error"],
        "features": winner["features"],
        "honest": best["honest"],
        "stability": best["stability"],
        "picked": sorted(
            ((n, m) for m, n in best["methods_picked"].items() if n), key=lambda pair: -pair[0]
        ),
        "bought": _bought(document["features"], winner, best["frequencies"]),
        "methods": rows,
        "xi_charts": [
            xi_chart(
                row, labels[row["method"]], scoring, row["method"] in _EXACT, largest_xi, scores
            )
            for row in rows
        ],
        "xi_tables": [(row["method"], _merged(row["tried"], scoring)) for row in rows],
        "bars": _bars(best["frequencies"], winner["features"]),
    }


def _bought(
    features: Sequence[Mapping[str, Any]],
    winner: Mapping[str, Any],
    frequencies: Mapping[str, float] | None,
) -> list[dict[str, Any]]:
    """The chosen features with their prices, those that share a fee together."""
    chosen = set(winner["features"])
    substitutes = {s["feature"]: s for s in winner["substitutes"]}
    blocks: dict[str | None, dict[str, Any]] = {}
    for row in features:
        if row["feature"] not in chosen:
            continue
        group = row["group"] if row["group_cost"] > 0 else None
        block = blocks.setdefault(group, {"group": group, "fee": row["group_cost"], "items": []})
        block["items"].append(
            {
                **row,
                "price": row["cost_if_group_paid"],
                "frequency": None if frequencies is None else frequencies[row["feature"]],
                "substitute": substitutes.get(row["feature"]),
            }
        )
    # Features without a shared fee come last: under no heading they would seem to be in a group.
    return sorted(blocks.values(), key=lambda block: block["group"] is None)


def _merged(tried: Sequence[Mapping[str, Any]], scoring: str) -> list[dict[str, Any]]:
    """Neighbouring values of ξ with the same price, size and score as one row."""
    rows: list[dict[str, Any]] = []
    for t in tried:
        same = ("n_features", "cost", scoring)
        if rows and all(rows[-1][key] == t[key] for key in same):
            rows[-1]["to"] = t["xi"]
        else:
            rows.append({**t, "to": t["xi"], "score": t[scoring]})
    return rows


def _bars(frequencies: Mapping[str, float] | None, chosen: Sequence[str]) -> dict[str, Any] | None:
    """How often each feature was chosen, most often first; None without resamples."""
    if frequencies is None:
        return None
    of_set = set(chosen)
    bars: list[dict[str, Any]] = [
        {"feature": name, "share": share, "chosen": name in of_set}
        for name, share in frequencies.items()
        if share > 0 or name in of_set
    ]
    # Sorting is stable: equally frequent features stay in column order.
    bars.sort(key=lambda bar: (-bar["share"], not bar["chosen"]))
    n_open = _MOST_BARS if len(bars) > _MOST_BARS + _FEW_BARS else len(bars)
    return {
        "first": bars[:n_open],
        "rest": bars[n_open:],
        "n_never": len(frequencies) - len(bars),
    }


def _frontier(document: Document, labels: Mapping[str, str], honest: bool) -> dict[str, Any]:
    """The chart of all methods, and its figures as a table."""
    methods, budgets = document["settings"]["methods"], document["settings"]["budgets"]
    curves = {
        m: [_point(s, honest) for s in document["selections"] if s["method"] == m] for m in methods
    }
    # One method alone is the best of the methods; so is the lowest score at each budget.
    if honest and len(methods) > 1:
        curves[BEST] = [_point(b, honest) for b in document["best"]]
    name = "Honest error" if honest else "Out-of-bag error (selection score)"
    return {
        "chart": frontier_chart(curves, labels, budgets, name),
        "table": [
            (budget, [(key, curve[i]["text"]) for key, curve in curves.items()])
            for i, budget in enumerate(budgets)
        ],
        "keys": list(curves),
    }


def _point(row: Mapping[str, Any], honest: bool) -> dict[str, Any]:
    if not honest:
        error = row["oob_error"]
        return {"error": error, "low": None, "high": None, "text": percent(error)}
    estimate = row["honest"]
    text = percent(estimate["error"])
    if estimate["low"] is not None:
        text += f" ({interval(estimate['low'], estimate['high'])})"
    return {**{k: estimate[k] for k in ("error", "low", "high")}, "text": text}


def _purchases(panels: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """What each step up in budget does to the honest error.

    Both budgets saw the same resamples, so it can be said in how many of them the error fell.
    """
    points = [FrontierPoint(p["budget"], p["cost"], p["honest"]["error"], 0.0) for p in panels]
    rows = []
    for here, there, fall in zip(panels, panels[1:], money_buys(points), strict=False):
        pairs = list(zip(here["honest"]["errors"], there["honest"]["errors"], strict=True))
        rows.append(
            {
                "here": here,
                "there": there,
                "change": there["honest"]["error"] - here["honest"]["error"],
                "per_unit": -fall,
                "n_better": sum(after < before for before, after in pairs),
                "n_worse": sum(after > before for before, after in pairs),
            }
        )
    return rows


def _fees(features: Sequence[Mapping[str, Any]]) -> dict[str, float]:
    """The shared fees, by group."""
    return {f["group"]: f["group_cost"] for f in features if f["group_cost"] > 0}


def _call(settings: Mapping[str, Any]) -> str:
    """The call of `compare` that leads to this document."""
    budgets = ", ".join(repr(int(b) if b == int(b) else b) for b in settings["budgets"])
    arguments = [
        f"budgets=[{budgets}]",
        f"methods={settings['methods']!r}",
        *(f"{key}={settings[key]!r}" for key in ("xi", "scoring", "n_trees", "racing")),
        f"n_resamples={settings['n_resamples']}",
        f"test_share={settings['test_share']!r}",
        *(["groups=groups"] if settings["grouped"] else []),
        f"random_state={settings['seed']}",
    ]
    lines = "".join(f"    {argument},\n" for argument in ["X", "y", "costs", *arguments])
    return (
        "from frugalforest import compare\n\n"
        f"result = compare(\n{lines})\n"
        'result.to_html("report.html")'
    )
