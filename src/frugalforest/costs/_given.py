"""What a user gives, checked: numbers, labels and feature sets, with a message for what is none."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Mapping
from numbers import Integral
from os import PathLike
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import CostError
from frugalforest.words.missing import is_missing
from frugalforest.words.numerals import read_number
from frugalforest.words.wording import did_you_mean, show

__all__ = [
    "column_of",
    "feature_items",
    "is_mask",
    "is_one_value",
    "is_price_list",
    "plain",
    "read_costs",
    "read_entries",
    "read_features",
    "read_group_costs",
    "read_groups",
    "read_price",
]


def plain(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else value


def read_price(value: object, what: str) -> float:
    """Return the value as a price; `what` begins the message if it is none."""
    price = read_number(value)
    if is_missing(value) or (price is not None and math.isnan(price)):
        raise CostError(f"{what} is missing. Give a number, with 0 for a free feature.")
    if price is None:
        raise CostError(f"{what} is {show(value)}, not a number. Use a number such as 5 or 7.27.")
    if price < 0:
        raise CostError(
            f"{what} is {show(value)}, and a price cannot be negative. Use 0 for a free feature."
        )
    if math.isinf(price):
        raise CostError(
            f"{what} is infinite. Use a finite price, and `excluded` for what cannot be bought."
        )
    return price


def feature_items(features: Any) -> list[Any] | NDArray[Any]:
    """List the entries of a feature set; a single name or index is a set of one."""
    if isinstance(features, str | Integral):
        return [features]
    shape = getattr(features, "shape", (0,))
    if not isinstance(features, Iterable) or len(shape) != 1:
        raise CostError(
            f"a feature set is {show(features)}: give column indices, names, or a mask."
        )
    return features if isinstance(features, np.ndarray) else list(features)


def is_mask(items: list[Any] | NDArray[Any]) -> bool:
    if isinstance(items, np.ndarray):
        return bool(items.dtype == np.bool_)
    return bool(items) and all(isinstance(item, bool | np.bool_) for item in items)


def column_of(feature: object, index: Mapping[str, int], n_features: int, where: str) -> int:
    """Column of a feature given by name or index; `where` begins the message if it is neither."""
    if isinstance(feature, str):
        if feature not in index:
            raise CostError(
                f"{where} names {str(feature)!r}, which is not a column."
                f"{did_you_mean(feature, index)}"
            )
        return index[feature]
    if not isinstance(feature, Integral) or isinstance(feature, bool):
        raise CostError(f"{where} has {show(feature)}: use column names or indices.")
    if not 0 <= int(feature) < n_features:
        raise CostError(
            f"{where} has column {feature}, but the table has {n_features} columns. "
            f"Indices go from 0 to {n_features - 1}."
        )
    return int(feature)


def read_entries(values: Any, parameter: str) -> dict[str, Any] | list[Any]:
    """Return a dict if the values go by column name, a list if they go by column order."""
    shape = getattr(values, "shape", (0,))
    if isinstance(values, str | bytes | set | frozenset) or not isinstance(values, Iterable):
        raise CostError(
            f"`{parameter}` is {show(values)}: give one entry per column, in column order or by "
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
                f"`{parameter}` has the label {show(key)}, and column names are text. Use the "
                "column names as labels, or give a list in column order."
            )
        if key in by_name:
            raise CostError(f"`{parameter}` names column {str(key)!r} twice. Remove one.")
        by_name[str(key)] = value
    return by_name


def is_one_value(costs: Any) -> bool:
    return not isinstance(costs, Iterable) or getattr(costs, "shape", None) == ()


def is_price_list(costs: Any) -> bool:
    """Whether `costs` is a path or a data frame."""
    return isinstance(costs, str | PathLike) or hasattr(costs, "columns")


def read_costs(costs: Any) -> float | tuple[float, ...] | Mapping[str, float]:
    if is_one_value(costs):
        return read_price(costs, "`costs`: the price of every column")
    entries = read_entries(costs, "costs")
    what = "`costs`: the price of column"
    if isinstance(entries, dict):
        return MappingProxyType(
            {name: read_price(value, f"{what} {name!r}") for name, value in entries.items()}
        )
    return tuple(read_price(value, f"{what} {j}") for j, value in enumerate(entries))


def read_groups(
    groups: Any,
) -> tuple[Hashable | None, ...] | Mapping[str, Hashable | None] | None:
    if groups is None:
        return None
    entries = read_entries(groups, "groups")
    if isinstance(entries, dict):
        return MappingProxyType(
            {name: read_group_label(label, repr(name)) for name, label in entries.items()}
        )
    return tuple(read_group_label(label, str(j)) for j, label in enumerate(entries))


def read_group_label(label: Any, column: str) -> Hashable | None:
    if is_missing(label, marks=("",)):
        return None
    if not isinstance(label, Hashable):
        raise CostError(
            f"`groups`: the group of column {column} is {show(label)}. A feature is in one "
            "group or none: use a name, or None."
        )
    return label.item() if isinstance(label, np.generic) else label


def read_group_costs(group_costs: Any) -> Mapping[Hashable, float] | None:
    if group_costs is None:
        return None
    if not hasattr(group_costs, "items"):
        raise CostError(
            f"`group_costs` is {show(group_costs)}: give a fee by group, such as {{'blood': 2.1}}."
        )
    fees: dict[Hashable, float] = {}
    for label, fee in group_costs.items():
        if label in fees:
            raise CostError(f"`group_costs` names group {label!r} twice. Remove one.")
        fees[label] = read_price(fee, f"`group_costs`: the fee of group {label!r}")
    return MappingProxyType(fees)


def read_features(features: Any, parameter: str) -> tuple[str | int, ...]:
    names: set[str] = set()
    indices: set[int] = set()
    for feature in feature_items(() if features is None else features):
        if isinstance(feature, str):
            names.add(str(feature))
        elif isinstance(feature, Integral) and not isinstance(feature, bool):
            indices.add(int(feature))
        else:
            raise CostError(
                f"`{parameter}` has {show(feature)}: use column names or indices. "
                "`numpy.flatnonzero(mask)` turns a mask into indices."
            )
    return (*sorted(indices), *sorted(names))
