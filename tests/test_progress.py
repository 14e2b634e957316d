"""How far a run is."""

import logging
import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from functools import partial

import pytest

from frugalforest.running import progress
from frugalforest.running.progress import Pace, note_piece, note_step, progress_bar
from reference.forked_cli import run_forked
from reference.studies import wait_until


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
    assert str(pace) == "not known before the first is finished"


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


def test_time_that_has_run_out_is_not_said_to_be_nothing(clock):
    pace = Pace(2, clock=clock)
    clock.now += 10
    pace.finish()
    clock.now += 11
    assert str(pace) == "not known, the time estimated is over"
    pace.finish()
    assert str(pace) == "0:00:00"


def test_pieces_at_the_same_time_end_together(clock):
    pace = Pace(11, done=1, clock=clock, at_once=4)  # ten: three rounds
    clock.now += 60
    pace.finish()  # the other three of the first round are nearly done
    assert pace.seconds_left() == 2 * 60
    for _ in range(3):
        clock.now += 1
        pace.finish()
    assert pace.seconds_left() == 2 * 63
    clock.now += 57
    for _ in range(4):
        pace.finish()
    assert pace.seconds_left() == 60


def test_more_workers_than_pieces_are_one_round(clock):
    pace = Pace(3, clock=clock, at_once=100)
    clock.now += 60
    pace.finish()
    assert pace.seconds_left() == 0


def test_nothing_is_left_when_all_is_finished(clock):
    pace = Pace(3, clock=clock, at_once=2)
    for _ in range(3):
        clock.now += 10
        pace.finish()
    assert pace.seconds_left() == 0


def test_what_comes_after_all_pieces_is_said_and_no_time_left_of_nothing(clock):
    pace = Pace(2, clock=clock, then="the final models")
    clock.now += 10
    pace.finish()
    assert str(pace) == "0:00:10, then the final models"
    pace.finish()
    assert str(pace) == "not known, next: the final models"


# --- lines in the log ---------------------------------------------------------------------------


@pytest.fixture
def shown(clock, monkeypatch):
    """Lines of the log by level, while a clock runs that the test moves on."""
    monkeypatch.setattr(progress, "Pace", partial(Pace, clock=clock))
    # A command that ran before in this process may have asked for the log on standard error.
    monkeypatch.setattr(logging.getLogger("frugalforest"), "handlers", [])
    return lambda caplog, level: [r.getMessage() for r in caplog.records if r.levelno == level]


def test_without_a_terminal_steps_are_lines_in_the_log(caplog, capfd, clock, shown):
    with caplog.at_level(logging.DEBUG, "frugalforest"), progress_bar(5, 1, done=3) as advance:
        clock.now += 40
        advance("resample 3")
        clock.now += 1
        advance("resample 4")
    assert {record.name for record in caplog.records} == {"frugalforest"}
    assert shown(caplog, logging.INFO) == [
        "4 of 5: resample 3; time left: 0:00:40",
        "5 of 5: resample 4; time left: 0:00:00",
    ]
    assert capfd.readouterr() == ("", "")


def test_ten_thousand_steps_in_a_night_are_some_hundred_lines(caplog, clock, shown):
    with caplog.at_level(logging.DEBUG, "frugalforest"), progress_bar(10_000, 1) as advance:
        for i in range(10_000):
            clock.now += 3
            advance(f"unit {i}")
    assert 100 < len(shown(caplog, logging.INFO)) < 300
    assert len(caplog.records) == 10_000


def test_a_run_of_seconds_says_nothing_but_to_those_who_debug(caplog, clock, shown):
    with caplog.at_level(logging.DEBUG, "frugalforest"), progress_bar(30, 1) as advance:
        for i in range(30):
            clock.now += 0.1
            advance(f"resample {i}")
    assert shown(caplog, logging.INFO) == []
    assert len(shown(caplog, logging.DEBUG)) == 30


def test_silence_is_broken_by_what_is_being_done(caplog, clock, shown, monkeypatch):
    monkeypatch.setattr(progress, "_SECONDS_OF_SILENCE", 0.01)
    with caplog.at_level(logging.DEBUG, "frugalforest"), progress_bar(6, 1):
        note_piece("all rows")
        note_step("backward")
        clock.now += 600
        wait_until(lambda: shown(caplog, logging.INFO), 10)
    assert shown(caplog, logging.INFO)[0] == (
        "0 of 6: at work for 0:10:00, now at all rows: backward; "
        "time left: not known before the first is finished"
    )
    assert "all rows: backward" in shown(caplog, logging.DEBUG)


def test_nothing_is_logged_if_that_is_wanted(caplog, clock, shown):
    with caplog.at_level(logging.DEBUG, "frugalforest"), progress_bar(5, 0) as advance:
        clock.now += 100
        note_step("backward")
        advance("resample 3")
    assert not caplog.records


# --- the command line ---------------------------------------------------------------------------

TABLE = "x1,x2,class\n" + "".join(f"{i % 7},{i % 5},{i % 2}\n" for i in range(60))
SELECT = ("select", "t.csv", "--target", "class", "--budget", 1, "--methods", "auc")
SHORT = ("--trees", 20, "--resamples", 2, "--jobs", 1, "--out", "out")
STAMP = r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d "


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "t.csv").write_text(TABLE)
    return tmp_path


def test_the_log_of_a_piped_run_has_its_time_on_each_line(folder):
    done = run_forked(*SELECT, *SHORT, "--log-level", "debug", cwd=folder)
    lines = done.stderr.splitlines()
    assert done.returncode == 0
    assert all(re.match(STAMP, line) for line in lines), lines
    texts = [re.sub(STAMP, "", line) for line in lines]
    assert "all rows: AUC filter" in texts
    then = ", then the final models and the report"
    found = r"1 of 3: all rows; time left: \d:\d\d:\d\d" + then
    assert any(re.fullmatch(found, text) for text in texts)
    report = "the final models and the report"
    assert f"3 of 3: resample 1; time left: not known, next: {report}" in texts
    assert texts[-1] == "2 of 2: report; time left: 0:00:00"


def test_the_search_is_not_said_to_be_all(folder):
    done = run_forked(*SELECT[:-1], "auto", *SHORT, "--log-level", "debug", cwd=folder)
    assert done.stderr.rstrip().endswith("report; time left: 0:00:00")
    assert "3 of 3: resample 1; time left: not known, next: measuring what was chosen" in (
        done.stderr
    )


def test_a_quiet_run_is_quiet_at_any_level_of_the_log(folder):
    done = run_forked(*SELECT, *SHORT, "--quiet", "--log-level", "debug", cwd=folder)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_an_unknown_level_is_one_line(folder):
    done = run_forked(*SELECT, *SHORT, "--log-level", "loud", cwd=folder)
    assert done.returncode == 2
    assert re.fullmatch(r"Error: .*--log-level.*'loud'.*debug.*\n", done.stderr)


@pytest.mark.slow
def test_on_a_terminal_there_is_a_bar_and_no_log(folder):
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "frugalforest", *map(str, (*SELECT, *SHORT))]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "140"}
    with subprocess.Popen(
        command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=follower
    ) as process:
        os.close(follower)
        seen = b""
        with suppress(OSError):  # what a terminal says when the last one has left it
            while part := os.read(leader, 1000):
                seen += part
    os.close(leader)
    text = seen.decode()
    assert process.returncode == 0
    assert "left: " in text
    assert "0/3" in text
    assert not re.search(STAMP, text)
