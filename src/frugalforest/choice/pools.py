"""Pools: all sets that a method proposes on some rows, scored, and how each was come by."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.criterion import lowest
from frugalforest.engine import ForestSettings
from frugalforest.final import Final
from frugalforest.methods import Method
from frugalforest.problem import FeatureSet, Problem
from frugalforest.scores import row_errors
from frugalforest.tables import Table

__all__ = ["Configuration", "Pool", "PooledSet", "make_pool", "pool_forests"]

# A row's error is 0, 1, or 1 − 1/t with t classes in the lead: whole in this unit for t up to 6.
_UNIT = 240
# Sets are compared by the rows, which all of them share; trees beyond these hardly matter.
_SHARE_OF_TREES = 0.5
_FEWEST_TREES = 50


@dataclass(frozen=True)
class Configuration:
    """A way to a set: it leads to one on any rows. `limit` is the inner budget."""

    method: str
    xi: float | None
    variant: str
    limit: float


@dataclass(frozen=True)
class PooledSet:
    """A set with its price and out-of-bag error."""

    features: tuple[int, ...]
    cost: float
    oob_error: float


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
    errors : str
        Error of each set for each row left out, packed; empty if there are none.
    standards : tuple of int
        Configurations that others must clearly beat, one for each inner budget at most.
    may_be_empty : bool
        Whether buying nothing is a choice: no feature is free or required.
    """

    sets: tuple[PooledSet, ...]
    configurations: tuple[Configuration, ...]
    set_of: tuple[int, ...]
    inner_limits: dict[str, tuple[float, ...]]
    errors: str
    standards: tuple[int, ...]
    may_be_empty: bool

    @cached_property
    def inner(self) -> dict[float, tuple[float, ...]]:
        """For each budget, the inner budgets whose sets it may buy."""
        return {float(limit): limits for limit, limits in self.inner_limits.items()}

    def chosen(self, place: int | None) -> tuple[tuple[int, ...], float | None]:
        """The set of a configuration and its ξ; the empty set for None."""
        if place is None:
            return (), None
        return self.sets[self.set_of[place]].features, self.configurations[place].xi

    def to_table(self) -> dict[str, NDArray[Any]]:
        """One entry a configuration: method, xi, budget, features, n_features, cost, error."""
        sets = [self.sets[i] for i in self.set_of]
        features = np.empty(len(sets), dtype=object)
        features[:] = [s.features for s in sets]
        ways = self.configurations
        return {
            "method": np.array([way.method for way in ways]),
            "xi": np.array([np.nan if way.xi is None else way.xi for way in ways]),
            "budget": np.array([way.limit for way in ways]),
            "features": features,
            "n_features": np.array([len(s.features) for s in sets]),
            "total_cost": np.array([s.cost for s in sets]),
            "oob_error": np.array([s.oob_error for s in sets]),
        }

    def row_errors(self) -> NDArray[np.float64]:
        """Error of each set (rows) for each row left out (columns)."""
        packed = zlib.decompress(base64.b64decode(self.errors))
        return np.frombuffer(packed, dtype=np.uint8).reshape(len(self.sets), -1) / _UNIT


def pool_forests(n_trees: int) -> ForestSettings:
    """The forests that pooled sets are compared by."""
    return ForestSettings(
        n_trees=max(min(n_trees, _FEWEST_TREES), round(_SHARE_OF_TREES * n_trees))
    )


def make_pool(
    problem: Problem,
    method: Method,
    budgets: Sequence[Budget],
    left_out: tuple[Table, NDArray[np.intp]] | None = None,
    final: Final | None = None,
) -> Pool:
    """All that a method proposes, each set scored once.

    Parameters
    ----------
    left_out : (table, labels), optional
        Rows to test on.
    final : Final, optional
        What is tested, if not the forest.
    """
    found: dict[Configuration, tuple[int, ...]] = {}
    price: dict[tuple[int, ...], float] = {}
    inner: dict[str, tuple[float, ...]] = {}
    for budget, candidates in method.propose(problem, budgets).items():
        limits: dict[float, None] = {}
        for c in candidates:
            limit = budget.limit if c.origin.budget is None else c.origin.budget
            limits[limit] = None
            found[Configuration(c.origin.method, c.origin.xi, c.origin.variant, limit)] = c.features
            price[c.features] = c.cost
        inner[repr(budget.limit)] = tuple(limits)
    sets = sorted(price)
    forests = pool_forests(problem.forests.n_trees)
    errors = ""
    if left_out is not None:
        errors = _on_rows_left_out(problem, sets, *left_out, forests, final)
    scored = {
        features: PooledSet(features, price[features], score.oob_error)
        for features, score in zip(sets, problem.scores(sets, forests), strict=True)
    }
    standards = _standards(method, found, scored)
    found |= standards
    number = {features: i for i, features in enumerate(sets)}
    place = {way: i for i, way in enumerate(found)}
    return Pool(
        tuple(scored.values()),
        tuple(found),
        tuple(number[features] for features in found.values()),
        inner,
        errors,
        tuple(place[way] for way in standards),
        not (problem.prices.free | problem.prices.required).any(),
    )


def _on_rows_left_out(
    problem: Problem,
    sets: Sequence[FeatureSet],
    table: Table,
    labels: NDArray[np.intp],
    forests: ForestSettings,
    final: Final | None,
) -> str:
    """Errors by set and row, packed."""
    if final is None:
        votes = problem.predict(sets, table, forests)
        errors = np.stack([row_errors(v, labels) for v in votes])
    else:
        errors = final.row_errors(problem, sets, table, labels)
    whole = np.round(errors * _UNIT).astype(np.uint8).tobytes()
    return base64.b64encode(zlib.compress(whole)).decode()


def _standards(
    method: Method,
    found: Mapping[Configuration, FeatureSet],
    scored: Mapping[FeatureSet, PooledSet],
) -> dict[Configuration, FeatureSet]:
    """For each inner budget, what the method's standard would choose by out-of-bag error."""
    standards = {}
    for limit in sorted({way.limit for way in found}):
        own = [w for w in found if (w.method, w.limit) == (method.standard, limit)]
        sets = [scored[found[way]] for way in own]
        best = lowest([s.oob_error for s in sets], [s.cost for s in sets])
        if best is not None:
            way = Configuration(own[best].method, None, "tuned", limit)
            standards[way] = sets[best].features
    return standards
