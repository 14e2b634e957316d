"""Pools: all sets that a method proposes on some rows, scored, and how each was come by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.shares import PackedShares, measured_sets
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import Method
from frugalforest.methods._base import NO_MORE
from frugalforest.methods.criterion import lowest
from frugalforest.model.final import Final
from frugalforest.problem import FeatureSet, Problem
from frugalforest.running.progress import note_step
from frugalforest.scores import OobScore
from frugalforest.tables import Table

__all__ = ["Configuration", "Pool", "PooledSet", "make_pool", "pool_forests"]

# Sets are compared by the rows, which all of them share; trees beyond these hardly matter.
_SHARE_OF_TREES = 0.5
_FEWEST_TREES, _MOST_TREES = 50, 250
# Of what is proposed for an inner budget, the best for less of it is known at no further forest.
# With these parts no step between neighboring round amounts is by more than a factor of 1.28.
_PARTS = (0.8, 0.63, 0.5)

# Method, search, inner budget, and what of it may be spent.
Way = tuple[str, str, float, float]
# An inner budget, and what of it may be spent.
Amount = tuple[float, float]


@dataclass(frozen=True)
class Configuration:
    """How a set is come by, on any rows: see `Origin`. `limit` is the inner budget."""

    method: str
    search: str
    xi: float | None
    variant: str
    limit: float

    @property
    def asked(self) -> tuple[str, str, float]:
        """The search with its inner budget, of whose sets this leads to one."""
        return self.method, self.search, self.limit


@dataclass(frozen=True)
class PooledSet:
    """A set with its price and out-of-bag scores: see `OobScore`."""

    features: tuple[int, ...]
    cost: float
    oob_score: float
    graded: float
    power: float

    @classmethod
    def of(cls, features: FeatureSet, cost: float, score: OobScore) -> Self:
        """With what a forest of the set came to."""
        return cls(features, cost, score.value, score.graded, score.power)


@dataclass(frozen=True)
class Pool:
    """Configurations and the sets they lead to.

    Attributes
    ----------
    sets : tuple of PooledSet
    configurations : tuple of Configuration
    set_of : tuple of int
        The set of each configuration.
    inner : dict of float to tuple of float
        For each budget, the inner budgets whose sets it may buy. Keys are written as text.
    left_out : PackedShares or None
        What the forest of each set says of each row left out; None if there are none.
    may_be_empty : bool
        Whether buying nothing is a choice: no feature is free or required.
    baseline : int or None
        Configuration of what is free or required, and nothing else.
    of_forests : PackedShares or None
        What the forests alone say of rows left out, where they are a part of the final model.
    """

    sets: tuple[PooledSet, ...]
    configurations: tuple[Configuration, ...]
    set_of: tuple[int, ...]
    inner_limits: dict[str, tuple[float, ...]]
    left_out: PackedShares | None
    may_be_empty: bool
    baseline: int | None = None
    of_forests: PackedShares | None = None

    @cached_property
    def inner(self) -> dict[float, tuple[float, ...]]:
        """For each budget, the inner budgets whose sets it may buy."""
        return {float(limit): limits for limit, limits in self.inner_limits.items()}

    def amounts(self, budget: Budget) -> list[Amount]:
        """What may be spent up to a budget, ascending: each with the inner budget it belongs to."""
        found: list[Amount] = []
        for limit in sorted(self.inner[budget.limit]):
            below = Budget(found[-1][1] if found else 0.0)
            found += [(limit, a) for a in reversed(_parts(limit)) if not below.fits(a)]
        return found

    @cached_property
    def searches(self) -> dict[tuple[str, str, float], list[int]]:
        """The configurations of each search with an inner budget: the sets that it proposes."""
        found: dict[tuple[str, str, float], list[int]] = {}
        for place, each in enumerate(self.configurations):
            found.setdefault(each.asked, []).append(place)
        return found

    @cached_property
    def ways(self) -> dict[Way, int]:
        """For each way the configuration that it is tuned to: see `_best`."""
        ways = {}
        for (method, search, limit), places in self.searches.items():
            for amount in _parts(limit):
                fits = Budget(amount).fits
                places = [place for place in places if fits(self.sets[self.set_of[place]].cost)]
                best = _best([self.sets[self.set_of[place]] for place in places])
                if best is not None:
                    ways[method, search, limit, amount] = places[best]
        return ways

    def with_configurations(self, found: Mapping[Configuration, PooledSet]) -> Pool:
        """With more of them, and their sets; for a pool without rows left out."""
        sets = {s.features: s for s in self.sets}
        for each in found.values():
            sets.setdefault(each.features, each)
        number = {features: i for i, features in enumerate(sets)}
        return replace(
            self,
            sets=tuple(sets.values()),
            configurations=(*self.configurations, *found),
            set_of=(*self.set_of, *(number[each.features] for each in found.values())),
        )

    def chosen(self, place: int | None) -> tuple[tuple[int, ...], float | None]:
        """The set of a configuration and its ξ; the empty set for None."""
        if place is None:
            return (), None
        return self.sets[self.set_of[place]].features, self.configurations[place].xi

    def to_table(self, budget: Budget) -> dict[str, NDArray[Any]]:
        """Configurations for a budget: method, xi, budget, features, n_features, cost, score."""
        limits = self.inner[budget.limit]
        places = [i for i, way in enumerate(self.configurations) if way.limit in limits]
        ways = [self.configurations[i] for i in places]
        sets = [self.sets[self.set_of[i]] for i in places]
        features = np.empty(len(sets), dtype=object)
        features[:] = [s.features for s in sets]
        return {
            "method": np.array([way.method for way in ways]),
            "xi": np.array([np.nan if way.xi is None else way.xi for way in ways]),
            "budget": np.array([way.limit for way in ways]),
            "features": features,
            "n_features": np.array([len(s.features) for s in sets]),
            "total_cost": np.array([s.cost for s in sets]),
            "score": np.array([s.oob_score for s in sets]),
        }


def pool_forests(forests: ForestSettings) -> ForestSettings:
    """The forests that pooled sets are compared by."""
    n_trees = forests.n_trees
    fewer = max(min(n_trees, _FEWEST_TREES), round(_SHARE_OF_TREES * n_trees))
    return replace(forests, n_trees=min(fewer, _MOST_TREES))


def make_pool(
    problem: Problem,
    method: Method,
    budgets: Sequence[Budget],
    left_out: Table | None = None,
    final: Final | None = None,
) -> Pool:
    """All that a method proposes, each set scored once.

    Parameters
    ----------
    left_out : Table, optional
        Rows to test on.
    final : Final, optional
        What is tested, if not the forest, and scored, if it has out-of-bag scores.
    """
    found: dict[Configuration, tuple[int, ...]] = {}
    price: dict[tuple[int, ...], float] = {}
    inner: dict[str, tuple[float, ...]] = {}
    for budget, candidates in method.propose(problem, budgets).items():
        limits: dict[float, None] = {}
        for c in candidates:
            of = c.origin
            limit = budget.limit if of.budget is None else of.budget
            limits[limit] = None
            found[Configuration(of.method, of.search, of.xi, of.variant, limit)] = c.features
            price[c.features] = c.cost
        inner[repr(budget.limit)] = tuple(limits)
    sets = sorted(price)
    note_step(f"{method.label}, forests of {len(sets)} sets")
    forests = pool_forests(problem.forests)
    scores, on_left_out, of_forests = measured_sets(problem, sets, left_out, forests, final)
    scored = {
        features: PooledSet.of(features, price[features], score)
        for features, score in zip(sets, scores, strict=True)
    }
    number = {features: i for i, features in enumerate(sets)}
    baseline = [place for place, each in enumerate(found) if each.search == NO_MORE]
    return Pool(
        tuple(scored.values()),
        tuple(found),
        tuple(number[features] for features in found.values()),
        inner,
        on_left_out,
        not (problem.prices.free | problem.prices.required).any(),
        baseline[0] if baseline else None,
        of_forests,
    )


def _parts(limit: float) -> list[float]:
    """The inner budget, and less of it, to twelve digits: as a person would write them."""
    return [limit, *(float(f"{limit * part:.12g}") for part in _PARTS)]


def _best(sets: Sequence[PooledSet]) -> int | None:
    """The lowest graded score out of bag: what hesitates will err more on new rows."""
    return lowest([s.graded for s in sets], [s.cost for s in sets])
