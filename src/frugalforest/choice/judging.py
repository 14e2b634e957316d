"""The answer for each budget by rows left out, and an error of it that can be trusted.

A budget is a ceiling. For it and for each smaller round amount there is what is best up to there
(see `ways`), with an error that is corrected for that choice (see `bootstrap`), unless it does no
better than guessing (see `guessing`). Of these *steps* the last, for the most money, is the answer;
but the lowest is if the last is clearly worse, by two standard errors, or errs in the same rows.

More money gives more to choose from, so it is expected to do no worse; that its error is a little
higher may be chance. So what is quoted is never above what is quoted for a smaller round amount,
nor below that for the next one: more money never gets a higher error, whatever else is asked for.
Only where several budgets lie between the same two round amounts, one answer may depend on another:
if the smaller budget gets the lower error, it is the answer for the larger one, too.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.bootstrap import choose_again, weights_of_wins
from frugalforest.choice.guessing import guess_estimate, is_worth_buying
from frugalforest.choice.left_out import LeftOut
from frugalforest.choice.pools import Pool
from frugalforest.choice.ways import CLEARLY, TIE, Ways, collect_ways
from frugalforest.costs import Budget
from frugalforest.diagnosis import Diagnosis
from frugalforest.final import Final
from frugalforest.resampling import ErrorEstimate, Split
from frugalforest.scores import ERROR, Score
from frugalforest.seeds import derive_seed

__all__ = ["Judged", "judge"]


# What a draw chooses is tested on the others of the rows, and was chosen from 63 % of them: that
# error is too high, and the one seen is too low. Their weights are Efron's (1983).
_OF_OTHER_ROWS = 0.632


@dataclass(frozen=True)
class Judged:
    """What is chosen for a budget.

    Attributes
    ----------
    place : int or None
        Of the configuration in the pool of all rows; None if nothing is worth buying.
    honest : ErrorEstimate
    reruns : tuple of feature sets
        What it bought in each resample.
    beside : tuple of Judged
        What else would be chosen for smaller amounts, the most money first.
    diagnosis : Diagnosis or None
        What was predicted for rows left out; None if nothing is bought.
    """

    place: int | None
    honest: ErrorEstimate
    reruns: tuple[tuple[int, ...], ...]
    beside: tuple[Judged, ...] = ()
    diagnosis: Diagnosis | None = None


def judge(
    pool: Pool,
    resamples: Sequence[Pool],
    splits: Sequence[Split],
    labels: NDArray[np.intp],
    budgets: Sequence[Budget],
    seed: int,
    score: Score = ERROR,
    final: Final | None = None,
) -> dict[Budget, Judged]:
    """The best way for each budget, or nothing.

    More money never gets a higher error. The answer for a budget does not depend on the others,
    unless they lie between the same two round amounts.

    Parameters
    ----------
    pool : Pool
        Of all rows.
    resamples : sequence of Pool
        One a split.
    splits : sequence of Split
    labels : ndarray of int, shape (n_rows,)
        Classes of all rows.
    budgets : sequence of Budget
        Those that the pools were made for.
    seed : int
    score : Score
        What sets are compared by.
    final : Final, optional
        What was tested on the rows left out, if not the forest. Then these alone decide, and each
        configuration is a way: an out-of-bag error says nothing of another model.
    """
    score = score.for_rows(np.bincount(labels))
    left_out = LeftOut(tuple(resamples), tuple(splits), labels, score)
    ways = collect_ways(pool, left_out, tuned=final is None)
    own_seed = derive_seed(seed, "judge")
    judging = _Judging(ways, left_out, own_seed, pool.may_be_empty, pool.set_of)
    guess = guess_estimate(left_out, derive_seed(seed, "nothing"))
    nothing = Judged(None, guess, ((),) * len(splits))
    # Budgets share the amounts below them.
    steps: dict[tuple[float, ...], _Step | None] = {}
    above = dict(pool.above)

    def answer(limit: float) -> Judged:
        amounts = tuple(sorted(pool.inner[limit]))
        up_to = [amounts[: i + 1] for i in range(len(amounts))]
        steps.update({each: judging.step(each) for each in up_to if each not in steps})
        more = answer(above[limit]) if limit in above else None
        return judging.answer([steps[each] for each in up_to], nothing, more)

    return _never_worse({budget: answer(budget.limit) for budget in budgets})


def _never_worse(answers: Mapping[Budget, Judged]) -> dict[Budget, Judged]:
    """No answer has a higher error than that for less money: then that is the answer, too.

    Nothing changes where no two budgets lie between the same round amounts.
    """
    found: dict[Budget, Judged] = {}
    lowest: Judged | None = None
    for budget in sorted(answers):
        if lowest is None or answers[budget].honest.error <= lowest.honest.error + TIE:
            lowest = answers[budget]
        found[budget] = lowest
    return found


@dataclass(frozen=True, eq=False)
class _Step:
    """What is best up to an amount.

    Attributes
    ----------
    way : int
        Its number.
    judged : Judged
        The same as an answer, with its error, corrected for the choice among ways.
    """

    way: int
    judged: Judged

    @property
    def error(self) -> float:
        """Its error, corrected."""
        return self.judged.honest.error


@dataclass(frozen=True, eq=False)
class _Judging:
    """Steps, and the answers that follow from them."""

    ways: Ways
    left_out: LeftOut
    seed: int
    may_be_empty: bool
    sets: tuple[int, ...]  # of each configuration

    @property
    def highest(self) -> float:
        """What no error is above."""
        return self.left_out.score.highest(self.left_out.n_classes)

    def step(self, amounts: tuple[float, ...]) -> _Step | None:
        """What is best up to the last of some amounts; None if nothing is worth buying."""
        within = self.ways.within(amounts)
        if not within.any():
            return None
        ways, numbers = self.ways.some(within), np.flatnonzero(within)
        n_rows = ways.errors.shape[1]
        (best,) = ways.winners(np.full((n_rows, 1), 1 / n_rows), self.highest).tolist()
        choices = choose_again(ways, self.highest, self.seed)
        error, seen = float(choices.left.mean()), ways.errors[best]
        if self.may_be_empty and not is_worth_buying(ways, best, error, self.left_out):
            return None
        ratio = float(np.mean([len(s.test) / len(s.train) for s in self.left_out.splits]))
        raw = ErrorEstimate.from_errors(ways.by_resample[best], ratio, most=self.highest)
        raw = raw.at_least_as_wide(float(seen.std() / math.sqrt(n_rows)), most=self.highest)
        error = _OF_OTHER_ROWS * error + (1 - _OF_OTHER_ROWS) * float(seen.mean())
        # The rows' parts in an AUC are a linear approximation: means may be a little below 0.
        error = min(max(error, 0.0), self.highest)
        way, honest = int(numbers[best]), raw.moved_to(error, most=self.highest)
        return _Step(way, self._judged(way, honest, numbers[choices.winners]))

    def answer(
        self, steps: Sequence[_Step | None], nothing: Judged, more: Judged | None = None
    ) -> Judged:
        """The answer for the last of ascending amounts, with what else was best for some.

        With `more`, the answer for a larger amount, it has no lower error than that.
        """
        if more is not None and more.place is None:
            return nothing
        answer, lowest = nothing, None
        found: dict[int | None, Judged] = {}  # by sets, the most money last
        for step in steps:
            if step is None:
                found[None] = nothing
                continue
            if lowest is None or step.error < lowest.error - TIE:
                lowest, answer = step, step.judged
            elif self._is_clearly_worse(step, lowest):
                answer = lowest.judged
            else:
                answer = _quoted_like(lowest.judged, step.judged)
            # What was bought with less money before is shown with the error quoted for that.
            found[self._set_of(answer)] = found.pop(self._set_of(answer), answer)
        if more is not None and answer.honest.error < more.honest.error:
            answer = _quoted_like(more, answer)
        found.pop(self._set_of(answer), None)
        return replace(answer, beside=tuple(reversed(found.values())))

    def _set_of(self, judged: Judged) -> int | None:
        """The number of its set in the pool of all rows."""
        return None if judged.place is None else self.sets[judged.place]

    def _is_clearly_worse(self, step: _Step, lowest: _Step) -> bool:
        """Whether its error is higher by two standard errors, or it errs in the same rows."""
        difference = self.ways.errors[step.way] - self.ways.errors[lowest.way]
        margin = CLEARLY * float(difference.std()) / math.sqrt(len(difference))
        return step.error - lowest.error >= margin - TIE

    def _judged(self, way: int, honest: ErrorEstimate, winners: NDArray[np.intp]) -> Judged:
        """A way as an answer; `winners` are the ways that are best on rows drawn."""
        reruns = tuple(
            resample.sets[at].features
            for resample, at in zip(
                self.left_out.resamples, self.ways.rerun[way].tolist(), strict=True
            )
        )
        n_rows = self.ways.errors.shape[1]
        weights = weights_of_wins(winners, n_rows, self.seed)
        weights = {each: _OF_OTHER_ROWS * weight for each, weight in weights.items()}
        weights[way] = weights.get(way, np.zeros(n_rows)) + (1 - _OF_OTHER_ROWS) / n_rows
        cases = [(self.ways.rerun[each].tolist(), weight) for each, weight in weights.items()]
        diagnosis = self.left_out.diagnosis(cases, honest)
        return Judged(int(self.ways.places[way]), honest, reruns, diagnosis=diagnosis)


def _quoted_like(other: Judged, one: Judged) -> Judged:
    """One with what is quoted for another."""
    honest = replace(other.honest, errors=one.honest.errors)
    return replace(one, honest=honest, diagnosis=other.diagnosis)
