"""A budget: what fits it, and what is left of it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self, overload

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import BudgetError
from frugalforest.words.numerals import read_number
from frugalforest.words.wording import show

__all__ = ["BUDGET_TOLERANCE", "Budget"]

BUDGET_TOLERANCE = 1e-9


@dataclass(frozen=True, order=True)
class Budget:
    """The most that a set of features may cost. Without a limit it is infinite.

    Comparisons allow for rounding: 0.1 + 0.2 fits a budget of 0.3.

    Examples
    --------
    >>> budget = Budget.read(0.3)
    >>> 0.1 + 0.2 <= budget.limit, budget.fits(0.1 + 0.2)
    (False, True)
    >>> budget < Budget.read(None)
    True
    """

    limit: float = math.inf

    @classmethod
    def read(cls, budget: object) -> Self:
        """A budget as a caller gives it: a number, 0 or more, or None for no limit.

        Examples
        --------
        >>> Budget.read(50).limit, Budget.read(None).limit
        (50.0, inf)
        >>> Budget.read(-1)
        Traceback (most recent call last):
        frugalforest.errors.BudgetError: `budget` is -1: it must be a number, 0 or more, or None \
for no limit.
        """
        if budget is None:
            return cls()
        if isinstance(budget, cls):
            return budget
        amount = read_number(budget)
        if amount is None or math.isnan(amount) or amount < 0:
            raise BudgetError(
                f"`budget` is {show(budget)}: it must be a number, 0 or more, or None for no limit."
            )
        return cls(amount)

    @property
    def is_limited(self) -> bool:
        """Whether there is a limit at all."""
        return self.limit < math.inf

    @overload
    def fits(self, cost: float) -> bool: ...
    @overload
    def fits(self, cost: NDArray[np.float64]) -> NDArray[np.bool_]: ...
    def fits(self, cost: float | NDArray[np.float64]) -> bool | NDArray[np.bool_]:
        """Whether `cost` is within the budget; for an array, one answer each.

        Examples
        --------
        >>> Budget(2.0).fits(np.array([1.0, 3.0]))
        array([ True, False])
        """
        within = cost <= self.limit * (1 + BUDGET_TOLERANCE)
        return within if isinstance(within, np.ndarray) else bool(within)

    def left(self, spent: float) -> float:
        """The most that something may cost to fit beside what is `spent`.

        Examples
        --------
        >>> Budget(0.3).left(0.1) >= 0.2, Budget().left(5)
        (True, inf)
        """
        return self.limit * (1 + BUDGET_TOLERANCE) - spent
