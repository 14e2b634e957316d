"""What is said of a score: how its values are written, and how sentences speak of them.

Inside, every score is the lower the better. People know the AUC the other way round: where it is
written it is the AUC, and where it is drawn it is 1 − AUC.
"""

from __future__ import annotations

from dataclasses import dataclass

from frugalforest.words.formats import MINUS, NBSP, decimal, money, percent, points

__all__ = ["ScoreFacts"]

_NOUNS = {
    "error": "error",
    "balanced_error": "balanced error",
    "auc": "AUC",
    "brier": "Brier score",
    "log_loss": "log loss",
    "cost": "cost of errors",
}
_MEANINGS = {
    "error": "the mean share of test rows misclassified (a tied vote counts in part)",
    "balanced_error": "the mean over classes of the share of their test rows misclassified, where "
    "the class is predicted whose share of the leaves exceeds its share of the rows most",
    "auc": "the area under the ROC curve of the mean class shares of the leaves on test rows (for "
    "more than two classes, the mean over pairs of classes; Hand and Till 2001)",
    "brier": "the mean squared distance of the mean class shares of the leaves from the truth on "
    "test rows (for two classes, half of it)",
    "log_loss": "the mean of minus the logarithm of the share of the true class on test rows, "
    "shares smoothed by a thousandth for each class",
    "cost": "the mean cost of what is predicted for test rows, where the class with the lowest "
    "expected cost is predicted by the mean class shares of the leaves",
}


@dataclass(frozen=True)
class ScoreFacts:
    """The score that sets were chosen by: what it is called, how it is written.

    Attributes
    ----------
    name : str
        As callers write it: `scoring=`.
    label : str
        What the selection score is called.
    of_nothing : float
        The score of whoever measures nothing.
    error_costs : tuple of tuple of float
        What a case of each class (outer) costs that is called each class (inner); empty unless the
        score is that cost.

    Examples
    --------
    >>> ScoreFacts("brier", "out-of-bag Brier score", 0.24).text(0.05713)
    '0.0571'
    >>> ScoreFacts("auc", "out-of-bag 1 − AUC", 0.5).text(0.125)
    '0.875'
    """

    name: str
    label: str
    of_nothing: float
    error_costs: tuple[tuple[float, ...], ...] = ()

    @property
    def noun(self) -> str:
        """What it is called."""
        return _NOUNS.get(self.name, self.name)

    @property
    def title(self) -> str:
        """What it is called at the beginning of a line."""
        return self.noun[0].upper() + self.noun[1:]

    @property
    def meaning(self) -> str:
        """What it is, in a few words for a protocol."""
        return _MEANINGS.get(self.name, self.label)

    @property
    def on_axis(self) -> str:
        """What it is called where lower is better: on an axis."""
        return f"1{NBSP}{MINUS}{NBSP}AUC" if self.name == "auc" else self.noun

    @property
    def in_percent(self) -> bool:
        """Whether it is a share of rows."""
        return self.name in ("error", "balanced_error")

    @property
    def is_cost(self) -> bool:
        """Whether it is an amount of money."""
        return self.name == "cost"

    @property
    def better_is_higher(self) -> bool:
        """Whether what is written rises when the score falls."""
        return self.name == "auc"

    @property
    def smallest(self) -> float:
        """The smallest change that is written: a tenth of a percentage point, a hundredth."""
        return 0.01 if self.is_cost else 0.001

    def text(self, value: float, currency: str = "") -> str:
        """A value, with its unit."""
        if self.in_percent:
            return percent(value)
        if self.is_cost:
            return money(value, currency)
        return f"{1 - value:.3f}" if self.better_is_higher else decimal(value)

    def interval(self, low: float, high: float, currency: str = "") -> str:
        """Two ends of an interval, the lower first.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).interval(0.041, 0.0768).replace(NBSP, " ")
        '4.1 to 7.7 %'
        >>> ScoreFacts("auc", "out-of-bag 1 − AUC", 0.5).interval(0.1, 0.2)
        '0.800 to 0.900'
        """
        ends = (high, low) if self.better_is_higher else (low, high)
        if self.in_percent:
            return f"{100 * low:.1f} to {percent(high)}"
        return f"{self.text(ends[0], currency)} to {self.text(ends[1])}"

    def size(self, amount: float, currency: str = "") -> str:
        """A difference without its sign.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).size(0.0123).replace(NBSP, " ")
        '1.2 percentage points'
        """
        if self.in_percent:
            return f"{100 * amount:.1f}{NBSP}percentage points"
        return money(amount, currency) if self.is_cost else f"{amount:.3f}"

    def change(self, change: float, currency: str = "") -> str:
        """A change of the score in words.

        Examples
        --------
        >>> ScoreFacts("auc", "out-of-bag 1 − AUC", 0.5).change(0.02)
        '0.020 less'
        """
        size = self.size(abs(change), currency)
        if not any(digit in "123456789" for digit in size):
            return "no change to speak of"
        return f"{size} {'more' if (change > 0) != self.better_is_higher else 'less'}"

    def written_change(self, before: float, after: float) -> float:
        """The change from one value to another as both are written.

        Examples
        --------
        >>> score = ScoreFacts("error", "out-of-bag error", 0.4)
        >>> score.signed(score.written_change(0.1736, 0.2484)), score.signed(0.2484 - 0.1736)
        ('+7.4', '+7.5')
        """
        digits = 2 if self.is_cost else 3
        return round(after, digits) - round(before, digits)

    def signed(self, change: float, digits: int | None = None) -> str:
        """A change with its sign, without a unit: percentage points for shares.

        Examples
        --------
        >>> ScoreFacts("auc", "out-of-bag 1 − AUC", 0.5).signed(0.02)
        '−0.020'
        """
        if self.in_percent:
            return points(change, digits)
        change = -change if self.better_is_higher else change
        text = self.size(abs(change)) if digits is None else decimal(abs(change), digits)
        if float(text) == 0:
            return text
        return ("+" if change > 0 else MINUS) + text

    @property
    def unit_of_change(self) -> str:
        """What changes are in: "percentage points of " and the like, before a noun."""
        return "percentage points of " if self.in_percent else ""

    def expected(self, value: float, currency: str = "") -> str:
        """What is expected of a model, after "is expected to".

        Examples
        --------
        >>> ScoreFacts("brier", "out-of-bag Brier score", 0.24).expected(0.1)
        'have a Brier score of 0.1 on new cases'
        """
        text = self.text(value, currency)
        if self.name == "error":
            return f"be wrong for {text} of new cases"
        if self.is_cost:
            return f"make errors that cost {text} for each new case"
        article = "an" if self.noun[0] in "aeiouA" else "a"
        return f"have {article} {self.noun} of {text} on new cases"

    def doing_nothing(self, commonest: str) -> str:
        """What somebody does who measures nothing.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).doing_nothing("no")
        'always answering ‘no’'
        """
        if self.name == "error":
            return f"always answering ‘{commonest}’"
        if self.is_cost:
            return "always giving the cheapest answer"
        return "guessing by how common the classes are"

    def comes_of_nothing(self, currency: str = "") -> str:
        """What would come of that.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).comes_of_nothing().replace(NBSP, " ")
        'would be wrong for 40.0 %'
        """
        text = self.text(self.of_nothing, currency)
        if self.name == "error":
            return f"would be wrong for {text}"
        if self.is_cost:
            return f"would cost {text} for each case"
        return f"would have {'an' if self.noun[0] in 'aeiouA' else 'a'} {self.noun} of {text}"
