"""Shallow Tree Selection: buy whole small trees, and with them the features they use together.

1. Grow an ensemble of shallow trees: a stump for each feature, and a forest for each depth from 2.
2. Add the tree with the best gain in the ensemble's out-of-bag vote per extra price, until none
   fits.
3. The features of the chosen trees are the selection.

The votes after some trees were chosen do not depend on ξ or the budget, only on which trees: so
each such state is worked out once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.criterion import TradeOff
from frugalforest.engine import (
    ForestSettings,
    ShallowPart,
    ShallowTrees,
    TreeTally,
    grow_shallow,
)
from frugalforest.formats import count
from frugalforest.methods._base import (
    Candidate,
    Origin,
    Proposals,
    Step,
    affordable,
    register,
    start_steps,
)
from frugalforest.methods._ratio import RatioMethod
from frugalforest.methods._selector import BudgetSelector
from frugalforest.problem import Problem

__all__ = ["ShallowTreeMethod", "ShallowTreeSelector", "largest_depth"]

_DEEPEST = 5
# Each tree brings a new feature, and all of them vote: so many say what there is to say.
_MOST_CHOSEN = 500


def largest_depth(prices: Prices, budget: Budget) -> int:
    """The largest depth d, from 1 to 5, whose 2^d − 1 splits the budget can all buy.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel(1.0).align(None, 20)
    >>> [largest_depth(prices, Budget.read(money)) for money in (1, 3, 7, None)]
    [1, 2, 3, 4]
    """
    if len(prices.group_cost) == 0:
        cheapest_first = np.sort(prices.feature_cost[~prices.excluded])[: 2**_DEEPEST - 1]
        return _depth_of(int(np.count_nonzero(budget.fits(np.cumsum(cheapest_first)))))
    bought = np.zeros(prices.n_features, dtype=bool)
    while np.count_nonzero(bought) < 2**_DEEPEST - 1:
        marginal = prices.marginal_each(bought)
        possible = affordable(prices, bought, marginal, budget)
        if not possible.any():
            break
        bought[np.where(possible, marginal, np.inf).argmin()] = True
    return _depth_of(int(np.count_nonzero(bought)))


def _depth_of(n_features: int) -> int:
    return max((n_features + 1).bit_length() - 1, 1)


@dataclass(frozen=True)
class _State:
    """Chosen trees, the features they have paid for, and the trees worth looking at next.

    There are as many as choices on all paths. Each knows the tree chosen last and the state before,
    and its features as bits: with a list of all trees and features each, a budget that buys
    thousands of features took gigabytes.
    """

    before: _State | None
    tree: int
    mark: int  # of the set of chosen trees
    packed: NDArray[np.uint8]
    trees: list[int]
    costs: list[float]
    trade: TradeOff
    # What choosing one of `trees` leads to, by its place there: filled as paths come by.
    after: dict[int, tuple[Step, _State]] = field(default_factory=dict)

    def chosen(self) -> list[int]:
        """The chosen trees, the last first."""
        trees, state = [], self
        while state.before is not None:
            trees.append(state.tree)
            state = state.before
        return trees


def _mark(tree: int) -> int:
    """128 random bits of a tree; those of a set of trees are the exclusive or of theirs."""
    return int.from_bytes(blake2b(tree.to_bytes(8, "little"), digest_size=16).digest(), "little")


@dataclass
class _Greedy:
    """The greedy choice of trees, for all ξ and budgets of one problem.

    Trees are ordered by depth: those of depth up to d are the first ``n_up_to[d]``.
    """

    trees: ShallowTrees
    n_up_to: dict[int, int]
    tally: TreeTally
    prices: Prices
    chance_error: float
    paper_rule: bool
    _known: dict[tuple[int, int, Budget], _State] = field(default_factory=dict)

    def _state(
        self,
        before: _State | None,
        tree: int,
        selected: NDArray[np.bool_],
        depth: int,
        spent: float,
        largest_budget: Budget,
    ) -> _State:
        """The state after one more tree; the first one is before any."""
        mark = 0 if before is None else before.mark ^ _mark(tree)
        key = (mark, depth, largest_budget)
        if key not in self._known:
            chosen = [] if before is None else [tree, *before.chosen()]
            prices, group_cost = self.prices, self.prices.group_cost
            if len(group_cost):
                group_cost = group_cost.copy()
                group_cost[prices.group[selected & (prices.group >= 0)]] = 0.0
            error, trees, gain, cost = self.tally.offers(
                chosen,
                self.n_up_to[depth],
                np.where(selected, 0.0, prices.feature_cost),
                ~selected,
                group_cost,
                most_weight=largest_budget.left(spent),
                unvoted_is_wrong=self.paper_rule,
                # A tree that gains no more and costs no less than another is never the best, at
                # any ξ; a budget that it fits, the other fits, too. Not so for the printed rule.
                undominated_only=not self.paper_rule,
            )
            if self.paper_rule and not chosen:
                # The paper counts unvoted rows as wrong, but the empty ensemble as a coin.
                gain = gain - (error - self.chance_error)
            trade = TradeOff(gain, cost, divide_losses=self.paper_rule)
            self._known[key] = _State(
                before, tree, mark, np.packbits(selected), trees.tolist(), cost.tolist(), trade
            )
        return self._known[key]

    def paths(
        self, budget: Budget, xis: Sequence[float], depth: int, largest_budget: Budget
    ) -> list[Candidate]:
        """Choose trees until none fits, for each ξ.

        `largest_budget` is the largest of those that share their states with this one.
        """
        selected, steps = start_steps(self.prices, budget)
        spent = float(self.prices.total(selected))
        start = self._state(None, -1, selected, depth, spent, largest_budget)
        found = []
        for xi in xis:
            chosen = self._path(start, budget, xi, depth, spent, largest_budget)
            path = [*steps, *chosen] or self._cheapest(budget)
            origin = Origin(ShallowTreeMethod.name, xi)
            found.append(Candidate.from_steps(self.prices, path, origin))
        return found

    def _path(
        self,
        state: _State,
        budget: Budget,
        xi: float,
        depth: int,
        spent: float,
        largest_budget: Budget,
    ) -> list[Step]:
        steps: list[Step] = []
        while True:
            best = self._best(state.trade, xi, budget.left(spent))
            if best is None or len(steps) == _MOST_CHOSEN:
                return steps
            spent += state.costs[best]
            if best not in state.after:
                state.after[best] = self._choose(state, best, depth, spent, largest_budget)
            step, state = state.after[best]
            steps.append(step)

    def _choose(
        self, state: _State, best: int, depth: int, spent: float, largest_budget: Budget
    ) -> tuple[Step, _State]:
        features = self.trees.features(state.trees[best]).tolist()
        selected = np.unpackbits(state.packed, count=self.prices.n_features).astype(bool)
        added = tuple(j for j in features if not selected[j])
        selected[list(added)] = True
        step = Step(added, float(state.trade.gain[best]), state.costs[best])
        tree = state.trees[best]
        return step, self._state(state, tree, selected, depth, spent, largest_budget)

    def _cheapest(self, budget: Budget) -> list[Step]:
        """What to buy if no affordable feature is in any tree, because all are constant."""
        nothing = np.zeros(self.prices.n_features, dtype=bool)
        price = self.prices.marginal_each(nothing)
        possible = affordable(self.prices, nothing, price, budget)
        j = int(np.where(possible, price, np.inf).argmin())
        return [Step((j,), 0.0, float(price[j]))]

    def _best(self, trade: TradeOff, xi: float, most_cost: float) -> int | None:
        if not self.paper_rule:
            return trade.best_within(xi, most_cost)
        # All trees are offered: too many for a loop.
        possible = trade.cost <= most_cost
        return trade.best(xi, possible) if possible.any() else None


@register
@dataclass(frozen=True)
class ShallowTreeMethod(RatioMethod):
    """Shallow Tree Selection as a method."""

    n_trees: int = 500
    max_depth: int | None = None
    rule: str = "half"

    name: ClassVar[str] = "sts"
    label: ClassVar[str] = "Shallow trees"
    summary: ClassVar[str] = "buys whole small trees, and with them features that work together."
    colour: ClassVar[str] = "#009E73"
    marker: ClassVar[str] = "diamond"

    def __post_init__(self) -> None:
        super().__post_init__()
        ForestSettings(n_trees=self.n_trees)  # checks it
        if self.rule not in ("half", "paper"):
            raise ValueError(f"`rule` is {self.rule!r}: it must be 'half' or 'paper'.")
        if self.max_depth is not None and not (
            isinstance(self.max_depth, Integral)
            and not isinstance(self.max_depth, bool)
            and 1 <= self.max_depth <= 16
        ):
            raise ValueError(f"`max_depth` is {self.max_depth!r}: it must be 1 to 16, or None.")

    def scaled_to(self, n_trees: int) -> Self:
        """Half as many trees for each depth as the scoring forests have."""
        return replace(self, n_trees=max(1, n_trees // 2))

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        return (
            "Shallow tree selection grows small trees (a stump for each feature, and "
            f"{count(self.n_trees, 'tree')} for each depth from 2 up to at most {_DEEPEST}, as the "
            "budget allows), adds the tree that most improves the ensemble’s out-of-bag vote for "
            f"its price, up to {_MOST_CHOSEN} times, and selects the features of the trees added."
        )

    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""
        depths = {b: self.max_depth or largest_depth(problem.prices, b) for b in budgets}
        deepest = max(depths.values(), default=1)
        greedy = problem.remember(
            ("sts", self.n_trees, deepest, self.rule),
            lambda: self._prepare(problem, deepest),
        )
        largest = {
            depth: max(b for b in budgets if depths[b] == depth) for depth in depths.values()
        }
        return {b: greedy.paths(b, xis, depths[b], largest[depths[b]]) for b in budgets}

    def _prepare(self, problem: Problem, deepest: int) -> _Greedy:
        allowed = np.flatnonzero(~problem.prices.excluded).tolist()
        # A stump's bootstrap sample is numbered by its feature's key, not by its place among the
        # columns, so that the order of columns with different ranks changes nothing.
        keys = problem.data.feature_keys
        stumps = [ShallowPart([j], 1, 1, problem.seed_for("sts", 1), int(keys[j])) for j in allowed]
        deeper = [
            ShallowPart(allowed, self.n_trees, depth, problem.seed_for("sts", depth))
            for depth in range(2, deepest + 1)
        ]
        trees = grow_shallow(
            problem.data,
            problem.target,
            [*stumps, *deeper],
            ForestSettings(),
            n_jobs=problem.n_jobs,
        )
        n_up_to = {d: len(stumps) + (d - 1) * self.n_trees for d in range(1, deepest + 1)}
        return _Greedy(
            trees,
            n_up_to,
            TreeTally(trees, problem.target, problem.prices.group),
            problem.prices,
            problem.outcome.chance_error,
            self.rule == "paper",
        )


class ShallowTreeSelector(BudgetSelector):
    """Shallow Tree Selection: features that work together in small trees, within a budget.

    Parameters
    ----------
    {prices and ξ}
    n_trees : int, default=500
        Trees for each depth from 2 on; depth 1 has one tree a feature.
    max_depth : int or None, default=None
        Depth of the deepest trees. By default the largest d, up to 5, such that the budget could
        buy 2^d − 1 features.
    rule : {"half", "paper"}, default="half"
        How rows without a vote count while trees are chosen: ½, or 1 as the paper prints it (and
        losses are then divided by their price).
    {draws}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = ShallowTreeSelector(costs=[1, 2, 3] * 10, budget=5, random_state=0).fit(X, y)
    >>> selector.total_cost_
    5.0
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        n_trees: int = 500,
        max_depth: int | None = None,
        rule: str = "half",
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.rule = rule
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self, xis: Any) -> ShallowTreeMethod:
        """The method with this selector's parameters, for some values of ξ."""
        return ShallowTreeMethod(xis, self.n_trees, self.max_depth, self.rule)
