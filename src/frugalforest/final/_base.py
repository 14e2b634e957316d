"""What a final model other than the forest is: something fitted on the columns of a set."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.problem import FeatureSet, Problem
from frugalforest.tables import Table

__all__ = ["Final"]


class Final(ABC):
    """A model to be fitted on the columns of a set."""

    @property
    @abstractmethod
    def name(self) -> str:
        """How it is written in Python."""

    @abstractmethod
    def evidence(
        self,
        problem: Problem,
        sets: Sequence[FeatureSet],
        new_rows: Table,
        forests: ForestSettings | None = None,
    ) -> NDArray[np.float64]:
        """What the model of each set says of new rows, as shares of the classes.

        Of shape (n_sets, n_new_rows, n_classes). Without columns the classes are as common as in
        the rows that it learned from. `forests` are those that sets are compared by, if not the
        problem's own.
        """
