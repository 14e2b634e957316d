"""Scores of classes: from the votes or class shares of a forest to what each row loses."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from frugalforest.scores.base import NUMBER_SCORES, SCORES, Score, register_score
from frugalforest.scores.decisions import DecisionRule, decided, loss_of_errors
from frugalforest.scores.error_costs import ErrorCosts
from frugalforest.scores.facts import ScoreWords
from frugalforest.tables import Task

__all__ = ["ERROR", "ClassScore", "as_class_score", "check_scoring", "find_score"]

# Of shares that are put in order.
_DIGITS = 12

Labels = NDArray[np.integer[Any]]
Counts = NDArray[np.integer[Any]]


@dataclass(frozen=True)
class ClassScore(Score):
    """A score of votes or class shares.

    The truth of a row is its label; what is known without measuring is how common the classes are,
    rows of each class.
    """

    task: ClassVar[Task] = "classification"
    evidence: ClassVar[Literal["votes", "shares"]] = "shares"

    def guess(self, known: Counts, n_rows: int) -> NDArray[Any]:
        """How common the classes are, as if these were votes."""
        return np.tile(known, (n_rows, 1))

    def of_rows(self, evidence: NDArray[Any], truth: Labels, known: Counts) -> float:
        """The score; rows without a vote are left out. NaN if there is no other row."""
        voted = np.isfinite(evidence).all(axis=1) & (evidence.sum(axis=1) > 0)
        if not voted.any():
            return float("nan")
        return float(self.row_losses(evidence[voted], truth[voted], known).mean())

    def of_nothing(self, known: Counts) -> float:
        """The score of whoever measures nothing and knows how common the classes are."""
        labels = np.repeat(np.arange(len(known)), known)
        return float(self.row_losses(self.guess(known, len(labels)), labels, known).mean())

    def losses(self, counts: Counts) -> NDArray[np.float64]:
        """Loss of a case of each class (rows) that is called each class (columns).

        What decisions minimise. Scores of shares alone decide as the error does.
        """
        return loss_of_errors(len(counts))

    def rule(self, counts: Counts) -> DecisionRule:
        """How a forest predicts that was chosen by this score."""
        losses = self.losses(counts)
        same = np.array_equal(losses, loss_of_errors(len(counts)))
        return DecisionRule(self.evidence, losses=None if same else _as_tuples(losses))

    def error_weights(self, counts: Counts) -> NDArray[np.float64]:
        """What an error in a row of each class counts, where only errors can be counted."""
        return np.ones(len(counts))

    def highest(self, width: int) -> float:
        """The largest value it can have, for so many classes."""
        return 1.0


@register_score
@dataclass(frozen=True)
class Error(ClassScore):
    """Share of rows that the majority of votes gets wrong; 1 − 1/t of a row if t classes lead.

    Examples
    --------
    >>> votes = np.array([[3, 1], [2, 2], [0, 4]])
    >>> Error().row_losses(votes, np.array([1, 0, 1]), np.array([1, 2]))
    array([1. , 0.5, 0. ])
    """

    name: ClassVar[str] = "error"
    label: ClassVar[str] = "out-of-bag error"
    words: ClassVar[ScoreWords] = ScoreWords(
        "error",
        "the mean share of test rows misclassified (a tied vote counts in part)",
        style="percent",
        expected="be wrong for {} of new cases",
        of_nothing="would be wrong for {}",
        doing_nothing="always answering ‘{}’",
    )
    evidence: ClassVar[Literal["votes", "shares"]] = "votes"
    has_grades: ClassVar[bool] = True

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """0, 1, or between them for a tie."""
        return _wrong(decided(evidence, self.losses(counts)), labels)

    @property
    def of_shares(self) -> Score:
        """The Brier score."""
        return Brier()


@register_score
@dataclass(frozen=True)
class BalancedError(ClassScore):
    """Mean over classes of the share of their rows that are got wrong.

    The class is predicted whose share exceeds its share of the training rows most.

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.7, 0.3], [0.9, 0.1], [0.7, 0.3]])
    >>> labels, counts = np.array([0, 0, 0, 1]), np.array([3, 1])
    >>> losses = BalancedError().row_losses(shares, labels, counts)
    >>> float(losses.mean())  # one of the three is wrong: (1/3 + 0) / 2
    0.16666666666666666
    """

    # Rows of each class by which rows are weighed; None for those at hand.
    weighed_by: tuple[int, ...] | None = None

    name: ClassVar[str] = "balanced_error"
    label: ClassVar[str] = "out-of-bag balanced error"
    words: ClassVar[ScoreWords] = ScoreWords(
        "balanced error",
        "the mean over classes of the share of their test rows misclassified, where the class is "
        "predicted whose share of the leaves exceeds its share of the rows most",
        style="percent",
    )
    guessing_is_even: ClassVar[bool] = True

    def for_rows(self, counts: Counts) -> Score:
        """With fixed weights: a small class has a larger part of small tests."""
        return replace(self, weighed_by=tuple(counts.tolist()))

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """Errors, each weighted by how rare its class is among these rows."""
        wrong = _wrong(decided(evidence, self.losses(counts)), labels)
        own = np.bincount(labels, minlength=len(counts))
        weighed_by = own if self.weighed_by is None else np.array(self.weighed_by)
        return np.asarray(wrong * _rarity(weighed_by)[labels])

    def losses(self, counts: Counts) -> NDArray[np.float64]:
        """An error counts as much more as its class is rarer."""
        return loss_of_errors(len(counts)) * _rarity(counts)[:, np.newaxis]

    def error_weights(self, counts: Counts) -> NDArray[np.float64]:
        """The rarer the class, the more."""
        return _rarity(counts)

    @property
    def of_shares(self) -> ClassScore:
        """The Brier score, with the same weights of the classes."""
        return WeightedBrier(self)


@register_score
@dataclass(frozen=True)
class AUC(ClassScore):
    """One minus the area under the ROC curve; for several classes, the mean over pairs of them.

    That is how often a case of one class and a case of another are put in the wrong order by the
    share of the first class (Hand and Till 2001); a tie counts ½. A row's loss is its part in
    that, scaled so that the variance of the mean is that of DeLong, DeLong and Clarke-Pearson
    (1988).

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.6, 0.4], [0.7, 0.3], [0.2, 0.8]])
    >>> float(AUC().row_losses(shares, np.array([0, 0, 1, 1]), np.array([2, 2])).mean())
    0.25
    """

    name: ClassVar[str] = "auc"
    label: ClassVar[str] = "out-of-bag 1 − AUC"
    words: ClassVar[ScoreWords] = ScoreWords(
        "AUC",
        "the area under the ROC curve of the mean class shares of the leaves on test rows (for "
        "more than two classes, the mean over pairs of classes; Hand and Till 2001)",
        style="complement",
    )
    guessing_is_even: ClassVar[bool] = True

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """The mean, and by how much the row's own part in it differs."""
        # Shares that differ by rounding are tied.
        shares = np.round(evidence / evidence.sum(axis=1, keepdims=True), _DIGITS)
        members = [np.flatnonzero(labels == k) for k in range(len(counts))]
        present = [k for k, rows in enumerate(members) if len(rows)]
        pairs = [(a, b) for a in present for b in present if a != b]
        if not pairs:
            return np.full(len(labels), 0.5)  # one class alone: there is nothing to put in order
        mean = 0.0
        own = np.zeros(len(labels))
        for a, b in pairs:
            above, below = shares[members[a], a], shares[members[b], a]
            lost = 1 - _below(above, np.sort(below))
            mean += lost.mean() / len(pairs)
            for rows, part in ((members[a], lost), (members[b], _below(below, np.sort(above)))):
                own[rows] += (part - lost.mean()) * len(labels) / len(rows) / len(pairs)
        return np.asarray(mean + own)

    def error_weights(self, counts: Counts) -> NDArray[np.float64]:
        """As for the balanced error, which is 1 − AUC of a tree that only names classes."""
        return _rarity(counts)


@register_score
@dataclass(frozen=True)
class Brier(ClassScore):
    """Squared distance of the class shares from the truth; for two classes half of it, (p − y)².

    Examples
    --------
    >>> shares = np.array([[0.9, 0.1], [0.5, 0.5]])
    >>> Brier().row_losses(shares, np.array([0, 1]), np.array([1, 1])).round(4)
    array([0.01, 0.25])
    """

    name: ClassVar[str] = "brier"
    label: ClassVar[str] = "out-of-bag Brier score"
    words: ClassVar[ScoreWords] = ScoreWords(
        "Brier score",
        "the mean squared distance of the mean class shares of the leaves from the truth on test "
        "rows (for two classes, half of it)",
    )

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """The squared distance of each row."""
        return squared_distances(evidence, labels)

    def highest(self, n_classes: int) -> float:
        """All of the share on a wrong class."""
        return 1.0 if n_classes == 2 else 2.0


@dataclass(frozen=True)
class WeightedBrier(Brier):
    """The Brier score with rows weighted by what errors in their class count for another score."""

    other: ClassScore

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """The squared distance of each row, times the weight of its class."""
        return squared_distances(evidence, labels) * self.other.error_weights(counts)[labels]


@register_score
@dataclass(frozen=True)
class LogLoss(ClassScore):
    """Minus the logarithm of the share of the true class; shares are smoothed, so that none is 0.

    Examples
    --------
    >>> shares = np.array([[0.5, 0.5], [1.0, 0.0]])
    >>> LogLoss().row_losses(shares, np.array([0, 1]), np.array([1, 1])).round(3)
    array([0.693, 6.91 ])
    """

    name: ClassVar[str] = "log_loss"
    label: ClassVar[str] = "out-of-bag log loss"
    words: ClassVar[ScoreWords] = ScoreWords(
        "log loss",
        "the mean of minus the logarithm of the share of the true class on test rows, shares "
        "smoothed by a thousandth for each class",
    )

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """How surprising the truth was."""
        shares = self.rule(counts).probabilities(evidence)
        return np.asarray(-np.log(shares[np.arange(len(labels)), labels]))

    def rule(self, counts: Counts) -> DecisionRule:
        """As for the error, with smoothed probabilities."""
        return DecisionRule(self.evidence, smoothed=True)

    def highest(self, n_classes: int) -> float:
        """Nothing of the share on the true class, but for the smoothing."""
        shares = DecisionRule(smoothed=True).probabilities(np.eye(n_classes))
        return float(-np.log(shares.min()))


@register_score
@dataclass(frozen=True)
class Cost(ClassScore):
    """What errors cost for each case, in the unit of the prices.

    Examples
    --------
    >>> score = Cost(ErrorCosts(((0.0, 1.0), (5.0, 0.0))))
    >>> shares, labels = np.array([[0.7, 0.3], [0.9, 0.1]]), np.array([0, 1])
    >>> score.row_losses(shares, labels, np.array([1, 1]))
    array([1., 5.])
    """

    error_costs: ErrorCosts

    name: ClassVar[str] = "cost"
    label: ClassVar[str] = "out-of-bag cost of errors"
    words: ClassVar[ScoreWords] = ScoreWords(
        "cost of errors",
        "the mean cost of what is predicted for test rows, where the class with the lowest "
        "expected cost is predicted by the mean class shares of the leaves",
        style="money",
        expected="make errors that cost {} for each new case",
        of_nothing="would cost {} for each case",
        doing_nothing="always giving the cheapest answer",
    )

    def row_losses(
        self, evidence: NDArray[Any], labels: Labels, counts: Counts
    ) -> NDArray[np.float64]:
        """What the decision for each row costs."""
        losses = self.losses(counts)
        return np.asarray((decided(evidence, losses) * losses[labels]).sum(axis=1))

    def losses(self, counts: Counts) -> NDArray[np.float64]:
        """As they were given."""
        return np.array(self.error_costs.matrix)

    def error_weights(self, counts: Counts) -> NDArray[np.float64]:
        """What an error in each class costs more than a right answer, on average over errors."""
        losses = self.losses(counts)
        more = np.maximum(losses - losses.diagonal()[:, np.newaxis], 0.0)
        return np.asarray(more.sum(axis=1) / (len(counts) - 1))

    @property
    def of_shares(self) -> ClassScore:
        """The Brier score, with the same weights of the classes."""
        return WeightedBrier(self)

    def highest(self, n_classes: int) -> float:
        """The dearest error."""
        return float(np.max(self.error_costs.matrix))


ERROR = Error()


def as_class_score(score: Score) -> ClassScore:
    """A score, where it is one of classes. What asks for it knows no other kind."""
    if not isinstance(score, ClassScore):
        raise ValueError(f"{score.name!r} is a score of numbers, and here are classes.")
    return score


def find_score(
    scoring: object, error_costs: object = None, classes: tuple[Any, ...] | None = None
) -> ClassScore:
    """The score of classes that `scoring` names; by default what errors cost, if that is known.

    Parameters
    ----------
    scoring : str or None
    error_costs : number, mapping, ErrorCosts or None
        What errors cost; see `ErrorCosts.read`.
    classes : tuple
        The classes of the target, in order.

    Examples
    --------
    >>> find_score("brier").label
    'out-of-bag Brier score'
    >>> find_score(None, error_costs=500, classes=("ill", "well")).error_costs.matrix
    ((0.0, 500.0), (500.0, 0.0))
    """
    check_scoring(scoring, error_costs)
    if scoring is None:
        scoring = Error.name if error_costs is None else Cost.name
    if scoring not in tuple(SCORES):
        known = ", ".join(map(repr, SCORES))
        raise ValueError(
            f"`scoring` is {scoring!r}: it must be one of {known}, for classes. That is a score of "
            "numbers."
        )
    kind = SCORES[str(scoring)]
    if kind is Cost:
        return Cost(ErrorCosts.read(error_costs, () if classes is None else classes))
    found = kind()
    assert isinstance(found, ClassScore)  # because it is registered as one
    return found


def check_scoring(scoring: object, error_costs: object = None) -> None:
    """Refuse what is no score of anything, and prices of errors with another score than theirs."""
    if scoring is not None and scoring not in (*SCORES, *NUMBER_SCORES):
        classes, numbers = (", ".join(map(repr, of)) for of in (SCORES, NUMBER_SCORES))
        raise ValueError(
            f"`scoring` is {scoring!r}: it must be one of {classes}, for classes, or one of "
            f"{numbers}, for numbers."
        )
    if scoring == Cost.name and error_costs is None:
        raise ValueError("`scoring` is 'cost': give `error_costs`, what an error costs.")
    if scoring not in (None, Cost.name) and error_costs is not None:
        raise ValueError(
            f"`error_costs` is for `scoring` 'cost', and `scoring` is {scoring!r}: leave one out."
        )


def squared_distances(evidence: NDArray[Any], labels: Labels) -> NDArray[np.float64]:
    """Squared distance of each row's shares from the truth, for two classes half of it."""
    shares = evidence / evidence.sum(axis=1, keepdims=True)
    truth = np.eye(shares.shape[1])[labels]
    squares = ((shares - truth) ** 2).sum(axis=1)
    return np.asarray(squares / 2 if shares.shape[1] == 2 else squares)


def _wrong(decisions: NDArray[np.float64], labels: Labels) -> NDArray[np.float64]:
    return np.asarray(1 - decisions[np.arange(len(labels)), labels])


def _rarity(counts: Counts) -> NDArray[np.float64]:
    """How rare each class is: 1 for all if they are equally common; 0 for one without rows."""
    present = counts > 0
    return np.where(present, counts.sum() / (present.sum() * np.maximum(counts, 1)), 0.0)


def _below(values: NDArray[np.float64], ordered: NDArray[np.float64]) -> NDArray[np.float64]:
    """Share of `ordered` below each value; equal ones count ½."""
    left = np.searchsorted(ordered, values, side="left")
    right = np.searchsorted(ordered, values, side="right")
    return np.asarray((left + right) / (2 * len(ordered)))


def _as_tuples(matrix: NDArray[np.float64]) -> tuple[tuple[float, ...], ...]:
    return tuple(tuple(row) for row in matrix.tolist())
