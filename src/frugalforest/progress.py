"""A progress bar on a terminal; silence in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(total: int, verbose: int, done: int = 0) -> Iterator[Callable[[str], None]]:
    """Yield a function to call with a word on what was finished.

    Nothing is shown if `verbose` is 0 or standard error is not a terminal.

    Examples
    --------
    >>> with progress_bar(total=2, verbose=0) as advance:
    ...     advance("first")
    """
    if not verbose or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("left:"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("starting", total=total, completed=done)
        yield lambda word: bar.update(task, advance=1, description=word)
