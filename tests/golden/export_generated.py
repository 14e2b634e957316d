"""The tables that are compared with ranger, and their export for `make_ranger.R`.

python tests/golden/export_generated.py DATASETS_FOLDER OUTPUT_FOLDER

The tests import `table` from here, so that both programs see the same rows.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

from frugalforest.datasets import REAL_SETS, load_real, make_cost_classification

TABLES = [*REAL_SETS, "generated_A", "generated_C", "ada_jittered", "spam_jittered"]

# Twenty of the generator's features with an effect, ten of those without.
COLUMNS = [*range(20), *range(100, 110)]


def table(name: str, datasets_dir: Path | None) -> tuple[np.ndarray, np.ndarray]:
    """X and y of one of `TABLES`.

    A jittered set has a little noise on every value, far below the steps between its values: it has
    no ties left, and so no column is constant in a node.
    """
    if name.startswith("generated_"):
        setting = name.removeprefix("generated_")
        # The reading that the stored errors of ranger were made with.
        X, y, _ = make_cost_classification(setting, n_samples=1500, random_state=7, spread="sd")
        return X[:, COLUMNS], y
    real = load_real(name.removesuffix("_jittered"), datasets_dir)
    if name.endswith("_jittered"):
        return real.X + 1e-6 * np.random.default_rng(0).random(real.X.shape), real.y
    return real.X, real.y


def main(datasets_dir: str, output: str) -> None:
    for name in TABLES:
        X, y = table(name, Path(datasets_dir))
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
