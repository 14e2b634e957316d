"""`CostModel`: prices as a user writes them down, and how they are bound to columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs._given import (
    column_of,
    feature_items,
    is_mask,
    is_one_value,
    is_price_list,
    plain,
    read_costs,
    read_entries,
    read_features,
    read_group_costs,
    read_groups,
)
from frugalforest.costs.price_list import read_price_frame, read_price_list
from frugalforest.costs.prices import Prices
from frugalforest.errors import CostError
from frugalforest.words.wording import did_you_mean, listed, show

__all__ = ["CostModel"]


@dataclass(frozen=True, init=False, repr=False)
class CostModel:
    """What features cost: prices, shared fees, and what must or must not be bought.

    Immutable. The order of a mapping does not count when two models are compared.

    Parameters
    ----------
    costs : float, array-like, mapping, Series, data frame or path, default=1.0
        What a feature adds once its group is paid for: one price for all, one per column in
        column order, or by column name. 0 makes a feature free, and free features are always in.
        A data frame, or the path of a file, is a price list as in `from_csv`, groups and fees
        included.
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
        if is_price_list(costs):
            if groups is not None or group_costs is not None:
                raise CostError(
                    "`costs` is a price list, which has its own columns for groups and their fees. "
                    "Leave out `groups` and `group_costs`."
                )
            listed_prices = (
                read_price_frame(costs)
                if hasattr(costs, "columns")
                else read_price_list(Path(costs))
            )
            costs, groups, group_costs = (
                listed_prices[name] for name in ("costs", "groups", "group_costs")
            )
        checked: dict[str, object] = {
            "costs": read_costs(costs),
            "groups": read_groups(groups),
            "group_costs": read_group_costs(group_costs),
            "required": read_features(required, "required"),
            "excluded": read_features(excluded, "excluded"),
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
        if feature_names is not None and not is_price_list(costs) and not is_one_value(costs):
            entries = read_entries(costs, "costs")
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

        Decimals have a point, or all of them a comma (in quotes where commas separate fields).

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
        return cls(Path(path))

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
        # Before the groups: a price list names its features as prices first of all.
        feature_cost = self._align_costs(columns)
        group, group_names = self._align_groups(columns)
        required = columns.mask(self.required, "required")
        excluded = columns.mask(self.excluded, "excluded")
        if (both := np.flatnonzero(required & excluded)).size:
            raise CostError(
                f"columns {listed([columns.labels[j] for j in both])} are in both `required` and "
                "`excluded`. Take each out of one of them."
            )
        fees = self.group_costs or {}
        group_cost = np.array([fees.get(name, 0.0) for name in group_names], dtype=np.float64)
        _check_sum(feature_cost, group_cost)
        return Prices(
            feature_cost=feature_cost,
            group=group,
            group_cost=group_cost,
            group_names=group_names,
            feature_names=columns.labels,
            required=required,
            excluded=excluded,
        )

    def unknown(self, feature_names: Iterable[str]) -> tuple[str, ...]:
        """The features that the model prices by name and that are not among some columns.

        Examples
        --------
        >>> CostModel({"age": 1, "crp": 5, "ldl": 3}).unknown(["age", "ldl"])
        ('crp',)
        """
        known = set(feature_names)
        named = [by for by in (self.costs, self.groups) if isinstance(by, Mapping)]
        return tuple(dict.fromkeys(name for by in named for name in by if name not in known))

    def restricted_to(self, feature_names: Iterable[str]) -> CostModel:
        """The model without the prices, groups and fees that only other features have.

        A price list may name more than one table has: this is its part for the table's columns.
        What goes by column order, and `required` and `excluded`, stay as they are.

        Examples
        --------
        >>> CostModel({"age": 1, "crp": 5}).restricted_to(["age", "bmi"])
        CostModel(costs={'age': 1.0})
        """
        left_out = set(self.unknown(feature_names))

        def rest(by_name: Any) -> Any:
            if not isinstance(by_name, Mapping):
                return by_name
            return {name: value for name, value in by_name.items() if name not in left_out}

        groups, fees = rest(self.groups), self.group_costs
        if isinstance(groups, Mapping) and fees is not None:
            used = set(groups.values())
            fees = {label: fee for label, fee in fees.items() if label in used}
        return CostModel(
            rest(self.costs), groups or None, fees or None, self.required, self.excluded
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
            f"{name}={show(plain(value))}" for name, value in {"costs": self.costs, **given}.items()
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
        return type(self), tuple(plain(value) for value in self._arguments())

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
        used = dict.fromkeys(label for label in labels if label is not None)
        for label in self.group_costs:
            if label not in used:
                raise CostError(
                    f"`group_costs` has a fee for group {label!r}, but no feature is in that "
                    f"group.{did_you_mean(label, used)} Name its features in `groups`, or "
                    "remove the fee."
                )
        for label in used:
            if label not in self.group_costs:
                raise CostError(
                    f"group {label!r} has no fee in `group_costs`."
                    f"{did_you_mean(label, self.group_costs)} Add its fee, 0 if there "
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
            items = feature_items(features)
            if any(isinstance(item, str) for item in items):
                raise CostError(
                    "one price for all columns does not say which names there are. Use column "
                    "indices, or bind it to a table first: `model.align(feature_names)`."
                )
            largest = max((int(i) for i in items if isinstance(i, Integral)), default=-1)
            width = max(width, len(items) if is_mask(items) else largest + 1)
        return CostModel(self.costs).align(None, width)


def _check_sum(feature_cost: NDArray[np.float64], group_cost: NDArray[np.float64]) -> None:
    with np.errstate(over="ignore"):
        everything = feature_cost.sum() + group_cost.sum()
    if not np.isfinite(everything):
        largest = float(max(feature_cost.max(initial=0), group_cost.max(initial=0)))
        raise CostError(
            f"the prices in `costs` add up to more than a number can hold; the highest is "
            f"{largest:.6g}. Correct it, or divide all prices by the same number."
        )


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
            mask[column_of(feature, self.index, len(self.labels), f"`{parameter}`")] = True
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
                which = f"{listed(unknown)}, which are not columns."
            without = f" Columns without a price: {listed(missing)}." if missing else ""
            hint = (
                did_you_mean(unknown[0], missing)
                or did_you_mean(unknown[0], self.labels)
                or f" The columns are {listed(self.labels)}."
            )
            raise CostError(f"`{parameter}` names {which}{hint}{without}")
        if missing:
            raise CostError(
                f"no cost for columns {listed(missing)}. Add them to `{parameter}`, "
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
                f"data frame whose column names are text, or give `{parameter}` in column order."
            )
