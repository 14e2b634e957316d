"""One forest on tables of many rows: ours, exact and in bins, against three others; whole runs.

    python benchmarks/bench_scale.py [--small] [--trees 100] [--repeats 1]
    python benchmarks/bench_scale.py --runs 200x10000    the whole command, beside what it may take
    python benchmarks/bench_scale.py --errors FOLDER    what bins cost in error, on real data

One thread each, every program in a process of its own. A forest is grown from an array of raw
numbers, ready to predict; then it predicts rows it never saw. Seconds are of processor time, the
least of the repeats, so that what else the machine does matters little; memory is the peak of the
process, with the table in it. Ours and YDF count out-of-bag votes in that time, scikit-learn and
LightGBM do not. Bins are 255 at most everywhere. LightGBM grows no deep trees at this size in
reasonable memory, so its trees have 4,096 leaves.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from common import print_machine, print_table, ratio_text
from frugalforest.datasets import REAL_SETS, load_real, make_cost_classification
from frugalforest.engine import Forest, ForestSettings, code_table, code_target, score_sets

# Rows, columns, rows to test on.
WORK = [(100_000, 50, 50_000), (1_000_000, 30, 100_000)]
SMALL_WORK = [(30_000, 20, 10_000)]
# How many times as fast as scikit-learn ours in bins should be: at least, and if all goes well.
FLOOR, GOAL = 8, 15
LEAVES = 4096

Table = NDArray[np.float64]
Labels = NDArray[np.intp]
Predict = Callable[[Table], Labels]


class Measured(NamedTuple):
    """What a process reports of its forest. `oob_error` is NaN if it has none."""

    seconds: float
    predict_seconds: float
    gigabytes: float
    test_error: float
    oob_error: float


def ours(
    bins: int | None, max_features: str | float = "sqrt"
) -> Callable[[Table, Labels, int, int], tuple[Predict, float]]:
    def fit(X: Table, y: Labels, n_trees: int, seed: int) -> tuple[Predict, float]:
        forest = Forest(n_trees, max_features, bins=bins, random_state=seed).fit(X, y)
        return forest.predict, forest.oob_error_

    return fit


def scikit_learn(X: Table, y: Labels, n_trees: int, seed: int) -> tuple[Predict, float]:
    from sklearn.ensemble import RandomForestClassifier

    forest = RandomForestClassifier(n_trees, n_jobs=1, random_state=seed).fit(X, y)
    return forest.predict, math.nan


def lightgbm(X: Table, y: Labels, n_trees: int, seed: int) -> tuple[Predict, float]:
    from lightgbm import LGBMClassifier

    forest = LGBMClassifier(
        boosting_type="rf",
        n_estimators=n_trees,
        num_leaves=LEAVES,
        min_child_samples=1,
        min_child_weight=0.0,
        subsample=0.632,
        subsample_freq=1,
        feature_fraction_bynode=math.isqrt(X.shape[1]) / X.shape[1],
        max_bin=255,
        histogram_pool_size=1024,
        random_state=seed,
        n_jobs=1,
        verbose=-1,
    ).fit(X, y)
    # By the booster: the classifier would warn of names that it made up itself.
    return lambda rows: (forest.booster_.predict(rows, num_threads=1) > 0.5).astype(int), math.nan


def ydf(X: Table, y: Labels, n_trees: int, seed: int) -> tuple[Predict, float]:
    import ydf as package

    learner = package.RandomForestLearner(
        label="y",
        num_trees=n_trees,
        max_depth=-1,
        min_examples=1,
        num_candidate_attributes=math.isqrt(X.shape[1]),
        discretize_numerical_columns=True,
        num_discretized_numerical_bins=255,
        num_threads=1,
        random_seed=seed,
    )

    def columns(rows: Table) -> dict[str, Table]:
        return {f"x{j}": rows[:, j] for j in range(rows.shape[1])}

    model = learner.train(columns(X) | {"y": y}, verbose=0)

    def predict(rows: Table) -> Labels:
        return np.asarray(model.predict(columns(rows), num_threads=1) > 0.5).astype(int)

    return predict, 1.0 - model.self_evaluation().accuracy


PROGRAMS: dict[str, tuple[str, Callable[[Table, Labels, int, int], tuple[Predict, float]]]] = {
    "ours, bins": ("frugalforest", ours(255)),
    "ours, exact": ("frugalforest", ours(None)),
    # Asked for as many candidates for a split as the others, YDF grows trees with the nodes and the
    # errors of scikit-learn's that have half as many again or twice as many.
    "ours, a third of the features": ("frugalforest", ours(255, 1 / 3)),
    "scikit-learn": ("sklearn.ensemble", scikit_learn),
    "LightGBM": ("lightgbm", lightgbm),
    "YDF": ("ydf", ydf),
}


def table(n_rows: int, n_columns: int) -> tuple[Table, Labels]:
    """The first columns of setting C, which come in 20 correlated blocks; as ever with "sd"."""
    n_generated = max(20, -(-n_columns // 20) * 20)
    X, y, _ = make_cost_classification("C", n_rows, n_generated, n_generated // 2, spread="sd")
    return np.ascontiguousarray(X[:, :n_columns]), y


def measure(name: str, folder: Path, n_trees: int, seed: int) -> Measured:
    """In this process: grow, predict, and look at the clock."""
    X, y = np.load(folder / "X.npy"), np.load(folder / "y.npy")
    new_X, new_y = np.load(folder / "new_X.npy"), np.load(folder / "new_y.npy")
    import_module(PROGRAMS[name][0])  # before the clock starts
    start = time.process_time()
    predict, oob_error = PROGRAMS[name][1](X, y, n_trees, seed)
    grown = time.process_time()
    test_error = float((predict(new_X) != new_y).mean())
    done = time.process_time()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    return Measured(grown - start, done - grown, peak, test_error, float(oob_error))


def measure_elsewhere(name: str, folder: Path, n_trees: int, repeats: int) -> Measured:
    """In processes of their own: the least that a repeat took, and the means of the errors."""
    runs = []
    for seed in range(repeats):
        command = [sys.executable, __file__, "--measure", name, str(folder)]
        output = subprocess.run(
            [*command, "--trees", str(n_trees), "--seed", str(seed)],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        ).stdout
        runs.append(Measured(*json.loads(output.splitlines()[-1])))
    costs, errors = np.array(runs)[:, :3].min(axis=0), np.array(runs)[:, 3:].mean(axis=0)
    return Measured(*costs.tolist(), *errors.tolist())


def compare_on(
    programs: list[str], n_rows: int, n_columns: int, n_new: int, n_trees: int, repeats: int
) -> list[list[Any]]:
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        X, y = table(n_rows + n_new, n_columns)
        np.save(folder / "X.npy", X[:n_rows])
        np.save(folder / "y.npy", y[:n_rows])
        np.save(folder / "new_X.npy", X[n_rows:])
        np.save(folder / "new_y.npy", y[n_rows:])
        del X, y
        found = {}
        for name in ["ours, bins", *programs]:
            if find_spec(PROGRAMS[name][0]) is None:
                print(f"{name} is not installed: left out.")
                continue
            found[name] = measure_elsewhere(name, folder, n_trees, repeats)
            print(f"{n_rows:,} × {n_columns}: {name} done", flush=True)
    best = found["ours, bins"].seconds
    return [
        [
            f"{n_rows:,} × {n_columns}",
            n_trees,
            name,
            f"{m.seconds:.1f}",
            ratio_text(m.seconds / best),
            f"{m.predict_seconds:.1f}",
            f"{m.gigabytes:.2f}",
            f"{m.test_error:.4f}",
            None if math.isnan(m.oob_error) else f"{m.oob_error:.4f}",
        ]
        for name, m in found.items()
    ]


def tables_for_errors(folder: str) -> Iterator[tuple[str, Table, Labels, int]]:
    """Name, table, target and trees: the sets of the paper, and a line without and with noise."""
    for name in REAL_SETS:
        data = load_real(name, folder)
        yield name, data.X, data.y, 500
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 16))
    for noise in (0, 1):
        height = X[:, 0] + X[:, 1] * X[:, 2] + noise * rng.normal(size=len(X))
        yield f"line, noise {noise}", X, (height > 0).astype(int), 50


def compare_errors(folder: str, seeds: range) -> None:
    """Out-of-bag errors in bins and exactly, of as many forests each."""
    rows = []
    for name, X, y, n_trees in tables_for_errors(folder):
        target = code_target(np.unique(y, return_inverse=True)[1], 2)
        sets, settings = [range(X.shape[1])] * len(seeds), ForestSettings(n_trees=n_trees)
        exact, binned = (
            score_sets(code_table(X, bins=bins), target, sets, seeds, settings).oob_error
            for bins in (None, 255)
        )
        spread = math.hypot(exact.std(ddof=1), binned.std(ddof=1)) / math.sqrt(len(seeds))
        gap = binned.mean() - exact.mean()
        n_cut = sum(len(np.unique(column)) > 255 for column in X.T)
        rows.append(
            [
                name,
                len(y),
                n_cut,
                f"{exact.mean():.5f}",
                f"{binned.mean():.5f}",
                f"{gap:+.5f}",
                f"{spread:.5f}",
            ]
        )
    header = ["set", "rows", "columns cut", "exact", "bins", "gap", "standard error"]
    print_table(header, rows)


def whole_runs(names: list[str], n_jobs: int) -> None:
    """Seconds and memory of the command on large tables, beside what each run may take."""
    from whole_runs import RUNS, measure_run

    rows = []
    for name in names or [name for name in RUNS if name != "small"]:
        run = RUNS[name]
        taken = measure_run(run, n_jobs)
        rows.append(
            [
                name,
                f"{taken.seconds:.0f}",
                f"{60 * run.most_minutes:.0f}",
                f"{taken.gigabytes:.2f}",
                f"{run.most_gigabytes:.0f}",
                f"{taken.report_megabytes:.2f}",
            ]
        )
    print()
    print_table(["run", "seconds", "at most", "peak GB", "at most", "report MB"], rows)
    print(f"\n`select` with `auto`, {n_jobs} processes, from the file to the report.")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument(
        "--small", "--quick", action="store_true", help="a small table and few trees"
    )
    parser.add_argument("--trees", type=int, help="100 by default, 10 with --small")
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--rows", type=int, nargs="*", help="only the tables with so many rows")
    others = [name for name in PROGRAMS if name != "ours, bins"]
    parser.add_argument("--programs", nargs="*", choices=others, default=others)
    parser.add_argument("--errors", metavar="FOLDER", help="compare errors on the sets in FOLDER")
    parser.add_argument("--runs", nargs="*", metavar="NAME", help="whole runs instead, by name")
    parser.add_argument("--jobs", type=int, default=2, help="processes of whole runs")
    parser.add_argument("--seed", type=int, default=0, help=argparse.SUPPRESS)
    parser.add_argument("--measure", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    n_trees = options.trees or (10 if options.small else 100)
    if options.measure:
        name, folder = options.measure
        print(json.dumps(measure(name, Path(folder), n_trees, options.seed)))
        return
    print_machine("frugalforest", "numpy", "scikit-learn")
    if options.runs is not None:
        whole_runs(["small"] if options.small else options.runs, options.jobs)
        return
    if options.errors:
        compare_errors(options.errors, range(20))
        return
    rows = []
    for work in SMALL_WORK if options.small else WORK:
        if not options.rows or work[0] in options.rows:
            rows += compare_on(options.programs, *work, n_trees, options.repeats)
    print()
    print_table(
        [
            "rows × columns",
            "trees",
            "program",
            "seconds",
            "ours in bins is faster by",
            "predicting, s",
            "peak GB",
            "test error",
            "OOB error",
        ],
        rows,
    )
    print(f"\nOf scikit-learn's seconds, at least {FLOOR}× ours; {GOAL}× is the goal.")


if __name__ == "__main__":
    main()
