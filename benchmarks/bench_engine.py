"""The forest engine against scikit-learn, ranger and YDF, side by side in one run.

Forests for numbers are compared with scikit-learn's, grown to the end on both sides, with a third
of the features a node.

Every program grows forests of the same kind from a table in memory: bootstrap samples, ⌊√p⌋
features a node, leaves of one row, Gini, out-of-bag error included, one thread. What a program
does to a table before it can grow trees (our coding, YDF's data set) is timed with it. Of several
repeats the fastest counts. Out-of-bag errors are printed, so that a fast wrong answer shows.
ranger is timed inside R; it and YDF are left out where they are not installed.

    python benchmarks/bench_engine.py            about 5 minutes
    python benchmarks/bench_engine.py --quick    few trees, small tables: does it run?
"""

from __future__ import annotations

import argparse
import math
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
from sklearn.datasets import make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

from common import print_machine, print_table, ratio_text, timed
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import (
    ForestSettings,
    code_numbers,
    code_table,
    code_target,
    score_number_sets,
    score_sets,
)

# Rows, columns, trees, repeats.
WORK = [
    (500, 1, 1000, 3),
    (500, 5, 1000, 3),
    (500, 30, 1000, 3),
    (500, 200, 1000, 3),
    (5_000, 50, 200, 1),
    (100_000, 50, 100, 1),
]
QUICK_WORK = [(500, 1, 50, 2), (500, 30, 50, 2), (2_000, 50, 20, 1)]
NUMBERS_WORK = [(500, 5, 1000, 3), (500, 30, 1000, 3), (5_000, 50, 100, 1), (100_000, 50, 10, 1)]
QUICK_NUMBERS_WORK = [(500, 30, 50, 2)]
TWO_THREADS = [(500, 30, 1000, 15), (5_000, 50, 300, 3)]
QUICK_TWO_THREADS = [(500, 30, 100, 3)]

# How many times as fast we should be: at least, and if all goes well.
FLOOR_AND_GOAL = {
    (500, 30, "scikit-learn"): (14, 25),
    (500, 30, "ranger"): (3.5, 6),
    (500, 30, "YDF"): (5, 9),
    (500, 5, "scikit-learn"): (12, 25),
    (500, 200, "scikit-learn"): (6, 12),
    (100_000, 50, "scikit-learn"): (2, 5),
}
NUMBERS_FLOOR_AND_GOAL = {(500, 30): (10, 20)}
TWO_THREADS_FLOOR_AND_GOAL = (1.8, 1.95)

Grower = Callable[[np.ndarray, np.ndarray, int], float]


def table(n_rows: int, n_columns: int) -> tuple[np.ndarray, np.ndarray]:
    """The first columns of setting C, which come in 20 correlated blocks."""
    n_generated = max(20, -(-n_columns // 20) * 20)
    X, y, _ = make_cost_classification("C", n_rows, n_generated, n_generated // 2)
    return np.ascontiguousarray(X[:, :n_columns]), y


def ours(X: np.ndarray, y: np.ndarray, n_trees: int, n_jobs: int = 1) -> float:
    data, target = code_table(X), code_target(y, 2)
    settings = ForestSettings(n_trees=n_trees)
    batch = score_sets(data, target, [range(X.shape[1])], [1], settings, n_jobs=n_jobs)
    return float(batch.oob_error[0])


def scikit_learn(X: np.ndarray, y: np.ndarray, n_trees: int) -> float:
    forest = RandomForestClassifier(n_trees, oob_score=True, n_jobs=1, random_state=1)
    return 1.0 - forest.fit(X, y).oob_score_


def our_numbers(X: np.ndarray, y: np.ndarray, n_trees: int) -> float:
    settings = ForestSettings(n_trees=n_trees, max_features="third")
    data, target = code_table(X), code_numbers(y)
    return float(score_number_sets(data, target, [range(X.shape[1])], [1], settings).mse[0])


def scikit_learn_numbers(X: np.ndarray, y: np.ndarray, n_trees: int) -> float:
    third = max(1, X.shape[1] // 3)
    forest = RandomForestRegressor(
        n_trees, max_features=third, oob_score=True, n_jobs=1, random_state=1
    ).fit(X, y)
    return float(np.nanmean((forest.oob_prediction_ - y) ** 2))


def ydf_grower() -> Grower | None:
    """YDF's forest with the settings of the others; None if it is not installed."""
    try:
        import ydf
    except ImportError:
        return None

    def grow(X: np.ndarray, y: np.ndarray, n_trees: int) -> float:
        learner = ydf.RandomForestLearner(
            label="y",
            num_trees=n_trees,
            max_depth=-1,
            min_examples=1,
            num_candidate_attributes=math.isqrt(X.shape[1]),  # its own default rounds up
            winner_take_all=True,
            bootstrap_training_dataset=True,
            compute_oob_performances=True,
            num_threads=1,
        )
        columns = {f"x{j}": X[:, j] for j in range(X.shape[1])}
        model = learner.train(columns | {"y": y}, verbose=0)
        return 1.0 - model.self_evaluation().accuracy

    return grow


def has_ranger() -> bool:
    if shutil.which("Rscript") is None:
        return False
    found = subprocess.run(["Rscript", "-e", "library(ranger)"], capture_output=True, check=False)
    return found.returncode == 0


def time_ranger(X: np.ndarray, y: np.ndarray, n_trees: int, repeats: int) -> tuple[float, float]:
    """Seconds inside R, and the out-of-bag error."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.bin")
        np.concatenate([X.T.ravel(), y]).astype("<f8").tofile(file)
        script = Path(__file__).with_name("ranger.R")
        sizes = map(str, (*X.shape, n_trees, repeats))
        output = subprocess.run(
            ["Rscript", str(script), str(file), *sizes], capture_output=True, text=True, check=True
        ).stdout
    seconds, error = map(float, output.split())
    return seconds, error


def best_of(
    growers: dict[str, Grower], X: np.ndarray, y: np.ndarray, n_trees: int, repeats: int
) -> dict[str, tuple[float, float]]:
    """Fastest seconds and the error of each.

    They take turns, so that a busy spell hits all. A turn is two runs: the first finds the caches
    full of what the others left there.
    """
    best: dict[str, tuple[float, float]] = {}
    for _ in range(repeats):
        for name, grow in growers.items():
            for _ in range(2 if repeats > 1 else 1):
                result = timed(lambda grow=grow: grow(X, y, n_trees))
                best[name] = min(best.get(name, result), result)
    return best


def compare_programs(work: list[tuple[int, int, int, int]]) -> None:
    growers: dict[str, Grower] = {"ours": ours, "scikit-learn": scikit_learn}
    ydf = ydf_grower()
    if ydf is None:
        print("YDF is not installed: left out.")
    else:
        growers["YDF"] = ydf
    with_ranger = has_ranger()
    if not with_ranger:
        print("R with ranger is not installed: left out.")
    rows = []
    for n_rows, n_columns, n_trees, repeats in work:
        X, y = table(n_rows, n_columns)
        best = best_of(growers, X, y, n_trees, repeats)
        if with_ranger:
            best["ranger"] = time_ranger(X, y, n_trees, repeats)
        our_seconds, our_error = best.pop("ours")
        for peer, (seconds, error) in best.items():
            floor, goal = FLOOR_AND_GOAL.get((n_rows, n_columns, peer), (None, None))
            rows.append(
                [
                    f"{n_rows:,} × {n_columns}",
                    n_trees,
                    peer,
                    f"{our_seconds:.3f}",
                    f"{seconds:.3f}",
                    ratio_text(seconds / our_seconds),
                    None if floor is None else f"{floor:g}×",
                    None if goal is None else f"{goal:g}×",
                    f"{our_error:.4f}",
                    f"{error:.4f}",
                ]
            )
        print(f"{n_rows:,} × {n_columns} done", flush=True)
    print()
    print_table(
        [
            "rows × columns",
            "trees",
            "peer",
            "our s",
            "peer's s",
            "ratio",
            "floor",
            "goal",
            "our OOB error",
            "peer's",
        ],
        rows,
    )


def compare_numbers(work: list[tuple[int, int, int, int]]) -> None:
    """Forests for numbers against scikit-learn's."""
    rows = []
    for n_rows, n_columns, n_trees, repeats in work:
        X, y = make_friedman1(n_rows, n_columns, noise=1.0, random_state=0)
        growers = {"ours": our_numbers, "scikit-learn": scikit_learn_numbers}
        best = best_of(growers, X, y, n_trees, repeats)
        (seconds, error), (their_seconds, their_error) = best["ours"], best["scikit-learn"]
        floor, goal = NUMBERS_FLOOR_AND_GOAL.get((n_rows, n_columns), (None, None))
        rows.append(
            [
                f"{n_rows:,} × {n_columns}",
                n_trees,
                f"{seconds:.3f}",
                f"{their_seconds:.3f}",
                ratio_text(their_seconds / seconds),
                None if floor is None else f"{floor:g}×",
                None if goal is None else f"{goal:g}×",
                f"{error:.4f}",
                f"{their_error:.4f}",
            ]
        )
    print()
    print_table(
        [
            "numbers: rows × columns",
            "trees",
            "our s",
            "scikit-learn's s",
            "ratio",
            "floor",
            "goal",
            "our OOB MSE",
            "scikit-learn's",
        ],
        rows,
    )


def compare_threads(work: list[tuple[int, int, int, int]]) -> None:
    """Two threads against one. The answers must be equal to the last bit."""
    rows = []
    for n_rows, n_columns, n_trees, repeats in work:
        X, y = table(n_rows, n_columns)
        growers = {
            "one": ours,
            "two": lambda X, y, n_trees: ours(X, y, n_trees, n_jobs=2),
        }
        best = best_of(growers, X, y, n_trees, repeats)
        (one, error), (two, same_error) = best["one"], best["two"]
        floor, goal = TWO_THREADS_FLOOR_AND_GOAL
        rows.append(
            [
                f"{n_rows:,} × {n_columns}",
                n_trees,
                f"{one:.3f}",
                f"{two:.3f}",
                ratio_text(one / two),
                f"{floor:g}×",
                f"{goal:g}×",
                "yes" if error == same_error else "NO",
            ]
        )
    print()
    print_table(
        [
            "rows × columns",
            "trees",
            "1 thread, s",
            "2 threads, s",
            "ratio",
            "floor",
            "goal",
            "same answer",
        ],
        rows,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small tables and few trees")
    quick = parser.parse_args().quick
    print_machine("frugalforest", "numpy", "scikit-learn")
    compare_programs(QUICK_WORK if quick else WORK)
    compare_numbers(QUICK_NUMBERS_WORK if quick else NUMBERS_WORK)
    compare_threads(QUICK_TWO_THREADS if quick else TWO_THREADS)


if __name__ == "__main__":
    main()
