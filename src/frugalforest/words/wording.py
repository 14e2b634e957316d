"""How messages show values and names, and what they suggest for a name that is not known."""

from __future__ import annotations

import difflib
import reprlib
from collections.abc import Iterable, Sequence

import numpy as np

__all__ = ["at_row", "counted", "did_you_mean", "listed", "nearest", "printable", "show"]

_ABBREVIATE = reprlib.Repr()
_ABBREVIATE.maxdict = _ABBREVIATE.maxtuple = 6
_ABBREVIATE.maxstring = 40

# 'cholesterol' and 'chol' have 0.53 in common, and one is often written for the other.
_NEAR = 0.5


def show(value: object) -> str:
    """A value as the user wrote it, in one line: 5, not np.int64(5); long ones are cut.

    Examples
    --------
    >>> show(np.int64(5))
    '5'
    """
    text = _ABBREVIATE.repr(value.item() if isinstance(value, np.generic) else value)
    return " ".join(line.strip() for line in text.splitlines())


def listed(names: Sequence[object], at_most: int = 8) -> str:
    """Names as a list, the first ones only if there are many.

    Examples
    --------
    >>> listed(["age", "crp", "ldl"], at_most=2)
    "['age', 'crp'] and 1 more"
    """
    shown = repr([str(name) for name in names[:at_most]])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most} more"


def counted(number: int, thing: str) -> str:
    """A number of things.

    Examples
    --------
    >>> counted(1, "row"), counted(2, "row")
    ('1 row', '2 rows')
    """
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def at_row(index: int) -> str:
    """A row as people count them: an index counts from 0, a spreadsheet from 1.

    Examples
    --------
    >>> at_row(6)
    'row 7 (counted from 1)'
    """
    return f"row {index + 1} (counted from 1)"


def nearest(name: object, candidates: Iterable[object], cutoff: float = _NEAR) -> object | None:
    """The candidate most like a name, if one is like it.

    Examples
    --------
    >>> nearest("CRP", ["age", "crp"]), nearest("CRP", ["age"])
    ('crp', None)
    """
    # Without regard to case: for difflib 'CRP' and 'crp' have nothing in common. Of names that
    # differ in case only, the first.
    folded: dict[str, object] = {}
    for known in candidates:
        folded.setdefault(str(known).casefold(), known)
    near = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=cutoff)
    return folded[near[0]] if near else None


def did_you_mean(name: object, candidates: Iterable[object]) -> str:
    """A hint at the nearest of some names; empty if none is near.

    Examples
    --------
    >>> did_you_mean("Diagnosis", ["diagnosis", "age"])
    " Did you mean 'diagnosis'?"
    """
    near = nearest(name, candidates)
    return "" if near is None else f" Did you mean {near!r}?"


def printable(text: str) -> str:
    r"""A text from a file, such as a column's name, which must not control the terminal.

    Examples
    --------
    >>> printable("a\x1b[31mb")
    'a�[31mb'
    """
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)
