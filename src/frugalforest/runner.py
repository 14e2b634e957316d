"""Run tasks on this machine or on a cluster, and keep what is finished.

::

    tasks ── finish_tasks ──► known ones from the ledger
                  └─ run_tasks ──► joblib's workers, or those of a Dask scheduler
                        └─ each result is put into the ledger as it comes

A task is a pure function of its arguments: its result does not depend on who ran it, when, or how
often it had to be started.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import pickle
import secrets
import signal
import threading
import time
import warnings
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import Any, Protocol

import joblib
import numpy as np
from joblib.externals.loky.backend.reduction import dumps
from joblib.externals.loky.process_executor import TerminatedWorkerError

from frugalforest.errors import RunError
from frugalforest.interrupts import sigterm_exits
from frugalforest.ledger import Ledger
from frugalforest.progress import progress_bar

__all__ = ["Runner", "Task", "finish_tasks", "run_tasks"]

# Worker processes may be killed, by a person or for lack of memory. After so many times in a row
# without a single finished task, it is the tasks that kill them.
_MOST_LOSSES = 3

# A scheduler that is there answers at once.
_CONNECT_SECONDS = 10

_LOG = logging.getLogger("frugalforest")

Finished = Generator[tuple["Task", Any]]
# Given tasks, starts them: keys and results come as they are finished.
_Start = Callable[[Sequence["Task"]], AbstractContextManager[Iterable[tuple[str, Any]]]]


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
    cluster = dask or _client_of_user()
    if cluster is None:
        return _on_machine(tasks, _Shared(shared), n_jobs)
    return _on_cluster(tasks, shared, cluster, on_failure)


def finish_tasks(
    tasks: Sequence[Task],
    ledger: Ledger,
    run: Callable[[Sequence[Task]], Finished],
    verbose: int = 0,
) -> dict[str, Any]:
    """Results of all tasks by key, in their order: known ones from the ledger, the others run.

    Parameters
    ----------
    tasks : sequence of Task
    ledger : Ledger
        Gets each result as soon as it is there.
    run : callable
        A `Runner` with its settings.
    verbose : int, default=0
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
        progress_bar(len(tasks), verbose, done=len(results)) as advance,
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


def _call(shared: tuple[Any, ...], task: Task) -> Any:
    return task.function(*shared, *task.arguments)


def _call_in_worker(shared: _Shared, task: Task, parent: int) -> tuple[str, Any]:
    starter = multiprocessing.parent_process()  # None in the parent; known even if it is gone
    if starter is not None and starter.pid == parent:
        _depend_on(parent)
    return task.key, _call(shared.values, task)


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


# Again, if workers were lost


class _WorkersLostError(Exception):
    """Tasks under way are lost, and it is not known which of them is to blame."""


def _until_all_are_finished(tasks: Sequence[Task], start: _Start) -> Finished:
    left = {task.key: task for task in tasks}
    losses = 0
    while left:
        # Which task's worker was killed is not known, and the others' went with it. So the
        # next task goes alone: whatever kills its worker takes no other's work with it.
        batch = list(left.values()) if losses == 0 else [next(iter(left.values()))]
        try:
            with start(batch) as results:
                for key, result in results:
                    losses = 0
                    yield left.pop(key), result
        except (TerminatedWorkerError, _WorkersLostError):
            losses += 1
            if losses == _MOST_LOSSES:
                raise RunError(
                    f"worker processes were killed {losses} times before they finished a task: is "
                    "there enough memory? Use fewer jobs or fewer trees. Finished work that is "
                    "kept in a file is not lost."
                ) from None
            if len(batch) == 1:
                left[batch[0].key] = left.pop(batch[0].key)  # to the end of the queue


# On this machine


def _on_machine(tasks: Sequence[Task], shared: _Shared, n_jobs: int | None) -> Finished:
    with sigterm_exits():
        yield from _until_all_are_finished(tasks, partial(_started, shared=shared, n_jobs=n_jobs))


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
        yield results
    finally:
        if results is not None:
            # Whoever stops early knows that tasks under way are lost: joblib's warning would only
            # hide what the user is told.
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)
                results.close()


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


# On a cluster


def _on_cluster(
    tasks: Sequence[Task],
    shared: tuple[Any, ...],
    cluster: Any,
    on_failure: Callable[[Task, Exception], Any] | None,
) -> Finished:
    """Results from the workers of a Dask scheduler, given by its address or a client of it.

    With Dask's own futures and not joblib's Dask backend: there, what tasks share travels with
    every task, and a task whose workers were killed too often never comes back, not even as an
    error, and the run waits for ever. Here the scheduler gives the task to another worker, and
    after three of them it has failed.
    """
    with _connected(cluster) if isinstance(cluster, str) else nullcontext(cluster) as client:
        start = partial(_submitted, client=client, shared=shared, on_failure=on_failure)
        yield from _until_all_are_finished(tasks, start)


def _connected(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise RunError("a cluster needs Dask: pip install 'frugalforest[cluster]'.") from None
    connect: Any = distributed.Client  # distributed is not typed
    try:
        return connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunError(f"no Dask scheduler at {address!r}: {error}") from None


@contextmanager
def _submitted(
    tasks: Sequence[Task],
    client: Any,
    shared: tuple[Any, ...],
    on_failure: Callable[[Task, Exception], Any] | None,
) -> Iterator[Iterable[tuple[str, Any]]]:
    """Keys and results from Dask's workers, whose tasks are cancelled if the block is left."""
    import distributed

    as_completed: Any = distributed.as_completed
    sent = _scattered(client, shared) if shared else shared
    futures = {
        # A worker's thread is as good as a process: the engine runs without Python's lock.
        client.submit(_call, sent, task, pure=False): task
        for task in tasks
    }

    def results() -> Iterator[tuple[str, Any]]:
        for future in as_completed(list(futures), loop=client.loop):
            task = futures.pop(future)
            yield task.key, _result_of(future, task, client, on_failure)

    try:
        yield results()
    finally:
        client.cancel([*futures, *([sent] if shared else [])])


def _scattered(client: Any, shared: tuple[Any, ...]) -> Any:
    """What tasks share, in the memory of every worker.

    The scheduler passes it on and does not keep it; workers that come later get it from the others.
    It is lost if all workers that have it are: then tasks are cancelled, and it is sent again.
    """
    if not client.nthreads():
        _LOG.warning("The scheduler at %s has no workers: waiting for one.", _address(client))
        client.wait_for_workers(1)
    return client.scatter([shared], broadcast=True, hash=False)[0]


def _result_of(
    future: Any,
    task: Task,
    client: Any,
    on_failure: Callable[[Task, Exception], Any] | None,
) -> Any:
    if future.status == "finished":
        return future.result()
    if future.status != "error":
        if client.status == "running":
            raise _WorkersLostError
        raise RunError(
            f"the scheduler at {_address(client)!r} is gone. Finished work that is kept in a file "
            "is not lost: start it and run again."
        )
    error = future.exception()
    if on_failure is None:
        raise error
    return on_failure(task, error)


def _address(client: Any) -> str:
    return str(client.scheduler.address)


def _client_of_user() -> Any:
    """The Dask client of the ``joblib.parallel_config`` block around this; None without one."""
    backend, _ = joblib.parallel.get_active_backend()
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None
