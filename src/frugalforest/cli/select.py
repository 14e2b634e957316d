"""``frugalforest select``: its options, checked."""

from __future__ import annotations

import math
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from frugalforest.cli.console import bad_option, interruptible
from frugalforest.cli.options import (
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
)
from frugalforest.cli.problems import review
from frugalforest.cli.selection import Request, run_selection
from frugalforest.cli.summary import show
from frugalforest.engine import bins_for
from frugalforest.errors import CostError, DataError
from frugalforest.evaluation.parts import search_rows_for
from frugalforest.methods import DEFAULT_METHODS, METHODS, check_xi, find_methods
from frugalforest.model.final import FINALS
from frugalforest.running.progress import show_log
from frugalforest.scores import SCORES
from frugalforest.study.commands import Dask, ShownLog

__all__ = ["select"]

# Far more than anyone needs: a digit too many should end in a line, not in a full memory.
_MOST_TREES = 1_000_000
_MOST_RESAMPLES = 100_000
_MOST_JOBS = 10_000


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
            show_default=f"{','.join(DEFAULT_METHODS)}, without those that take long for the table",
            help=f"The methods to compare, separated by commas: of {', '.join(METHODS)}.",
        ),
    ] = None,
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the report and the models.")
    ] = Path("frugalforest-selection"),
    resamples: Annotated[
        int,
        typer.Option(
            min=0,
            max=_MOST_RESAMPLES,
            metavar="N",
            help="How often everything is repeated on part of the rows and tested on the others, "
            "for an honest error. 0 for no honest error.",
        ),
    ] = Request.resamples,
    scoring: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="error, or cost if it is known what errors cost",
            help=f"What sets are chosen by, and what to expect: {', '.join(SCORES)}.",
        ),
    ] = None,
    error_cost: Annotated[
        str | None,
        typer.Option(metavar="MONEY", help="What any error costs, in the unit of the prices."),
    ] = None,
    error_costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="What each kind of error costs: a CSV file with the columns true, predicted and "
            "cost. Then the budget with the lowest total of prices and errors is recommended.",
        ),
    ] = None,
    class_weight: Annotated[
        list[str] | None,
        typer.Option(
            metavar="balanced|CLASS=WEIGHT",
            help="What rows of a class weigh while trees grow. Weights can be given several times.",
        ),
    ] = None,
    positive: Annotated[
        str,
        typer.Option(
            metavar="CLASS",
            show_default="the rarest",
            help="The class that counts as positive: for sensitivity, ROC curve and the like.",
        ),
    ] = "",
    prevalence: Annotated[
        float | None,
        typer.Option(
            metavar="SHARE",
            show_default="as in the table",
            help="How common the positive class is where the model will be used: for predictive "
            "values.",
        ),
    ] = None,
    trees: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MOST_TREES,
            metavar="N",
            show_default="1000; fewer above 20,000 rows",
            help="Trees of each forest.",
        ),
    ] = Request.trees,
    final: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="What is fitted on the chosen features in the end: forest, logistic (a linear "
            "model of ranks), blend (the mean of both), or auto (forest or blend, what does better "
            "out of bag). Errors to expect are its own.",
        ),
    ] = Request.final,
    min_samples_leaf: Annotated[
        int,
        typer.Option(
            min=1,
            max=_MOST_TREES,
            metavar="N",
            help="Fewest draws of rows in a leaf of the forests. With rare classes and a score "
            "that looks at shares, such as the AUC, 20 may be better.",
        ),
    ] = Request.min_samples_leaf,
    racing: Annotated[
        bool,
        typer.Option(
            "--racing",
            help="Faster forward selection: full forests for promising features only. Without "
            "--methods it is then compared, too, unless the table is large.",
        ),
    ] = False,
    bins: Annotated[
        str,
        typer.Option(
            metavar="auto|exact|N",
            help="Bins of values that forests split a column between, from 2 to 255, or exact "
            "splits. By default 255 above 20,000 rows, and exact below.",
        ),
    ] = "auto",
    search_rows: Annotated[
        str,
        typer.Option(
            metavar="auto|all|N",
            help="Rows that sets are looked for on; the best of what is found is then judged on "
            "all rows. By default 5,000 of more than 20,000 rows, and all of fewer.",
        ),
    ] = "auto",
    test_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            show_default="1/5",
            help="Share of the rows that each repeat tests on.",
        ),
    ] = Request.test_share,
    row_groups: RowGroups = None,
    rows_are_independent: RowsAreIndependent = False,
    drop: Drop = None,
    require: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Always buy this feature. Can be given several times."),
    ] = None,
    exclude: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Never buy this feature. Can be given several times."),
    ] = None,
    xi: Annotated[
        str,
        typer.Option(
            metavar="tune|NUMBER",
            help="Weight of cost against benefit: tuned for each method and budget, or fixed.",
        ),
    ] = "tune",
    seed: Annotated[
        int,
        typer.Option(
            min=0, max=2**64 - 1, metavar="N", help="The same seed gives the same result."
        ),
    ] = Request.seed,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=_MOST_JOBS,
            metavar="N",
            show_default="as many as there are cores",
            help="Repeats at the same time.",
        ),
    ] = None,
    dask: Dask = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--fresh",
            help="Go on from the finished work in the output folder, or discard it and start anew.",
        ),
    ] = True,
    title: Annotated[str, typer.Option(metavar="TEXT", help="What the report is called.")] = "",
    currency: Annotated[
        str, typer.Option(metavar="TEXT", help="What stands before amounts of money: €.")
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
) -> None:
    """Choose the features to measure, for one or several budgets.

    Compares methods, says what to buy at each budget and what error to expect on new cases, and
    writes a report (report.html), all results (selection.json) and one fitted model for each
    budget (model-BUDGET.zip) for `frugalforest predict`.

    A run that was stopped goes on where it was: finished repeats are kept in progress.sqlite in the
    output folder. It stays there, so that a later run with more --resamples needs only the new
    ones.
    """
    show_log(log_level)
    request = Request(
        data,
        target,
        [_check_money(text) for text in budget] if budget else None,
        out,
        costs,
        None if methods is None else _check_methods(methods),
        resamples,
        trees,
        racing,
        _check_bins(bins),
        _check_search_rows(search_rows),
        _check_share(test_share),
        row_groups,
        drop or (),
        require or (),
        exclude or (),
        _check_xi(xi),
        seed,
        jobs,
        out / "progress.sqlite",
        quiet,
        encoding,
        sep,
        sheet,
        na_is_a_class,
        strict,
        title,
        currency,
        _check_scoring(scoring, error_cost, error_costs),
        _check_error_costs(error_cost, error_costs),
        _check_class_weight(class_weight or []),
        positive,
        _check_prevalence(prevalence),
        dask,
        _check_independent(rows_are_independent, row_groups),
        na or (),
        _check_final(final),
        min_samples_leaf,
    )
    again = f"the same command goes on from the finished work in {request.ledger}"
    with interruptible(again if resume else f"{again} if --fresh is left out"):
        try:
            result = run_selection(request, fresh=not resume)
        except (CostError, DataError):
            review(request).found.raise_all()  # all that is wrong, not the first of it
            raise
        show(result, request)


def _check_money(text: str, option: str = "--budget") -> float:
    # Parsed here: typer's own message does not show what was given.
    with suppress(ValueError):
        if 0 <= (amount := float(text)) < math.inf:
            return amount
    raise bad_option(option, f"{text!r} is no amount of money: give a number such as 50 or 12.5.")


def _check_scoring(scoring: str | None, cost: str | None, costs: Path | None) -> str | None:
    if scoring is not None and scoring not in SCORES:
        raise bad_option("--scoring", f"{scoring!r} is not known: give one of {', '.join(SCORES)}.")
    given = cost is not None or costs is not None
    if scoring == "cost" and not given:
        raise bad_option("--scoring", "'cost' needs --error-cost or --error-costs.")
    if scoring not in (None, "cost") and given:
        raise bad_option("--scoring", f"{scoring!r} does not use what errors cost: leave one out.")
    return scoring


def _check_error_costs(cost: str | None, costs: Path | None) -> float | Path | None:
    if cost is not None and costs is not None:
        raise bad_option("--error-cost", "give either --error-cost or --error-costs, not both.")
    if cost is None:
        return costs
    amount = _check_money(cost, "--error-cost")
    if amount == 0:
        raise bad_option("--error-cost", "an error that costs nothing needs no features.")
    return amount


def _check_class_weight(given: list[str]) -> str | dict[str, float] | None:
    if not given:
        return None
    if given == ["balanced"]:
        return "balanced"
    if "balanced" in given:
        raise bad_option("--class-weight", "give either 'balanced' or weights, not both.")
    weights: dict[str, float] = {}
    for text in given:
        name, equals, weight = text.rpartition("=")
        value = math.nan
        with suppress(ValueError):
            value = float(weight)
        if not equals or not 0 < value < math.inf:
            raise bad_option(
                "--class-weight",
                f"{text!r} is neither 'balanced' nor a class and a weight above 0, such as ill=5.",
            )
        weights[name] = value
    return weights


def _check_prevalence(share: float | None) -> float | None:
    if share is not None and not 0 < share < 1:
        raise bad_option("--prevalence", f"{share} is no such share: give one above 0 and below 1.")
    return share


def _check_independent(independent: bool, row_groups: str | None) -> bool:
    if independent and row_groups is not None:
        raise bad_option("--rows-are-independent", "--row-groups says that they are not.")
    return independent


def _check_methods(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(name.strip() for name in text.split(",") if name.strip()))
    try:
        find_methods(names)
        return names
    except ValueError as error:
        raise bad_option("--methods", str(error)) from None


def _check_final(name: str) -> str:
    if name not in FINALS:
        known = ", ".join(FINALS)
        raise bad_option("--final", f"{name!r} is not known: give one of {known}.")
    return name


def _check_share(share: float) -> float:
    if not 0 < share < 1:
        raise bad_option(
            "--test-share", f"{share} is no share of the rows: give one between 0 and 1."
        )
    return share


def _check_bins(text: str) -> str | int | None:
    if text in ("auto", "exact"):
        return None if text == "exact" else text
    try:
        return bins_for(int(text), 0)
    except ValueError:
        message = f"{text!r} is neither 'auto' nor 'exact' nor a whole number from 2 to 255."
        raise bad_option("--bins", message) from None


def _check_search_rows(text: str) -> str | int | None:
    if text in ("auto", "all"):
        return None if text == "all" else text
    try:
        search_rows_for(int(text), 0)
    except ValueError:
        message = f"{text!r} is neither 'auto' nor 'all' nor a whole number from 10 on."
        raise bad_option("--search-rows", message) from None
    return int(text)


def _check_xi(text: str) -> str | float:
    if text == "tune":
        return text
    try:
        return check_xi(float(text))
    except ValueError:
        raise bad_option("--xi", f"{text!r} is neither 'tune' nor a number, 0 or more.") from None
