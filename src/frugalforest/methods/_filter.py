"""Filters: fixed benefits, best ratio first, until nothing more fits."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget
from frugalforest.methods._base import Candidate, Origin, Proposals, Step, start_steps
from frugalforest.methods._filling import Shop
from frugalforest.methods._ratio import RatioMethod
from frugalforest.methods._xi_path import swapping_lines, walk
from frugalforest.problem import Problem

__all__ = ["Filter"]


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
        prices, benefit = problem.prices, self.benefit(problem).tolist()
        selected, start = start_steps(prices, budget)
        paid_at_start = set(prices.group[selected].tolist())
        # A purchase is the same wherever it is made. There are steps by the million, sets times
        # features in a set: one object each would take gigabytes.
        group = prices.group.tolist()
        later = _purchases(benefit, prices.feature_cost)
        first = _purchases(benefit, prices.alone)
        found = []
        for xi, picked in picks:
            bought, steps = picked.tolist(), list(start)
            if len(prices.group_cost) == 0:
                steps += map(later.__getitem__, bought)
            else:
                paid = paid_at_start.copy()
                for j in bought:
                    steps.append(later[j] if group[j] in paid else first[j])
                    paid.add(group[j])
            found.append(Candidate.from_steps(prices, steps, Origin(self.name, xi)))
        return found


def _purchases(benefit: list[float], cost: NDArray[np.float64]) -> list[Step]:
    """For each feature the step that buys it."""
    return [
        Step((j,), gain, price)
        for j, (gain, price) in enumerate(zip(benefit, cost.tolist(), strict=True))
    ]
