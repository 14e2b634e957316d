"""Ctrl-C is noticed, whatever becomes of the exception it raises; SIGTERM ends a program tidily."""

import os
import signal
import threading
import time

import pytest

from frugalforest.running.interrupts import noticed_interrupts, sigterm_exits
from reference.studies import wait_until


def interrupt():
    os.kill(os.getpid(), signal.SIGINT)


def test_an_interrupt_raises_and_is_noticed():
    with noticed_interrupts() as interrupted:
        with pytest.raises(KeyboardInterrupt):
            interrupt()
        assert interrupted()


def test_an_interrupt_that_came_out_as_another_error_is_noticed():
    with noticed_interrupts() as interrupted:
        # As compiled code does: the new error knows nothing of the old.
        try:
            interrupt()
        except KeyboardInterrupt:
            error = ValueError("write to closed file")
        with pytest.raises(ValueError, match="closed file"):
            raise error
        assert interrupted()


def test_without_an_interrupt_errors_are_errors():
    with noticed_interrupts() as interrupted:
        with pytest.raises(ValueError, match="own"):
            raise ValueError("own")
        assert not interrupted()


@pytest.mark.parametrize("error", [None, ValueError("inside")])
def test_afterwards_ctrl_c_is_as_before(error):
    try:
        with noticed_interrupts():
            if error:
                raise error
    except ValueError:
        pass
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_program_that_ignores_ctrl_c_goes_on_ignoring_it():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with noticed_interrupts() as interrupted:
            interrupt()
            assert not interrupted()
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_may_ask_too():
    answers = []

    def work():
        with noticed_interrupts() as interrupted:
            answers.append(interrupted())

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert answers == [False]


def test_sigterm_runs_what_is_to_be_cleaned_up_and_exits():
    cleaned = []

    def work():
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            time.sleep(30)  # another thread may have got the signal and tells this one later
        finally:
            cleaned.append(True)

    with pytest.raises(SystemExit) as caught, sigterm_exits():
        work()
    assert caught.value.code == 128 + signal.SIGTERM
    assert cleaned
    assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL


def test_a_program_with_a_handler_for_sigterm_keeps_it():
    calls = []
    before = signal.signal(signal.SIGTERM, lambda *_: calls.append(True))
    try:
        with sigterm_exits():
            os.kill(os.getpid(), signal.SIGTERM)
            wait_until(lambda: calls)
    finally:
        signal.signal(signal.SIGTERM, before)


def test_sigterm_is_left_alone_in_other_threads():
    handlers = []

    def work():
        with sigterm_exits():
            handlers.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert handlers == [signal.SIG_DFL]
