"""Which methods are compared where none is asked for."""

from __future__ import annotations

__all__ = ["DEFAULT_METHODS", "PAPER_METHODS", "default_methods"]

# The four of the paper.
PAPER_METHODS = ("auc", "pfi", "sts", "forward")
DEFAULT_METHODS = ("auto", *PAPER_METHODS)

# Beyond, methods that are there for comparison would take many times as long as the answer.
_MOST_ROWS, _MOST_FEATURES = 20_000, 1_000


def default_methods(n_rows: int, n_features: int) -> tuple[str, ...]:
    """`auto`, and beside it, unless the table is large, the four methods of the paper.

    Examples
    --------
    >>> default_methods(500, 30)
    ('auto', 'auc', 'pfi', 'sts', 'forward')
    >>> default_methods(200, 10_000)
    ('auto',)
    """
    large = n_rows > _MOST_ROWS or n_features > _MOST_FEATURES
    return DEFAULT_METHODS[:1] if large else DEFAULT_METHODS
