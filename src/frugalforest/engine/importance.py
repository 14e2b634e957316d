"""Permutation importance."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest import _core
from frugalforest.engine.coding import CodedData, NumberTarget, Target
from frugalforest.engine.column_sets import ColumnIndices, column_indices
from frugalforest.engine.numbers import NUMBER_FORESTS
from frugalforest.engine.settings import ForestSettings

__all__ = ["permutation_gains"]


def permutation_gains(
    data: CodedData,
    target: Target | NumberTarget,
    features: ColumnIndices,
    seed: int,
    settings: ForestSettings | None = None,
    *,
    error_weights: ArrayLike | None = None,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Permutation importance of each of `features` in one forest on all of them.

    The mean over trees of the rise in the tree's own out-of-bag error when the feature is
    shuffled among the tree's out-of-bag rows. Not scaled. A tree without out-of-bag rows counts 0.
    The error is the share of rows that are wrong, or, if the target is numbers, the mean squared
    error. `error_weights` says what an error in a row of each class counts; one each by default.

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> useful, useless = permutation_gains(data, target, [0, 1], seed=1)
    >>> bool(useful > 0.2), bool(abs(useless) < 0.05)
    (True, True)
    """
    columns = column_indices(features, data.n_columns)
    if isinstance(target, NumberTarget):
        if error_weights is not None:
            raise ValueError("`error_weights` are for classes: the target is numbers.")
        settings = settings or NUMBER_FORESTS
        rises, n_oob = _core.permutation_rises(
            data,
            target,
            columns,
            settings.features_per_split(len(columns)),
            int(seed),
            settings.spec(data, target, n_jobs),
        )
    else:
        settings = settings or ForestSettings()
        weights = np.ones(target.n_classes) if error_weights is None else error_weights
        rises, n_oob = _core.permutation_rises(
            data,
            target,
            columns,
            settings.features_per_split(len(columns)),
            int(seed),
            settings.spec(data, target, n_jobs),
            np.asarray(weights, dtype=np.float64),
        )
    return np.asarray((rises / np.maximum(n_oob, 1)[:, None]).mean(axis=0))
