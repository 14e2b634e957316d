"""Rows left out of the resamples: what was said of them, and what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.pools import Pool
from frugalforest.diagnosis import Diagnosis, Figure, LeftOutCases, diagnose
from frugalforest.resampling import ErrorEstimate, Split
from frugalforest.scores import AUC, Brier, Score, graded_losses

__all__ = ["LeftOut"]


@dataclass(frozen=True, eq=False)
class LeftOut:
    """The resamples' pools, what rows each left out, and the score.

    Attributes
    ----------
    resamples : tuple of Pool
    splits : tuple of Split
        One a resample.
    labels : ndarray of int, shape (n_rows,)
        Classes of all rows.
    score : Score
    """

    resamples: tuple[Pool, ...]
    splits: tuple[Split, ...]
    labels: NDArray[np.intp]
    score: Score

    @cached_property
    def counts(self) -> NDArray[np.intp]:
        """Rows of each class, of all rows."""
        return np.bincount(self.labels)

    @property
    def n_classes(self) -> int:
        """All classes have rows."""
        return len(self.counts)

    @cached_property
    def times_tested(self) -> NDArray[np.intp]:
        """How many resamples left out each row."""
        tests = [split.test for split in self.splits]
        return np.bincount(np.concatenate(tests), minlength=len(self.labels))

    def counts_in(self, resample: int) -> NDArray[np.intp]:
        """Rows of each class that a resample learned from."""
        learned = self.labels[self.splits[resample].train]
        return np.bincount(learned, minlength=self.n_classes)

    def evidence(self, resample: int, number: int) -> NDArray[np.float64]:
        """What the forest of a set said of the rows left out."""
        pool = self.resamples[resample]
        assert pool.left_out is not None  # because it was made with rows left out
        return pool.left_out.of_set(number, len(pool.sets))

    def losses(self, resample: int, sets: NDArray[np.intp]) -> NDArray[np.float64]:
        """What each row left out loses (columns) with each of some sets (rows)."""
        labels, counts = self.labels[self.splits[resample].test], self.counts_in(resample)
        lost = {
            i: self.score.row_losses(self.evidence(resample, i), labels, counts)
            for i in np.unique(sets).tolist()
        }
        return np.array([lost[i] for i in sets.tolist()]).reshape(len(sets), len(labels))

    def graded_losses(
        self, resample: int, sets: NDArray[np.intp], losses: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Those losses with grades, if the score has them."""
        if not self.score.has_grades:
            return losses
        pool, labels = self.resamples[resample], self.labels[self.splits[resample].test]
        graded = np.empty_like(losses)
        for i in np.unique(sets).tolist():
            own, votes = sets == i, self.evidence(resample, i)
            graded[own] = graded_losses(losses[own], votes, labels, pool.sets[i].power)
        return graded

    @cached_property
    def of_nothing(self) -> float:
        """What all rows lose, on average, by guessing from how common the classes are."""
        return self.score.of_nothing(self.counts)

    def losses_of_nothing(
        self, labels: NDArray[np.intp], counts: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """What each row loses by guessing from how common the classes were."""
        return self.score.row_losses(np.tile(counts, (len(labels), 1)), labels, counts)

    def diagnosis(
        self, ways: Sequence[tuple[Sequence[int], NDArray[np.float64]]], honest: ErrorEstimate
    ) -> Diagnosis:
        """What was predicted for rows left out.

        Parameters
        ----------
        ways : sequence of (sets, weights)
            For each way its set in every resample, and what each row that some resample left out
            counts.
        honest : ErrorEstimate
            By the score: the figure that is the score itself has its interval.
        """
        found = diagnose(self._cases(ways), self.labels, self.n_classes, self.score)
        own = Figure(honest.error, honest.low, honest.high)
        if self.score == AUC():
            return replace(found, auc=own.complement)
        return replace(found, brier=own) if self.score == Brier() else found

    def _cases(
        self, ways: Sequence[tuple[Sequence[int], NDArray[np.float64]]]
    ) -> Iterable[LeftOutCases]:
        tested = self.times_tested > 0
        for sets, weight in ways:
            each = np.zeros(len(self.labels))
            each[tested] = weight / self.times_tested[tested]
            for r, (split, number) in enumerate(zip(self.splits, sets, strict=True)):
                evidence = self.evidence(r, number)
                yield LeftOutCases(split.test, evidence, each[split.test], self.counts_in(r))
