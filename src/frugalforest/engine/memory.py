"""What a job would take is known before it is begun: too much is refused in words."""

from __future__ import annotations

from frugalforest import _core
from frugalforest._core import CodedData, ForestSpec, NumberTarget, Target
from frugalforest.errors import DataError

__all__ = ["check_memory", "check_scratch"]

# Of one thread, or of one result. Only very many classes need more: the counts of classes in the
# groups of a node take about 16 bytes × rows × classes.
MOST_BYTES = 4 * 2**30


def check_scratch(data: CodedData, target: Target | NumberTarget, spec: ForestSpec) -> None:
    """Refuse to grow trees that take too much memory a thread."""
    if isinstance(target, Target):  # with numbers it is little more than the table
        check_memory(_core.scratch_bytes(data, target, spec), data, target)


def check_memory(n_bytes: int, data: CodedData, target: Target) -> None:
    """Refuse what takes too much memory because of the classes."""
    if n_bytes > MOST_BYTES:
        raise DataError(
            f"{target.n_classes:,} classes on {data.n_rows:,} rows would take "
            f"{n_bytes / 2**30:,.0f} GiB of memory, and {MOST_BYTES / 2**30:.0f} GiB is the limit: "
            "merge rare classes, or leave them out."
        )
