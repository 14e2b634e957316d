"""Whole runs: `frugalforest select` on large tables, in a process, by the clock and by memory.

Each run is a table, written to a file that the command reads, and what the run may take. Memory is
the highest sum over the command and all processes it started, pages that they share counted once.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pandas as pd
import psutil
from numpy.typing import NDArray

from frugalforest.datasets import make_cost_classification

__all__ = ["RUNS", "WholeRun", "gene_expression", "measure_run"]

# Seconds between two looks at the memory.
_INTERVAL = 0.5


class PricedTable(NamedTuple):
    """Rows, classes and prices."""

    X: NDArray[np.float64]
    y: NDArray[np.intp]
    costs: NDArray[np.float64]


def gene_expression(
    n_rows: int = 200, n_genes: int = 10_000, n_informative: int = 50, seed: int = 0
) -> PricedTable:
    """Genes in correlated blocks of twenty; in ten blocks, a few are shifted in one class.

    The logarithms of the values are normal, correlated by a half within a block. Informative genes
    differ between the classes by 0.8 standard deviations. Prices are log-normal.
    """
    rng = np.random.default_rng(seed)
    y = rng.permutation(np.arange(n_rows) % 2)
    block = 20
    shared = rng.normal(size=(n_rows, -(-n_genes // block)))
    own = rng.normal(size=(n_rows, n_genes))
    expression = np.sqrt(0.5) * (np.repeat(shared, block, axis=1)[:, :n_genes] + own)
    in_block = n_informative // 10
    informative = [b * block + i for b in range(10) for i in range(in_block)]
    expression[:, informative] += 0.8 * y[:, None]
    costs = rng.lognormal(1.0, 0.8, n_genes).round(2) + 0.01
    return PricedTable((2 ** (8 + expression)).round(2), y, costs)


def many_rows(n_rows: int, n_columns: int) -> PricedTable:
    """The first columns of setting C, at their prices; as ever with "sd"."""
    n_generated = max(20, -(-n_columns // 20) * 20)
    X, y, costs = make_cost_classification("C", n_rows, n_generated, n_generated // 2, spread="sd")
    return PricedTable(X[:, :n_columns], y, np.asarray(costs)[:n_columns])


@dataclass(frozen=True)
class WholeRun:
    """A run of the command, and what it may take: minutes and gigabytes."""

    make: Callable[[], PricedTable]
    # Of the price of all features.
    budget_shares: tuple[float, ...]
    most_minutes: float
    most_gigabytes: float
    options: tuple[str, ...] = ()


RUNS = {
    "200x10000": WholeRun(gene_expression, (0.001, 0.002, 0.005), 10, 3),
    "100000x50": WholeRun(lambda: many_rows(100_000, 50), (0.1, 0.2, 0.5), 15, 3),
    "1000000x30": WholeRun(lambda: many_rows(1_000_000, 30), (0.1, 0.2, 0.5), 40, 8),
    "small": WholeRun(
        lambda: gene_expression(60, 200), (0.02, 0.05), 5, 3, ("--trees", "50", "--resamples", "2")
    ),
}


class Taken(NamedTuple):
    """What a run took, and how large its page is."""

    seconds: float
    gigabytes: float
    report_megabytes: float


def write_table(table: PricedTable, folder: Path) -> list[str]:
    """Parquet and a price list in a folder; the beginning of the command that reads them."""
    names = [f"x{j}" for j in range(table.X.shape[1])]
    frame = pd.DataFrame(table.X, columns=names)
    frame["class"] = np.where(table.y == 1, "case", "control")
    frame.to_parquet(folder / "table.parquet", index=False)
    prices = pd.DataFrame({"feature": names, "cost": table.costs})
    prices.to_csv(folder / "prices.csv", index=False)
    return ["select", str(folder / "table.parquet"), "--costs", str(folder / "prices.csv")]


def measure_run(run: WholeRun, n_jobs: int) -> Taken:
    """Seconds and peak of memory of the command, from the file to the report."""
    with tempfile.TemporaryDirectory() as path:
        folder = Path(path)
        table = run.make()
        budgets = [f"{share * table.costs.sum():.4g}" for share in run.budget_shares]
        command = write_table(table, folder)
        del table
        command += ["--target", "class", "--methods", "auto", "--resamples", "5"]
        command += [word for budget in budgets for word in ("--budget", budget)]
        command += ["--jobs", str(n_jobs), "--out", str(folder / "out"), *run.options]
        print("frugalforest", *command, flush=True)
        start, peak = time.perf_counter(), 0
        process = subprocess.Popen([sys.executable, "-m", "frugalforest", *command])
        while process.poll() is None:
            peak = max(peak, memory_of_tree(process.pid))
            time.sleep(_INTERVAL)
        seconds = time.perf_counter() - start
        if process.returncode:
            sys.exit(f"the command ended with {process.returncode}.")
        report = (folder / "out" / "report.html").stat().st_size
    return Taken(seconds, peak / 1e9, report / 1e6)


def memory_of_tree(pid: int) -> int:
    """Bytes of a process and all below it; what some of them share is counted once."""
    try:
        parent = psutil.Process(pid)
        processes = [parent, *parent.children(recursive=True)]
    except psutil.Error:
        return 0
    total = 0
    for process in processes:
        try:
            memory = process.memory_full_info()
        except psutil.Error:  # it has ended since
            continue
        # Only Linux knows a process's share of shared pages.
        total += getattr(memory, "pss", memory.rss)
    return total
