"""What is said of a score: how its values are written, and how sentences speak of them.

Inside, every score is the lower the better. People know the AUC the other way round: where it is
written it is the AUC, and where it is drawn it is 1 − AUC.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

from frugalforest.words.formats import MINUS, NBSP, decimal, money, percent, points

__all__ = ["ScoreFacts", "ScoreWords", "know_words"]

# How values are written: as a share of rows, as money, as one minus themselves, as a number between
# 0 and 1 or so, or as an amount of what is predicted.
Style = Literal["percent", "money", "complement", "decimal", "amount"]


@dataclass(frozen=True)
class ScoreWords:
    """How a score is spoken of.

    Attributes
    ----------
    noun : str
        What it is called.
    meaning : str
        What it is, in a few words for a protocol.
    style : str
        How its values are written.
    expected : str
        What is expected of a model, after "is expected to".
    of_nothing : str
        What comes of measuring nothing.
    doing_nothing : str
        What somebody does who measures nothing. `{}` stands for a value, here for the answer.
    """

    noun: str
    meaning: str
    style: Style = "decimal"
    expected: str = ""
    of_nothing: str = ""
    doing_nothing: str = "guessing by how common the classes are"


_words: dict[str, ScoreWords] = {}
# Sounds, and R is one: an R², but a root.
_AFTER_AN = (*"aeiouA", "R²")


def know_words(name: str, words: ScoreWords) -> None:
    """Remember how a score is spoken of."""
    _words[name] = words


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
    def words(self) -> ScoreWords:
        """How it is spoken of: by its name, where nobody said."""
        return _words.get(self.name, ScoreWords(self.name, self.label))

    @property
    def noun(self) -> str:
        """What it is called."""
        return self.words.noun

    @property
    def title(self) -> str:
        """What it is called at the beginning of a line."""
        return self.noun[0].upper() + self.noun[1:]

    @property
    def with_article(self) -> str:
        """What it is called, one of it."""
        return f"{'an' if self.noun.startswith(_AFTER_AN) else 'a'} {self.noun}"

    @property
    def meaning(self) -> str:
        """What it is, in a few words for a protocol."""
        return self.words.meaning

    @property
    def on_axis(self) -> str:
        """What it is called where lower is better: on an axis."""
        return f"1{NBSP}{MINUS}{NBSP}{self.noun}" if self.better_is_higher else self.noun

    @property
    def in_percent(self) -> bool:
        """Whether it is a share of rows."""
        return self.words.style == "percent"

    @property
    def is_cost(self) -> bool:
        """Whether it is an amount of money."""
        return self.words.style == "money"

    @property
    def better_is_higher(self) -> bool:
        """Whether what is written rises when the score falls."""
        return self.words.style == "complement"

    @property
    def decimals(self) -> int:
        """How many are written of every value: amounts as many as three digits of guessing have."""
        if self.words.style != "amount" or not 0 < abs(self.of_nothing) < math.inf:
            return 2 if self.is_cost else 3
        return max(0, 2 - math.floor(math.log10(abs(self.of_nothing))))

    @property
    def smallest(self) -> float:
        """The smallest change that is written: a tenth of a percentage point, a hundredth."""
        return float(f"1e-{self.decimals}")

    @property
    def smallest_span(self) -> float:
        """What an axis holds at least, so that rounding does not fill it."""
        return 20 * self.smallest if self.words.style == "amount" else 0.02

    def text(self, value: float, currency: str = "") -> str:
        """A value, with its unit.

        Examples
        --------
        >>> ScoreFacts("rmse", "out-of-bag root mean squared error", 77.1).text(54.26)
        '54.3'
        """
        if self.in_percent:
            return percent(value)
        if self.is_cost:
            return money(value, currency)
        if self.words.style == "amount":
            return f"{value:,.{self.decimals}f}"
        return f"{1 - value:.3f}".replace("-", MINUS) if self.better_is_higher else decimal(value)

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
        return money(amount, currency) if self.is_cost else f"{amount:,.{self.decimals}f}"

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
        return round(after, self.decimals) - round(before, self.decimals)

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
        if float(text.replace(",", "")) == 0:
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
        said = self.words.expected or f"have {self.with_article} of {{}} on new cases"
        return said.format(self.text(value, currency))

    def doing_nothing(self, answer: str) -> str:
        """What somebody does who measures nothing. `answer` is what the error calls for.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).doing_nothing("no")
        'always answering ‘no’'
        """
        return self.words.doing_nothing.format(answer)

    def comes_of_nothing(self, currency: str = "") -> str:
        """What would come of that.

        Examples
        --------
        >>> ScoreFacts("error", "out-of-bag error", 0.4).comes_of_nothing().replace(NBSP, " ")
        'would be wrong for 40.0 %'
        """
        said = self.words.of_nothing or f"would have {self.with_article} of {{}}"
        return said.format(self.text(self.of_nothing, currency))
