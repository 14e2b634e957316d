"""How a forest is grown."""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from numbers import Integral, Real
from typing import Self

from frugalforest import _core
from frugalforest._core import CodedData, NumberTarget, Target
from frugalforest.engine.coding import bins_for, check_bins
from frugalforest.engine.memory import check_scratch
from frugalforest.engine.parameters import n_threads

__all__ = ["ForestSettings"]

# The core counts with 32 bits.
_A_COUNT = "a whole number from 1 to 2^31 - 1"


@dataclass(frozen=True)
class ForestSettings:
    """How a forest is grown.

    Parameters
    ----------
    n_trees : int, default=1000
    max_features : {"sqrt", "log2", "third"}, int, float or None, default="sqrt"
        Features that a node may split on: the whole part of the root, logarithm or third of the
        set's size, a number, a share, or all of them (None). At least one. If none of those
        drawn can be cut in the node, further ones are drawn until one can.
    max_depth : int or None, default=None
        No limit by default.
    min_samples_leaf : int, default=1
        Fewest draws in a leaf. A row that the bootstrap drew twice counts twice.
    bootstrap : bool, default=True
        Draw rows with replacement. Otherwise each row at most once.
    sample_fraction : float, default=1.0
        Rows drawn for a tree, as a share of all rows.
    bins : "auto", int or None, default="auto"
        How the table is coded for these forests: most bins of a column, from 2 to 255, or None for
        exact splits. By default 255 if there are more than 20,000 rows, and exact otherwise. On a
        table that is coded already, it says what the table must be like; "auto" is any. Settings
        that differ by it alone are equal: on one coded table they mean the same forests.
    min_node_size : int, default=1
        Draws of the largest node that is not split, even where it could be.

    Examples
    --------
    >>> ForestSettings().features_per_split(30)
    5
    """

    n_trees: int = 1000
    max_features: str | int | float | None = "sqrt"
    max_depth: int | None = None
    min_samples_leaf: int = 1
    bootstrap: bool = True
    sample_fraction: float = 1.0
    bins: str | int | None = field(default="auto", compare=False)
    min_node_size: int = 1

    def __post_init__(self) -> None:
        for name in ("n_trees", "min_samples_leaf", "min_node_size"):
            value = getattr(self, name)
            if not _is_count(value):
                raise ValueError(f"`{name}` is {value!r}: it must be {_A_COUNT}.")
        if self.max_depth is not None and not _is_count(self.max_depth):
            raise ValueError(f"`max_depth` is {self.max_depth!r}: it must be {_A_COUNT}, or None.")
        if not _is_share(self.sample_fraction):
            raise ValueError(
                f"`sample_fraction` is {self.sample_fraction!r}: it must be above 0 and at most 1."
            )
        check_bins(self.bins)
        m = self.max_features
        if not (m is None or m in ("sqrt", "log2", "third") or _is_count(m) or _is_share(m)):
            raise ValueError(
                f"`max_features` is {m!r}: it must be 'sqrt', 'log2', 'third', a whole number "
                "from 1, a share above 0 and at most 1, or None for all."
            )

    def features_per_split(self, n_features: int) -> int:
        """How many of `n_features` features a node may split on."""
        m = self.max_features
        if m is None:
            return n_features
        if m == "sqrt":
            return max(1, math.isqrt(n_features))
        if m == "log2":
            return max(1, n_features.bit_length() - 1)
        if m == "third":
            return max(1, n_features // 3)
        if isinstance(m, Integral):
            return min(int(m), n_features)
        return max(1, int(float(m) * n_features))

    def for_rows(self, n_rows: int) -> Self:
        """The settings that these are on a table of so many rows, for parts of it too.

        Examples
        --------
        >>> ForestSettings().for_rows(100_000).bins
        255
        """
        return replace(self, bins=bins_for(self.bins, n_rows))

    def spec(
        self, data: CodedData, target: Target | NumberTarget, n_jobs: int | None
    ) -> _core.ForestSpec:
        """The settings as the core takes them, if what they ask for fits into memory."""
        if self.bins != "auto" and self.bins != data.bins:
            raise ValueError(
                f"`bins` is {self.bins!r}, but the table was coded with bins={data.bins!r}: code "
                "it with the same."
            )
        spec = _core.make_spec(
            n_trees=self.n_trees,
            max_depth=self.max_depth or 0,
            min_leaf=self.min_samples_leaf,
            min_node=self.min_node_size,
            n_draws=max(1, round(self.sample_fraction * data.n_rows)),
            replace=self.bootstrap,
            n_threads=n_threads(n_jobs),
        )
        check_scratch(data, target, spec)
        return spec


def _is_count(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and 1 <= int(value) < 2**31


def _is_share(value: object) -> bool:
    return isinstance(value, Real) and not isinstance(value, Integral) and 0 < float(value) <= 1
