"""What a final model other than the forest is: something fitted on the columns of a set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore
from frugalforest.tables import Table

__all__ = ["Final"]


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
    ) -> tuple[list[OobScore], NDArray[np.float64] | None]:
        """Out-of-bag scores of each set, and what its model says of new rows, if there are any.

        The scores are the model's own, or the forest's if it has none. What it says are shares of
        the classes, of shape (n_sets, n_new_rows, n_classes). Without columns these are as common
        as in the rows that it learned from. `forests` are those that sets are compared by, if not
        the problem's own.
        """
