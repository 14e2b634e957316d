"""Problem: a table, its outcome, its prices and its seeds, checked once.

Everything that is computed about a problem is remembered in it, so that methods, budgets and
values of ξ share it: the out-of-bag scores of a feature set, importances, ensembles of trees.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import CostModel, Prices
from frugalforest.engine import (
    CodedData,
    ForestSettings,
    NumberTarget,
    Target,
    code_table,
    forward_errors,
    seed_from,
)
from frugalforest.errors import DataError
from frugalforest.running.seeds import derive_seed
from frugalforest.scores import Forests, OobScore, Score, forests_for, read_scoring
from frugalforest.tables import Encoder, Outcome, Table

__all__ = ["FeatureSet", "Problem"]

# Column indices, ascending: one feature set, one key.
FeatureSet = tuple[int, ...]

T = TypeVar("T")

# Votes or class shares of so many bytes are kept at once.
_MOST_SHARES = 2**28


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
        score: Score | None = None,
        n_jobs: int | None = None,
        sample_weight: NDArray[np.float64] | None = None,
    ) -> Self:
        """Check a table, an outcome and a price list, and put them together.

        Parameters
        ----------
        X : Table, data frame or array of shape (n_rows, n_features)
        y : Outcome, or array-like of shape (n_rows,)
            Classes, unless it is an outcome of another kind.
        costs : Prices, scalar, array, mapping, Series, CostModel or None
            One each by default.
        random_state, forests, score, n_jobs, sample_weight
            See the attributes.
        """
        table = X if isinstance(X, Table) else Table.read(X)
        outcome = y if isinstance(y, Outcome) else Outcome.read(y)
        if outcome.n_rows != table.n_rows:
            raise DataError(
                f"y has {outcome.n_rows} {outcome.noun}s, but X has {table.n_rows} rows: one each."
            )
        prices = (
            costs
            if isinstance(costs, Prices)
            else CostModel.coerce(costs, table.names).align(table.names)
        )
        settings = forests or forests_for(outcome).default
        seed = seed_from(random_state)
        own = read_scoring(outcome, None)[0] if score is None else score
        return cls(table, outcome, prices, seed, settings, own, n_jobs, sample_weight)

    def on_rows(self, rows: NDArray[np.intp], seed: int) -> Problem:
        """The same problem with some of the rows; splits are exact, or not, as with all of them."""
        return Problem(
            self.table.rows(rows),
            self.outcome.rows(rows),
            self.prices,
            seed,
            self.forests.for_rows(self.table.n_rows),
            self.score,
            self.n_jobs,
            None if self.sample_weight is None else self.sample_weight[rows],
        )

    def with_columns(self, features: FeatureSet) -> Problem:
        """The same problem with some of the columns, at prices of one each."""
        table = self.table.select([self.table.names[j] for j in features])
        return Problem(
            table,
            self.outcome,
            CostModel.coerce(None, table.names).align(table.names),
            self.seed,
            self.forests,
            self.score,
            self.n_jobs,
            self.sample_weight,
        )

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
    def target(self) -> Target | NumberTarget:
        """The outcome as the engine reads it."""
        return self._kind.target(self.outcome, self.sample_weight)

    @property
    def class_target(self) -> Target:
        """The same, where it is classes: what asks for it knows no other kind."""
        _ = self.outcome.as_classes
        assert isinstance(self.target, Target)
        return self.target

    @property
    def _kind(self) -> Forests:
        return forests_for(self.outcome)

    def small_forests(self, n_trees: int, min_samples_leaf: int = 1) -> ForestSettings:
        """Forests of a method's own, grown as those of this kind of outcome are by default."""
        return replace(self._kind.default, n_trees=n_trees, min_samples_leaf=min_samples_leaf)

    @property
    def n_features(self) -> int:
        """Columns of the table."""
        return len(self.table.names)

    @property
    def error_weights(self) -> NDArray[np.float64] | None:
        """What an error in a row of each class counts, where only errors can be counted."""
        return self.score.error_weights(self.outcome.known)

    def quoted(self, losses: NDArray[np.float64]) -> NDArray[np.float64]:
        """Mean losses as the score is quoted."""
        return np.asarray(self.score.quoted(losses, self.outcome.unit))

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
            self._scores[(), settings] = self._kind.of_nothing(self.score, self.outcome)
        self._grow(new, settings)
        return [self._scores[s, settings] for s in wanted]

    def predict(
        self,
        feature_sets: Sequence[FeatureSet],
        new_rows: Table,
        forests: ForestSettings | None = None,
    ) -> NDArray[Any]:
        """What the score looks at, of each set's forest for new rows: votes, shares or numbers.

        Of shape (n_sets, n_new_rows, width). The forests are those that the sets are scored
        with.
        """
        settings = forests or self.forests
        parts = self._grow(feature_sets, settings, self.encoder.transform(new_rows))
        shape = (0, new_rows.n_rows, self.outcome.width)
        found = [new for _, new in parts if new is not None]
        return np.concatenate(found) if found else np.empty(shape)

    def out_of_bag(
        self,
        feature_sets: Sequence[FeatureSet],
        forests: ForestSettings | None = None,
        new_rows: Table | None = None,
    ) -> Iterator[tuple[NDArray[Any], NDArray[Any] | None]]:
        """What the score looks at, of each set's forest: out of bag, and for new rows.

        Each of shape (n_rows, width). Rows without an out-of-bag vote have zeros.
        """
        values = None if new_rows is None else self.encoder.transform(new_rows)
        for own, new in self._grow(feature_sets, forests or self.forests, values, keep_own=True):
            for i, evidence in enumerate(np.nan_to_num(own)):
                yield evidence, None if new is None else new[i]

    def brief_scores(
        self,
        feature_sets: Sequence[FeatureSet],
        purpose: str,
        settings: ForestSettings,
        score: Score | None = None,
    ) -> NDArray[np.float64]:
        """The mean loss of each set by forests of its own, which are not remembered.

        Parameters
        ----------
        purpose : str
            What they are for: their seed follows from it.
        settings : ForestSettings
        score : Score, optional
            The problem's own by default.
        """
        score = score or self.score
        seed, found = self.seed_for(purpose), []
        for sets in self._in_parts(feature_sets, score, keep_said=False):
            own = score, self.outcome, self.data, self.target, sets, seed, settings
            found.append(self._kind.brief(*own, n_jobs=self.n_jobs))
        return np.concatenate(found) if found else np.empty(0)

    def extended_scores(
        self,
        features: Sequence[int],
        candidates: Sequence[int],
        purpose: str,
        settings: ForestSettings,
    ) -> NDArray[np.float64]:
        """The mean loss of a set and one candidate more, for each, as `brief_scores` has it.

        Errors and squared errors have a way of their own, which grows again only what a candidate
        changes in the trees: several times faster.
        """
        each = self._kind.of_regrown(self.score, self.outcome)
        if each is not None:
            seed = self.seed_for(purpose)
            errors = forward_errors(
                *(self.data, self.target, features, candidates, seed, settings), n_jobs=self.n_jobs
            )
            return errors * each
        sets = [tuple(sorted((*features, j))) for j in candidates]
        return self.brief_scores(sets, purpose, settings)

    def _grow(
        self,
        sets: Sequence[FeatureSet],
        settings: ForestSettings,
        new_rows: NDArray[np.float64] | None = None,
        keep_own: bool = False,
    ) -> list[tuple[Any, Any]]:
        """Score sets; what is said out of bag, if that is kept, and of new rows, in parts."""
        self.n_forests += len(sets)
        keep_new = new_rows is not None
        n_new_rows = 0 if new_rows is None else len(new_rows)
        found = []
        for part in self._in_parts(sets, self.score, keep_own or keep_new, n_new_rows):
            own = self.score, self.outcome, self.data, self.target, part, self.forest_seed, settings
            grown = self._kind.grow(*own, new_rows, keep_own, self.n_jobs)
            for features, score in zip(part, grown.scores, strict=True):
                self._scores[features, settings] = score
            if keep_own or keep_new:
                found.append((grown.own, grown.new))
        return found

    def _in_parts(
        self, sets: Sequence[FeatureSet], score: Score, keep_said: bool, n_new_rows: int = 0
    ) -> list[Sequence[FeatureSet]]:
        """All at once, unless something is kept of rows that takes too much memory."""
        if not self._kind.keeps_rows(score, keep_said):
            return [sets] if len(sets) else []
        each = 8 * (self.outcome.n_rows + n_new_rows) * self.outcome.width
        most = max(1, _MOST_SHARES // each)
        return [sets[i : i + most] for i in range(0, len(sets), most)]
