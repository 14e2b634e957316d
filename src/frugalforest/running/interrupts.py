"""Signals that end a run: Ctrl-C, noticed whatever becomes of its exception, and SIGTERM."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["noticed_interrupts", "sigterm_exits"]

# Threads that are about to end do so within milliseconds; others are not worth waiting for.
_SECONDS_FOR_THREADS = 1.0


@contextmanager
def noticed_interrupts() -> Iterator[Callable[[], bool]]:
    """Yield a function that tells whether Ctrl-C was pressed inside the block.

    The error that leaves the block does not tell: a `KeyboardInterrupt` strikes between any two
    instructions, also those that compiled code calls back, and may come out as another error with
    no trace of the interrupt. A model file's writer, interrupted, complained of a closed file.

    Nothing changes where Ctrl-C does not raise `KeyboardInterrupt`: in other threads than the main
    one, and in programs started to ignore it.

    Examples
    --------
    >>> with noticed_interrupts() as interrupted:
    ...     interrupted()
    False
    """
    seen = False

    def notice(number: int, frame: FrameType | None) -> None:
        nonlocal seen
        seen = True
        signal.default_int_handler(number, frame)

    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGINT) is not signal.default_int_handler
    ):
        yield lambda: False
        return
    signal.signal(signal.SIGINT, notice)
    try:
        yield lambda: seen
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if seen:
            _let_threads_end()


def _let_threads_end() -> None:
    """Wait a moment for the threads that fed worker processes.

    The program is about to exit. A thread that exit cuts off while it gives back a semaphore
    leaves the tracker process something to complain about, after the last word to the user.
    """
    deadline = time.monotonic() + _SECONDS_FOR_THREADS
    for thread in threading.enumerate():
        if thread is not threading.current_thread():
            thread.join(max(0.0, deadline - time.monotonic()))


@contextmanager
def sigterm_exits() -> Iterator[None]:
    """Inside the block, SIGTERM ends the program as `sys.exit` does, not at once.

    So worker processes are ended and drafts removed on the way out. Nothing changes in other
    threads than the main one, and in programs with a handler of their own.

    Examples
    --------
    >>> with sigterm_exits():
    ...     pass  # work that has something to clean up
    """

    def leave(number: int, frame: FrameType | None) -> None:
        raise SystemExit(128 + number)  # what a shell reports for a program ended by a signal

    if (
        threading.current_thread() is not threading.main_thread()
        or signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL
    ):
        yield
        return
    signal.signal(signal.SIGTERM, leave)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
