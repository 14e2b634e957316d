"""How far a run is: a progress bar on a terminal, lines in the log elsewhere."""

from __future__ import annotations

import logging
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta

__all__ = ["Pace", "progress_bar"]

_LOG = logging.getLogger("frugalforest")


class Pace:
    """Time left, from what was finished so far and how long that took.

    Between two finished pieces it counts down; it never says less than nothing.

    Parameters
    ----------
    total, done : int
        Pieces of work, and those that were finished before this run.
    clock : callable
        Seconds since some moment.

    Examples
    --------
    >>> seconds = iter([0, 40, 50])
    >>> pace = Pace(total=10, done=1, clock=lambda: next(seconds))
    >>> pace.finish()
    >>> pace.seconds_left()  # eight more at 40 seconds each; the next one began 10 seconds ago
    310.0
    """

    def __init__(
        self, total: int, done: int = 0, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.total = total
        self.done = done
        self._done_before = done
        self._clock = clock
        self._start = self._last = clock()

    def finish(self) -> None:
        """One more piece is finished."""
        self.done += 1
        self._last = self._clock()

    def seconds_left(self) -> float | None:
        """None as long as nothing was finished in this run."""
        finished = self.done - self._done_before
        if not finished:
            return None
        of_one = (self._last - self._start) / finished
        since = self._clock() - self._last
        return max(0.0, of_one * (self.total - self.done) - since)

    def __str__(self) -> str:
        """Time left, for people."""
        seconds = self.seconds_left()
        return "unknown" if seconds is None else str(timedelta(seconds=round(seconds)))


@contextmanager
def progress_bar(total: int, verbose: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with a word on what was finished.

    Where standard error is not a terminal, each call is a line for the logger "frugalforest" at
    level INFO, which Python does not show unless told to. Nothing is said if `verbose` is 0.

    Examples
    --------
    >>> with progress_bar(total=2, verbose=0) as advance:
    ...     advance("first")
    """
    pace = Pace(total, done)
    if not verbose:
        yield lambda _: None
    elif sys.stderr is None or not sys.stderr.isatty():  # None: it was closed by whoever started us

        def log(word: str) -> None:
            pace.finish()
            _LOG.info("%d of %d: %s; time left: %s", pace.done, total, word, pace)

        yield log
    else:
        with _bar(pace) as advance:
            yield advance


@contextmanager
def _bar(pace: Pace) -> Iterator[Callable[[str], None]]:
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        ProgressColumn,
        Task,
        TextColumn,
        TimeElapsedColumn,
    )
    from rich.text import Text

    class TimeLeft(ProgressColumn):
        # Not rich's own, which looks at the last 30 seconds: steps may take longer.
        def render(self, task: Task) -> Text:
            return Text(f"left: {pace}")

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeLeft(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=pace.total, completed=pace.done)

        def advance(word: str) -> None:
            pace.finish()
            bar.update(task, advance=1, description=word)

        yield advance
