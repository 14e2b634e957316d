"""A step of forward selection: forests on a set of columns and one column more."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalforest import _core
from frugalforest.engine.batches import score_sets
from frugalforest.engine.coding import CodedData, NumberTarget, Target
from frugalforest.engine.column_sets import ColumnIndices, column_indices
from frugalforest.engine.numbers import NUMBER_FORESTS, score_number_sets
from frugalforest.engine.settings import ForestSettings

__all__ = ["forward_errors"]


def forward_errors(
    data: CodedData,
    target: Target | NumberTarget,
    features: ColumnIndices,
    candidates: ColumnIndices,
    seed: int,
    settings: ForestSettings | None = None,
    *,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """Out-of-bag error of the forest on `features` and one candidate more, for each candidate.

    The mean squared error, if the target is numbers. The same as from `score_sets`, several times
    faster: only what the new feature changes in the trees is grown again.

    Examples
    --------
    >>> from frugalforest.engine import code_table, code_target
    >>> X = [[0, 5, 1], [0, 6, 2], [1, 5, 3], [1, 6, 4]] * 25
    >>> data, target = code_table(X), code_target([0, 0, 1, 1] * 25, n_classes=2)
    >>> forward_errors(data, target, [1], [0, 2], seed=1)
    array([0., 0.])
    """
    if isinstance(target, NumberTarget):
        settings = settings or NUMBER_FORESTS
    else:
        settings = settings or ForestSettings()
    if len(features) == 0:
        sets, seeds = [[j] for j in candidates], [seed] * len(candidates)
        if isinstance(target, NumberTarget):
            return score_number_sets(data, target, sets, seeds, settings, n_jobs=n_jobs).mse
        return score_sets(data, target, sets, seeds, settings, n_jobs=n_jobs).oob_error
    return _core.forward_errors(
        data,
        target,
        column_indices(features, data.n_columns),
        settings.features_per_split(len(features) + 1),
        column_indices(candidates, data.n_columns),
        int(seed),
        settings.spec(data, target, n_jobs),
    )
