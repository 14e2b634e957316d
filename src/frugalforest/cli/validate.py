"""``frugalforest validate``: a saved model on rows that it never saw, beside what was promised."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from frugalforest.cli.console import bad_option, interruptible
from frugalforest.errors import DataError
from frugalforest.evaluation.validation import Validation
from frugalforest.model import FittedModel, NumberModel, load_model
from frugalforest.report import render_validation
from frugalforest.storage.files import whole_file
from frugalforest.tables import as_text, find_column, read_table
from frugalforest.words.formats import percent

__all__ = ["validate"]


def validate(
    model: Annotated[
        Path, typer.Argument(metavar="MODEL", help="A model-BUDGET.zip file that `select` wrote.")
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="NEW",
            help="A table of rows that are new to the model: the chosen columns and the target.",
        ),
    ],
    target: Annotated[str, typer.Option(metavar="COLUMN", help="The column with the classes.")],
    positive: Annotated[
        str,
        typer.Option(
            metavar="CLASS",
            show_default="the rarest",
            help="Class that sensitivity and calibration refer to.",
        ),
    ] = "",
    out: Annotated[Path, typer.Option(metavar="FILE", help="Where to write the page.")] = Path(
        "validation.html"
    ),
    recalibrate: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Write a second model whose shares are corrected by these rows. The first is not "
            "changed.",
        ),
    ] = None,
) -> None:
    """Test a model on new rows, and compare its error with the one that was promised.

    Prints what the model gets right and wrong, and writes it as a page. If you correct its shares
    (--recalibrate), test the second model on other rows.
    """
    if recalibrate is not None and recalibrate.absolute() == model.absolute():
        raise bad_option("--recalibrate", "that is the model itself: name another file.")
    with interruptible("run the same command again"):
        fitted = load_model(model)
        if isinstance(fitted, NumberModel):
            raise DataError(
                f"{model.name} predicts numbers, and validate is for models of classes: compare "
                "what `frugalforest predict` writes with the truth."
            )
        frame = read_table(data)
        labels = frame[find_column(frame, target, data.name)]
        number = _positive(fitted, positive)
        try:
            found = fitted.validate(frame, labels, number, n_jobs=-1)
            better = None if recalibrate is None else fitted.recalibrated(frame, labels, n_jobs=-1)
        except DataError as error:
            raise DataError(f"{data.name}: {error}") from None
        with whole_file(out) as draft:
            draft.write_text(render_validation(found, model.name, data.name), encoding="utf-8")
        for line in _lines(found):
            typer.echo(line)
        if better is not None and recalibrate is not None:
            better[0].save(recalibrate)
            typer.echo(f"{better[1]} Written to {recalibrate}.")
        typer.echo(f"The page: {out}")


def _positive(fitted: FittedModel, name: str) -> int | None:
    if not name:
        return None
    names = [as_text(value) for value in fitted.classes]
    if name not in names:
        raise bad_option("--positive", f"{name!r} is no class of the model: {', '.join(names)}.")
    return names.index(name)


def _lines(found: Validation) -> list[str]:
    """What is printed: the sentences, who was called what, and the usual figures."""
    k, names, n = found.positive, found.classes, found.n_rows
    seen = found.diagnosis
    lines = [*found.sentences, "", "Rows of each class (lines) that are called each class:"]
    widths = [max(len(name), 6) for name in names]
    first = max(map(len, names))
    cells = [
        " " * first,
        *(name.rjust(width) for name, width in zip(names, widths, strict=True)),
    ]
    lines.append("  ".join(cells))
    for name, row in zip(names, seen.confusion, strict=True):
        counts = [str(round(n * share)).rjust(w) for share, w in zip(row, widths, strict=True)]
        lines.append("  ".join([name.ljust(first), *counts]))
    figures = {f"Recall ({name})": seen.sensitivity(j) for j, name in enumerate(names)}
    if len(names) == 2:
        figures = {
            f"Sensitivity ({names[k]})": seen.sensitivity(k),
            f"Specificity ({names[k]})": seen.specificity(k),
            f"Positive predictive value ({names[k]})": seen.positive_value(k),
            f"Negative predictive value ({names[k]})": seen.negative_value(k),
        }
    lines.append("")
    for label, figure in figures.items():
        shown = "–" if figure.value != figure.value else percent(figure.value)
        lines.append(f"{label}: {shown}")
    pairs = " (mean over pairs of classes)" if len(names) > 2 else ""
    lines.append(f"AUC{pairs}: {seen.auc.value:.3f}; Brier score: {seen.brier.value:.4f}")
    return lines
