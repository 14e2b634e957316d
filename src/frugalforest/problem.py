"""Problem: a table, its outcome, its prices and its seeds, checked once.

Everything that is computed about a problem is remembered in it, so that methods, budgets and
values of ξ share it: the out-of-bag scores of a feature set, importances, ensembles of trees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import CostModel, Prices
from frugalforest.engine import (
    CodedData,
    ForestSettings,
    Target,
    code_table,
    code_target,
    forest_without_columns,
    score_sets,
    seed_from,
)
from frugalforest.errors import DataError
from frugalforest.scores import ERROR, OobScore, Score, oob_scores
from frugalforest.seeds import derive_seed
from frugalforest.tables import Encoder, Outcome, Table

__all__ = ["FeatureSet", "Problem"]

# Column indices, ascending: one feature set, one key.
FeatureSet = tuple[int, ...]

T = TypeVar("T")


@dataclass
class Problem:
    """A checked selection problem. Made by `from_table`.

    Attributes
    ----------
    table, outcome : Table, Outcome
        What it is made of.
    prices : Prices
        Prices bound to the table's columns.
    seed : int
        Every random number comes from it and from what it is for.
    forests : ForestSettings
        The forests by which feature sets are compared.
    score : Score
        What is compared.
    n_jobs : int or None
        Threads. Results do not depend on it.
    sample_weight : ndarray of shape (n_rows,) or None
        Weights of the rows while trees grow. Scores are not weighted.
    n_forests : int
        Forests grown so far to score sets or to predict with them.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> problem = Problem.from_table(X, ["no", "no", "yes", "yes"] * 25, costs=[3, 1])
    >>> problem.scores([(0,), (1,)])[0].oob_error
    0.0
    """

    table: Table
    outcome: Outcome
    prices: Prices
    seed: int
    forests: ForestSettings
    score: Score
    n_jobs: int | None
    sample_weight: NDArray[np.float64] | None = None
    n_forests: int = 0
    _scores: dict[tuple[FeatureSet, ForestSettings], OobScore] = field(
        default_factory=dict, repr=False
    )
    _remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_table(
        cls,
        X: Any,
        y: Any,
        costs: object = None,
        *,
        random_state: object = 0,
        forests: ForestSettings | None = None,
        score: Score = ERROR,
        n_jobs: int | None = None,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """Check a table, an outcome and a price list, and put them together.

        Parameters
        ----------
        X : Table, data frame or array of shape (n_rows, n_features)
        y : Outcome, or array-like of shape (n_rows,)
        costs : Prices, scalar, array, mapping, Series, CostModel or None
            One each by default.
        random_state, forests, score, n_jobs, sample_weight
            See the attributes.
        """
        table = X if isinstance(X, Table) else Table.read(X)
        outcome = y if isinstance(y, Outcome) else Outcome.read(y)
        if outcome.n_rows != table.n_rows:
            raise DataError(
                f"y has {outcome.n_rows} labels, but X has {table.n_rows} rows: one each."
            )
        prices = (
            costs
            if isinstance(costs, Prices)
            else CostModel.coerce(costs, table.names).align(table.names)
        )
        settings = forests or ForestSettings()
        seed = seed_from(random_state)
        return cls(table, outcome, prices, seed, settings, score, n_jobs, sample_weight)

    @cached_property
    def encoder(self) -> Encoder:
        """How text becomes numbers, learned from these rows."""
        return Encoder.fit(self.table, self.outcome)

    @cached_property
    def data(self) -> CodedData:
        """The columns as the engine reads them."""
        columns = self.encoder.transform(self.table)
        return code_table(columns, self.table.names, self.forests.bins)

    @cached_property
    def target(self) -> Target:
        """The outcome as the engine reads it."""
        return code_target(self.outcome.labels, self.outcome.n_classes, self.sample_weight)

    @property
    def n_features(self) -> int:
        """Columns of the table."""
        return len(self.table.names)

    def seed_for(self, *purpose: object) -> int:
        """A seed that depends on the problem's seed and on the purpose."""
        return derive_seed(self.seed, *purpose)

    @property
    def forest_seed(self) -> int:
        """The seed of every forest that a set is scored with, and of the final model.

        One seed for all sets: their forests share bootstrap samples, so differences between sets
        are less noisy than the scores.
        """
        return self.seed_for("scores")

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, computed once for each key."""
        if key not in self._remembered:
            self._remembered[key] = make()
        result: T = self._remembered[key]
        return result

    def scores(
        self, feature_sets: Iterable[FeatureSet], forests: ForestSettings | None = None
    ) -> list[OobScore]:
        """Out-of-bag scores of each set. Sets scored before are not scored again.

        `forests` says how precisely; by default as the problem's own.
        """
        settings = forests or self.forests
        wanted = [tuple(sorted(s)) for s in feature_sets]
        new = [s for s in dict.fromkeys(wanted) if (s, settings) not in self._scores]
        if () in new:
            new.remove(())
            self._scores[(), settings] = self._score_of_nothing()
        self._grow(new, settings)
        return [self._scores[s, settings] for s in wanted]

    def predict(
        self,
        feature_sets: Sequence[FeatureSet],
        new_rows: Table,
        forests: ForestSettings | None = None,
    ) -> NDArray[np.uint32]:
        """Votes of each set's forest for new rows, of shape (n_sets, n_new_rows, n_classes).

        The forests are those that the sets are scored with.
        """
        settings = forests or self.forests
        votes = self._grow(feature_sets, settings, self.encoder.transform(new_rows))
        assert votes is not None  # because there were new rows
        return votes

    def _score_of_nothing(self) -> OobScore:
        """Always naming the commonest class, as somebody does who measures nothing."""
        _, scores = forest_without_columns(self.outcome.counts)
        value = scores.oob_error if self.score is ERROR else scores.brier
        return OobScore(value, scores.oob_error, scores.brier, 0)

    def _grow(
        self,
        sets: Sequence[FeatureSet],
        settings: ForestSettings,
        new_rows: NDArray[np.float64] | None = None,
    ) -> NDArray[np.uint32] | None:
        self.n_forests += len(sets)
        batch = score_sets(
            self.data,
            self.target,
            sets,
            [self.forest_seed] * len(sets),
            settings,
            new_rows=new_rows,
            n_jobs=self.n_jobs,
        )
        for features, score in zip(sets, oob_scores(self.score, batch), strict=True):
            self._scores[features, settings] = score
        return batch.new_votes
