"""How far a run is: a progress bar on a terminal, lines in the log elsewhere."""

from __future__ import annotations

import logging
import math
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from enum import StrEnum

__all__ = ["LogLevel", "Pace", "followed_by", "note_piece", "note_step", "progress_bar", "show_log"]

_LOG = logging.getLogger("frugalforest")

# Lines in the log: at least so far apart, and the farther the longer it takes: of a night's work
# with thousands of pieces, some hundreds of lines.
_SECONDS_BETWEEN_LINES = 10.0
_SHARE_BETWEEN_LINES = 0.02
# A piece may take an hour: a line says that there is still work going on.
_SECONDS_OF_SILENCE = 20.0
_SHARE_OF_SILENCE = 0.1


class LogLevel(StrEnum):
    """What is shown of the log."""

    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


def show_log(level: LogLevel | None = None) -> None:
    """Show the log on standard error, each line with its time.

    By default from INFO on, or on a terminal, where a bar shows progress, from WARNING on.

    Examples
    --------
    >>> show_log(LogLevel.ERROR)
    """
    usual = LogLevel.WARNING if _is_terminal() else LogLevel.INFO
    for old in [h for h in _LOG.handlers if isinstance(h, _OnStandardError)]:
        _LOG.removeHandler(old)
    handler = _OnStandardError()
    handler.setFormatter(logging.Formatter("%(asctime)s %(message)s", "%Y-%m-%d %H:%M:%S"))
    _LOG.addHandler(handler)
    _LOG.setLevel((level or usual).upper())


class _OnStandardError(logging.Handler):
    # As it is when a line comes: a bar puts lines above itself.
    def emit(self, record: logging.LogRecord) -> None:
        with suppress(OSError, ValueError):  # it may be closed
            print(self.format(record), file=sys.stderr, flush=True)


def _is_terminal() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()  # None: closed by whoever started us


class Pace:
    """Time left, from what was finished so far and how long that took.

    Between two finished pieces it counts down; it never says less than nothing.

    Parameters
    ----------
    total, done : int
        Pieces of work, and those that were finished before this run.
    at_once : int, default=1
        Pieces that are worked on at the same time.
    then : str
        What comes after all of them, if anything does: the estimate does not count it.
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
        self,
        total: int,
        done: int = 0,
        clock: Callable[[], float] = time.monotonic,
        at_once: int = 1,
        then: str = "",
    ) -> None:
        self.total = total
        self.then = then
        self.done = done
        self._done_before = done
        self._at_once = max(1, min(at_once, total - done))
        self._clock = clock
        self._start = self._last = clock()

    def finish(self) -> None:
        """One more piece is finished."""
        self.done += 1
        self._last = self._clock()

    def seconds_so_far(self) -> float:
        """Since the start."""
        return self._clock() - self._start

    def seconds_left(self) -> float | None:
        """None as long as nothing was finished in this run."""
        if self.done == self._done_before:
            return None
        if self.done >= self.total:
            return 0.0
        of_round = (self._last - self._start) / self._rounds(self.done - self._done_before)
        in_all = of_round * self._rounds(self.total - self._done_before)
        return max(0.0, in_all - self.seconds_so_far())

    def _rounds(self, pieces: int) -> int:
        """How often all workers take a piece: the first of them ends when all are nearly done."""
        return math.ceil(pieces / self._at_once)

    def __str__(self) -> str:
        """Time left, for people."""
        seconds = self.seconds_left()
        if self.then and self.done >= self.total:
            return f"not known, next: {self.then}"
        if seconds is None:
            return "not known before the first is finished"
        if seconds == 0 and self.done < self.total:
            return "not known, the time estimated is over"
        return _clock_time(seconds) + (f", then {self.then}" if self.then else "")


def _clock_time(seconds: float) -> str:
    return str(timedelta(seconds=round(seconds)))


# Whoever shows progress in this process, and wants to know what is being done.
_watchers: list[Callable[[str], None]] = []
_piece = ""


def note_piece(word: str) -> None:
    """Say which piece of work is begun, to whoever shows progress in this process."""
    global _piece
    _piece = word
    _tell(word)


def note_step(word: str) -> None:
    """Say which step of its piece of work is begun: those on many rows take minutes.

    Examples
    --------
    >>> note_step("backward elimination")
    """
    _tell(f"{_piece}: {word}" if _piece else word)


# What comes after the work in hand, the nearest last.
_following: list[str] = []


@contextmanager
def followed_by(what: str) -> Iterator[None]:
    """Say what comes after the work that is done within, so that no time left seems to be all.

    Examples
    --------
    >>> with followed_by("the report"), progress_bar(total=1, verbose=0) as advance:
    ...     advance("first")
    """
    _following.append(what)
    try:
        yield
    finally:
        _following.pop()


def _tell(word: str) -> None:
    for tell in _watchers:
        tell(word)


@contextmanager
def progress_bar(
    total: int, verbose: int, done: int = 0, at_once: int = 1
) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with a word on what was finished.

    Where standard error is not a terminal, lines go to the logger "frugalforest", which Python does
    not show unless told to: at level INFO now and then, and when there was nothing to say for a
    while; all others at level DEBUG. Nothing is said if `verbose` is 0.

    Examples
    --------
    >>> with progress_bar(total=2, verbose=0) as advance:
    ...     advance("first")
    """
    pace = Pace(total, done, at_once=at_once, then=_following[-1] if _following else "")
    if not verbose:
        yield lambda _: None
        return
    with _bar(pace) if _is_terminal() else _lines(pace) as (advance, tell):
        _watchers.append(tell)
        try:
            yield advance
        finally:
            _watchers.remove(tell)


_Shown = tuple[Callable[[str], None], Callable[[str], None]]


@contextmanager
def _lines(pace: Pace) -> Iterator[_Shown]:
    lines = _Lines(pace)
    ended = threading.Event()

    def break_silence() -> None:
        while not ended.wait(_SECONDS_OF_SILENCE):
            lines.break_silence()

    thread = threading.Thread(target=break_silence, daemon=True)
    thread.start()
    try:
        yield lines.advance, lines.tell
    finally:
        ended.set()
        thread.join()


class _Lines:
    """What is said in the log, and how loudly."""

    def __init__(self, pace: Pace) -> None:
        self._pace = pace
        self._last = 0.0
        self._doing = ""

    def advance(self, word: str) -> None:
        self._pace.finish()
        now = self._pace.seconds_so_far()
        due = max(_SECONDS_BETWEEN_LINES, _SHARE_BETWEEN_LINES * now)
        is_end = self._pace.done == self._pace.total and self._last > 0
        level = logging.INFO if now - self._last >= due or is_end else logging.DEBUG
        self._say(level, f"{word}; time left: {self._pace}")

    def tell(self, word: str) -> None:
        self._doing = f", now at {word}"
        _LOG.debug("%s", word)

    def break_silence(self) -> None:
        now = self._pace.seconds_so_far()
        if now - self._last >= max(_SECONDS_OF_SILENCE, _SHARE_OF_SILENCE * now):
            text = f"at work for {_clock_time(now)}{self._doing}; time left: {self._pace}"
            self._say(logging.INFO, text)

    def _say(self, level: int, text: str) -> None:
        if level == logging.INFO:
            self._last = self._pace.seconds_so_far()
        _LOG.log(level, "%d of %d: %s", self._pace.done, self._pace.total, text)


@contextmanager
def _bar(pace: Pace) -> Iterator[_Shown]:
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

        yield advance, lambda word: bar.update(task, description=word)
