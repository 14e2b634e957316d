"""The command line: it parses, calls and prints.

::

    demo ──► data.csv, prices.csv ──► select ──► report.html, selection.json, model-<budget>.joblib
                                                                      predict ◄── model, new table

What a user can mend ends in one line on standard error and exit code 2, and leaves nothing half
written. Any other failure is a defect and shows its traceback.
"""

from __future__ import annotations

import math
import shlex
import signal
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import version
from io import TextIOWrapper
from pathlib import Path
from typing import Annotated, Any

import joblib
import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray
from rich import box
from rich.console import Console
from rich.table import Table as Grid

from frugalforest.comparison import Comparison, Selection, compare
from frugalforest.costs import CostModel
from frugalforest.errors import BudgetError, CostError, DataError
from frugalforest.estimators import check_methods
from frugalforest.interrupts import noticed_interrupts
from frugalforest.model import FittedModel
from frugalforest.problem import derive_seed, encode_target
from frugalforest.resampling import ErrorEstimate
from frugalforest.selectors import METHODS, check_xi
from frugalforest.study.commands import app as study_app
from frugalforest.tables import (
    check_features,
    clean_column,
    clean_frame,
    find_column,
    read_table,
    text_column,
    write_table,
)

__all__ = ["app", "main"]

app = typer.Typer(
    name="frugalforest",
    help="Choose which features to measure, within a budget, for random forests.",
    epilog="Start with: frugalforest demo",
    rich_markup_mode=None,  # plain help wraps whole paragraphs, and pipes well
    pretty_exceptions_enable=False,
)
# Without a command, one line rather than the whole help, as for any other wrong use.
app.add_typer(study_app, name="study", no_args_is_help=False)

# Messages name the parameters of the Python functions; here they are options.
_OPTIONS = {
    "`costs`": "the price list",
    "`budget`": "--budget",
    "`required`": "--require",
    "`excluded`": "--exclude",
    "`groups`": "--groups",
}
_INTERRUPTED = 130  # what a shell reports for a program ended by Ctrl-C


def main() -> None:
    """Run the command line and exit."""
    for stream in (sys.stdout, sys.stderr):
        # A column name that the terminal cannot show must not end an hour of work.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        code = app(prog_name="frugalforest", standalone_mode=False)
    except typer.TyperException as error:
        context = getattr(error, "ctx", None)
        hint = f" See: {context.command_path} --help" if context else ""
        _fail(f"{error.format_message().rstrip('.')}.{hint}")
    except (DataError, CostError, BudgetError) as error:
        message = str(error)
        for parameter, option in _OPTIONS.items():
            message = message.replace(parameter, option)
        _fail(message)
    except OSError as error:
        file = str(error.filename or "a file").removesuffix(".part")  # a draft of it
        _fail(f"{file}: {error.strerror or error}.")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(message: str) -> None:
    _say_aside(f"Error: {message}")
    sys.exit(2)


def _say_aside(message: str) -> None:
    """One line on standard error, whatever the names in it hold."""
    typer.echo(_printable(" ".join(message.split())), err=True)


def _printable(text: str) -> str:
    """A column name from a file must not control the terminal."""
    return "".join(c if c.isprintable() else "\N{REPLACEMENT CHARACTER}" for c in text)


def _bad(option: str, message: str) -> typer.BadParameter:
    return typer.BadParameter(message, param_hint=option)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"frugalforest {version('frugalforest')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _start(
    context: typer.Context,
    _: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


@dataclass(frozen=True)
class _Request:
    """What `select` was asked for."""

    data: Path
    target: str
    budgets: Sequence[float]
    out: Path
    costs: Path | None = None
    methods: Sequence[str] = tuple(METHODS)
    resamples: int = 25
    trees: int = 1000
    racing: bool = False
    test_share: float = 1 / 3
    groups: str | None = None
    drop: Sequence[str] = ()
    require: Sequence[str] = ()
    exclude: Sequence[str] = ()
    xi: str | float = "tune"
    seed: int = 0
    jobs: int | None = None
    ledger: Path | None = None
    quiet: bool = False

    @property
    def n_jobs(self) -> int:
        """In joblib's way of counting: -1 is all cores."""
        return -1 if self.jobs is None else self.jobs


# demo

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


@app.command()
def demo(
    out: Annotated[Path, typer.Option(metavar="FOLDER", help="Where to write the files.")] = Path(
        "frugalforest-demo"
    ),
    resamples: Annotated[int, typer.Option(min=0, hidden=True)] = 10,
    trees: Annotated[int, typer.Option(min=1, hidden=True)] = 300,
    jobs: Annotated[int | None, typer.Option(min=1, hidden=True)] = None,
) -> None:
    """The whole job on a built-in data set, in under a minute.

    Breast tumours, benign or malignant, by ten measurements of their cells. Each measurement has
    its own fee and gives three features: mean, error and worst value. Four budgets, all methods.
    Also writes the table and the price list, to try `frugalforest select` on.
    """
    request = _Request(
        out / "data.csv",
        "diagnosis",
        _DEMO_BUDGETS,
        out,
        out / "prices.csv",
        resamples=resamples,
        trees=trees,
        racing=True,
        jobs=jobs,
    )
    with _interruptible("run the same command again; it starts anew"), _output_folder(out):
        _write_demo_data(request.data, out / "prices.csv")
        typer.echo(
            "Breast tumours: which measurements of their cells are worth the fee?\n"
            "The first feature of a measurement costs its fee plus 1, the other two 1 each.\n"
            "This takes up to a minute."
        )
        result = _select(request)
    _show(result, request)
    try_it = [
        *("frugalforest", "select", str(request.data), "--target", request.target),
        *("--costs", str(out / "prices.csv"), "--budget", "60", "--budget", "100"),
    ]
    typer.echo(f"Your turn: {shlex.join(try_it)}")


def _write_demo_data(data: Path, prices: Path) -> None:
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


# select


@dataclass(frozen=True)
class _Data:
    """The parts of the table: features, target, and what keeps rows together."""

    frame: pd.DataFrame
    target: NDArray[Any]
    groups: NDArray[Any] | None
    left_out: frozenset[str]


@app.command()
def select(
    data: Annotated[
        Path,
        typer.Argument(
            metavar="DATA",
            help="The table: CSV or TSV (also .gz), Parquet or Excel, one row a case. Text columns "
            "are categories, empty cells are missing, columns without a name are left out.",
        ),
    ],
    target: Annotated[
        str, typer.Option(metavar="COLUMN", help="The column with the classes to predict.")
    ],
    budget: Annotated[
        list[str],
        typer.Option(
            metavar="MONEY", help="The most that the features may cost. Can be given several times."
        ),
    ],
    costs: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="Price list: a CSV file with the columns feature and cost and, for fees paid once "
            "with the first feature of a group, group and group_cost. Without it each feature "
            "costs 1.",
        ),
    ] = None,
    methods: Annotated[
        str, typer.Option(metavar="NAMES", help="The methods to compare, separated by commas.")
    ] = ",".join(METHODS),
    out: Annotated[
        Path, typer.Option(metavar="FOLDER", help="Where to write the report and the models.")
    ] = Path("frugalforest-selection"),
    resamples: Annotated[
        int,
        typer.Option(
            min=0,
            metavar="N",
            help="How often everything is repeated on part of the rows and tested on the others, "
            "for an honest error. 0 for no honest error.",
        ),
    ] = _Request.resamples,
    trees: Annotated[
        int, typer.Option(min=1, metavar="N", help="Trees of each forest.")
    ] = _Request.trees,
    racing: Annotated[
        bool,
        typer.Option(
            "--racing",
            help="Faster: forward selection grows full forests for promising features only.",
        ),
    ] = False,
    test_share: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            show_default="1/3",
            help="Share of the rows that each repeat tests on.",
        ),
    ] = _Request.test_share,
    groups: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows with the same value here (a patient, a batch) are never both trained and "
            "tested on. Not a feature.",
        ),
    ] = None,
    drop: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN", help="Not a feature: leave it out. Can be given several times."
        ),
    ] = None,
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
        int, typer.Option(min=0, metavar="N", help="The same seed gives the same result.")
    ] = _Request.seed,
    jobs: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            show_default="as many as there are cores",
            help="Repeats at the same time.",
        ),
    ] = None,
    resume: Annotated[
        bool,
        typer.Option(
            "--resume/--fresh",
            help="Go on from the finished work in the output folder, or discard it and start anew.",
        ),
    ] = True,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Write the files and print nothing.")
    ] = False,
) -> None:
    """Choose the features to measure, for one or several budgets.

    Compares methods, says what to buy at each budget and what error to expect on new cases, and
    writes a report (report.html), all results (selection.json) and one fitted model for each
    budget (model-BUDGET.joblib) for `frugalforest predict`.

    A run that was stopped goes on where it was: finished repeats are kept in progress.sqlite in the
    output folder. It stays there, so that a later run with more --resamples needs only the new
    ones.
    """
    request = _Request(
        data,
        target,
        [_check_money(text) for text in budget],
        out,
        costs,
        _check_methods(methods),
        resamples,
        trees,
        racing,
        _check_share(test_share),
        groups,
        drop or (),
        require or (),
        exclude or (),
        _check_xi(xi),
        seed,
        jobs,
        out / "progress.sqlite",
        quiet,
    )
    again = f"the same command goes on from the finished work in {request.ledger}"
    with _interruptible(again if resume else f"{again} if --fresh is left out"):
        result = _select(request, fresh=not resume)
        _show(result, request)


def _check_money(text: str) -> float:
    # Parsed here: typer's own message does not show what was given.
    with suppress(ValueError):
        if 0 <= (amount := float(text)) < math.inf:
            return amount
    raise _bad("--budget", f"{text!r} is no amount of money: give a number such as 50 or 12.5.")


def _check_methods(names: str) -> tuple[str, ...]:
    try:
        return check_methods([name.strip() for name in names.split(",") if name.strip()])
    except ValueError as error:
        raise _bad("--methods", str(error)) from None


def _check_share(share: float) -> float:
    if not 0 < share < 1:
        raise _bad("--test-share", f"{share} is no share of the rows: give one between 0 and 1.")
    return share


def _check_xi(text: str) -> str | float:
    if text == "tune":
        return text
    try:
        return check_xi(float(text))
    except ValueError:
        raise _bad("--xi", f"{text!r} is neither 'tune' nor a number, 0 or more.") from None


@contextmanager
def _interruptible(how_to_continue: str) -> Iterator[None]:
    with noticed_interrupts() as interrupted:
        try:
            yield
        except BaseException:
            if not interrupted():
                raise
            _say_aside(f"Interrupted: {how_to_continue}.")
            raise typer.Exit(_INTERRUPTED) from None


@contextmanager
def _output_folder(folder: Path) -> Iterator[None]:
    """Make the folder, see that it can be written to, and remove it if nothing comes of it."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Now, and not after an hour of work.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise _bad("--out", f"cannot write to {str(folder)!r} ({reason}).") from None
    try:
        yield
    except BaseException:
        for made in missing:
            with suppress(OSError):  # it holds something
                made.rmdir()
        raise


def _select(request: _Request, fresh: bool = False) -> Comparison:
    """Compare, fit the chosen models and write everything to the output folder."""
    data = _read_data(request)
    costs = _read_prices(request, data)
    labels, classes = encode_target(data.target)
    with _output_folder(request.out):
        if fresh and request.ledger is not None:
            request.ledger.unlink(missing_ok=True)
        with joblib.parallel_config(
            "loky", n_jobs=request.n_jobs, initializer=_leave_interrupts_to_the_parent
        ):
            result = compare(
                data.frame,
                data.target,
                costs,
                request.budgets,
                request.methods,
                xi=request.xi,
                n_trees=request.trees,
                racing=request.racing,
                n_resamples=request.resamples,
                test_share=request.test_share,
                groups=data.groups,
                random_state=request.seed,
                resume=request.ledger,
                verbose=0 if request.quiet else 1,
            )
        for budget in result.budgets:
            chosen = result.best(budget)
            model = FittedModel.fit(
                data.frame,
                labels,
                classes,
                chosen.features,
                request.trees,
                derive_seed(result.document["settings"]["seed"], "model", budget),
                request.n_jobs,
                _about(result, chosen, request.target),
            )
            model.save(request.out / _model_name(budget))
        result.to_html(request.out / "report.html")
        result.save(request.out / "selection.json")
    return result


def _leave_interrupts_to_the_parent() -> None:
    # Ctrl-C reaches all processes of a terminal, and each worker would print its own traceback.
    signal.signal(signal.SIGINT, signal.SIG_IGN)


def _read_data(request: _Request) -> _Data:
    file = request.data.name
    frame = read_table(request.data)
    target = find_column(frame, request.target, file)
    others = [find_column(frame, name, file) for name in request.drop]
    groups = None
    if request.groups is not None:
        others.append(find_column(frame, request.groups, file))
        groups = text_column(frame[request.groups])
        _check_complete(groups, request.groups, file)
    left_out = frozenset((target, *others))
    features = clean_frame(frame.drop(columns=list(left_out)))
    if not len(features.columns):
        raise DataError(f"{file} has no feature columns beside {', '.join(sorted(left_out))}.")
    check_features(features.drop(columns=list(request.exclude), errors="ignore"))
    classes = clean_column(frame[target])
    _check_complete(classes, target, file)
    if classes.dtype == np.float64 and (classes == classes.round()).all():
        classes = classes.astype(np.int64)  # class 1 is "1", not "1.0"
    return _Data(features, classes, groups, left_out)


def _check_complete(values: NDArray[Any], name: str, file: str) -> None:
    missing = pd.isna(values)
    if missing.any():
        raise DataError(
            f"{file}: column {name!r} is empty in {missing.sum()} rows, first in row "
            f"{missing.argmax() + 1} below the header. Fill it in, or remove these rows."
        )


def _read_prices(request: _Request, data: _Data) -> CostModel:
    bounds = {"required": request.require, "excluded": request.exclude}
    if request.costs is None:
        if not request.quiet:
            typer.echo("No price list (--costs) was given: each feature costs 1.")
        costs = CostModel(**bounds)
    else:
        if not request.costs.is_file():
            raise DataError(f"there is no price list {str(request.costs)!r}: check the path.")
        listed = CostModel.from_csv(request.costs)
        # A price list may go on naming what is no feature this time.
        prices = _without(listed.costs, data.left_out)
        groups = _without(listed.groups or {}, data.left_out)
        fees = listed.group_costs or {}
        costs = CostModel(
            prices,
            groups or None,
            {g: fee for g, fee in fees.items() if g in groups.values()} or None,
            **bounds,
        )
    try:
        costs.align(data.frame.columns)
    except CostError as error:
        hint = " Columns that are no features are left out with --drop." if request.costs else ""
        raise CostError(f"{error}{hint}") from None
    return costs


def _without(by_name: Any, names: Iterable[str]) -> dict[str, Any]:
    """A price list read from a file goes by names."""
    assert isinstance(by_name, Mapping)
    return {name: value for name, value in by_name.items() if name not in names}


def _about(result: Comparison, chosen: Selection, target: str) -> dict[str, Any]:
    return {
        "target": target,
        "budget": chosen.budget,
        "cost": chosen.cost,
        "method": chosen.method,
        "seed": result.document["settings"]["seed"],
        "versions": dict(result.document["versions"]),
        "data_sha256": result.document["data"]["sha256"],
    }


def _model_name(budget: float) -> str:
    return f"model-{_money(budget)}.joblib"


# What a person reads


def _money(amount: float) -> str:
    """Enough digits for any price list, and no tail of rounding errors."""
    return f"{amount:.12g}"


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _interval(honest: ErrorEstimate) -> str:
    if math.isnan(honest.low):
        return "unknown"
    return f"{100 * honest.low:.1f} to {_percent(honest.high)}"


def _expectation(honest: ErrorEstimate) -> str:
    return f"{_percent(honest.error)} (95 % interval: {_interval(honest)})"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def _show(result: Comparison, request: _Request) -> None:
    if request.quiet:
        return
    # Column names may look like markup.
    console = Console(highlight=False, markup=False, emoji=False)
    # In a pipe there is no width to fit, and whole lines are easier to search.
    whole_lines = not console.is_terminal
    data = result.document["data"]
    counts = ", ".join(
        f"{count} {name}" for name, count in zip(data["classes"], data["class_counts"], strict=True)
    )
    size = (
        f"{data['n_rows']} rows, {_count(data['n_features'], 'feature')}, "
        f"{len(data['classes'])} classes ({counts})."
    )
    console.print(_printable(size), soft_wrap=whole_lines)
    console.print()
    console.print(_comparison_grid(result))
    for paragraph in (_purchases(result), _findings(result)):
        console.print()
        for line in paragraph:
            console.print(_printable(line), soft_wrap=whole_lines)
    console.print()
    for line in _files(result, request):
        console.print(line, soft_wrap=True)


def _comparison_grid(result: Comparison) -> Grid:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False)
    grid.add_column("Budget", justify="right")
    grid.add_column("Method")
    for header in ("Features", "Price", "Error to expect", "95 % interval"):
        grid.add_column(header, justify="right")
    grid.add_column("")
    for budget in result.budgets:
        best = result.best(budget)
        for method in result.methods:
            row = result.selection(budget, method)
            wins = method == best.method
            grid.add_row(
                _money(budget),
                method,
                str(len(row.features)),
                _money(row.cost),
                "unknown" if row.honest is None else _percent(row.honest.error),
                "" if row.honest is None else _interval(row.honest),
                "chosen" if wins else "",
                style="bold" if wins else None,
                end_section=method == result.methods[-1],
            )
    return grid


def _purchases(result: Comparison) -> list[str]:
    lines = [
        "The method is chosen by its out-of-bag error, not by the error to expect: an error that "
        "something is chosen by is honest no more. What it buys at each budget:"
    ]
    for budget in result.budgets:
        best = result.best(budget)
        error = (
            f"Out-of-bag error: {_percent(best.oob_error)}; expect more on new cases."
            if best.honest is None
            else f"Error to expect, choice of the method included: {_expectation(best.honest)}."
        )
        lines.append(
            f"- {_money(budget)}: {_count(len(best.features), 'feature')} for {_money(best.cost)}: "
            f"{', '.join(best.features)}. {error}"
        )
    return lines


def _findings(result: Comparison) -> list[str]:
    """The recommendation in plain words, and what less and more money would do."""
    if result.best().honest is None:
        return ["There is no recommendation without an honest error: ask for --resamples."]
    data = result.document["data"]
    guess = 1 - max(data["class_counts"]) / data["n_rows"]
    commonest = data["classes"][int(np.argmax(data["class_counts"]))]
    pick = result.cheapest_good()
    error = _honest(pick)
    words = [
        f"Recommended: {_count(len(pick.features), 'feature')} for {_money(pick.cost)} "
        f"(budget {_money(pick.budget)}): {', '.join(pick.features)}.",
        f"Of new cases it will get about {_percent(error.error)} wrong (95 % interval: "
        f"{_interval(error)}); always guessing {commonest!r} would get {_percent(guess)} wrong.",
    ]
    cheaper = [b for b in result.budgets if b < pick.budget]
    if cheaper:
        less = result.best(cheaper[-1])
        words.append(
            f"With a budget of {_money(less.budget)} it would be {_percent(_honest(less).error)}."
        )
    words.append(_what_more_buys(result, pick))
    if error.error >= guess:
        words.append("That is no better than guessing: these features do not tell the classes.")
    return words


def _what_more_buys(result: Comparison, pick: Selection) -> str:
    dearer = [result.best(b) for b in result.budgets if b > pick.budget]
    if not dearer:
        return (
            "No larger budget was tried: one may do better."
            if len(result.budgets) == 1 or _honest(pick).error < _lowest_before(result, pick)
            else "No budget did better."
        )
    best = min(dearer, key=lambda s: _honest(s).error)
    fall = _honest(pick).error - _honest(best).error
    if fall <= 0:
        return "More money did not lower the error."
    return (
        f"More money buys little: {_percent(_honest(best).error)} at {_money(best.cost)} "
        f"(budget {_money(best.budget)}), {100 * fall:.1f} points less, and within chance "
        f"(standard error: {100 * _honest(best).se:.1f} points)."
    )


def _lowest_before(result: Comparison, pick: Selection) -> float:
    return min(_honest(result.best(b)).error for b in result.budgets if b != pick.budget)


def _honest(selection: Selection) -> ErrorEstimate:
    assert selection.honest is not None
    return selection.honest


def _files(result: Comparison, request: _Request) -> list[str]:
    budget = result.budgets[-1]
    if result.best().honest is not None:
        budget = result.cheapest_good().budget
    model = shlex.quote(str(request.out / _model_name(budget)))
    lines = [
        f"Report:   {request.out / 'report.html'}",
        f"Results:  {request.out / 'selection.json'}",
        f"Models:   {', '.join(str(request.out / _model_name(b)) for b in result.budgets)}",
        f"New rows: frugalforest predict {model} NEW.csv",
    ]
    if request.ledger is not None:
        lines.append(f"Kept:     {request.ledger}, so that more --resamples go on from here")
    return lines


# predict


@app.command()
def predict(
    model: Annotated[
        Path,
        typer.Argument(
            metavar="MODEL",
            help="A model-BUDGET.joblib file that `select` wrote. It is a pickle, and loading it "
            "runs what is in it: use only files that you trust.",
        ),
    ],
    data: Annotated[
        Path,
        typer.Argument(
            metavar="NEW", help="The new table. It needs the chosen columns; others are kept."
        ),
    ],
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", show_default="print", help="A .csv or .tsv file to write (also .gz)."
        ),
    ] = None,
) -> None:
    """Predict the classes of new rows with a model that `select` wrote.

    Adds the column `predicted` and, for each class, the share of the forest that is for it. A
    category that was not there in training counts as missing.
    """
    with _interruptible("nothing was written; run the same command again"):
        fitted = FittedModel.load(model)
        frame = read_table(data)
        try:
            predictions = fitted.predict(frame)
        except DataError as error:
            raise DataError(f"{data.name}: {error}") from None
        for name in predictions.columns:
            if name in frame.columns:
                raise DataError(f"{data.name} has a column {name!r} already: rename or remove it.")
        table = pd.concat([frame, predictions], axis=1)
        if out is None:
            typer.echo(table.to_csv(index=False), nl=False)
        else:
            write_table(table, out)
        _note_doubts(fitted, frame)


def _note_doubts(fitted: FittedModel, frame: pd.DataFrame) -> None:
    """Say on standard error what may make predictions worse than promised."""
    for name, categories in fitted.unseen(frame).items():
        shown = ", ".join(map(repr, categories[:5])) + (", …" if len(categories) > 5 else "")
        _say_aside(f"Note: column {name!r} holds {shown}, not seen in training: taken as missing.")
    trained, here = fitted.about["versions"]["scikit-learn"], version("scikit-learn")
    if trained != here:
        _say_aside(
            f"Note: the model was fitted with scikit-learn {trained}, and this is {here}: results "
            "may differ."
        )
