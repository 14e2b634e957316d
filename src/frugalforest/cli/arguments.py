"""Options of commands: where the table and the prices are, how to read them, and how to choose."""

from __future__ import annotations

from collections.abc import Callable
from inspect import Parameter, signature
from pathlib import Path
from typing import Annotated, Any

import typer

from frugalforest.cli.console import bad_option, in_options
from frugalforest.comparison.options import FLAGS, Flag, Options

__all__ = [
    "Data",
    "Drop",
    "Encoding",
    "Na",
    "NaIsAClass",
    "PriceList",
    "RowGroups",
    "RowsAreIndependent",
    "Separator",
    "Sheet",
    "Strict",
    "Target",
    "TaskAsked",
    "read_options",
    "takes_options",
]

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="The table: CSV or TSV (also .gz), Parquet or Excel, one row per case. Text "
        "columns are categories, empty cells are missing, and columns without a name "
        "are left out.",
    ),
]
Target = Annotated[
    str, typer.Option(metavar="COLUMN", help="The column to predict: classes, or numbers.")
]
PriceList = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Price list: CSV file with the columns feature and cost and, for fees paid "
        "once with a group's first feature, group and group_cost. Without it, each "
        "feature costs 1.",
    ),
]
RowGroups = Annotated[
    str | None,
    typer.Option(
        "--row-groups",
        metavar="COLUMN",
        help="Rows with the same value in this column (a patient, a batch) are never split "
        "between training and testing. The column is not a feature.",
    ),
]
RowsAreIndependent = Annotated[
    bool,
    typer.Option("--rows-are-independent", help=FLAGS["rows_are_independent"].help),
]
TaskAsked = Annotated[
    str | None,
    typer.Option(
        "--task",
        metavar=FLAGS["task"].metavar,
        show_default=FLAGS["task"].shown_default or True,
        help=FLAGS["task"].help,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Column to leave out. Can be given several times."),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        metavar="NAME", show_default="UTF-8", help="Encoding of a text table, such as latin-1."
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="CHARACTER",
        show_default="comma, semicolon or tab, as in the first line",
        help="Character between the cells of a text table.",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME", show_default="the first", help="Sheet of an Excel table."),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="CODE|COLUMN=CODE",
        help="Number or text that means missing, in all features or in one: 999, chol=-9. "
        "Can be given several times. The model reads it the same way.",
    ),
]
NaIsAClass = Annotated[
    bool,
    typer.Option(
        "--na-is-a-class",
        help="Treat NA, ? and the like in the target as classes: only empty cells are missing.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict",
        help="Make prices of features that the table lacks an error; otherwise they are ignored.",
    ),
]


def takes_options(after: str) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Give a command that takes ``**options`` those of `Options`, listed after one of its own."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        *own, _ = signature(command, eval_str=True).parameters.values()
        place = [each.name for each in own].index(after) + 1
        chosen = [_parameter(name, flag) for name, flag in FLAGS.items()]
        parameters = [*own[:place], *chosen, *own[place:]]
        command.__signature__ = signature(command).replace(  # type: ignore[attr-defined]
            parameters=[each.replace(kind=Parameter.KEYWORD_ONLY) for each in parameters]
        )
        return command

    return decorate


def _parameter(name: str, flag: Flag) -> Parameter:
    option = typer.Option(
        getattr(Options, name),
        flag.option,
        help=flag.help,
        metavar=flag.metavar,
        show_default=True if flag.shown_default is None else flag.shown_default,
        min=flag.least,
        max=flag.most,
    )
    kind = Parameter.KEYWORD_ONLY
    return Parameter(flag.name, kind, default=option, annotation=flag.takes)


def read_options(given: dict[str, Any]) -> Options:
    """What was typed, as the options that are meant."""
    values = {}
    for name, flag in FLAGS.items():
        try:
            typed = given[flag.name]
            values[name] = typed if flag.read is None else flag.read(typed)
        except ValueError as error:
            raise bad_option(flag.option, str(error)) from None
    try:
        return Options(**values)
    except ValueError as error:
        raise typer.BadParameter(in_options(str(error))) from None
