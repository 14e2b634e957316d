"""``frugalforest predict``: a saved model on new rows."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pandas as pd
import typer

from frugalforest.cli.console import interruptible, say_aside
from frugalforest.errors import DataError
from frugalforest.model import FittedModel, NumberModel, load_model
from frugalforest.tables import read_table, table_text, write_table
from frugalforest.words.wording import counted

__all__ = ["predict"]


def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model-BUDGET.zip file that `select` wrote. It holds numbers and text only: "
            "opening it never executes code.",
        ),
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="NEW", help="The new table. It must have the chosen columns; others are kept."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default="print", help="A .csv or .tsv file to write (also .gz)."
        ),
    ] = None,
) -> None:
    """Predict the classes or numbers of new rows with a model that `select` wrote.

    Adds the column `predicted` and, for each class, the model's share for it. A category not seen
    in training counts as missing. Text that a spreadsheet would run as a formula (=cmd) gets a
    leading apostrophe.
    """
    with interruptible("nothing was written; run the same command again"):
        fitted = load_model(model)
        frame = read_table(data)
        try:
            predictions = _predictions(fitted, frame)
        except DataError as error:
            raise DataError(f"{data.name}: {error}") from None
        for name in predictions.columns:
            if name in frame.columns:
                raise DataError(f"{data.name} has a column {name!r} already: rename or remove it.")
        table = pd.concat([frame, predictions], axis=1)
        if out is None:
            typer.echo(table_text(table), nl=False)
        else:
            write_table(table, out)
        _note_doubts(fitted, frame)


def _predictions(fitted: FittedModel | NumberModel, frame: pd.DataFrame) -> pd.DataFrame:
    if isinstance(fitted, NumberModel):
        return pd.DataFrame({"predicted": fitted.predict(frame, n_jobs=-1)})
    predicted, shares = fitted.predict_with_shares(frame, n_jobs=-1)
    return pd.DataFrame(
        {
            "predicted": predicted,
            **{f"share_{name}": shares[:, k] for k, name in enumerate(fitted.classes)},
        }
    )


def _note_doubts(fitted: FittedModel | NumberModel, frame: pd.DataFrame) -> None:
    """Say on standard error what may make predictions worse than promised."""
    for name, categories in fitted.unseen(frame).items():
        shown = ", ".join(map(repr, categories[:5])) + (", …" if len(categories) > 5 else "")
        say_aside(f"Note: column {name!r} holds {shown}, not seen in training: taken as missing.")
    if not fitted.features:
        return
    for name, values in fitted.schema.outside(fitted.read(frame)).items():
        low, high = fitted.schema.ranges[name]
        say_aside(
            f"Note: column {name!r} holds {counted(len(values), 'value')} outside the range of the "
            f"training data ({low:.6g} to {high:.6g}), such as {values[0]:.6g}: is it the same "
            "unit?"
        )
