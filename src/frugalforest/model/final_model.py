"""A scikit-learn classifier on the chosen columns, which takes raw tables."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.model.final import EstimatorFinal, Final, OwnFinal, probabilities
from frugalforest.model.fitted import FittedModel
from frugalforest.model.number_model import NumberModel
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import DecisionRule, as_class_score
from frugalforest.tables import Classes, Encoder, Schema, Table

__all__ = ["AnyModel", "FinalModel", "fit_model"]


@dataclass(frozen=True)
class FinalModel:
    """What `final=` asks for, fitted: the same to use as a `FittedModel`.

    It is an object of scikit-learn's and has no file of our own.

    Attributes
    ----------
    schema : Schema
        The columns that it needs, and what kind each is.
    encoder : Encoder
        The order of the categories of those that hold text.
    classes : ndarray
    estimator : object
        The fitted classifier; its classes are numbered. None if there are no columns.
    shares : ndarray of shape (n_classes,)
        How common the classes were: what it answers then.
    rule : DecisionRule
        How probabilities become classes; the classifier's own way if it is by votes.

    Examples
    --------
    >>> from sklearn.linear_model import LogisticRegression
    >>> problem = Problem.from_table([[0.0, 3], [1.0, 4]] * 20, ["no", "yes"] * 20)
    >>> model = FinalModel.fit(problem, (0,), EstimatorFinal(LogisticRegression()))
    >>> model.predict([[0.1], [0.9]])
    array(['no', 'yes'], dtype='<U3')
    """

    schema: Schema
    encoder: Encoder
    classes: NDArray[Any]
    estimator: Any
    shares: NDArray[np.float64]
    rule: DecisionRule

    @classmethod
    def fit(cls, problem: Problem, features: FeatureSet, final: EstimatorFinal) -> Self:
        """The classifier on all rows of a problem and these columns."""
        table = problem.table.select([problem.table.names[j] for j in features])
        outcome = problem.outcome.as_classes
        return cls(
            table.schema,
            problem.encoder.select(table.names),
            outcome.classes,
            final.fitted(problem, features) if features else None,
            outcome.counts / outcome.n_rows,
            as_class_score(problem.score).rule(outcome.counts),
        )

    @property
    def features(self) -> tuple[str, ...]:
        """Names of the columns that it needs."""
        return self.schema.names

    def read(self, X: Any) -> Table:
        """The needed columns of a table, read as the training table was."""
        return self.schema.read(X)

    def predict(self, X: Any, n_jobs: int | None = None) -> NDArray[Any]:
        """The class of each row. `n_jobs` is there for likeness: the classifier has its own."""
        if self.estimator is not None and self.rule.evidence == "votes":
            labels = self.estimator.predict(self.encoder.transform(self.read(X)))
        else:
            labels = self.rule.classes(self.predict_proba(X))
        return np.asarray(self.classes[labels])

    def predict_proba(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The classifier's probabilities; an error if it has none."""
        if self.estimator is None:
            return np.tile(self.shares, (_n_rows(X), 1))
        columns = self.encoder.transform(self.read(X))
        return self.rule.probabilities(probabilities(self.estimator, columns, len(self.classes)))


AnyModel = FittedModel | NumberModel | FinalModel


def fit_model(
    problem: Problem,
    features: FeatureSet,
    final: Final | None,
    about: Mapping[str, Any] | None = None,
) -> AnyModel:
    """What a selection leaves behind: the forest, or what `final` says in its place."""
    if not isinstance(problem.outcome, Classes):
        return NumberModel.fit(problem, features, about)
    if isinstance(final, EstimatorFinal):
        return FinalModel.fit(problem, features, final)
    assert final is None or isinstance(final, OwnFinal)  # there are no others
    return FittedModel.fit(problem, features, about, final)


def _n_rows(X: Any) -> int:
    return X.n_rows if isinstance(X, Table) else len(X)
