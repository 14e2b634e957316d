"""``frugalforest init``: a price list to fill in."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from frugalforest.cli.arguments import Data, Drop, Encoding, Separator, Sheet, Target
from frugalforest.cli.console import bad_option
from frugalforest.cli.selection import Request
from frugalforest.errors import DataError
from frugalforest.storage.files import whole_file
from frugalforest.tables import Table, find_column, read_table
from frugalforest.words.formats import count, percent, plain, spreadsheet_text
from frugalforest.words.wording import listed, printable

__all__ = ["init"]


def init(
    data: Data,
    target: Target,
    out: Annotated[
        Path, typer.Option(metavar="FILE", help="Price list to write, a CSV file.")
    ] = Path("prices.csv"),
    drop: Drop = None,
    encoding: Encoding = None,
    sep: Separator = None,
    sheet: Sheet = None,
) -> None:
    """Write a price list to fill in: one line per column of the table, at a price of 1.

    Put your own prices in the column cost: in money, minutes, milliliters of blood, whatever is
    scarce. If several features come with one measurement, such as a blood draw, write the same name
    in the column group, and the fee for it in group_cost; their cost is then what they add to the
    fee. The type of each column and its share of missing cells are listed for your information;
    other commands ignore them.

    An existing file is never overwritten.
    """
    frame = read_table(data, encoding=encoding, separator=sep, sheet=sheet)
    for name in (target, *(drop or ())):
        find_column(frame, name, data.name)
    features = frame.drop(columns=list({target, *(drop or ())}))
    if not len(features.columns):
        raise DataError(f"{data.name} has no feature columns beside {target!r}.")
    prices = _price_list(Table.read(features), data.name)
    _write_new(out, prices.to_csv(index=False))
    filled = Request(
        *(data, target, None, out),
        costs=out,
        drop=drop or (),
        encoding=encoding,
        separator=sep,
        sheet=sheet,
    )
    features_at_1 = plain(count(len(prices), "feature"))
    typer.echo(
        printable(f"Wrote {out}: {features_at_1} at a price of 1 each. Fill in your prices, then:")
    )
    typer.echo(printable(f"  {filled.command('check')}"))


def _price_list(table: Table, file: str) -> pd.DataFrame:
    formulas = [name for name in table.names if spreadsheet_text(name) != name]
    if formulas:
        raise DataError(
            f"{file}: a spreadsheet would run the names of columns {listed(formulas)} as formulas. "
            "Rename them."
        )
    return pd.DataFrame(
        {
            "feature": table.names,
            "cost": 1,
            "group": "",
            "group_cost": "",
            "type": table.kinds,
            "missing": [plain(percent(pd.isna(column).mean())) for column in table.columns],
        }
    )


def _write_new(file: Path, text: str) -> None:
    try:
        file.touch(exist_ok=False)  # takes the name, or fails: nothing comes in between
    except FileExistsError:
        raise bad_option(
            "--out",
            f"{str(file)!r} exists, and nothing is overwritten: name another file, or remove it.",
        ) from None
    try:
        with whole_file(file) as draft:
            draft.write_text(text, encoding="utf-8", newline="")
    except BaseException:
        file.unlink(missing_ok=True)
        raise
