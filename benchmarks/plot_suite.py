"""The picture of `docs/auto.md`: mean ranks over the sets of the suite, and who can be told apart.

python benchmarks/plot_suite.py results/suite/rows.csv docs/suite.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import suite
from contest import METHODS_COMPARED, read_numbers
from frugalforest.methods import METHODS
from frugalforest.study.figures.critical_differences import diagram_height, draw_diagram
from frugalforest.study.ranking import compare_blocks
from plot_auto import LABELS


def main() -> None:
    rows = [row for row in read_numbers(Path(sys.argv[1])) if row["problem"] in suite.REPORT]
    cells: dict[tuple[object, ...], dict[str, float]] = {}
    for row in rows:
        cell = row["problem"], row["draw"], row["budget"]
        cells.setdefault(cell, {})[str(row["method"])] = float(str(row["test_error"]))
    complete = {c: found for c, found in cells.items() if set(METHODS_COMPARED) <= found.keys()}
    # A set is one observation: the mean over its splits and budgets.
    blocks = [
        np.array([[f[m] for m in METHODS_COMPARED] for c, f in complete.items() if c[0] == name])
        .mean(axis=0, keepdims=True)
        .round(6)
        for name in dict.fromkeys(c[0] for c in complete)
    ]
    comparison = compare_blocks("suite", METHODS_COMPARED, blocks)
    figure, ax = plt.subplots(figsize=(6.8, diagram_height(comparison)), layout="constrained")
    draw_diagram(
        *(ax, comparison),
        label=lambda name: METHODS[name].label if name in METHODS else LABELS.get(name, name),
        colour=lambda name: METHODS[name].colour if name in METHODS else "#888888",
    )
    figure.savefig(sys.argv[2], dpi=150)


if __name__ == "__main__":
    main()
