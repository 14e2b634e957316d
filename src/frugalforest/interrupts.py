"""Whether Ctrl-C was pressed, whatever became of the exception it raised."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["noticed_interrupts"]


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
