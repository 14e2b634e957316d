"""Problem: a table, its target, its prices and its seeds, checked once.

Everything that is computed about a problem is remembered in it, so that methods, budgets and
values of ξ share it: the out-of-bag scores of a feature set, importances, ensembles of trees.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest.costs import CostModel, Prices
from frugalforest.encoding import is_missing
from frugalforest.engine import (
    CodedData,
    ForestSettings,
    Target,
    code_table,
    code_target,
    score_sets,
    seed_from,
)
from frugalforest.errors import DataError

__all__ = ["FeatureSet", "OobScore", "Problem", "derive_seed", "encode_target"]

# Column indices, ascending: one feature set, one key.
FeatureSet = tuple[int, ...]

T = TypeVar("T")


def derive_seed(seed: int, *purpose: object) -> int:
    """A seed for one purpose: a hash of what the draw is for.

    Adding a purpose changes nobody else's numbers.

    Examples
    --------
    >>> derive_seed(0, "scores") == derive_seed(0, "importance")
    False
    """
    text = "/".join(["frugalforest", str(seed), *map(str, purpose)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")


def encode_target(y: ArrayLike) -> tuple[NDArray[np.intp], NDArray[Any]]:
    """Labels 0, 1, … and the classes they stand for; at least two.

    Examples
    --------
    >>> labels, classes = encode_target(["no", "yes", "no"])
    >>> labels.tolist(), classes.tolist()
    ([0, 1, 0], ['no', 'yes'])
    """
    # As objects: among texts, NumPy would turn a missing label (NaN) into the text "nan".
    values = np.asarray(y, dtype=None if hasattr(y, "dtype") else object)
    if values.ndim != 1:
        raise DataError(f"y has shape {values.shape}: it must hold one label for each row.")
    if len(values) == 0:
        raise DataError("the target is empty: it needs one label for each row.")
    missing = np.array([is_missing(value) for value in values.tolist()])
    if missing.any():
        raise DataError(
            f"the target is missing in {missing.sum()} rows, first in row {missing.argmax()}: "
            "remove those rows."
        )
    if values.dtype == object:
        values = np.asarray(values.tolist())
    if values.dtype == object:
        values = values.astype(str)
    classes, labels = np.unique(values, return_inverse=True)
    if len(classes) < 2:
        raise DataError(
            f"the target holds one class only ({str(classes[0])!r}): there is nothing to tell "
            "apart."
        )
    if len(classes) > max(20, len(values) // 10):
        raise DataError(
            f"the target has {len(classes)} different values in {len(values)} rows. It must hold "
            "classes, not measurements: is it the right column?"
        )
    return labels, classes


@dataclass(frozen=True)
class OobScore:
    """Out-of-bag scores of a forest on one feature set: selection scores, not error estimates."""

    oob_error: float
    brier: float
    n_unvoted: int


@dataclass
class Problem:
    """A checked selection problem.

    Attributes
    ----------
    data, target : CodedData, Target
        The coded table and labels.
    prices : Prices
        Prices bound to the table's columns.
    labels, classes : ndarray
        The label of each row as 0, 1, …, and what those stand for.
    seed : int
        Every random number comes from it and from what it is for.
    scoring : ForestSettings
        The forests by which feature sets are compared.
    n_jobs : int or None
        Threads. Results do not depend on it.

    Examples
    --------
    >>> X = [[0, 5], [0, 6], [1, 5], [1, 6]] * 25
    >>> problem = Problem.from_table(X, ["no", "no", "yes", "yes"] * 25, costs=[3, 1])
    >>> problem.scores([(0,), (1,)])[0].oob_error
    0.0
    """

    data: CodedData
    target: Target
    prices: Prices
    labels: NDArray[np.intp]
    classes: NDArray[Any]
    seed: int = 0
    scoring: ForestSettings = field(default_factory=ForestSettings)
    n_jobs: int | None = None
    _scores: dict[FeatureSet, OobScore] = field(default_factory=dict, repr=False)
    _remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def from_table(
        cls,
        X: ArrayLike,
        y: ArrayLike,
        costs: object = None,
        *,
        feature_names: Sequence[str] | None = None,
        random_state: object = 0,
        scoring: ForestSettings | None = None,
        n_jobs: int | None = None,
    ) -> Self:
        """Check a table, a target and a price list, and put them together.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_features)
            Numbers; NaN is missing.
        y : array-like of shape (n_rows,)
            At least two classes, and at most 20 or one for ten rows.
        costs : scalar, array, mapping, Series, CostModel or None
            One each by default.
        feature_names : sequence of str, optional
            Taken from the columns of a frame by default.
        random_state, scoring, n_jobs
            See the attributes.
        """
        if feature_names is None and hasattr(X, "columns"):
            feature_names = [str(name) for name in X.columns]
        data = code_table(X, feature_names)
        labels, classes = encode_target(y)
        if len(labels) != data.n_rows:
            raise DataError(f"y has {len(labels)} labels, but X has {data.n_rows} rows: one each.")
        prices = CostModel.coerce(costs, feature_names).align(feature_names, data.n_columns)
        return cls(
            data,
            code_target(labels, len(classes)),
            prices,
            labels,
            classes,
            seed_from(random_state),
            scoring or ForestSettings(),
            n_jobs,
        )

    @property
    def n_features(self) -> int:
        """Columns of the table."""
        return self.data.n_columns

    @property
    def chance_error(self) -> float:
        """Error of a vote in which all classes tie: what knowing nothing is worth."""
        return 1.0 - 1.0 / len(self.classes)

    def seed_for(self, *purpose: object) -> int:
        """A seed that depends on the problem's seed and on the purpose."""
        return derive_seed(self.seed, *purpose)

    def remember(self, key: Hashable, make: Callable[[], T]) -> T:
        """The result of `make`, computed once for each key."""
        if key not in self._remembered:
            self._remembered[key] = make()
        result: T = self._remembered[key]
        return result

    def scores(self, feature_sets: Iterable[FeatureSet]) -> list[OobScore]:
        """Out-of-bag scores of each set. Sets scored before are not scored again.

        All sets have the same seed, so their forests share bootstrap samples and differences
        between sets are less noisy than the scores.
        """
        wanted = [tuple(sorted(s)) for s in feature_sets]
        new = [s for s in dict.fromkeys(wanted) if s not in self._scores]
        seed = self.seed_for("scores")
        batch = score_sets(
            self.data, self.target, new, [seed] * len(new), self.scoring, n_jobs=self.n_jobs
        )
        for i, features in enumerate(new):
            self._scores[features] = OobScore(
                float(batch.oob_error[i]), float(batch.brier[i]), int(batch.n_unvoted[i])
            )
        return [self._scores[s] for s in wanted]
