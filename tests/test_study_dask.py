"""On a real cluster: a scheduler and two worker processes, one of them killed midway."""

import os
import signal

import pytest

from frugalforest.errors import RunError
from frugalforest.running.runner import Task, run_tasks
from frugalforest.study import Store, get_design, run
from frugalforest.study.unit import UnitResults
from reference.clusters import process_cluster
from reference.studies import all_rows

pytest.importorskip("distributed")

DESIGN = get_design("smoke", 4, ["auc", "sts", "fs-0"])


@pytest.fixture
def cluster(tmp_path):
    with process_cluster(tmp_path) as cluster:
        yield cluster


@pytest.mark.slow
def test_a_cluster_that_loses_a_worker_gives_the_rows_of_a_local_run(cluster, tmp_path):
    with Store(tmp_path / "local.sqlite", create=True) as store:
        run(DESIGN, store)

    results = []

    def kill_a_worker_midway(result):
        results.append(result)
        if len(results) == 3:
            cluster.workers[0].kill()

    with Store(tmp_path / "cluster.sqlite", create=True) as store:
        run(DESIGN, store, dask=cluster.address, on_result=kill_a_worker_midway)
    assert cluster.workers[0].wait(timeout=10) < 0
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
    deadly = Task("deadly", "deadly", os.kill, (cluster.scheduler.pid, signal.SIGKILL))
    with pytest.raises(RunError, match=r"is gone\. Finished work that is kept .* is not lost"):
        list(run_tasks([deadly], dask=cluster.address))
