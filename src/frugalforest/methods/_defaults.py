"""Which methods are compared where none is asked for."""

from __future__ import annotations

from frugalforest.tables import Task

__all__ = ["DEFAULT_METHODS", "PAPER_METHODS", "default_methods"]

# The four of the paper.
PAPER_METHODS = ("auc", "pfi", "sts", "forward")
DEFAULT_METHODS = ("auto", *PAPER_METHODS)
_FOR_CLASSES = ("sts",)

# Beyond, methods that are there for comparison would take many times as long as the answer.
_MOST_ROWS, _MOST_FEATURES = 20_000, 1_000
# Rows times features times features. Forward selection takes little longer than `auto` for
# 300 × 15, and five times as long for 500 × 30: 57 s of processor time in place of 12 s, on each
# set of rows (benchmarks/bench_defaults.py).
_MOST_FOR_FORWARD = 200_000


def default_methods(
    n_rows: int, n_features: int, racing: bool = False, task: Task = "classification"
) -> tuple[str, ...]:
    """`auto`, and beside it the methods of the paper, but for those that take much longer than it.

    Who asks for a race asks for forward selection, which is what is raced.

    Examples
    --------
    >>> default_methods(300, 15)
    ('auto', 'auc', 'pfi', 'sts', 'forward')
    >>> default_methods(500, 30)
    ('auto', 'auc', 'pfi', 'sts')
    >>> default_methods(500, 30, racing=True)
    ('auto', 'auc', 'pfi', 'sts', 'forward')
    >>> default_methods(200, 10_000)
    ('auto',)
    >>> default_methods(500, 30, task="regression")
    ('auto', 'auc', 'pfi')
    """
    names = tuple(n for n in DEFAULT_METHODS if n not in _FOR_CLASSES or task == "classification")
    if n_rows > _MOST_ROWS or n_features > _MOST_FEATURES:
        return ("auto",)
    if not racing and n_rows * n_features**2 > _MOST_FOR_FORWARD:
        return tuple(name for name in names if name != "forward")
    return names
