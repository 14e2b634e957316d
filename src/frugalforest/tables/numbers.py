"""Numbers as the outcome: a dose, a price, a length of stay."""

from __future__ import annotations

import math
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables.cells import distinct_texts, read_column, text_column
from frugalforest.tables.outcome import Outcome, Task
from frugalforest.words.missing import MISSING_MARKS
from frugalforest.words.wording import at_row, counted

__all__ = ["Numbers"]

# Rows are split so that parts have as many low and high numbers: in so many layers of rows.
_MOST_LAYERS, _ROWS_OF_A_LAYER = 10, 10


@dataclass(frozen=True, eq=False)
class Numbers(Outcome):
    """A number for each row. Made by `Numbers.read`.

    Inside, numbers are in units of a power of two near their standard deviation: nothing is rounded
    by that, and what counts as a tie is the same whatever unit they were measured in.

    Attributes
    ----------
    values : ndarray of float64, shape (n_rows,)
        As they were given.
    unit : float
        One of these, inside, is so much as it was given.

    Examples
    --------
    >>> outcome = Numbers.read([2.5, 7.5, 5.0, "10"])
    >>> outcome.values, outcome.mean, outcome.unit
    (array([ 2.5,  7.5,  5. , 10. ]), 6.25, 2.0)
    """

    values: NDArray[np.float64]
    unit: float

    task: ClassVar[Task] = "regression"
    noun: ClassVar[str] = "number"
    one: ClassVar[str] = "number"
    width: ClassVar[int] = 1  # type: ignore[misc]

    @classmethod
    def read(  # type: ignore[override]
        cls, y: Any, missing: Container[str] = MISSING_MARKS
    ) -> Numbers:
        """Numbers of rows; at least two different ones.

        Parameters
        ----------
        y : array-like of shape (n_rows,), or Numbers
            Numbers, or text that is numbers, with decimal points or commas. An outcome that was
            read already is returned as it is.
        missing : container of str
            Texts that mean that a number is missing.

        Raises
        ------
        DataError
            If a number is missing, infinite or none, all are the same, or their squares are more
            than a computer can hold.
        """
        if isinstance(y, Numbers):
            return y
        cells = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
        if cells.ndim != 1:
            raise DataError(f"y has shape {cells.shape}: it must hold one number for each row.")
        if len(cells) == 0:
            raise DataError("the target is empty: it needs one number for each row.")
        values = _as_numbers(cells, missing)
        _check_range(values)
        spread = float(np.std(values / np.abs(values).max())) * float(np.abs(values).max())
        return cls(values, 2.0 ** round(math.log2(spread)))

    @property
    def in_words(self) -> str:
        """Their range."""
        return f"numbers from {self.values.min():.6g} to {self.values.max():.6g}"

    @property
    def truth(self) -> NDArray[np.float64]:
        """The numbers in the unit of the inside."""
        return self.values / self.unit

    @property
    def known(self) -> NDArray[np.float64]:
        """All of them: whoever guesses knows their mean, or their median."""
        return self.truth

    @property
    def content(self) -> tuple[Any, ...]:
        """The numbers."""
        return (self.values, "numbers")

    @property
    def mean(self) -> float:
        """What is answered by somebody who measures nothing."""
        return float(self.values.mean())

    @cached_property
    def strata(self) -> NDArray[np.intp]:
        """Layers of rows with neighbouring numbers; equal numbers are in one.

        Examples
        --------
        >>> Numbers.read(np.arange(40.0)).strata[[0, 9, 10, 39]]
        array([0, 0, 1, 3])
        """
        n_layers = int(np.clip(self.n_rows // _ROWS_OF_A_LAYER, 1, _MOST_LAYERS))
        _, place, counts = np.unique(self.values, return_inverse=True, return_counts=True)
        middle = (np.cumsum(counts) - counts / 2) / self.n_rows
        return np.floor(middle * n_layers).astype(np.intp)[place]

    def strata_for(self, grouped: bool) -> NDArray[np.intp]:
        """One for all, if rows are in groups: these need not have numbers of every layer."""
        return np.zeros(self.n_rows, dtype=np.intp) if grouped else self.strata

    def rows(self, index: NDArray[np.intp]) -> Self:
        """Some of the rows, in the same unit."""
        return type(self)(self.values[index], self.unit)

    def category_positions(
        self, places: NDArray[np.intp], n_categories: int
    ) -> NDArray[np.float64]:
        """The mean of the rows of each category: a forest then finds the best split into two.

        Examples
        --------
        >>> Numbers.read([1.0, 3.0, 7.0]).category_positions(np.array([0, 0, 1]), 2)
        array([2., 7.])
        """
        present = places >= 0
        sums = np.bincount(places[present], self.values[present], minlength=n_categories)
        return np.asarray(sums / np.bincount(places[present], minlength=n_categories))


def _as_numbers(cells: NDArray[Any], missing: Container[str]) -> NDArray[np.float64]:
    if np.iscomplexobj(cells):
        raise DataError("the target holds complex numbers, which have no order: give real ones.")
    texts = text_column(cells, missing) if cells.dtype.kind in "OUST" else cells
    empty = np.array([t is None for t in texts.tolist()]) if texts is not cells else cells != cells
    if empty.any():
        raise DataError(
            f"the target is missing in {counted(int(empty.sum()), 'row')}, first in "
            f"{at_row(int(empty.argmax()))}: remove those rows."
        )
    values = cells
    if cells.dtype.kind not in "biuf":
        reading = _read(cells)
        if reading is None:
            text, row = _no_number(cells)
            raise DataError(
                f"the target holds {text!r} in {at_row(row)}, which is no number: correct it, or "
                "predict classes (task='classification', --task classification)."
            )
        values = reading
    numbers = np.asarray(values, dtype=np.float64)
    if np.isinf(numbers).any():
        raise DataError(
            f"the target is infinite in {at_row(int(np.isinf(numbers).argmax()))}: give a number, "
            "or remove the row."
        )
    return numbers


def _read(cells: Any) -> NDArray[np.float64] | None:
    """Texts or objects as numbers; None if not all of them are."""
    try:
        reading = read_column("target", cells)
    except DataError:  # infinite, which is told apart by the caller
        return np.array([float(cell) for cell in cells])
    return reading.column if reading.kind == "number" and reading.measured is None else None


def _no_number(cells: NDArray[Any]) -> tuple[str, int]:
    """The first text that is no number, and its row."""
    found = distinct_texts(cells)
    odd = next((text for text in found.texts if _read([text]) is None), found.texts[0])
    return odd, found.first_row(odd)


def _check_range(values: NDArray[np.float64]) -> None:
    low, high = float(values.min()), float(values.max())
    if len(values) == 1:
        raise DataError("there is one row only (n_samples=1): nothing can be learned from it.")
    if low == high:
        raise DataError(f"the target is {low:.12g} in every row: there is nothing to predict.")
    with np.errstate(over="ignore", under="ignore"):
        squares = (np.float64(max(abs(low), abs(high))) ** 2) * len(values)
        spread = (np.float64(high) - np.float64(low)) ** 2
    if not np.isfinite(squares) or spread < 1e-290:
        raise DataError(
            f"the target goes from {low:g} to {high:g}, and squares of such numbers are more than "
            "a computer can hold, or less: give it in another unit."
        )
