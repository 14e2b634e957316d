"""``frugalforest check``: everything that is wrong with a table and its prices, at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated

import typer

from frugalforest.cli.arguments import (
    Data,
    Drop,
    Encoding,
    Na,
    NaIsAClass,
    PriceList,
    RowGroups,
    RowsAreIndependent,
    Separator,
    Sheet,
    Strict,
    Target,
    TaskAsked,
)
from frugalforest.cli.console import in_options
from frugalforest.cli.problems import Review, review
from frugalforest.cli.selection import Request
from frugalforest.comparison.options import Options
from frugalforest.words.formats import count, money, plain
from frugalforest.words.wording import printable

__all__ = ["check"]


def check(
    data: Data,
    target: Target,
    task: TaskAsked = None,
    costs: PriceList = None,
    row_groups: RowGroups = None,
    rows_are_independent: RowsAreIndependent = False,
    drop: Drop = None,
    require: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Always buy this feature.")
    ] = None,
    exclude: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Never buy this feature.")
    ] = None,
    encoding: Encoding = None,
    sep: Separator = None,
    sheet: Sheet = None,
    na: Na = None,
    na_is_a_class: NaIsAClass = False,
    strict: Strict = False,
) -> None:
    """Report everything that is wrong with a table and its prices before you spend hours on them.

    Takes the options of `frugalforest select` that say how to read the files. Problems that would
    keep `select` from starting come first, then whatever is worth knowing, such as a column that
    gives the target away. Nothing is written.

    The exit code is 0 if `select` could start, and 1 if there is a problem.
    """
    try:
        options = Options(task=task, rows_are_independent=rows_are_independent)
    except ValueError as error:
        raise typer.BadParameter(in_options(str(error))) from None
    request = Request(
        *(data, target, None, Path()),
        costs=costs,
        row_groups=row_groups,
        options=options,
        drop=drop or (),
        require=require or (),
        exclude=exclude or (),
        encoding=encoding,
        separator=sep,
        sheet=sheet,
        na_is_a_class=na_is_a_class,
        na=na or (),
        strict=strict,
    )
    found = review(request)
    for line in _lines(found, request):
        typer.echo(printable(in_options(line)))
    if found.problems:
        raise typer.Exit(1)


def _lines(found: Review, request: Request) -> Iterator[str]:
    if found.problems:
        yield f"{plain(count(len(found.problems), 'problem'))} to be fixed first:"
        yield from (f"- {problem}" for problem in found.problems)
    if notices := found.notices(request):
        yield "Worth knowing:"
        yield from (f"- {plain(notice.message)}" for notice in notices)
    if not found.problems:
        yield plain(_size(found, request))
        yield f"Nothing keeps this from starting: {request.command()}"


def _size(found: Review, request: Request) -> str:
    table, outcome, prices = found.table, found.outcome, found.prices
    assert table is not None  # or there would be a problem
    assert outcome is not None
    assert prices is not None
    return (
        f"{request.data.name}: {count(table.n_rows, 'row')}, "
        f"{count(len(table.names), 'feature')}, {outcome.in_words}. "
        f"All features together cost {money(prices.total(table.names))}."
    )
