"""What a final model other than the forest is: something fitted on the columns of a set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore
from frugalforest.tables import Table

__all__ = ["Final", "Measured"]


class Measured(NamedTuple):
    """What the models of several sets come to.

    Attributes
    ----------
    scores : list of OobScore
        Out of bag: the model's own, or the forest's if it has none.
    said : ndarray of shape (n_sets, n_new_rows, n_classes) or None
        Shares that they give new rows, if there are any. Without columns these are as common as in
        the rows that the model learned from.
    of_forests : ndarray or None
        The same of the forests alone, if the models are made with forests.
    """

    scores: list[OobScore]
    said: NDArray[np.float64] | None = None
    of_forests: NDArray[np.float64] | None = None


class Final(ABC):
    """A model to be fitted on the columns of a set."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How it is written in Python."""

    @property
    @abstractmethod
    def has_out_of_bag(self) -> bool:
        """Whether it has out-of-bag scores of its own."""

    @abstractmethod
    def measured(
        self,
        problem: Problem,
        sets: Sequence[FeatureSet],
        new_rows: Table | None = None,
        forests: ForestSettings | None = None,
    ) -> Measured:
        """The model of each set, out of bag and on new rows, if there are any.

        `forests` are those that sets are compared by, if not the problem's own.
        """

    def kind_of(self, problem: Problem, features: FeatureSet) -> str:
        """Which of our own models it is for a set; empty if it is none."""
        return ""
