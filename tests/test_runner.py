"""Tasks are run, here or on a cluster: none is lost, none is done twice, and no worker is left."""

import os
import signal
import subprocess
import sys
import threading
from contextlib import closing, suppress
from functools import partial

import joblib
import psutil
import pytest
from joblib.externals.loky.process_executor import _ExecutorManagerThread

from frugalforest.errors import RunError
from frugalforest.running.runner import Task, finish_tasks, run_tasks
from frugalforest.storage.ledger import Ledger
from reference import dying
from reference.studies import wait_until


def tasks_of(function, n=6, *arguments):
    return [Task(f"key {i}", f"task {i}", function, (*arguments, i)) for i in range(n)]


def results_of(*arguments, **options):
    return {task.key: result for task, result in run_tasks(*arguments, **options)}


DOUBLED = {f"key {i}": 2 * i for i in range(6)}


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_every_task_comes_back_once_with_its_own_result(n_jobs):
    tasks = tasks_of(dying.double)
    found = list(run_tasks(tasks, n_jobs=n_jobs))
    assert sorted(found, key=lambda pair: pair[0].key) == [(t, DOUBLED[t.key]) for t in tasks]


def test_without_tasks_nothing_is_run():
    assert list(run_tasks([])) == []


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_an_error_in_a_task_is_raised(n_jobs):
    with pytest.raises(KeyError):
        list(run_tasks(tasks_of(dying.fail), n_jobs=n_jobs))


@pytest.mark.slow
@pytest.mark.parametrize("size", [100, 5_000_000])  # the large one goes through a file
def test_what_tasks_share_is_unpacked_once_in_a_worker(size):
    tasks = tasks_of(dying.count_unpickled, 12)
    for _ in range(2):  # another run, in the same workers, sends something else
        found = results_of(tasks, shared=(dying.Heavy(size),), n_jobs=2).values()
        assert {length for *_, length in found} == {size}
        by_worker = {}
        for worker, count, _ in found:
            by_worker.setdefault(worker, set()).add(count)
        assert all(len(counts) == 1 for counts in by_worker.values()), by_worker
    assert os.getpid() not in by_worker


def test_in_this_process_nothing_is_packed():
    heavy = dying.Heavy(1)
    (result,) = results_of(
        [Task("a", "a", lambda shared: shared is heavy)], shared=(heavy,)
    ).values()
    assert result


def where(_):
    return threading.current_thread().name


@pytest.mark.parametrize("n_jobs", [None, 1])
def test_the_users_backend_stands_in_for_no_number_of_jobs_only(n_jobs):
    with joblib.parallel_config("threading", n_jobs=2):
        threads = set(results_of(tasks_of(where), n_jobs=n_jobs).values())
    assert (threads == {"MainThread"}) == (n_jobs == 1)


# --- workers that die ---------------------------------------------------------------------------


@pytest.mark.slow
def test_the_tasks_of_a_killed_worker_are_done_again(tmp_path):
    tasks = tasks_of(dying.die_once, 6, tmp_path / "dead")
    assert results_of(tasks, n_jobs=2) == DOUBLED
    assert (tmp_path / "dead").exists()


@pytest.mark.slow
@pytest.mark.parametrize("place", [0, 6])
def test_a_task_that_kills_its_workers_ends_in_advice_and_the_others_are_kept(place, tmp_path):
    tasks = tasks_of(dying.double_slowly)
    tasks.insert(place, Task("deadly", "deadly", dying.die))
    with Ledger(tmp_path / "done.sqlite") as ledger:
        with pytest.raises(RunError) as caught:
            finish_tasks(tasks, ledger, partial(run_tasks, n_jobs=2))
        assert ledger.get_all(DOUBLED) == DOUBLED
    assert str(caught.value) == (
        "worker processes were killed 3 times before they finished a task: is there enough memory? "
        "Use fewer jobs or fewer trees. Finished work that is kept in a file is not lost."
    )


# --- signals ------------------------------------------------------------------------------------


@pytest.mark.slow
def test_workers_do_not_get_ctrl_c():
    assert results_of(tasks_of(dying.ctrl_c), n_jobs=2) == DOUBLED


@pytest.mark.slow
def test_afterwards_this_process_gets_ctrl_c_again():
    list(run_tasks(tasks_of(dying.double), n_jobs=2))
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


@pytest.mark.slow
def test_closing_ends_the_workers():
    with closing(run_tasks(tasks_of(dying.sleep, 4), n_jobs=2)) as results:
        _, worker = next(results)
        process = psutil.Process(worker)
        assert not has_ended(process)
    wait_until(lambda: has_ended(process), 10)


@pytest.mark.slow
def test_closing_in_the_moment_in_which_a_task_is_handed_out_is_quiet(monkeypatch, capfd):
    usual = _ExecutorManagerThread.process_result_item

    def slowly(thread, item):
        usual(thread, item)  # which gives this thread a new task, not yet handed out
        with suppress(AssertionError):
            wait_until(lambda: thread.executor_flags.shutdown, 5)

    monkeypatch.setattr(_ExecutorManagerThread, "process_result_item", slowly)
    with closing(run_tasks(tasks_of(dying.sleep, 8), n_jobs=2)) as results:
        _, worker = next(results)
        process = psutil.Process(worker)
    wait_until(lambda: has_ended(process), 10)
    assert "Traceback" not in capfd.readouterr().err


def has_ended(process):
    """Whether nothing runs there any more: an orphan may wait as a zombie for init to see it."""
    try:
        return process.status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


LONG_RUN = """
import sys
from frugalforest.running.runner import run_tasks
from test_runner import dying, tasks_of
for _, worker in run_tasks(tasks_of(dying.sleep, 4), n_jobs=2):
    print(worker, flush=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGKILL])
def test_workers_end_with_the_process_that_started_them(sent):
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    with subprocess.Popen(
        [sys.executable, "-c", LONG_RUN],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        process.stdout.readline()
        children = psutil.Process(process.pid).children(recursive=True)
        process.send_signal(sent)
        try:
            wait_until(lambda: all(map(has_ended, children)), 15)
        finally:
            for child in children:
                with suppress(psutil.NoSuchProcess):
                    child.kill()
        errors = process.stderr.read()
    assert "Traceback" not in errors
    assert process.returncode == (-sent if sent == signal.SIGKILL else 128 + sent)


# --- the ledger ---------------------------------------------------------------------------------


def test_known_results_come_from_the_ledger_and_the_others_are_run(tmp_path):
    tasks, asked = tasks_of(dying.double), []

    def run(missing):
        asked.append([task.key for task in missing])
        return run_tasks(missing)

    with Ledger(tmp_path / "done.sqlite") as ledger:
        for key in ("key 1", "key 4"):
            ledger.put(key, "known")
        found = finish_tasks(tasks, ledger, run)
        assert asked == [["key 0", "key 2", "key 3", "key 5"]]
        assert found == DOUBLED | {"key 1": "known", "key 4": "known"}
        assert list(found) == list(DOUBLED)
        assert finish_tasks(tasks, ledger, run) == found
    assert asked[1:] == [[]]


def test_each_result_is_kept_before_the_next_one_is_waited_for(tmp_path):
    tasks = tasks_of(dying.double, 3)
    with Ledger(tmp_path / "done.sqlite") as ledger, Ledger(tmp_path / "done.sqlite") as other:

        def run(missing):
            for n_before, task in enumerate(missing):
                assert len(other.get_all(DOUBLED)) == n_before
                yield task, 0

        finish_tasks(tasks, ledger, run)


def test_the_runner_is_closed_if_a_result_cannot_be_kept():
    closed = []

    def run(tasks):
        try:
            yield tasks[0], 1
        finally:
            closed.append(True)

    class FullLedger(Ledger):
        def put(self, key, result):
            raise OSError("no space left")

    with pytest.raises(OSError, match="no space left"):
        finish_tasks(tasks_of(dying.double), FullLedger(None), run)
    assert closed


# --- a cluster ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    # In this process: what matters here is how its answers are read.
    with distributed.LocalCluster(
        n_workers=1, threads_per_worker=2, processes=False, dashboard_address=":0"
    ) as cluster:
        yield cluster.scheduler_address


def test_a_cluster_gives_the_same(cluster):
    assert results_of(tasks_of(pow, 6), shared=(2,), dask=cluster) == {
        f"key {i}": 2**i for i in range(6)
    }


def test_a_failed_task_of_a_cluster_is_raised_or_what_is_made_of_it(cluster):
    with pytest.raises(KeyError):
        results_of(tasks_of(dying.fail, 1), dask=cluster)
    found = results_of(tasks_of(dying.fail, 2), dask=cluster, on_failure=lambda t, e: (t.key, e))
    assert {key: (name, type(e)) for key, (name, e) in found.items()} == {
        f"key {i}": (f"key {i}", KeyError) for i in range(2)
    }


@pytest.mark.slow
def test_a_scheduler_that_is_not_there_is_one_line(monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setenv("DASK_DISTRIBUTED__COMM__TIMEOUTS__CONNECT", "1s")
    with pytest.raises(RunError, match=r"no Dask scheduler at 'tcp://127.0.0.1:1'"):
        results_of(tasks_of(dying.double), dask="tcp://127.0.0.1:1")
