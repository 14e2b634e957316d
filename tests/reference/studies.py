"""What the tests of the study share: the command line as a process, and rows without seconds."""

import sqlite3
import subprocess
import sys
import time
from contextlib import closing

from frugalforest.study import Store

COMMAND = [sys.executable, "-c", "from frugalforest.study.commands import app; app()"]


def start_study(*arguments):
    """The command line in a process group of its own, so that all of it can be signalled."""
    return subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def all_rows(path, design):
    """Everything in a store but the seconds, in one order."""
    with Store(path) as store:
        finished = [(row.key, row.source, row.method) for row in store.finished(design)]
        return finished, store.candidates(design), store.choices(design), store.failures(design)


def n_finished(path):
    """Finished runs in a store that may not exist yet, or be in the making."""
    if not path.exists():
        return 0
    with closing(sqlite3.connect(path, timeout=60)) as connection:
        if not connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'runs'").fetchone():
            return 0
        return connection.execute("SELECT count(*) FROM runs").fetchone()[0]


def wait_until(condition, seconds=60):
    """Wait for something to be true, and fail if it takes too long."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)
