"""What errors cost: for a case of each class that is called another, in the unit of the prices."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from frugalforest.errors import CostError
from frugalforest.storage.delimited import read_delimited
from frugalforest.tables import as_text
from frugalforest.words.numerals import (
    is_decimal_comma,
    may_be_thousands,
    parse_decimal_comma,
    parse_number,
    read_number,
)
from frugalforest.words.wording import did_you_mean, listed, show

__all__ = ["ErrorCosts"]

_COLUMNS = ("true", "predicted", "cost")


@dataclass(frozen=True)
class ErrorCosts:
    """What a case of each class (outer) costs that is called each class (inner).

    Examples
    --------
    >>> ErrorCosts.read({("ill", "well"): 500, ("well", "ill"): 20}, ("ill", "well")).matrix
    ((0.0, 500.0), (20.0, 0.0))
    """

    matrix: tuple[tuple[float, ...], ...]

    @classmethod
    def read(cls, given: object, classes: Sequence[Any]) -> ErrorCosts:
        """From one number for any error, or from a mapping of (true class, predicted class).

        A mapping has every pair of two classes. What a right answer costs is 0 unless it is given.

        Parameters
        ----------
        given : number, mapping, ErrorCosts, or path of a CSV file
            The file has the columns true, predicted and cost.
        classes : sequence
            The classes of the target, in order.

        Examples
        --------
        >>> ErrorCosts.read(3, ("a", "b")).matrix
        ((0.0, 3.0), (3.0, 0.0))
        """
        names = tuple(as_text(value) for value in classes)
        if isinstance(given, ErrorCosts):
            if len(given.matrix) != len(names):
                raise CostError(
                    f"`error_costs` are for {len(given.matrix)} classes, and the target has "
                    f"{len(names)}."
                )
            return given
        if isinstance(given, str | PathLike):
            return cls._filled(_read_file(Path(given)), names, Path(given).name)
        if isinstance(given, Mapping):
            return cls._filled(_read_mapping(given), names, "`error_costs`")
        if read_number(given) is None:
            raise CostError(
                f"`error_costs` is {show(given)}: give one number for any error, a mapping of "
                "(true, predicted) to numbers, or a CSV file with these columns and cost."
            )
        cost = _read_cost(given, "`error_costs`")
        pairs = ((a, b, cost) for a in names for b in names if a != b)
        return cls._filled(pairs, names, "`error_costs`")

    @classmethod
    def _filled(
        cls, pairs: Iterable[tuple[str, str, float]], names: Sequence[str], where: str
    ) -> ErrorCosts:
        matrix = np.full((len(names), len(names)), np.nan)
        for true, predicted, cost in pairs:
            for name in (true, predicted):
                if name not in names:
                    raise CostError(
                        f"{where} names the class {name!r}, which the target does not have: its "
                        f"classes are {listed(names)}.{did_you_mean(name, names)}"
                    )
            at = names.index(true), names.index(predicted)
            if not np.isnan(matrix[at]):
                raise CostError(f"{where} has {true!r} called {predicted!r} twice: remove one.")
            matrix[at] = cost
        right = np.diag_indices(len(names))
        matrix[right] = np.nan_to_num(matrix[right])
        for a, b in np.argwhere(np.isnan(matrix)).tolist():
            raise CostError(
                f"{where} does not say what it costs when {names[a]!r} is called {names[b]!r}: "
                "give every pair of two classes, 0 where it costs nothing."
            )
        if not (matrix > matrix.diagonal()[:, np.newaxis]).any():
            raise CostError(
                f"{where}: no error costs more than a right answer. Give one that does."
            )
        return cls(tuple(tuple(row) for row in matrix.tolist()))


def _read_mapping(given: Mapping[Any, Any]) -> Iterable[tuple[str, str, float]]:
    for pair, cost in given.items():
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise CostError(
                f"`error_costs` has the key {show(pair)}: it must be a pair, (true class, "
                "predicted class)."
            )
        true, predicted = as_text(pair[0]), as_text(pair[1])
        yield true, predicted, _read_cost(cost, f"the cost of {true!r} called {predicted!r}")


def _read_file(path: Path) -> Iterable[tuple[str, str, float]]:
    text = read_delimited(path, CostError)
    header = [field.strip().lower() for field in text.header]
    for column in _COLUMNS:
        if header.count(column) != 1:
            raise CostError(
                f"{path.name} must have one column {column!r}; its columns are {listed(header)}. "
                "The first line must name true, predicted and cost."
            )
    for line, fields in zip(text.lines, text.rows, strict=True):
        row = {name: field.strip() for name, field in zip(header, fields, strict=True)}
        what = f"{path.name}, line {line}: the cost"
        cost: object = row["cost"]
        comma = is_decimal_comma(row["cost"])
        if comma and may_be_thousands(row["cost"]):
            raise CostError(
                f"{what} is {row['cost']!r}: that could be thousands or decimals. Write it without "
                "a comma, or with a decimal point."
            )
        with suppress(ValueError):
            cost = parse_decimal_comma(row["cost"]) if comma else parse_number(row["cost"])
        yield row["true"], row["predicted"], _read_cost(cost, what)


def _read_cost(value: object, what: str) -> float:
    cost = read_number(value)
    if cost is None:
        raise CostError(f"{what} is {show(value)}, not a number. Use a number such as 500.")
    if not 0 <= cost < float("inf"):
        raise CostError(f"{what} is {show(value)}: it must be 0 or more, and finite.")
    return cost
