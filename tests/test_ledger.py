"""The ledger of finished work."""

import json
import logging
import random
import resource
import signal
import sqlite3
import subprocess
import sys

import pytest

from frugalforest.errors import DataError
from frugalforest.storage.ledger import Ledger


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
    with pytest.raises(DataError, match=r"'.*taken' (is damaged or no ledger|cannot be read)"):
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
from frugalforest.storage.ledger import Ledger
with Ledger(sys.argv[1]) as ledger:
    for i in itertools.count():
        ledger.put(f"task {i}", {"number": i, "padding": "x" * 20_000})
        print(i, flush=True)
"""


@pytest.mark.slow
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


# --- damage -------------------------------------------------------------------------------------


def results(n=6):
    """Some entries: short ones, and one that takes more than a page of the file."""
    return {f"task {i}": {"error": i / 7, "features": ["ä", i]} for i in range(n - 1)} | {
        "long": list(range(3000))
    }


def change(file, statement, *values):
    connection = sqlite3.connect(file)
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.fixture
def full(tmp_path):
    """A file with some results in it."""
    with Ledger(tmp_path / "done.sqlite") as ledger:
        for key, result in results().items():
            ledger.put(key, result)
    return tmp_path / "done.sqlite"


DAMAGE = {
    "another result": ("result", b'{"error": 0.0, "features": ["a", 1]}'),
    "another checksum": ("checksum", bytes(32)),
    "text for bytes": ("result", "0"),
    "no JSON": ("result", b"{"),
    "no bytes": ("checksum", 1.5),
}


@pytest.mark.parametrize(("column", "value"), DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_result_is_not_there_and_is_said(full, caplog, column, value):
    change(full, f"UPDATE finished SET {column} = ? WHERE key = 'task 1'", value)
    with Ledger(full) as ledger:
        found = ledger.get_all(results())
        assert ledger.damaged == 1
        (record,) = caplog.records
        assert (record.name, record.levelno) == ("frugalforest", logging.WARNING)
        assert record.getMessage() == (
            f"{full}: kept results that are damaged, and computed again: 1."
        )
        assert found == {k: v for k, v in results().items() if k != "task 1"}
        ledger.put("task 1", results()["task 1"])
    with Ledger(full) as ledger:
        assert ledger.get_all(results()) == results()
        assert ledger.damaged == 0


def test_the_result_of_another_key_is_damaged(full):
    change(full, "UPDATE finished SET key = 'gone' WHERE key = 'task 0'")
    change(full, "UPDATE finished SET key = 'task 0' WHERE key = 'task 1'")
    with Ledger(full) as ledger:
        assert ledger.get_all(["task 0"]) == {}
        assert ledger.damaged == 1


def test_an_older_ledger_without_checksums_is_emptied_and_that_is_said(tmp_path, caplog):
    file = tmp_path / "done.sqlite"
    change(file, "CREATE TABLE finished (key TEXT PRIMARY KEY, result TEXT NOT NULL)")
    change(file, "INSERT INTO finished VALUES ('a', '1')")
    with Ledger(file) as ledger:
        assert ledger.get_all(["a"]) == {}
        ledger.put("a", 2)
        assert ledger.get_all(["a"]) == {"a": 2}
    assert (
        "results of an older frugalforest, without checksums, and computed again: 1." in caplog.text
    )


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ("PRAGMA user_version = 99", "its version is 99, this frugalforest writes 1"),
        ("CREATE TABLE theirs (x)", "it holds other tables"),
        ("DROP TABLE finished", "it is empty"),
    ],
)
def test_a_file_of_something_else_is_refused_with_the_way_out(full, statement, message):
    change(full, statement)
    before = full.read_bytes()
    with pytest.raises(DataError) as caught:
        Ledger(full)
    assert str(caught.value) == (
        f"{str(full)!r} is damaged or no ledger ({message}): give another file, or remove it if it "
        "is what an earlier run left (on the command line: --fresh)."
    )
    assert full.read_bytes() == before


def check_that_nothing_is_silently_different(file):
    """Use a ledger that may be damaged, as a run does: whether it was refused."""
    try:
        with Ledger(file) as ledger:
            found = ledger.get_all(results())
            for key, result in results().items():
                if key in found:
                    assert json.dumps(found[key]) == json.dumps(result)
                else:
                    ledger.put(key, result)
            assert ledger.get_all(results()) == results()
    except DataError as error:
        message = str(error)
    else:
        return False
    assert message.startswith(repr(str(file)))
    assert message.isprintable()
    return True


def test_a_damaged_description_of_the_table_is_refused(full):
    # SQLite quotes it in its message, and Python cannot decode that.
    content = full.read_bytes()
    full.write_bytes(content.replace(b"TABLE finished", b"TABLE\x9ffinished"))
    assert check_that_nothing_is_silently_different(full)


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_are_found_out_or_refused_in_one_line(full, seed):
    whole, rng = full.read_bytes(), random.Random(seed)
    for flip in range(12):
        content = bytearray(whole)
        # Half of them in the first bytes of a page, where the structure of the file is.
        at = rng.randrange(len(content))
        if flip % 2:
            at = at // 4096 * 4096 + rng.randrange(112)
        content[at] ^= 1 << rng.randrange(8)
        full.write_bytes(content)
        full.with_name("done.sqlite-journal").unlink(missing_ok=True)
        check_that_nothing_is_silently_different(full)


@pytest.mark.parametrize(("share", "is_refused"), [(0, False), (0.3, True), (0.6, True)])
def test_a_file_cut_short_is_refused_unless_it_is_empty(full, share, is_refused):
    content = full.read_bytes()
    full.write_bytes(content[: int(share * len(content))])
    assert check_that_nothing_is_silently_different(full) == is_refused


@pytest.fixture
def full_disk():
    """No file may grow beyond 20 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("full_disk")
def test_a_full_disk_is_one_line_and_what_was_put_before_is_kept(tmp_path):
    file = tmp_path / "done.sqlite"
    with Ledger(file) as ledger:
        ledger.put("a", "x" * 5000)
        with pytest.raises(DataError, match=r"done.sqlite' cannot be .* What is in it is kept"):
            ledger.put("b", "x" * 50_000)
        ledger.put("c", 1)
    with Ledger(file) as ledger:
        assert ledger.get_all("abc") == {"a": "x" * 5000, "c": 1}
