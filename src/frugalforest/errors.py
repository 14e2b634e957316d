"""The errors a caller can fix, each a ``ValueError``.

::

    ValueError
    ├── DataError      the table or the target cannot be used as it is
    ├── CostError      the price list does not fit the table, or is not a price list
    │   └── SeveralProblemsError   several of both (it is a DataError, too)
    ├── BudgetError    the budget buys nothing, or less than what is required
    └── RunError       the work cannot be done: processes are killed, or there is no cluster

Each message says what is wrong, where, and what to do about it.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

__all__ = ["BudgetError", "CostError", "DataError", "Problems", "RunError", "SeveralProblemsError"]


class DataError(ValueError):
    """The table or the target cannot be used as it is."""


class CostError(ValueError):
    """The price list does not fit the table, or is not a price list."""


class BudgetError(ValueError):
    """The budget buys nothing, or less than what is required."""


class RunError(ValueError):
    """The work cannot be done: its processes are killed, or there is no cluster."""


class SeveralProblemsError(DataError, CostError):
    """Several things are wrong; `messages` has a line for each."""

    def __init__(self, messages: Sequence[str]) -> None:
        super().__init__(f"{len(messages)} problems:\n" + "\n".join(messages))
        self.messages = tuple(messages)


class Problems:
    """Errors that are collected while reading goes on, to be raised together.

    Examples
    --------
    >>> problems = Problems()
    >>> for text in ["1", "two", "three"]:
    ...     with problems.noted():
    ...         if not text.isdigit():
    ...             raise DataError(f"{text!r} is no number")
    >>> problems.messages
    ["'two' is no number", "'three' is no number"]
    """

    def __init__(self) -> None:
        self._errors: list[ValueError] = []

    @property
    def messages(self) -> list[str]:
        """What is wrong, a line each. What is found by two ways is said once."""
        found = [getattr(error, "messages", (str(error),)) for error in self._errors]
        return list(dict.fromkeys(message for messages in found for message in messages))

    @contextmanager
    def noted(self) -> Iterator[None]:
        """Note what is raised, and go on."""
        try:
            yield
        except (BudgetError, CostError, DataError) as error:
            self._errors.append(error)

    def raise_all(self) -> None:
        """Raise the one error as it is, or several as one; nothing if there are none."""
        if self._errors and (len(self._errors) == 1 or len(self.messages) == 1):
            raise self._errors[0]
        if self._errors:
            raise SeveralProblemsError(self.messages)
