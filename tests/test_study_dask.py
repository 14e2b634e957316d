"""On a real cluster: a scheduler and two worker processes, one of them killed midway."""

import json
import os
import signal
import subprocess
import sys

import pytest

from frugalforest.errors import RunError
from frugalforest.runner import Task, run_tasks
from frugalforest.study import Store, get_design, run
from frugalforest.study.unit import UnitResults
from reference.studies import all_rows, wait_until

pytest.importorskip("distributed")

DESIGN = get_design("smoke", 4, ["auc", "sts", "fs-0"])


def start(module, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler with two workers, the scheduler and the workers."""
    file = tmp_path / "scheduler.json"
    local = ("--host", "127.0.0.1", "--no-dashboard")
    processes = [start("dask_scheduler", *local, "--port", 0, "--scheduler-file", file)]
    try:
        wait_until(file.exists)
        for _ in range(2):
            processes.append(
                # Without a nanny, which would start a killed worker again.
                start(
                    "dask_worker", "--scheduler-file", file, *local, "--nthreads", 1, "--no-nanny"
                )
            )
        yield json.loads(file.read_text())["address"], *processes
    finally:
        for process in processes:
            process.kill()
            process.wait()


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_rows_of_a_local_run(cluster, tmp_path):
    from distributed import Client

    address, _, *workers = cluster
    with Client(address, set_as_default=False) as client:
        client.wait_for_workers(2, timeout=60)
    with Store(tmp_path / "local.sqlite", create=True) as store:
        run(DESIGN, store)

    results = []

    def kill_a_worker_midway(result):
        results.append(result)
        if len(results) == 3:
            workers[0].kill()

    with Store(tmp_path / "cluster.sqlite", create=True) as store:
        run(DESIGN, store, dask=address, on_result=kill_a_worker_midway)
    assert workers[0].wait(timeout=10) < 0
    assert [type(result) for result in results] == [UnitResults] * len(DESIGN.units)
    assert all_rows(tmp_path / "cluster.sqlite", DESIGN) == all_rows(
        tmp_path / "local.sqlite", DESIGN
    )


def test_a_unit_that_the_cluster_gives_up_on_is_a_failure(tmp_path):
    def gives_up(tasks, *, on_failure, **_):
        yield tasks[0], on_failure(tasks[0], MemoryError("worker killed"))

    with Store(tmp_path / "store.sqlite", create=True) as store:
        run(DESIGN, store, runner=gives_up)
        failures = store.failures(DESIGN)
    assert {row.key for row in failures} == {DESIGN.units[0].key}
    assert {row.message for row in failures} == {"MemoryError: worker killed"}


@pytest.mark.slow
def test_a_lost_scheduler_ends_the_run_with_advice(cluster):
    address, scheduler, *_ = cluster
    deadly = Task("deadly", "deadly", os.kill, (scheduler.pid, signal.SIGKILL))
    with pytest.raises(RunError, match=r"is gone\. Finished work that is kept .* is not lost"):
        list(run_tasks([deadly], dask=address))
