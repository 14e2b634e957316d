"""What happened in every cell: mean errors, and paired differences between contestants."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.finished import Results, replicate_errors
from frugalforest.study.tables._rows import Row, RowTable, corrected_interval

__all__ = ["cell_table", "difference_table"]


def cell_table(results: Results) -> RowTable:
    """Mean test error (MMCE) of every contestant in every cell: the paper's Additional file 1."""
    score = results.design.scoring.column
    columns = (
        *("source", "draw", "budget", "contestant", "n", f"mean_{score}", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "sd", f"mean_oob_{score}", "mean_features", "mean_cost"),
        "mean_xi",
    )
    rows: list[Row] = []
    for cell, by_contestant in results.chosen.items():
        for contestant in results.contestants:
            if contestant not in by_contestant:
                continue
            replicates = by_contestant[contestant]
            found = replicates.values()
            errors = replicate_errors(replicates)
            plain = estimate_mean(errors)
            rows.append(
                (
                    *(*cell, contestant, *plain),
                    *corrected_interval(results, cell, errors),
                    plain.se * np.sqrt(plain.n),
                    float(np.mean([row.oob_error for row in found])),
                    float(np.mean([row.n_features for row in found])),
                    float(np.mean([row.cost for row in found])),
                    float(np.mean([row.xi for row in found])),
                )
            )
    return RowTable(columns, rows)


def difference_table(results: Results) -> RowTable:
    """Paired differences of test errors between every two contestants, in every cell."""
    columns = (
        *("source", "draw", "budget", "first", "second", "n", "difference", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "share_first_better"),
    )
    rows: list[Row] = []
    for cell in results.chosen:
        for first, second in combinations(results.contestants, 2):
            a, b = results.paired_errors(cell, (first, second))
            if not len(a):
                continue
            better = float(((a < b) + 0.5 * (a == b)).mean())
            corrected = corrected_interval(results, cell, a - b)
            rows.append((*cell, first, second, *estimate_mean(a - b), *corrected, better))
    return RowTable(columns, rows)
