"""Uniform costs for a table that has no prices."""

import numpy as np
from numpy.typing import NDArray

from frugalforest.datasets._draws import stream, whole_number

__all__ = ["COST_RANGE", "draw_costs"]

COST_RANGE = (0.1, 1.0)


def draw_costs(n_features: int, seed: int) -> NDArray[np.float64]:
    """Independent costs, uniform between 0.1 and 1, for a table that has no prices.

    The costs depend on `seed` and on nothing else: give every data set its own seed, or the first
    columns of all of them cost the same.

    Parameters
    ----------
    n_features : int
    seed : int

    Returns
    -------
    array of shape (n_features,)

    Examples
    --------
    >>> costs = draw_costs(57, seed=3)
    >>> costs.shape, bool(costs.min() >= 0.1), bool(costs.max() <= 1)
    ((57,), True, True)
    """
    n_features = whole_number("n_features", n_features, 1)
    seed = whole_number("seed", seed, 0)
    return stream("independent costs", seed).uniform(*COST_RANGE, n_features)
