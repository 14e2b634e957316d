"""Prices bound to the columns of one table: what the methods compute with."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs._given import column_of, feature_items, is_mask
from frugalforest.costs.budget import Budget
from frugalforest.errors import BudgetError, CostError
from frugalforest.words.wording import listed

__all__ = ["Prices"]


@dataclass(frozen=True, eq=False)
class Prices:
    """Prices bound to the columns of a table. Made by `CostModel.align`.

    Wherever a set of features is asked for, it may be column indices, column names or a boolean
    mask with one entry per column.

    Attributes
    ----------
    feature_cost : ndarray of float64, shape (n_features,)
        What each feature adds once its group is paid for.
    group : ndarray of int64, shape (n_features,)
        Each feature's group; -1 is none.
    group_cost : ndarray of float64, shape (n_groups,)
        The fee that comes with a group's first feature.
    group_names : tuple
        The groups' labels as the user wrote them.
    feature_names : tuple of str
        Column names; "x0", "x1", ... if the table has none.
    required, excluded : ndarray of bool, shape (n_features,)
        Features that must, and that must not, be chosen.
    screened : ndarray of bool, shape (n_features,)
        Those of the excluded that the user did not exclude; see `excluding`.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> model = CostModel(
    ...     {"age": 0, "chol": 5, "fbs": 3}, groups={"chol": "blood", "fbs": "blood"},
    ...     group_costs={"blood": 2},
    ... )
    >>> prices = model.align(["age", "chol", "fbs"])
    >>> prices.total(["chol", "fbs"])
    10.0
    >>> prices.marginal_each(["chol"])
    array([0., 0., 3.])
    """

    feature_cost: NDArray[np.float64]
    group: NDArray[np.int64]
    group_cost: NDArray[np.float64]
    group_names: tuple[Hashable, ...]
    feature_names: tuple[str, ...]
    required: NDArray[np.bool_]
    excluded: NDArray[np.bool_]
    screened: NDArray[np.bool_] = field(default_factory=lambda: np.zeros(0, dtype=bool))

    def __post_init__(self) -> None:
        if not len(self.screened):
            object.__setattr__(self, "screened", np.zeros(len(self.excluded), dtype=bool))
        for value in vars(self).values():
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def n_features(self) -> int:
        """Number of columns."""
        return len(self.feature_names)

    @cached_property
    def alone(self) -> NDArray[np.float64]:
        """Price of each feature when it is the first of its group."""
        return self.feature_cost + self._fee_of_each(self.group_cost)

    @cached_property
    def free(self) -> NDArray[np.bool_]:
        """Features that cost nothing, even as the first of their group, and are not excluded."""
        costs_nothing: NDArray[np.bool_] = self.alone == 0
        return costs_nothing & ~self.excluded

    def total(self, selected: Any) -> Any:
        """Price of a set of features; every feature and every fee is paid once.

        Parameters
        ----------
        selected : column indices, names, mask, or bool matrix of shape (n_sets, n_features)

        Returns
        -------
        float, or ndarray of float64 with one price per set if `selected` is a matrix.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> prices = CostModel([5, 3], groups=["blood", "blood"], group_costs={"blood": 2}).align(
        ...     None, n_features=2
        ... )
        >>> prices.total([0]), prices.total([0, 1]), prices.total([])
        (7.0, 10.0, 0.0)
        >>> prices.total(np.array([[True, False], [True, True]]))
        array([ 7., 10.])
        """
        return self._price(self._masks(selected), self.group_cost)

    def marginal(self, selected: Any, added: Any) -> Any:
        """Price of `added` when `selected` is paid for.

        A fee is paid with the group's first feature, so this can fall as `selected` grows. It
        never rises.

        Parameters
        ----------
        selected : column indices, names or mask
        added : column indices, names, mask, or bool matrix of shape (n_sets, n_features)

        Returns
        -------
        float, or ndarray of float64 with one price per set if `added` is a matrix.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> prices = CostModel([5, 3], groups=["blood", "blood"], group_costs={"blood": 2}).align(
        ...     None, n_features=2
        ... )
        >>> prices.marginal([], [1]), prices.marginal([0], [1])
        (5.0, 3.0)
        """
        paid = self._mask(selected)
        # Summed over what is new, not as a difference of two totals: a single feature then costs
        # exactly its price, and equal prices tie exactly.
        return self._price(self._masks(added) & ~paid, self._open_fees(paid))

    def marginal_each(self, selected: Any) -> NDArray[np.float64]:
        """Price of adding each single feature now; 0 for those already in `selected`."""
        paid = self._mask(selected)
        price = self.feature_cost + self._fee_of_each(self._open_fees(paid))
        price[paid] = 0.0
        return price

    def cheapest(self) -> tuple[int, float] | None:
        """Column and price of the cheapest feature bought alone; None if there is none to buy.

        Free and excluded features do not count.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> CostModel([0, 5, 3]).align(None, n_features=3).cheapest()
        (2, 3.0)
        """
        to_buy = np.flatnonzero(~self.free & ~self.excluded)
        if not to_buy.size:
            return None
        column = int(to_buy[np.argmin(self.alone[to_buy])])
        return column, float(self.alone[column])

    def start(self, budget: Budget | float | None) -> NDArray[np.bool_]:
        """Mask of what is in before any choice is made: the free and the required features.

        Raises
        ------
        BudgetError
            If the required features cost more than the budget.
        """
        budget = Budget.read(budget)
        mask = self.free | self.required
        price = self.total(mask)
        if not budget.fits(price):
            names = [self.feature_names[j] for j in np.flatnonzero(self.required)]
            raise BudgetError(
                f"the `required` features {listed(names)} cost {price:.12g} together, more than "
                f"budget={budget.limit:.12g}. Raise `budget` to {price:.12g} or more, or take "
                "features out of `required`."
            )
        return mask

    def check_affordable(self, budget: Budget | float | None) -> None:
        """Raise unless the budget buys at least one feature.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> CostModel({"crp": 5, "ldl": 8}).align(["crp", "ldl"]).check_affordable(3)
        Traceback (most recent call last):
        frugalforest.errors.BudgetError: no feature fits budget=3: the cheapest, 'crp', costs 5. \
Raise `budget` to 5 or more.
        """
        budget = Budget.read(budget)
        if self.start(budget).any():
            return
        cheapest = self.cheapest()
        if cheapest is None:
            raise CostError(
                "`excluded` leaves no feature to choose from. Take at least one out of it."
            )
        column, price = cheapest
        if not budget.fits(price):
            raise BudgetError(
                f"no feature fits budget={budget.limit:.12g}: the cheapest, "
                f"{self.feature_names[column]!r}, costs {price:.12g}. "
                f"Raise `budget` to {price:.12g} or more."
            )

    def excluding(self, columns: NDArray[np.bool_]) -> Prices:
        """The same prices, with these columns excluded, too, because they are not worth buying.

        `screened` has those that the user had not excluded.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> prices = CostModel([1, 2, 3]).align(None, n_features=3)
        >>> prices.excluding(np.array([True, False, False])).cheapest()
        (1, 2.0)
        """
        screened = (self.screened | columns) & ~(self.excluded & ~self.screened)
        return replace(self, excluded=self.excluded | columns, screened=screened)

    def describe(self) -> list[dict[str, Any]]:
        """One row per feature: its price alone, its group, its price once the group is paid.

        Examples
        --------
        >>> from frugalforest.costs import CostModel
        >>> prices = CostModel([5, 3], groups=["blood", None], group_costs={"blood": 2}).align(
        ...     ["chol", "age"]
        ... )
        >>> for row in prices.describe():
        ...     print(row)
        {'feature': 'chol', 'cost': 7.0, 'group': 'blood', 'cost_if_group_paid': 5.0, \
'group_cost': 2.0}
        {'feature': 'age', 'cost': 3.0, 'group': None, 'cost_if_group_paid': 3.0, \
'group_cost': 0.0}
        """
        fee = self._fee_of_each(self.group_cost)
        return [
            {
                "feature": name,
                "cost": float(self.alone[j]),
                "group": None if self.group[j] < 0 else self.group_names[self.group[j]],
                "cost_if_group_paid": float(self.feature_cost[j]),
                "group_cost": float(fee[j]),
            }
            for j, name in enumerate(self.feature_names)
        ]

    @cached_property
    def _index(self) -> dict[str, int]:
        return {name: j for j, name in enumerate(self.feature_names)}

    def _fee_of_each(self, fees: NDArray[np.float64]) -> NDArray[np.float64]:
        # Features without a group have group -1, which picks the 0 put at the end.
        return np.append(fees, 0.0)[self.group]

    def _open_fees(self, paid: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Fees still to be paid, 0 for the groups that `paid` touches."""
        fees = self.group_cost.copy()
        touched = self.group[paid]
        fees[touched[touched >= 0]] = 0.0
        return fees

    def _price(self, masks: NDArray[np.bool_], fees: NDArray[np.float64]) -> Any:
        # einsum adds up each row by itself, so a set has the same price, bit for bit, alone and
        # anywhere in a batch. BLAS does not promise that for `masks @ feature_cost`.
        rows = np.atleast_2d(masks)
        price = np.einsum("ij,j->i", rows.astype(np.float64, order="C"), self.feature_cost)
        if fees.any():
            # A matrix of features by groups would be quadratic: there may be a group a feature.
            touched = np.zeros((len(rows), len(fees)))
            in_set, feature = np.nonzero(rows & (self.group >= 0))
            touched[in_set, self.group[feature]] = 1.0
            price += np.einsum("ij,j->i", touched, fees)
        return price if masks.ndim == 2 else float(price[0])

    def _masks(self, features: Any) -> NDArray[np.bool_]:
        """Boolean matrix as it is; anything else as one mask."""
        if isinstance(features, np.ndarray) and features.ndim == 2 and features.dtype == np.bool_:
            if features.shape[1] != self.n_features:
                raise CostError(
                    f"a matrix of feature sets has {features.shape[1]} columns, but the table has "
                    f"{self.n_features}. Give one column per feature."
                )
            return features
        return self._mask(features)

    def _mask(self, features: Any) -> NDArray[np.bool_]:
        items = feature_items(features)
        if is_mask(items):
            if len(items) != self.n_features:
                raise CostError(
                    f"a mask of features has {len(items)} entries, but the table has "
                    f"{self.n_features} columns. Give one entry per column."
                )
            return np.asarray(items, dtype=np.bool_)
        mask = np.zeros(self.n_features, dtype=np.bool_)
        for item in items:
            mask[column_of(item, self._index, self.n_features, "the feature set")] = True
        return mask
