"""Run what is missing of a design, on this machine or on a cluster.

Workers compute units; this process alone writes the store, unit by unit as they come. Whatever
ends a run (Ctrl-C, kill −9, a lost machine), the next one goes on from what is in the store.
"""

from __future__ import annotations

import os
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from statistics import fmean

from frugalforest.datasets import DATA_DIR_VARIABLE
from frugalforest.running.interrupts import noticed_interrupts
from frugalforest.running.runner import Runner, Task, run_tasks
from frugalforest.study.design import Design, StudyError, Unit
from frugalforest.study.sources import read_real
from frugalforest.study.store import RunRow, Store
from frugalforest.study.unit import Failure, UnitResults, run_unit

__all__ = ["Missing", "Result", "Status", "missing_units", "run", "status"]


@dataclass(frozen=True)
class Missing:
    """A unit and the methods that are missing on it."""

    unit: Unit
    methods: tuple[str, ...]


Result = UnitResults | Failure


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


def missing_units(design: Design, store: Store) -> list[Missing]:
    """What is not finished, in the order of the design."""
    finished = {(row.key, row.method) for row in store.finished(design)}
    missing = []
    for unit in design.units:
        methods = tuple(m for m in design.methods if (unit.key, m) not in finished)
        if methods:
            missing.append(Missing(unit, methods))
    return missing


def status(design: Design, store: Store) -> Status:
    """How far a design is, and how much time the rest takes."""
    missing = missing_units(design, store)
    failed = {row.key for row in store.failures(design)}
    return Status(
        done=len(design.units) - len(missing),
        failed=sum(m.unit.key in failed for m in missing),
        remaining=len(missing),
        seconds_left=_seconds_left(missing, store.finished(design)),
    )


def _seconds_left(missing: Sequence[Missing], finished: Sequence[RunRow]) -> float | None:
    by_source: dict[tuple[str, str], list[float]] = defaultdict(list)
    by_method: dict[str, list[float]] = defaultdict(list)
    for row in finished:
        seconds = row.select_seconds + row.score_seconds
        by_source[row.source, row.method].append(seconds)
        by_method[row.method].append(seconds)
    total = 0.0
    for m in missing:
        for method in m.methods:
            known = by_source.get((m.unit.source.name, method)) or by_method.get(method)
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
    runner: Runner = run_tasks,
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
        Called with each `UnitResults` or `Failure` after it is in the store.
    runner : callable
        What runs the units, see `frugalforest.running.runner.Runner`.
    """
    if dask is None and jobs == 0:
        raise StudyError("the number of jobs is 0: it must be 1 or more, or -1 for all cores.")
    missing = missing_units(design, store)
    if not missing:
        return
    # Workers on other machines have other environments: they are told the folder.
    folder = data_dir or os.environ.get(DATA_DIR_VARIABLE)
    data_dir = os.path.abspath(folder) if folder else None
    for name in design.real_sets():
        read_real(name, data_dir)  # a missing set is one error now, not one a unit later
    tasks = [
        Task(m.unit.key, m.unit.label, run_unit, (m.unit, m.methods, data_dir)) for m in missing
    ]
    results = runner(tasks, n_jobs=jobs, dask=dask, on_failure=_failure)
    with noticed_interrupts() as interrupted:
        try:
            # Closing ends the workers' work at once if this process was interrupted.
            with closing(results):
                for _, result in results:
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


def _failure(task: Task, error: Exception) -> Failure:
    """A unit that the cluster gave up on is a failure like any other."""
    unit, methods, _ = task.arguments
    return Failure(unit, methods, f"{type(error).__name__}: {error}", repr(error))
