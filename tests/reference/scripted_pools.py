"""Pools that say what they are told to: for tests of what is chosen from them."""

import numpy as np

from frugalforest.choice import Configuration, PackedShares, Pool, PooledSet
from frugalforest.evaluation.resampling import Split
from frugalforest.tables import Classes

__all__ = ["LABELS", "N_ROWS", "OUTCOME", "halves", "packed", "scripted"]

N_ROWS = 40
LABELS = np.arange(N_ROWS) % 2
OUTCOME = Classes(LABELS, np.arange(2))


def packed(losses):
    """Votes that are wrong where a row is lost, for the rows of either half.

    Or, as whole numbers, how many of ten votes are wrong.
    """
    wrong = np.array(losses)
    shares = np.empty((*wrong.shape, 2), dtype=wrong.dtype)
    labels = np.broadcast_to(LABELS[: wrong.shape[1]], wrong.shape)
    total = 1 if wrong.dtype.kind == "f" else 10
    np.put_along_axis(shares, labels[..., None], total - wrong[..., None], axis=2)
    np.put_along_axis(shares, 1 - labels[..., None], wrong[..., None], axis=2)
    return PackedShares.of(shares)


def scripted(
    errors,
    out_of_bag,
    costs,
    losses=None,
    may_be_empty=False,
    baseline=None,
    graded=None,
    powers=None,
):
    """A pool of one-feature sets, one a search, with an inner budget of 1 each.

    Without `powers` all rows have the same grade.
    """
    n = len(errors)
    graded = out_of_bag if graded is None else graded
    powers = [0.0] * n if powers is None else powers
    if losses is None:  # for the rows left out: the first of them are wrong
        n_test = N_ROWS // 2
        losses = [[1.0] * round(e * n_test) + [0.0] * (n_test - round(e * n_test)) for e in errors]
    return Pool(
        tuple(PooledSet((j,), costs[j], out_of_bag[j], graded[j], powers[j]) for j in range(n)),
        tuple(Configuration("linear", f"search {j}", None, "", 1.0) for j in range(n)),
        tuple(range(n)),
        {"1.0": (1.0,)},
        packed(losses),
        may_be_empty,
        baseline,
    )


def halves():
    rows = np.arange(N_ROWS)
    return [Split(rows[20:], rows[:20]), Split(rows[:20], rows[20:])]
