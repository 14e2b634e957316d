"""How far a run is."""

import logging

import pytest

from frugalforest.progress import Pace, progress_bar


class Clock:
    def __init__(self):
        self.now = 100.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


def test_the_time_left_is_unknown_until_something_is_finished(clock):
    pace = Pace(10, done=4, clock=clock)
    clock.now += 1000
    assert pace.seconds_left() is None
    assert str(pace) == "unknown"


def test_one_long_step_is_enough_for_an_estimate(clock):
    pace = Pace(10, clock=clock)
    clock.now += 3600
    pace.finish()
    assert pace.seconds_left() == 9 * 3600
    assert str(pace) == "9:00:00"


def test_what_was_finished_before_took_no_time_now(clock):
    pace = Pace(10, done=5, clock=clock)
    clock.now += 40
    pace.finish()
    assert pace.seconds_left() == 4 * 40


def test_the_estimate_is_the_mean_of_all_steps(clock):
    pace = Pace(4, clock=clock)
    for seconds in (10, 20, 60):
        clock.now += seconds
        pace.finish()
    assert pace.seconds_left() == 30


def test_between_two_steps_the_time_left_counts_down_to_nothing(clock):
    pace = Pace(2, clock=clock)
    clock.now += 40
    pace.finish()
    left = []
    for _ in range(3):
        clock.now += 15
        left.append(pace.seconds_left())
    assert left == [25, 10, 0]


def test_without_a_terminal_each_step_is_a_line_in_the_log(caplog, capfd):
    with caplog.at_level(logging.INFO, "frugalforest"), progress_bar(5, 1, done=3) as advance:
        advance("resample 3")
        advance("resample 4")
    assert [record.name for record in caplog.records] == ["frugalforest"] * 2
    assert caplog.messages == [
        "4 of 5: resample 3; time left: 0:00:00",
        "5 of 5: resample 4; time left: 0:00:00",
    ]
    assert capfd.readouterr() == ("", "")


def test_nothing_is_logged_if_that_is_wanted(caplog):
    with caplog.at_level(logging.INFO, "frugalforest"), progress_bar(5, 0) as advance:
        advance("resample 3")
    assert not caplog.records
