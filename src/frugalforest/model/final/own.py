"""Our own final models beside the forest: the linear one, the *blend*, or what does better.

A forest cuts a slope into steps, and a line cannot bend: their mistakes differ. So the mean of what
both say, the blend, is often better than either. Where it is not shows out of bag: there the forest
has votes of trees that did not see a row, and the linear model what it says without the row. So
which of the two it is, is chosen anew for each set, on whatever rows the set is looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.model.final._base import Final, Measured
from frugalforest.model.final.linear import LinearModel, fit_linear
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore, score_evidence
from frugalforest.tables import Table

__all__ = ["Kind", "OwnFinal", "blended"]

Kind = Literal["forest", "blend", "logistic"]


def blended(evidence: NDArray[Any], linear: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean of a forest's votes, as shares, or class shares, and of a linear model's shares.

    Where there is no vote, all zeros.

    Examples
    --------
    >>> blended(np.array([[3, 1], [0, 0]]), np.array([[0.25, 0.75], [0.5, 0.5]]))
    array([[0.5, 0.5],
           [0. , 0. ]])
    """
    total = evidence.sum(axis=-1, keepdims=True)
    return np.asarray(np.where(total > 0, (evidence / np.maximum(total, 1e-300) + linear) / 2, 0.0))


@dataclass(frozen=True)
class OwnFinal(Final):
    """The linear model alone, averaged with the forest, or, if "auto", with it where that helps."""

    asked: Literal["auto", "blend", "logistic"]

    @property
    def name(self) -> str:
        """How it is written in Python."""
        return repr(self.asked)

    @property
    def has_out_of_bag(self) -> bool:
        """Each of its models has out-of-bag scores."""
        return True

    def chosen(
        self,
        problem: Problem,
        features: FeatureSet,
        out_of_bag: NDArray[Any],
        forest: OobScore | None = None,
    ) -> tuple[Kind, OobScore, LinearModel]:
        """Which model it is for a set, its out-of-bag scores, and its linear part.

        Parameters
        ----------
        out_of_bag : ndarray of shape (n_rows, n_classes)
            Votes or shares of the set's forest, whichever the score looks at.
        forest : OobScore, optional
            What these come to, if that is known.
        """
        model, left_out = fit_linear(problem, features)
        outcome = problem.outcome.as_classes

        def scored(evidence: NDArray[Any]) -> OobScore:
            return score_evidence(problem.score, evidence, outcome.labels, outcome.counts)

        forest = scored(out_of_bag) if forest is None else forest
        if left_out is None:  # very many coefficients: the forest's score is all that is known
            return "forest" if self.asked == "auto" else self.asked, forest, model
        if self.asked == "logistic":
            return "logistic", scored(left_out), model
        blend = scored(blended(out_of_bag, left_out))
        if self.asked == "auto" and not blend.graded < forest.graded:
            return "forest", forest, model
        return "blend", blend, model

    def measured(
        self,
        problem: Problem,
        sets: Sequence[FeatureSet],
        new_rows: Table | None = None,
        forests: ForestSettings | None = None,
    ) -> Measured:
        """As for every final model."""
        sets = list(sets)
        grown = [features for features in sets if features]
        scores: dict[FeatureSet, OobScore] = {(): problem.scores([()])[0]}
        outcome = problem.outcome.as_classes
        said: dict[FeatureSet, Any] = {(): outcome.counts / outcome.n_rows}
        of_forests = dict(said)
        values = None if new_rows is None else problem.encoder.transform(new_rows)
        evidence = problem.out_of_bag(grown, forests, new_rows)
        for features, (own, new) in zip(grown, evidence, strict=True):
            (forest,) = problem.scores([features], forests)
            kind, scores[features], model = self.chosen(problem, features, own, forest)
            if values is not None and new is not None:
                said[features] = _said(kind, new, model, values[:, list(features)])
                of_forests[features] = new / new.sum(axis=1, keepdims=True)
        found = [scores[features] for features in sets]
        if new_rows is None:
            return Measured(found)
        shares = np.empty((2, len(sets), new_rows.n_rows, outcome.n_classes))
        for i, features in enumerate(sets):
            shares[0, i], shares[1, i] = said[features], of_forests[features]
        return Measured(found, *shares)

    def kind_of(self, problem: Problem, features: FeatureSet) -> Kind:
        """Which model it is for a set."""
        if not features:
            return "forest"
        ((own, _),) = problem.out_of_bag([features])
        return self.chosen(problem, features, own)[0]


def _said(
    kind: Kind, forest: NDArray[Any], model: LinearModel, rows: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What a model says of new rows, as shares."""
    if kind == "forest":
        return np.asarray(forest / forest.sum(axis=1, keepdims=True))
    linear = model.shares(rows)
    return linear if kind == "logistic" else blended(forest, linear)
