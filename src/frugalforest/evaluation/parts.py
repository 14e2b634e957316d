"""Parts of a large table: few rows to search on, more for the better sets, all for the best.

What a few thousand rows cannot tell apart is hardly worth telling apart, and a search looks at
hundreds of sets. So it sees a part of the rows. What it finds is raced on parts that grow, and the
last few sets are judged on all rows: forests grown on most of them are tested on the others, none
of which any step of the search or the race has seen::

    rows of a class, in random order:  |search|··race··|·······race·······| ... |  held out  |
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import Split
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.running.seeds import derive_seed

__all__ = ["Parts", "make_parts", "search_rows_for", "trees_for"]

# Tables of up to so many rows are searched whole: those whose splits are exact, too.
_MOST_ROWS_TO_SEARCH_WHOLE = 20_000
_SEARCH_ROWS = 5_000
_FEWEST_SEARCH_ROWS = 10
_FEWEST_ROWS_OF_A_CLASS = 2
# The parts of the race have so many times the rows of the one before.
_GROWTH = 4
_HELD_OUT = 0.2
_MOST_TRIES = 200

_TREES, _FEWEST_TREES = 1000, 100
# In all trees of a forest together: what a table of the most rows to search whole has.
_TREE_ROWS = _TREES * _MOST_ROWS_TO_SEARCH_WHOLE


@dataclass(frozen=True, eq=False)
class Parts:
    """Rows of a large table, by what they are for.

    Attributes
    ----------
    search : ndarray of int
        Rows that sets are proposed and compared on.
    race : tuple of ndarray of int
        Growing parts, each with all rows of the one before it.
    final : Split
        Rows held out from search and race, and all the others.
    """

    search: NDArray[np.intp]
    race: tuple[NDArray[np.intp], ...]
    final: Split


def search_rows_for(search_rows: object, n_rows: int) -> int | None:
    """What `search_rows` means for a table of so many rows: how many are searched, None for all.

    Examples
    --------
    >>> search_rows_for("auto", 500), search_rows_for("auto", 100_000)
    (None, 5000)
    >>> search_rows_for(None, 100_000), search_rows_for(2000, 10_000)
    (None, 2000)
    """
    if search_rows is None:
        return None
    if isinstance(search_rows, str) and search_rows == "auto":
        return _SEARCH_ROWS if n_rows > _MOST_ROWS_TO_SEARCH_WHOLE else None
    is_count = isinstance(search_rows, Integral) and not isinstance(search_rows, bool)
    if not is_count or int(search_rows) < _FEWEST_SEARCH_ROWS:  # type: ignore[call-overload]
        raise ValueError(
            f"`search_rows` is {search_rows!r}: it must be 'auto', a whole number from "
            f"{_FEWEST_SEARCH_ROWS} on, or None to search on all rows."
        )
    wanted = int(search_rows)  # type: ignore[call-overload]
    # A part that leaves less than the rows to hold out is no part.
    return wanted if wanted < (1 - _HELD_OUT) * n_rows else None


def trees_for(n_trees: int | None, n_rows: int) -> int:
    """The trees of a forest on so many rows, if it is not said how many.

    Examples
    --------
    >>> [trees_for(None, n_rows) for n_rows in (500, 20_000, 100_000, 1_000_000)]
    [1000, 1000, 200, 100]
    >>> trees_for(300, 1_000_000)
    300
    """
    if n_trees is not None:
        return n_trees
    return min(_TREES, max(_FEWEST_TREES, _TREE_ROWS // max(1, n_rows)))


def make_parts(
    labels: NDArray[np.intp], search_rows: int, seed: int, groups: RowGroups | None = None
) -> Parts:
    """Random parts with the class shares kept, or of whole groups; of copies, both.

    Examples
    --------
    >>> parts = make_parts(np.arange(2000) % 2, 100, seed=0)
    >>> len(parts.search), [len(rows) for rows in parts.race], len(parts.final.test)
    (100, [400], 400)
    """
    rng = np.random.default_rng(derive_seed(seed, "parts"))
    share = search_rows / len(labels)
    if groups is None or groups.are_copies:
        of_row = slice(None) if groups is None else groups.number
        single = labels if groups is None else groups.of_single(labels)
        place, size = (each[of_row] for each in _places_in_class(single, rng))
        held_out = place >= size - np.minimum(np.maximum(1, np.round(_HELD_OUT * size)), size - 1)

        def part(share: float) -> NDArray[np.bool_]:
            n_rows = np.maximum(_FEWEST_ROWS_OF_A_CLASS, np.round(share * size))
            return (place < n_rows) & ~held_out

    else:
        position = _positions_of_groups(labels, share, rng, groups)
        held_out = position > 1 - _HELD_OUT

        def part(share: float) -> NDArray[np.bool_]:
            return (position <= share) & ~held_out

    shares: list[float] = []
    while (share_of_race := share * _GROWTH ** (len(shares) + 1)) < (1 - _HELD_OUT) / 2:
        shares.append(share_of_race)
    return Parts(
        np.flatnonzero(part(share)),
        tuple(np.flatnonzero(part(s)) for s in shares),
        Split(np.flatnonzero(~held_out), np.flatnonzero(held_out)),
    )


def _places_in_class(
    labels: NDArray[np.intp], rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """For each row its place in a random order of its class, and how many rows the class has."""
    place, size = np.empty(len(labels), dtype=np.intp), np.empty(len(labels), dtype=np.intp)
    for label in np.unique(labels):
        rows = np.flatnonzero(labels == label)
        place[rows], size[rows] = rng.permutation(len(rows)), len(rows)
    return place, size


def _positions_of_groups(
    labels: NDArray[np.intp], share: float, rng: np.random.Generator, groups: RowGroups
) -> NDArray[np.float64]:
    """For each row the share of the rows up to its group, in a random order of the groups."""
    number, n_groups = groups.number, groups.n_groups
    sizes = np.bincount(number)
    for _ in range(_MOST_TRIES):
        order = rng.permutation(n_groups)
        up_to = np.empty(n_groups)
        up_to[order] = np.cumsum(sizes[order]) / len(labels)
        position: NDArray[np.float64] = up_to[number]
        ends = position <= share, position > 1 - _HELD_OUT
        if all(len(np.unique(labels[end])) == len(np.unique(labels)) for end in ends):
            return position
    raise DataError(
        f"no {share:.0%} of the rows that are whole `row_groups` have every class, as the search "
        "on a part of the rows needs them: ask for more `search_rows`, or None for all."
    )
