"""Numbers as people write them in tables and price lists."""

from __future__ import annotations

import re

import numpy as np

__all__ = [
    "is_decimal_comma",
    "may_be_thousands",
    "parse_decimal_comma",
    "parse_number",
    "read_number",
]

_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+([eE][+-]?\d+)?")
_THOUSANDS = re.compile(r"[+-]?[1-9]\d{0,2},\d{3}")


def read_number(value: object) -> float | None:
    """A float, or None for what is not a number: truth values and text are not.

    Examples
    --------
    >>> read_number(5), read_number("5"), read_number(True)
    (5.0, None, None)
    """
    if isinstance(value, bool | np.bool_ | str | bytes):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def parse_number(text: str) -> float:
    """A number with a decimal point.

    Python reads decimals exactly, so a number written and read again is the same number.

    Examples
    --------
    >>> parse_number(" 1e3")
    1000.0
    """
    if "_" in text:  # 1_0 is ten in Python, but a name in a table
        raise ValueError(f"{text!r} is no number")
    return float(text)


def parse_decimal_comma(text: str) -> float:
    """A number with or without a decimal comma; a point makes it none.

    Examples
    --------
    >>> parse_decimal_comma("12,5"), parse_decimal_comma("12")
    (12.5, 12.0)
    """
    if "." in text:
        raise ValueError(f"{text!r} is no number with a decimal comma")
    return parse_number(text.replace(",", ".") if is_decimal_comma(text) else text)


def is_decimal_comma(text: str) -> bool:
    """Whether a text is a number with a decimal comma.

    Examples
    --------
    >>> is_decimal_comma("12,5"), is_decimal_comma("12"), is_decimal_comma("1,2,3")
    (True, False, False)
    """
    return _DECIMAL_COMMA.fullmatch(text) is not None


def may_be_thousands(text: str) -> bool:
    """Whether the comma in a number may separate thousands.

    Examples
    --------
    >>> may_be_thousands("1,200"), may_be_thousands("0,200"), may_be_thousands("1,20")
    (True, False, False)
    """
    return _THOUSANDS.fullmatch(text) is not None
