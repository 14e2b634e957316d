"""The answer for each budget by rows left out, and an error of it that can be trusted.

Which way is taken is said in `ways`. The winner's own error is too low, because it was chosen by
it: so the same choice is made over and over on rows drawn (see `bootstrap`), and what is quoted is
corrected by what that comes to. A figure beside a set is that of the choice that led to this set.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.bootstrap import choose_again, weights_of_wins
from frugalforest.choice.guessing import guess_estimate
from frugalforest.choice.left_out import NOTHING, LeftOut
from frugalforest.choice.pools import Amount, Pool
from frugalforest.choice.ways import Ways, collect_ways
from frugalforest.costs import Budget
from frugalforest.evaluation.diagnoses import AnyDiagnosis
from frugalforest.evaluation.resampling import ErrorEstimate, Gain, Split
from frugalforest.evaluation.row_groups import RowGroups, se_of_mean
from frugalforest.model.final import Final
from frugalforest.running.seeds import derive_seed
from frugalforest.scores import ERROR, Score
from frugalforest.tables import Outcome

__all__ = ["OF_OTHER_ROWS", "Judged", "judge"]

# What a draw chooses is tested on the others of the rows, and was chosen from 63 % of them: that
# error is too high, and the one seen is too low. Their weights are Efron's (1983).
OF_OTHER_ROWS = 0.632


@dataclass(frozen=True)
class Judged:
    """What is chosen for an amount of money.

    Attributes
    ----------
    place : int or None
        Of the configuration in the pool of all rows; None if nothing is worth buying.
    honest : ErrorEstimate
    reruns : tuple of feature sets
        What it bought in each resample.
    beside : tuple of Judged
        What else would be chosen for smaller amounts, the most money first.
    others : tuple of Judged
        What other ways come to, each with an error of its own, the best first: for other prices.
    diagnosis : AnyDiagnosis or None
        What was predicted for rows left out; None if nothing is bought.
    gain : Gain or None
        What it adds to what is free or required; None if nothing is.
    over_forest : Gain or None
        What the final model adds to the forest that is a part of it; None if none is.
    """

    place: int | None
    honest: ErrorEstimate
    reruns: tuple[tuple[int, ...], ...]
    beside: tuple[Judged, ...] = ()
    others: tuple[Judged, ...] = ()
    diagnosis: AnyDiagnosis | None = None
    gain: Gain | None = None
    over_forest: Gain | None = None


def judge(
    pool: Pool,
    resamples: Sequence[Pool],
    splits: Sequence[Split],
    outcome: Outcome,
    budgets: Sequence[Budget],
    seed: int,
    score: Score = ERROR,
    final: Final | None = None,
    groups: RowGroups | None = None,
) -> dict[Budget, Judged]:
    """The best way for each budget, or nothing. Answers do not depend on the other budgets.

    Parameters
    ----------
    pool : Pool
        Of all rows.
    resamples : sequence of Pool
        One a split.
    splits : sequence of Split
    outcome : Outcome
        Of all rows.
    budgets : sequence of Budget
        Those that the pools were made for.
    seed : int
    score : Score
        What sets are compared by.
    final : Final, optional
        What was tested on the rows left out, if not the forest: its losses count, and nothing
        else if it has no out-of-bag scores.
    groups : RowGroups, optional
        What is independent, if rows are not.
    """
    score = score.for_rows(outcome.known)
    graded = final is None or final.has_out_of_bag
    left_out = LeftOut(tuple(resamples), tuple(splits), outcome, score, graded, groups)
    judging = _Judging(pool, collect_ways(pool, left_out), left_out, seed)
    return {budget: judging.answer(pool.amounts(budget)) for budget in budgets}


@dataclass(frozen=True, eq=False)
class _Judging:
    """Which way is taken for an amount, and what is quoted beside it."""

    pool: Pool
    ways: Ways
    left_out: LeftOut
    seed: int
    # By what it was chosen from: budgets share the amounts below them.
    _known: dict[bytes, Judged] = field(default_factory=dict)

    def answer(self, amounts: Sequence[Amount]) -> Judged:
        """What is taken for the last of some amounts, and beside it what is for the others.

        A set has one figure, however much more could be spent: that of the smallest amount that
        buys it.
        """
        by_set: dict[int | None, Judged] = {}
        for i in range(1, len(amounts) + 1):
            numbers = self.ways.within(amounts[:i])
            if not numbers.size:
                continue  # so little does not buy what is required, or what every resample has
            best = self.ways.best(numbers)
            place = int(self.ways.places[best])
            number = None if place == NOTHING else self.pool.set_of[place]
            if number in by_set:
                by_set[number] = by_set.pop(number)
                continue
            key = numbers.tobytes()
            if key not in self._known:
                self._known[key] = self._quoted(best, numbers)
            by_set[number] = self._known[key]
        *smaller, own = by_set.values()
        others = self._others(self.ways.within(amounts), by_set.keys())
        return replace(own, beside=tuple(reversed(smaller)), others=others)

    def _quoted(self, best: int, numbers: NDArray[np.intp]) -> Judged:
        """The best of some ways, with its figures."""
        ways, left_out = self.ways, self.left_out
        n_rows = ways.losses.shape[1]
        if ways.places[best] == NOTHING:
            guess = guess_estimate(left_out, derive_seed(self.seed, "nothing"))
            return Judged(None, left_out.quote(guess), ((),) * len(left_out.splits))
        seed = derive_seed(self.seed, "judge")
        choices = choose_again(ways, numbers, seed)
        seen, most = ways.losses[best], left_out.score.highest(left_out.outcome.width)
        error = OF_OTHER_ROWS * float(choices.left.mean())
        error += (1 - OF_OTHER_ROWS) * float(seen.mean())
        # The rows' parts in an AUC are a linear approximation: means may be a little below 0.
        own = self._own_error(best).moved_to(min(max(error, 0.0), most), most=most)
        honest = left_out.quote(own)
        return Judged(
            int(ways.places[best]),
            honest,
            self._reruns(best),
            diagnosis=self._diagnosis(best, honest, weights_of_wins(choices.winners, n_rows, seed)),
            gain=None if ways.may_be_empty else left_out.quote(self._gain(best, own)),
            over_forest=self._over_forest(best, own),
        )

    def _others(
        self, numbers: NDArray[np.intp], known: Collection[int | None]
    ) -> tuple[Judged, ...]:
        """The first way to each set that no amount buys."""
        found: dict[int, Judged] = {}
        weight = np.full((self.ways.losses.shape[1], 1), 1 / self.ways.losses.shape[1])
        order = np.argsort(-self.ways.assured(numbers, weight)[:, 0], kind="stable")
        for each in numbers[order].tolist():
            place = int(self.ways.places[each])
            if place != NOTHING and (number := self.pool.set_of[place]) not in {*known, *found}:
                own = self.left_out.quote(self._own_error(each))
                found[number] = Judged(place, own, self._reruns(each))
        return tuple(found.values())

    def _own_error(self, way: int) -> ErrorEstimate:
        """Of a way, as if nothing had been chosen by it."""
        left_out = self.left_out
        most = left_out.score.highest(left_out.outcome.width)
        ratio = float(np.mean([len(s.test) / len(s.train) for s in left_out.splits]))
        raw = ErrorEstimate.from_errors(self.ways.by_resample[way], ratio, most=most)
        se = se_of_mean(self.ways.losses[way], left_out.groups_tested)
        return raw.at_least_as_wide(se, most=most)

    def _reruns(self, way: int) -> tuple[tuple[int, ...], ...]:
        resamples = zip(self.left_out.resamples, self.ways.rerun[way].tolist(), strict=True)
        return tuple(resample.sets[at].features for resample, at in resamples)

    def _over_forest(self, best: int, honest: ErrorEstimate) -> Gain | None:
        """By how much the final model lowers the error of the forest alone, on the same sets."""
        of_forest = self.left_out.losses_of_forests(self.ways.rerun[best])
        if of_forest is None:
            return None
        better, groups = of_forest - self.ways.losses[best], self.left_out.groups_tested
        gain = float(better.mean())
        own = Gain.of_rows(honest.error + gain, gain, better, groups)
        return cast("Gain", self.left_out.quote(own))

    def _gain(self, best: int, honest: ErrorEstimate) -> Gain:
        """By how much it lowers the error of what is free or required."""
        before = self.ways.losses[self.ways.baseline]
        better = before - self.ways.losses[best]
        seen, groups = float(before.mean()), self.left_out.groups_tested
        return Gain.of_rows(seen, seen - honest.error, better, groups)

    def _diagnosis(
        self, best: int, honest: ErrorEstimate, weights: dict[int, NDArray[np.float64]]
    ) -> AnyDiagnosis:
        """Of the choice: each way counts as much as it does in the error."""
        n_rows = self.ways.losses.shape[1]
        weights = {each: OF_OTHER_ROWS * weight for each, weight in weights.items()}
        weights[best] = weights.get(best, np.zeros(n_rows)) + (1 - OF_OTHER_ROWS) / n_rows
        cases = [(self.ways.rerun[each].tolist(), weight) for each, weight in weights.items()]
        return self.left_out.diagnosis(cases, honest)
