"""What the benchmarks share: a stopwatch, a unit of measure and a table."""

from __future__ import annotations

import platform
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TypeVar

from sklearn.ensemble import RandomForestClassifier

from frugalforest.datasets import make_cost_classification

T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds, and the result."""
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def processor_seconds(work: Callable[[], T]) -> tuple[float, T]:
    """Seconds of processor time, and the result: what else the machine does matters little."""
    start = time.process_time()
    result = work()
    return time.process_time() - start, result


def forest_seconds() -> float:
    """Seconds of scikit-learn for 1000 trees with out-of-bag score on 500 × 30: the best of three.

    One thread. A unit of measure that moves with the machine.
    """
    X, y, _ = make_cost_classification("A", n_samples=500, spread="sd")
    forest = RandomForestClassifier(1000, oob_score=True, n_jobs=1, random_state=0)
    return min(timed(lambda: forest.fit(X[:, :30], y))[0] for _ in range(3))


def print_machine(*packages: str) -> None:
    """One line that says where and with what the numbers were made."""
    versions = ", ".join(f"{package} {version(package)}" for package in packages)
    print(f"{platform.machine()}, Python {platform.python_version()}, {versions}\n", flush=True)


def print_table(header: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A Markdown table; numbers to the right."""
    cells = [list(header), *([_text(cell) for cell in row] for row in rows)]
    widths = [max(len(row[i]) for row in cells) for i in range(len(header))]
    right = [all(_is_number(row[i]) for row in rows) for i in range(len(header))]

    def line(row: Sequence[str]) -> str:
        parts = [
            cell.rjust(width) if to_right else cell.ljust(width)
            for cell, width, to_right in zip(row, widths, right, strict=True)
        ]
        return f"| {' | '.join(parts)} |"

    rule = [
        "-" * (width - 1) + ":" if to_right else "-" * width
        for width, to_right in zip(widths, right, strict=True)
    ]
    print("\n".join([line(cells[0]), line(rule), *map(line, cells[1:])]), flush=True)


def ratio_text(ratio: float) -> str:
    """A ratio with two or three digits, as 27×."""
    return f"{ratio:.0f}×" if ratio >= 20 else f"{ratio:.1f}×" if ratio >= 3 else f"{ratio:.2f}×"


def _text(cell: object) -> str:
    if cell is None:
        return ""
    return f"{cell:.4g}" if isinstance(cell, float) else str(cell)


def _is_number(cell: object) -> bool:
    return cell is None or isinstance(cell, int | float) or str(cell)[-1:] in "×0123456789"
