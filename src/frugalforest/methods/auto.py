"""`auto`: the proposals of three methods pooled, also those for less money.

A budget is a ceiling, not a target: a set that was meant for half of the money may be the best.
So sets are proposed for a few smaller budgets, too. Which of them is taken is decided, where there
are resamples, by how the same *way* (a search, tuned, with an inner budget) does on rows left out;
see `frugalforest.choice.ways`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from frugalforest.costs import Budget, Prices
from frugalforest.methods._base import (
    NO_MORE,
    Candidate,
    Method,
    Origin,
    Proposals,
    register,
)
from frugalforest.methods.backward import Backward
from frugalforest.methods.linear import Linear
from frugalforest.methods.permutation import Permutation
from frugalforest.problem import Problem
from frugalforest.running.progress import note_step
from frugalforest.tables import Task

__all__ = ["Auto", "inner_budgets", "round_amounts"]

# Few values of ξ: between them the sets hardly differ, and each more set takes a forest.
_XIS = (0.0, 0.5, 1.0, 1.5)
_ROUND = (1, 2, 5)


def inner_budgets(prices: Prices, budget: Budget) -> list[Budget]:
    """The budgets that sets are proposed for: round amounts below the budget, and itself.

    From the cheapest feature on, without amounts that buy nothing more than the one before. They
    follow from the prices alone: without a limit they are the whole frontier, and a budget has
    those of them that are below it.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel([1.0, 3.0, 9.0]).align(None, 3)
    >>> [b.limit for b in inner_budgets(prices, Budget(12.0))]
    [1.0, 5.0, 10.0, 12.0]
    """
    # To twelve digits, well within a budget's tolerance: what a person would write.
    total = float(f"{prices.total(~prices.excluded):.12g}")
    limit = min(budget.limit, total)
    start = prices.free | prices.required
    spent, cheapest = float(prices.total(start)), prices.cheapest()
    least = max(spent, cheapest[1] if cheapest is not None else 0.0)
    if least <= 0 or limit <= 0:
        return [budget]
    price = spent + prices.marginal_each(start)
    kept: list[Budget] = []
    for amount in map(Budget, round_amounts(least, limit)):
        # All that it could buy is bought with the amount before, if that is enough for all of it.
        possible = start | (amount.fits(price) & ~prices.excluded)
        if amount.limit < limit and not (kept and kept[-1].fits(float(prices.total(possible)))):
            kept.append(amount)
    return [*kept, Budget(limit)]


def round_amounts(least: float, most: float) -> list[float]:
    """1, 2 and 5 times powers of ten, from `least` to `most`.

    Examples
    --------
    >>> round_amounts(0.3, 20.0)
    [0.5, 1.0, 2.0, 5.0, 10.0, 20.0]
    """
    powers = range(math.floor(math.log10(least)), math.floor(math.log10(most)) + 1)
    # Read from text, so that 0.1 is 0.1: a product with a power of ten may be off by a rounding.
    amounts = [float(f"{amount}e{power}") for power in powers for amount in _ROUND]
    return [a for a in amounts if least <= a <= most]


@register
@dataclass(frozen=True)
class Auto(Method):
    """Several methods' proposals, pooled, as a method.

    Of ten searches that were pooled at first, those of AUC, of shallow trees and of the linear
    surrogate backward could go: errors on 38 kinds of problems changed by −0.08 ± 0.11 points.
    Without the permutation filter they are 0.12 ± 0.06 higher, without elimination 0.16 ± 0.11.
    """

    pool: tuple[Method, ...] = field(
        default_factory=lambda: (
            Permutation(_XIS),
            Backward(),
            Linear(),
        )
    )

    name: ClassVar[str] = "auto"
    label: ClassVar[str] = "Auto"
    summary: ClassVar[str] = "pools three methods and keeps what does best on rows left out."
    number_words: ClassVar[tuple[str, str]] = (label, summary)
    colour: ClassVar[str] = "#AA3377"
    marker: ClassVar[str] = "pentagon"
    judged_on_rows_left_out: ClassVar[bool] = True

    def scaled_to(self, n_trees: int) -> Self:
        """Each method of the pool in its own proportion."""
        return replace(self, pool=tuple(method.scaled_to(n_trees) for method in self.pool))

    def propose(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        """What each method of the pool proposes for each budget and for round amounts below it."""
        inner = {budget: inner_budgets(problem.prices, budget) for budget in budgets}
        wanted = sorted({b for limits in inner.values() for b in limits})
        proposed: dict[Budget, list[Candidate]] = {b: [] for b in wanted}
        for method in self._pool_for(problem.outcome.task):
            note_step(f"{self.label}, {method.label}")
            for limit, candidates in method.propose(problem, wanted).items():
                proposed[limit] += [
                    replace(c, origin=replace(c.origin, budget=limit.limit)) for c in candidates
                ]
        for least in {limits[0] for limits in inner.values()}:
            proposed[least] += self._no_more(problem.prices, least)
        return {
            budget: [c for limit in limits for c in proposed[limit]]
            for budget, limits in inner.items()
        }

    def _pool_for(self, task: Task) -> tuple[Method, ...]:
        """Those of the pool that propose sets for such an outcome."""
        return tuple(method for method in self.pool if method.predicts(task))

    def _no_more(self, prices: Prices, budget: Budget) -> list[Candidate]:
        """To buy no more than what is free or required, if anything is."""
        start = np.flatnonzero(prices.start(budget)).tolist()
        origin = Origin(self.name, search=NO_MORE, variant=NO_MORE, budget=budget.limit)
        return [Candidate.from_set(prices, budget, start, origin)] if start else []

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        pool = self._pool_for("classification" if n_classes else "regression")
        own = " ".join(method.prose(n_classes) for method in pool)
        lowest = "graded out-of-bag error" if n_classes else "out-of-bag score"
        return (
            f"Auto pools the sets that {len(pool)} methods propose for the budget and for "
            f"smaller ones. {own} Of the sets that a search proposes and an amount pays for, the "
            f"one with the lowest {lowest} stands for it, on all rows and in each "
            "resample anew; on all rows, what stood for it in several resamples is among them."
        )
