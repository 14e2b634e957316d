"""What `select` prints when it is done: a table, what to buy, what it comes to, the files."""

from __future__ import annotations

import math
import shlex

from rich import box
from rich.console import Console
from rich.table import Table as Grid

from frugalforest.cli.selection import Request, model_file, models_for
from frugalforest.comparison import Comparison
from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.results.findings import Findings
from frugalforest.words.formats import count, money, named, plain
from frugalforest.words.wording import printable

__all__ = ["show"]


def show(result: Comparison, request: Request) -> None:
    """Print the summary, unless nothing is to be printed."""
    if request.quiet:
        return
    # Column names may look like markup.
    console = Console(highlight=False, markup=False, emoji=False)
    # In a pipe there is no width to fit, and whole lines are easier to search.
    whole_lines = not console.is_terminal
    findings = Findings.of(result)
    console.print(printable(_size(result)), soft_wrap=whole_lines)
    for line in findings.column_sentences:
        console.print(f"- {printable(plain(line))}", soft_wrap=whole_lines)
    console.print()
    console.print(_grid(result, findings))
    for paragraph in (_purchases(result, findings), findings.sentences):
        console.print()
        for line in paragraph:
            console.print(printable(line), soft_wrap=whole_lines)
    console.print()
    for line in _files(result, findings, request):
        console.print(line, soft_wrap=True)


def _size(result: Comparison) -> str:
    data = result.data
    features = plain(count(data.n_features, "feature"))
    if data.numbers is not None:
        own = data.numbers
        size = f"{data.n_rows} rows, {features}, numbers from {own.low:.6g} to {own.high:.6g}."
        return size + _parts(result)
    counts = ", ".join(
        f"{name}: {n_rows}" for name, n_rows in zip(data.classes, data.class_counts, strict=True)
    )
    size = f"{data.n_rows} rows, {features}, {len(data.classes)} classes ({counts})."
    return size + _parts(result)


def _parts(result: Comparison) -> str:
    """What is not as for small tables."""
    settings, size = result.settings, ""
    if settings.bins:
        size += f" Forests split each column between {settings.bins} bins at most."
    if settings.search_rows:
        size += (
            f" Sets were looked for on {settings.search_rows:,} of the rows, and tested on "
            f"{settings.held_out_rows:,} others."
        )
    return size


def _grid(result: Comparison, findings: Findings) -> Grid:
    """The answer at each budget; beside it all methods, unless one of them has the say."""
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    grid.add_column("Budget", justify="right")
    grid.add_column("Method")
    expected = f"{findings.score.title} to expect"
    for header in ("Features", "Price", expected, "95 % interval"):
        grid.add_column(header, justify="right", no_wrap=header != expected)
    grid.add_column("", no_wrap=True)
    tags = findings.recommended is not None and findings.worth_measuring and not findings.too_good
    for stretch in findings.stretches:
        finding = stretch.finding
        best = finding.selection
        recommended = tags and finding is findings.lead and len(findings.stretches) > 1
        methods = (best.method,) if findings.judged else result.methods
        for method in methods:
            wins = method == best.method
            # The chosen row shows the error to quote: that of the choice among methods, too.
            row = best if wins else result.selection(best.budget, method)
            # One set has one error to expect, however else it may be arrived at.
            same = finding.is_reached_by(row)
            taken = "recommended" if recommended else "chosen" if len(methods) > 1 else ""
            grid.add_row(
                stretch.amounts,
                method,
                str(len(row.features)),
                money(row.cost),
                "" if same else _error(row.honest, findings),
                "" if same or row.honest is None else _interval(row.honest, findings),
                taken if wins else "same set" if same else "",
                style="bold" if wins and len(methods) > 1 else None,
                end_section=len(methods) > 1 and method == methods[-1],
            )
    return grid


def _error(honest: ErrorEstimate | None, findings: Findings) -> str:
    return "unknown" if honest is None else plain(findings.value(honest.error))


def _interval(honest: ErrorEstimate, findings: Findings) -> str:
    if math.isnan(honest.low):
        return "unknown"
    return plain(findings.score.interval(honest.low, honest.high))


def _purchases(result: Comparison, findings: Findings) -> list[str]:
    lines = [_how_chosen(findings)]
    choice = "the choice" if findings.judged else "choice of the method"
    for stretch in findings.stretches:
        best = stretch.finding.selection
        error = (
            f"{findings.score.label.capitalize()}: {findings.score.text(best.score)}, a selection "
            "score."
            if best.honest is None
            else f"{findings.score.title} to expect, {choice} included: "
            f"{findings.value(best.honest.error)} "
            f"({findings.certainty(best.honest)})."
        )
        bought = (
            f"{count(len(best.features), 'feature')} for {findings.amount(best.cost)}: "
            f"{named(best.features)}"
            if best.features
            else "nothing that is shown to do better than guessing"
        )
        line = f"- {findings.amounts(stretch)}: {bought}. {error}"
        lines.append(plain(line))
    others = [m for m in result.methods if findings.judged and m != findings.lead.selection.method]
    if others:
        lines.append(f"What {', '.join(others)} would buy is in the report, for comparison.")
    return lines


def _how_chosen(findings: Findings) -> str:
    if findings.judged:
        return (
            "What is bought at each amount is what did best, after a deduction for chance, on rows "
            f"that took no part in it; the {findings.score.noun} is corrected for that choice:"
        )
    return (
        f"The method is chosen by its {findings.score.label}, not by the {findings.score.noun} to "
        "expect: a number that something is chosen by is no longer honest. What it buys at each "
        "budget:"
    )


def _files(result: Comparison, findings: Findings, request: Request) -> list[str]:
    model = shlex.quote(str(model_file(request, findings.lead.selection.budget)))
    lines = [
        f"Report:   {request.out / 'report.html'}",
        f"Results:  {request.out / 'selection.json'}",
        f"Models:   {', '.join(str(model_file(request, b)) for b in models_for(result))}",
        f"New rows: frugalforest predict {model} NEW.csv",
    ]
    if request.ledger is not None:
        lines.append(f"Kept:     {request.ledger}, so that more --resamples go on from here")
    return [printable(line) for line in lines]
