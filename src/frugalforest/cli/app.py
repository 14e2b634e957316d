"""The commands put together, and what becomes of errors."""

from __future__ import annotations

import sys
from importlib.metadata import version
from io import TextIOWrapper
from typing import Annotated

import typer

from frugalforest.cli.check import check
from frugalforest.cli.console import in_options, reopen_closed_streams, say_aside
from frugalforest.cli.demo import demo
from frugalforest.cli.init import init
from frugalforest.cli.predict import predict
from frugalforest.cli.select import select
from frugalforest.cli.validate import validate
from frugalforest.errors import BudgetError, CostError, DataError, RunError
from frugalforest.study.commands import app as study_app

__all__ = ["app", "main"]

app = typer.Typer(
    name="frugalforest",
    help="Choose which features to measure, within a budget, for random forests.",
    epilog="Start with: frugalforest demo",
    rich_markup_mode=None,  # plain help wraps whole paragraphs, and pipes well
    pretty_exceptions_enable=False,
)
app.command()(demo)
app.command()(init)
app.command()(check)
app.command()(select)
app.command()(predict)
app.command()(validate)
# Without a command, one line rather than the whole help, as for any other wrong use.
app.add_typer(study_app, name="study", no_args_is_help=False)


def main() -> None:
    """Run the command line and exit."""
    reopen_closed_streams()
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
    except (DataError, CostError, BudgetError, RunError) as error:
        _fail(*getattr(error, "messages", (str(error),)))
    except OSError as error:
        # Files are named where they are opened; what has no name is what is printed.
        _fail(f"{error.filename or 'standard output'}: {error.strerror or error}.")
    sys.exit(code if isinstance(code, int) else 0)


def _fail(*messages: str) -> None:
    for message in messages:
        say_aside(f"Error: {in_options(message)}")
    sys.exit(2)


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
