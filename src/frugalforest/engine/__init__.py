"""Random forests from the compiled core: batches of them, and `Forest` for one.

This package is the only user of ``frugalforest._core``. It knows no names, prices or budgets.

::

    X ── code_table ──► CodedData ─┐
                                   ├─► score_sets         one forest a column set, its OOB scores
    y ── code_target ─► Target ────┤   forward_errors     one forest more a candidate column
                                   │   permutation_gains  permutation importance of each column
                                   │   grow_forest        one forest to keep, and its OOB scores
                                   └─► grow_shallow       votes and columns of shallow trees

Numbers are coded by `code_numbers`; for them there are `score_number_sets` and
`grow_number_forest`, and the same `forward_errors` and `permutation_gains`.

A forest is a pure function of (data, column set, seed, settings): not of the number of threads, or
of what else is in the batch. Column sets can therefore be scored once and remembered. Nor does it
depend on the order of the columns, but for columns that put all rows in the same order (copies, or
a value and its logarithm): random draws tell these apart by which of them comes first.
"""

from frugalforest.engine.batches import BatchScores, score_sets
from frugalforest.engine.coding import (
    CodedData,
    NumberTarget,
    Target,
    bins_for,
    code_numbers,
    code_table,
    code_target,
)
from frugalforest.engine.filling import Filling
from frugalforest.engine.forest import Forest
from frugalforest.engine.forward import forward_errors
from frugalforest.engine.grown import (
    ForestScores,
    GrownForest,
    forest_without_columns,
    grow_forest,
)
from frugalforest.engine.importance import permutation_gains
from frugalforest.engine.numbers import (
    NUMBER_FORESTS,
    GrownNumberForest,
    NumberBatchScores,
    NumberScores,
    grow_number_forest,
    score_number_sets,
)
from frugalforest.engine.parameters import n_threads, seed_from
from frugalforest.engine.regression import RegressionForest
from frugalforest.engine.settings import ForestSettings
from frugalforest.engine.shallow import ColumnWeights, ShallowPart, ShallowTrees, grow_shallow
from frugalforest.engine.tally import TreeTally

__all__ = [
    "NUMBER_FORESTS",
    "BatchScores",
    "CodedData",
    "ColumnWeights",
    "Filling",
    "Forest",
    "ForestScores",
    "ForestSettings",
    "GrownForest",
    "GrownNumberForest",
    "NumberBatchScores",
    "NumberScores",
    "NumberTarget",
    "RegressionForest",
    "ShallowPart",
    "ShallowTrees",
    "Target",
    "TreeTally",
    "bins_for",
    "code_numbers",
    "code_table",
    "code_target",
    "forest_without_columns",
    "forward_errors",
    "grow_forest",
    "grow_number_forest",
    "grow_shallow",
    "n_threads",
    "permutation_gains",
    "score_number_sets",
    "score_sets",
    "seed_from",
]
