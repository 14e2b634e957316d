"""What `select` does: read, compare, fit the chosen models, write everything."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import typer
from numpy.typing import NDArray

from frugalforest.cli.console import output_folder
from frugalforest.comparison import Comparison, compare
from frugalforest.costs import CostModel
from frugalforest.errors import CostError, DataError
from frugalforest.methods import DEFAULT_METHODS
from frugalforest.results import Selection
from frugalforest.tables import Outcome, Table, check_features, find_column, read_table, text_column

__all__ = ["Request", "model_file", "run_selection"]


@dataclass(frozen=True)
class Request:
    """What `select` was asked for."""

    data: Path
    target: str
    budgets: Sequence[float] | None
    out: Path
    costs: Path | None = None
    methods: Sequence[str] = DEFAULT_METHODS
    resamples: int = 25
    trees: int = 1000
    racing: bool = False
    test_share: float = 1 / 3
    row_groups: str | None = None
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
    costs = _read_prices(request, data)
    with output_folder(request.out):
        if fresh and request.ledger is not None:
            request.ledger.unlink(missing_ok=True)
        result = compare(
            data.table,
            data.outcome,
            costs,
            request.budgets,
            request.methods,
            xi=request.xi,
            n_trees=request.trees,
            racing=request.racing,
            n_resamples=request.resamples,
            test_share=request.test_share,
            row_groups=data.row_groups,
            random_state=request.seed,
            n_jobs=request.n_jobs,
            resume=request.ledger,
            verbose=0 if request.quiet else 1,
        )
        files = [_write_model(result, data, budget, request) for budget in result.budgets]
        for old in set(request.out.glob("model-*.zip")) - set(files):
            old.unlink()  # of an earlier run: beside this report it would seem to belong to it
        result.to_html(request.out / "report.html")
        result.save(request.out / "selection.json")
    return result


def model_file(request: Request, budget: float) -> Path:
    """Where the model of a budget is written. Different budgets have different files."""
    amount = str(int(budget)) if budget.is_integer() else repr(budget)
    return request.out / f"model-{amount}.zip"


def _write_model(result: Comparison, data: _Data, budget: float, request: Request) -> Path:
    about = _about(result, result.best(budget), request.target)
    model = result.fit(data.table, data.outcome, budget, about=about, n_jobs=request.n_jobs)
    file = model_file(request, budget)
    model.save(file)
    return file


def _read_data(request: Request) -> _Data:
    file = request.data.name
    frame = read_table(request.data)
    target = find_column(frame, request.target, file)
    others = [find_column(frame, name, file) for name in request.drop]
    row_groups = None
    if request.row_groups is not None:
        others.append(find_column(frame, request.row_groups, file))
        row_groups = text_column(frame[request.row_groups])
        _check_complete(row_groups, request.row_groups, file)
    left_out = frozenset((target, *others))
    features = frame.drop(columns=list(left_out))
    if not len(features.columns):
        raise DataError(f"{file} has no feature columns beside {', '.join(sorted(left_out))}.")
    table = Table.read(features)
    check_features(table.select([n for n in table.names if n not in request.exclude]))
    _check_complete(text_column(frame[target]), target, file)
    return _Data(table, Outcome.read(frame[target]), row_groups, left_out)


def _check_complete(values: NDArray[Any], name: str, file: str) -> None:
    missing = pd.isna(values)
    if missing.any():
        raise DataError(
            f"{file}: column {name!r} is empty in {missing.sum()} rows, first in row "
            f"{np.argmax(missing) + 1} below the header. Fill it in, or remove these rows."
        )


def _read_prices(request: Request, data: _Data) -> CostModel:
    bounds = {"required": request.require, "excluded": request.exclude}
    if request.costs is None:
        if not request.quiet:
            typer.echo("No price list (--costs) was given: each feature costs 1.")
        costs = CostModel(**bounds)
    else:
        listed = CostModel.from_csv(request.costs)
        # A price list may go on naming what is no feature this time.
        listed = listed.restricted_to(set(listed.unknown(())) - data.left_out)
        costs = CostModel(listed.costs, listed.groups, listed.group_costs, **bounds)
    try:
        costs.align(data.table.names)
    except CostError as error:
        hint = " Columns that are no features are left out with --drop." if request.costs else ""
        raise CostError(f"{error}{hint}") from None
    return costs


def _about(result: Comparison, chosen: Selection, target: str) -> dict[str, Any]:
    return {
        "target": target,
        "budget": chosen.budget,
        "cost": chosen.cost,
        "method": chosen.method,
        "seed": result.settings.seed,
        "versions": dict(result.versions),
        "data_sha256": result.data.sha256,
    }
