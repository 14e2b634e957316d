"""A linear model of raw columns: normal scores of ranks, and a logistic model of those."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.model.final.logistic import Logistic, fit_logistic
from frugalforest.model.final.normal_scores import NormalScores
from frugalforest.problem import FeatureSet, Problem

__all__ = ["LinearModel", "fit_linear"]

_DIMENSIONS = {
    "linear_start": 1,
    "linear_knots": 1,
    "linear_scores": 1,
    "linear_missing": 1,
    "linear_intercepts": 1,
    "linear_slopes": 2,
}


@dataclass(frozen=True, eq=False)
class LinearModel:
    """A fitted linear model, for rows as the forests see them: text coded, NaN for missing.

    Attributes
    ----------
    columns : tuple of NormalScores
    logistic : Logistic

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]] * 9, ["no", "no", "yes", "yes"] * 9
    >>> problem = Problem.from_table(X, y)
    >>> model, _ = fit_linear(problem, (0,))
    >>> model.shares(np.array([[0.0], [1.5], [3.0]])).round(2)
    array([[0.97, 0.03],
           [0.5 , 0.5 ],
           [0.03, 0.97]])
    """

    columns: tuple[NormalScores, ...]
    logistic: Logistic

    def shares(self, rows: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability of each class."""
        scores = [map_.transform(column) for map_, column in zip(self.columns, rows.T, strict=True)]
        return self.logistic.shares(np.column_stack(scores) if scores else np.empty((len(rows), 0)))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """Arrays by name, to be stored; `from_arrays` takes them back."""
        lengths = [len(column.knots) for column in self.columns]
        return {
            "linear_start": np.cumsum([0, *lengths]).astype(np.int64),
            "linear_knots": np.concatenate([np.empty(0), *(c.knots for c in self.columns)]),
            "linear_scores": np.concatenate([np.empty(0), *(c.scores for c in self.columns)]),
            "linear_missing": np.array([c.of_missing for c in self.columns]),
            "linear_intercepts": self.logistic.intercepts,
            "linear_slopes": self.logistic.slopes,
        }

    @classmethod
    def from_arrays(
        cls, arrays: Mapping[str, NDArray[Any]], n_columns: int, n_classes: int
    ) -> Self:
        """A model from the arrays of `to_arrays`, which may come from anywhere."""
        if set(arrays) != set(_DIMENSIONS):
            raise DataError(f"a linear model has the arrays {', '.join(_DIMENSIONS)}.")
        for name, n_dimensions in _DIMENSIONS.items():
            kind = np.int64 if name == "linear_start" else np.float64
            if arrays[name].dtype != kind or arrays[name].ndim != n_dimensions:
                raise DataError(f"array {name!r} of the linear model is of another kind.")
            # The intercept of a class without rows that count is minus infinity.
            least = (
                np.nan_to_num(arrays[name], neginf=0.0) if "intercepts" in name else arrays[name]
            )
            if np.isnan(arrays[name]).any() or not np.isfinite(least).all():
                raise DataError(f"array {name!r} of the linear model is not finite.")
        start, knots, scores = (arrays[f"linear_{n}"] for n in ("start", "knots", "scores"))
        whole = len(start) == n_columns + 1 and start[0] == 0 and start[-1] == len(knots)
        whole = whole and (np.diff(start) >= 1).all() and len(scores) == len(knots)
        rising = np.diff(knots) > 0
        inner = np.ones(max(len(knots) - 1, 0), dtype=bool)
        if whole:
            inner[start[1:-1] - 1] = False
        if not whole or not rising[inner].all():
            raise DataError("the knots of the linear model do not ascend in each of its columns.")
        if (
            arrays["linear_missing"].shape != (n_columns,)
            or arrays["linear_intercepts"].shape != (n_classes,)
            or arrays["linear_slopes"].shape != (n_columns, n_classes)
        ):
            raise DataError("the linear model is not one of these columns and classes.")
        columns = tuple(
            NormalScores(knots[a:b], scores[a:b], float(missing))
            for a, b, missing in zip(start, start[1:], arrays["linear_missing"], strict=False)
        )
        return cls(columns, Logistic(arrays["linear_intercepts"], arrays["linear_slopes"]))


def fit_linear(
    problem: Problem, features: FeatureSet
) -> tuple[LinearModel, NDArray[np.float64] | None]:
    """The linear model of a set, and what it says of each of its rows if that is left out.

    The latter is None for models of very many coefficients: see `fit_logistic`.
    """
    columns = tuple(_scale(problem, j) for j in features)
    Z = np.empty((problem.table.n_rows, len(features)))
    for place, j in enumerate(features):
        Z[:, place] = _scores(problem, j)
    outcome = problem.outcome.as_classes
    logistic, left_out = fit_logistic(Z, outcome.labels, outcome.n_classes, problem.sample_weight)
    return LinearModel(columns, logistic), left_out


# Sets share columns: what is learned of one is learned once.


def _scale(problem: Problem, column: int) -> NormalScores:
    """The normal scores of a column, learned from the problem's rows."""
    return problem.remember(("scale", column), lambda: NormalScores.of(_values(problem, column)))


def _scores(problem: Problem, column: int) -> NDArray[np.float64]:
    """What the problem's own rows have in a column."""
    return problem.remember(
        ("normal scores", column),
        lambda: _scale(problem, column).transform(_values(problem, column)),
    )


def _values(problem: Problem, column: int) -> NDArray[np.float64]:
    table = problem.table.select([problem.table.names[column]])
    return problem.encoder.select(table.names).transform(table)[:, 0]
