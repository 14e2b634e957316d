"""What a case costs in all: the price of the measurements and the expected cost of errors."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

__all__ = ["Total", "cheapest", "range_of_error_prices"]


@dataclass(frozen=True)
class Total:
    """What a case costs with the set of one budget, or without measuring anything.

    Attributes
    ----------
    budget : float or None
        None for nothing.
    price : float
        Of the measurements.
    errors, low, high : float
        Expected cost of errors, with the ends of its 95 % interval; NaN if that is not known.
    """

    budget: float | None
    price: float
    errors: float
    low: float
    high: float

    @property
    def total(self) -> float:
        """Both together."""
        return self.price + self.errors


def cheapest(totals: Sequence[Total]) -> Total:
    """The lowest total; of equal ones, that of the cheapest measurements.

    Examples
    --------
    >>> nothing, panel = Total(None, 0, 75, 75, 75), Total(80, 60, 9, 5, 13)
    >>> cheapest([nothing, panel]).total
    69
    """
    least = min(t.total for t in totals)
    tied = [t for t in totals if math.isclose(t.total, least, rel_tol=1e-9, abs_tol=1e-12)]
    return min(tied, key=lambda t: t.price)


def range_of_error_prices(chosen: Total, others: Sequence[Total]) -> tuple[float, float]:
    """Between which factors all error costs may be multiplied before another set is cheaper.

    Decisions do not change with the factor, so the expected cost of errors is in proportion to it.

    Examples
    --------
    >>> nothing, panel = Total(None, 0, 75, 75, 75), Total(80, 60, 9, 5, 13)
    >>> low, high = range_of_error_prices(panel, [nothing])
    >>> round(low, 3), high
    (0.909, inf)
    """
    low, high = 0.0, math.inf
    for other in others:
        more_errors, more_price = other.errors - chosen.errors, other.price - chosen.price
        if more_errors > 0:
            low = max(low, -more_price / more_errors)
        elif more_errors < 0:
            high = min(high, more_price / -more_errors)
    return low, high
