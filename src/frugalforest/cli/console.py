"""What all commands share: words on the terminal, Ctrl-C, and the folder they write to."""

from __future__ import annotations

import math
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import typer

from frugalforest.running.interrupts import noticed_interrupts, sigterm_exits
from frugalforest.words.wording import printable

__all__ = [
    "bad_option",
    "check_money",
    "in_options",
    "interruptible",
    "output_folder",
    "reopen_closed_streams",
    "say_aside",
]

_INTERRUPTED = 130  # what a shell reports for a program ended by Ctrl-C

# Messages name the parameters of the Python functions; here they are options.
_OPTIONS = {
    "`costs`": "the price list",
    "`groups`": "the column group of the price list",
    "`group_costs`": "the column group_cost of the price list",
    "`budget`": "--budget",
    "`required`": "--require",
    "`excluded`": "--exclude",
    "`row_groups`": "--row-groups",
    "`error_costs`": "--error-cost or --error-costs",
}


def reopen_closed_streams() -> None:
    """Let words go nowhere if standard output or error was closed, as by `2>&-`.

    Otherwise the next file that is opened, such as the ledger, would get the free number, and a
    library's warning would be written into it.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number: this one
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115


def say_aside(message: str) -> None:
    """One line on standard error, whatever the names in it hold."""
    with suppress(OSError, ValueError):  # standard error may be closed
        typer.echo(printable(" ".join(message.split())), err=True)


def in_options(message: str) -> str:
    """A message with options where it names parameters."""
    if "`" not in message:
        return message
    # Slow to import, and a message without a parameter in it is to come at once.
    from frugalforest.comparison.options import FLAGS

    flags = {f"`{name}`": flag.option for name, flag in FLAGS.items()}
    for parameter, option in (flags | _OPTIONS).items():
        message = message.replace(parameter, option)
    return message


def bad_option(option: str, message: str) -> typer.BadParameter:
    """An error that names the option."""
    return typer.BadParameter(message, param_hint=option)


def check_money(text: str, option: str = "--budget") -> float:
    """The amount that a text stands for."""
    # Parsed here: typer's own message does not show what was given.
    with suppress(ValueError):
        if 0 <= (amount := float(text)) < math.inf:
            return amount
    raise bad_option(option, f"{text!r} is no amount of money: give a number such as 50 or 12.5.")


@contextmanager
def interruptible(how_to_continue: str) -> Iterator[None]:
    """Say how to go on after Ctrl-C, in one line."""
    with noticed_interrupts() as interrupted, sigterm_exits():
        try:
            yield
        except BaseException:
            if not interrupted():
                raise
            say_aside(f"Interrupted: {how_to_continue}.")
            raise typer.Exit(_INTERRUPTED) from None


@contextmanager
def output_folder(folder: Path) -> Iterator[None]:
    """Make the folder, see that it can be written to, and remove it if nothing comes of it."""
    missing = [f for f in (folder, *folder.parents) if not f.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # Now, and not after an hour of work.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        reason = error.strerror or str(error)
        raise bad_option("--out", f"cannot write to {str(folder)!r} ({reason}).") from None
    try:
        yield
    except BaseException:
        for made in missing:
            with suppress(OSError):  # it holds something
                made.rmdir()
        raise
