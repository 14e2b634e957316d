"""Rows left out of the resamples: what was said of them, and what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.pools import Pool
from frugalforest.evaluation.diagnosis import Diagnosis, Figure, LeftOutCases, diagnose
from frugalforest.evaluation.resampling import ErrorEstimate, Split
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.scores import AUC, Brier, Score, graded_losses

__all__ = ["NOTHING", "LeftOut"]

# The number of the empty set, which no pool holds.
NOTHING = -1


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
    of_forests : bool
        Whether forests were tested: then errors have grades, and out-of-bag scores go with them.
    groups : RowGroups or None
        Of all rows: what is independent, if rows are not.
    """

    resamples: tuple[Pool, ...]
    splits: tuple[Split, ...]
    labels: NDArray[np.intp]
    score: Score
    of_forests: bool = True
    groups: RowGroups | None = None

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

    @property
    def groups_tested(self) -> RowGroups | None:
        """The groups of the rows that some resample left out."""
        rows = np.flatnonzero(self.times_tested > 0)
        return None if self.groups is None else self.groups.rows(rows)

    def counts_in(self, resample: int) -> NDArray[np.intp]:
        """Rows of each class that a resample learned from."""
        learned = self.labels[self.splits[resample].train]
        return np.bincount(learned, minlength=self.n_classes)

    def evidence(self, resample: int, number: int) -> NDArray[np.float64]:
        """What the forest of a set said of the rows left out; of nothing, the classes' counts."""
        if number == NOTHING:
            return np.tile(self.counts_in(resample), (len(self.splits[resample].test), 1))
        pool = self.resamples[resample]
        assert pool.left_out is not None  # because it was made with rows left out
        return pool.left_out.of_set(number, len(pool.sets))

    def losses(
        self, resample: int, sets: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each row left out loses (columns) with each of some sets (rows), and with grades."""
        labels, counts = self.labels[self.splits[resample].test], self.counts_in(resample)
        pool = self.resamples[resample]
        lost: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        for i in np.unique(sets).tolist():
            evidence = self.evidence(resample, i)
            own = self.score.row_losses(evidence, labels, counts)
            lost[i] = own, self._graded(own, evidence, labels, pool.sets[i].power)
        shape = len(sets), len(labels)
        both = [np.array([lost[i][k] for i in sets.tolist()]).reshape(shape) for k in (0, 1)]
        return both[0], both[1]

    def losses_of_nothing(self, resample: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each row left out loses by guessing from how common the classes were."""
        labels, counts = self.labels[self.splits[resample].test], self.counts_in(resample)
        own = self.losses_of_guessing(labels, counts)
        return own, self._graded(own, np.tile(counts, (len(labels), 1)), labels, power=1.0)

    def _graded(
        self,
        losses: NDArray[np.float64],
        evidence: NDArray[Any],
        labels: NDArray[np.intp],
        power: float,
    ) -> NDArray[np.float64]:
        if not (self.of_forests and self.score.has_grades):
            return losses
        return graded_losses(losses, evidence, labels, power)

    @cached_property
    def of_nothing(self) -> float:
        """What all rows lose, on average, by guessing from how common the classes are."""
        return self.score.of_nothing(self.counts)

    def losses_of_guessing(
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
        found = diagnose(self._cases(ways), self.labels, self.n_classes, self.score, self.groups)
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
