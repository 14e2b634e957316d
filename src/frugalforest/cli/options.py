"""Options that several commands have: where the table and the prices are, and how to read them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

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
]

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        help="The table: CSV or TSV (also .gz), Parquet or Excel, one row a case. Text columns "
        "are categories, empty cells are missing, columns without a name are left out.",
    ),
]
Target = Annotated[
    str, typer.Option(metavar="COLUMN", help="The column with the classes to predict.")
]
PriceList = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="Price list: a CSV file with the columns feature and cost and, for fees paid once "
        "with the first feature of a group, group and group_cost. Without it each feature "
        "costs 1.",
    ),
]
RowGroups = Annotated[
    str | None,
    typer.Option(
        "--row-groups",
        metavar="COLUMN",
        help="Rows with the same value here (a patient, a batch) are never both trained and "
        "tested on. Not a feature.",
    ),
]
RowsAreIndependent = Annotated[
    bool,
    typer.Option(
        "--rows-are-independent",
        help="Rows that are the same in every column are different cases, and none are of one "
        "person. By default copies are never both trained and tested on.",
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMN", help="Not a feature: leave it out. Can be given several times."),
]
Encoding = Annotated[
    str | None,
    typer.Option(metavar="NAME", show_default="UTF-8", help="Of a text table: latin-1."),
]
Separator = Annotated[
    str | None,
    typer.Option(
        "--sep",
        metavar="CHARACTER",
        show_default="comma, semicolon or tab, as in the first line",
        help="What stands between the cells of a text table.",
    ),
]
Sheet = Annotated[
    str | None,
    typer.Option(metavar="NAME", show_default="the first", help="Of an Excel table."),
]
Na = Annotated[
    list[str] | None,
    typer.Option(
        "--na",
        metavar="CODE|COLUMN=CODE",
        help="A number or text that means missing, in all features or in one: 999, chol=-9. Can be "
        "given several times. The model takes it so, too.",
    ),
]
NaIsAClass = Annotated[
    bool,
    typer.Option(
        "--na-is-a-class",
        help="In the target, NA, ? and the like are classes: only empty cells are missing.",
    ),
]
Strict = Annotated[
    bool,
    typer.Option(
        "--strict", help="Prices of features that the table lacks are an error, not ignored."
    ),
]
