"""By which score a design is run: the sets are chosen by it, and measured by it on the test rows.

Results by different scores are never compared: the score is part of what a unit is, so each has
its own rows in a store, and tables and figures are of one score and say which.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from frugalforest.scores import SCORES, Cost, Error, Score, find_score

__all__ = ["BY_ERROR", "Scoring"]

# What columns of tables are called by. A price is a cost there, and 1 − AUC falls as AUC rises.
_COLUMNS = {"auc": "one_minus_auc", Cost.name: "error_cost"}


@dataclass(frozen=True)
class Scoring:
    """A score of the study, the lower the better.

    Attributes
    ----------
    name : str
        As in `SCORES`.
    error_cost : float or None
        What any error costs, of the score "cost" alone.

    Examples
    --------
    >>> Scoring("auc").label, Scoring("auc").column, Scoring("cost", 5.0).suffix
    ('1 − AUC', 'one_minus_auc', '-cost-5')
    """

    name: str = Error.name
    error_cost: float | None = None

    def score(self, classes: tuple[Any, ...]) -> Score:
        """The score for a target of these classes."""
        return find_score(self.name, self.error_cost, classes)

    @property
    def label(self) -> str:
        """The score in figures; the error is called as in the paper."""
        if self == BY_ERROR:
            return "MMCE"
        label = SCORES[self.name].label.removeprefix("out-of-bag ")
        return label if self.error_cost is None else f"{label}, {self.error_cost:g} each"

    @property
    def column(self) -> str:
        """The score in names of columns."""
        return _COLUMNS.get(self.name, self.name)

    @property
    def suffix(self) -> str:
        """What tells names of units, stores and folders from those by the error."""
        if self == BY_ERROR:
            return ""
        amount = "" if self.error_cost is None else f"-{self.error_cost:g}"
        return f"-{self.name}{amount}"

    @property
    def ranked_by(self) -> str:
        """What ranks in figures are by; the paper's need no word."""
        return "" if self == BY_ERROR else f" by {self.label}"


BY_ERROR = Scoring()
