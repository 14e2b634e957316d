"""Where the command line begins, and what becomes of errors."""

from __future__ import annotations

import sys
from io import TextIOWrapper

import typer

from frugalforest.cli.console import in_options, reopen_closed_streams, say_aside
from frugalforest.cli.first_look import first_look
from frugalforest.errors import BudgetError, CostError, DataError, RunError

__all__ = ["main"]


def main() -> None:
    """Run the command line and exit."""
    reopen_closed_streams()
    for stream in (sys.stdout, sys.stderr):
        # A column name that the terminal cannot show must not end an hour of work.
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")
    try:
        first_look(sys.argv[1:])
        from frugalforest.cli.app import app

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
