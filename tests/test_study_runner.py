"""Running a design: nothing is lost, nothing is done twice, and however it ends, the rows agree."""

import os
import pickle
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import replace
from functools import partial

import psutil
import pytest
from typer.testing import CliRunner

from frugalforest.running.runner import run_tasks
from frugalforest.study import Store, StudyError, commands, get_design, run, status
from frugalforest.study.unit import Failure, UnitResults, run_unit
from reference.studies import all_rows, n_finished, start_study, wait_until

METHODS = ["auc", "pfi", "sts", "fs-0"]
DESIGN = get_design("smoke", 12, METHODS)
ARGUMENTS = ["run", "smoke", "--sims", 12, "--methods", ",".join(METHODS), "--store"]


@pytest.fixture(scope="module")
def expected(tmp_path_factory):
    """The rows of a run that nothing interrupted."""
    path = tmp_path_factory.mktemp("whole") / "store.sqlite"
    with Store(path, create=True) as store:
        run(DESIGN, store)
    return all_rows(path, DESIGN)


@pytest.fixture
def path(tmp_path):
    return tmp_path / "store.sqlite"


def end(process):
    """Make sure that nothing of a process group is left."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()


@pytest.mark.slow
def test_a_run_killed_ten_times_ends_with_the_rows_of_one_that_was_not(path, expected):
    moment = random.Random(5)
    for life in range(10):
        before = n_finished(path)
        process = start_study(*ARGUMENTS, path, "--jobs", 2 if life % 5 == 4 else 1)
        try:
            if life == 0:
                time.sleep(2 * moment.random())  # before or while the store is made
            else:
                wait_until(lambda n=before: n_finished(path) > n)
                time.sleep(0.2 * moment.random())
            assert process.poll() is None, "it ended before it could be killed"
        finally:
            end(process)
        assert process.returncode == -signal.SIGKILL
    assert n_finished(path) < len(expected[0])
    with Store(path) as store:
        run(DESIGN, store)
    assert all_rows(path, DESIGN) == expected


# The statements of `Store.add` for one unit with two methods, by number; the last is COMMIT.
KILL_INSIDE = """
import os, pickle, signal, sqlite3, sys
from frugalforest.study import Store
path, outcome, at = sys.argv[1], pickle.loads(bytes.fromhex(sys.argv[2])), int(sys.argv[3])
connect, connections = sqlite3.connect, []
def remember(*arguments, **options):
    connections.append(connect(*arguments, **options))
    return connections[-1]
sqlite3.connect = remember
with Store(path) as store:
    seen = []
    def trace(statement):
        seen.append(statement)
        if len(seen) == at:
            os.kill(os.getpid(), signal.SIGKILL)
    connections[0].set_trace_callback(trace)
    store.add(outcome)
    print(len(seen))
"""


@pytest.mark.slow
def test_a_kill_inside_a_transaction_leaves_all_of_a_unit_or_nothing(path):
    design = get_design("smoke", 1, ["auc", "pfi"])
    outcomes = [run_unit(unit, design.methods) for unit in design.units[:2]]
    with Store(path, create=True) as store:
        store.add(outcomes[0])
    before = all_rows(path, design)

    def add_in_a_process(at):
        text = pickle.dumps(outcomes[1]).hex()
        return subprocess.run(
            [sys.executable, "-c", KILL_INSIDE, path, text, str(at)], capture_output=True, text=True
        )

    for at in (3, 40):
        assert add_in_a_process(at).returncode == -signal.SIGKILL
        assert all_rows(path, design) == before
    assert int(add_in_a_process(0).stdout) > 40
    after = all_rows(path, design)
    assert after[0] == sorted(after[0]) != before[0]


@pytest.mark.slow
def test_jobs_do_not_change_the_rows_and_a_second_run_does_nothing(path, expected):
    with Store(path, create=True) as store:
        run(DESIGN, store, jobs=2)
        assert all_rows(path, DESIGN) == expected
        run(DESIGN, store, runner=None)


@pytest.mark.slow
def test_a_killed_worker_does_not_end_the_run(path, expected):
    process = start_study(*ARGUMENTS, path, "--jobs", 2)
    try:
        wait_until(lambda: n_finished(path) > 0)
        workers = [
            child
            for child in psutil.Process(process.pid).children(recursive=True)
            if "LokyProcess" in " ".join(child.cmdline())
        ]
        workers[0].kill()
        _, errors = process.communicate(timeout=120)
    finally:
        end(process)
    assert process.returncode == 0, errors
    assert all_rows(path, DESIGN) == expected


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.slow
def test_ctrl_c_ends_cleanly_and_keeps_what_is_finished(path, jobs):
    process = start_study("run", "smoke", "--sims", 500, "--store", path, "--jobs", jobs)
    try:
        wait_until(lambda: n_finished(path) > 0)
        children = psutil.Process(process.pid).children(recursive=True)
        os.killpg(process.pid, signal.SIGINT)
        output, errors = process.communicate(timeout=60)
    finally:
        end(process)
    assert process.returncode == 130
    assert "Traceback" not in errors
    assert "Stopped. The same command continues." in errors
    done = n_finished(path) // len(get_design("smoke").methods)
    assert f"smoke: {done} of 2000 units done, 0 failed" in output
    psutil.wait_procs(children, timeout=20)
    assert not any(child.is_running() for child in children)


def test_a_unit_that_ctrl_c_made_fail_is_no_failure(path):
    def fail_of_an_interrupt(tasks, **_):
        unit, methods, _ = tasks[0].arguments
        try:
            os.kill(os.getpid(), signal.SIGINT)
        except KeyboardInterrupt:
            yield tasks[0], Failure(unit, methods, "ValueError: write to closed file", "details")

    with Store(path, create=True) as store:
        with pytest.raises(KeyboardInterrupt):
            run(SMALL, store, runner=fail_of_an_interrupt)
        assert not store.failures(SMALL)


def with_failure(message):
    """A runner in whose hands the second unit fails."""

    def runner(tasks, **_):
        for task in tasks:
            unit, methods, data_dir = task.arguments
            if unit == SMALL.units[1]:
                yield task, Failure(unit, methods, message, "details")
            else:
                yield task, run_unit(unit, methods, data_dir)

    return runner


SMALL = get_design("smoke", 1, ["auc", "sts"])


def test_a_failing_unit_is_no_result_and_is_tried_again(path):
    seen = []
    with Store(path, create=True) as store:
        run(SMALL, store, on_result=seen.append, runner=with_failure("MemoryError: no memory"))
        assert [type(result) for result in seen] == [UnitResults, Failure, UnitResults, UnitResults]
        key = SMALL.units[1].key
        assert [row[:2] for row in store.failures(SMALL)] == [(key, "auc"), (key, "sts")]
        assert {row.message for row in store.failures(SMALL)} == {"MemoryError: no memory"}
        assert key not in {row.key for row in store.finished(SMALL)}
        assert key not in {row.key for row in store.candidates(SMALL)}
        now = status(SMALL, store)
        assert (now.done, now.failed, now.remaining) == (3, 1, 1)
        run(SMALL, store)
        assert store.failures(SMALL) == []
        assert status(SMALL, store).remaining == 0


def test_an_error_in_a_unit_becomes_a_failure_that_names_it():
    unit = replace(SMALL.units[0], budgets=(0.01,))
    failure = run_unit(unit, ["auc"])
    assert isinstance(failure, Failure)
    assert failure.message.startswith("BudgetError: ")
    assert "Traceback" in failure.details


def test_methods_added_later_are_all_that_is_run(path):
    both = get_design("smoke", 1, ["pfi", "sts", "fs-0"])
    with Store(path, create=True) as store:
        run(get_design("smoke", 1, ["pfi", "fs-0"]), store)
        asked = []

        def runner(tasks, **options):
            asked.extend(methods for _, methods, _ in (task.arguments for task in tasks))
            return run_tasks(tasks, **options)

        run(both, store, runner=runner)
        assert asked == [("sts",)] * 4
    later = all_rows(path, both)
    with Store(path.with_name("at once"), create=True) as store:
        run(both, store)
    assert later == all_rows(path.with_name("at once"), both)


def test_status_tells_done_failed_remaining_and_the_time_left(path):
    with Store(path, create=True) as store:
        assert status(SMALL, store).seconds_left is None
        outcomes = [run_unit(unit, SMALL.methods) for unit in SMALL.units[:2]]
        slow = [
            tuple(replace(r, select_seconds=seconds, score_seconds=1.0) for r in o.runs)
            for o, seconds in zip(outcomes, (2.0, 6.0), strict=True)
        ]
        for outcome, runs in zip(outcomes, slow, strict=True):
            store.add(replace(outcome, runs=runs))
        now = status(SMALL, store)
        assert (now.done, now.failed, now.remaining) == (2, 0, 2)
        # One unit each of A (two methods, 3 s each) and C (7 s each) remains.
        assert now.seconds_left == pytest.approx(2 * 3.0 + 2 * 7.0)


def test_units_of_other_parameters_are_not_taken_for_the_designs_own(path):
    other = replace(SMALL, units=tuple(replace(u, budgets=(1.0,)) for u in SMALL.units))
    with Store(path, create=True) as store:
        run(other, store)
        assert status(SMALL, store).done == 0
        assert store.candidates(SMALL) == []


def test_real_sets_are_read_from_the_folder(path, datasets_dir):
    design = get_design("paper-real", 1, ["auc"])
    units = [u for u in design.units if u.source.name == "wdbc"]
    small = replace(units[0], effort=SMALL.units[0].effort, xis=(0.0, 1.0))
    design = replace(design, units=(small,))
    with Store(path, create=True) as store:
        run(design, store, data_dir=str(datasets_dir))
        rows = store.choices(design)
    assert {(row.n_train, row.n_test) for row in rows} == {(379, 190)}
    assert {row.budget for row in rows} == {1.0, 2.0, 3.0, 5.0, 8.0}


def test_rows_record_parameters_seeds_and_versions(path):
    with Store(path, create=True) as store:
        store.add(run_unit(SMALL.units[0], ["auc"]))
    rows = sqlite3.connect(path)
    parameters, seeds, versions = rows.execute(
        "SELECT parameters, seeds, versions FROM units JOIN runs ON unit = id"
    ).fetchone()
    rows.close()
    assert parameters == SMALL.units[0].parameters()
    assert all(name in seeds for name in ("design", "train", "test", "forests"))
    assert all(name in versions for name in ("python", "frugalforest", "numpy", "scikit-learn"))


def study(*arguments):
    return CliRunner().invoke(commands.app, [str(a) for a in arguments])


def test_commands_run_and_report(path):
    result = study("run", "smoke", "--sims", 1, "--methods", "auc", "--store", path)
    assert result.exit_code == 0, result.output
    assert "smoke: 4 of 4 units done, 0 failed, 0 remaining" in result.output
    result = study("status", "smoke", "--sims", 3, "--methods", "auc", "--store", path)
    assert result.exit_code == 0
    assert "smoke: 4 of 12 units done, 0 failed, 8 remaining\ntime left: 0 min" in result.output


def test_a_run_with_failures_ends_with_1_and_names_them(path, monkeypatch):
    failing = partial(run, runner=with_failure("MemoryError: no memory"))
    monkeypatch.setattr(commands, "run", failing)
    result = study("run", "smoke", "--sims", 1, "--methods", "auc,sts", "--store", path)
    assert result.exit_code == 1
    assert "failed: smoke/C/draw0/rep000: MemoryError: no memory" in result.output
    assert "run again to retry" in result.output


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["run", "nope"], "no design 'nope'"),
        (["run", "smoke", "--methods", "lasso"], "no method 'lasso'"),
        (["run", "smoke", "--sources", "A,Z"], "smoke has no source 'Z': choose from A, C."),
        (["run", "smoke", "--sources", ","], "no sources given"),
        (["run", "smoke", "--jobs", "0"], "the number of jobs is 0"),
        (["status", "smoke"], "no store"),
        (["tables", "smoke"], "no store"),
        (["figures", "smoke"], "no store"),
        pytest.param(
            *(["run", "paper-real", "--data-dir", "/nowhere"], "/nowhere"), marks=pytest.mark.slow
        ),
        pytest.param(
            *(["run", "smoke", "--dask", "tcp://127.0.0.1:1"], "no Dask scheduler at"),
            marks=pytest.mark.slow,
        ),
    ],
)
def test_errors_of_the_user_end_in_one_line_and_exit_code_2(arguments, message, path, monkeypatch):
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    result = study(*arguments, "--store", path)
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert message in result.output
    assert not path.exists()


def test_an_error_leaves_a_store_alone_that_was_there(path):
    with Store(path, create=True):
        pass
    assert study("run", "smoke", "--jobs", "0", "--store", path).exit_code == 2
    assert path.exists()


def test_sources_can_be_run_one_by_one(path):
    options = ["--sims", 1, "--methods", "auc", "--store", path]
    assert "2 of 2 units done" in study("run", "smoke", "--sources", "C", *options).output
    assert "2 of 4 units done" in study("status", "smoke", *options).output
    assert "2 of 2 units done" in study("status", "smoke", "--sources", "C", *options).output


@pytest.mark.parametrize("content", ["not a database", ""])
def test_a_file_that_is_no_store_is_refused(path, content):
    path.write_text(content)
    result = study("status", "smoke", "--store", path)
    assert result.exit_code == 2
    assert "store" in result.output


def test_a_store_of_something_else_is_not_written_to(path):
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE theirs (x)")
    other.close()
    with pytest.raises(StudyError, match="no study store"):
        Store(path, create=True)
    with pytest.raises(StudyError, match="does not exist"):
        Store(path / "deeper" / "store.sqlite", create=True)


def test_tables_and_figures_of_nothing_say_so(path):
    Store(path, create=True).__exit__()
    result = study("tables", "smoke", "--store", path, "--out", path.parent)
    assert result.exit_code == 2
    assert "no finished unit of 'smoke'" in result.output
