"""The same comparison on one and on two workers of a Dask cluster: time, and the same answers.

Workers are processes of one thread on this machine, started by `dask.distributed`. Run from the
repository, on a machine that does nothing else::

    python benchmarks/bench_cluster.py --rows 2000 --columns 30
"""

from __future__ import annotations

import argparse
import json
import os
import time

import numpy as np

from frugalforest import Comparison, compare

BUDGETS = [3, 10]


def make_table(n_rows: int, n_columns: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, n_columns))
    return X, (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=n_rows) > 0).astype(int)


def compare_on(n_workers: int, arguments: tuple, options: dict) -> tuple[float, Comparison]:
    """Seconds and result; the workers are there, and have loaded the package, before it starts."""
    from distributed import Client, LocalCluster

    with (
        LocalCluster(
            n_workers=n_workers,
            threads_per_worker=1,
            dashboard_address=":0",
            host="127.0.0.1",
        ) as cluster,
        Client(cluster) as client,
    ):
        client.run(__import__, "frugalforest.comparison")
        start = time.perf_counter()
        result = compare(*arguments, dask=cluster.scheduler_address, **options)
        return time.perf_counter() - start, result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2_000)
    parser.add_argument("--columns", type=int, default=30)
    parser.add_argument("--trees", type=int, default=200)
    parser.add_argument("--resamples", type=int, nargs="+", default=[5, 11])
    parser.add_argument("--methods", nargs="+", default=["auto"])
    chosen = parser.parse_args()
    X, y = make_table(chosen.rows, chosen.columns)
    print(f"{chosen.rows:,} x {chosen.columns}, {chosen.trees} trees, {'+'.join(chosen.methods)}")
    print(f"load of the machine before: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    print(
        f"{'resamples':>9} {'tasks':>5} {'workers':>7} {'seconds':>8} {'speed-up':>8}  same answers"
    )
    for n_resamples in chosen.resamples:
        options = {"n_resamples": n_resamples, "n_trees": chosen.trees, "verbose": 0}
        arguments = (X, y, None, BUDGETS, chosen.methods)
        found = {n: compare_on(n, arguments, options) for n in (1, 2)}
        texts = {json.dumps(result.to_dict()) for _, result in found.values()}
        n_tasks = n_resamples + 1 + len(BUDGETS)
        for n, (seconds, _) in found.items():
            ratio = found[1][0] / seconds
            print(
                f"{n_resamples:>9} {n_tasks:>5} {n:>7} {seconds:>8.1f} {ratio:>8.2f}  "
                f"{'yes' if len(texts) == 1 else 'NO'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
