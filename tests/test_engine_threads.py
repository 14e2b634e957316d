"""Threads: too many, too few, several callers at once, and Ctrl-C."""

import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

from frugalforest.engine import Forest, ForestSettings, code_table, code_target, score_sets

FEW = ForestSettings(n_trees=5)


@pytest.fixture(name="X")
def table():
    return np.random.default_rng(0).normal(size=(30, 3))


@pytest.fixture(name="y")
def target(X):
    return (X[:, 0] > 0).astype(int)


@pytest.fixture
def coded(X, y):
    return code_table(X), code_target(y, 2)


def test_more_threads_than_trees_are_fine(X, y):
    few, many = (Forest(n_trees=3, n_jobs=n).fit(X, y) for n in (1, 100))
    np.testing.assert_array_equal(few.oob_votes_, many.oob_votes_)


def test_forests_grow_in_several_python_threads_at_once(coded):
    expected = score_sets(*coded, [[0, 1, 2]] * 4, range(4), FEW, keep_votes=True).oob_votes
    results = [None] * 4
    barrier = threading.Barrier(4)

    def work(i):
        barrier.wait()
        results[i] = score_sets(*coded, [[0, 1, 2]], [i], FEW, keep_votes=True, n_jobs=2).oob_votes

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    np.testing.assert_array_equal(np.concatenate(results), expected)


def test_an_empty_batch_is_an_empty_answer_on_any_number_of_threads():
    data = code_table(np.arange(6.0)[:, None])
    target = code_target(np.array([0, 1] * 3), 2)
    assert score_sets(data, target, [], [], n_jobs=2).oob_error.shape == (0,)


# A thread takes a stack of 1 GiB here, of 4 GiB that there are: three or so can be started.
STARVED = """
import resource, threading
import numpy as np
from frugalforest.engine import ForestSettings, code_table, code_target, grow_forest, score_sets

X = np.random.default_rng(0).normal(size=(60, 4))
data, target = code_table(X), code_target(np.arange(60) % 2, 2)
sets, how = [[j % 4, (j + 1) % 4] for j in range(64)], ForestSettings(n_trees=20)
expected = score_sets(data, target, sets, range(64), how).oob_error
forest, _ = grow_forest(data, target, range(4), 1, how)
votes = forest.votes(np.tile(X, (100, 1)))[0]
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + {room} * 2**20, -1))
found = score_sets(data, target, sets, range(64), how, n_jobs=64).oob_error
assert (found == expected).all()
assert (forest.votes(np.tile(X, (100, 1)), n_jobs=6)[0] == votes).all()
try:
    threading.Thread(target=print).start()
    print("a thread could be started")
except RuntimeError:
    print("no thread could be started")
"""


@pytest.mark.slow
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory as Linux does")
@pytest.mark.parametrize(
    ("room", "expected"),
    [(4096, "a thread could be started"), (512, "no thread could be started")],
)
def test_work_goes_on_with_the_threads_that_can_be_started(room, expected):
    large_stacks = 'ulimit -s 1048576 && exec "$0" -c "$1"'
    run = subprocess.run(
        ["bash", "-c", large_stacks, sys.executable, STARVED.format(room=room)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip() == expected


# --- Ctrl-C -------------------------------------------------------------------------------------

# Each task would take minutes. After each interrupt the same process must still grow a forest.
INTERRUPTED = """
import time

import numpy as np
from frugalforest.engine import *

rng = np.random.default_rng(0)
X, y = rng.normal(size=(2000, 20)), rng.integers(0, 2, 2000)
data, target = code_table(X), code_target(y, 2)
many = ForestSettings(n_trees=100_000)
forest = Forest(n_trees=300).fit(X, y)
rows = rng.normal(size=(20, 600_000)).T  # as the core reads them: NumPy has nothing to rearrange
tasks = {
    "score_sets": lambda: score_sets(data, target, [range(20)] * 10, range(10), many, n_jobs=2),
    "fit": lambda: Forest(n_trees=100_000, n_jobs=1).fit(X, y),
    "permutation_gains": lambda: permutation_gains(data, target, range(20), 1, many),
    "grow_shallow": lambda: grow_shallow(data, target, [ShallowPart(range(20), 300_000, 9, 1)]),
    "forward_errors": lambda: forward_errors(
        data, target, [0], range(1, 20), 1, ForestSettings(n_trees=5000)
    ),
    "predict": lambda: forest.predict(rows),
}
for name, task in tasks.items():
    print(name, flush=True)
    begin = time.process_time()
    try:
        task()
        print("finished", flush=True)
    except KeyboardInterrupt:
        print("interrupted", flush=True)
    # Of its threads together; time that others take from them does not count.
    print(time.process_time() - begin, flush=True)
    forest_after = Forest(n_trees=20).fit(X[:100], y[:100])
    print(forest_after.oob_votes_.sum() > 0, flush=True)
print("end", flush=True)
"""


@pytest.mark.slow
def test_ctrl_c_stops_any_task_within_a_second_and_leaves_the_process_usable():
    with subprocess.Popen(
        [sys.executable, "-c", INTERRUPTED], stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            while (name := process.stdout.readline().strip()) != "end":
                assert name, "the process died"
                time.sleep(0.3)  # into the compiled code
                process.send_signal(signal.SIGINT)
                assert process.stdout.readline().strip() == "interrupted", name
                # Two threads for 0.3 seconds, and for a second at most from the signal on.
                assert float(process.stdout.readline()) < 2 * 1.3, name
                assert process.stdout.readline().strip() == "True", name
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()
