"""The errors a caller can fix, each a ``ValueError``.

::

    ValueError
    ├── DataError      the table or the target cannot be used as it is
    ├── CostError      the price list does not fit the table, or is not a price list
    ├── BudgetError    the budget buys nothing, or less than what is required
    └── RunError       the work cannot be done: processes are killed, or there is no cluster

Each message says what is wrong, where, and what to do about it.
"""

__all__ = ["BudgetError", "CostError", "DataError", "RunError"]


class DataError(ValueError):
    """The table or the target cannot be used as it is."""


class CostError(ValueError):
    """The price list does not fit the table, or is not a price list."""


class BudgetError(ValueError):
    """The budget buys nothing, or less than what is required."""


class RunError(ValueError):
    """The work cannot be done: its processes are killed, or there is no cluster."""
