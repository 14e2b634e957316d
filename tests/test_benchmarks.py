"""The benchmarks run, on small tables: what is timed once a release must not rot in between."""

import subprocess
import sys
from pathlib import Path

import pytest

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("bench_selection.py", ["--full"], "against separate paths"),
        ("bench_errors.py", ["--methods", "sts", "racing"], "racing"),
        ("bench_auto.py", ["--resamples", "2"], "a draw for all budgets"),
        ("bench_auto.py", ["--cost"], "One scikit-learn forest"),
        ("bench_scale.py", [], "at least 8×"),
    ],
)
def test_the_benchmark_runs(name, options, expected):
    run = subprocess.run(
        [sys.executable, BENCHMARKS / name, "--quick", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    last = run.stdout.splitlines()[-1]
    assert expected in last
    assert "\n| " in run.stdout  # the table
