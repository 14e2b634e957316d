"""``frugalforest select``: its options, checked."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from frugalforest.cli.arguments import (
    Data,
    Drop,
    Encoding,
    Na,
    NaIsAClass,
    PriceList,
    RowGroups,
    Separator,
    Sheet,
    Strict,
    Target,
    read_options,
    takes_options,
)
from frugalforest.cli.console import bad_option, check_money, interruptible
from frugalforest.cli.problems import review
from frugalforest.cli.selection import Request, run_selection
from frugalforest.cli.summary import show
from frugalforest.errors import CostError, DataError
from frugalforest.methods import DEFAULT_METHODS, METHODS, find_methods
from frugalforest.running.progress import show_log
from frugalforest.study.commands import Dask, ShownLog

__all__ = ["select"]

# Far more than anyone needs: a digit too many should end in a line, not in a full memory.
_MOST_TREES = 1_000_000
_MOST_RESAMPLES = 100_000
_MOST_JOBS = 10_000


@takes_options(after="out")
def select(
    data: Data,
    target: Target,
    budget: Annotated[
        list[str] | None,
        typer.Option(
            metavar="MONEY",
            show_default="the whole frontier, from the cheapest feature to all",
            help="The most that the features may cost. Can be given several times.",
        ),
    ] = None,
    costs: PriceList = None,
    methods: Annotated[
        str | None,
        typer.Option(
            metavar="NAMES",
            show_default=f"{','.join(DEFAULT_METHODS)}, except those too slow for the table",
            help=f"Methods to compare, separated by commas: {', '.join(METHODS)}.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the report and the models.")
    ] = Path("frugalforest-selection"),
    error_cost: Annotated[
        str | None,
        typer.Option(metavar="MONEY", help="Cost of any error, in the unit of the prices."),
    ] = None,
    positive: Annotated[
        str,
        typer.Option(
            metavar="CLASS",
            show_default="the rarest",
            help="Class that counts as positive, for sensitivity, the ROC curve and so on.",
        ),
    ] = "",
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            show_default="as in the table",
            help="How common the positive class is where the model will be used, for predictive "
            "values.",
        ),
    ] = None,
    row_groups: RowGroups = None,
    drop: Drop = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Always buy this feature. Can be given several times."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Never buy this feature. Can be given several times."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MOST_JOBS,
            metavar="N",
            show_default="as many as there are cores",
            help="Resamples to run at the same time.",
        ),
    ] = None,
    dask: Dask = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--fresh",
            help="Continue from finished work in the output folder, or discard it and start over.",
        ),
    ] = True,
    title: Annotated[str, typer.Option(metavar="TEXT", help="Title of the report.")] = "",
    currency: Annotated[
        str,
        typer.Option(metavar="TEXT", help="Currency symbol to print before amounts of money: €."),
    ] = "",
    encoding: Encoding = None,
    sep: Separator = None,
    sheet: Sheet = None,
    na: Na = None,
    na_is_a_class: NaIsAClass = False,
    strict: Strict = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write the files and print nothing.")
    ] = False,
    log_level: ShownLog = None,
    **options: Any,
) -> None:
    """Choose the features to measure, for one or several budgets.

    Compares methods, says what to buy at each budget and what error to expect on new cases, and
    writes a report (report.html), all results (selection.json) and one fitted model for each
    budget (model-BUDGET.zip) for `frugalforest predict`.

    An interrupted run continues where it stopped: finished resamples are kept in progress.sqlite in
    the output folder. A later run with more --resamples computes only the new ones.
    """
    show_log(log_level)
    if error_cost is not None:
        options["error_costs"] = _check_error_cost(error_cost, options["error_costs"])
    asked = read_options(options)
    if asked.rows_are_independent and row_groups is not None:
        raise bad_option("--rows-are-independent", "--row-groups says that they are not.")
    request = Request(
        data=data,
        target=target,
        budgets=[check_money(text) for text in budget] if budget else None,
        out=out,
        costs=costs,
        methods=None if methods is None else _check_methods(methods),
        options=asked,
        row_groups=row_groups,
        drop=drop or (),
        require=require or (),
        exclude=exclude or (),
        na=na or (),
        na_is_a_class=na_is_a_class,
        encoding=encoding,
        separator=sep,
        sheet=sheet,
        strict=strict,
        title=title,
        currency=currency,
        positive=positive,
        prevalence=_check_prevalence(prevalence),
        jobs=jobs,
        dask=dask,
        ledger=out / "progress.sqlite",
        quiet=quiet,
    )
    again = f"the same command goes on from the finished work in {request.ledger}"
    with interruptible(again if resume else f"{again} if --fresh is left out"):
        try:
            result = run_selection(request, fresh=not resume)
        except (CostError, DataError):
            review(request).found.raise_all()  # all that is wrong, not the first of it
            raise
        show(result, request)


def _check_error_cost(cost: str, costs: Path | None) -> float:
    if costs is not None:
        raise bad_option("--error-cost", "give either --error-cost or --error-costs, not both.")
    amount = check_money(cost, "--error-cost")
    if amount == 0:
        raise bad_option("--error-cost", "an error that costs nothing needs no features.")
    return amount


def _check_prevalence(share: float | None) -> float | None:
    if share is not None and not 0 < share < 1:
        raise bad_option("--prevalence", f"{share} is no such share: give one above 0 and below 1.")
    return share


def _check_methods(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    try:
        find_methods(names)
        return names
    except ValueError as error:
        raise bad_option("--methods", str(error)) from None
