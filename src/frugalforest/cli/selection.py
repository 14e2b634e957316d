"""What `select` does: read, compare, fit the chosen models, write everything."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from frugalforest.cli.console import output_folder, say_aside
from frugalforest.comparison import Comparison, compare
from frugalforest.comparison.options import FLAGS, Options
from frugalforest.costs import CostModel
from frugalforest.errors import CostError, DataError
from frugalforest.model import FinalModel
from frugalforest.results import About, Selection
from frugalforest.results.findings import Findings
from frugalforest.running.progress import followed_by, progress_bar
from frugalforest.scores import settled_task
from frugalforest.tables import (
    Classes,
    Outcome,
    Table,
    check_features,
    find_column,
    read_outcome,
    read_table,
    text_column,
)
from frugalforest.words.formats import money
from frugalforest.words.missing import MISSING_MARKS
from frugalforest.words.wording import did_you_mean, listed

__all__ = [
    "Request",
    "check_complete",
    "missing_codes",
    "model_file",
    "models_for",
    "read_prices",
    "read_target",
    "run_selection",
]


@dataclass(frozen=True)
class Request:
    """What `select` was asked for."""

    data: Path
    target: str
    budgets: Sequence[float] | None
    out: Path
    costs: Path | None = None
    methods: Sequence[str] | None = None
    options: Options = field(default_factory=Options)
    row_groups: str | None = None
    drop: Sequence[str] = ()
    require: Sequence[str] = ()
    exclude: Sequence[str] = ()
    na: Sequence[str] = ()
    na_is_a_class: bool = False
    encoding: str | None = None
    separator: str | None = None
    sheet: str | None = None
    strict: bool = False
    title: str = ""
    currency: str = ""
    positive: str = ""
    prevalence: float | None = None
    jobs: int | None = None
    dask: str | None = None
    ledger: Path | None = None
    quiet: bool = False

    @property
    def n_jobs(self) -> int:
        """In joblib's way of counting: -1 is all cores."""
        return -1 if self.jobs is None else self.jobs

    def command(self, name: str = "select") -> str:
        """The command that makes the same result: what is not left at its default."""
        given: list[object] = ["frugalforest", name, self.data, "--target", self.target]
        for budget in self.budgets or ():
            given += ["--budget", _amount(budget)]
        given += _words("--costs", self.costs)
        given += _words("--methods", ",".join(self.methods or ()))
        for option, flag in FLAGS.items():
            value = getattr(self.options, option)
            if value != getattr(Options, option):
                given += _words(flag.option, value) if flag.write is None else flag.write(value)
        others = {
            "--row-groups": self.row_groups,
            "--drop": self.drop,
            "--require": self.require,
            "--exclude": self.exclude,
            "--encoding": self.encoding,
            "--sep": self.separator,
            "--sheet": self.sheet,
            "--na": self.na,
            "--na-is-a-class": self.na_is_a_class,
            "--strict": self.strict,
            "--positive": self.positive,
            "--prevalence": self.prevalence,
            "--title": self.title,
            "--currency": self.currency,
        }
        for option, value in others.items():
            given += _words(option, value)
        return shlex.join(map(str, given))


def _words(option: str, value: object) -> list[object]:
    """An option as words of a command; none if it was not given."""
    if isinstance(value, tuple | list):
        return [word for each in value for word in (option, each)]
    if value is True:
        return [option]
    return [] if value in (None, False, "") else [option, value]


@dataclass(frozen=True)
class _Data:
    """The parts of the file: features, target, and what keeps rows together."""

    table: Table
    outcome: Outcome
    row_groups: NDArray[Any] | None
    left_out: frozenset[str]


def run_selection(request: Request, fresh: bool = False) -> Comparison:
    """Compare, fit the chosen models and write everything to the output folder."""
    data = _read_data(request)
    _check_positive(request, data.outcome)
    costs = read_prices(request, data.table.names, data.left_out)
    with output_folder(request.out):
        if fresh and request.ledger is not None:
            request.ledger.unlink(missing_ok=True)
        with followed_by("the final models and the report"):
            result = compare(
                data.table,
                data.outcome,
                costs,
                request.budgets,
                request.methods,
                row_groups=data.row_groups,
                n_jobs=request.n_jobs,
                dask=request.dask,
                resume=request.ledger,
                verbose=0 if request.quiet else 1,
                **vars(request.options),
            )
        result = replace(result, about=_about_page(request))
        amounts, files = models_for(result), set()
        with progress_bar(len(amounts) + 1, 0 if request.quiet else 1) as advance:
            models = result.fit_each(
                data.table,
                data.outcome,
                amounts,
                about=partial(_about, result, request.target),
                n_jobs=request.n_jobs,
            )
            for amount, model in zip(amounts, models, strict=True):
                assert not isinstance(model, FinalModel)  # the command line knows no others
                file = model_file(request, amount)
                model.save(file)
                files.add(file)
                advance(f"final model for {money(amount)}")
            for old in set(request.out.glob("model-*.zip")) - files:
                old.unlink()  # of an earlier run: beside this report it would seem to belong to it
            result.to_html(request.out / "report.html")
            result.save(request.out / "selection.json")
            advance("report")
    return result


def models_for(result: Comparison) -> list[float]:
    """The amounts whose models are written: the budgets, and what is recommended."""
    return sorted({*result.budgets, Findings.of(result).lead.selection.budget})


def model_file(request: Request, budget: float) -> Path:
    """Where the model of a budget is written. Different budgets have different files."""
    return request.out / f"model-{_amount(budget)}.zip"


def _amount(budget: float) -> str:
    """An amount of money, exactly; 1e+300, which has 301 digits, would be no name of a file."""
    return str(int(budget)) if budget.is_integer() and budget < 1e15 else repr(budget)


def _read_data(request: Request) -> _Data:
    file = request.data.name
    frame = read_table(
        request.data,
        encoding=request.encoding,
        separator=request.separator,
        sheet=request.sheet,
    )
    target = find_column(frame, request.target, file)
    others = [find_column(frame, name, file) for name in request.drop]
    row_groups = None
    if request.row_groups is not None:
        others.append(find_column(frame, request.row_groups, file))
        row_groups = text_column(frame[request.row_groups])
        check_complete(row_groups, request.row_groups, file)
    left_out = frozenset((target, *others))
    features = frame.drop(columns=list(left_out))
    if not len(features.columns):
        raise DataError(f"{file} has no feature columns beside {', '.join(sorted(left_out))}.")
    table = Table.read(features, na=missing_codes(request, list(features.columns)))
    check_features(table.select([n for n in table.names if n not in request.exclude]))
    return _Data(table, read_target(frame[target], request), row_groups, left_out)


def missing_codes(request: Request, names: Sequence[str]) -> dict[str, list[str]]:
    """What means missing in each of some columns, besides the usual marks."""
    codes: dict[str, list[str]] = {}
    for given in request.na:
        name, equals, code = given.rpartition("=")
        if equals and name not in names:
            hint = did_you_mean(name, names) or f" The features are {listed(names)}."
            raise DataError(f"--na {given!r}: {name!r} is no feature.{hint}")
        for column in [name] if equals else names:
            codes.setdefault(column, []).append(code.strip())
    return codes


def read_target(column: pd.Series, request: Request) -> Outcome:
    """What is true of the rows; without that, where it is lacking."""
    empty = frozenset({""})
    missing = empty if request.na_is_a_class else MISSING_MARKS
    values = text_column(column, missing)
    hint = ""
    if (lacking := pd.isna(values)).any():
        marked = column[lacking & pd.notna(text_column(column, empty))]
        hint = f" If {marked.iloc[0]!r} is a class: --na-is-a-class." if len(marked) else ""
    check_complete(values, request.target, request.data.name, hint)
    asked = request.options
    said = asked.scoring, asked.error_costs, asked.class_weight
    return read_outcome(column, settled_task(asked.task, *said), missing)


def check_complete(values: NDArray[Any], name: str, file: str, hint: str = "") -> None:
    """Raise if a cell of a column is missing."""
    missing = pd.isna(values)
    if missing.any():
        raise DataError(
            f"{file}: column {name!r} is empty in {missing.sum()} rows, first in row "
            f"{np.argmax(missing) + 1} below the header. Fill it in, or remove these rows.{hint}"
        )


def read_prices(
    request: Request, names: Sequence[str], left_out: Collection[str] = ()
) -> CostModel:
    """The prices of features; `left_out` are columns of the table that are none."""
    bounds = {"required": request.require, "excluded": request.exclude}
    if request.costs is None:
        if not request.quiet:
            typer.echo("No price list (--costs) was given: each feature costs 1.")
        costs = CostModel(**bounds)
        costs.align(names)
        return costs
    listed = CostModel.from_csv(request.costs)
    # A price list may go on naming what is no feature this time.
    ignored = ", ".join(map(repr, listed.unknown({*names, *left_out})))
    others = f"{request.costs.name} has prices of {ignored}, which {request.data.name} lacks"
    if ignored and request.strict:
        raise CostError(f"{others}. Without --strict they are ignored.")
    listed = listed.restricted_to(names)
    costs = CostModel(listed.costs, listed.groups, listed.group_costs, **bounds)
    try:
        costs.align(names)
    except CostError as error:
        hint = f" {others}." if ignored else ""
        raise CostError(
            f"{error}{hint} Columns that are no features are left out with --drop."
        ) from None
    if ignored and not request.quiet:
        say_aside(f"Note: {others}: ignored.")
    return costs


def _check_positive(request: Request, outcome: Outcome) -> None:
    for option, given in (("--positive", request.positive), ("--prevalence", request.prevalence)):
        if given not in ("", None) and not isinstance(outcome, Classes):
            raise DataError(
                f"{option} is of classes, and column {request.target!r} holds numbers: leave it "
                "out, or say --task classification."
            )
    if not request.positive:
        return
    names = outcome.as_classes.class_names
    if request.positive not in names:
        raise DataError(
            f"--positive names the class {request.positive!r}, which column {request.target!r} "
            f"does not have: its classes are {listed(names)}."
            f"{did_you_mean(request.positive, names)}"
        )


def _about_page(request: Request) -> About:
    """What the report says of itself."""
    return About(
        request.title,
        request.target,
        request.data.name,
        datetime.date.today().isoformat(),
        request.currency,
        request.command(),
        request.positive,
        request.prevalence,
    )


def _about(result: Comparison, target: str, chosen: Selection) -> dict[str, Any]:
    return {
        "target": target,
        "budget": chosen.budget,
        "cost": chosen.cost,
        "method": chosen.method,
        "seed": result.settings.seed,
        "versions": dict(result.versions),
        "data_sha256": result.data.sha256,
    }
