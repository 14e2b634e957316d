"""Filters: fixed benefits, best ratio first, until nothing more fits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.methods._base import Candidate, Origin, Proposals, Step, start_steps
from frugalforest.methods._filling import Shop
from frugalforest.methods._ratio import RatioMethod
from frugalforest.methods._xi_path import swapping_lines, walk
from frugalforest.problem import Problem

__all__ = ["Filter"]

# Sets that are priced together: of 10,000 features, they take 5 MB.
_TOGETHER = 64


@dataclass(frozen=True)
class Filter(RatioMethod):
    """A method that rates each feature once."""

    exact: ClassVar[bool] = True

    @abstractmethod
    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature."""

    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""
        found = {}
        for budget in budgets:
            shop = Shop(problem.prices, self.benefit(problem), budget)
            found[budget] = self._candidates(problem, budget, ((xi, shop.fill(xi)) for xi in xis))
        return found

    def whole_path(self, problem: Problem, budget: Budget) -> list[Candidate]:
        """One set for each run of equal sets along ξ, ascending."""
        prices, benefit = problem.prices, self.benefit(problem)
        swapping = problem.remember(
            ("swapping lines", self), lambda: swapping_lines(prices, benefit)
        )
        return self._candidates(problem, budget, walk(Shop(prices, benefit, budget), swapping))

    def _candidates(
        self, problem: Problem, budget: Budget, picks: Iterable[tuple[float, NDArray[np.intp]]]
    ) -> list[Candidate]:
        prices = problem.prices
        selected, start = start_steps(prices, budget)
        # A purchase is the same wherever it is made. There are steps by the million, sets times
        # features in a set: one object each would take gigabytes.
        purchases = problem.remember(
            ("purchases", self), lambda: _purchases(self.benefit(problem), prices)
        )
        paid_at_start = np.isin(prices.group, prices.group[selected])
        found: list[Candidate] = []
        remaining = iter(picks)
        while part := list(islice(remaining, _TOGETHER)):
            bought = np.tile(selected, (len(part), 1))
            for mask, (_, picked) in zip(bought, part, strict=True):
                mask[picked] = True
            costs = prices.total(bought).tolist()
            for mask, cost, (xi, picked) in zip(bought, costs, part, strict=True):
                pays_no_fee = paid_at_start[picked]
                if len(prices.group_cost):
                    pays_no_fee |= ~_first_of_their_kind(prices.group[picked])
                which = picked + problem.n_features * pays_no_fee
                steps = (*start, *map(purchases.__getitem__, which.tolist()))
                features = tuple(np.flatnonzero(mask).tolist())
                found.append(Candidate(features, cost, steps, Origin(self.name, xi)))
        return found


def _first_of_their_kind(values: NDArray[np.intp]) -> NDArray[np.bool_]:
    first = np.zeros(len(values), dtype=bool)
    first[np.unique(values, return_index=True)[1]] = True
    return first


def _purchases(benefit: NDArray[np.float64], prices: Prices) -> list[Step]:
    """The steps that buy the features as the first of their groups, then those as later ones."""

    def steps(costs: NDArray[np.float64]) -> list[Step]:
        pairs = zip(benefit.tolist(), costs.tolist(), strict=True)
        return [Step((j,), gain, cost) for j, (gain, cost) in enumerate(pairs)]

    later = steps(prices.feature_cost)
    return (steps(prices.alone) if len(prices.group_cost) else later) + later
