"""How money, shares, intervals and counts are written: on the terminal, the page and in pictures.

A number and its unit are kept together by a no-break space; `plain` has ordinary ones, for a
terminal.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

__all__ = [
    "NBSP",
    "agreement",
    "count",
    "decimal",
    "interval",
    "money",
    "named",
    "percent",
    "plain",
    "points",
    "shorten",
    "spreadsheet_text",
    "whole_percent",
]

NBSP = "\u00a0"
MINUS = "\u2212"


def decimal(value: float, digits: int = 3) -> str:
    """A number with so many significant digits, never in powers of ten.

    Examples
    --------
    >>> decimal(0.05713), decimal(28.68), decimal(12345.6), decimal(0)
    ('0.0571', '28.7', '12346', '0')
    """
    if value == 0:
        return "0"
    places = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    return _trim(f"{value:.{places}f}")


def money(amount: float, currency: str = "") -> str:
    """An amount: whole, or with two decimals; more only where it would be written as 0.

    Examples
    --------
    >>> money(20.0), money(2.1), money(12.345), money(1338.5), money(0.004), money(math.inf)
    ('20', '2.10', '12.35', '1,338.50', '0.004', 'no limit')
    >>> plain(money(80, "€"))
    '€ 80'
    """
    if math.isinf(amount):
        return "no limit"
    if 0 < abs(amount) < 0.005:
        text = decimal(amount, 2)
    else:
        # 12.345 is stored as 12.3449999…: the nudge rounds it as it is written.
        text = f"{round(amount + math.copysign(1e-9, amount), 2):,.2f}".removesuffix(".00")
        text = "0" if text == "-0" else text
    return f"{currency}{NBSP}{text}" if currency else text


def agreement(index: float) -> str:
    """An index of agreement between −1 and 1, with two decimals.

    Examples
    --------
    >>> agreement(0.837), agreement(-0.001), agreement(-0.2)
    ('0.84', '0.00', '−0.20')
    """
    text = f"{abs(index):.2f}"
    return MINUS + text if index < 0 and float(text) > 0 else text


def percent(share: float) -> str:
    """A share of rows in percent.

    Examples
    --------
    >>> plain(percent(0.0589))
    '5.9 %'
    """
    return f"{100 * share:.1f}{NBSP}%"


def whole_percent(share: float) -> str:
    """A share in percent without decimals.

    Examples
    --------
    >>> whole_percent(2 / 3).replace(NBSP, " ")
    '67 %'
    """
    return f"{100 * share:.0f}{NBSP}%"


def interval(low: float, high: float) -> str:
    """Two ends of an interval of shares, in percent.

    Examples
    --------
    >>> interval(0.041, 0.0768).replace(NBSP, " ")
    '4.1 to 7.7 %'
    """
    return f"{100 * low:.1f} to {percent(high)}"


def points(change: float, digits: int | None = None) -> str:
    """A change of a share, in percentage points, with its sign; one decimal by default.

    Examples
    --------
    >>> points(0.0053), points(-0.0053), points(0.0), points(-0.000842, digits=2)
    ('+0.5', '−0.5', '0.0', '−0.084')
    """
    size = abs(100 * change)
    text = f"{size:.1f}" if digits is None else decimal(size, digits)
    if float(text) == 0:
        return text
    return ("+" if change > 0 else MINUS) + text


def count(n: int, noun: str, plural: str | None = None) -> str:
    """A number and its noun.

    Examples
    --------
    >>> count(1, "feature").replace(NBSP, " "), count(2, "class", "classes").replace(NBSP, " ")
    ('1 feature', '2 classes')
    """
    return f"{n}{NBSP}{noun if n == 1 else plural or noun + 's'}"


def named(names: Sequence[str], most: int = 60) -> str:
    """Names, the first ones only if nobody would read them all.

    Examples
    --------
    >>> named(["age", "crp"]), named(["age", "crp", "ldl"], most=2)
    ('age, crp', 'age, crp and 1 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more


def shorten(name: str, most: int = 60) -> str:
    """A name with its middle left out if it is too long: ends tell columns apart.

    Examples
    --------
    >>> shorten("mean radius"), shorten("a" * 50 + "b" * 50, most=11)
    ('mean radius', 'aaaaa…bbbbb')
    """
    if len(name) <= most:
        return name
    half = (most - 1) // 2
    return f"{name[:half]}…{name[-half:]}"


def spreadsheet_text(text: str) -> str:
    """A text that no spreadsheet runs as a formula: an apostrophe before what would be one.

    Numbers stay as they are, and so do texts such as +ve, which are common classes: after a sign a
    formula can do harm only by calling a function or another program, for which it needs a bracket,
    a bar or an exclamation mark.

    Examples
    --------
    >>> [spreadsheet_text(text) for text in ("=cmd()", "-5", "+ve", "-1+cmd|'/c'!A0")]
    ["'=cmd()", '-5', '+ve', "'-1+cmd|'/c'!A0"]
    """
    first = text.lstrip()[:1]
    runs = first in ("=", "@") or (first in ("+", "-") and any(c in text for c in "(|!"))
    return f"'{text}" if runs else text


def plain(text: str) -> str:
    """A text with ordinary spaces, for a terminal.

    Examples
    --------
    >>> plain(percent(0.0589))
    '5.9 %'
    """
    return text.replace(NBSP, " ")


def _trim(text: str) -> str:
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("-0", "") else text
