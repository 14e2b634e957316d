"""What forests say of rows left out, packed: kept with finished work, so it must be small."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.engine import ForestSettings
from frugalforest.model.final import Final, Measured
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore
from frugalforest.tables import Table

__all__ = ["PackedShares", "measured_sets"]

# Halves, thirds, fourths, fifths and sixths of a share are whole in this unit: ties stay ties.
_UNIT = 60_000


@dataclass(frozen=True)
class PackedShares:
    """Votes, class shares or predicted numbers of several sets for the same rows.

    Attributes
    ----------
    total : int
        What the numbers of all classes add up to: trees, or parts of a share. Nothing, if numbers
        are predicted.
    n_classes : int
        One, if numbers are predicted.
    packed : str
        The numbers of all classes but the first, or what is predicted, from the middle on.
    middle : float
        Of what is predicted.

    Examples
    --------
    >>> shares = PackedShares.of(np.array([[[0.25, 0.75], [0.5, 0.5]]]))
    >>> (shares.of_set(0, n_sets=1) / shares.total).tolist()
    [[0.25, 0.75], [0.5, 0.5]]
    """

    total: int
    n_classes: int
    packed: str
    middle: float = 0.0

    @classmethod
    def of(cls, evidence: NDArray[Any]) -> Self:
        """Pack votes (whole numbers), shares or predictions, of shape (n_sets, n_rows, width)."""
        if evidence.shape[2] == 1:
            middle = float(evidence.mean()) if evidence.size else 0.0
            return cls(0, 1, _packed((evidence - middle).astype("<f4")), middle)
        if evidence.dtype.kind == "f":
            total, numbers = _UNIT, np.round(evidence * _UNIT)
        else:
            total, numbers = int(evidence[:1, :1].sum()), evidence
        whole = numbers[..., 1:].astype("<u2" if total < 2**16 else "<u4")
        return cls(total, evidence.shape[2], _packed(whole))

    @classmethod
    def together(cls, parts: Sequence[PackedShares]) -> PackedShares:
        """What several forests say of the same rows, each packed by itself."""
        first = parts[0]
        if first.n_classes == 1:
            return cls.of(np.concatenate([part.of_set(0, 1)[np.newaxis] for part in parts]))
        numbers = np.concatenate([part._others for part in parts])
        return cls(first.total, first.n_classes, _packed(numbers))

    def of_set(self, i: int, n_sets: int) -> NDArray[np.float64]:
        """What one of `n_sets` sets says of the rows, of shape (n_rows, width)."""
        if self.n_classes == 1:
            predicted = self._others.reshape(n_sets, -1, 1)[i].astype(np.float64)
            return np.asarray(predicted + self.middle)
        others = self._others.reshape(n_sets, -1, self.n_classes - 1)[i]
        # Rounded shares of many classes may add up to a little more than all.
        first = np.maximum(self.total - others.sum(axis=1, dtype=np.float64), 0.0)
        return np.concatenate([first[:, np.newaxis], others], axis=1)

    @cached_property
    def _others(self) -> NDArray[Any]:
        """The numbers of all classes but the first, in a row."""
        packed = zlib.decompress(base64.b64decode(self.packed))
        if self.n_classes == 1:
            return np.frombuffer(packed, dtype="<f4")
        return np.frombuffer(packed, dtype="<u2" if self.total < 2**16 else "<u4")


def _packed(numbers: NDArray[Any]) -> str:
    return base64.b64encode(zlib.compress(numbers.tobytes())).decode()


def measured_sets(
    problem: Problem,
    sets: Sequence[FeatureSet],
    rows: Table | None,
    forests: ForestSettings | None,
    final: Final | None,
) -> tuple[list[OobScore], PackedShares | None, PackedShares | None]:
    """Out-of-bag scores of each set, and what its forest, or final model, says of new rows.

    And what the forests alone say, if they are a part of the final model.
    """
    if final is None:
        said = None if rows is None else problem.predict(sets, rows, forests)
        found = Measured(problem.scores(sets, forests), said)
    else:
        found = final.measured(problem, sets, rows, forests)
    left_out, of_forests = (None if each is None else PackedShares.of(each) for each in found[1:])
    return found.scores, left_out, of_forests
