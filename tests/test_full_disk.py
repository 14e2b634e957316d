"""A disk that fills up ends a run in one line, and what was finished is kept."""

import sqlite3
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

# No file may grow beyond so many bytes; 0 is no limit.
LIMITED = """
import resource, sys
limit = int(sys.argv.pop(1))
if limit:
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))
from frugalforest.cli import main
main()
"""

pytestmark = pytest.mark.slow


def run(limit, *arguments, cwd):
    return subprocess.run(
        [sys.executable, "-c", LIMITED, str(limit), *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
    )


def rows(path, table):
    """Keys in a table with the numbers of their rows: one that is replaced has a new number."""
    connection = sqlite3.connect(path)
    found = connection.execute(f"SELECT key, rowid FROM {table}").fetchall()
    connection.close()
    return set(found)


@pytest.fixture
def folder(tmp_path):
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 60)
    table = {f"x{i}": rng.normal(size=60) + labels * (i < 3) for i in range(5)}
    pd.DataFrame({**table, "class": np.array(["no", "yes"])[labels]}).to_csv(
        tmp_path / "data.csv", index=False
    )
    return tmp_path


SELECT = ["select", "data.csv", "--target", "class", "--budget", 2, "--methods", "auc,sts"]
SELECT += ["--trees", 20, "--resamples", 12, "--jobs", 1, "--out", "out"]


@pytest.mark.parametrize(
    ("limit", "named"),
    [(22_000, "progress.sqlite' cannot be"), (30_000, "report.html: File too large")],
)
def test_select_ends_in_one_line_and_goes_on_from_what_was_kept(folder, limit, named):
    stopped = run(limit, *SELECT, cwd=folder)
    assert stopped.returncode == 2, stopped.stderr
    assert stopped.stderr.count("\n") == 1
    assert named in stopped.stderr
    assert not list(folder.glob("out/*.part"))
    assert not (folder / "out" / "selection.json").exists()
    before = rows(folder / "out" / "progress.sqlite", "finished")
    assert 0 < len(before) <= 13

    assert run(0, *SELECT, cwd=folder).returncode == 0
    after = rows(folder / "out" / "progress.sqlite", "finished")
    assert len(after) == 13
    assert before <= after
    assert run(0, *SELECT[:-1], "whole", cwd=folder).returncode == 0
    for name in ("selection.json", "report.html"):
        assert (folder / "out" / name).read_bytes() == (folder / "whole" / name).read_bytes()


STUDY = ["study", "run", "smoke", "--sims", 4, "--methods", "auc,sts", "--store", "store.sqlite"]


def test_a_study_ends_in_one_line_and_goes_on_from_what_was_kept(tmp_path):
    stopped = run(60_000, *STUDY, cwd=tmp_path)
    assert stopped.returncode == 2, stopped.stderr
    assert stopped.stderr.count("\n") == 1
    assert "store.sqlite' cannot be read or written" in stopped.stderr
    before = rows(tmp_path / "store.sqlite", "units")
    assert 0 < len(before) < 16
    done = run(0, *STUDY, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "16 of 16 units done" in done.stdout
    assert before <= rows(tmp_path / "store.sqlite", "units")
