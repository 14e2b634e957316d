"""Which weighted items a limit holds, taken by the height of their lines over ξ."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from frugalforest import _core

__all__ = ["Filling"]

Numbers = NDArray[np.float64]


class Filling:
    """Items that are taken by their lines, the highest first, skipping what does not fit.

    There are two variants of each item: as the first of its bundle, which weighs more, and as a
    later one. All items as the first come before all items as a later one.

    Parameters
    ----------
    weight, sign, height, slope : ndarray of float64, shape (2 · n_items,)
        The line of a variant is height − ξ · slope; one of a higher sign (1, 0, −1) is above.
    tie_order : ndarray of int, shape (2 · n_items,)
        All variants; of equal lines, the first is taken first.
    bundle : ndarray of int, shape (n_items,)
        Numbers below n_items; −1 is none.
    limit : float
    taken : float
        What weighs on the limit from the start.

    Attributes
    ----------
    n_fills, n_pairs : int
        What the last walk took: how often the limit was filled, and pairs of lines compared.

    Examples
    --------
    >>> weight = np.array([4.0, 1.0, 4.0, 1.0])
    >>> height, slope = np.log([0.4, 0.2, 0.4, 0.2]), np.log(weight)
    >>> items = Filling(weight, np.ones(4), height, slope, np.arange(4), np.array([-1, -1]), 4, 0)
    >>> items.fill(0.0), items.fill(1.0)
    (array([0], dtype=uint32), array([1], dtype=uint32))
    >>> list(items.walk([(height[:2], slope[:2])]))  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    [(0.0, array([0], dtype=uint32)), (0.75, array([1], dtype=uint32))]
    """

    def __init__(
        self,
        weight: Numbers,
        sign: Numbers,
        height: Numbers,
        slope: Numbers,
        tie_order: NDArray[np.intp],
        bundle: NDArray[np.intp],
        limit: float,
        taken: float,
    ) -> None:
        self.n_fills = self.n_pairs = 0
        self._items = _core.make_filling(
            weight=np.ascontiguousarray(weight),
            sign=np.ascontiguousarray(sign),
            height=np.ascontiguousarray(height),
            slope=np.ascontiguousarray(slope),
            tie_order=tie_order.astype(np.uint32),
            bundle=bundle.astype(np.int32),
            limit=limit,
            taken=taken,
        )

    def fill(self, xi: float) -> NDArray[np.uint32]:
        """The items that are taken, in the order in which they are."""
        return self._items.fill(xi)

    def walk(
        self, swapping: Sequence[tuple[Numbers, Numbers]]
    ) -> Iterator[tuple[float, NDArray[np.uint32]]]:
        """For each run of equal sets along ξ: the first ξ looked at, and what is taken there.

        Parameters
        ----------
        swapping : sequence of (heights, slopes)
            Sets are looked at in the middle between ξ at which two lines of a pair of these swap
            places: the lines of one sign each.
        """
        xis, start, items, self.n_fills, self.n_pairs = self._items.walk(list(swapping))
        yield from zip(xis.tolist(), np.split(items, start[1:-1]), strict=True)
