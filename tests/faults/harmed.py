"""The runs that are harmed: what they start from, what they write, and what that must be."""

import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.append(str(Path(__file__).parents[1] / "fuzz"))

from defects import DefectError, heading, tally

__all__ = [
    "PREDICT",
    "SELECT",
    "STUDY",
    "DefectError",
    "Work",
    "children",
    "command",
    "heading",
    "tally",
]

_MAIN = """
import resource, sys
most_bytes = int(sys.argv.pop(1))
if most_bytes:
    resource.setrlimit(resource.RLIMIT_FSIZE, (most_bytes, most_bytes))
from frugalforest.cli import main
main()
"""

_SELECT = ["select", "data.csv", "--target", "class", "--budget", "1", "--budget", "2"]
_SELECT += ["--trees", "40", "--resamples", "8", "--out", "out"]
_DESIGN = ["smoke", "--sims", "4", "--methods", "auc,sts", "--store", "store.sqlite"]
_STUDY = ["study", "run", *_DESIGN]
_PREDICT = ["predict", "out/model-2.zip", "data.csv", "--out", "predicted.csv"]

# Name, command, files that it writes and nobody else, files that it reads again.
SELECT = ("select", _SELECT, ("out/selection.json", "out/report.html"), ("out/progress.sqlite",))
STUDY = ("study", _STUDY, ("tables",), ("store.sqlite",))
PREDICT = ("predict", _PREDICT, ("predicted.csv",), ("out/model-2.zip",))


def command(arguments, *, jobs=1, most_bytes=0):
    """A command line, in a process whose files may not grow beyond `most_bytes` (0: any size)."""
    more = [] if arguments[0] == "predict" else ["--jobs", str(jobs)]
    return [sys.executable, "-c", _MAIN, str(most_bytes), *arguments, *more]


def children(pid):
    """The worker processes of a process."""
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        try:
            parent = int(status.read_text().rpartition(")")[2].split()[1])
            line = (status.parent / "cmdline").read_bytes()
        except OSError:  # it has ended
            continue
        # Not the tracker of shared resources, which does no work.
        if parent == pid and b"resource_tracker" not in line and line:
            found.append(int(status.parent.name))
    return found


class Work:
    """A run that nothing happens to, and what others are compared with.

    Attributes
    ----------
    given, finished : Path
        The folder before and after it.
    result : dict of str to bytes
        Files that must come out the same.
    seconds : float
        How long it takes.
    """

    def __init__(self, name, arguments, written, read_again, place):
        self.about = (name, arguments, written, read_again)
        self.name, self.arguments, self.written, self.read_again = self.about
        self.given, self.finished = place / f"{name} given", place / f"{name} finished"
        self.given.mkdir()
        _write_table(self.given / "data.csv")
        if name == "predict":
            self._run(_SELECT, self.given)
        shutil.copytree(self.given, self.finished)
        begin = time.monotonic()
        self._run(arguments, self.finished)
        self.seconds = time.monotonic() - begin
        self.result = self._read(self.finished)

    @staticmethod
    def _run(arguments, folder):
        subprocess.run(command(arguments), cwd=folder, check=True, capture_output=True)

    def _read(self, folder):
        if self.name == "study":
            tables = ["study", "tables", *_DESIGN, "--out", "tables"]
            run = [sys.executable, "-m", "frugalforest", *tables]
            subprocess.run(run, cwd=folder, check=True, capture_output=True)
            # How long it took is another time each time.
            files = sorted(
                p.relative_to(folder)
                for p in (folder / "tables").rglob("*.csv")
                if p.name != "seconds.csv"
            )
        else:
            files = [Path(name) for name in self.written]
            files += sorted(p.relative_to(folder) for p in folder.glob("out/model-*"))
        return {str(name): (folder / name).read_bytes() for name in files}

    def check_result(self, folder):
        """What came out is what comes out if nothing happens."""
        try:
            found = self._read(folder)
        except (OSError, subprocess.CalledProcessError) as error:
            raise DefectError("wrong result", f"not all was written: {error!r}") from None
        for name, content in self.result.items():
            if found.get(name) != content:
                raise DefectError("wrong result", f"{name} is another one")

    def check_no_other_result(self, folder):
        """What an ended run left is part of the result, and no file is half written."""
        for name, content in self.result.items():
            file = folder / name
            if file.exists() and file.read_bytes() != content:
                raise DefectError("wrong result", f"{name} was left half written")


def _write_table(path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 80)
    table = {f"x{i}": rng.normal(size=80) + labels * (i < 3) for i in range(5)}
    table["class"] = np.array(["no", "yes"])[labels]
    pd.DataFrame(table).to_csv(path, index=False)
