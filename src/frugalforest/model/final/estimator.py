"""Any scikit-learn classifier as the final model.

It sees the table as numbers, text coded as for the forests, and missing values as NaN: one that
cannot do with those goes into a pipeline with an imputer.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.model.final._base import Final, Measured
from frugalforest.problem import FeatureSet, Problem
from frugalforest.tables import Table

__all__ = ["EstimatorFinal", "probabilities"]


@dataclass(frozen=True)
class EstimatorFinal(Final):
    """A classifier to be fitted on the columns of a set."""

    estimator: Any

    @property
    def name(self) -> str:
        """How it is written in Python."""
        return str(self.estimator.__repr__(N_CHAR_MAX=10_000))

    def fitted(self, problem: Problem, features: FeatureSet) -> Any:
        """A copy that learned the problem's rows, with only these columns."""
        X = problem.encoder.transform(problem.table)[:, list(features)]
        model = clone(self.estimator)
        try:
            model.fit(X, problem.outcome.as_classes.labels)
        except ValueError as error:
            raise DataError(f"`final` cannot be fitted on the chosen columns: {error}") from None
        return model

    @property
    def has_out_of_bag(self) -> bool:
        """It learned from all rows."""
        return False

    def measured(
        self,
        problem: Problem,
        sets: Sequence[FeatureSet],
        new_rows: Table | None = None,
        forests: ForestSettings | None = None,
    ) -> Measured:
        """As for every final model."""
        scores = problem.scores(sets, forests)
        return Measured(
            scores, None if new_rows is None else self.evidence(problem, sets, new_rows)
        )

    def evidence(
        self, problem: Problem, sets: Sequence[FeatureSet], new_rows: Table
    ) -> NDArray[np.float64]:
        """What the model of each set says of new rows.

        Where the score looks at votes, all of the share is on the class that the model names.
        """
        values = problem.encoder.transform(new_rows)
        outcome = problem.outcome.as_classes
        n_classes = outcome.n_classes
        shares = np.empty((len(sets), new_rows.n_rows, n_classes))
        for i, features in enumerate(sets):
            if not features:
                shares[i] = outcome.counts / outcome.n_rows
                continue
            with warnings.catch_warnings():  # hundreds of fits: one word each is enough
                warnings.simplefilter("once")
                model = self.fitted(problem, features)
                columns = values[:, list(features)]
                if problem.score.evidence == "votes":
                    shares[i] = np.eye(n_classes)[model.predict(columns)]
                else:
                    shares[i] = probabilities(model, columns, n_classes)
        return shares


def probabilities(model: Any, columns: NDArray[np.float64], n_classes: int) -> NDArray[np.float64]:
    """What a fitted classifier says of rows; 0 for classes that it did not see."""
    if not hasattr(model, "predict_proba"):
        raise ValueError(
            f"`final` is {type(model).__name__}, which has no `predict_proba`: scores other than "
            "the error need probabilities. Choose another, or scoring='error'."
        )
    found = np.zeros((len(columns), n_classes))
    found[:, model.classes_] = model.predict_proba(columns)
    return found
