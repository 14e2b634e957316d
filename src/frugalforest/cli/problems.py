"""Everything that is wrong with a table and its prices, at once.

Every reader is asked, whatever the others say: each column for itself, the target, the prices.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pandas as pd

from frugalforest.cli.selection import (
    Request,
    check_complete,
    missing_codes,
    read_prices,
    read_target,
)
from frugalforest.costs import CostModel, Prices, price_doubts
from frugalforest.errors import DataError, Problems
from frugalforest.tables import (
    Notice,
    Outcome,
    Table,
    check_features,
    column_checks,
    find_column,
    read_table,
    text_column,
)

__all__ = ["Review", "review"]


@dataclass
class Review:
    """What was found. What could not be read is None.

    Attributes
    ----------
    found : Problems
        What keeps a selection from starting.
    table : Table or None
        The columns that can be read.
    outcome : Outcome or None
    costs : CostModel or None
    prices : Prices or None
        The same, bound to the columns.
    """

    found: Problems = field(default_factory=Problems)
    table: Table | None = None
    outcome: Outcome | None = None
    costs: CostModel | None = None
    prices: Prices | None = None

    @property
    def problems(self) -> list[str]:
        """What keeps a selection from starting, a line each."""
        return self.found.messages

    def notices(self, request: Request) -> list[Notice]:
        """What is worth knowing about the prices, and the columns that can be read."""
        doubts = price_doubts(self.costs, None)
        said = [Notice(kind, (), message) for kind, message in doubts.items()]
        if self.table is None or self.outcome is None:
            return said
        grouped, independent = request.row_groups is not None, request.options.rows_are_independent
        checks = column_checks(self.table, self.outcome, grouped=grouped, independent=independent)
        return [*checks, *said]


def review(request: Request) -> Review:
    """Read what is asked for as `select` does."""
    found = Review()
    noted = found.found.noted
    frame = None
    with noted():
        frame = read_table(
            request.data,
            encoding=request.encoding,
            separator=request.separator,
            sheet=request.sheet,
        )
    if frame is None:
        with noted():
            if request.costs is not None:
                CostModel.from_csv(request.costs)
        return found
    left_out = _not_features(found.found, frame, request)
    names = [name for name in frame.columns if name not in left_out]
    if request.target in left_out:
        with noted():
            found.outcome = read_target(frame[request.target], request)
    if request.row_groups in left_out:
        with noted():
            groups = text_column(frame[request.row_groups])
            check_complete(groups, request.row_groups, request.data.name)
    if names:
        found.table = _features(found.found, frame[names], request)
    else:
        with noted():
            raise DataError(
                f"{request.data.name} has no feature columns beside {', '.join(sorted(left_out))}."
            )
    with noted():
        found.costs = read_prices(request, names, left_out)
        found.prices = found.costs.align(names)
    return found


def _not_features(problems: Problems, frame: pd.DataFrame, request: Request) -> set[str]:
    """Columns that are named and there."""
    left_out = set()
    for name in dict.fromkeys((request.target, request.row_groups, *request.drop)):
        with problems.noted():
            if name is not None:
                left_out.add(find_column(frame, name, request.data.name))
    return left_out


def _features(problems: Problems, frame: pd.DataFrame, request: Request) -> Table | None:
    readable = []
    codes: dict[str, list[str]] = {}
    with problems.noted():
        codes = missing_codes(request, list(frame.columns))
    for name in frame.columns:
        with problems.noted():
            column = Table.read(frame[[name]], na=codes)
            readable.append(column)
            if name not in request.exclude:
                check_features(column)
    return _beside(readable) if readable else None


def _beside(tables: Sequence[Table]) -> Table:
    """Tables of the same rows as one."""
    return Table(
        tuple(name for table in tables for name in table.names),
        tuple(column for table in tables for column in table.columns),
        tuple(kind for table in tables for kind in table.kinds),
        {name: style for table in tables for name, style in table.styles.items()},
        {name: how for table in tables for name, how in table.measured.items()},
    )
