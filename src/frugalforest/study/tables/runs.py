"""Single runs: how long they took, and every row that they left."""

from __future__ import annotations

from collections import defaultdict

import numpy as np

from frugalforest.study.finished import Results
from frugalforest.study.store import RunRow
from frugalforest.study.tables._rows import Row, RowTable

__all__ = ["raw_table", "seconds_table"]


def seconds_table(results: Results) -> RowTable:
    """Seconds a unit of each method: to find its sets, and to score them."""
    columns = (
        *("source", "method", "n", "mean_select_seconds", "mean_score_seconds"),
        *("mean_seconds", "median_seconds", "max_seconds"),
    )
    by_method: dict[tuple[str, str], list[RunRow]] = defaultdict(list)
    for run in results.runs:
        by_method[run.source, run.method].append(run)
    rows: list[Row] = []
    for (source, method), runs in sorted(by_method.items()):
        select = np.array([run.select_seconds for run in runs])
        score = np.array([run.score_seconds for run in runs])
        both = select + score
        rows.append(
            (
                *(source, method, len(runs), float(select.mean()), float(score.mean())),
                *(float(both.mean()), float(np.median(both)), float(both.max())),
            )
        )
    return RowTable(columns, rows)


def raw_table(results: Results) -> RowTable:
    """Every result: one row a unit, method, budget and ξ.

    `chosen` names the strategies that took this ξ; `features` are column indices.
    """
    score = results.design.scoring.column
    columns = (
        *("source", "draw", "replicate", "method", "budget", "xi", "chosen", "n_features"),
        *("cost", f"oob_{score}", "brier", f"test_{score}", "features"),
    )
    strategies: dict[tuple[str, str, float, float], list[str]] = defaultdict(list)
    for row in results.choices:
        strategies[row.key, row.method, row.budget, row.xi].append(str(row.strategy))
    # Rows of one unit together: their feature sets repeat, which makes the file a third as large.
    rows: list[Row] = [
        (
            *(row.source, row.draw, row.replicate, row.method, row.budget, row.xi),
            " ".join(strategies[row.key, row.method, row.budget, row.xi]),
            *(row.n_features, row.cost, row.oob_error, row.brier, row.test_error, row.features),
        )
        for row in results.candidates
    ]
    return RowTable(columns, rows)
