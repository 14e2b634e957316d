"""Budgets: what is one, what fits it, and what is left of it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import overload

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs._given import read_number, show
from frugalforest.errors import BudgetError

__all__ = ["BUDGET_TOLERANCE", "check_budget", "fits", "largest_of", "money_left"]

BUDGET_TOLERANCE = 1e-9


def check_budget(budget: object) -> float | None:
    """Return the budget as a float, or None for no limit.

    An infinite budget is no limit, too.

    Examples
    --------
    >>> check_budget(50)
    50.0
    >>> check_budget(None) is None
    True
    >>> check_budget(-1)
    Traceback (most recent call last):
    frugalforest.errors.BudgetError: `budget` is -1: it must be a number, 0 or more, or None for \
no limit.
    """
    if budget is None:
        return None
    amount = read_number(budget)
    if amount is None or math.isnan(amount) or amount < 0:
        raise BudgetError(
            f"`budget` is {show(budget)}: it must be a number, 0 or more, or None for no limit."
        )
    return None if math.isinf(amount) else amount


@overload
def fits(cost: float, budget: float | None) -> bool: ...
@overload
def fits(cost: NDArray[np.float64], budget: float | None) -> NDArray[np.bool_]: ...
def fits(cost: float | NDArray[np.float64], budget: float | None) -> bool | NDArray[np.bool_]:
    """Whether `cost` is within `budget`, up to rounding; for an array, one answer each.

    Examples
    --------
    >>> 0.1 + 0.2 <= 0.3
    False
    >>> fits(0.1 + 0.2, 0.3)
    True
    >>> fits(np.array([1.0, 3.0]), 2)
    array([ True, False])
    """
    limit = np.inf if budget is None else budget * (1 + BUDGET_TOLERANCE)
    if isinstance(cost, np.ndarray):
        return cost <= limit
    return bool(cost <= limit)


def largest_of(budgets: Iterable[float | None]) -> float | None:
    """The largest budget; None, no limit, is larger than all.

    Examples
    --------
    >>> largest_of([1.0, 5.0]), largest_of([1.0, None])
    (5.0, None)
    """
    limits = list(budgets)
    return None if None in limits else max(b for b in limits if b is not None)


def money_left(spent: float, budget: float | None) -> float:
    """The most that something may cost to fit, rounding allowed for; infinite without a limit.

    Examples
    --------
    >>> money_left(0.1, 0.3) >= 0.2, money_left(5, None)
    (True, inf)
    """
    return math.inf if budget is None else budget * (1 + BUDGET_TOLERANCE) - spent
