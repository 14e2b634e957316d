"""The model that is fitted on the chosen columns in the end, where it is not the forest.

Any scikit-learn classifier. It sees the table as numbers, text coded as for the forests, and
missing values as NaN: one that cannot do with those goes into a pipeline with an imputer.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from frugalforest.errors import DataError
from frugalforest.problem import FeatureSet, Problem
from frugalforest.tables import Table

__all__ = ["Final", "read_final"]


@dataclass(frozen=True)
class Final:
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
            model.fit(X, problem.outcome.labels)
        except ValueError as error:
            raise DataError(f"`final` cannot be fitted on the chosen columns: {error}") from None
        return model

    def row_errors(
        self,
        problem: Problem,
        sets: Sequence[FeatureSet],
        new_rows: Table,
        labels: NDArray[np.integer],
    ) -> NDArray[np.float64]:
        """0 where the model of a set is right about a new row, 1 where it is wrong.

        Shape (n_sets, n_new_rows). Without columns it names the commonest class.
        """
        values = problem.encoder.transform(new_rows)
        wrong = np.empty((len(sets), len(labels)))
        for i, features in enumerate(sets):
            if features:
                with warnings.catch_warnings():  # hundreds of fits: one word each is enough
                    warnings.simplefilter("once")
                    predicted = self.fitted(problem, features).predict(values[:, list(features)])
            else:
                predicted = np.full(len(labels), problem.outcome.counts.argmax())
            wrong[i] = predicted != labels
        return wrong


def read_final(final: object) -> Final | None:
    """What `final=` means: None is the forest.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> read_final(LogisticRegression(C=0.1)).name
    'LogisticRegression(C=0.1)'
    """
    if final is None or isinstance(final, Final):
        return final
    if isinstance(final, type) or not hasattr(final, "fit") or not is_classifier(final):
        raise ValueError(
            f"`final` is {final!r}: it must be a scikit-learn classifier, such as "
            "LogisticRegression(), or None for the forest."
        )
    return Final(final)
