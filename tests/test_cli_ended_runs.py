"""Runs of the command line that are killed, interrupted or begun anew."""

import os
import signal
import sqlite3
import subprocess
import time

import pytest

from frugalforest import Comparison
from reference.forked_cli import run_forked
from reference.patients import COMMAND, PRICED, QUICK, run


def entries(ledger):
    """Row number of each finished task; a task done again has a new one."""
    if not ledger.exists():
        return {}
    connection = sqlite3.connect(f"file:{ledger}?mode=ro", uri=True)
    try:
        return dict(connection.execute("SELECT key, rowid FROM finished"))
    except sqlite3.OperationalError:  # being written
        return {}
    finally:
        connection.close()


def start_and_wait_for_two_tasks(folder, arguments):
    process = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    deadline = time.monotonic() + 60
    while len(entries(folder / "out" / "progress.sqlite")) < 2:
        assert process.poll() is None, "it ended before it could be ended"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return process


LONGER = [*PRICED, "--budget", 7, "--trees", 1000, "--resamples", 8]


@pytest.mark.slow
def test_a_killed_run_goes_on_where_it_was(folder):
    command = [*LONGER, "--jobs", 1, "--out", "out"]
    process = start_and_wait_for_two_tasks(folder, command)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    before = entries(folder / "out" / "progress.sqlite")
    assert 2 <= len(before) < 9
    assert not (folder / "out" / "selection.json").exists()

    assert run(*command, cwd=folder).returncode == 0
    after = entries(folder / "out" / "progress.sqlite")
    # All rows, eight resamples, and the sets chosen along the frontier.
    assert len(after) == 9 + len(Comparison.load(folder / "out" / "selection.json").amounts)
    assert before.items() <= after.items()

    assert run(*LONGER, "--jobs", 1, "--out", "whole", cwd=folder).returncode == 0
    for name in ("selection.json", "report.html"):
        assert (folder / "out" / name).read_bytes() == (folder / "whole" / name).read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_an_interrupted_run_says_how_to_go_on(folder, jobs):
    process = start_and_wait_for_two_tasks(folder, [*LONGER, "--jobs", jobs, "--out", "out"])
    # As a terminal does: to the workers, too.
    os.killpg(process.pid, signal.SIGINT)
    printed, error = process.communicate(timeout=60)
    assert process.returncode == 130, error
    assert printed == ""
    *progress, last = error.splitlines()
    assert last.startswith("Interrupted: the same command goes on")
    assert all(" of 9: " in line for line in progress)  # where tasks take long
    assert [f.name for f in (folder / "out").iterdir()] == ["progress.sqlite"]


@pytest.mark.slow
def test_fresh_discards_finished_work(finished):
    folder, _ = finished
    ledger, saved = folder / "out" / "progress.sqlite", folder / "out" / "selection.json"
    first = len(Comparison.load(saved).amounts)
    command = [*PRICED, "--budget", 4, "--out", "out", "--quiet", *QUICK]
    run_forked(*command, cwd=folder)
    second = len(Comparison.load(saved).amounts)
    assert len(entries(ledger)) == 2 * 3 + first + second  # all rows, two resamples, sets
    run_forked(*command, "--fresh", cwd=folder)
    assert len(entries(ledger)) == 3 + second
