"""On a real cluster: a scheduler and two worker processes, one of them killed midway."""

import json
import subprocess
import sys
from types import SimpleNamespace

import pytest

from frugalforest.study import Store, StudyError, get_design, run, runner
from frugalforest.study.unit import Failure, Outcome
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
    """The address of a scheduler with two workers, and the workers."""
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
        yield json.loads(file.read_text())["address"], processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_a_cluster_that_loses_a_worker_gives_the_rows_of_a_local_run(cluster, tmp_path):
    from distributed import Client

    address, workers = cluster
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
    assert [type(result) for result in results] == [Outcome] * len(DESIGN.units)
    assert all_rows(tmp_path / "cluster.sqlite", DESIGN) == all_rows(
        tmp_path / "local.sqlite", DESIGN
    )


TASK = runner.Task(DESIGN.units[0], ("auc",))


def test_a_unit_whose_workers_all_die_is_a_failure():
    future = SimpleNamespace(status="error", exception=lambda: MemoryError("worker killed"))
    result = runner._result_of(future, TASK, "tcp://somewhere")
    assert isinstance(result, Failure)
    assert result.message == "MemoryError: worker killed"


def test_a_lost_scheduler_ends_the_run_with_advice():
    with pytest.raises(StudyError, match=r"tcp://somewhere' is gone\. What is finished is kept"):
        runner._result_of(SimpleNamespace(status="lost"), TASK, "tcp://somewhere")
