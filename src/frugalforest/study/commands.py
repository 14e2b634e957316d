"""``frugalforest study``: run a design, look how far it is, make its tables and figures."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated

import typer

from frugalforest.datasets import DATA_DIR_VARIABLE
from frugalforest.errors import DataError, RunError
from frugalforest.running.progress import LogLevel, progress_bar, show_log
from frugalforest.running.runner import tasks_at_once
from frugalforest.scores import SCORES
from frugalforest.study.design import DESIGNS, Design, StudyError, get_design, study_methods
from frugalforest.study.run import Result, Status, run, status
from frugalforest.study.store import Store
from frugalforest.study.unit import Failure
from frugalforest.words.numerals import parse_number
from frugalforest.words.wording import printable

__all__ = ["Dask", "ShownLog", "app"]

app = typer.Typer(
    help="The simulation study of the paper: run it, continue it, tabulate and draw it.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)

_DESIGNS_HELP = "; ".join(f"{name}: {plan.summary}" for name, plan in DESIGNS.items())

DesignName = Annotated[str, typer.Argument(metavar="DESIGN", help=_DESIGNS_HELP)]
StoreFile = Annotated[
    Path | None,
    typer.Option(
        "--store",
        help="File of results (default: DESIGN.sqlite; DESIGN-sd.sqlite, DESIGN-SCORE.sqlite).",
    ),
]
_SIMS_HELP = ", ".join(f"{plan.n_replicates} for {name}" for name, plan in DESIGNS.items())
Sims = Annotated[
    int | None,
    typer.Option(
        "--sims", min=1, max=10_000, help=f"Replicates of each cell (default: {_SIMS_HELP})."
    ),
]
MethodNames = Annotated[
    str | None,
    typer.Option(
        "--methods",
        help=f"Comma-separated, of {', '.join(study_methods())} (default: the design's own).",
    ),
]
SourceNames = Annotated[
    str | None,
    typer.Option("--sources", help="Comma-separated settings or real sets (default: all)."),
]
Reading = Annotated[
    str,
    typer.Option(
        "--spread",
        metavar="NAME",
        help="How settings A to D read the paper's N(0, 0.5): as variance or sd.",
    ),
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        help=f"Folder of the real sets (default: that in {DATA_DIR_VARIABLE}, or OpenML).",
    ),
]
Dask = Annotated[
    str | None,
    typer.Option(
        "--dask",
        metavar="ADDRESS",
        help="A Dask scheduler whose workers do the work: tcp://…:8786.",
    ),
]
ShownLog = Annotated[
    LogLevel | None,
    typer.Option(
        "--log-level",
        show_default="info, or warning on a terminal, where there is a bar",
        help="What is shown of the log, on standard error; debug names every step.",
    ),
]
OutDir = Annotated[
    Path | None,
    typer.Option("--out", help="Folder to write to (default: DESIGN; DESIGN-sd, DESIGN-SCORE)."),
]
ScoringName = Annotated[
    str | None,
    typer.Option(
        "--scoring",
        metavar="NAME",
        show_default="error, or cost if it is known what errors cost",
        help=f"What sets are chosen and measured by: {', '.join(SCORES)}.",
    ),
]
ErrorCost = Annotated[
    str | None,
    typer.Option(
        "--error-cost", metavar="MONEY", help="What any error costs, in the unit of the prices."
    ),
]


@contextmanager
def _user_errors_in_one_line() -> Iterator[None]:
    try:
        yield
    except (StudyError, DataError, RunError) as error:
        typer.echo(printable(f"Error: {error}"), err=True)
        raise typer.Exit(2) from None


def _design(
    name: str,
    sims: int | None,
    methods: str | None,
    sources: str | None,
    spread: str,
    scoring: str | None,
    error_cost: str | None,
) -> Design:
    design = get_design(name, sims, _names(methods), _names(sources)).with_spread(spread)
    return design.with_scoring(scoring, _amount(error_cost))


def _names(text: str | None) -> list[str] | None:
    return None if text is None else [name.strip() for name in text.split(",") if name.strip()]


def _amount(text: str | None) -> float | None:
    try:
        return None if text is None else parse_number(text)
    except ValueError:
        raise StudyError(f"--error-cost is {text!r}: give a number, such as 5.") from None


@contextmanager
def _store_to_fill(path: Path, design: Design) -> Iterator[Store]:
    """The store, made if it is not there, and removed again if an error leaves it new and empty."""
    is_new = not path.exists()
    is_empty = False
    try:
        with Store(path, create=True) as store:
            try:
                yield store
            except (StudyError, DataError, RunError):
                is_empty = not store.finished(design) and not store.failures(design)
                raise
    finally:
        if is_new and is_empty:
            path.unlink()


def _store_path(store: Path | None, design: Design) -> Path:
    return store or Path(f"{design.full_name}.sqlite")


@app.command("run")
def run_command(
    design_name: DesignName,
    store: StoreFile = None,
    jobs: Annotated[int, typer.Option("--jobs", help="Worker processes; -1: all cores.")] = 1,
    dask: Dask = None,
    log_level: ShownLog = None,
    sims: Sims = None,
    methods: MethodNames = None,
    sources: SourceNames = None,
    spread: Reading = "variance",
    scoring: ScoringName = None,
    error_cost: ErrorCost = None,
    data_dir: DataDir = None,
) -> None:
    """Run what is missing. Can be stopped (Ctrl-C) and started again at any time."""
    show_log(log_level)
    with _user_errors_in_one_line():
        design = _design(design_name, sims, methods, sources, spread, scoring, error_cost)
        with _store_to_fill(_store_path(store, design), design) as file:
            before = status(design, file)
            stopped = False
            try:
                at_once = tasks_at_once(jobs or 1, dask)
                with progress_bar(len(design.units), 1, before.done, at_once) as advance:

                    def show(result: Result) -> None:
                        failed = " failed" if isinstance(result, Failure) else ""
                        advance(f"{result.unit.label}{failed}")

                    run(
                        design,
                        file,
                        jobs=jobs,
                        dask=dask,
                        data_dir=None if data_dir is None else str(data_dir),
                        on_result=show,
                    )
            except KeyboardInterrupt:
                stopped = True
            now = status(design, file)
            _print_status(design, now)
            if stopped:
                typer.echo("Stopped. The same command continues.", err=True)
                raise typer.Exit(130)
            if now.remaining:
                _print_failures(design, file)
                raise typer.Exit(1)


@app.command("status")
def status_command(
    design_name: DesignName,
    store: StoreFile = None,
    sims: Sims = None,
    methods: MethodNames = None,
    sources: SourceNames = None,
    spread: Reading = "variance",
    scoring: ScoringName = None,
    error_cost: ErrorCost = None,
) -> None:
    """Units done, failed and remaining, and the time left."""
    with _user_errors_in_one_line():
        design = _design(design_name, sims, methods, sources, spread, scoring, error_cost)
        with Store(_store_path(store, design)) as file:
            _print_status(design, status(design, file))
            _print_failures(design, file)


@app.command("tables")
def tables_command(
    design_name: DesignName,
    store: StoreFile = None,
    out: OutDir = None,
    sims: Sims = None,
    methods: MethodNames = None,
    sources: SourceNames = None,
    spread: Reading = "variance",
    scoring: ScoringName = None,
    error_cost: ErrorCost = None,
) -> None:
    """Write the tables of what is finished, as CSV."""
    from frugalforest.study.tables import write_tables

    with _user_errors_in_one_line():
        design = _design(design_name, sims, methods, sources, spread, scoring, error_cost)
        with Store(_store_path(store, design)) as file:
            _print_written(write_tables(design, file, out or Path(design.full_name)))


@app.command("figures")
def figures_command(
    design_name: DesignName,
    store: StoreFile = None,
    out: OutDir = None,
    sims: Sims = None,
    methods: MethodNames = None,
    sources: SourceNames = None,
    spread: Reading = "variance",
    scoring: ScoringName = None,
    error_cost: ErrorCost = None,
    data_dir: DataDir = None,
) -> None:
    """Draw the figures of what is finished, as PDF and PNG."""
    from frugalforest.study.figures import write_figures

    with _user_errors_in_one_line():
        design = _design(design_name, sims, methods, sources, spread, scoring, error_cost)
        folder = None if data_dir is None else str(data_dir)
        with Store(_store_path(store, design)) as file:
            _print_written(write_figures(design, file, out or Path(design.full_name), folder))


def _print_status(design: Design, now: Status) -> None:
    typer.echo(
        f"{design.full_name}: {now.done} of {len(design.units)} units done, {now.failed} failed, "
        f"{now.remaining} remaining"
    )
    if now.remaining and now.seconds_left is not None:
        typer.echo(f"time left: {_duration(now.seconds_left)}, divided by the number of workers")


def _duration(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min {rest} s"


def _print_failures(design: Design, file: Store) -> None:
    failures = file.failures(design)
    by_unit = {row.key: row for row in failures}
    for row in list(by_unit.values())[:5]:
        typer.echo(printable(f"failed: {row.key.rpartition('/')[0]}: {row.message}"), err=True)
    if by_unit:
        typer.echo("No result is stored for failed units; run again to retry.", err=True)


def _print_written(files: list[Path]) -> None:
    for file in files:
        typer.echo(printable(str(file)))
