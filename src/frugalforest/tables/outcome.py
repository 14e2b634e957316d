"""Outcome: what is predicted, of one of a few kinds, and everything that depends on the kind.

A kind says what is true of each row, what somebody knows who measures nothing, how rows are split
so that the parts are alike, and in which order it puts the categories of a text column.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Container
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables.cells import as_text, distinct_texts
from frugalforest.words.missing import MISSING_MARKS
from frugalforest.words.wording import at_row, counted, listed

__all__ = ["Classes", "Outcome", "Task", "most_classes"]

Task = Literal["classification", "regression"]


_AS_NUMBERS = " Numbers are predicted with task='regression' (--task regression)."


class Outcome(ABC):
    """What is predicted of each row.

    Attributes
    ----------
    task : {"classification", "regression"}
        Its kind.
    noun : str
        What it has for each row.
    one : str
        What that stands for.
    width : int
        Numbers by which a forest says what it predicts of a row.
    n_classes : int
        0 if it is not classes.
    unit : float
        One of these, inside, is so much as it was given.
    """

    task: ClassVar[Task]
    noun: ClassVar[str]
    one: ClassVar[str]
    width: int
    n_classes: int = 0
    unit: float = 1.0

    @staticmethod
    def read(y: Any, missing: Container[str] = MISSING_MARKS) -> Classes:
        """The classes of the rows: see `Classes.read`. `read_outcome` reads any kind."""
        return Classes.read(y, missing)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return len(self.truth)

    @property
    def as_classes(self) -> Classes:
        """Itself, if it is classes. What asks for it knows no other kind."""
        raise DataError("the target is numbers, and what was asked for is for classes only.")

    @property
    @abstractmethod
    def in_words(self) -> str:
        """What it is, in a few words."""

    @property
    @abstractmethod
    def truth(self) -> NDArray[Any]:
        """What is true of each row, as scores take it."""

    @property
    @abstractmethod
    def known(self) -> NDArray[Any]:
        """What of these rows is known to somebody who measures nothing, as scores take it."""

    @property
    @abstractmethod
    def strata(self) -> NDArray[np.intp]:
        """A number for each row: what splits of the rows keep the shares of."""

    def strata_for(self, grouped: bool) -> NDArray[np.intp]:
        """The same, for splits of whole groups of rows or of single ones."""
        return self.strata

    @property
    @abstractmethod
    def content(self) -> tuple[Any, ...]:
        """Arrays and plain values that tell it from any other."""

    @abstractmethod
    def rows(self, index: NDArray[np.intp]) -> Self:
        """Some of the rows."""

    @abstractmethod
    def category_positions(
        self, places: NDArray[np.intp], n_categories: int
    ) -> NDArray[np.float64]:
        """A number for each category of a text column, by what is true of its rows.

        Parameters
        ----------
        places : ndarray of intp, shape (n_rows,)
            The category of each row; -1 is missing and has no say.
        n_categories : int
            Each must have at least one row.
        """


def most_classes(n_rows: int) -> int:
    """So many different values may be classes, in so many rows."""
    return max(20, n_rows // 10)


@dataclass(frozen=True, eq=False)
class Classes(Outcome):
    """The class of each row. Made by `Classes.read`.

    Attributes
    ----------
    labels : ndarray of intp, shape (n_rows,)
        The class of each row as 0, 1, ….
    classes : ndarray
        What those stand for, ascending.

    Examples
    --------
    >>> outcome = Classes.read(["no", "yes", "no"])
    >>> outcome.labels.tolist(), outcome.classes.tolist()
    ([0, 1, 0], ['no', 'yes'])
    >>> outcome.commonest, round(outcome.guess_error, 3), outcome.chance_error
    ('no', 0.333, 0.5)
    """

    labels: NDArray[np.intp]
    classes: NDArray[Any]

    task: ClassVar[Task] = "classification"
    noun: ClassVar[str] = "label"
    one: ClassVar[str] = "class"

    @classmethod
    def read(cls, y: Any, missing: Container[str] = MISSING_MARKS) -> Classes:
        """Labels of rows; at least two classes.

        Labels stay what they are. Those of numbers keep their type; text is taken as it is written,
        without spaces around it, so "01" and "1" are two classes, and so are "Yes" and "yes".

        Parameters
        ----------
        y : array-like of shape (n_rows,), or Classes
            An outcome that was read already is returned as it is.
        missing : container of str
            Texts that mean that a label is missing. To have a class called "NA", leave it out.

        Raises
        ------
        DataError
            If a label is missing, there is one class only, or there are more than 20 and more than
            one for ten rows.

        Examples
        --------
        >>> Classes.read(["01", "1", "NA"], missing=("", "?")).classes.tolist()
        ['01', '1', 'NA']
        """
        if isinstance(y, Classes):
            return y
        # As objects: among texts, NumPy would turn a missing label (NaN) into the text "nan".
        values = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
        if values.ndim != 1:
            raise DataError(f"y has shape {values.shape}: it must hold one label for each row.")
        if len(values) == 0:
            raise DataError("the target is empty: it needs one label for each row.")
        classes, labels = _numbered(values) if _is_typed(values) else _texts(values, missing)
        if len(classes) < 2:
            raise DataError(
                f"the target holds one class only ({str(classes[0])!r}): there is nothing to tell "
                "apart."
            )
        if len(classes) > most_classes(len(values)):
            raise DataError(
                f"the target has {len(classes)} different values in {len(values)} rows. It must "
                "hold classes, not measurements: is it the right column?"
                + (_AS_NUMBERS if classes.dtype.kind in "iuf" else "")
            )
        return cls(labels.astype(np.intp), classes)

    @property
    def as_classes(self) -> Classes:
        """Itself."""
        return self

    @property
    def in_words(self) -> str:
        """How many classes there are."""
        return f"{self.n_classes} classes"

    @property
    def truth(self) -> NDArray[np.intp]:
        """The labels."""
        return self.labels

    @property
    def known(self) -> NDArray[np.intp]:
        """How common the classes are."""
        return self.counts

    @property
    def content(self) -> tuple[Any, ...]:
        """Labels, and what they stand for."""
        return self.labels, list(self.class_names)

    @property
    def width(self) -> int:  # type: ignore[override]
        """A share, or votes, for each class."""
        return self.n_classes

    @property
    def n_classes(self) -> int:  # type: ignore[override]
        """Number of classes, also of those that some of the rows do not have."""
        return len(self.classes)

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as text: 1, not 1.0."""
        return tuple(as_text(value) for value in self.classes)

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each class."""
        return np.bincount(self.labels, minlength=self.n_classes)

    @property
    def strata(self) -> NDArray[np.intp]:
        """The labels: splits keep how common the classes are."""
        return self.labels

    @property
    def chance_error(self) -> float:
        """Error of a vote in which all classes tie: what knowing nothing is worth."""
        return 1.0 - 1.0 / self.n_classes

    @property
    def commonest(self) -> Any:
        """The class that most rows have, the first of equals."""
        return self.classes[int(self.counts.argmax())].item()

    @property
    def guess_error(self) -> float:
        """Error of always guessing the commonest class."""
        return float(1.0 - self.counts.max() / self.n_rows)

    def rows(self, index: NDArray[np.intp]) -> Self:
        """Some of the rows. The classes stay the same."""
        return type(self)(self.labels[index], self.classes)

    def category_positions(
        self, places: NDArray[np.intp], n_categories: int
    ) -> NDArray[np.float64]:
        """A number for each category of a text column, by the classes of its rows.

        For two classes the share of the second. For more, the first principal component of the
        shares (Coppersmith, Hong and Hosking 1999), signed so that the last class points up.

        Parameters
        ----------
        places : ndarray of intp, shape (n_rows,)
            The category of each row; -1 is missing and has no say.
        n_categories : int
            Each must have at least one row.

        Examples
        --------
        >>> outcome = Classes.read(["no", "yes", "yes", "yes"])
        >>> outcome.category_positions(np.array([0, 0, 1, -1]), 2)
        array([0.5, 1. ])
        """
        counts = np.zeros((n_categories, self.n_classes))
        present = places >= 0
        np.add.at(counts, (places[present], self.labels[present]), 1)
        n = counts.sum(axis=1, keepdims=True)
        shares = counts / n
        if self.n_classes == 2 or n_categories == 0:
            return np.asarray(shares[:, 1])
        centred = (shares - counts.sum(axis=0) / counts.sum()) * np.sqrt(n)
        direction = np.linalg.svd(centred, full_matrices=False)[2][0]
        direction = direction * (1 if direction[-1] >= 0 else -1)
        return np.asarray((shares @ direction).round(12))


def _is_typed(values: NDArray[Any]) -> bool:
    return values.dtype.kind in "biufmM"


def _numbered(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes and labels of numbers, truth values or dates."""
    _check_complete(values != values)
    classes, labels = np.unique(values, return_inverse=True)
    return classes, labels


def _texts(values: NDArray[Any], missing: Container[str]) -> tuple[NDArray[Any], NDArray[np.intp]]:
    """Classes and labels of objects: numbers if all of them are, otherwise text."""
    cells = distinct_texts(values, missing)
    _check_complete(cells.codes < 0, values)
    numbers = _as_numbers(values.tolist())
    if numbers is not None:
        return _numbered(numbers)
    order = np.array(sorted(range(len(cells.texts)), key=cells.texts.__getitem__))
    return np.array(cells.texts)[order], np.argsort(order)[cells.codes]


def _as_numbers(labels: list[Any]) -> NDArray[Any] | None:
    """Objects as an array of numbers in which no two that differ have become one."""
    types = set(map(type, labels))
    if types <= {bool, np.bool_}:
        return np.array(labels, dtype=bool)
    whole = all(issubclass(t, int | np.integer) for t in types)
    if not all(issubclass(t, int | float | np.integer | np.floating) for t in types):
        return None
    if bool in types:
        return None
    try:
        array = np.array(labels, dtype=None if whole else np.float64)
    except OverflowError:
        return None
    if array.dtype.kind in "iu" or (not whole and array.tolist() == labels):
        return array
    return None


def _check_complete(missing: NDArray[np.bool_], values: NDArray[Any] | None = None) -> None:
    if not missing.any():
        return
    written: list[str] = []
    if values is not None:
        written = sorted({v.strip() for v in values[missing].tolist() if isinstance(v, str)} - {""})
    marks = f" ({listed(written)})" if written else ""
    raise DataError(
        f"the target is missing{marks} in {counted(int(missing.sum()), 'row')}, first in "
        f"{at_row(int(missing.argmax()))}: remove those rows."
    )
