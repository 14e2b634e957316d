"""Which trees Shallow Tree Selection chooses from: stumps, and then larger trees, level by level.

Three ways to limit how much a tree brings, by what the budget can buy:

- depth: level d has trees of depth d;
- features: level k has trees that grow until their leaves are pure, and split on k features at the
  most: once they have k, on those only;
- cost: such trees, that may spend so much; each level twice as much as the one before, up to all.

Level 1 is a stump for each feature in all of them, so that whatever fits can be bought.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from frugalforest.costs import Budget, Prices
from frugalforest.engine import ColumnWeights
from frugalforest.methods._base import affordable
from frugalforest.words.formats import count, money

__all__ = ["TREES", "Level", "TreeKind", "largest_depth", "tree_weights"]

TREES = ("depth", "features", "cost")
_DEEPEST = 5
_MOST_FEATURES = 5
_N_AMOUNTS = 5


class Level(NamedTuple):
    """Trees of one kind: what limits them."""

    max_depth: int | None = None
    most_features: int | None = None
    most_cost: float = math.inf


_STUMPS = Level(max_depth=1)


@dataclass(frozen=True)
class TreeKind:
    """What limits a tree, up to where: the parameters of the method that say so.

    `trees` is one of `TREES`; `largest` is the deepest depth, the most features, or the most money,
    where None leaves it to the budget.
    """

    trees: str
    largest: float | None

    def levels(self, prices: Prices, budget: Budget) -> tuple[Level, ...]:
        """The levels for a budget, stumps first."""
        if self.trees == "depth":
            deepest = int(self.largest or largest_depth(prices, budget))
            return tuple(Level(max_depth=d) for d in range(1, deepest + 1))
        if self.trees == "features":
            most = int(self.largest or min(_MOST_FEATURES, _n_affordable(prices, budget)))
            return (_STUMPS, *(Level(most_features=k) for k in range(2, most + 1)))
        return (_STUMPS, *(Level(most_cost=amount) for amount in self._amounts(prices, budget)))

    def _amounts(self, prices: Prices, budget: Budget) -> list[float]:
        cheapest = prices.cheapest()
        if cheapest is None:
            return []
        spent = float(prices.total(_from_the_start(prices)))
        most = min(budget.limit, float(prices.total(~prices.excluded))) - spent
        if self.largest is not None:
            most = min(most, self.largest)
        amounts = [most / 2**i for i in reversed(range(_N_AMOUNTS))]
        return [amount for amount in amounts if Budget(amount).fits(cheapest[1])]

    def check(self, prices: Prices) -> None:
        """Refuse a limit that these features make meaningless."""
        if self.trees == "features" and (self.largest or 1) > prices.n_features:
            raise ValueError(
                f"`tree_features` is {self.largest}, but the table has "
                f"{count(prices.n_features, 'feature')}: give {prices.n_features} or less, or None."
            )
        cheapest = prices.cheapest()
        if self.trees == "cost" and self.largest is not None and cheapest is not None:
            column, price = cheapest
            if not Budget(self.largest).fits(price):
                raise ValueError(
                    f"`tree_cost` is {money(self.largest)}: the cheapest feature, "
                    f"{prices.feature_names[column]!r}, costs {money(price)}. Give that or more, "
                    "or None."
                )


def _from_the_start(prices: Prices) -> np.ndarray:
    return prices.free | prices.required


def tree_weights(prices: Prices) -> ColumnWeights:
    """Prices as trees take them: what is in from the start is free."""
    start = _from_the_start(prices)
    fees = prices.group_cost.copy()
    touched = prices.group[start]
    fees[touched[touched >= 0]] = 0.0
    to_buy = ~start & ~prices.excluded
    each = np.concatenate([prices.feature_cost[to_buy], prices.alone[to_buy]])
    least = float(each[each > 0].min(initial=math.inf))
    return ColumnWeights(
        prices.feature_cost, prices.group, fees, start, least if least < math.inf else 1.0
    )


def largest_depth(prices: Prices, budget: Budget) -> int:
    """The largest depth d, from 1 to 5, whose 2^d − 1 splits the budget can all buy.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> prices = CostModel(1.0).align(None, 20)
    >>> [largest_depth(prices, Budget.read(money)) for money in (1, 3, 7, None)]
    [1, 2, 3, 4]
    """
    return max((_n_affordable(prices, budget) + 1).bit_length() - 1, 1)


def _n_affordable(prices: Prices, budget: Budget) -> int:
    """How many features the budget buys, the cheapest first; at most what the deepest use."""
    most = 2**_DEEPEST - 1
    if len(prices.group_cost) == 0:
        cheapest_first = np.sort(prices.feature_cost[~prices.excluded])[:most]
        return int(np.count_nonzero(budget.fits(np.cumsum(cheapest_first))))
    bought = np.zeros(prices.n_features, dtype=bool)
    while np.count_nonzero(bought) < most:
        marginal = prices.marginal_each(bought)
        possible = affordable(prices, bought, marginal, budget)
        if not possible.any():
            break
        bought[np.where(possible, marginal, np.inf).argmin()] = True
    return int(np.count_nonzero(bought))
