"""Measurements written as text: with a unit, or beyond a limit of detection.

"54 µg" is 54 if all cells of the column have that unit. "<0.6" is below what can be detected: half
the limit stands for it. ">1000" is above what can be told: the limit itself stands for it.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["BELOW_LIMIT", "Amount", "Measured", "common_unit", "read_amount", "read_amounts"]

# Of a limit of detection, what stands for a value below it.
BELOW_LIMIT = 0.5

_AMOUNT = re.compile(
    r"(?P<limit>[<>]=?|[≤≥])?\s*"
    r"(?P<number>[+-]?(\d+([.,]\d+)?|[.,]\d+)([eE][+-]?\d+)?)\s*"
    r"(?P<unit>([%‰°]|[^\W\d_]).*)?"
)


class Amount(NamedTuple):
    """A measurement in its parts. `limit` is "<", ">" or empty."""

    limit: str
    number: str
    unit: str


@dataclass(frozen=True)
class Measured:
    """How a column of measurements was written: its unit, and how many cells are limits."""

    unit: str
    n_below: int
    n_above: int


def read_amount(text: str) -> Amount | None:
    """The parts of a measurement; None if a text is none.

    Examples
    --------
    >>> read_amount("54 µg"), read_amount("<0.6")
    (Amount(limit='', number='54', unit='μg'), Amount(limit='<', number='0.6', unit=''))
    >>> read_amount("12/31/2024"), read_amount("about 5")
    (None, None)
    """
    found = _AMOUNT.fullmatch(text)
    if found is None:
        return None
    limit = (found["limit"] or "").replace("≤", "<").replace("≥", ">")[:1]
    # One sign for micro, and for squares and cubes, of the two that there are.
    unit = unicodedata.normalize("NFKC", " ".join((found["unit"] or "").split()))
    return Amount(limit, found["number"], unit)


def common_unit(texts: Sequence[str]) -> str | None:
    """The unit that most texts have, which may be empty; None if none is a measurement."""
    units = Counter(amount.unit for amount in map(read_amount, texts) if amount is not None)
    return units.most_common(1)[0][0] if units else None


def read_amounts(
    texts: Sequence[str],
    readers: Sequence[Callable[[Sequence[str]], list[float]]],
    units: Collection[str] | None = None,
    below: float = BELOW_LIMIT,
) -> tuple[list[Amount], list[float], int] | None:
    """The parts and the values of measurements, and the reader of their numbers.

    None if one text is no measurement, or they have not all the same unit.

    Parameters
    ----------
    texts : sequence of str
    readers : sequence of callable
        What makes numbers of texts, or raises ValueError; the first that can is taken.
    units : collection of str, optional
        Units that each of them may have, in place of one for all.
    below : float
        Of a limit, what stands for a value below it.
    """
    amounts = []
    for text in texts:
        amount = read_amount(text)
        if amount is None or (amount.unit not in units if units is not None else False):
            return None
        amounts.append(amount)
    if not amounts or (units is None and len({amount.unit for amount in amounts}) > 1):
        return None
    for i, read in enumerate(readers):
        with suppress(ValueError):
            numbers = read([amount.number for amount in amounts])
            # Half of what is not above 0 would not be below it.
            values = [
                below * number if amount.limit == "<" and number > 0 else number
                for amount, number in zip(amounts, numbers, strict=True)
            ]
            return amounts, values, i
    return None
