"""compare(): any number of processes, clusters, resuming, kills, progress."""

import dataclasses
import json
import os
import pty
import select
import signal
import sqlite3
import subprocess
import sys
import time

import joblib
import numpy as np
import pytest
from sklearn.tree import DecisionTreeClassifier

from frugalforest import compare
from frugalforest.comparison.plan import Plan
from frugalforest.running.runner import run_tasks
from reference.runners import RecordingRunner, StoppedError, stop
from reference.small_tables import ALL_METHODS, BUDGETS, PRICES, QUICK, make_table, prices_with


@pytest.fixture(scope="module")
def table():
    return make_table()


@pytest.fixture(scope="module")
def result(table):
    return compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)


def text_of(comparison):
    return json.dumps(comparison.to_dict())


# --- the same on any number of processes, and on a cluster --------------------------------------


@pytest.mark.slow
def test_two_processes_give_the_same_as_one_bit_for_bit(table, result):
    two = compare(*table, PRICES, BUDGETS, ALL_METHODS, n_jobs=2, **QUICK)
    assert text_of(two) == text_of(result)


@pytest.fixture
def cluster():
    distributed = pytest.importorskip("distributed")
    import dask

    with (
        # Two Python processes start and load the package: slow where all cores are busy.
        dask.config.set({"distributed.comm.timeouts.connect": "120s"}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            processes=True,
            dashboard_address=":0",
            host="127.0.0.1",
        ) as cluster,
        distributed.Client(cluster) as client,
    ):
        yield client


def has_compared():
    return "frugalforest.comparison" in sys.modules


@pytest.mark.slow
def test_a_cluster_of_two_workers_gives_the_same_bit_for_bit(cluster, table, result):
    with joblib.parallel_config("dask"):
        on_cluster = compare(*table, PRICES, BUDGETS, ALL_METHODS, **QUICK)
    assert text_of(on_cluster) == text_of(result)
    assert list(cluster.run(has_compared).values()) == [True, True]


@pytest.mark.slow
def test_the_same_seed_gives_the_same_and_another_seed_another(table, result):
    assert compare(*table, PRICES, BUDGETS, ALL_METHODS, random_state=0, **QUICK) == result
    other = compare(*table, PRICES, BUDGETS, ALL_METHODS, random_state=1, **QUICK)
    assert [p.honest for p in other.procedures] != [p.honest for p in result.procedures]


# --- resuming -----------------------------------------------------------------------------------


def test_finished_tasks_are_not_repeated(table, result, tmp_path):
    ledger = tmp_path / "done.sqlite"
    first, second = RecordingRunner(), RecordingRunner()
    arguments = (*table, PRICES, BUDGETS, ALL_METHODS)
    one = compare(*arguments, resume=ledger, runner=first, **QUICK)
    assert first.labels == ["all rows", "resample 0", "resample 1", "resample 2"]
    two = compare(*arguments, resume=ledger, runner=second, **QUICK)
    assert second.labels == []
    assert one == two == result


def test_more_resamples_repeat_none_of_those_finished(table, tmp_path):
    ledger, runner = tmp_path / "done.sqlite", RecordingRunner()
    compare(*table, PRICES, 5, "auc", resume=ledger, **QUICK)
    five = QUICK | {"n_resamples": 5}
    more = compare(*table, PRICES, 5, "auc", resume=ledger, runner=runner, **five)
    assert runner.labels == ["resample 3", "resample 4"]
    assert more == compare(*table, PRICES, 5, "auc", **five)


def test_a_failed_task_is_not_kept_and_those_before_it_are(table, tmp_path):
    ledger, runner = tmp_path / "done.sqlite", RecordingRunner()
    failing = RecordingRunner(fail_at="resample 1")
    with pytest.raises(MemoryError):
        compare(*table, PRICES, 5, "auc", resume=ledger, runner=failing, **QUICK)
    compare(*table, PRICES, 5, "auc", resume=ledger, runner=runner, **QUICK)
    assert runner.labels == ["resample 1", "resample 2"]


def task_keys(**changes):
    X, y = make_table(30)
    arguments = {
        "X": X,
        "y": y,
        "costs": PRICES,
        "budgets": [3, 9],
        "methods": ["auc", "sts", "forward"],
        "row_groups": np.arange(30) % 10,
        "n_resamples": 2,
        "verbose": 0,
        "runner": stop,
    }
    with pytest.raises(StoppedError) as stopped:
        compare(**arguments | changes)
    return stopped.value.args


PLAN_CHANGES = {
    "budgets": {"budgets": [3, 9, 10]},
    "methods": {"methods": ["sts", "auc", "forward"]},
    "xi": {"xi": 1.0},
    "score": {"scoring": "brier"},
    "class_weight": {"class_weight": "balanced"},
    "bins": {"bins": 8},
    "search_rows": {"search_rows": 20},
    "n_trees": {"n_trees": 999},
    "min_samples_leaf": {"min_samples_leaf": 3},
    "seed": {"random_state": 1},
    "final": {"methods": "auto", "final": "blend"},
    "final_of_tuned": {"final": DecisionTreeClassifier()},
}


def swap_two_labels():
    y = make_table(30)[1]
    y[[np.argmin(y), np.argmax(y)]] = y[[np.argmax(y), np.argmin(y)]]
    return y


def change_cell(column, row, value):
    X = make_table(30)[0]
    X[column] = X[column].astype(object if isinstance(value, str) else float)
    X.loc[row, column] = value
    return X


DATA_CHANGES = {
    "a number": {"X": change_cell("noise", 3, 0.5)},
    "a number to a gap": {"X": change_cell("noise", 3, np.nan)},
    "a text": {"X": change_cell("colour", 3, "violet")},
    "a column's name": {
        "X": make_table(30)[0].rename(columns={"twin": "brother"}),
        "costs": prices_with(
            costs={("brother" if k == "twin" else k): v for k, v in PRICES.costs.items()}
        ),
    },
    "labels": {"y": swap_two_labels()},
    "the classes' names": {"y": np.array(["no", "yes"])[make_table(30)[1]]},
    "a price": {"costs": prices_with(costs=dict(PRICES.costs) | {"twin": 3.01})},
    "a fee": {"costs": prices_with(group_costs={"lab": 1.6})},
    "a group": {"costs": prices_with(groups=dict(PRICES.groups) | {"twin": "lab"})},
    "required": {"costs": prices_with(required=["noise"])},
    "excluded": {"costs": prices_with(excluded=["noise"])},
    "racing": {"racing": True},
    "what errors cost": {"scoring": "cost", "error_costs": 5},
}


def test_every_field_of_the_plan_is_tested_for_its_part_in_the_key():
    own = {field.name for field in dataclasses.fields(Plan)} - {"options"}
    assert set(PLAN_CHANGES) == own | {"xi", "min_samples_leaf", "final_of_tuned"}


@pytest.mark.parametrize("changes", [*PLAN_CHANGES.values(), *DATA_CHANGES.values()])
def test_a_change_of_settings_or_data_changes_every_key(changes):
    before, after = task_keys(), task_keys(**changes)
    assert set(before).isdisjoint(after)
    assert before == task_keys()


@pytest.mark.parametrize(
    "changes", [{"row_groups": np.arange(30) % 9}, {"row_groups": None}, {"test_share": 0.5}]
)
def test_a_change_of_the_split_changes_the_keys_of_the_resamples(changes):
    before, after = task_keys(), task_keys(**changes)
    assert before[0] == after[0]  # the choice from all rows knows no split
    assert set(before[1:]).isdisjoint(after[1:])


def test_a_gap_and_the_text_none_have_different_keys():
    X = make_table(30)[0]
    with_gap, with_text = X.copy(), X.copy()
    with_gap.loc[4, "colour"], with_text.loc[4, "colour"] = None, "None"
    assert set(task_keys(X=with_gap)).isdisjoint(task_keys(X=with_text))


def test_the_number_of_processes_and_the_progress_bar_are_no_part_of_the_key():
    assert task_keys() == task_keys(n_jobs=2, verbose=1)


def slow_third(tasks, **settings):
    """A runner whose third result does not come, so that a run can be caught midway."""
    for n_finished, finished in enumerate(run_tasks(tasks, **settings)):
        if n_finished == 2:
            time.sleep(60)
        yield finished


SLOW_RUN = """
import sys
from reference.small_tables import ALL_METHODS, BUDGETS, PRICES, QUICK, make_table
from test_compare_runs import compare, slow_third

arguments = (*make_table(), PRICES, BUDGETS, ALL_METHODS)
compare(*arguments, resume=sys.argv[1], runner=slow_third, **QUICK)
"""


def finished_tasks(ledger):
    """The tasks in the file, and when SQLite first put them there."""
    if not ledger.exists():
        return {}
    connection = sqlite3.connect(ledger)
    try:
        return dict(connection.execute("SELECT key, rowid FROM finished"))
    except sqlite3.OperationalError:  # not made yet
        return {}
    finally:
        connection.close()


def start_python(code, *arguments, **options):
    here = os.path.dirname(__file__)
    path = os.pathsep.join([here, os.environ.get("PYTHONPATH", "")])
    environment = os.environ | {"PYTHONPATH": path, "TERM": "xterm-256color", "COLUMNS": "100"}
    command = [sys.executable, "-c", code, *map(str, arguments)]
    return subprocess.Popen(command, env=environment, **options)


@pytest.mark.slow
def test_a_run_killed_midway_goes_on_where_it_was(table, result, tmp_path):
    ledger, runner = tmp_path / "done.sqlite", RecordingRunner()
    deadline = time.monotonic() + 60
    with start_python(SLOW_RUN, ledger) as process:
        while len(finished_tasks(ledger)) < 2 and time.monotonic() < deadline:
            assert process.poll() is None, "it ended before it could be killed"
            time.sleep(0.02)
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    before = finished_tasks(ledger)
    assert len(before) == 2

    arguments = (*table, PRICES, BUDGETS, ALL_METHODS)
    resumed = compare(*arguments, resume=ledger, runner=runner, **QUICK)

    assert text_of(resumed) == text_of(result)
    assert len(runner.labels) == 2
    after = finished_tasks(ledger)
    assert len(after) == 4
    assert {key: after[key] for key in before} == before  # replaced ones would be at the end


# --- progress -----------------------------------------------------------------------------------


@pytest.mark.parametrize("verbose", [0, 1])
def test_nothing_is_printed_where_standard_error_is_no_terminal(capfd, table, verbose):
    compare(*table, PRICES, 5, "auc", **QUICK | {"verbose": verbose})
    assert capfd.readouterr() == ("", "")


ON_A_TERMINAL = """
import sys
from reference.small_tables import PRICES, QUICK, make_table
from frugalforest import compare
compare(*make_table(), PRICES, 5, "auc", **QUICK)
print("silent so far", file=sys.stderr, flush=True)
compare(*make_table(), PRICES, 5, "auc", **QUICK | {"verbose": 1})
"""


@pytest.mark.slow
def test_a_terminal_shows_a_bar_unless_told_not_to():
    ours, theirs = pty.openpty()
    shown = b""
    with start_python(ON_A_TERMINAL, stdout=subprocess.PIPE, stderr=theirs) as process:
        os.close(theirs)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and select.select([ours], [], [], 60)[0]:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end was closed
                break
            if not part:
                break
            shown += part
        printed = process.stdout.read()
    os.close(ours)
    before, _, after = shown.decode().partition("silent so far")
    assert process.returncode == 0
    assert before == ""
    assert "resample 2" in after
    assert "4/4" in after
    assert "━" in after  # the bar itself
    assert "left:" in after
    assert printed == b""
