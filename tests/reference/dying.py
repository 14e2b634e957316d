"""Tasks for the tests of the runner, where worker processes can import them."""

import os
import signal
import time
from pathlib import Path

# Counts how often it is unpickled in this process.
unpickled = 0


class Heavy:
    """Stands for a large table."""

    def __setstate__(self, state):
        global unpickled
        unpickled += 1
        self.__dict__ = state

    def __init__(self, size):
        self.content = bytes(size)

    def __sizeof__(self):
        return len(self.content)  # what Dask counts when it is sent


def count_unpickled(heavy, number):
    """The process, and how often it has unpickled what all tasks share."""
    time.sleep(0.01)
    return os.getpid(), unpickled, len(heavy.content)


def length_slowly(heavy, number):
    """The process, and the length of what all tasks share."""
    time.sleep(0.3)
    return os.getpid(), len(heavy.content)


def double(number):
    """The simplest of tasks."""
    return 2 * number


def double_slowly(number):
    """A task that is still under way when another one next to it dies."""
    time.sleep(0.5)
    return double(number)


def fail(number):
    """A task with an error."""
    raise KeyError(number)


def die_once(file, number):
    """Be killed, the first time that anyone does this."""
    try:
        Path(file).touch(exist_ok=False)
    except FileExistsError:
        return 2 * number
    return die()


def die(*_):
    """Be killed, as the kernel does if memory is short."""
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(60)


def sleep(number):
    """A task that takes long; returns its process."""
    time.sleep(60 if number else 0)
    return os.getpid()


def ctrl_c(number):
    """Press Ctrl-C in this process only, and go on if nothing happens."""
    os.kill(os.getpid(), signal.SIGINT)
    return 2 * number
