"""Run what is missing of a design, on this machine or on a cluster.

Workers compute units; this process alone writes the store, unit by unit as they come. Whatever
ends a run (Ctrl-C, kill −9, a lost machine), the next one goes on from what is in the store.
"""

from __future__ import annotations

import os
import signal
import threading
from collections import defaultdict
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from joblib import Parallel, delayed
from joblib.externals.loky.process_executor import TerminatedWorkerError

from frugalforest.datasets import DATA_DIR_VARIABLE
from frugalforest.interrupts import noticed_interrupts
from frugalforest.study.design import Design, StudyError, Unit
from frugalforest.study.sources import read_real
from frugalforest.study.store import RunRow, Store
from frugalforest.study.unit import Failure, Outcome, run_unit

__all__ = ["Status", "Task", "run", "status"]

# A scheduler that is there answers at once.
_CONNECT_SECONDS = 10

# Worker processes may be killed, by a person or for lack of memory. After so many in a row without
# a single finished unit, it is the unit that kills them.
_MOST_BROKEN_POOLS = 3


@dataclass(frozen=True)
class Task:
    """A unit and the methods that are missing on it."""

    unit: Unit
    methods: tuple[str, ...]


Result = Outcome | Failure


@dataclass(frozen=True)
class Status:
    """How far a design is.

    Attributes
    ----------
    done, failed, remaining : int
        Units with all methods finished; units of the remaining ones that failed last time; units
        with anything missing.
    seconds_left : float or None
        Work that remains, for one worker, from the mean time of each method on each source. None
        if nothing is known about some method.
    """

    done: int
    failed: int
    remaining: int
    seconds_left: float | None


def missing_tasks(design: Design, store: Store) -> list[Task]:
    """What is not finished, in the order of the design."""
    finished = {(row.key, row.method) for row in store.finished(design)}
    tasks = []
    for unit in design.units:
        methods = tuple(m for m in design.methods if (unit.key, m) not in finished)
        if methods:
            tasks.append(Task(unit, methods))
    return tasks


def status(design: Design, store: Store) -> Status:
    """How far a design is, and how much time the rest takes."""
    tasks = missing_tasks(design, store)
    failed = {row.key for row in store.failures(design)}
    return Status(
        done=len(design.units) - len(tasks),
        failed=sum(task.unit.key in failed for task in tasks),
        remaining=len(tasks),
        seconds_left=_seconds_left(tasks, store.finished(design)),
    )


def _seconds_left(tasks: Sequence[Task], finished: Sequence[RunRow]) -> float | None:
    by_source: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_method: dict[str, list[float]] = defaultdict(list)
    for row in finished:
        seconds = row.select_seconds + row.score_seconds
        by_source[row.source, row.method].append(seconds)
        by_method[row.method].append(seconds)
    total = 0.0
    for task in tasks:
        for method in task.methods:
            known = by_source.get((task.unit.source.name, method)) or by_method.get(method)
            if not known:
                return None
            total += fmean(known)
    return total


def run(
    design: Design,
    store: Store,
    *,
    jobs: int = 1,
    dask: str | None = None,
    data_dir: str | None = None,
    on_result: Callable[[Result], None] = lambda _: None,
) -> None:
    """Run what is missing of a design.

    Parameters
    ----------
    design : Design
    store : Store
    jobs : int, default=1
        Worker processes on this machine; −1 is one per core. The results do not depend on it.
    dask : str, optional
        Address of a Dask scheduler. Then its workers do the work, not this machine.
    data_dir : str, optional
        Folder of the real sets, as for `load_real`. Workers must see it, too.
    on_result : callable, optional
        Called with each `Outcome` or `Failure` after it is in the store.
    """
    if dask is None and jobs == 0:
        raise StudyError("the number of jobs is 0: it must be 1 or more, or -1 for all cores.")
    tasks = missing_tasks(design, store)
    if not tasks:
        return
    # Workers on other machines have other environments: they are told the folder.
    folder = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    data_dir = os.path.abspath(folder) if folder else None
    for name in design.real_sets():
        read_real(name, data_dir)  # a missing set is one error now, not one a unit later
    results = _on_cluster(tasks, data_dir, dask) if dask else _on_machine(tasks, data_dir, jobs)
    with noticed_interrupts() as interrupted:
        try:
            # Closing ends the workers' work at once if this process was interrupted.
            with closing(results):
                for result in results:
                    if interrupted():
                        break  # a failure may be the interrupt's doing
                    if isinstance(result, Failure):
                        store.add_failure(result)
                    else:
                        store.add(result)
                    on_result(result)
        except BaseException:
            if not interrupted():
                raise
        if interrupted():
            raise KeyboardInterrupt


def _on_machine(tasks: Sequence[Task], data_dir: str | None, jobs: int) -> Generator[Result]:
    """Results from worker processes, in the order they are finished."""
    left = {task.unit.key: task for task in tasks}
    broken_pools = 0
    while left:
        # Units take seconds: one at a time, so that none waits for another to be written.
        parallel = Parallel(n_jobs=jobs, return_as="generator_unordered", batch_size=1)
        with _ctrl_c_is_for_this_process():
            results = parallel(
                delayed(run_unit)(task.unit, task.methods, data_dir) for task in list(left.values())
            )
        try:
            for result in results:
                del left[result.unit.key]
                broken_pools = 0
                yield result
        except TerminatedWorkerError:
            broken_pools += 1
            if broken_pools == _MOST_BROKEN_POOLS:
                raise StudyError(
                    f"worker processes were killed {broken_pools} times before they finished a "
                    "unit: is there enough memory? Try fewer jobs; what is finished is kept."
                ) from None
        finally:
            results.close()


@contextmanager
def _ctrl_c_is_for_this_process() -> Iterator[None]:
    """Worker processes started inside ignore Ctrl-C, which a terminal sends to all processes.

    They are ended by this one; on their own, each would print where it was interrupted.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may change what a signal does, and only it gets Ctrl-C
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _on_cluster(tasks: Sequence[Task], data_dir: str | None, address: str) -> Generator[Result]:
    """Results from the workers of a Dask scheduler, in the order they are finished.

    With Dask's own futures and not joblib's Dask backend: there, a unit whose workers were killed
    too often never comes back, not even as an error, and the run waits for ever. Here the scheduler
    gives the unit to another worker, and after three of them it is a failure like any other.
    """
    try:
        import distributed
    except ImportError:
        raise StudyError("a cluster needs Dask: pip install 'frugalforest[cluster]'.") from None
    # Distributed is not typed.
    connect: Any = distributed.Client
    as_completed: Any = distributed.as_completed
    try:
        client = connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise StudyError(f"no Dask scheduler at {address!r}: {error}") from None
    with client:
        futures = {
            # A worker's thread is as good as a process: the engine runs without Python's lock.
            client.submit(run_unit, task.unit, task.methods, data_dir, pure=False): task
            for task in tasks
        }
        try:
            for future in as_completed(list(futures), loop=client.loop):
                yield _result_of(future, futures.pop(future), address)
        finally:
            client.cancel(list(futures))


def _result_of(future: Any, task: Task, address: str) -> Result:
    if future.status == "finished":
        result: Result = future.result()
        return result
    if future.status == "error":
        error = future.exception()
        return Failure(task.unit, task.methods, f"{type(error).__name__}: {error}", repr(error))
    raise StudyError(
        f"the scheduler at {address!r} is gone. What is finished is kept: start it and run again."
    )
