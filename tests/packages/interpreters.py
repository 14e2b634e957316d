"""The interpreters of this machine that packages are made for, and what each of them gets."""

import os
import shutil
from pathlib import Path
from typing import NamedTuple

VERSIONS = ("3.11", "3.12", "3.13", "3.14", "3.14t")


class Interpreter(NamedTuple):
    version: str
    path: str

    @property
    def tag(self):
        """What the name of its wheel holds. From 3.12 on, one wheel serves all but free threads."""
        digits = self.version.replace(".", "")
        if self.version.endswith("t"):
            return f"-cp{digits[:-1]}-cp{digits}-"
        return "-cp311-cp311-" if self.version == "3.11" else "-cp312-abi3-"


def interpreters():
    """One for each version that is there: on the path, or of pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    found = []
    for version in VERSIONS:
        own = sorted(root.glob(f"versions/{version}*/bin/python{version}"))
        path = str(own[-1]) if own else shutil.which(f"python{version}")
        if path is not None:
            found.append(Interpreter(version, path))
    return found
