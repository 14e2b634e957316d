"""Price lists in CSV files and data frames, in either of two forms.

``feature,cost,group,group_cost`` states each group's fee. ``feature,cost,group,cost_if_group_paid``
has prices alone and once the group is paid: the fee is the difference.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal
from pathlib import Path
from typing import Any

from frugalforest.costs._given import read_price
from frugalforest.costs.budget import BUDGET_TOLERANCE
from frugalforest.errors import CostError, Problems
from frugalforest.storage.delimited import read_delimited
from frugalforest.words.missing import is_missing
from frugalforest.words.numerals import (
    is_decimal_comma,
    may_be_thousands,
    parse_decimal_comma,
    parse_number,
)
from frugalforest.words.wording import listed, nearest

__all__ = ["read_price_frame", "read_price_list"]

_PRICE_COLUMNS = ("cost", "group_cost", "cost_if_group_paid")
_SPREADSHEETS = (".xlsx", ".xlsm", ".xls", ".ods")
_PRICE_LIST_COLUMNS = ("feature", "cost", "group", "group_cost", "cost_if_group_paid")


@dataclass(frozen=True)
class _PriceRow:
    """One line of a price list; columns that the file does not have are empty."""

    where: str
    line: int
    fields: Mapping[str, str]
    decimal_commas: bool = False

    def __getitem__(self, column: str) -> str:
        return self.fields.get(column, "")

    def price(self, column: str) -> float:
        text = self[column]
        value: object = text
        with suppress(ValueError):
            value = parse_decimal_comma(text) if self.decimal_commas else parse_number(text)
        return read_price(value, f"{self.where}: the {column} of {self['feature']!r}")


def read_price_list(path: Path) -> dict[str, Any]:
    """Read the arguments of `CostModel` from a file."""
    return _read_arguments(_read_rows(path), path.name)


def read_price_frame(frame: Any) -> dict[str, Any]:
    """Read the arguments of `CostModel` from a data frame with the columns of a price list."""
    header = [str(name).strip().lower() for name in frame.columns]
    _check_header(header, "`costs`")
    columns = [list(frame[name]) for name in frame.columns]
    rows = [
        _PriceRow(
            f"`costs`, row {i}",
            i,
            {
                name: "" if is_missing(cell) else str(cell).strip()
                for name, cell in zip(header, cells, strict=True)
                if name in _PRICE_LIST_COLUMNS
            },
        )
        for i, cells in enumerate(zip(*columns, strict=True), start=1)
    ]
    if not rows:
        raise CostError("`costs` has no prices: it is a table without rows.")
    return _read_arguments(rows, "`costs`")


def _read_arguments(rows: Sequence[_PriceRow], file: str) -> dict[str, Any]:
    problems = Problems()
    seen: dict[str, int] = {}
    for row in rows:
        with problems.noted():
            if not row["feature"]:
                raise CostError(f"{row.where}: the feature's name is missing.")
            first = seen.setdefault(row["feature"], row.line)
            if first != row.line:
                raise CostError(
                    f"{file}: feature {row['feature']!r} is on lines {first} and "
                    f"{row.line}. Remove one."
                )
    costs: dict[str, float] = {}
    fees: dict[str, float] | None = None
    if "cost_if_group_paid" in rows[0].fields:
        costs, fees = _prices_from_differences(rows, problems)
    else:
        for row in rows:
            with problems.noted():
                costs[row["feature"]] = row.price("cost")
        if "group_cost" in rows[0].fields:
            fees = _stated_fees(rows, problems)
    problems.raise_all()
    groups = {row["feature"]: row["group"] for row in rows if row["group"]}
    return {"costs": costs, "groups": groups or None, "group_costs": fees}


def _prices_from_differences(
    rows: Sequence[_PriceRow], problems: Problems
) -> tuple[dict[str, float], dict[str, float] | None]:
    """Prices once the group is paid, and fees, from prices alone and once the group is paid."""
    costs: dict[str, float] = {}
    fees: dict[str, float] = {}
    first: dict[str, _PriceRow] = {}
    for row in rows:
        with problems.noted():
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
                        f"{row.where}: {row['feature']!r} has no group, but its cost is "
                        f"{alone:.12g} and its cost_if_group_paid {paid:.12g}. Name its group, or "
                        "make them equal."
                    )
                continue
            if fee < 0:
                raise CostError(
                    f"{row.where}: the cost_if_group_paid of {row['feature']!r}, {paid:.12g}, is "
                    f"more than its cost alone, {alone:.12g}. It must not be."
                )
            known = fees.setdefault(group, fee)
            first.setdefault(group, row)
            if not math.isclose(
                fee, known, rel_tol=BUDGET_TOLERANCE, abs_tol=BUDGET_TOLERANCE * alone
            ):
                raise CostError(
                    f"{row.where}: group {group!r} shares {fee:.12g} at {row['feature']!r} but "
                    f"{known:.12g} at {first[group]['feature']!r} (line {first[group].line}). "
                    "cost - cost_if_group_paid is the group's fee and must be the same in the "
                    "group."
                )
    return costs, fees or None


def _stated_fees(rows: Sequence[_PriceRow], problems: Problems) -> dict[str, float] | None:
    fees: dict[str, float] = {}
    first: dict[str, int] = {}
    for row in rows:
        with problems.noted():
            group = row["group"]
            if not row["group_cost"]:
                continue
            if not group:
                raise CostError(
                    f"{row.where}: {row['feature']!r} has a group_cost but no group. Name its "
                    "group, or remove the fee."
                )
            fee = row.price("group_cost")
            if fees.setdefault(group, fee) != fee:
                raise CostError(
                    f"{row.where}: the group_cost of group {group!r} is {fee:.12g}, but "
                    f"{fees[group]:.12g} on line {first[group]}. A group has one fee."
                )
            first.setdefault(group, row.line)
    stated = {row["group"] for row in rows if row["group_cost"]}
    without = {row["group"]: row for row in reversed(rows) if row["group"] not in stated}
    for group in sorted(without.keys() - {""}):
        with problems.noted():
            raise CostError(
                f"{without[group].where}: group {group!r} has no group_cost on any line. Add its "
                "fee, 0 if there is none."
            )
    return fees or None


def _read_rows(path: Path) -> list[_PriceRow]:
    """Read the lines of a price list, with its header checked."""
    if path.name.lower().endswith(_SPREADSHEETS):
        raise CostError(
            f"{path.name} is a spreadsheet: save the sheet with the prices as CSV (in Excel: Save "
            "As, CSV UTF-8), and give that file."
        )
    text = read_delimited(path, CostError)
    header = [field.strip().lower() for field in text.header]
    if header:
        _check_header(header, path.name)
    rows = []
    for line, fields in zip(text.lines, text.rows, strict=True):
        known = {
            column: field.strip()
            for column, field in zip(header, fields, strict=True)
            if column in _PRICE_LIST_COLUMNS
        }
        rows.append(_PriceRow(f"{path.name}, line {line}", line, known))
    if not rows:
        raise CostError(f"{path.name} has no prices. It needs a header `feature,cost` and rows.")
    if _has_decimal_commas(rows, text.separator):
        return [replace(row, decimal_commas=True) for row in rows]
    return rows


def _has_decimal_commas(rows: Sequence[_PriceRow], separator: str) -> bool:
    """Whether prices are written with a decimal comma, all of them or none."""
    prices = [(row, column) for row in rows for column in _PRICE_COLUMNS if row[column]]
    commas = [(row, column) for row, column in prices if is_decimal_comma(row[column])]
    if not commas:
        points = [(row, column) for row, column in prices if "." in row[column]]
        if (
            separator == ";"
            and points
            and all(may_be_thousands(r[c].replace(".", ",")) for r, c in points)
        ):
            row, column = points[0]
            raise CostError(
                f"{row.where}: the {column} of {row['feature']!r} is {row[column]!r}: between "
                "semicolons that could be thousands or decimals. Write it without the point, or "
                "with a decimal comma."
            )
        return False
    row, column = commas[0]
    what = f"{row.where}: the {column} of {row['feature']!r} is {row[column]!r}"
    if any("." in row[column] for row, column in prices):
        raise CostError(f"{what}, but other prices have a point. Write all decimals alike.")
    # Whoever separates fields by semicolons does so because the comma is taken.
    if separator == "," and all(may_be_thousands(row[column]) for row, column in commas):
        raise CostError(
            f"{what}: that could be thousands or decimals. Write it without a comma, or with a "
            "decimal point."
        )
    return True


def _check_header(header: Sequence[str], file: str) -> None:
    known = [column for column in header if column in _PRICE_LIST_COLUMNS]
    absent = [column for column in _PRICE_LIST_COLUMNS if column not in header]
    for column in set(header) - set(known):
        # Other columns are welcome, but a misspelt one would silently drop a fee.
        if near := nearest(column, absent, cutoff=0.8):
            raise CostError(f"{file}: column {column!r} is not known. Did you mean {near!r}?")
    if missing := [column for column in ("feature", "cost") if column in absent]:
        raise CostError(
            f"{file} has no column {missing[0]!r}; its columns are {listed(header)}. "
            "The first line must name `feature` and `cost`."
        )
    if len(set(known)) < len(known):
        raise CostError(f"{file} has a column twice: {listed(known)}. Remove one.")
    if "group_cost" in known and "cost_if_group_paid" in known:
        raise CostError(
            f"{file} has both `group_cost` and `cost_if_group_paid`. In the first form `cost` is "
            "without the fee, in the second with it: keep one."
        )
    if "cost_if_group_paid" in known and "group" not in known:
        raise CostError(f"{file} has `cost_if_group_paid` but no column `group`. Add it.")
