"""Run tasks on this machine or on a cluster, and keep what is finished.

::

    tasks ── finish_tasks ──► known ones from the ledger
                  └─ run_tasks ──► joblib's workers, or those of a Dask scheduler
                        └─ each result is put into the ledger as it comes

A task is a pure function of its arguments: its result does not depend on who ran it, when, or how
often it had to be started.
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import secrets
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, Protocol

import joblib
import numpy as np
from joblib.externals.loky.backend.reduction import dumps
from joblib.externals.loky.process_executor import TerminatedWorkerError

from frugalforest.errors import RunError
from frugalforest.running.cluster import client_of_user, run_on_cluster, threads_of
from frugalforest.running.interrupts import sigterm_exits
from frugalforest.running.progress import note_piece, progress_bar
from frugalforest.storage.ledger import Ledger

__all__ = ["Runner", "Task", "finish_tasks", "run_tasks", "tasks_at_once"]

# Worker processes may be killed, by a person or for lack of memory. After so many pools in a row
# without a single finished task, it is the tasks that kill them.
_MOST_BROKEN_POOLS = 3

Finished = Generator[tuple["Task", Any]]


@dataclass(frozen=True)
class Task:
    """A piece of work.

    Attributes
    ----------
    key : str
        Its name in the ledger: says everything that its result depends on.
    label : str
        Its name for people.
    function : callable
    arguments : tuple
        What the function is called with, after what all tasks share.
    """

    key: str
    label: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def __call__(self, *shared: Any) -> Any:
        """Its result."""
        return self.function(*shared, *self.arguments)


class Runner(Protocol):
    """Anything that runs tasks as `run_tasks` does."""

    def __call__(
        self,
        tasks: Sequence[Task],
        *,
        shared: tuple[Any, ...] = (),
        n_jobs: int | None = None,
        dask: str | None = None,
        on_failure: Callable[[Task, Exception], Any] | None = None,
    ) -> Finished:
        """Yield each task with its result, in any order."""


def run_tasks(
    tasks: Sequence[Task],
    *,
    shared: tuple[Any, ...] = (),
    n_jobs: int | None = None,
    dask: str | None = None,
    on_failure: Callable[[Task, Exception], Any] | None = None,
) -> Finished:
    """Yield each task with its result, as they are finished.

    Close the generator to stop early: tasks under way are lost, and their workers ended.

    Parameters
    ----------
    tasks : sequence of Task
        With different keys.
    shared : tuple
        The first arguments of all tasks, sent once to each worker.
    n_jobs : int or None
        Worker processes on this machine, as joblib counts them. Inside a
        ``joblib.parallel_config`` block, its backend and workers stand in for None.
    dask : str, optional
        Address of a Dask scheduler. Then its workers do the work.
    on_failure : callable, optional
        Given a task that failed on the cluster, because its workers died again and again or it
        raised, and the error: what to yield for it. By default the error is raised, as errors of
        tasks on this machine always are.

    Examples
    --------
    >>> tasks = [Task(f"power {n}", f"power {n}", pow, (n,)) for n in range(3)]
    >>> [(task.key, result) for task, result in run_tasks(tasks, shared=(10,))]
    [('power 0', 1), ('power 1', 10), ('power 2', 100)]
    """
    place = dask or client_of_user()
    if place is None:
        return _on_machine(tasks, _Shared(shared), n_jobs)
    return run_on_cluster(tasks, shared, place, on_failure)


def tasks_at_once(n_jobs: int | None = None, dask: str | None = None) -> int:
    """How many tasks `run_tasks` would work on at the same time.

    Examples
    --------
    >>> tasks_at_once(n_jobs=2)
    2
    """
    place = dask or client_of_user()
    return int(joblib.effective_n_jobs(n_jobs)) if place is None else threads_of(place)


def finish_tasks(
    tasks: Sequence[Task],
    ledger: Ledger,
    run: Callable[[Sequence[Task]], Finished],
    verbose: int = 0,
    at_once: int = 1,
) -> dict[str, Any]:
    """Results of all tasks by key, in their order: known ones from the ledger, the others run.

    Parameters
    ----------
    tasks : sequence of Task
    ledger : Ledger
        Gets each result as soon as it is there.
    run : callable
        A `Runner` with its settings.
    verbose, at_once : int
        As for `progress_bar`.

    Examples
    --------
    >>> with Ledger(None) as ledger:
    ...     finish_tasks([Task("a", "first", pow, (2, 3))], ledger, run_tasks)
    {'a': 8}
    """
    results = ledger.get_all(task.key for task in tasks)
    missing = [task for task in tasks if task.key not in results]
    with (
        progress_bar(len(tasks), verbose, len(results), at_once) as advance,
        # Closed here and now if this is interrupted, not whenever the garbage is collected.
        closing(run(missing)) as finished,
    ):
        for task, result in finished:
            ledger.put(task.key, result)
            results[task.key] = result
            advance(task.label)
    return {task.key: results[task.key] for task in tasks}


# What workers do

_WATCH = "frugalforest: end with the parent"
_SECONDS_BETWEEN_LOOKS = 0.5

# What a worker was last sent, by its name.
_UNPACKED: dict[str, _Shared] = {}


class _Shared:
    """Values that are packed once, and unpacked once in each worker however often they come."""

    def __init__(self, values: tuple[Any, ...]) -> None:
        self.values = values
        self._name = secrets.token_hex(16)
        self._packed: np.ndarray[Any, Any] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        if self._packed is None:
            # With joblib's pickler, as all else that it sends. In one array: a large one is
            # written to a file once, and only the name of the file is sent.
            self._packed = np.frombuffer(dumps(self.values), dtype=np.uint8)
        return _unpack, (self._name, self._packed)


def _unpack(name: str, packed: np.ndarray[Any, Any]) -> _Shared:
    if name not in _UNPACKED:
        _UNPACKED.clear()  # of an earlier run
        _UNPACKED[name] = _Shared(pickle.loads(packed.data))
    return _UNPACKED[name]


def _call_in_worker(shared: _Shared, task: Task, parent: int) -> tuple[str, Any]:
    starter = multiprocessing.parent_process()  # None in the parent; known even if it is gone
    if starter is not None and starter.pid == parent:
        _depend_on(parent)
    note_piece(task.label)
    return task.key, task(*shared.values)


def _depend_on(parent: int) -> None:
    """Leave Ctrl-C to the parent process, and end when it is gone, however it ended.

    A worker of joblib's does not notice the latter: it goes on with its task and waits for more.
    """
    if any(thread.name == _WATCH for thread in threading.enumerate()):
        return
    threading.Thread(target=_watch, args=(parent,), name=_WATCH, daemon=True).start()
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGINT, signal.SIG_IGN)


def _watch(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_SECONDS_BETWEEN_LOOKS)
    os._exit(1)


# On this machine


def _on_machine(tasks: Sequence[Task], shared: _Shared, n_jobs: int | None) -> Finished:
    left = {task.key: task for task in tasks}
    broken_pools = 0
    with sigterm_exits():
        while left:
            # Which task's worker was killed is not known, and the others' went with it. So the
            # next task goes alone: whatever kills its worker takes no other's work with it.
            batch = list(left.values()) if broken_pools == 0 else [next(iter(left.values()))]
            try:
                with _started(batch, shared, n_jobs) as results:
                    for key, result in results:
                        broken_pools = 0
                        yield left.pop(key), result
            except TerminatedWorkerError:
                broken_pools += 1
                if broken_pools == _MOST_BROKEN_POOLS:
                    raise RunError(
                        f"worker processes were killed {broken_pools} times before they finished "
                        "a task: is there enough memory? Use fewer jobs or fewer trees. Finished "
                        "work that is kept in a file is not lost."
                    ) from None
                if len(batch) == 1:
                    left[batch[0].key] = left.pop(batch[0].key)  # to the end of the queue


@contextmanager
def _started(
    tasks: Sequence[Task], shared: _Shared, n_jobs: int | None
) -> Iterator[Iterable[tuple[str, Any]]]:
    """Keys and results from joblib's workers, which are ended if the block is left early."""
    # Tasks take seconds: one at a time, so that none waits for another to be kept.
    parallel = joblib.Parallel(n_jobs, return_as="generator_unordered", batch_size=1)
    call = joblib.delayed(_call_in_worker)
    results = None
    try:
        with _ctrl_c_is_for_this_process():
            results = parallel(call(shared, task, os.getpid()) for task in tasks)
        with warnings.catch_warnings():
            # joblib replaces a worker whose memory has grown by 300 MB, as it does when a large
            # table follows a small part of it, and warns of a leak. Nothing is lost.
            warnings.filterwarnings("ignore", "A worker stopped while some jobs", UserWarning)
            yield results
    finally:
        if results is not None:
            # Whoever stops early knows that tasks under way are lost: joblib's warning would only
            # hide what the user is told.
            with warnings.catch_warnings(), _ending_workers():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


@contextmanager
def _ending_workers() -> Iterator[None]:
    """Print no traceback of the thread that hands out tasks if it is asked to end just then.

    A task that it has been given and not yet handed out is thrown away under its hands, and it
    ends with a KeyError: after it has ended the workers, so nothing is left running.
    """
    before = threading.excepthook

    def hook(args: threading.ExceptHookArgs) -> None:
        is_joblibs = args.thread is not None and args.thread.name == "ExecutorManagerThread"
        if not (is_joblibs and args.exc_type is KeyError):
            before(args)

    threading.excepthook = hook
    try:
        yield
    finally:
        threading.excepthook = before


@contextmanager
def _ctrl_c_is_for_this_process() -> Iterator[None]:
    """Worker processes started inside ignore Ctrl-C, which a terminal sends to all processes.

    They are ended by this one; on their own, each would print where it was interrupted. Ctrl-C
    must be pressed again if it was pressed in the moment that this takes. (To block the
    signal would not lose it, but Python unblocks it when it starts its resource tracker.)
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may change what a signal does, and only it gets Ctrl-C
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
