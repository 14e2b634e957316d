"""How much memory there is, and what a table would take: too much is refused in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from frugalforest.errors import DataError

__all__ = ["check_fits", "free_memory", "size_of"]

# Not worth asking the system for.
_ALWAYS_THERE = 2**20


def size_of(n_bytes: float) -> str:
    """A size to read.

    Examples
    --------
    >>> size_of(5_300_000_000), size_of(1200)
    ('5.3 GB', '1.2 kB')
    """
    size = float(n_bytes)
    for unit in ("bytes", "kB", "MB"):
        if size < 1000:
            return f"{size:.3g} {unit}"
        size /= 1000
    return f"{size:.3g} GB"


def check_fits(
    what: str, n_bytes: float, way_out: str, error: type[ValueError] = DataError
) -> None:
    """Refuse what takes more memory than there is.

    Parameters
    ----------
    what : str
        The subject of the message, with its size.
    n_bytes : float
        What it takes.
    way_out : str
        What to do, as a sentence.
    error : type of ValueError
        What is raised.

    Examples
    --------
    >>> check_fits("t.csv (2 GB)", 1e18, "Take some of its rows.")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    frugalforest.errors.DataError: t.csv (2 GB) would take about 1e+09 GB of memory, and ...
    """
    if n_bytes < _ALWAYS_THERE:
        return
    free = free_memory()
    if free is not None and n_bytes > free:
        raise error(
            f"{what} would take about {size_of(n_bytes)} of memory, and {size_of(free)} are free. "
            f"{way_out}"
        )


def free_memory() -> int | None:
    """Bytes that this process may still take; None if the system does not tell.

    What the machine has free, or less where a container or a batch system (control groups of
    Linux) allows less.
    """
    amounts = [*_of_machine(), *_of_groups()]
    return min(amounts) if amounts else None


def _of_machine() -> Iterator[int]:
    with suppress(OSError, ValueError, IndexError):
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                yield 1024 * int(line.split()[1])
                return
    with suppress(ValueError, OSError, AttributeError):  # other systems tell how much there is
        yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _of_groups(
    root: Path = Path("/sys/fs/cgroup"), own: Path = Path("/proc/self/cgroup")
) -> list[int]:
    """What each group that this process is in allows, beyond what the group takes already."""
    found: list[int] = []
    with suppress(OSError, ValueError):
        for line in own.read_text(encoding="utf-8").splitlines():
            _, controllers, path = line.split(":", 2)
            if controllers == "":
                base, names = root, ("memory.max", "memory.current")
            elif "memory" in controllers.split(","):
                base, names = root / "memory", ("memory.limit_in_bytes", "memory.usage_in_bytes")
            else:
                continue
            group = base / path.strip("/")
            # In a container, the path is that outside of it, and the group is the root.
            for folder in dict.fromkeys((group, *group.parents)):
                if folder.is_relative_to(base):
                    with suppress(OSError, ValueError):
                        found.append(_left_in(folder, *names))
    return found


def _left_in(folder: Path, limit: str, used: str) -> int:
    """Raises ValueError if there is no limit ("max")."""
    most = int((folder / limit).read_text(encoding="ascii"))
    taken = int((folder / used).read_text(encoding="ascii"))
    # Copies of files that can be dropped at any time count as taken.
    files = 0
    for line in (folder / "memory.stat").read_text(encoding="ascii").splitlines():
        name, _, value = line.partition(" ")
        if name == "inactive_file":
            files = int(value)
    return max(0, most - taken + files)
