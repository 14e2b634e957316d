"""A first look at the command line: plain mistakes are told before anything slow is imported.

scikit-learn, SciPy and pandas take seconds to import. So the options of the commands are stored in
command_line.json, which a test holds against the commands themselves, and are read from there by
the library that reads them later: its messages are the same.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Sequence
from importlib.resources import files
from inspect import Parameter, Signature
from pathlib import Path
from typing import Any

import typer

from frugalforest.cli.console import bad_option, check_money
from frugalforest.errors import CostError, DataError, Problems
from frugalforest.storage.delimited import check_is_file

__all__ = ["first_look", "stored_commands"]

_TYPES: dict[str, Any] = {
    str(each): each
    for kind in (bool, int, float, str, Path, list[str])
    for each in (kind, kind | None)
}
# `check` lists what is missing beside all else that is wrong.
_FILES = {"model": DataError, "data": DataError, "costs": CostError, "error_costs": CostError}
_LISTS_PROBLEMS = "check"


def first_look(arguments: Sequence[str]) -> None:
    """Raise what a command would raise for its options, or for files that are not there.

    Examples
    --------
    >>> first_look(["select", "no such file.csv", "--target", "class"])
    Traceback (most recent call last):
    frugalforest.errors.DataError: there is no file 'no such file.csv': check the path.
    """
    is_plain = arguments and not arguments[0].startswith("-") and "--help" not in arguments
    if not is_plain or arguments[0] == "study" or "_FRUGALFOREST_COMPLETE" in os.environ:
        return
    stored_commands()([*arguments], prog_name="frugalforest", standalone_mode=False)


def stored_commands() -> typer.Typer:
    """The commands with all their options, which only look."""
    stored = json.loads(files(__package__).joinpath("command_line.json").read_text("utf-8"))
    app = typer.Typer(rich_markup_mode=None, pretty_exceptions_enable=False, add_completion=False)
    for name, parameters in stored.items():
        app.command(name)(_command(name, parameters))
    return app


def _command(name: str, parameters: Sequence[dict[str, Any]]) -> Callable[..., None]:
    known = {each["name"]: each["one_of"] for each in parameters if "one_of" in each}

    def look(**given: Any) -> None:
        for amount in given.get("budget") or ():
            check_money(amount)
        # Who has the package in hand may have added to it, and has the slow imports behind.
        if "frugalforest.methods" not in sys.modules:
            for option, values in known.items():
                _check_known(option, given[option], values)
        if name != _LISTS_PROBLEMS:
            _check_files(given)

    look.__signature__ = Signature([_parameter(**each) for each in parameters])  # type: ignore[attr-defined]
    return look


def _parameter(
    name: str,
    kind: str,
    takes: str,
    flags: Sequence[str] = (),
    metavar: str | None = None,
    least: float | None = None,
    most: float | None = None,
    one_of: Sequence[str] = (),
) -> Parameter:
    is_required = not takes.endswith("None") and kind != "optional"
    default: Any = ... if is_required else None
    if takes == str(bool):
        default = False
    info = (
        typer.Argument(default, metavar=metavar)
        if kind == "argument"
        else typer.Option(default, *flags, min=least, max=most)
    )
    return Parameter(name, Parameter.KEYWORD_ONLY, default=info, annotation=_TYPES[takes])


def _check_known(option: str, given: str | None, values: Sequence[str]) -> None:
    names = (given or "").split(",") if option == "methods" else [given or ""]
    for name in filter(None, map(str.strip, names)):
        if name not in values:
            raise bad_option(
                f"--{option}", f"{name!r} is not known: give one of {', '.join(values)}."
            )


def _check_files(given: dict[str, Any]) -> None:
    problems = Problems()
    for name, error in _FILES.items():
        with problems.noted():
            if given.get(name) is not None:
                check_is_file(given[name], error)
    problems.raise_all()
