"""``frugalforest demo``: the whole job on a built-in data set."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from frugalforest.cli.console import interruptible, output_folder
from frugalforest.cli.selection import Request, run_selection
from frugalforest.cli.summary import show
from frugalforest.comparison.options import Options
from frugalforest.running.progress import show_log
from frugalforest.study.commands import ShownLog
from frugalforest.tables import write_table
from frugalforest.words.wording import printable

__all__ = ["demo"]

# One fee for taking a measurement of the cells; its mean, error and worst value are then 1 each.
_DEMO_FEES = {
    "texture": 10,
    "radius": 15,
    "perimeter": 15,
    "area": 20,
    "smoothness": 25,
    "symmetry": 30,
    "compactness": 35,
    "concavity": 45,
    "fractal dimension": 50,
    "concave points": 60,
}
_DEMO_BUDGETS = (20.0, 40.0, 80.0, 160.0)


def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the files.")] = Path(
        "frugalforest-demo"
    ),
    log_level: ShownLog = None,
    resamples: Annotated[int, typer.Option(min=0, hidden=True)] = 10,
    trees: Annotated[int, typer.Option(min=1, hidden=True)] = 300,
    jobs: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
) -> None:
    """The whole job on a built-in data set, in about a minute.

    Breast tumors, benign or malignant, by ten measurements of their cells. Each measurement has
    its own fee and gives three features: mean, error and worst value. Four budgets, all methods.
    Also writes the table and the price list, to try `frugalforest select` on.
    """
    show_log(log_level)
    request = Request(
        out / "data.csv",
        "diagnosis",
        _DEMO_BUDGETS,
        out,
        out / "prices.csv",
        options=Options(n_resamples=resamples, n_trees=trees, racing=True),
        jobs=jobs,
    )
    with interruptible("run the same command again; it starts anew"), output_folder(out):
        _write_demo_data(request.data, out / "prices.csv")
        typer.echo(
            "Breast tumors: which measurements of their cells are worth the fee?\n"
            "The first feature of a measurement costs its fee plus 1, the other two 1 each.\n"
            "This takes up to a minute."
        )
        result = run_selection(request)
    show(result, request)
    try_it = [
        *("frugalforest", "select", str(request.data), "--target", request.target),
        *("--costs", str(out / "prices.csv"), "--budget", "60", "--budget", "100"),
    ]
    typer.echo(printable(f"Your turn: {shlex.join(try_it)}"))


def _write_demo_data(data: Path, prices: Path) -> None:
    import pandas as pd
    from sklearn.datasets import load_breast_cancer

    bunch = load_breast_cancer(as_frame=True)
    table = bunch.data.copy()
    table["diagnosis"] = bunch.target_names[bunch.target]
    write_table(table, data)
    rows = []
    for feature in bunch.data.columns:
        group = next(g for g in _DEMO_FEES if g in feature)
        rows.append(
            {"feature": feature, "cost": 1, "group": group, "group_cost": _DEMO_FEES[group]}
        )
    write_table(pd.DataFrame(rows), prices)
