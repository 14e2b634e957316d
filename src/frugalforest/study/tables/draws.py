"""How results vary from draw to draw: of effects, correlations and costs."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.finished import Results
from frugalforest.study.tables._rows import Row, RowTable

__all__ = ["draw_difference_table", "draw_table"]

Array = NDArray[np.float64]


def draw_table(results: Results) -> RowTable:
    """How much the mean error varies from draw to draw, beyond what replicates explain."""
    score = results.design.scoring.column
    columns = (
        *("source", "budget", "contestant", "n_draws", f"mean_{score}", "se", "low", "high"),
        *("sd_between_draws", "sd_within_draw"),
    )
    rows: list[Row] = []
    for source, budget in _sources_and_budgets(results):
        cells = [c for c in results.chosen if (c.source, c.budget) == (source, budget)]
        for contestant in results.contestants:
            by_draw = [results.errors_of(cell, contestant) for cell in cells]
            by_draw = [errors for errors in by_draw if len(errors)]
            if not by_draw:
                continue
            estimate = estimate_mean(np.array([errors.mean() for errors in by_draw]))
            between, within = _variance_parts(by_draw)
            rows.append((source, budget, contestant, *estimate, np.sqrt(between), np.sqrt(within)))
    return RowTable(columns, rows)


def _variance_parts(by_draw: Sequence[Array]) -> tuple[float, float]:
    """Variance between draws and within a draw; NaN where there are not two values of a kind."""
    within = np.nan
    if all(len(errors) > 1 for errors in by_draw):
        within = float(np.mean([errors.var(ddof=1) for errors in by_draw]))
    if len(by_draw) < 2:
        return np.nan, within
    of_means = float(np.var([errors.mean() for errors in by_draw], ddof=1))
    noise = float(np.mean([within / len(errors) for errors in by_draw]))
    # Not below 0, as a variance; NaN stays NaN.
    return float(np.maximum(of_means - noise, 0.0)), within


def draw_difference_table(results: Results) -> RowTable:
    """Differences between every two contestants with a draw, not a replicate, as the unit."""
    columns = (
        *("source", "budget", "first", "second", "n_draws", "difference", "se", "low", "high"),
        "draws_first_better",
    )
    rows: list[Row] = []
    for source, budget in _sources_and_budgets(results):
        for first, second in combinations(results.contestants, 2):
            a, b = results.draw_means(source, budget, (first, second))
            if len(a):
                better = int((a < b).sum())
                rows.append((source, budget, first, second, *estimate_mean(a - b), better))
    return RowTable(columns, rows)


def _sources_and_budgets(results: Results) -> list[tuple[str, float]]:
    return sorted({(cell.source, cell.budget) for cell in results.chosen})
