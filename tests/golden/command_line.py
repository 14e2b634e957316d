"""The options of the commands, as `frugalforest.cli.first_look` reads them.

    python tests/golden/command_line.py

writes src/frugalforest/cli/command_line.json again, which a test compares.
"""

import json
from inspect import signature
from pathlib import Path
from types import NoneType
from typing import get_args

from typer.models import ArgumentInfo

from frugalforest.cli.app import app
from frugalforest.methods import METHODS
from frugalforest.model.final import FINALS

FILE = Path(__file__).parents[2] / "src" / "frugalforest" / "cli" / "command_line.json"
ONE_OF = {"methods": METHODS, "final": FINALS}


def described():
    """By command, what it takes."""
    return {
        command.callback.__name__: [
            _described(parameter)
            for parameter in signature(command.callback, eval_str=True).parameters.values()
        ]
        for command in app.registered_commands
    }


def _described(parameter):
    kind, info = parameter.annotation, parameter.default
    if hasattr(kind, "__metadata__"):  # Annotated: the default is that of the function
        kind, info = get_args(kind)
        default = parameter.default
    else:
        default = info.default
    takes = _without_enums(kind)
    found = {"name": parameter.name, "takes": takes}
    required = default in (..., parameter.empty)
    found["kind"] = (
        "argument" if isinstance(info, ArgumentInfo) else "required" if required else "optional"
    )
    if found["kind"] == "argument":
        found["metavar"] = info.metavar
    # Within `Annotated`, the first of them stands where the default would.
    flags = (info.default, *(getattr(info, "param_decls", None) or ()))
    flags = [flag for flag in flags if isinstance(flag, str) and flag.startswith("-")]
    if flags:
        found["flags"] = flags
    for name, bound in (("least", info.min), ("most", info.max)):
        if bound is not None:
            found[name] = bound
    if parameter.name in ONE_OF:
        found["one_of"] = list(ONE_OF[parameter.name])
    return found


def _without_enums(kind):
    """A type as text; values of an enumeration are left to the command."""
    plain = {bool, int, float, str, Path, list[str], NoneType}
    members = get_args(kind) if NoneType in get_args(kind) else (kind,)
    if set(members) <= plain:
        return str(kind)
    return str(str | None) if NoneType in members else str(str)


def text():
    """What is stored."""
    commands = {
        name: "[\n    " + ",\n    ".join(json.dumps(each) for each in parameters) + "\n  ]"
        for name, parameters in described().items()
    }
    inner = ",\n".join(f'  "{name}": {parameters}' for name, parameters in commands.items())
    return f"{{\n{inner}\n}}\n"


if __name__ == "__main__":
    FILE.write_text(text(), encoding="utf-8")
