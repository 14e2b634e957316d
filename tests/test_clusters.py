"""A Dask cluster of worker processes: what travels, how work is shared out, and lost workers."""

import json
import time
from functools import partial

import joblib
import pytest
from typer.testing import CliRunner

from frugalforest import Comparison, compare
from frugalforest.cli.app import app
from frugalforest.errors import RunError
from frugalforest.running.runner import Task, finish_tasks, run_tasks
from frugalforest.storage.ledger import Ledger
from reference import dying
from reference.clusters import process_cluster
from reference.runners import RecordingRunner
from reference.small_tables import ALL_METHODS, BUDGETS, PRICES, QUICK, make_table

pytest.importorskip("distributed")
pytestmark = pytest.mark.slow

SIZE = 20_000_000


@pytest.fixture
def cluster(tmp_path):
    with process_cluster(tmp_path) as cluster:
        yield cluster


@pytest.fixture
def client(cluster):
    from distributed import Client

    with Client(cluster.address, set_as_default=False) as client:
        yield client


def tasks_of(function, n):
    return [Task(f"key {i}", f"task {i}", function, (i,)) for i in range(n)]


def bytes_sent(dask_worker):
    return dask_worker.transfer_outgoing_bytes_total


def bytes_held(dask_worker):
    from frugalforest.running import cluster

    fetched = sum(len(heavy.content) for (heavy,) in cluster._FETCHED.values())
    return fetched + sum(task.nbytes or 0 for task in dask_worker.state.tasks.values())


def bytes_of_tasks(dask_scheduler):
    from distributed.protocol.pickle import dumps

    return sum(len(dumps(task.run_spec)) for task in dask_scheduler.tasks.values())


# --- what travels -------------------------------------------------------------------------------


def run_by_address(cluster, client):
    return partial(run_tasks, dask=cluster.address)


def run_in_users_block(cluster, client):
    def run(tasks, **options):
        with client.as_current(), joblib.parallel_config("dask"):
            yield from run_tasks(tasks, **options)

    return run


@pytest.mark.parametrize("way", [run_by_address, run_in_users_block])
def test_the_table_travels_once_to_each_worker(way, cluster, client):
    from reference.studies import wait_until

    held = []
    by_worker = {}
    run = way(cluster, client)
    for _, (worker, count, size) in run(
        tasks_of(dying.count_unpickled, 40), shared=(dying.Heavy(SIZE),)
    ):
        by_worker.setdefault(worker, set()).add(count)
        held.append(client.run_on_scheduler(bytes_of_tasks))
        assert size == SIZE
    assert list(by_worker.values()) == [{1}, {1}]
    # One worker had it through the scheduler, the other one from the first.
    assert SIZE <= sum(client.run(bytes_sent).values()) < 1.1 * SIZE
    assert max(held) < 1_000_000, "the table is in the scheduler's task graph"
    # Afterwards nobody holds it.
    wait_until(lambda: sum(client.run(bytes_held).values()) < 1_000_000)


def test_a_split_of_a_million_rows_is_a_small_part_of_its_task():
    import numpy as np
    from distributed.protocol.pickle import dumps

    from frugalforest.evaluation.resampling import make_splits

    labels = np.arange(1_000_000) % 2
    assert len(dumps(make_splits(labels, 1, 1 / 3, seed=0)[0])) < 130_000


# --- the same results, whoever is lost ----------------------------------------------------------


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def local(table):
    return compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)


def text_of(comparison):
    return json.dumps(comparison.to_dict())


def has_compared():
    import sys

    return "frugalforest.comparison" in sys.modules


def test_a_comparison_on_two_workers_is_the_local_one_bit_for_bit(cluster, client, table, local):
    there = compare(*table, PRICES, BUDGETS, ALL_METHODS, dask=cluster.address, **QUICK)
    assert text_of(there) == text_of(local)
    assert list(client.run(has_compared).values()) == [True, True]


def test_a_comparison_that_loses_a_worker_midway_is_the_local_one_and_resumes(
    cluster, table, local, tmp_path
):
    """Killed while it works, after the first of four tasks."""
    killed = []

    def run(tasks, **options):
        for finished in run_tasks(tasks, **options):
            if not killed:
                killed.append(cluster.workers[0])
                cluster.workers[0].kill()
            yield finished

    arguments = (*table, PRICES, BUDGETS, ALL_METHODS)
    options = QUICK | {"resume": tmp_path / "done.sqlite"}
    there = compare(*arguments, dask=cluster.address, runner=run, **options)
    assert text_of(there) == text_of(local)
    assert killed[0].wait(timeout=10) < 0
    again = RecordingRunner()
    assert text_of(compare(*arguments, runner=again, **options)) == text_of(local)
    assert again.labels == []


def test_a_lost_worker_costs_the_task_that_it_had_and_no_other(cluster, tmp_path):
    file = tmp_path / "starts"
    results = run_tasks(tasks_of(partial(_note_and_sleep, file), 8), dask=cluster.address)
    next(results)
    cluster.workers[0].kill()
    assert len(list(results)) == 7
    starts = file.read_text().split()
    assert len(set(starts)) == 8
    # The scheduler may have sent the next one, too, and the worker begun it.
    assert 8 <= len(starts) <= 10


def _note_and_sleep(file, number):
    with file.open("a") as notes:
        notes.write(f"{number}\n")
    time.sleep(0.3)


@pytest.mark.parametrize("n_lost", [1, 2])
def test_a_new_worker_gets_the_table_even_if_all_that_had_it_are_lost(n_lost, cluster):
    heavy = dying.Heavy(SIZE)
    results = run_tasks(tasks_of(dying.length_slowly, 8), shared=(heavy,), dask=cluster.address)
    old = {next(results)[1][0]}
    for worker in cluster.workers[:n_lost]:
        worker.kill()
    cluster.add_workers(1)
    found = [result for _, result in results]
    assert [size for _, size in found] == [SIZE] * 7
    if n_lost == 2:
        assert {worker for worker, _ in found} - old


def test_a_task_that_kills_every_worker_ends_in_advice_and_what_is_finished_is_kept(tmp_path):
    """Each time the table is lost with the only worker, which its nanny starts again."""
    tasks = [*tasks_of(dying.length_slowly, 2), Task("deadly", "deadly", dying.die)]
    with (
        process_cluster(tmp_path, 1, restarted=True) as cluster,
        Ledger(tmp_path / "done.sqlite") as ledger,
    ):
        run = partial(run_tasks, shared=(dying.Heavy(100),), dask=cluster.address)
        with pytest.raises(RunError, match="were killed again and again: is there enough memory"):
            finish_tasks(tasks, ledger, run)
        assert len(ledger.get_all(["key 0"])) == 1


def test_a_run_waits_for_the_first_worker_and_says_so(tmp_path, caplog):
    with process_cluster(tmp_path, 0) as cluster:
        results = run_tasks(tasks_of(pow, 2), shared=(3,), dask=cluster.address)
        cluster.add_workers(1)  # it takes a second or more to start
        assert sorted(result for _, result in results) == [1, 3]
    assert caplog.messages == [
        f"The scheduler at {cluster.address} has no workers: waiting for one."
    ]


# --- the command line ---------------------------------------------------------------------------


@pytest.mark.parametrize("search_rows", ["all", "90"])
def test_the_command_line_gives_its_work_to_a_cluster(cluster, search_rows, tmp_path):
    X, y = make_table(400)
    X.assign(ill=y).to_csv(tmp_path / "t.csv", index=False)
    command = ["select", str(tmp_path / "t.csv"), "--target", "ill", "--budget", "2", "--quiet"]
    command += ["--methods", "auto", "--trees", "20", "--resamples", "2"]
    command += ["--search-rows", search_rows]
    found = []
    for where in (["--jobs", "1"], ["--dask", cluster.address]):
        out = tmp_path / where[0].strip("-")
        told = CliRunner().invoke(app, [*command, *where, "--out", str(out)])
        assert told.exit_code == 0, told.output
        found.append(Comparison.load(out / "selection.json").selections)
    assert found[0] == found[1]
