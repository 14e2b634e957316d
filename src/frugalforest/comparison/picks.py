"""From pools to picks: which of a pooled method's sets is chosen for each budget, and its error."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from frugalforest.choice import Judged, Pool, judge
from frugalforest.comparison.plan import Plan
from frugalforest.comparison.tasks import AllRows, Pick, Resample
from frugalforest.evaluation.resampling import Split
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.methods.criterion import lowest
from frugalforest.problem import FeatureSet
from frugalforest.tables import Outcome

__all__ = ["Picked", "pick_sets"]


@dataclass(frozen=True)
class Picked:
    """A picked set, and what the resamples say of it; None without resamples.

    `alternatives` are what it was picked from, the pick first: features, price, and what the
    resamples say. `others` are what other ways came to.
    """

    pick: Pick
    judged: Judged | None
    alternatives: Sequence[tuple[FeatureSet, float, Judged]] = ()
    others: Sequence[tuple[FeatureSet, float, Judged]] = ()

    @classmethod
    def of(cls, pick: Pick, judged: Judged | None, pool: Pool) -> Self:
        """With the alternatives that it was judged with, in this pool."""
        if judged is None:
            return cls(pick, None)
        ways = [_alternative(pool, way) for way in (judged, *judged.beside)]
        return cls(pick, judged, ways, [_alternative(pool, way) for way in judged.others])


def pick_sets(
    plan: Plan,
    everything: AllRows,
    resamples: Sequence[Resample],
    splits: Sequence[Split],
    outcome: Outcome,
    groups: RowGroups | None = None,
) -> list[Picked]:
    """One set for each budget and each method that is judged on rows left out.

    Also for smaller amounts, where they buy something else with a lower error than any amount below
    them. Without resamples, the lowest out-of-bag score.
    """
    found = []
    for method in plan.judged_methods:
        pool = everything.pools[method.name]
        pools = [resample.pools[method.name] for resample in resamples]
        judged: dict[float, Judged] = {}
        if resamples:
            asked = outcome, plan.budgets, plan.seed, plan.score, plan.final, groups
            found_for = judge(pool, pools, splits, *asked)
            judged = {b.limit: replace(each, others=()) for b, each in found_for.items()}
            # One list is enough: that of the largest budget has them all.
            judged[plan.budgets[-1].limit] = found_for[plan.budgets[-1]]
            # In a table that is searched in part, each would be a race on many rows.
            judged |= _smaller(judged, pool) if plan.search_rows is None else {}
        place: int | None = None
        for limit in sorted({*judged, *(budget.limit for budget in plan.budgets)}):
            best = judged.get(limit)
            # What a smaller budget gets can be had for more money, too.
            place = _lowest_out_of_bag(pool, limit, place) if best is None else best.place
            pick = Pick(limit, method.name, *pool.chosen(place))
            found.append(Picked.of(pick, best, pool))
    return found


def _smaller(judged: Mapping[float, Judged], pool: Pool) -> dict[float, Judged]:
    """Sets for less than the largest budget that nobody asked for, where the frontier falls.

    By price: the smallest amount that buys them.
    """
    largest = judged[max(judged)]
    bought = (replace(largest, others=()), *largest.beside)
    known: dict[float, Judged] = {}
    for i, each in reversed(list(enumerate(bought))):
        price = _price(pool, each)
        # More money may buy a cheaper set: then what less bought is not within its price.
        within = tuple(other for other in bought[i + 1 :] if _price(pool, other) <= price)
        known[price] = replace(each, beside=within)
    known |= judged
    found: dict[float, Judged] = {}
    sets: set[FeatureSet] = {()}
    lowest = math.inf
    for amount, each in sorted(known.items()):
        features, _ = pool.chosen(each.place)
        if amount not in judged and features not in sets and each.honest.error < lowest:
            found[amount] = each
        sets.add(features)
        lowest = min(lowest, each.honest.error)
    return found


def _alternative(pool: Pool, way: Judged) -> tuple[FeatureSet, float, Judged]:
    return pool.chosen(way.place)[0], _price(pool, way), way


def _price(pool: Pool, way: Judged) -> float:
    return 0.0 if way.place is None else pool.sets[pool.set_of[way.place]].cost


def _lowest_out_of_bag(pool: Pool, budget: float, other: int | None) -> int:
    """The budget's configuration, or the other one, whose set has the lowest out-of-bag score."""
    sets = [pool.sets[i] for i in pool.set_of]
    limits = pool.inner[budget]
    within = [i for i, way in enumerate(pool.configurations) if way.limit in limits or i == other]
    best = lowest([sets[i].oob_score for i in within], [sets[i].cost for i in within])
    assert best is not None  # because forests of so many trees have out-of-bag votes
    return within[best]
