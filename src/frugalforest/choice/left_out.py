"""Rows left out of the resamples: what was said of them, and what that comes to."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.pools import Pool
from frugalforest.evaluation.diagnoses import AnyDiagnosis, diagnose_any
from frugalforest.evaluation.diagnosis import Figure, LeftOutCases
from frugalforest.evaluation.resampling import ErrorEstimate, Split
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.scores import Score, graded_losses
from frugalforest.tables import Outcome

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
    outcome : Outcome
        Of all rows.
    score : Score
    of_forests : bool
        Whether forests were tested: then errors have grades, and out-of-bag scores go with them.
    groups : RowGroups or None
        Of all rows: what is independent, if rows are not.
    """

    resamples: tuple[Pool, ...]
    splits: tuple[Split, ...]
    outcome: Outcome
    score: Score
    of_forests: bool = True
    groups: RowGroups | None = None

    @cached_property
    def times_tested(self) -> NDArray[np.intp]:
        """How many resamples left out each row."""
        tests = [split.test for split in self.splits]
        return np.bincount(np.concatenate(tests), minlength=self.outcome.n_rows)

    @property
    def groups_tested(self) -> RowGroups | None:
        """The groups of the rows that some resample left out."""
        rows = np.flatnonzero(self.times_tested > 0)
        return None if self.groups is None else self.groups.rows(rows)

    def known_in(self, resample: int) -> NDArray[Any]:
        """What was known, without measuring, of the rows that a resample learned from."""
        return self.outcome.rows(self.splits[resample].train).known

    def evidence(self, resample: int, number: int) -> NDArray[np.float64]:
        """What the forest of a set said of the rows left out; of nothing, a guess."""
        if number == NOTHING:
            n_rows = len(self.splits[resample].test)
            return self.score.guess(self.known_in(resample), n_rows)
        pool = self.resamples[resample]
        assert pool.left_out is not None  # because it was made with rows left out
        return pool.left_out.of_set(number, len(pool.sets))

    def losses(
        self, resample: int, sets: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each row left out loses (columns) with each of some sets (rows), and with grades."""
        truth, known = self.outcome.truth[self.splits[resample].test], self.known_in(resample)
        pool = self.resamples[resample]
        lost: dict[int, tuple[NDArray[np.float64], NDArray[np.float64]]] = {}
        for i in np.unique(sets).tolist():
            evidence = self.evidence(resample, i)
            own = self.score.row_losses(evidence, truth, known)
            lost[i] = own, self._graded(own, evidence, truth, pool.sets[i].power)
        shape = len(sets), len(truth)
        both = [np.array([lost[i][k] for i in sets.tolist()]).reshape(shape) for k in (0, 1)]
        return both[0], both[1]

    def losses_of_forests(self, sets: NDArray[np.intp]) -> NDArray[np.float64] | None:
        """What each row that some resample left out loses with the forest of a set in each, alone.

        None if forests were no part of what was tested.
        """
        lost = np.zeros(self.outcome.n_rows)
        for r, (pool, split) in enumerate(zip(self.resamples, self.splits, strict=True)):
            if pool.of_forests is None:
                return None
            said = pool.of_forests.of_set(int(sets[r]), len(pool.sets))
            lost[split.test] += self.score.row_losses(
                said, self.outcome.truth[split.test], self.known_in(r)
            )
        tested = self.times_tested > 0
        return np.asarray(lost[tested] / self.times_tested[tested])

    def losses_of_nothing(self, resample: int) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """What each row left out loses by guessing from what was known."""
        truth, known = self.outcome.truth[self.splits[resample].test], self.known_in(resample)
        own = self.losses_of_guessing(truth, known)
        return own, self._graded(own, self.score.guess(known, len(truth)), truth, power=1.0)

    def _graded(
        self,
        losses: NDArray[np.float64],
        evidence: NDArray[Any],
        truth: NDArray[Any],
        power: float,
    ) -> NDArray[np.float64]:
        if not (self.of_forests and self.score.has_grades):
            return losses
        return graded_losses(losses, evidence, truth, power)

    @cached_property
    def of_nothing(self) -> float:
        """What all rows lose, on average, by guessing from what is known of them."""
        return self.score.of_nothing(self.outcome.known)

    def losses_of_guessing(self, truth: NDArray[Any], known: NDArray[Any]) -> NDArray[np.float64]:
        """What each row loses by guessing from what was known."""
        return self.score.row_losses(self.score.guess(known, len(truth)), truth, known)

    def quote(self, estimate: Any) -> Any:
        """An estimate as the score is quoted: in the unit of the outcome."""
        return self.score.quote(estimate, self.outcome.unit)

    def diagnosis(
        self, ways: Sequence[tuple[Sequence[int], NDArray[np.float64]]], honest: ErrorEstimate
    ) -> AnyDiagnosis:
        """What was predicted for rows left out.

        Parameters
        ----------
        ways : sequence of (sets, weights)
            For each way its set in every resample, and what each row that some resample left out
            counts.
        honest : ErrorEstimate
            By the score: the figure that is the score itself has its interval.
        """
        found = diagnose_any(self._cases(ways), self.outcome, self.score, self.groups)
        return found.with_score(self.score, Figure(honest.error, honest.low, honest.high))

    def _cases(
        self, ways: Sequence[tuple[Sequence[int], NDArray[np.float64]]]
    ) -> Iterable[LeftOutCases]:
        tested = self.times_tested > 0
        for sets, weight in ways:
            each = np.zeros(self.outcome.n_rows)
            each[tested] = weight / self.times_tested[tested]
            for r, (split, number) in enumerate(zip(self.splits, sets, strict=True)):
                evidence = self.evidence(r, number)
                yield LeftOutCases(split.test, evidence, each[split.test], self.known_in(r))
