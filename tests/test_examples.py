"""The examples run as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
DATA = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_the_example_runs_without_a_warning(example):
    if example.stem == "group_prices" and not DATA.is_dir():
        pytest.skip("the folder of data sets is missing")
    run = subprocess.run(
        [sys.executable, "-W", "error", example],
        env=os.environ | {"FRUGALFOREST_DATA": str(DATA)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    assert run.stdout.strip()


def test_there_are_examples():
    assert len(EXAMPLES) >= 3
