"""The commands put together."""

from __future__ import annotations

from importlib.metadata import version
from typing import Annotated

import typer

from frugalforest.cli.check import check
from frugalforest.cli.demo import demo
from frugalforest.cli.init import init
from frugalforest.cli.predict import predict
from frugalforest.cli.select import select
from frugalforest.cli.validate import validate
from frugalforest.study.commands import app as study_app

__all__ = ["app"]

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
