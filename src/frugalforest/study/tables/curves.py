"""Test error as ξ varies, and what tuning ξ makes of it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.contestants import contestant_of
from frugalforest.study.design import study_methods
from frugalforest.study.finished import Cell, Results, replicate_errors
from frugalforest.study.tables._rows import Row, RowTable, Value, corrected_interval

__all__ = ["curve_table", "tuning_table", "xi_table"]

Array = NDArray[np.float64]


def xi_table(results: Results) -> RowTable:
    """Mean test error at every ξ: the curves of the paper's Figure 2 and Additional file 2."""
    score = results.design.scoring.column
    columns = (
        *("source", "draw", "budget", "method", "xi", "n", f"mean_{score}", "se", "low", "high"),
        *("nb_se", "nb_low", "nb_high", "quantile_05", "quantile_95", f"mean_oob_{score}"),
    )
    rows: list[Row] = []
    for cell, by_method in results.tried.items():
        for method in study_methods():
            for xi, found in sorted(by_method.get(method, {}).items()):
                errors = replicate_errors(found)
                rows.append(
                    (
                        *(*cell, method, xi, *estimate_mean(errors)),
                        *corrected_interval(results, cell, errors),
                        *np.quantile(errors, [0.05, 0.95]).tolist(),
                        float(np.mean([row.oob_error for row in found.values()])),
                    )
                )
    return RowTable(columns, rows)


class _Curve(NamedTuple):
    """Test errors of a method in a cell: tuned, and at every ξ, of the same replicates."""

    cell: Cell
    method: str
    tuned: Array
    by_xi: dict[float, Array]

    @property
    def best_xi(self) -> float:
        """The ξ with the lowest mean, chosen with the test errors in hand."""
        return min(self.by_xi, key=lambda xi: (self.by_xi[xi].mean(), xi))


def _curves(results: Results) -> Iterable[_Curve]:
    for cell, by_method in results.tried.items():
        for method in study_methods():
            tuned = results.chosen[cell].get(contestant_of(method, "tuned"), {})
            curve = by_method.get(method, {})
            if len(curve) < 2 or not tuned:
                continue
            replicates = sorted(tuned)
            yield _Curve(
                cell,
                method,
                np.array([tuned[i].test_error for i in replicates]),
                {
                    xi: np.array([found[i].test_error for i in replicates])
                    for xi, found in sorted(curve.items())
                },
            )


def tuning_table(results: Results) -> RowTable:
    """Tuned ξ against the fixed ξ with the lowest mean test error, by paired differences.

    That ξ is chosen with the test errors in hand: no one could have used it. Tuning that is not
    significantly worse has lost nothing.
    """
    score = results.design.scoring.column
    columns = (
        *("source", "draw", "budget", "method", "n", "best_fixed_xi", f"best_fixed_{score}"),
        *(f"tuned_{score}", "difference", "se", "low", "high", "nb_low", "nb_high"),
    )
    rows: list[Row] = []
    for curve in _curves(results):
        best = curve.by_xi[curve.best_xi]
        n, *difference = estimate_mean(curve.tuned - best)
        rows.append(
            (
                *(*curve.cell, curve.method, n, curve.best_xi),
                *(float(best.mean()), float(curve.tuned.mean()), *difference),
                *corrected_interval(results, curve.cell, curve.tuned - best)[1:],
            )
        )
    return RowTable(columns, rows)


def curve_table(results: Results) -> RowTable:
    """How far the mean test error falls from the smallest ξ to the best, and rises to the largest.

    By paired differences. The best ξ is the one with the lowest mean, so falls and rises look a
    little larger than they are.
    """
    columns = (
        *("source", "draw", "budget", "method", "n", "best_xi"),
        *("fall", "fall_low", "fall_high", "fall_nb_low", "fall_nb_high"),
        *("rise", "rise_low", "rise_high", "rise_nb_low", "rise_nb_high"),
    )
    rows: list[Row] = []
    for curve in _curves(results):
        best = curve.by_xi[curve.best_xi]
        values: list[Value] = []
        for end in (min, max):
            above_best = curve.by_xi[end(curve.by_xi)] - best
            e = estimate_mean(above_best)
            corrected = corrected_interval(results, curve.cell, above_best)
            values += [e.mean, e.low, e.high, *corrected[1:]]
        rows.append((*curve.cell, curve.method, len(best), curve.best_xi, *values))
    return RowTable(columns, rows)
