"""The ledger of finished work."""

import signal
import sqlite3
import subprocess
import sys

import pytest

from frugalforest.errors import DataError
from frugalforest.ledger import Ledger


def test_what_was_put_is_there_when_opened_again(tmp_path):
    file = tmp_path / "done.sqlite"
    with Ledger(file) as ledger:
        ledger.put("a", {"error": 0.1 + 0.2, "features": ["<b>", "ü"], "none": None})
    with Ledger(file) as ledger:
        found = ledger.get_all(["a", "b"])
    assert found == {"a": {"error": 0.1 + 0.2, "features": ["<b>", "ü"], "none": None}}


def test_the_last_entry_for_a_key_counts(tmp_path):
    with Ledger(tmp_path / "done.sqlite") as ledger:
        ledger.put("a", 1)
        ledger.put("a", 2)
        assert ledger.get_all(["a"]) == {"a": 2}


def test_without_a_file_nothing_is_kept():
    with Ledger(None) as ledger:
        ledger.put("a", 1)
        assert ledger.get_all(["a"]) == {}


def test_a_folder_that_is_not_there_is_said_so(tmp_path):
    with pytest.raises(DataError, match=r"folder .* does not exist"):
        Ledger(tmp_path / "nowhere" / "done.sqlite")


@pytest.mark.parametrize("kind", ["another file", "a folder"])
def test_a_path_that_cannot_hold_a_ledger_is_said_so_and_left_as_it_is(tmp_path, kind):
    path = tmp_path / "taken"
    if kind == "a folder":
        path.mkdir()
    else:
        path.write_text("patient,age\n" * 100)
    with pytest.raises(DataError, match="cannot be used to keep results"):
        Ledger(path)
    assert path.is_dir() or path.read_text() == "patient,age\n" * 100


def test_two_ledgers_may_write_to_one_file(tmp_path):
    file = tmp_path / "done.sqlite"
    with Ledger(file) as one, Ledger(file) as other:
        one.put("a", 1)
        other.put("b", 2)
        assert one.get_all(["a", "b"]) == other.get_all(["a", "b"]) == {"a": 1, "b": 2}


WRITER = """
import itertools, sys
from frugalforest.ledger import Ledger
with Ledger(sys.argv[1]) as ledger:
    for i in itertools.count():
        ledger.put(f"task {i}", {"number": i, "padding": "x" * 20_000})
        print(i, flush=True)
"""


def test_a_writer_killed_at_any_moment_keeps_all_it_had_finished(tmp_path):
    file = tmp_path / "done.sqlite"
    writer = subprocess.Popen(
        [sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE, text=True
    )
    with writer:
        for line in writer.stdout:
            if int(line) == 20:
                break
        writer.send_signal(signal.SIGKILL)
        finished = [20, *map(int, writer.stdout)][-1]
    assert writer.returncode == -signal.SIGKILL
    with Ledger(file) as ledger:
        found = ledger.get_all([f"task {i}" for i in range(finished + 10)])
        ledger.put("one more", 1)
    # One more may have been written than the writer came to say.
    assert len(found) in (finished + 1, finished + 2)
    assert all(found[f"task {i}"]["number"] == i for i in range(finished + 1))
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()
