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
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Prices, fits
from frugalforest.criterion import TradeOff, printed_bcr
from frugalforest.engine import (
    ForestSettings,
    ShallowPart,
    ShallowTrees,
    Target,
    grow_shallow,
)
from frugalforest.problem import Problem
from frugalforest.selectors._base import (
    BudgetSelector,
    Candidate,
    Candidates,
    Step,
    start_steps,
)

__all__ = ["ShallowTreeMethod", "ShallowTreeSelector", "largest_depth"]

_DEEPEST = 5


def largest_depth(prices: Prices, budget: float | None) -> int:
    """The largest depth d, from 1 to 5, whose 2^d − 1 splits the budget can all buy.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel(1.0).align(None, 20)
    >>> [largest_depth(prices, budget) for budget in (1, 3, 7, None)]
    [1, 2, 3, 4]
    """
    open_ = ~prices.excluded
    affordable = np.sort(prices.feature_cost[open_])
    n_features = int(np.count_nonzero(fits(np.cumsum(affordable), budget)))
    depth = (n_features + 1).bit_length() - 1
    return min(max(depth, 1), _DEEPEST)


@dataclass
class _BaseEnsemble:
    """Shallow trees, ordered by depth: those of depth up to d are the first `n_up_to[d]`."""

    trees: ShallowTrees
    n_up_to: dict[int, int]


@dataclass(frozen=True)
class _State:
    """What every tree would gain and cost, given the chosen ones."""

    trade: TradeOff
    has_new_feature: NDArray[np.bool_]


@dataclass
class _Greedy:
    """The greedy choice of trees for all ξ and budgets of one problem."""

    base: _BaseEnsemble
    target: Target
    prices: Prices
    chance_error: float
    paper_rule: bool
    _states: dict[tuple[frozenset[int], bytes], _State] = field(default_factory=dict)

    @cached_property
    def _groups_of_trees(self) -> ShallowTrees:
        """The trees again, with the groups they touch in place of their columns."""
        trees, group = self.base.trees, self.prices.group
        touched = [np.unique(group[trees.features(t)]) for t in range(len(trees))]
        touched = [g[g >= 0].astype(np.uint32) for g in touched]
        start = np.cumsum([0, *(len(g) for g in touched)], dtype=np.uint32)
        return ShallowTrees(trees.votes, start, np.concatenate([*touched, np.empty(0, np.uint32)]))

    def _state(self, chosen: Sequence[int], selected: NDArray[np.bool_]) -> _State:
        key = (frozenset(chosen), selected.tobytes())
        if key not in self._states:
            trees = self.base.trees
            error, gain = trees.gains(self.target, chosen, unvoted_is_wrong=self.paper_rule)
            if self.paper_rule and not chosen:
                # The paper counts unvoted rows as wrong, but the empty ensemble as a coin.
                gain = gain - (error - self.chance_error)
            cost = trees.sums(np.where(selected, 0.0, self.prices.feature_cost))
            if len(self.prices.group_cost):
                paid = np.zeros(len(self.prices.group_cost), dtype=bool)
                paid[self.prices.group[selected & (self.prices.group >= 0)]] = True
                cost += self._groups_of_trees.sums(np.where(paid, 0.0, self.prices.group_cost))
            new = trees.sums((~selected).astype(np.float64)) > 0
            self._states[key] = _State(TradeOff(gain, cost), new)
        return self._states[key]

    def path(self, budget: float | None, xi: float, depth: int) -> Candidate:
        selected, steps = start_steps(self.prices, budget)
        n_trees = self.base.n_up_to[depth]
        chosen: list[int] = []
        spent = float(self.prices.total(selected))
        while True:
            state = self._state(chosen, selected)
            possible = state.has_new_feature & fits(spent + state.trade.cost, budget)
            possible[n_trees:] = False
            if not possible.any():
                return Candidate.from_steps(self.prices, steps)
            tree = self._best(state.trade, xi, possible)
            added = [j for j in self.base.trees.features(tree).tolist() if not selected[j]]
            chosen.append(tree)
            selected[added] = True
            cost = float(state.trade.cost[tree])
            steps.append(Step(tuple(added), float(state.trade.gain[tree]), cost))
            spent = float(self.prices.total(selected))

    def _best(self, trade: TradeOff, xi: float, possible: NDArray[np.bool_]) -> int:
        if not self.paper_rule:
            return trade.best(xi, possible)
        index = np.flatnonzero(possible)
        gain, cost = trade.gain[index], trade.cost[index]
        ratio = printed_bcr(gain, cost, xi)
        return int(index[np.lexsort((cost, -gain, -ratio))[0]])


@dataclass(frozen=True)
class ShallowTreeMethod:
    """Shallow Tree Selection as a method."""

    n_trees: int = 500
    max_depth: int | None = None
    rule: str = "half"
    exact: bool = False

    def __post_init__(self) -> None:
        if self.rule not in ("half", "paper"):
            raise ValueError(f"`rule` is {self.rule!r}: it must be 'half' or 'paper'.")
        if self.max_depth is not None and not 1 <= self.max_depth <= 16:
            raise ValueError(f"`max_depth` is {self.max_depth!r}: it must be 1 to 16, or None.")

    def candidates(
        self, problem: Problem, budgets: Sequence[float | None], xis: Sequence[float]
    ) -> Candidates:
        """The set for each budget and ξ."""
        depths = {b: self.max_depth or largest_depth(problem.prices, b) for b in budgets}
        deepest = max(depths.values(), default=1)
        greedy = problem.remember(
            ("sts", self.n_trees, deepest, self.rule),
            lambda: _Greedy(
                self._grow(problem, deepest),
                problem.target,
                problem.prices,
                problem.chance_error,
                self.rule == "paper",
            ),
        )
        return {(b, xi): greedy.path(b, xi, depths[b]) for b in budgets for xi in xis}

    def _grow(self, problem: Problem, deepest: int) -> _BaseEnsemble:
        allowed = np.flatnonzero(~problem.prices.excluded).tolist()
        # A stump's bootstrap sample is numbered by its feature's key, not by its place among the
        # columns: the order of the columns changes nothing.
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
        return _BaseEnsemble(trees, n_up_to)

    def critical_xis(self, problem: Problem, budget: float | None) -> list[float]:
        """Not enumerable: gains depend on what is in already."""
        raise NotImplementedError


class ShallowTreeSelector(BudgetSelector):
    """Shallow Tree Selection: features that work together in small trees, within a budget.

    Parameters
    ----------
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budget : float or None
        Most that the features may cost together; no limit by default.
    xi : float, default=1.0
        Weight of cost: gain / cost^ξ. 0 ignores cost.
    n_trees : int, default=500
        Trees for each depth from 2 on; depth 1 has one tree a feature.
    max_depth : int or None, default=None
        Depth of the deepest trees. By default the largest d, up to 5, such that the budget could
        buy 2^d − 1 features.
    rule : {"half", "paper"}, default="half"
        How rows without a vote count while trees are chosen: ½, or 1 as the paper prints it (and
        losses are then divided by their price).
    random_state : int, NumPy generator or None
    n_jobs : int or None
        Threads. Results do not depend on it.

    Attributes
    ----------
    support_ : ndarray of bool
        The chosen columns.
    total_cost_ : float
        What they cost together.
    path_ : dict of ndarrays
        One entry a step: features added, gain, cost, cumulative_cost.

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

    def method(self) -> ShallowTreeMethod:
        """The method with this selector's parameters."""
        return ShallowTreeMethod(self.n_trees, self.max_depth, self.rule)
