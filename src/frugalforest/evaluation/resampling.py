"""Splits into training and test rows, and intervals for the mean error over such splits."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.stats import norm as normal
from scipy.stats import t as student

from frugalforest.errors import DataError
from frugalforest.evaluation.row_groups import RowGroups, se_of_mean
from frugalforest.running.seeds import derive_seed

__all__ = [
    "ErrorEstimate",
    "Gain",
    "MeanEstimate",
    "Split",
    "check_test_share",
    "estimate_mean",
    "make_splits",
    "nogueira_stability",
    "seed_on_all_rows",
]

_MOST_TRIES = 200
# Values nearer than this are equal but for rounding.
_ROUNDING = 1e-12


def seed_on_all_rows(seed: int) -> int:
    """The seed of the problem on all rows, of which the final model is a part."""
    return derive_seed(seed, "all")


@dataclass(frozen=True)
class Split:
    """Rows to choose and fit on, and rows that nothing but the final prediction sees."""

    train: NDArray[np.intp]
    test: NDArray[np.intp]

    def __reduce__(self) -> tuple[Any, ...]:
        # One bit a row, where rows are in order and each on one side, as `make_splits` has it: of
        # 1,000,000 rows, 125 kB travel with a task and not 8 MB.
        in_test = np.zeros(len(self.train) + len(self.test), dtype=bool)
        if len(self.test) and self.test.max() < len(in_test):
            in_test[self.test] = True
        if np.array_equal(self.train, np.flatnonzero(~in_test)) and np.array_equal(
            self.test, np.flatnonzero(in_test)
        ):
            return _unpacked, (np.packbits(in_test), len(in_test))
        return Split, (self.train, self.test)


def _unpacked(bits: NDArray[np.uint8], n_rows: int) -> Split:
    return _of_rows(np.unpackbits(bits, count=n_rows).astype(bool))


def check_test_share(test_share: object) -> None:
    """Refuse what is no share of the rows."""
    if not isinstance(test_share, Real) or not 0 < float(test_share) < 1:
        raise ValueError(f"`test_share` is {test_share!r}: it must be above 0 and below 1.")


def make_splits(
    labels: NDArray[np.intp],
    n_splits: int,
    test_share: float,
    seed: int,
    groups: RowGroups | None = None,
) -> list[Split]:
    """Random splits with the class shares kept, or with whole groups on one side.

    They come in rounds, as in repeated cross-validation: in a round of 1 / `test_share` splits each
    row is tested once, but for rounding. All splits test the same number of rows of a class, so a
    few may be tested twice, or not at all. With groups, splits are independent, unless those are
    copies: then all of this holds of the different rows. More splits leave the first ones as they
    are.

    Examples
    --------
    >>> first, second, third = make_splits(np.array([0, 0, 0, 1, 1, 1]), 3, 1 / 3, seed=0)
    >>> len(first.train), len(first.test)
    (4, 2)
    >>> sorted([*first.test, *second.test, *third.test]) == [0, 1, 2, 3, 4, 5]
    True
    """
    check_test_share(test_share)
    if groups is not None and groups.are_copies:
        single = make_splits(groups.of_single(labels), n_splits, test_share, seed)
        return [_of_rows(np.isin(groups.number, split.test)) for split in single]
    in_a_round = math.floor(1 / test_share + _ROUNDING) if groups is None else 1
    splits = []
    for i in range(n_splits):
        number, turn = divmod(i, in_a_round)
        rng = np.random.default_rng(derive_seed(seed, "split", number))
        if groups is None:
            splits.append(_stratified(labels, test_share, rng, turn))
        else:
            splits.append(_grouped(labels, test_share, rng, groups))
    return splits


def _of_rows(in_test: NDArray[np.bool_]) -> Split:
    return Split(np.flatnonzero(~in_test), np.flatnonzero(in_test))


def _stratified(
    labels: NDArray[np.intp], share: float, rng: np.random.Generator, turn: int
) -> Split:
    """Of each class, in the random order of its round, the rows whose turn it is to be tested."""
    in_test = np.zeros(len(labels), dtype=bool)
    for label in np.unique(labels):
        rows = rng.permutation(np.flatnonzero(labels == label))
        # A class of two or more rows is on both sides; a single row is for training.
        n_test = min(max(1, round(share * len(rows))), len(rows) - 1)
        first = round(turn * share * len(rows))
        in_test[rows[np.arange(first, first + n_test) % len(rows)]] = True
    if not in_test.any():
        raise DataError("every class has one row only: there is nothing to test on.")
    return _of_rows(in_test)


def _grouped(
    labels: NDArray[np.intp], share: float, rng: np.random.Generator, groups: RowGroups
) -> Split:
    n_groups = groups.n_groups
    if n_groups < 2:
        raise DataError("`row_groups` holds one group only: at least two are needed to split.")
    sizes = np.bincount(groups.number)
    for _ in range(_MOST_TRIES):
        order = rng.permutation(n_groups)
        n_test = np.searchsorted(np.cumsum(sizes[order]), share * len(labels), side="right")
        test_groups = order[: min(max(1, int(n_test)), n_groups - 1)]
        in_test = np.isin(groups.number, test_groups)
        if len(np.unique(labels[~in_test])) == len(np.unique(labels)):
            return _of_rows(in_test)
    raise DataError(
        "no split by `row_groups` leaves every class in the training rows: some class is in too "
        "few groups."
    )


class MeanEstimate(NamedTuple):
    """A mean over `n` replicates with its standard error and interval, NaN where undefined."""

    n: int
    mean: float
    se: float
    low: float
    high: float


def estimate_mean(
    values: NDArray[np.float64], test_train_ratio: float = 0.0, level: float = 0.95
) -> MeanEstimate:
    """The mean of one value a replicate, with an interval from Student's t.

    Replicates that are splits of the same rows are not independent: their variance is multiplied by
    1/n + `test_train_ratio` (Nadeau and Bengio 2003) in place of 1/n. There is no interval (NaN)
    for one value, or if all values are the same.

    Parameters
    ----------
    values : array of shape (n,)
        Errors, or paired differences of errors.
    test_train_ratio : float, default=0.0
        Test rows per training row if the replicates are splits of the same rows, 0 if they are
        independent.
    level : float, default=0.95

    Returns
    -------
    MeanEstimate

    Examples
    --------
    >>> n, mean, se, low, high = estimate_mean(np.array([0.1, 0.2, 0.3]))
    >>> n, round(mean, 3), round(se, 4), round(low, 3), round(high, 3)
    (3, 0.2, 0.0577, -0.048, 0.448)
    """
    n = len(values)
    mean = float(np.mean(values))
    if n < 2:
        return MeanEstimate(n, mean, np.nan, np.nan, np.nan)
    if np.ptp(values) <= _ROUNDING:
        # Equal values, such as no error at all, leave open how far off they are: not by 0.
        return MeanEstimate(n, mean, 0.0, np.nan, np.nan)
    se = float(np.sqrt((1 / n + test_train_ratio) * np.var(values, ddof=1)))
    reach = float(student.ppf((1 + level) / 2, n - 1)) * se
    return MeanEstimate(n, mean, se, mean - reach, mean + reach)


@dataclass(frozen=True)
class ErrorEstimate:
    """Mean test error over splits, with an interval that allows for their overlap.

    As `estimate_mean` gives it, cut to where errors lie: between 0 and 1, or what else the score
    can be. `errors` holds the error of each split. Where sets are compared by another score, that
    is what is meant by error; of the AUC it is 1 − AUC.
    """

    error: float
    se: float
    low: float
    high: float
    errors: tuple[float, ...] = ()

    @classmethod
    def from_errors(
        cls,
        errors: NDArray[np.float64],
        test_train_ratio: float,
        level: float = 0.95,
        most: float = 1.0,
    ) -> ErrorEstimate:
        """The estimate from one error a split. No error is above `most`.

        Examples
        --------
        >>> estimate = ErrorEstimate.from_errors(np.array([0.1, 0.2, 0.3]), test_train_ratio=0.5)
        >>> round(estimate.error, 3), round(estimate.se, 3)
        (0.2, 0.091)
        """
        _, mean, se, low, high = estimate_mean(errors, test_train_ratio, level)
        each = tuple(np.asarray(errors, dtype=np.float64).tolist())
        if np.isnan(low):
            return cls(mean, se, low, high, each)
        return cls(mean, se, max(low, 0.0), min(high, most), each)

    @classmethod
    def of_rows(
        cls, losses: NDArray[np.float64], most: float = 1.0, groups: RowGroups | None = None
    ) -> ErrorEstimate:
        """The estimate from what each of many rows loses that nothing was chosen by.

        With `groups`, those are what is independent.

        Examples
        --------
        >>> estimate = ErrorEstimate.of_rows(np.repeat([0.0, 1.0], [8000, 2000]))
        >>> round(estimate.error, 3), round(estimate.low, 3), round(estimate.high, 3)
        (0.2, 0.192, 0.208)
        """
        mean, se = float(losses.mean()), se_of_mean(losses, groups)
        if se == 0 and math.isinf(most):
            return cls(mean, se, np.nan, np.nan, (mean,))
        if se == 0:
            # No row lost another amount. If one in n did, three in n would be the upper end of what
            # may be true (Hanley and Lippman-Hand 1983).
            reach = 3 / (len(losses) if groups is None else groups.n_groups) * most
            return cls(mean, se, max(0.0, mean - reach), min(most, mean + reach), (mean,))
        return cls(mean, np.nan, np.nan, np.nan, (mean,)).at_least_as_wide(se, most=most)

    def at_least_as_wide(self, se: float, level: float = 0.95, most: float = 1.0) -> ErrorEstimate:
        """The estimate with an interval no narrower than that of a normal error of this size.

        A few resamples may agree by chance; how far the rows differ says how far that can be true.

        Examples
        --------
        >>> estimate = ErrorEstimate(0.2, 0.001, 0.198, 0.202).at_least_as_wide(0.01)
        >>> round(estimate.low, 4), round(estimate.high, 4), estimate.se
        (0.1804, 0.2196, 0.01)
        """
        reach = float(normal.ppf((1 + level) / 2)) * se
        # Comparisons with NaN, where there was no interval, are false.
        if se == 0 or (self.error - self.low >= reach and self.high - self.error >= reach):
            return self
        wider = max(self.se, se) if not np.isnan(self.se) else se
        low, high = max(0.0, self.error - reach), min(most, self.error + reach)
        return replace(self, se=wider, low=low, high=high)

    def through(self, quoted: Callable[[float], float]) -> ErrorEstimate:
        """The estimate of what a rising function makes of the error.

        The standard error is half the way from one below the error to one above.

        Examples
        --------
        >>> ErrorEstimate(4.0, 0.5, 1.0, 9.0, (1.0, 4.0)).through(math.sqrt)
        ErrorEstimate(error=2.0, se=0.1252..., low=1.0, high=3.0, errors=(1.0, 2.0))
        """
        below, above = (quoted(max(0.0, self.error + side)) for side in (-self.se, self.se))
        ends = quoted(self.error), (above - below) / 2, quoted(self.low), quoted(self.high)
        return ErrorEstimate(*ends, tuple(map(quoted, self.errors)))

    def moved_to(self, error: float, most: float = 1.0) -> ErrorEstimate:
        """The same interval around another error, such as one that is corrected for a choice.

        Examples
        --------
        >>> ErrorEstimate(0.1, 0.02, 0.06, 0.14).moved_to(0.2).low
        0.16
        """
        if np.isnan(self.low):
            return replace(self, error=error)
        reach = max(self.error - self.low, self.high - self.error)
        low, high = max(0.0, error - reach), min(most, error + reach)
        return replace(self, error=error, low=low, high=high)


@dataclass(frozen=True)
class Gain:
    """By how much a set lowers the error of a baseline, with its 95 % interval.

    Of the same rows, so the interval is that of a paired difference.
    """

    baseline: float
    gain: float
    low: float
    high: float

    @classmethod
    def of_rows(
        cls,
        baseline: float,
        gain: float,
        better: NDArray[np.float64],
        groups: RowGroups | None = None,
        level: float = 0.95,
    ) -> Gain:
        """The gain with the interval of a mean over rows, or groups, each better by so much.

        Examples
        --------
        >>> found = Gain.of_rows(0.3, 0.1, np.repeat([0.0, 1.0], [90, 10]))
        >>> round(found.low, 3), round(found.high, 3)
        (0.041, 0.159)
        """
        reach = float(normal.ppf((1 + level) / 2)) * se_of_mean(better, groups)
        return cls(baseline, gain, gain - reach, gain + reach)

    def through(self, quoted: Callable[[float], float]) -> Gain:
        """The gain of what a rising function makes of the errors.

        Examples
        --------
        >>> Gain(9.0, 5.0, 0.0, 8.0).through(math.sqrt)
        Gain(baseline=3.0, gain=1.0, low=0.0, high=2.0)
        """
        before = quoted(self.baseline)
        gains = (self.gain, self.low, self.high)
        return Gain(before, *(before - quoted(max(0.0, self.baseline - g)) for g in gains))


def nogueira_stability(chosen: NDArray[np.bool_]) -> float:
    """Chance-corrected agreement of feature sets, one a row: 1 is always the same, 0 is chance.

    Nogueira, Sechidis and Brown (2018). NaN for fewer than two sets; 1 if all are equal.

    Examples
    --------
    >>> nogueira_stability(np.array([[1, 1, 0, 0], [1, 1, 0, 0]], dtype=bool))
    1.0
    """
    n_sets, n_features = chosen.shape
    if n_sets < 2:
        return float("nan")
    if (chosen == chosen[0]).all():
        return 1.0
    share = chosen.mean(axis=0)
    variance = n_sets / (n_sets - 1) * share * (1 - share)
    size = chosen.sum(axis=1).mean() / n_features
    return float(1 - variance.mean() / (size * (1 - size)))
