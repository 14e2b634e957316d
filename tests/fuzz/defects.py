"""What a try may come to: nothing, or a defect of one of four kinds."""

import signal
import threading
import traceback
from collections import Counter
from contextlib import contextmanager

KINDS = {
    "traceback": "tracebacks",
    "hang": "hangs",
    "crash": "crashes",
    "wrong result": "wrong results",
}


class DefectError(AssertionError):
    """What went wrong; `kind` is one of `KINDS`. A crash is seen from another process only."""

    def __init__(self, kind, message):
        super().__init__(f"{kind}: {message}")
        self.kind = kind


def heading():
    """Above the lines of `tally`."""
    return f"{'':<14}{'tries':>8}" + "".join(f"{plural:>15}" for plural in KINDS.values())


def tally(name, tries, kinds):
    """How many tries there were, and how many defects of each kind."""
    counts = Counter(kinds)
    return f"{name:<14}{tries:>8}" + "".join(f"{counts[kind]:>15}" for kind in KINDS)


class _TooLongError(BaseException):
    # No Exception, so that nothing on the way out takes it for one of its own.
    pass


def wrong_unless(condition, message):
    if not condition:
        raise DefectError("wrong result", message)


@contextmanager
def watched(seconds=60):
    """Turn unexpected exceptions into tracebacks, and what takes too long into a hang."""

    def ring(*_):
        raise _TooLongError

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.signal(signal.SIGALRM, ring) if in_main else None
    if in_main:
        signal.alarm(seconds)
    try:
        yield
    except DefectError:
        raise
    except _TooLongError:
        raise DefectError("hang", f"not done after {seconds} s") from None
    except Exception as error:
        lines = traceback.format_exception(error)
        raise DefectError("traceback", "".join(lines[-4:])) from error
    finally:
        if in_main:
            signal.alarm(0)
            signal.signal(signal.SIGALRM, before)
