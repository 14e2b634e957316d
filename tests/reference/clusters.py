"""A real Dask cluster: a scheduler and workers, each a process of its own that can be killed."""

import json
import os
import subprocess
import sys
from contextlib import contextmanager

from reference.studies import wait_until

_LOCAL = ("--host", "127.0.0.1", "--no-dashboard")


def _start(module, *arguments):
    return subprocess.Popen(
        [sys.executable, "-m", f"distributed.cli.{module}", *map(str, arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        # Workers import the tests' own tasks.
        env=os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))},
    )


class ProcessCluster:
    """The address of a scheduler, and its processes."""

    def __init__(self, folder):
        self._file = folder / "scheduler.json"
        self.workers = []
        self.scheduler = _start(
            "dask_scheduler", *_LOCAL, "--port", 0, "--scheduler-file", self._file
        )

    @property
    def address(self):
        wait_until(self._file.exists)
        return json.loads(self._file.read_text())["address"]

    def add_workers(self, n=1, restarted=False):
        """Workers of one thread; a nanny starts one again that was killed."""
        wait_until(self._file.exists)
        nanny = "--nanny" if restarted else "--no-nanny"
        for _ in range(n):
            arguments = ("--scheduler-file", self._file, *_LOCAL, "--nthreads", 1, nanny)
            self.workers.append(_start("dask_worker", *arguments))

    def wait_for_workers(self, n):
        from distributed import Client

        with Client(self.address, set_as_default=False) as client:
            client.wait_for_workers(n, timeout=120)

    def kill(self):
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()


@contextmanager
def process_cluster(folder, n_workers=2, **options):
    """A cluster that ends with the block."""
    cluster = ProcessCluster(folder)
    try:
        cluster.add_workers(n_workers, **options)
        if n_workers:
            cluster.wait_for_workers(n_workers)
        yield cluster
    finally:
        cluster.kill()
