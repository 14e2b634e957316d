"""The last sets of a search on part of the rows, which are judged on all of them.

A search on few rows is sure of what is far behind, not of what is best. So a dozen sets a budget
are raced, on parts of the rows that grow: after each part the better half goes on. The search's own
choice is in it to the end, and the judge decides as it does among ways.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from frugalforest.choice.judging import Judged, judge
from frugalforest.choice.left_out import LeftOut
from frugalforest.choice.pools import Configuration, Pool, PooledSet, pool_forests
from frugalforest.choice.shares import PackedShares, measured_sets
from frugalforest.costs import Budget
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.methods.criterion import lowest_first
from frugalforest.model.final import Final
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import OobScore, Score
from frugalforest.tables import Outcome

__all__ = ["ALL_ROWS", "MOST_ROWS", "Grow", "Grown", "grow_on", "judge_on_all_rows"]

_MOST_IN_RACE = 12
_FEWEST_IN_FINAL = 3

# Where forests are grown: on the parts of the race, 0, 1, …, on all rows but those held out, and
# on all rows.
MOST_ROWS, ALL_ROWS = -2, -1


@dataclass(frozen=True)
class Grown:
    """Of a set's forest: its out-of-bag scores, and what it says of rows held out, if there are.

    With a final model that is what this says, and `of_model` are its own out-of-bag scores;
    `of_forests` is then what the forest alone says, if it is a part of it.
    """

    oob: OobScore
    left_out: PackedShares | None = None
    of_model: OobScore | None = None
    of_forests: PackedShares | None = None


# Given where, and sets: a forest for each.
Grow = Callable[[int, Sequence[FeatureSet]], Mapping[FeatureSet, Grown]]


def grow_on(
    problem: Problem, parts: Parts, where: int, features: FeatureSet, final: Final | None
) -> Grown:
    """The forest of one set of a problem on all rows, grown on those of them that are asked for.

    Of the table only the columns of the set are coded. On all rows it is the forest that is handed
    over in the end.
    """
    small = problem.with_columns(features) if features else problem
    columns = tuple(range(len(features)))
    if where not in (MOST_ROWS, ALL_ROWS):
        small = small.on_rows(parts.race[where], problem.seed)
        return Grown(small.scores([columns], pool_forests(problem.forests))[0])
    held_out = None
    if where == MOST_ROWS:
        held_out = small.table.rows(parts.final.test)
        small = small.on_rows(parts.final.train, problem.seed)
    (score,), left_out, of_forests = measured_sets(small, [columns], held_out, None, final)
    own = small.scores([columns])[0]
    return Grown(own, left_out, None if final is None else score, of_forests)


def judge_on_all_rows(
    pool: Pool,
    searched: Mapping[Budget, Judged | None],
    parts: Parts,
    outcome: Outcome,
    seed: int,
    score: Score,
    final: Final | None,
    grow: Grow,
    groups: RowGroups | None = None,
) -> tuple[Pool, dict[Budget, Judged]]:
    """The best set for each budget by rows that the search did not see, or nothing.

    Parameters
    ----------
    pool : Pool
        Of the rows that were searched.
    searched : mapping of Budget to Judged or None
        What was judged best there; None if nothing was judged.
    parts : Parts
    outcome : Outcome
        Of all rows.
    seed, score, final
        As for `judge`.
    grow : callable
        Such as `grow_on`, for each set.
    groups : RowGroups, optional
        Of all rows.

    Returns
    -------
    pool : Pool
        Of the finalists, on all rows.
    judged : dict of Budget to Judged
        Without budgets that nothing was judged for, and that buy nothing.
    """
    finalists = {b: _finalists(pool, b, judged) for b, judged in searched.items()}
    finalists = {b: those for b, those in finalists.items() if those.sets}
    for part in range(len(parts.race)):
        racing = _features([those.racing for those in finalists.values()])
        grown = grow(part, racing)
        finalists = {b: those.after(grown) for b, those in finalists.items()}
    sets = _features([those.sets for those in finalists.values()])
    tested, whole = grow(MOST_ROWS, sets), grow(ALL_ROWS, sets)
    own, on_most = (_pool(pool, finalists, grown) for grown in (whole, tested))
    asked = outcome, list(finalists), seed, score, final, groups
    found = judge(own, [on_most], [parts.final], *asked)
    of_rows = score.for_rows(outcome.known)
    rows = LeftOut((on_most,), (parts.final,), outcome, of_rows, groups=groups)
    nothing = {
        budget: replace(judged, place=None, beside=())
        for budget, judged in searched.items()
        if judged is not None and budget not in finalists
    }
    return own, nothing | {
        budget: replace(
            judged,
            # On the parts that the search was repeated on: how stable it is.
            reruns=() if (before := searched[budget]) is None else before.reruns,
            beside=_others(own, rows, budget, judged),
            honest=_with_interval(judged.honest, own, rows, judged.place),
        )
        for budget, judged in found.items()
    }


@dataclass(frozen=True)
class _Finalists:
    """Sets in a race for a budget. Those that are seeded come to the final without it."""

    racing: tuple[PooledSet, ...]
    seeded: tuple[PooledSet, ...]

    @property
    def sets(self) -> tuple[PooledSet, ...]:
        return tuple(dict.fromkeys((*self.seeded, *self.racing)))

    def after(self, grown: Mapping[FeatureSet, Grown]) -> _Finalists:
        """The better half goes on, if that is enough for a final."""
        n_kept = max(_FEWEST_IN_FINAL, (len(self.racing) + 1) // 2)
        order = lowest_first(
            [grown[s.features].oob.value for s in self.racing], [s.cost for s in self.racing]
        )
        return replace(self, racing=tuple(self.racing[i] for i in order[:n_kept]))


def _finalists(pool: Pool, budget: Budget, judged: Judged | None) -> _Finalists:
    inner = pool.inner[budget.limit]
    numbers = dict.fromkeys(
        number
        for way, number in zip(pool.configurations, pool.set_of, strict=True)
        if way.limit in inner and budget.fits(pool.sets[number].cost)
    )
    sets = [pool.sets[number] for number in numbers if pool.sets[number].features]
    order = lowest_first([s.oob_score for s in sets], [s.cost for s in sets])
    own = [pool.baseline, None if judged is None else judged.place]
    seeded = [pool.sets[pool.set_of[place]] for place in own if place is not None]
    return _Finalists(
        tuple(sets[i] for i in order[:_MOST_IN_RACE]),
        tuple(dict.fromkeys(s for s in seeded if s.features)),
    )


def _compared_by(grown: Grown) -> OobScore:
    return grown.oob if grown.of_model is None else grown.of_model


def _features(sets: Sequence[Sequence[PooledSet]]) -> list[FeatureSet]:
    return list(dict.fromkeys(s.features for some in sets for s in some))


def _pool(
    searched: Pool, finalists: Mapping[Budget, _Finalists], grown: Mapping[FeatureSet, Grown]
) -> Pool:
    """Finalists as the judge looks at them: each set is a way of its own."""
    origin = {
        searched.sets[number].features: way
        for way, number in zip(searched.configurations, searched.set_of, strict=True)
    }
    sets = list(dict.fromkeys(s for those in finalists.values() for s in those.sets))
    ways: list[Configuration] = []
    set_of: list[int] = []
    for budget, those in finalists.items():
        for i, each in enumerate(those.sets):
            way = origin[each.features]
            limit = max(searched.inner[budget.limit])
            ways.append(Configuration(way.method, f"finalist {i}", way.xi, "", limit))
            set_of.append(sets.index(each))
    baseline = None
    if searched.baseline is not None:
        baseline = set_of.index(sets.index(searched.sets[searched.set_of[searched.baseline]]))
    return Pool(
        tuple(PooledSet.of(s.features, s.cost, _compared_by(grown[s.features])) for s in sets),
        tuple(ways),
        tuple(set_of),
        {repr(budget.limit): (max(searched.inner[budget.limit]),) for budget in finalists},
        _together([grown[s.features].left_out for s in sets]),
        searched.may_be_empty,
        baseline,
        _together([grown[s.features].of_forests for s in sets]),
    )


def _together(parts: Sequence[PackedShares | None]) -> PackedShares | None:
    packed = [part for part in parts if part is not None]
    return PackedShares.together(packed) if packed else None


def _with_interval(
    honest: ErrorEstimate, pool: Pool, rows: LeftOut, place: int | None
) -> ErrorEstimate:
    """The judge's estimate; if its rows are all the same, with the interval of so many rows."""
    if place is None or not np.isnan(honest.low):
        return honest
    (losses,), _ = rows.losses(0, np.array([pool.set_of[place]], dtype=np.intp))
    most = rows.score.highest(rows.outcome.width)
    own = rows.quote(ErrorEstimate.of_rows(losses, most, rows.groups_tested))
    moved: ErrorEstimate = own.moved_to(honest.error, most=most)
    return moved


def _others(pool: Pool, rows: LeftOut, budget: Budget, chosen: Judged) -> tuple[Judged, ...]:
    """The other finalists, each with its own error on the rows held out."""
    own = None if chosen.place is None else pool.set_of[chosen.place]
    places = [
        place
        for place, way in enumerate(pool.configurations)
        if way.limit in pool.inner[budget.limit] and pool.set_of[place] != own
    ]
    numbers = np.array([pool.set_of[place] for place in places], dtype=np.intp)
    most = rows.score.highest(rows.outcome.width)
    return tuple(
        Judged(place, rows.quote(ErrorEstimate.of_rows(losses, most, rows.groups_tested)), ())
        for place, losses in zip(places, rows.losses(0, numbers)[0], strict=True)
    )
