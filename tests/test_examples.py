"""The examples run as they are."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

FILES = sorted((Path(__file__).parents[1] / "examples").glob("*.py"))
EXAMPLES = [pytest.param(path, id=path.stem) for path in FILES]
DATA = Path(__file__).parents[2] / "shared" / "datasets"


@pytest.mark.slow
@pytest.mark.parametrize("example", EXAMPLES)
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
    assert len(FILES) >= 3
    assert "quick_start" in {path.stem for path in FILES}
