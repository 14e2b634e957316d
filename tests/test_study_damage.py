"""A store whose bytes were changed: found out, said, computed again, or refused in one line."""

import random
import sqlite3
from dataclasses import replace

import pytest

from frugalforest.study import Store, StudyError, run, status
from frugalforest.study.run import missing_units
from frugalforest.study.unit import Failure, run_unit
from reference.studies import all_rows
from test_study_runner import SMALL, study


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


def change(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


@pytest.fixture(scope="module")
def small_store(tmp_path_factory):
    """The bytes of a store with all results of a small design, and its rows."""
    path = tmp_path_factory.mktemp("small") / "store.sqlite"
    with Store(path, create=True) as store:
        run(SMALL, store)
    return path.read_bytes(), all_rows(path, SMALL)


@pytest.fixture(scope="module")
def again():
    """A runner that knows the results already, and keeps the labels of the units it was given."""
    outcomes = {(u.key, m): run_unit(u, [m]) for u in SMALL.units for m in SMALL.methods}
    asked = []

    def runner(tasks, **_):
        for task in tasks:
            unit, methods, _ = task.arguments
            asked.append(task.label)
            parts = [outcomes[unit.key, method] for method in methods]
            sets = {scored.features: scored for part in parts for scored in part.sets}
            runs = tuple(run for part in parts for run in part.runs)
            yield task, replace(parts[0], sets=tuple(sets.values()), runs=runs)

    runner.asked = asked
    return runner


CHANGES = {
    "an error": "UPDATE sets SET test_error = test_error + 1e-12 WHERE id = 1",
    "a price": "UPDATE sets SET cost = 0 WHERE id = 1",
    "a set": "UPDATE sets SET features = '7' WHERE id = 1",
    "the unit of a set": "UPDATE sets SET unit = 77 WHERE id = 1",
    "a value of ξ": "UPDATE choices SET xi = 0.7 WHERE unit = 1 AND strategy = 'tuned'",
    "a candidate": "UPDATE candidates SET feature_set = 1 WHERE unit = 1 AND xi = 2.0",
    "a lost candidate": "DELETE FROM candidates WHERE unit = 1 AND xi = 2.0",
    "a lost choice": "DELETE FROM choices WHERE unit = 1",
    "seconds": "UPDATE runs SET select_seconds = -1 WHERE unit = 1",
    "another method": "UPDATE runs SET method = 'sts-paper' WHERE unit = 1 AND method = 'sts'",
    "a number of rows": "UPDATE units SET n_test = 1 WHERE id = 1",
    "a key": "UPDATE units SET key = 'x' || key WHERE id = 1",
    "no number": "UPDATE sets SET cost = 'dear' WHERE id = 1",
    "no text": "UPDATE units SET source = x'ff' WHERE id = 1",
    "a lost unit": "DELETE FROM units WHERE id = 1",
    "a checksum": "UPDATE checksums SET checksum = x'00' WHERE kind = 'run' AND method = 'auc'",
    "a lost checksum": "DELETE FROM checksums",
}


@pytest.mark.parametrize("statement", CHANGES.values(), ids=CHANGES)
def test_changed_results_are_left_out_said_and_computed_again(
    path, small_store, again, caplog, statement
):
    content, expected = small_store
    path.write_bytes(content)
    change(path, statement)
    with Store(path) as store:
        # What is left is as it was.
        assert set(store.candidates(SMALL)) < set(expected[1])
        assert set(store.choices(SMALL)) < set(expected[2])
        assert status(SMALL, store).remaining > 0
    (record,) = caplog.records
    assert record.name == "frugalforest"
    assert "damaged and left out" in record.getMessage()
    with Store(path, create=True) as store:
        run(SMALL, store, runner=again)
    caplog.clear()
    assert all_rows(path, SMALL) == expected
    assert not caplog.records
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    connection.close()


def test_only_what_is_damaged_is_computed_again(path, small_store, again):
    path.write_bytes(small_store[0])
    change(path, "UPDATE runs SET select_seconds = -1 WHERE unit = 2 AND method = 'sts'")
    again.asked.clear()
    with Store(path, create=True) as store:
        assert [(m.unit, m.methods) for m in missing_units(SMALL, store)] == [
            (SMALL.units[1], ("sts",))
        ]
        run(SMALL, store, runner=again)
    assert again.asked == [SMALL.units[1].label]


def use(path, runner):
    """Continue a study in a store that may be damaged: its rows, or None if it is refused."""
    try:
        with Store(path, create=True) as store:
            run(SMALL, store, runner=runner)
        return all_rows(path, SMALL)
    except StudyError as error:
        message = str(error)
    assert message.startswith(repr(str(path)))
    assert message.isprintable()
    return None


@pytest.mark.parametrize("seed", range(6))
def test_flipped_bytes_are_found_out_or_refused_in_one_line(path, small_store, again, seed):
    content, expected = small_store
    rng = random.Random(seed)
    for flip in range(10):
        damaged = bytearray(content)
        # Half of them in the first bytes of a page, where the structure of the file is.
        at = rng.randrange(len(damaged))
        if flip % 2:
            at = at // 4096 * 4096 + rng.randrange(112)
        damaged[at] ^= 1 << rng.randrange(8)
        path.write_bytes(damaged)
        path.with_name("store.sqlite-journal").unlink(missing_ok=True)
        assert use(path, again) in (expected, None)


def test_a_store_from_before_there_were_checksums_goes_on(path, small_store):
    content, expected = small_store
    path.write_bytes(content)
    change(path, "DROP TABLE checksums")
    change(path, "PRAGMA user_version = 1")
    assert all_rows(path, SMALL) == expected
    change(path, "UPDATE sets SET cost = 0 WHERE id = 1")
    assert all_rows(path, SMALL) != expected


def test_a_store_that_may_not_be_written_can_be_read(path, small_store):
    content, expected = small_store
    path.write_bytes(content)
    path.chmod(0o444)
    path.parent.chmod(0o555)
    try:
        assert all_rows(path, SMALL) == expected
    finally:
        path.parent.chmod(0o755)


def test_a_changed_failure_is_not_shown(path):
    with Store(path, create=True) as store:
        store.add_failure(Failure(SMALL.units[0], ("auc",), "MemoryError: no memory", "details"))
        assert len(store.failures(SMALL)) == 1
    change(path, "UPDATE failures SET message = 'all is well'")
    with Store(path) as store:
        assert store.failures(SMALL) == []


def test_a_failure_message_does_not_control_the_terminal(path):
    with Store(path, create=True) as store:
        store.add_failure(
            Failure(SMALL.units[0], ("auc",), "OSError: \x1b[2J\x1b]0;title\x07\u202e", "details")
        )
    result = study("status", "smoke", "--sims", 1, "--store", path)
    assert "OSError: " in result.output
    assert all(c.isprintable() or c == "\n" for c in result.output)
