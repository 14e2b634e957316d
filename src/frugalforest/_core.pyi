"""
Compiled core of frugalforest: coded tables, and very many small exact forests.
"""

from collections.abc import Sequence
from typing import Annotated, overload

import numpy
from numpy.typing import NDArray


class CodedData:
    """A table whose columns are coded to the ranks of their values."""

    @property
    def n_rows(self) -> int: ...

    @property
    def n_columns(self) -> int: ...

    @property
    def bins(self) -> int | None:
        """
        Most ranks of a column, if they are bins of 8 bits; None if splits are exact.
        """

    @property
    def feature_keys(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """A number for each column that follows its content, not its place."""

    @property
    def n_codes(self) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """
        Ranks in use in each column; the code of a missing value is the next one.
        """

    def codes(self) -> Annotated[NDArray[numpy.uint16], dict(shape=(None, None), order='C')]:
        """A copy of the codes, a row for each column of the table."""

class Target:
    """Class labels and, if given, weights of the rows."""

    @property
    def n_classes(self) -> int: ...

    @property
    def n_rows(self) -> int: ...

class ForestSpec:
    """How the trees of a forest are grown, and how many."""

    @property
    def n_trees(self) -> int: ...

def code_columns(columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], max_codes: int = 65535) -> CodedData:
    """
    Code a table given column by column: array (n_columns, n_rows), NaN is missing.
    """

def make_target(labels: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], n_classes: int, weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)] | None) -> Target: ...

def make_spec(*, n_trees: int, max_depth: int, min_leaf: int, min_node: int = 1, n_draws: int, replace: bool, n_threads: int) -> ForestSpec: ...

@overload
def scratch_bytes(data: CodedData, target: Target, spec: ForestSpec) -> int:
    """Memory that a thread takes to grow trees and count their votes, about."""

@overload
def scratch_bytes(data: CodedData, target: NumberTarget, spec: ForestSpec) -> int:
    """
    Memory that a thread takes to grow trees and add up what they say, about.
    """

@overload
def run_batch(data: CodedData, target: Target, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], spec: ForestSpec, new_columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, keep_votes: bool, keep_shares: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None, None), order='C')]]:
    """
    Grow one forest a job: (oob_error, brier, n_unvoted, oob_votes, new_votes, oob_shares,
    new_shares).
    """

@overload
def run_batch(data: CodedData, target: NumberTarget, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], spec: ForestSpec, new_columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)] | None, keep_predictions: bool) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
    """
    Grow one forest a job: (mse, n_unpredicted, oob_predictions, new_predictions).
    """

@overload
def grow_forest(data: CodedData, target: Target, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, seed: int, spec: ForestSpec, keep_draws: bool) -> tuple[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]], Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], tuple[float, float, int], Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]]:
    """
    Grow one forest: (its arrays, OOB votes, OOB shares, (error, brier, n_unvoted), draws).
    """

@overload
def grow_forest(data: CodedData, target: NumberTarget, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, seed: int, spec: ForestSpec, keep_draws: bool) -> tuple[tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], float, int, Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')]]:
    """
    Grow one forest: (its arrays, OOB predictions, mse, n_unpredicted, draws).
    """

class LoadedForest:
    """A forest that predicts raw rows."""

    def votes(self, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> tuple[Annotated[NDArray[numpy.uint32], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')]]:
        """Votes and mean class shares for raw rows given column by column."""

def load_forest(tree_start: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], vote: Annotated[NDArray[numpy.uint16], dict(shape=(None,), order='C', device='cpu', writable=False)], mixed: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], shares: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_columns: int) -> LoadedForest:
    """
    Load a forest from its arrays; ValueError if they are not one on so many columns.
    """

@overload
def permutation_rises(data: CodedData, target: Target, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, seed: int, spec: ForestSpec, error_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]:
    """
    Per tree and column: additional wrong OOB rows after a shuffle, each with the weight of its
    class, and OOB rows.
    """

@overload
def permutation_rises(data: CodedData, target: NumberTarget, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, seed: int, spec: ForestSpec) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]:
    """
    Per tree and column: rise in the sum of squared OOB errors after a shuffle, and OOB rows.
    """

class ColumnWeights:
    """What columns and bundles of columns weigh."""

def make_column_weights(own: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], bundle: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], bundle_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], is_free: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], least: float) -> ColumnWeights: ...

def grow_ensemble(data: CodedData, target: Target, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], starts: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seeds: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], first_trees: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_trees: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_depths: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], most_columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], most_weights: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], zetas: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], weights: ColumnWeights, spec: ForestSpec) -> tuple[Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]]:
    """
    Bit-packed OOB votes (tree, class, word) and used columns (starts, columns) of trees.
    """

@overload
def forward_errors(data: CodedData, target: Target, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, candidates: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, spec: ForestSpec) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    OOB error of the forest on `columns` and one candidate more, for each candidate.
    """

@overload
def forward_errors(data: CodedData, target: NumberTarget, columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], max_features: int, candidates: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], seed: int, spec: ForestSpec) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
    """
    OOB mean squared error of the forest on `columns` and one candidate more, for each.
    """

class TreeTally:
    """Trees to choose from, by their votes and their weight."""

    def offers(self, chosen: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_trees: int, column_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], column_is_new: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], bundle_weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], most_weight: float, unvoted_is_wrong: bool, undominated_only: bool) -> tuple[float, Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]]:
        """(summed error of the chosen trees, trees, their gains, their weights)."""

def make_tally(planes: Annotated[NDArray[numpy.uint64], dict(shape=(None, None, None), order='C', device='cpu', writable=False)], target: Target, column_start: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], columns: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bundle_start: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bundles: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int) -> TreeTally: ...

class NumberTarget:
    """Numbers, kept as whole multiples of a unit."""

    @property
    def n_rows(self) -> int: ...

    @property
    def unit(self) -> float: ...

def make_number_target(numbers: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]) -> NumberTarget: ...

class LoadedNumberForest:
    """A forest that predicts numbers."""

    def predict(self, columns: Annotated[NDArray[numpy.float64], dict(shape=(None, None), order='C', device='cpu', writable=False)], n_threads: int) -> Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')]:
        """Predictions for raw rows given column by column."""

def load_number_forest(tree_start: Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C', device='cpu', writable=False)], column: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], left: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], threshold: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], missing_left: Annotated[NDArray[numpy.uint8], dict(shape=(None,), order='C', device='cpu', writable=False)], value: Annotated[NDArray[numpy.int64], dict(shape=(None,), order='C', device='cpu', writable=False)], scale: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], n_columns: int) -> LoadedNumberForest:
    """
    Load a forest from its arrays; ValueError if they are not one on so many columns.
    """

class Filling:
    """Weighted items of which a limit holds some, by lines over xi."""

    def fill(self, xi: float) -> Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')]:
        """The items that the limit holds, in the order in which they are taken."""

    def walk(self, swapping: Sequence[tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)]]]) -> tuple[Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint64], dict(shape=(None,), order='C')], Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C')], int, int]:
        """
        (first xi of each run of equal sets, starts in items, items, fills, pairs of lines compared).
        """

def make_filling(*, weight: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], sign: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], height: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], slope: Annotated[NDArray[numpy.float64], dict(shape=(None,), order='C', device='cpu', writable=False)], tie_order: Annotated[NDArray[numpy.uint32], dict(shape=(None,), order='C', device='cpu', writable=False)], bundle: Annotated[NDArray[numpy.int32], dict(shape=(None,), order='C', device='cpu', writable=False)], limit: float, taken: float) -> Filling: ...
