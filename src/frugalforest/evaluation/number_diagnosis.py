"""How far predicted numbers are from the truth on rows left out: figures, and groups of cases.

Means over cases that took no part in the choice, with the same weights as the honest error, so they
agree with it. What is kept of single cases is how groups of them spread, and no case's number.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.diagnosis import Figure, LeftOutCases
from frugalforest.evaluation.row_groups import RowGroups, se_of_mean
from frugalforest.scores import Score
from frugalforest.tables import Numbers

__all__ = ["CaseGroup", "NumberDiagnosis", "diagnose_numbers"]

_NORMAL = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
_MOST_GROUPS, _CASES_OF_A_GROUP = 10, 5
_RESIDUAL_BINS = 20


@dataclass(frozen=True)
class CaseGroup:
    """Cases of neighbouring predictions: the means, and where the middle 80 % of the truth lie."""

    predicted: float
    observed: float
    low: float
    high: float
    n_cases: int


@dataclass(frozen=True)
class NumberDiagnosis:
    """How far predictions of cases left out of the choice are off.

    Attributes
    ----------
    n_cases : int
        Cases that some resample left out.
    rmse, mae : Figure
        Root mean squared error, mean absolute error.
    r2 : Figure
        Share of the variance that is explained.
    bias : Figure
        Mean of what was predicted less the truth.
    slope : Figure
        Of the truth on what was predicted: 1 is calibrated, less is too far apart.
    groups : tuple of CaseGroup
        By what was predicted, the lowest first.
    residuals : tuple of (float, float, float)
        From, to, and the share of cases whose prediction less the truth is between.

    Examples
    --------
    >>> outcome = Numbers.read([1.0, 2.0, 3.0, 4.0])
    >>> said = outcome.truth[:, np.newaxis] + 0.5 / outcome.unit
    >>> cases = LeftOutCases(np.arange(4), said, np.full(4, 0.25), outcome.known)
    >>> found = diagnose_numbers([cases], outcome)
    >>> found.bias.value, found.mae.value, found.slope.value
    (0.5, 0.5, 1.0)
    """

    n_cases: int
    rmse: Figure
    mae: Figure
    r2: Figure
    bias: Figure
    slope: Figure
    groups: tuple[CaseGroup, ...]
    residuals: tuple[tuple[float, ...], ...]

    def with_score(self, score: Score, figure: Figure) -> NumberDiagnosis:
        """With the figure that is the score itself as it is quoted elsewhere."""
        if score.name == "r2":
            return replace(self, r2=figure.complement)
        if score.name == "rmse":
            return replace(self, rmse=figure)
        return replace(self, mae=figure) if score.name == "mae" else self


def diagnose_numbers(
    cases: Iterable[LeftOutCases], outcome: Numbers, groups: RowGroups | None = None
) -> NumberDiagnosis:
    """Put together what several forests said of cases left out.

    Parameters
    ----------
    cases : iterable of LeftOutCases
        Weights of all of them together add up to 1.
    outcome : Numbers
        Of all rows.
    groups : RowGroups, optional
        Of all rows: what is independent, if they are not.
    """
    n_rows, unit = outcome.n_rows, outcome.unit
    weight, sums = np.zeros(n_rows), np.zeros((4, n_rows))
    for part in cases:
        said, truth = part.evidence[:, 0] * unit, outcome.values[part.rows]
        off = said - truth
        for place, values in enumerate((said, off, np.abs(off), off**2)):
            np.add.at(sums[place], part.rows, part.weight * values)
        np.add.at(weight, part.rows, part.weight)
    tested = weight > 0
    # Each case counts once: its own mean over the forests that left it out.
    said, off, size, square = sums[:, tested] / weight[tested]
    share = weight[tested] / weight[tested].sum()
    own_groups = None if groups is None else groups.rows(np.flatnonzero(tested))

    def mean(values: NDArray[np.float64], low: float = 0.0) -> Figure:
        middle, se = float(values @ share), se_of_mean(values, own_groups)
        if not se > 0:
            return Figure(middle, math.nan, math.nan)
        return Figure(middle, max(low, middle - _NORMAL * se), middle + _NORMAL * se)

    squared = mean(square)
    variance = float(outcome.values.var())
    truth = outcome.values[tested]
    return NumberDiagnosis(
        int(tested.sum()),
        Figure(*(math.sqrt(v) for v in (squared.value, squared.low, squared.high))),
        mean(size),
        Figure(*(v / variance for v in (squared.value, squared.low, squared.high))).complement,
        mean(off, low=-math.inf),
        _slope(said, truth, share, own_groups),
        _groups(said, truth),
        _histogram(off, share),
    )


def _slope(
    said: NDArray[np.float64],
    truth: NDArray[np.float64],
    share: NDArray[np.float64],
    groups: RowGroups | None,
) -> Figure:
    """Of the truth on predictions, by least squares; NaN where all predictions are the same."""
    centred = said - said @ share
    spread = float(share @ centred**2)
    if not spread > 1e-12 * float(share @ (truth - truth @ share) ** 2):
        return Figure(math.nan, math.nan, math.nan)
    own = truth - truth @ share
    slope = float(share @ (centred * own)) / spread
    # Each row's part in the slope: a standard error that allows for unequal scatter.
    parts = centred * (own - slope * centred) / spread
    reach = _NORMAL * se_of_mean(parts, groups)
    return Figure(slope, slope - reach, slope + reach)


def _groups(said: NDArray[np.float64], truth: NDArray[np.float64]) -> tuple[CaseGroup, ...]:
    n_groups = int(np.clip(len(said) // _CASES_OF_A_GROUP, 1, _MOST_GROUPS))
    order = np.argsort(said, kind="stable")
    found = []
    for rows in np.array_split(order, n_groups):
        low, high = np.quantile(truth[rows], (0.1, 0.9)).tolist()
        own = float(said[rows].mean()), float(truth[rows].mean())
        found.append(CaseGroup(*own, low, high, len(rows)))
    return tuple(found)


def _histogram(
    off: NDArray[np.float64], share: NDArray[np.float64]
) -> tuple[tuple[float, ...], ...]:
    heights, edges = np.histogram(off, bins=_RESIDUAL_BINS, weights=share)
    return tuple(zip(edges[:-1].tolist(), edges[1:].tolist(), heights.tolist(), strict=True))
