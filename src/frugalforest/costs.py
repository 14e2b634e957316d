"""Prices: what a set of features costs, and whether it fits a budget.

Two classes. `CostModel` is what a user writes down: prices by name or in column order, groups that
share a fee, required and excluded features. `Prices` is the same bound to the columns of one table,
all numbers, and is what the methods compute with::

    CostModel ── align(feature_names) ──► Prices ── total, marginal, start ──► methods

The price of a set is the sum of its features' own costs, plus one fee for each group it touches.
It is monotone: adding a feature never makes a set cheaper.
"""

from __future__ import annotations

import csv
import difflib
import io
import math
import reprlib
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from types import MappingProxyType
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import BudgetError, CostError

__all__ = ["CostModel", "Prices", "check_budget", "fits", "largest_of", "money_left"]

BUDGET_TOLERANCE = 1e-9


def check_budget(budget: object) -> float | None:
    """Return the budget as a float, or None for no limit.

    An infinite budget is no limit, too.

    Examples
    --------
    >>> check_budget(50)
    50.0
    >>> check_budget(None) is None
    True
    >>> check_budget(-1)
    Traceback (most recent call last):
    frugalforest.errors.BudgetError: `budget` is -1: it must be a number, 0 or more, or None for \
no limit.
    """
    if budget is None:
        return None
    amount = _number(budget)
    if amount is None or math.isnan(amount) or amount < 0:
        raise BudgetError(
            f"`budget` is {_show(budget)}: it must be a number, 0 or more, or None for no limit."
        )
    return None if math.isinf(amount) else amount


@overload
def fits(cost: float, budget: float | None) -> bool: ...
@overload
def fits(cost: NDArray[np.float64], budget: float | None) -> NDArray[np.bool_]: ...
def fits(cost: float | NDArray[np.float64], budget: float | None) -> bool | NDArray[np.bool_]:
    """Whether `cost` is within `budget`, up to rounding; for an array, one answer each.

    Examples
    --------
    >>> 0.1 + 0.2 <= 0.3
    False
    >>> fits(0.1 + 0.2, 0.3)
    True
    >>> fits(np.array([1.0, 3.0]), 2)
    array([ True, False])
    """
    limit = np.inf if budget is None else budget * (1 + BUDGET_TOLERANCE)
    if isinstance(cost, np.ndarray):
        return cost <= limit
    return bool(cost <= limit)


def largest_of(budgets: Iterable[float | None]) -> float | None:
    """The largest budget; None, no limit, is larger than all.

    Examples
    --------
    >>> largest_of([1.0, 5.0]), largest_of([1.0, None])
    (5.0, None)
    """
    limits = list(budgets)
    return None if None in limits else max(b for b in limits if b is not None)


def money_left(spent: float, budget: float | None) -> float:
    """The most that something may cost to fit, rounding allowed for; infinite without a limit.

    Examples
    --------
    >>> money_left(0.1, 0.3) >= 0.2, money_left(5, None)
    (True, inf)
    """
    return math.inf if budget is None else budget * (1 + BUDGET_TOLERANCE) - spent


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

    Examples
    --------
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

    def __post_init__(self) -> None:
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
        >>> CostModel([0, 5, 3]).align(None, n_features=3).cheapest()
        (2, 3.0)
        """
        to_buy = np.flatnonzero(~self.free & ~self.excluded)
        if not to_buy.size:
            return None
        column = int(to_buy[np.argmin(self.alone[to_buy])])
        return column, float(self.alone[column])

    def start(self, budget: float | None) -> NDArray[np.bool_]:
        """Mask of what is in before any choice is made: the free and the required features.

        Raises
        ------
        BudgetError
            If the required features cost more than the budget.
        """
        budget = check_budget(budget)
        mask = self.free | self.required
        price = self.total(mask)
        if budget is not None and not fits(price, budget):
            names = [self.feature_names[j] for j in np.flatnonzero(self.required)]
            raise BudgetError(
                f"the `required` features {_listed(names)} cost {price:.12g} together, more than "
                f"budget={budget:.12g}. Raise `budget` to {price:.12g} or more, or take "
                "features out of `required`."
            )
        return mask

    def check_affordable(self, budget: float | None) -> None:
        """Raise unless the budget buys at least one feature.

        Examples
        --------
        >>> CostModel({"crp": 5, "ldl": 8}).align(["crp", "ldl"]).check_affordable(3)
        Traceback (most recent call last):
        frugalforest.errors.BudgetError: no feature fits budget=3: the cheapest, 'crp', costs 5. \
Raise `budget` to 5 or more.
        """
        budget = check_budget(budget)
        if self.start(budget).any():
            return
        cheapest = self.cheapest()
        if cheapest is None:
            raise CostError(
                "`excluded` leaves no feature to choose from. Take at least one out of it."
            )
        column, price = cheapest
        if budget is not None and not fits(price, budget):
            raise BudgetError(
                f"no feature fits budget={budget:.12g}: the cheapest, "
                f"{self.feature_names[column]!r}, costs {price:.12g}. "
                f"Raise `budget` to {price:.12g} or more."
            )

    def describe(self) -> list[dict[str, Any]]:
        """One row per feature: its price alone, its group, its price once the group is paid.

        Examples
        --------
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

    @cached_property
    def _members(self) -> NDArray[np.float32]:
        """One column per group, 1 for its features."""
        return np.equal.outer(self.group, np.arange(len(self.group_cost))).astype(np.float32)

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
            # Counts are small whole numbers: exact in float32, in any order.
            touched = (rows.astype(np.float32) @ self._members) > 0
            price += np.einsum("ij,j->i", touched.astype(np.float64, order="C"), fees)
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
        items = _items(features)
        if _is_mask(items):
            if len(items) != self.n_features:
                raise CostError(
                    f"a mask of features has {len(items)} entries, but the table has "
                    f"{self.n_features} columns. Give one entry per column."
                )
            return np.asarray(items, dtype=np.bool_)
        mask = np.zeros(self.n_features, dtype=np.bool_)
        for item in items:
            mask[_column(item, self._index, self.n_features, "the feature set")] = True
        return mask


@dataclass(frozen=True, init=False, repr=False)
class CostModel:
    """What features cost: prices, shared fees, and what must or must not be bought.

    Immutable. The order of a mapping does not count when two models are compared.

    Parameters
    ----------
    costs : float, array-like, mapping or Series, default=1.0
        What a feature adds once its group is paid for: one price for all, one per column in
        column order, or by column name. 0 makes a feature free, and free features are always in.
    groups : sequence, mapping or Series, optional
        The group of each feature, in column order or by column name. None, NaN and "" mean no
        group, as does a name left out of the mapping.
    group_costs : mapping or Series, optional
        The fee of each group, paid with its first feature. Without it, groups are labels only.
    required : sequence of str or int, default=()
        Names or column indices that are paid for first.
    excluded : sequence of str or int, default=()
        Names or column indices that are never chosen.

    Examples
    --------
    One blood draw at 2.10 serves both tests:

    >>> costs = CostModel(
    ...     {"age": 1.0, "chol": 5.17, "fbs": 3.10},
    ...     groups={"chol": "blood", "fbs": "blood"},
    ...     group_costs={"blood": 2.10},
    ... )
    >>> round(costs.total(["chol", "fbs"]), 2)
    10.37
    >>> round(costs.marginal([], ["fbs"]), 2), round(costs.marginal(["chol"], ["fbs"]), 2)
    (5.2, 3.1)
    """

    costs: float | tuple[float, ...] | Mapping[str, float]
    groups: tuple[Hashable | None, ...] | Mapping[str, Hashable | None] | None
    group_costs: Mapping[Hashable, float] | None
    required: tuple[str | int, ...]
    excluded: tuple[str | int, ...]

    def __init__(
        self,
        costs: Any = 1.0,
        groups: Any = None,
        group_costs: Any = None,
        required: Any = (),
        excluded: Any = (),
    ) -> None:
        checked: dict[str, object] = {
            "costs": _read_costs(costs),
            "groups": _read_groups(groups),
            "group_costs": _read_group_costs(group_costs),
            "required": _read_features(required, "required"),
            "excluded": _read_features(excluded, "excluded"),
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)
        self._check_every_fee_has_its_group()

    @classmethod
    def coerce(cls, costs: Any, feature_names: Sequence[str] | None = None) -> CostModel:
        """Make a `CostModel` of whatever a `costs` parameter may hold; None is one each.

        With `feature_names`, a wrong price in an array is reported by its column's name.

        Examples
        --------
        >>> CostModel.coerce(None)
        CostModel(costs=1.0)
        >>> CostModel.coerce([2, -1], feature_names=["age", "crp"])
        Traceback (most recent call last):
        frugalforest.errors.CostError: `costs`: the price of column 'crp' is -1, and a price \
cannot be negative. Use 0 for a free feature.
        """
        if costs is None:
            return cls()
        if isinstance(costs, cls):
            return costs
        if feature_names is not None and not _is_one_value(costs) and not isinstance(costs, str):
            entries = _entries(costs, "costs")
            named = dict(zip(feature_names, entries, strict=False))
            if isinstance(entries, list) and len(named) == len(entries) == len(feature_names):
                return cls(named)
            return cls(entries)
        return cls(costs)

    @classmethod
    def from_csv(cls, path: str | PathLike[str]) -> CostModel:
        r"""Read a price list from a file separated by commas, semicolons or tabs.

        Columns, in any order; others are ignored:

        - ``feature,cost``;
        - ``feature,cost,group,group_cost``: `cost` is what the feature adds once its group is
          paid for, `group_cost` the group's fee (on one row of the group or on all);
        - ``feature,cost,group,cost_if_group_paid``: `cost` is the price bought alone. The
          difference of the two is the group's fee, so it must be the same in the whole group.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder, "prices.csv")
        ...     text = "feature,cost,group,cost_if_group_paid\nchol,7.27,A,5.17\nfbs,5.20,A,3.10"
        ...     _ = path.write_text(text)
        ...     CostModel.from_csv(path).group_costs["A"]
        2.1
        """
        return cls(**_read_price_list(Path(path)))

    def align(self, feature_names: Iterable[str] | None, n_features: int | None = None) -> Prices:
        """Bind the prices to the columns of a table.

        Parameters
        ----------
        feature_names : iterable of str, or None
            Column names; None for a table without names.
        n_features : int, optional
            Number of columns; needed only without names.

        Raises
        ------
        CostError
            If the model and the columns do not fit; the message names the column.

        Examples
        --------
        >>> CostModel({"age": 1, "crp_mg": 5}).align(["age", "crp"])
        Traceback (most recent call last):
        frugalforest.errors.CostError: `costs` names 'crp_mg', which is not a column. \
Did you mean 'crp'? Columns without a price: ['crp'].
        """
        columns = _Columns.read(feature_names, n_features)
        self._check_positions_mean_the_same(columns)
        group, group_names = self._align_groups(columns)
        required = columns.mask(self.required, "required")
        excluded = columns.mask(self.excluded, "excluded")
        if (both := np.flatnonzero(required & excluded)).size:
            raise CostError(
                f"columns {_listed([columns.labels[j] for j in both])} are in both `required` and "
                "`excluded`. Take each out of one of them."
            )
        fees = self.group_costs or {}
        return Prices(
            feature_cost=self._align_costs(columns),
            group=group,
            group_cost=np.array([fees.get(name, 0.0) for name in group_names], dtype=np.float64),
            group_names=group_names,
            feature_names=columns.labels,
            required=required,
            excluded=excluded,
        )

    def total(self, selected: Any) -> Any:
        """Price of a set of the model's own features; see `Prices.total`.

        Indices count in the model's own order. A model with one price for all columns has no
        order and no names: it takes indices and masks.

        Examples
        --------
        >>> CostModel([1, 2, 4]).total([0, 2])
        5.0
        >>> CostModel(1.5).total([0, 7])
        3.0
        """
        return self._own_prices(selected).total(selected)

    def marginal(self, selected: Any, added: Any) -> Any:
        """Price of `added` when `selected` is paid for; see `Prices.marginal`."""
        return self._own_prices(selected, added).marginal(selected, added)

    def __repr__(self) -> str:
        given = {
            name: value
            for name in ("groups", "group_costs", "required", "excluded")
            if (value := getattr(self, name))
        }
        shown = (
            f"{name}={_ABBREVIATE.repr(_plain(value))}"
            for name, value in {"costs": self.costs, **given}.items()
        )
        return f"CostModel({', '.join(shown)})"

    def __hash__(self) -> int:
        return hash(
            tuple(
                frozenset(value.items()) if isinstance(value, Mapping) else value
                for value in self._arguments()
            )
        )

    def __reduce__(self) -> tuple[type[CostModel], tuple[Any, ...]]:
        # Read-only views of dicts can be neither pickled nor deep-copied; plain dicts can.
        return type(self), tuple(_plain(value) for value in self._arguments())

    def _arguments(self) -> tuple[Any, ...]:
        return self.costs, self.groups, self.group_costs, self.required, self.excluded

    def _check_every_fee_has_its_group(self) -> None:
        """Refuse a fee without a group and, once fees are given, a group without a fee.

        Only then does a misspelt group show: 'blod' would otherwise be one group without a fee,
        and 'blood' another without a feature. Without any fees, groups are only labels.
        """
        if self.group_costs is None:
            return
        labels = self.groups.values() if isinstance(self.groups, Mapping) else self.groups or ()
        used = list(dict.fromkeys(label for label in labels if label is not None))
        for label in self.group_costs:
            if label not in used:
                raise CostError(
                    f"`group_costs` has a fee for group {label!r}, but no feature is in that "
                    f"group.{_did_you_mean(label, used)} Name its features in `groups`, or "
                    "remove the fee."
                )
        for label in used:
            if label not in self.group_costs:
                raise CostError(
                    f"group {label!r} has no fee in `group_costs`."
                    f"{_did_you_mean(label, list(self.group_costs))} Add its fee, 0 if there "
                    "is none."
                )

    def _check_positions_mean_the_same(self, columns: _Columns) -> None:
        """Prices by name with groups by position are safe only if both orders agree."""
        if not isinstance(self.costs, Mapping) or not isinstance(self.groups, tuple):
            return
        if tuple(self.costs) != columns.labels and set(self.costs) == set(columns.labels):
            raise CostError(
                "`costs` goes by name but `groups` by position, and the table's columns are not "
                "in the order of `costs`. Give `groups` by name, too."
            )

    def _align_costs(self, columns: _Columns) -> NDArray[np.float64]:
        if isinstance(self.costs, Mapping):
            columns.check_known(self.costs, "costs", complete=True)
            return np.array([self.costs[name] for name in columns.labels], dtype=np.float64)
        if isinstance(self.costs, tuple):
            columns.check_length(self.costs, "costs")
            return np.array(self.costs, dtype=np.float64)
        return np.full(len(columns.labels), self.costs, dtype=np.float64)

    def _align_groups(self, columns: _Columns) -> tuple[NDArray[np.int64], tuple[Hashable, ...]]:
        labels: Sequence[Hashable | None]
        if isinstance(self.groups, Mapping):
            columns.check_known(self.groups, "groups")
            labels = [self.groups.get(name) for name in columns.labels]
        elif self.groups is not None:
            columns.check_length(self.groups, "groups")
            labels = self.groups
        else:
            labels = [None] * len(columns.labels)
        names = tuple(dict.fromkeys(label for label in labels if label is not None))
        number = {label: g for g, label in enumerate(names)}
        group = [-1 if label is None else number[label] for label in labels]
        return np.array(group, dtype=np.int64), names

    def _own_prices(self, *feature_sets: Any) -> Prices:
        return self._own if self._own is not None else self._prices_as_wide_as(feature_sets)

    @cached_property
    def _own(self) -> Prices | None:
        """The model bound to its own columns, or None if it does not know them."""
        # `required` and `excluded` change no price, and may name columns of a table not yet seen.
        prices_only = CostModel(self.costs, self.groups, self.group_costs)
        if isinstance(self.costs, Mapping):
            return prices_only.align(self.costs)
        if isinstance(self.costs, tuple):
            return prices_only.align(None, len(self.costs))
        if isinstance(self.groups, tuple):
            return prices_only.align(None, len(self.groups))
        return None

    def _prices_as_wide_as(self, feature_sets: Iterable[Any]) -> Prices:
        if self.groups is not None:
            raise CostError(
                "one price for all columns with `groups` by name does not say which columns "
                "there are. Bind it to a table first: `model.align(feature_names)`."
            )
        width = 0
        for features in feature_sets:
            if isinstance(features, np.ndarray) and features.ndim == 2:
                width = max(width, features.shape[1])
                continue
            items = _items(features)
            if any(isinstance(item, str) for item in items):
                raise CostError(
                    "one price for all columns does not say which names there are. Use column "
                    "indices, or bind it to a table first: `model.align(feature_names)`."
                )
            largest = max((int(i) for i in items if isinstance(i, Integral)), default=-1)
            width = max(width, len(items) if _is_mask(items) else largest + 1)
        return CostModel(self.costs).align(None, width)


@dataclass(frozen=True)
class _Columns:
    """The columns that a model is being bound to."""

    labels: tuple[str, ...]
    index: Mapping[str, int]  # empty for a table without names
    has_names: bool

    @classmethod
    def read(cls, feature_names: Iterable[str] | None, n_features: int | None) -> _Columns:
        if feature_names is None:
            if n_features is None:
                raise CostError("`n_features` is missing: it is needed without `feature_names`.")
            return cls(tuple(f"x{j}" for j in range(n_features)), {}, has_names=False)
        labels = tuple(str(name) for name in feature_names)
        index: dict[str, int] = {}
        for j, name in enumerate(labels):
            if name in index:
                raise CostError(
                    f"two columns are called {name!r} (columns {index[name]} and {j}), so a "
                    "price by name could mean either. Rename one of them."
                )
            index[name] = j
        return cls(labels, index, has_names=True)

    def mask(self, features: Iterable[str | int], parameter: str) -> NDArray[np.bool_]:
        mask = np.zeros(len(self.labels), dtype=np.bool_)
        for feature in features:
            if isinstance(feature, str):
                self._check_has_names(parameter)
            mask[_column(feature, self.index, len(self.labels), f"`{parameter}`")] = True
        return mask

    def check_known(
        self, by_name: Mapping[str, object], parameter: str, complete: bool = False
    ) -> None:
        """Every name must be a column and, if `complete`, every column must be named."""
        self._check_has_names(parameter)
        unknown = [name for name in by_name if name not in self.index]
        missing = [name for name in self.labels if name not in by_name] if complete else []
        if unknown:
            if len(unknown) == 1:
                which = f"{unknown[0]!r}, which is not a column."
            else:
                which = f"{_listed(unknown)}, which are not columns."
            without = f" Columns without a price: {_listed(missing)}." if missing else ""
            hint = (
                _did_you_mean(unknown[0], missing)
                or _did_you_mean(unknown[0], self.labels)
                or f" The columns are {_listed(self.labels)}."
            )
            raise CostError(f"`{parameter}` names {which}{hint}{without}")
        if missing:
            raise CostError(
                f"no cost for columns {_listed(missing)}. Add them to `{parameter}`, "
                "with 0 for a free feature."
            )

    def check_length(self, values: Sequence[object], parameter: str) -> None:
        if len(values) != len(self.labels):
            raise CostError(
                f"`{parameter}` has {len(values)} entries, but the table has {len(self.labels)} "
                "columns. Give one entry per column, in column order, or give them by name."
            )

    def _check_has_names(self, parameter: str) -> None:
        if not self.has_names:
            raise CostError(
                f"`{parameter}` goes by column name, but the table has no column names. Pass a "
                f"data frame, or give `{parameter}` in column order."
            )


_ABBREVIATE = reprlib.Repr()
_ABBREVIATE.maxdict = _ABBREVIATE.maxtuple = 6
_ABBREVIATE.maxstring = 40


def _plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def _show(value: object) -> str:
    """Show a value as the user wrote it: 5, not np.int64(5); long ones are cut."""
    return _ABBREVIATE.repr(value.item() if isinstance(value, np.generic) else value)


def _listed(names: Sequence[str], at_most: int = 8) -> str:
    shown = repr([str(name) for name in names[:at_most]])
    return shown if len(names) <= at_most else f"{shown} and {len(names) - at_most} more"


def _did_you_mean(name: object, candidates: Iterable[object]) -> str:
    # Without regard to case: for difflib 'CRP' and 'crp' have nothing in common.
    folded = {str(known).casefold(): known for known in candidates}
    nearest = difflib.get_close_matches(str(name).casefold(), folded, n=1, cutoff=0.5)
    return f" Did you mean {folded[nearest[0]]!r}?" if nearest else ""


def _number(value: object) -> float | None:
    """Return a float, or None for what is not a number: truth values and text are not."""
    if isinstance(value, bool | np.bool_ | str | bytes):
        return None
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        return None


def _is_missing(value: object) -> bool:
    # pandas.NA is not a float and pandas need not be installed: known by its type's name.
    if value is None or type(value).__name__ in {"NAType", "NaTType"}:
        return True
    return isinstance(value, float | np.floating) and math.isnan(value)


def _price(value: object, what: str) -> float:
    """Return the value as a price; `what` begins the message if it is none."""
    price = _number(value)
    if _is_missing(value) or (price is not None and math.isnan(price)):
        raise CostError(f"{what} is missing. Give a number, with 0 for a free feature.")
    if price is None:
        raise CostError(f"{what} is {_show(value)}, not a number. Use a number such as 5 or 7.27.")
    if price < 0:
        raise CostError(
            f"{what} is {_show(value)}, and a price cannot be negative. Use 0 for a free feature."
        )
    if math.isinf(price):
        raise CostError(
            f"{what} is infinite. Use a finite price, and `excluded` for what cannot be bought."
        )
    return price


def _items(features: Any) -> list[Any] | NDArray[Any]:
    """List the entries of a feature set; a single name or index is a set of one."""
    if isinstance(features, str | Integral):
        return [features]
    shape = getattr(features, "shape", (0,))
    if not isinstance(features, Iterable) or len(shape) != 1:
        raise CostError(
            f"a feature set is {_show(features)}: give column indices, names, or a mask."
        )
    return features if isinstance(features, np.ndarray) else list(features)


def _is_mask(items: list[Any] | NDArray[Any]) -> bool:
    if isinstance(items, np.ndarray):
        return bool(items.dtype == np.bool_)
    return bool(items) and all(isinstance(item, bool | np.bool_) for item in items)


def _column(feature: object, index: Mapping[str, int], n_features: int, where: str) -> int:
    """Column of a feature given by name or index; `where` begins the message if it is neither."""
    if isinstance(feature, str):
        if feature not in index:
            raise CostError(
                f"{where} names {str(feature)!r}, which is not a column."
                f"{_did_you_mean(feature, index)}"
            )
        return index[feature]
    if not isinstance(feature, Integral) or isinstance(feature, bool):
        raise CostError(f"{where} has {_show(feature)}: use column names or indices.")
    if not 0 <= int(feature) < n_features:
        raise CostError(
            f"{where} has column {feature}, but the table has {n_features} columns. "
            f"Indices go from 0 to {n_features - 1}."
        )
    return int(feature)


def _entries(values: Any, parameter: str) -> dict[str, Any] | list[Any]:
    """Return a dict if the values go by column name, a list if they go by column order."""
    shape = getattr(values, "shape", (0,))
    if isinstance(values, str | bytes | set | frozenset) or not isinstance(values, Iterable):
        raise CostError(
            f"`{parameter}` is {_show(values)}: give one entry per column, in column order or by "
            "column name."
        )
    if len(shape) != 1:
        raise CostError(
            f"`{parameter}` has shape {tuple(shape)}: give one entry per column, not a table."
        )
    if not hasattr(values, "items"):
        return list(values)
    pairs = list(values.items())
    keys = [key for key, _ in pairs]
    # A Series made without labels counts its rows: that is column order.
    if not isinstance(values, Mapping) and keys == list(range(len(keys))):
        return [value for _, value in pairs]
    by_name: dict[str, Any] = {}
    for key, value in pairs:
        if not isinstance(key, str):
            raise CostError(
                f"`{parameter}` has the label {_show(key)}, and column names are text. Use the "
                "column names as labels, or give a list in column order."
            )
        if key in by_name:
            raise CostError(f"`{parameter}` names column {str(key)!r} twice. Remove one.")
        by_name[str(key)] = value
    return by_name


def _is_one_value(costs: Any) -> bool:
    return not isinstance(costs, Iterable) or getattr(costs, "shape", None) == ()


def _read_costs(costs: Any) -> float | tuple[float, ...] | Mapping[str, float]:
    if isinstance(costs, str | PathLike):
        raise CostError(
            f"`costs` is {_show(costs)}: it must be numbers. To read a price list from a file, "
            "use `CostModel.from_csv`."
        )
    if _is_one_value(costs):
        return _price(costs, "`costs`: the price of every column")
    entries = _entries(costs, "costs")
    what = "`costs`: the price of column"
    if isinstance(entries, dict):
        return MappingProxyType(
            {name: _price(value, f"{what} {name!r}") for name, value in entries.items()}
        )
    return tuple(_price(value, f"{what} {j}") for j, value in enumerate(entries))


def _read_groups(
    groups: Any,
) -> tuple[Hashable | None, ...] | Mapping[str, Hashable | None] | None:
    if groups is None:
        return None
    entries = _entries(groups, "groups")
    if isinstance(entries, dict):
        return MappingProxyType(
            {name: _group_label(label, repr(name)) for name, label in entries.items()}
        )
    return tuple(_group_label(label, str(j)) for j, label in enumerate(entries))


def _group_label(label: Any, column: str) -> Hashable | None:
    if _is_missing(label) or (isinstance(label, str) and not label):
        return None
    if not isinstance(label, Hashable):
        raise CostError(
            f"`groups`: the group of column {column} is {_show(label)}. A feature is in one "
            "group or none: use a name, or None."
        )
    return label.item() if isinstance(label, np.generic) else label


def _read_group_costs(group_costs: Any) -> Mapping[Hashable, float] | None:
    if group_costs is None:
        return None
    if not hasattr(group_costs, "items"):
        raise CostError(
            f"`group_costs` is {_show(group_costs)}: give a fee by group, such as {{'blood': 2.1}}."
        )
    fees: dict[Hashable, float] = {}
    for label, fee in group_costs.items():
        if label in fees:
            raise CostError(f"`group_costs` names group {label!r} twice. Remove one.")
        fees[label] = _price(fee, f"`group_costs`: the fee of group {label!r}")
    return MappingProxyType(fees)


def _read_features(features: Any, parameter: str) -> tuple[str | int, ...]:
    names: set[str] = set()
    indices: set[int] = set()
    for feature in _items(() if features is None else features):
        if isinstance(feature, str):
            names.add(str(feature))
        elif isinstance(feature, Integral) and not isinstance(feature, bool):
            indices.add(int(feature))
        else:
            raise CostError(
                f"`{parameter}` has {_show(feature)}: use column names or indices. "
                "`numpy.flatnonzero(mask)` turns a mask into indices."
            )
    return (*sorted(indices), *sorted(names))


_PRICE_LIST_COLUMNS = ("feature", "cost", "group", "group_cost", "cost_if_group_paid")


@dataclass(frozen=True)
class _PriceRow:
    """One line of a price list; columns that the file does not have are empty."""

    where: str
    line: int
    fields: Mapping[str, str]

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")

    def price(self, column: str) -> float:
        text = self[column]
        value: object = text or None
        try:
            value = float(text)
        except ValueError:
            if text.replace(",", "", 1).isdigit():
                raise CostError(
                    f"{self.where}: the {column} of {self['feature']!r} is {text!r}. Write "
                    "decimals with a point."
                ) from None
        return _price(value, f"{self.where}: the {column} of {self['feature']!r}")


def _read_price_list(path: Path) -> dict[str, Any]:
    """Read the arguments of `CostModel` from a file."""
    rows = _read_rows(path)
    seen: dict[str, int] = {}
    for row in rows:
        if not row["feature"]:
            raise CostError(f"{row.where}: the feature's name is missing.")
        if row["feature"] in seen:
            raise CostError(
                f"{path.name}: feature {row['feature']!r} is on lines {seen[row['feature']]} and "
                f"{row.line}. Remove one."
            )
        seen[row["feature"]] = row.line
    fees: dict[str, float] | None
    if "cost_if_group_paid" in rows[0].fields:
        costs, fees = _prices_from_differences(rows)
    else:
        costs = {row["feature"]: row.price("cost") for row in rows}
        fees = _stated_fees(rows) if "group_cost" in rows[0].fields else None
    groups = {row["feature"]: row["group"] for row in rows if row["group"]}
    return {"costs": costs, "groups": groups or None, "group_costs": fees}


def _prices_from_differences(
    rows: Sequence[_PriceRow],
) -> tuple[dict[str, float], dict[str, float] | None]:
    """Prices once the group is paid, and fees, from prices alone and once the group is paid."""
    costs: dict[str, float] = {}
    fees: dict[str, float] = {}
    first: dict[str, _PriceRow] = {}
    for row in rows:
        alone = row.price("cost")
        group = row["group"]
        if not group and not row["cost_if_group_paid"]:
            costs[row["feature"]] = alone
            continue
        paid = row.price("cost_if_group_paid")
        # In decimals 7.27 - 5.17 is 2.1; in floats it is 2.0999999999999996.
        fee = float(Decimal(repr(alone)) - Decimal(repr(paid)))
        costs[row["feature"]] = paid
        if not group:
            if fee != 0:
                raise CostError(
                    f"{row.where}: {row['feature']!r} has no group, but its cost is {alone:.12g} "
                    f"and its cost_if_group_paid {paid:.12g}. Name its group, or make them equal."
                )
            continue
        if fee < 0:
            raise CostError(
                f"{row.where}: the cost_if_group_paid of {row['feature']!r}, {paid:.12g}, is more "
                f"than its cost alone, {alone:.12g}. It must not be."
            )
        known = fees.setdefault(group, fee)
        first.setdefault(group, row)
        if not math.isclose(fee, known, rel_tol=BUDGET_TOLERANCE, abs_tol=BUDGET_TOLERANCE * alone):
            raise CostError(
                f"{row.where}: group {group!r} shares {fee:.12g} at {row['feature']!r} but "
                f"{known:.12g} at {first[group]['feature']!r} (line {first[group].line}). "
                "cost - cost_if_group_paid is the group's fee and must be the same in the group."
            )
    return costs, fees or None


def _stated_fees(rows: Sequence[_PriceRow]) -> dict[str, float] | None:
    fees: dict[str, float] = {}
    first: dict[str, int] = {}
    for row in rows:
        group = row["group"]
        if not row["group_cost"]:
            continue
        if not group:
            raise CostError(
                f"{row.where}: {row['feature']!r} has a group_cost but no group. Name its group, "
                "or remove the fee."
            )
        fee = row.price("group_cost")
        if fees.setdefault(group, fee) != fee:
            raise CostError(
                f"{row.where}: the group_cost of group {group!r} is {fee:.12g}, but "
                f"{fees[group]:.12g} on line {first[group]}. A group has one fee."
            )
        first.setdefault(group, row.line)
    for row in rows:
        if row["group"] and row["group"] not in fees:
            raise CostError(
                f"{row.where}: group {row['group']!r} has no group_cost on any line. Add its fee, "
                "0 if there is none."
            )
    return fees or None


def _read_rows(path: Path) -> list[_PriceRow]:
    """Read the lines of a price list, with its header checked."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise CostError(f"{path.name} is not UTF-8 text. Save it as CSV (UTF-8).") from error
    first_line = text.lstrip().partition("\n")[0]
    separator = max(",;\t", key=first_line.count)
    reader = csv.reader(io.StringIO(text), delimiter=separator, skipinitialspace=True)
    header: list[str] = []
    rows = []
    for raw in reader:
        fields = [field.strip() for field in raw]
        where = f"{path.name}, line {reader.line_num}"
        if not any(fields):
            continue
        if not header:
            header = [field.lower() for field in fields]
            _check_header(header, path.name)
            continue
        if any(fields[len(header) :]):
            raise CostError(
                f"{where} has {len(fields)} fields, but the header has {len(header)}. Write "
                "decimals with a point, and names that hold the separator in quotes."
            )
        padded = fields + [""] * (len(header) - len(fields))
        known = {
            column: field
            for column, field in zip(header, padded, strict=False)
            if column in _PRICE_LIST_COLUMNS
        }
        rows.append(_PriceRow(where, reader.line_num, known))
    if not rows:
        raise CostError(f"{path.name} has no prices. It needs a header `feature,cost` and rows.")
    return rows


def _check_header(header: Sequence[str], file: str) -> None:
    known = [column for column in header if column in _PRICE_LIST_COLUMNS]
    absent = [column for column in _PRICE_LIST_COLUMNS if column not in header]
    for column in set(header) - set(known):
        # Other columns are welcome, but a misspelt one would silently drop a fee.
        if near := difflib.get_close_matches(column, absent, n=1, cutoff=0.8):
            raise CostError(f"{file}: column {column!r} is not known. Did you mean {near[0]!r}?")
    if missing := [column for column in ("feature", "cost") if column in absent]:
        raise CostError(
            f"{file} has no column {missing[0]!r}; its columns are {_listed(header)}. "
            "The first line must name `feature` and `cost`."
        )
    if len(set(known)) < len(known):
        raise CostError(f"{file} has a column twice: {_listed(known)}. Remove one.")
    if "group_cost" in known and "cost_if_group_paid" in known:
        raise CostError(
            f"{file} has both `group_cost` and `cost_if_group_paid`. In the first form `cost` is "
            "without the fee, in the second with it: keep one."
        )
    if "cost_if_group_paid" in known and "group" not in known:
        raise CostError(f"{file} has `cost_if_group_paid` but no column `group`. Add it.")
