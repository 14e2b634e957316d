"""The trees of a forest as arrays, whatever their leaves say."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest.engine.coding import raw_columns
from frugalforest.engine.column_sets import ColumnIndices, column_indices
from frugalforest.errors import DataError

__all__ = ["Trees"]


@dataclass(frozen=True, eq=False)
class Trees:
    """The trees of a forest, node by node; what leaves say is added by each kind of forest.

    Values of rows and thresholds are 64-bit floats throughout: a row is predicted as it was seen
    when the forest was grown.

    Attributes
    ----------
    tree_start : ndarray of uint64, shape (n_trees + 1,)
        Tree t owns the nodes ``tree_start[t]`` to ``tree_start[t + 1] - 1``, its root first.
    column : ndarray of int32, shape (n_nodes,)
        The column that a node splits on; −1 for a leaf.
    left : ndarray of uint32, shape (n_nodes,)
        The child for values at or below the threshold, counted from the root of its tree. The other
        child is the next one. 0 for a leaf.
    threshold : ndarray of float64, shape (n_nodes,)
        Infinite if only missing values go right.
    missing_left : ndarray of uint8, shape (n_nodes,)
        1 where missing values go left.
    n_columns : int
    """

    tree_start: NDArray[np.uint64] = field(repr=False)
    column: NDArray[np.int32] = field(repr=False)
    left: NDArray[np.uint32] = field(repr=False)
    threshold: NDArray[np.float64] = field(repr=False)
    missing_left: NDArray[np.uint8] = field(repr=False)
    n_columns: int = field(kw_only=True)

    # The arrays of a forest in the order of the core, each with its type and dimensions.
    ARRAYS: ClassVar[dict[str, tuple[type[np.generic], int]]] = {
        "tree_start": (np.uint64, 1),
        "column": (np.int32, 1),
        "left": (np.uint32, 1),
        "threshold": (np.float64, 1),
        "missing_left": (np.uint8, 1),
    }

    @abstractmethod
    def _load(self) -> Any:
        """The forest in the core; ValueError if it is none."""

    @cached_property
    def _loaded(self) -> Any:
        """The forest in the core: a copy of the arrays, checked and laid out for walking."""
        try:
            return self._load()
        except ValueError as error:
            raise DataError(f"the arrays are not a forest: {error}.") from None

    def _raw_columns(self, rows: ArrayLike) -> NDArray[np.float64]:
        """The rows as the core takes them."""
        if not self.n_columns:  # all trees are leaves, which look at nothing
            return np.zeros((1, len(np.asarray(rows))))
        columns = raw_columns(rows)
        if len(columns) != self.n_columns:
            raise DataError(
                f"the rows have {len(columns)} columns, but the forest was grown on "
                f"{self.n_columns}."
            )
        return columns

    @property
    def n_trees(self) -> int:
        """Trees of the forest."""
        return len(self.tree_start) - 1

    @property
    def used_columns(self) -> NDArray[np.int32]:
        """Columns that some tree splits on, ascending."""
        return np.unique(self.column[self.column >= 0])

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in vars(self).items() if name != "_loaded"}

    def for_columns(self, columns: ColumnIndices) -> Self:
        """The same forest, for rows that hold only these columns, in this order.

        Examples
        --------
        >>> from frugalforest.engine import code_table, code_target, grow_forest
        >>> data, target = code_table([[5, 0, 3], [5, 1, 3]] * 50), code_target([0, 1] * 50, 2)
        >>> forest, _ = grow_forest(data, target, [1, 2], seed=1)
        >>> forest.for_columns([1]).votes([[0], [1]])[0].argmax(axis=1)
        array([0, 1])
        """
        kept = column_indices(columns, self.n_columns)
        place = np.full(self.n_columns + 1, -2, dtype=np.int32)
        place[-1] = -1  # of a leaf
        place[kept] = np.arange(len(kept), dtype=np.int32)
        column = place[self.column]
        if len(kept) != len(np.unique(kept)) or (column == -2).any():
            raise ValueError(
                f"a forest that splits on the columns {self.used_columns.tolist()} cannot do with "
                f"{kept.tolist()}: name each of those it needs, and each once."
            )
        return replace(self, column=column, n_columns=len(kept))

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of the forest by name, to be stored; `from_arrays` takes them back."""
        return {name: getattr(self, name) for name in self.ARRAYS}

    @classmethod
    def checked(cls, arrays: Mapping[str, NDArray[Any]], n_columns: object) -> dict[str, Any]:
        """Copies of arrays that may come from anywhere, if they look like those of a forest.

        Whether they are one is found out when they are loaded.
        """
        if set(arrays) != set(cls.ARRAYS):
            raise DataError(
                f"a forest has the arrays {', '.join(cls.ARRAYS)}, not "
                f"{', '.join(map(str, arrays))}."
            )
        for name, (dtype, n_dimensions) in cls.ARRAYS.items():
            array = arrays[name]
            if not (
                isinstance(array, np.ndarray)
                and array.dtype == np.dtype(dtype)
                and array.ndim == n_dimensions
            ):
                found = (
                    f"{array.dtype} and shape {array.shape}"
                    if isinstance(array, np.ndarray)
                    else type(array).__name__
                )
                raise DataError(
                    f"array {name!r} of a forest must have type {np.dtype(dtype)} and "
                    f"{n_dimensions} dimension{'s' * (n_dimensions > 1)}, not {found}."
                )
        if not isinstance(n_columns, Integral) or not 0 <= int(n_columns) < 2**31:
            raise DataError(f"a forest cannot have been grown on {n_columns!r} columns.")
        if n_columns == 0 and (arrays["column"] >= 0).any():
            raise DataError("the forest splits on columns, and there are none.")
        own = {name: np.array(arrays[name], order="C") for name in cls.ARRAYS}
        return own | {"n_columns": int(n_columns)}
