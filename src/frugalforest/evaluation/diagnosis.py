"""What a forest gets right and wrong on rows left out: the figures that a clinician reads.

All of them are means over cases that took no part in the choice, with the same weights as the
honest error, so they agree with it: where the score is the error, it is one minus the diagonal of
the confusion matrix. Shares of cases have Wilson intervals, in which each case counts once however
many resamples left it out, and cases of one group, such as visits of one patient, for no more than
they tell.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.row_groups import RowGroups, effective_number, se_of_mean
from frugalforest.scores import AUC, Brier, ClassScore, Score, decided

__all__ = ["Diagnosis", "Effective", "Figure", "LeftOutCases", "diagnose", "rarest_class"]

_NORMAL = 1.959963984540054  # 95 % of a normal distribution lie within so many standard deviations
_BINS = 1000  # of shares, for curves
_ROC_STEP = 0.01  # a corner of the curve is kept if it is so far from the last
_GROUPS = 10  # points of the reliability curve
_FEW_CASES = 20  # of a class: too few to say by themselves how far an AUC may be off


@dataclass(frozen=True)
class Figure:
    """A number with its 95 % interval; NaN where that is not known."""

    value: float
    low: float
    high: float

    @classmethod
    def of_share(cls, share: float, n: float) -> Figure:
        """A share of `n` cases, with Wilson's interval.

        Examples
        --------
        >>> figure = Figure.of_share(1.0, 20)
        >>> figure.value, round(figure.low, 3), figure.high
        (1.0, 0.839, 1.0)
        """
        if not n > 0:
            return cls(share, math.nan, math.nan)
        z = _NORMAL**2 / n
        middle = (share + z / 2) / (1 + z)
        reach = math.sqrt(max(0.0, share * (1 - share) * z + z * z / 4)) / (1 + z)
        return cls(
            share, min(share, max(0.0, middle - reach)), max(share, min(1.0, middle + reach))
        )

    @classmethod
    def of_mean(cls, mean: float, se: float, most: float = 1.0) -> Figure:
        """A mean with its standard error; no interval if that is 0."""
        if not se > 0:
            return cls(mean, math.nan, math.nan)
        return cls(mean, max(0.0, mean - _NORMAL * se), min(most, mean + _NORMAL * se))

    @property
    def complement(self) -> Figure:
        """One minus it."""
        return Figure(1 - self.value, 1 - self.high, 1 - self.low)


@dataclass(frozen=True)
class Effective:
    """So many independent cases tell shares as well as cases do that come in groups.

    Attributes
    ----------
    called : tuple of tuple of float
        For the share of the cases of a class (outer) that are called a class (inner).
    others : tuple of float
        For each class: for the share of the others that are not called it.
    observed : tuple of float
        For how common each class is.
    """

    called: tuple[tuple[float, ...], ...]
    others: tuple[float, ...]
    observed: tuple[float, ...]

    @classmethod
    def of(
        cls, decisions: NDArray[np.float64], labels: NDArray[np.intp], groups: RowGroups
    ) -> Effective:
        """From the share of the forests that called each case each class."""
        classes = range(decisions.shape[1])

        def number(rows: NDArray[np.bool_], values: NDArray[np.float64]) -> float:
            if not rows.any():
                return 0.0
            return effective_number(values[rows], groups.rows(np.flatnonzero(rows)))

        every = np.ones(len(labels), dtype=bool)
        return cls(
            tuple(tuple(number(labels == i, decisions[:, j]) for j in classes) for i in classes),
            tuple(number(labels != k, decisions[:, k]) for k in classes),
            tuple(number(every, (labels == k).astype(np.float64)) for k in classes),
        )


@dataclass(frozen=True)
class Diagnosis:
    """What was predicted for cases left out of the choice.

    Attributes
    ----------
    n_cases : tuple of int
        Cases of each class that some resample left out.
    shares : tuple of float
        How common the classes are in the whole table.
    confusion : tuple of tuple of float
        Share of all cases that are of a class (outer) and are called a class (inner).
    auc, brier : Figure
        Area under the ROC curve, for several classes the mean over pairs; Brier score.
    roc : tuple of curves, one for each class against the others
        Points (1 − specificity, sensitivity), from (0, 0) to (1, 1).
    reliability : tuple of curves, one for each class
        Points (mean share given to the class, share of these cases that are of it, share of all
        cases), the lowest first.
    effective : Effective or None
        What intervals go by where cases come in groups, such as visits of one patient.
    """

    n_cases: tuple[int, ...]
    shares: tuple[float, ...]
    confusion: tuple[tuple[float, ...], ...]
    auc: Figure
    brier: Figure
    roc: tuple[tuple[tuple[float, float], ...], ...]
    reliability: tuple[tuple[tuple[float, float, float], ...], ...]
    effective: Effective | None = None

    def with_score(self, score: Score, figure: Figure) -> Diagnosis:
        """With the figure that is the score itself as it is quoted elsewhere."""
        if score == AUC():
            return replace(self, auc=figure.complement)
        return replace(self, brier=figure) if score == Brier() else self

    def n_independent(self, positive: int) -> tuple[float, float, float]:
        """Cases of a class, others, and all, that intervals go by: fewer if they are in groups."""
        k = self._checked(positive)
        if self.effective is not None:
            own = self.effective
            return own.called[k][k], own.others[k], own.observed[k]
        n = self.n_cases[k]
        return n, sum(self.n_cases) - n, sum(self.n_cases)

    def called(self, true: int, predicted: int) -> Figure:
        """Share of the cases of a class that are called another, or the same."""
        row = self.confusion[self._checked(true)]
        predicted = self._checked(predicted)
        n = self.n_cases[true] if self.effective is None else self.effective.called[true][predicted]
        return Figure.of_share(_ratio(row[predicted], sum(row)), n)

    def sensitivity(self, positive: int) -> Figure:
        """Share of the cases of a class that are found: its recall."""
        return self.called(positive, positive)

    def specificity(self, positive: int) -> Figure:
        """Share of the cases of other classes that are not called this one."""
        positive = self._checked(positive)
        others = [k for k in range(len(self.n_cases)) if k != positive]
        all_ = sum(sum(self.confusion[k]) for k in others)
        wrong = sum(self.confusion[k][positive] for k in others)
        return Figure.of_share(1 - _ratio(wrong, all_), self.n_independent(positive)[1])

    def prevalence(self, positive: int) -> float:
        """How common a class is in the table."""
        return self.shares[self._checked(positive)]

    def _checked(self, number: int) -> int:
        n_classes = len(self.n_cases)
        if not isinstance(number, int | np.integer) or not 0 <= number < n_classes:
            raise ValueError(
                f"a class is {number!r}: give its number, from 0 to {n_classes - 1}, in the order "
                "of the classes."
            )
        return int(number)

    def _common(self, positive: int, prevalence: float | None) -> float:
        if prevalence is None:
            return self.prevalence(positive)
        if not 0 < prevalence < 1:
            raise ValueError(f"`prevalence` is {prevalence!r}: it must be above 0 and below 1.")
        return prevalence

    def positive_value(self, positive: int, prevalence: float | None = None) -> Figure:
        """Share of the cases called a class that are of it, where it is as common as said.

        By default as common as in the data. The interval is that of Mercaldo, Lau and Zhou (2007)
        on the logit scale.
        """
        found, right = self.sensitivity(positive), self.specificity(positive)
        (n, others, _), share = self.n_independent(positive), self._common(positive, prevalence)
        return _predictive(found.value, n, right.value, others, share)

    def negative_value(self, positive: int, prevalence: float | None = None) -> Figure:
        """Share of the cases not called a class that are not of it."""
        found, right = self.sensitivity(positive), self.specificity(positive)
        (n, others, _), share = self.n_independent(positive), self._common(positive, prevalence)
        return _predictive(right.value, others, found.value, n, 1 - share)

    def expected_share(self, positive: int) -> float:
        """Mean share that was given to a class; compare with its `observed_share`."""
        points = self.reliability[self._checked(positive)]
        return _ratio(sum(p * w for p, _, w in points), sum(w for _, _, w in points))

    def observed_share(self, positive: int) -> Figure:
        """Share of the cases left out that are of a class."""
        points = self.reliability[self._checked(positive)]
        share = _ratio(sum(o * w for _, o, w in points), sum(w for _, _, w in points))
        return Figure.of_share(share, self.n_independent(positive)[2])


def rarest_class(counts: Sequence[int]) -> int:
    """The class with the fewest rows: what counts as positive if nobody says. Of several, the last.

    Examples
    --------
    >>> rarest_class([70, 30]), rarest_class([50, 50])
    (1, 1)
    """
    return min(range(len(counts)), key=lambda k: (counts[k], -k))


@dataclass(frozen=True, eq=False)
class LeftOutCases:
    """What one forest said of cases that it had no part of.

    Attributes
    ----------
    rows : ndarray of int, shape (n,)
        Which cases, numbered in the whole table.
    evidence : ndarray of shape (n, n_classes)
        Votes, or class shares.
    weight : ndarray of shape (n,)
        What each counts.
    counts : ndarray of int, shape (n_classes,)
        Rows of each class that the forest learned from.
    """

    rows: NDArray[np.intp]
    evidence: NDArray[np.float64]
    weight: NDArray[np.float64]
    counts: NDArray[np.intp]


def diagnose(
    cases: Iterable[LeftOutCases],
    labels: NDArray[np.intp],
    n_classes: int,
    score: ClassScore,
    groups: RowGroups | None = None,
) -> Diagnosis:
    """Put together what several forests said of cases left out.

    Parameters
    ----------
    cases : iterable of LeftOutCases
        Weights of all of them together add up to 1.
    labels : ndarray of int, shape (n_rows,)
        Classes of all rows.
    n_classes : int
    score : ClassScore
        What decisions minimise.
    groups : RowGroups, optional
        Of all rows: what is independent, if they are not.
    """
    confusion = np.zeros((n_classes, n_classes))
    # By class that a share is of, true class, and the share itself.
    shares_of = np.zeros((n_classes, n_classes, _BINS + 1))
    kinds: tuple[ClassScore, ...] = AUC(), Brier()
    lost = {kind: np.zeros(len(labels)) for kind in kinds}
    weight = np.zeros(len(labels))
    # By case: needed only where cases are not independent.
    called = np.zeros((len(labels) if groups is not None else 0, n_classes))
    for part in cases:
        own = labels[part.rows]
        decisions = decided(part.evidence, score.losses(part.counts))
        weighted = decisions * part.weight[:, np.newaxis]
        np.add.at(confusion, own, weighted)
        if groups is not None:
            np.add.at(called, part.rows, weighted)
        shares = part.evidence / part.evidence.sum(axis=1, keepdims=True)
        for k in range(n_classes):
            place = own * (_BINS + 1) + np.round(shares[:, k] * _BINS).astype(np.intp)
            found = np.bincount(place, part.weight, minlength=n_classes * (_BINS + 1))
            shares_of[k] += found.reshape(n_classes, -1)
        for kind, sums in lost.items():
            losses = kind.row_losses(part.evidence, own, part.counts)
            np.add.at(sums, part.rows, part.weight * losses)
        np.add.at(weight, part.rows, part.weight)
    tested = weight > 0
    own_groups = None if groups is None else groups.rows(np.flatnonzero(tested))
    figures = {}
    for kind, sums in lost.items():
        mean = float(sums.sum())
        # Each case counts once: its own mean over the forests that left it out.
        of_case = sums[tested] / weight[tested]
        if own_groups is None:
            se = float(np.sqrt(((of_case - mean) ** 2).mean() / tested.sum()))
        else:
            se = se_of_mean(of_case, own_groups)
        if kind == AUC() and np.bincount(labels[tested]).min() < _FEW_CASES:
            se = max(se, _smallest_auc_se(1 - mean, np.bincount(labels[tested])))
        figures[kind] = Figure.of_mean(mean, se, kind.highest(n_classes))
    return Diagnosis(
        tuple(np.bincount(labels[tested], minlength=n_classes).tolist()),
        tuple((np.bincount(labels, minlength=n_classes) / len(labels)).tolist()),
        tuple(tuple(row) for row in confusion.tolist()),
        figures[AUC()].complement,
        figures[Brier()],
        tuple(_roc(shares_of[k], k) for k in range(n_classes)),
        tuple(_reliability(shares_of[k], k) for k in range(n_classes)),
        None
        if own_groups is None
        else Effective.of(called[tested] / weight[tested, np.newaxis], labels[tested], own_groups),
    )


def _roc(shares: NDArray[np.float64], k: int) -> tuple[tuple[float, float], ...]:
    """From the highest share down: how many of the class, and how many others, are above."""
    own = shares[k][::-1].cumsum()
    others = np.delete(shares, k, axis=0).sum(axis=0)[::-1].cumsum()
    if own[-1] <= 0 or others[-1] <= 0:
        return ()
    points = [(0.0, 0.0)]
    for x, y in zip((others / others[-1]).tolist(), (own / own[-1]).tolist(), strict=True):
        if x - points[-1][0] + y - points[-1][1] >= _ROC_STEP:
            points.append((round(x, 5), round(y, 5)))
    return (*points, (1.0, 1.0)) if points[-1] != (1.0, 1.0) else tuple(points)


def _reliability(shares: NDArray[np.float64], k: int) -> tuple[tuple[float, float, float], ...]:
    """Groups of cases with neighbouring shares, about as many in each."""
    all_ = shares.sum(axis=0)
    centres = np.arange(_BINS + 1) / _BINS
    total = all_.sum()
    # A bin belongs to the group that its middle case is in.
    group = np.minimum((_GROUPS * (all_.cumsum() - all_ / 2) / total).astype(np.intp), _GROUPS - 1)
    points = []
    for g in range(_GROUPS):
        here = group == g
        n = float(all_[here].sum())
        if n > 0:
            given = float((all_ * centres)[here].sum() / n)
            points.append((round(given, 5), round(float(shares[k][here].sum() / n), 5), n))
    return tuple(points)


def _predictive(
    found: float, n_found: float, right: float, n_right: float, prevalence: float
) -> Figure:
    """Share of positives among what is called positive."""
    true, false = found * prevalence, (1 - right) * (1 - prevalence)
    if true + false <= 0:
        return Figure(math.nan, math.nan, math.nan)  # nothing is called that
    value = true / (true + false)
    if not (n_found > 0 and n_right > 0 and 0 < prevalence < 1):
        return Figure(value, math.nan, math.nan)
    # Half a case more on each side, so that no share is 0 or 1 in the formula.
    found = (found * n_found + 0.5) / (n_found + 1)
    wrong = ((1 - right) * n_right + 0.5) / (n_right + 1)
    middle = math.log(found * prevalence) - math.log(wrong * (1 - prevalence))
    reach = _NORMAL * math.sqrt((1 - found) / found / n_found + (1 - wrong) / wrong / n_right)
    low, high = (1 / (1 + math.exp(-(middle + side))) for side in (-reach, reach))
    return Figure(value, min(low, value), max(high, value))


def _smallest_auc_se(auc: float, counts: NDArray[np.intp]) -> float:
    """Standard error of an AUC with so many cases, after Hanley and McNeil (1982).

    A few cases may happen to be ranked alike: what they differ by says too little then. Of several
    classes, the rarest against the others.
    """
    n = int(counts[counts > 0].min())
    others = int(counts.sum()) - n
    if others == 0:
        return 0.0
    auc = min(max(auc, 0.0), 1.0)
    both = (n - 1) * (auc / (2 - auc) - auc**2) + (others - 1) * (2 * auc**2 / (1 + auc) - auc**2)
    return math.sqrt(max(0.0, auc * (1 - auc) + both) / (n * others))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole > 0 else math.nan
