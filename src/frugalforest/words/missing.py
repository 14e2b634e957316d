"""What means "not known" in a cell."""

from __future__ import annotations

from collections.abc import Container
from typing import Any

__all__ = ["MISSING_MARKS", "is_missing"]

# What people and programs write. "None" is not here: it can be a category.
MISSING_MARKS = frozenset(
    {"", "?", ".", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "NULL", "null"}
)


def is_missing(value: Any, marks: Container[str] = MISSING_MARKS) -> bool:
    """Whether a cell is empty: None, NaN, a frame library's own mark, or text that says so.

    Parameters
    ----------
    value : object
    marks : container of str
        The texts that mean missing, without spaces around them.

    Examples
    --------
    >>> is_missing(None), is_missing(float("nan")), is_missing(" ?"), is_missing("None")
    (True, True, True, False)
    >>> is_missing("NA", marks=())
    False
    """
    if isinstance(value, str):
        return value.strip() in marks
    # pandas need not be loaded: its NA and NaT are known by the names of their types.
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    try:
        return bool(value != value)
    except (TypeError, ValueError):  # an array in a cell
        return False
