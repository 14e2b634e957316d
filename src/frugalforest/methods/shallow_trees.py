"""Shallow Tree Selection: buy whole small trees, and with them the features they use together.

1. Grow an ensemble of trees that bring few features: a stump for each, and a forest for each depth
   from 2; or, in place of depths, for numbers of features or amounts of money (`_tree_levels`).
2. Add the tree with the best gain in the ensemble's out-of-bag vote per extra price, until none
   fits.
3. The features of the chosen trees are the selection.

The votes after some trees were chosen do not depend on ξ or the budget, only on which trees: so
each such state is worked out once.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.engine import (
    ForestSettings,
    ShallowPart,
    ShallowTrees,
    TreeTally,
    grow_shallow,
)
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
from frugalforest.methods._tree_levels import TREES, Level, TreeKind, tree_weights
from frugalforest.methods.criterion import TradeOff
from frugalforest.problem import Problem
from frugalforest.words.formats import count

__all__ = ["ShallowTreeMethod", "ShallowTreeSelector"]

# Each tree brings a new feature, and all of them vote: so many say what there is to say.
_MOST_CHOSEN = 500
# What limits trees, and of which kind.
_LARGEST = {"max_depth": "depth", "tree_features": "features", "tree_cost": "cost"}


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

    Trees are ordered by level: those of the first n levels are the first ``n_up_to[n]``.
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
        n_levels: int,
        spent: float,
        largest_budget: Budget,
    ) -> _State:
        """The state after one more tree; the first one is before any."""
        mark = 0 if before is None else before.mark ^ _mark(tree)
        key = (mark, n_levels, largest_budget)
        if key not in self._known:
            chosen = [] if before is None else [tree, *before.chosen()]
            prices, group_cost = self.prices, self.prices.group_cost
            if len(group_cost):
                group_cost = group_cost.copy()
                group_cost[prices.group[selected & (prices.group >= 0)]] = 0.0
            error, trees, gain, cost = self.tally.offers(
                chosen,
                self.n_up_to[n_levels],
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
        self, budget: Budget, xis: Sequence[float], n_levels: int, largest_budget: Budget
    ) -> list[Candidate]:
        """Choose trees until none fits, for each ξ.

        `largest_budget` is the largest of those that share their states with this one.
        """
        selected, steps = start_steps(self.prices, budget)
        spent = float(self.prices.total(selected))
        start = self._state(None, -1, selected, n_levels, spent, largest_budget)
        found = []
        for xi in xis:
            chosen = self._path(start, budget, xi, n_levels, spent, largest_budget)
            path = [*steps, *chosen] or self._cheapest(budget)
            origin = Origin(ShallowTreeMethod.name, xi)
            found.append(Candidate.from_steps(self.prices, path, origin))
        return found

    def _path(
        self,
        state: _State,
        budget: Budget,
        xi: float,
        n_levels: int,
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
                state.after[best] = self._choose(state, best, n_levels, spent, largest_budget)
            step, state = state.after[best]
            steps.append(step)

    def _choose(
        self, state: _State, best: int, n_levels: int, spent: float, largest_budget: Budget
    ) -> tuple[Step, _State]:
        features = self.trees.features(state.trees[best]).tolist()
        selected = np.unpackbits(state.packed, count=self.prices.n_features).astype(bool)
        added = tuple(j for j in features if not selected[j])
        selected[list(added)] = True
        step = Step(added, float(state.trade.gain[best]), state.costs[best])
        tree = state.trees[best]
        return step, self._state(state, tree, selected, n_levels, spent, largest_budget)

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
    trees: str = "depth"
    tree_features: int | None = None
    tree_cost: float | None = None
    zeta: float | str = 0.0

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
        if self.trees not in TREES:
            raise ValueError(
                f"`trees` is {self.trees!r}: it must be 'depth', 'features' or 'cost'."
            )
        if self.max_depth is not None and not (
            _is_whole(self.max_depth) and int(self.max_depth) <= 16
        ):
            raise ValueError(f"`max_depth` is {self.max_depth!r}: it must be 1 to 16, or None.")
        if self.tree_features is not None and not _is_whole(self.tree_features):
            raise ValueError(
                f"`tree_features` is {self.tree_features!r}: it must be a whole number from 1, or "
                "None."
            )
        if self.tree_cost is not None and not 0 < _number(self.tree_cost) < math.inf:
            raise ValueError(
                f"`tree_cost` is {self.tree_cost!r}: it must be a number above 0, and finite, or "
                "None."
            )
        for name, kind in _LARGEST.items():
            if getattr(self, name) is not None and self.trees != kind:
                raise ValueError(
                    f"`{name}` limits trees only with trees={kind!r}, and `trees` is "
                    f"{self.trees!r}: leave it out."
                )
        if self.zeta != "xi" and not 0 <= _number(self.zeta) < math.inf:
            raise ValueError(
                f"`zeta` is {self.zeta!r}: it must be a number, 0 or more, and finite, or 'xi'."
            )

    def scaled_to(self, n_trees: int) -> Self:
        """Half as many trees for each depth as the scoring forests have."""
        return replace(self, n_trees=max(1, n_trees // 2))

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        trees = count(self.n_trees, "tree")
        levels = {
            "depth": f"{trees} for each depth from 2 up",
            "features": f"{trees} for each number of features from 2 up, to which a tree keeps",
            "cost": f"{trees} for each of some amounts of money, to which a tree keeps",
        }[self.trees]
        prices = "" if self.zeta == 0 else ", with splits that count for less if they cost more"
        return (
            f"Shallow tree selection grows small trees (a stump for each feature, and {levels}, as "
            f"far as the budget allows{prices}), adds the tree that most improves the ensemble’s "
            f"out-of-bag vote for its price, up to {_MOST_CHOSEN} times, and selects the features "
            "of the trees added."
        )

    @property
    def _kind(self) -> TreeKind:
        largest = {kind: getattr(self, name) for name, kind in _LARGEST.items()}
        return TreeKind(self.trees, largest[self.trees])

    def at(self, problem: Problem, budgets: Sequence[Budget], xis: Sequence[float]) -> Proposals:
        """For each budget one set for each ξ, in that order."""
        self._kind.check(problem.prices)
        levels = {b: self._kind.levels(problem.prices, b) for b in budgets}
        return {budget: self._paths(problem, budget, levels, xis) for budget in budgets}

    def _paths(
        self,
        problem: Problem,
        budget: Budget,
        levels: Mapping[Budget, tuple[Level, ...]],
        xis: Sequence[float],
    ) -> list[Candidate]:
        own = levels[budget]
        # Levels that go on where these end, for a larger budget, have these as their first.
        longest = max((all_ for all_ in levels.values() if all_[: len(own)] == own), key=len)
        largest_budget = max(b for b in levels if levels[b] == own)

        def path(zeta: float, some_xis: Sequence[float]) -> list[Candidate]:
            greedy = problem.remember(
                ("sts", self.n_trees, longest, self.rule, zeta),
                lambda: self._prepare(problem, longest, zeta),
            )
            return greedy.paths(budget, some_xis, len(own), largest_budget)

        if isinstance(self.zeta, str):
            return [candidate for xi in xis for candidate in path(float(xi), [xi])]
        return path(float(self.zeta), xis)

    def _prepare(self, problem: Problem, levels: Sequence[Level], zeta: float) -> _Greedy:
        allowed = np.flatnonzero(~problem.prices.excluded).tolist()
        # A stump's bootstrap sample is numbered by its feature's key, not by its place among the
        # columns, so that the order of columns with different ranks changes nothing.
        keys = problem.data.feature_keys
        stumps = [ShallowPart([j], 1, 1, problem.seed_for("sts", 1), int(keys[j])) for j in allowed]
        larger = [
            ShallowPart(
                allowed,
                self.n_trees,
                level.max_depth,
                problem.seed_for("sts", number),
                most_columns=level.most_features,
                most_weight=Budget(level.most_cost).left(0.0),
                zeta=zeta,
            )
            for number, level in enumerate(levels[1:], start=2)
        ]
        trees = grow_shallow(
            problem.data,
            problem.class_target,
            [*stumps, *larger],
            ForestSettings(),
            weights=tree_weights(problem.prices),
            n_jobs=problem.n_jobs,
        )
        n_up_to = {n: len(stumps) + (n - 1) * self.n_trees for n in range(1, len(levels) + 1)}
        return _Greedy(
            trees,
            n_up_to,
            TreeTally(trees, problem.class_target, problem.prices.group),
            problem.prices,
            problem.outcome.as_classes.chance_error,
            self.rule == "paper",
        )


def _is_whole(value: object) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _number(value: object) -> float:
    """NaN for what is none."""
    return float(value) if isinstance(value, Real) and not isinstance(value, bool) else math.nan


class ShallowTreeSelector(BudgetSelector):
    """Shallow Tree Selection: features that work together in small trees, within a budget.

    Parameters
    ----------
    {prices and ξ}
    n_trees : int, default=500
        Trees for each depth from 2 on (or number of features, or amount); depth 1 has one tree a
        feature.
    max_depth : int or None, default=None
        Depth of the deepest trees. By default the largest d, up to 5, such that the budget could
        buy 2^d − 1 features.
    rule : {"half", "paper"}, default="half"
        How rows without a vote count while trees are chosen: ½, or 1 as the paper prints it (and
        losses are then divided by their price).
    trees : {"depth", "features", "cost"}, default="depth"
        What keeps trees small: a depth, as in the paper; or trees grow until their leaves are pure,
        but split on so many features at the most, or on features for so much money at the most, and
        once there is nothing left on those only. Features that are in from the start do not count.
    tree_features : int or None, default=None
        With ``trees="features"``: trees for each number of features from 2 to this one. By default
        5, or as many as the budget could buy if that is fewer.
    tree_cost : float or None, default=None
        With ``trees="cost"``: the most that a tree may spend; there are also trees that may spend a
        half, a quarter, an eighth and a sixteenth of it. By default the budget.
    zeta : float or "xi", default=0.0
        The gain of a split is divided by (price / lowest price)^ζ for a feature that the tree has
        not used yet, so that cheap features are preferred when trees are grown, too. "xi" takes ξ.
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
        trees: str = "depth",
        tree_features: int | None = None,
        tree_cost: float | None = None,
        zeta: float | str = 0.0,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.n_trees = n_trees
        self.max_depth = max_depth
        self.rule = rule
        self.trees = trees
        self.tree_features = tree_features
        self.tree_cost = tree_cost
        self.zeta = zeta
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self, xis: Any) -> ShallowTreeMethod:
        """The method with this selector's parameters, for some values of ξ."""
        return ShallowTreeMethod(
            xis,
            self.n_trees,
            self.max_depth,
            self.rule,
            self.trees,
            self.tree_features,
            self.tree_cost,
            self.zeta,
        )
