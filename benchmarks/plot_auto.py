"""The picture of `docs/methods.md`: test error against budget in settings C and D.

python benchmarks/plot_auto.py results/auto/before-one-sentence.csv docs/auto.png
"""

from __future__ import annotations

import sys
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

from contest import PAPER, RIVALS, read_numbers
from frugalforest.methods import METHODS

LABELS = {
    "sequential": "sequential, filled by price",
    "cegb": "LightGBM CEGB",
    "cegb forest": "forest on CEGB’s features",
}
GREY = {"sequential": "#BBBBBB", "cegb": "#555555", "cegb forest": "#888888"}


def main() -> None:
    rows = read_numbers(Path(sys.argv[1]))
    figure, axes = plt.subplots(1, 2, figsize=(9, 3.8), sharey=True, layout="constrained")
    for ax, setting in zip(axes, "CD", strict=True):
        mine = [row for row in rows if row["problem"] == f"{setting}-sd"]
        budgets = sorted({float(row["budget"]) for row in mine})
        for method in (*PAPER, *RIVALS, "auto"):
            its = [row for row in mine if row["method"] == method]
            if len({row["draw"] for row in its}) < len({row["draw"] for row in mine}):
                continue  # it was not run on all draws
            errors = [
                100 * np.mean([float(r["test_error"]) for r in its if r["budget"] == budget])
                for budget in budgets
            ]
            known = METHODS.get(method)
            ax.plot(
                range(len(budgets)),
                errors,
                label=LABELS.get(method) or known.label,
                color=GREY.get(method) or known.colour,
                linewidth=2.5 if method == "auto" else 1.2,
                linestyle="--" if method in RIVALS else "-",
                marker="o",
                markersize=6 if method == "auto" else 3.5,
            )
        n_draws = len({row["draw"] for row in mine})
        ax.set_title(f"Setting {setting}, {n_draws} draws", fontsize=10)
        ax.set_xticks(range(len(budgets)), [f"{b:g}" for b in budgets])
        ax.set_xlabel("budget")
        ax.spines[["top", "right"]].set_visible(False)
    axes[0].set_ylim(0)  # after both are drawn: they share it
    axes[0].set_ylabel("test error, %")
    axes[1].legend(frameon=False, fontsize=8)
    figure.savefig(sys.argv[2], dpi=130)


if __name__ == "__main__":
    main()
