"""Run tasks on the workers of a Dask scheduler.

::

    client ── what tasks share ──► one worker ──► each other worker, when its first task begins
           ── tasks, small, with the name of what they share ──► any worker

What tasks share is no dependency of theirs in Dask's sense. If it were, the scheduler would give
the first tasks to the one worker that has it. Copies that are made beforehand (`scatter` with
`broadcast`) are dropped by Dask's memory manager while no task waits for them, and are waited for
without end if a worker is lost meanwhile.
"""

from __future__ import annotations

import logging
import secrets
import threading
from collections.abc import Callable, Generator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Any, TypeVar

import joblib

from frugalforest.errors import RunError

__all__ = ["client_of_user", "run_on_cluster", "threads_of"]

_LOG = logging.getLogger("frugalforest")

# A scheduler that is there answers at once.
_CONNECT_SECONDS = 10
# Results are small.
_RESULT_SECONDS = 30
# Workers come and go. If what tasks share is lost so often in a row, and not a single task is
# finished meanwhile, it is the tasks that kill the workers.
_MOST_LOSSES = 3

_KILLED = (
    "workers of the cluster were killed again and again: is there enough memory? Use fewer threads "
    "a worker or fewer trees. Finished work that is kept in a file is not lost."
)

_Work = TypeVar("_Work", bound=Callable[..., Any])


def run_on_cluster(
    tasks: Sequence[_Work],
    shared: tuple[Any, ...],
    cluster: Any,
    on_failure: Callable[[_Work, Exception], Any] | None,
) -> Generator[tuple[_Work, Any]]:
    """Results from the workers of a Dask scheduler, given by its address or a client of it.

    With Dask's own futures and not joblib's Dask backend: there, what tasks share travels with
    every task, and a task whose workers were killed too often never comes back, not even as an
    error, and the run waits for ever. Here the scheduler gives the task to another worker, and
    after three of them it has failed.
    """
    with _client_of(cluster) as client:
        import distributed

        as_completed: Any = distributed.as_completed  # distributed is not typed
        sent = _Sent(client, shared)
        # A worker's thread is as good as a process: the engine runs without Python's lock.
        futures = {client.submit(_call, sent.ticket, t, pure=False): t for t in tasks}
        finished = as_completed(list(futures), loop=client.loop)
        try:
            for future in finished:
                task = futures.pop(future)
                try:
                    result = future.result(timeout=_RESULT_SECONDS)
                except TimeoutError as error:
                    if future.status == "error":  # its own
                        yield task, _made_of(error, task, client, on_failure)
                        continue
                    # Lost with its worker, and in the making again: waited for beside the others.
                    futures[future] = task
                    finished.add(future)
                    continue
                except _SharedLostError as lost:
                    again = client.submit(_call, sent.sent_again(lost), task, pure=False)
                    futures[again] = task
                    finished.add(again)
                    continue
                except Exception as error:
                    result = _made_of(error, task, client, on_failure)
                sent.was_useful()
                yield task, result
        finally:
            client.cancel(list(futures))
            sent.forget()


def client_of_user() -> Any:
    """The Dask client of the ``joblib.parallel_config`` block around this; None without one."""
    backend, _ = joblib.parallel.get_active_backend()
    return backend.client if type(backend).__name__ == "DaskDistributedBackend" else None


def threads_of(cluster: Any) -> int:
    """Threads of all workers there are now."""
    with _client_of(cluster) as client:
        return sum(client.nthreads().values())


def _client_of(cluster: Any) -> Any:
    return _connected(cluster) if isinstance(cluster, str) else nullcontext(cluster)


def _connected(address: str) -> Any:
    try:
        import distributed
    except ImportError:
        raise RunError("a cluster needs Dask: pip install 'frugalforest[cluster]'.") from None
    connect: Any = distributed.Client
    try:
        return connect(address, timeout=_CONNECT_SECONDS, set_as_default=False)
    except (OSError, ValueError) as error:
        raise RunError(f"no Dask scheduler at {address!r}: {error}") from None


def _made_of(
    error: Exception,
    task: _Work,
    client: Any,
    on_failure: Callable[[_Work, Exception], Any] | None,
) -> Any:
    import distributed

    if isinstance(error, distributed.CancelledError):
        raise RunError(
            f"the scheduler at {_address(client)!r} is gone. Finished work that is kept in a file "
            "is not lost: start it and run again."
        ) from None
    if on_failure is not None:
        return on_failure(task, error)
    if isinstance(error, distributed.KilledWorker):
        raise RunError(_KILLED) from None
    raise error


def _address(client: Any) -> str:
    return str(client.scheduler.address)


# What tasks share: the client's side


@dataclass(frozen=True)
class _Ticket:
    """What a worker needs to get it: its name, and Dask's key of the copy that others fetch."""

    name: str
    key: str | None


class _Sent:
    """What tasks share, in the memory of one worker, and sent again if that one is lost."""

    def __init__(self, client: Any, shared: tuple[Any, ...]) -> None:
        self._client = client
        self._shared = shared
        self._name = secrets.token_hex(16)
        self._copy: Any = None
        self._losses = 0
        self.ticket = _Ticket(self._name, None)
        if shared:
            self._send()

    def _send(self) -> None:
        if not self._client.nthreads():
            where = _address(self._client)
            _LOG.warning("The scheduler at %s has no workers: waiting for one.", where)
            self._client.wait_for_workers(1)
        # The scheduler passes it on and does not keep it.
        self._copy = self._client.scatter([self._shared], hash=False)[0]
        self.ticket = _Ticket(self._name, self._copy.key)

    def sent_again(self, lost: _SharedLostError) -> _Ticket:
        """A ticket that is good, for a task whose ticket was not."""
        if lost.key == self.ticket.key:
            self._losses += 1
            if self._losses == _MOST_LOSSES:
                raise RunError(_KILLED) from None
            self._send()
        return self.ticket

    def was_useful(self) -> None:
        """A task was finished."""
        self._losses = 0

    def forget(self) -> None:
        """Free the memory of the workers."""
        if self._copy is not None and self._client.status == "running":
            self._client.cancel([self._copy])
            self._client.run(_forget, self._name, on_error="ignore")


# The workers' side


class _SharedLostError(Exception):
    """No worker has the copy with this key any more."""

    def __init__(self, key: str) -> None:
        super().__init__(key)
        self.key = key


_FETCHING = threading.Lock()
# What all tasks of a run share, by its name.
_FETCHED: dict[str, tuple[Any, ...]] = {}


def _call(ticket: _Ticket, task: Callable[..., Any]) -> Any:
    return task() if ticket.key is None else task(*_fetch(ticket.name, ticket.key))


def _fetch(name: str, key: str) -> tuple[Any, ...]:
    """From this process, or else from the worker that has it: once, whatever the threads."""
    with _FETCHING:
        if name not in _FETCHED:
            _FETCHED[name] = _copied(key)
        return _FETCHED[name]


def _copied(key: str) -> Any:
    # Not by a future, whose `result` waits without end for what is lost.
    import distributed
    from distributed.utils_comm import gather_from_workers

    get_client: Any = distributed.get_client
    client, worker = get_client(), distributed.get_worker()
    if key in worker.data:
        return worker.data[key]
    where = client.sync(client.scheduler.who_has, keys=[key])
    found, *_ = client.sync(gather_from_workers, where, rpc=worker.rpc)
    if key not in found:
        raise _SharedLostError(key)
    return found[key]


def _forget(name: str) -> None:
    _FETCHED.pop(name, None)
