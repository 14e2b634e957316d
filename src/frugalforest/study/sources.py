"""Where a unit's data come from: the paper's generator, or a real set with drawn costs.

A seed is a hash of what the draw is for. It does not hold the setting, so that A and B (and C and
D) of one replicate differ in their costs only, and not the design either, so that the same unit in
two designs has the same numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from frugalforest.datasets import (
    DataSet,
    Spread,
    draw_costs,
    load_real,
    make_cost_classification,
)
from frugalforest.running.seeds import derive_seed

__all__ = ["Artificial", "Real", "Source", "UnitData"]

_STUDY_SEED = 0


@dataclass(frozen=True, eq=False)
class UnitData:
    """What the methods see, and the rows that nothing but the final forests sees."""

    X_train: NDArray[np.float64]
    y_train: NDArray[np.int64]
    X_test: NDArray[np.float64]
    y_test: NDArray[np.int64]
    costs: NDArray[np.float64]


@dataclass(frozen=True)
class Artificial:
    """One of the settings A to D. A draw is of effects, correlations and costs.

    All replicates of a draw share one test set.

    Examples
    --------
    >>> source = Artificial("B", n_train=50, n_test=70)
    >>> data = source.load(draw=0, replicate=3)
    >>> data.X_train.shape, data.X_test.shape
    ((50, 200), (70, 200))
    """

    name: str
    n_train: int = 500
    n_test: int = 5000
    n_features: int = 200
    n_relevant: int = 100
    n_blocks: int = 20
    spread: Spread = "variance"

    # Test rows are independent of the training rows: intervals need no correction.
    test_rows_overlap = False

    def seeds(self, draw: int, replicate: int) -> Mapping[str, int]:
        """The seed of each random part."""
        return {
            "design": derive_seed(_STUDY_SEED, "design", draw),
            "train": derive_seed(_STUDY_SEED, "train", draw, replicate),
            "test": derive_seed(_STUDY_SEED, "test", draw),
            "forests": derive_seed(_STUDY_SEED, "forests", draw, replicate),
        }

    def load(self, draw: int, replicate: int, data_dir: str | None = None) -> UnitData:
        """Draw the training and test set. `data_dir` is not needed."""
        seeds = self.seeds(draw, replicate)
        X_train, y_train, costs = self._draw(self.n_train, seeds["design"], seeds["train"])
        X_test, y_test, _ = self._draw(self.n_test, seeds["design"], seeds["test"])
        return UnitData(X_train, y_train, X_test, y_test, costs)

    def _draw(
        self, n_samples: int, design_seed: int, row_seed: int
    ) -> tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.float64]]:
        return make_cost_classification(
            self.name,
            n_samples,
            self.n_features,
            self.n_relevant,
            n_blocks=self.n_blocks,
            spread=self.spread,
            design_seed=design_seed,
            random_state=row_seed,
        )


@dataclass(frozen=True)
class Real:
    """One of the six real sets. A draw is of costs, a replicate is a split of the rows.

    Splits are random points as in the paper, not stratified, and the same for all cost draws.
    """

    name: str
    train_share: float = 2 / 3

    # Splits share rows: intervals over them need the correction of Nadeau and Bengio.
    test_rows_overlap = True

    def seeds(self, draw: int, replicate: int) -> Mapping[str, int]:
        """The seed of each random part."""
        return {
            "costs": derive_seed(_STUDY_SEED, "costs", self.name, draw),
            "split": derive_seed(_STUDY_SEED, "split", self.name, replicate),
            "forests": derive_seed(_STUDY_SEED, "forests", self.name, replicate),
        }

    def load(self, draw: int, replicate: int, data_dir: str | None = None) -> UnitData:
        """Read the set, split it and draw its costs."""
        seeds = self.seeds(draw, replicate)
        table = read_real(self.name, data_dir)
        rows = np.random.default_rng(seeds["split"]).permutation(len(table.y))
        n_train = round(self.train_share * len(rows))
        train, test = np.sort(rows[:n_train]), np.sort(rows[n_train:])
        return UnitData(
            table.X[train],
            table.y[train],
            table.X[test],
            table.y[test],
            draw_costs(table.X.shape[1], seeds["costs"]),
        )


Source = Artificial | Real


# A worker runs many units of one set, and reading a file takes as long as some of them.
@lru_cache(maxsize=8)
def read_real(name: str, data_dir: str | None) -> DataSet:
    """A real set, read once in each process."""
    return load_real(name, data_dir)
