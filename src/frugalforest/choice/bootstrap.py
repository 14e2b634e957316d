"""A choice made over and over, on rows drawn, and tested on the rows that were not drawn.

The winner's own mean error is too low, because it is the lowest of many. On rows drawn with
repetition the same choice is made again, and the error of what wins there is taken on the others
(bootstrap bias correction, Tsamardinos, Greasidou and Borboudakis 2018).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice.ways import Ways

__all__ = ["N_DRAWS", "Choices", "choose_again", "weights_of_wins"]

N_DRAWS = 500
_AT_ONCE = 50  # so many, that memory stays small with many rows


@dataclass(frozen=True, eq=False)
class Choices:
    """What each draw of the rows chooses.

    Attributes
    ----------
    winners : ndarray of int, shape (n_draws,)
        Number of the way.
    left : ndarray of shape (n_draws,)
        Its mean loss on the rows not drawn.
    """

    winners: NDArray[np.intp]
    left: NDArray[np.float64]


def choose_again(ways: Ways, numbers: NDArray[np.intp], seed: int) -> Choices:
    """Which of some ways is taken on the rows of each draw.

    Draws follow from the seed and the number of rows, so choices among other ways of the same rows
    are made on the same draws.
    """
    parts = []
    for times, left in _draws(ways.losses.shape[1], seed):
        winners = ways.winners(numbers, times.T / times.sum(axis=1))
        losses = (ways.losses[winners] * left).sum(axis=1) / left.sum(axis=1)
        parts.append((winners, losses))
    return Choices(*map(np.concatenate, zip(*parts, strict=True)))


def weights_of_wins(
    winners: NDArray[np.intp], n_rows: int, seed: int
) -> dict[int, NDArray[np.float64]]:
    """For each way that wins in a draw: what each row counts in the mean over the rows not drawn.

    Parameters
    ----------
    winners : ndarray of int, shape (n_draws,)
        One a draw, of those that follow from the seed.
    """
    weights: dict[int, NDArray[np.float64]] = {}
    lefts = (left for _, some in _draws(n_rows, seed) for left in some)
    for winner, left in zip(winners.tolist(), lefts, strict=True):
        weight = weights.setdefault(winner, np.zeros(n_rows))
        weight[left] += 1 / left.sum() / len(winners)
    return weights


def _draws(n_rows: int, seed: int) -> Iterator[tuple[NDArray[np.intp], NDArray[np.bool_]]]:
    """How often each row is drawn, and which are not, some draws at once."""
    if n_rows == 1:  # then there is no other row to test on
        yield np.ones((1, 1), dtype=np.intp), np.ones((1, 1), dtype=bool)
        return
    rng = np.random.default_rng(seed)
    for _ in range(N_DRAWS // _AT_ONCE):
        drawn = rng.integers(n_rows, size=(_AT_ONCE, n_rows))
        times = np.stack([np.bincount(rows, minlength=n_rows) for rows in drawn])
        left = times == 0
        some = left.any(axis=1)
        yield times[some], left[some]
