"""A table of patients and how the command line is run on it."""

import subprocess
import sys

import numpy as np
import pandas as pd

COMMAND = [sys.executable, "-m", "frugalforest"]
QUICK = ["--trees", "20", "--resamples", "2", "--jobs", "1"]
PRICES = """feature,cost,group,group_cost
age,1,,
bmi,2,,
colour,3,,
crp,4,blood,2
ldl,1,blood,2
"""


def run(*arguments, cwd=None, **options):
    return subprocess.run(
        [*COMMAND, *map(str, arguments)],
        cwd=cwd,
        capture_output=True,
        text=True,
        timeout=120,
        **options,
    )


def patients(n_rows=60):
    """Three classes in words, a column of words, missing cells, and two columns to leave out."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, n_rows)
    frame = pd.DataFrame(
        {
            "id": [f"p{i:03}" for i in range(n_rows)],
            "site": rng.choice(["north", "south", "east", "west"], n_rows),
            "age": rng.normal(50, 10, n_rows) + 5 * y,
            "bmi": rng.normal(25, 3, n_rows),
            "colour": np.array(["red", "green", "blue"])[(y + (rng.random(n_rows) < 0.2)) % 3],
            "crp": rng.normal(0, 1, n_rows) + y,
            "ldl": rng.normal(0, 1, n_rows),
            "class": np.array(["low", "mid", "high"])[y],
        }
    )
    frame.loc[3, "age"] = np.nan
    frame.loc[5, "colour"] = None
    return frame


SELECT = ["select", "data.csv", "--target", "class", "--drop", "id", "--drop", "site"]
PRICED = [*SELECT, "--costs", "prices.csv"]


def check_one_line(result, message):
    assert result.returncode == 2, result.stderr
    assert result.stderr.count("\n") == 1, result.stderr
    assert result.stderr.startswith("Error: ")
    assert message in result.stderr
