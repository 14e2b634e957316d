"""What a comparison is asked for, checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np

from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import Forward, Method, RatioMethod, check_xi, find_methods
from frugalforest.model.final import Final, read_final
from frugalforest.scores import ClassWeight, Score, forests_for

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """All that a task needs besides its rows. `xi` is None if it is tuned."""

    budgets: tuple[Budget, ...]
    methods: tuple[Method, ...]
    xi: float | None
    score: Score
    n_trees: int
    seed: int
    final: Final | None = None
    class_weight: ClassWeight = None
    bins: int | None = None  # of columns, in all forests; None if splits are exact
    search_rows: int | None = None  # that sets are looked for on; None for all
    min_samples_leaf: int = 1

    @property
    def forests(self) -> ForestSettings:
        """The forests that sets are compared by."""
        leaf = self.min_samples_leaf
        default = forests_for(self.score.task).default
        return replace(default, n_trees=self.n_trees, min_samples_leaf=leaf, bins=self.bins)

    @property
    def tuned_methods(self) -> tuple[Method, ...]:
        """Methods whose sets are chosen among by their out-of-bag score."""
        return tuple(m for m in self.methods if not m.judged_on_rows_left_out)

    @property
    def judged_methods(self) -> tuple[Method, ...]:
        """Methods whose sets are chosen among by rows left out."""
        return tuple(m for m in self.methods if m.judged_on_rows_left_out)

    def is_default(self, method: Method) -> bool:
        """Whether the method's name alone, with this plan, means this very method."""
        return method == _by_name(type(method), self.n_trees, self.xi)

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON: what kept results depend on."""
        return {
            "budgets": [budget.limit for budget in self.budgets],
            "methods": [[method.name, asdict(method)] for method in self.methods],  # type: ignore[call-overload]
            "scoring": self.score.name,
            **asdict(self.score),
            "n_trees": self.n_trees,
            "seed": self.seed,
            **({} if self.final is None else {"final": self.final.name}),
            **({} if self.class_weight is None else {"class_weight": self.class_weight}),
            **({} if self.bins is None else {"bins": self.bins}),
            **({} if self.min_samples_leaf == 1 else {"min_samples_leaf": self.min_samples_leaf}),
            **({} if self.search_rows is None else {"search_rows": self.search_rows}),
        }


def make_plan(
    budgets: Sequence[float] | float,
    methods: object,
    xi: str | float,
    score: Score,
    n_trees: int,
    racing: bool,
    seed: int,
    final: object = None,
    class_weight: ClassWeight = None,
    bins: int | None = None,
    search_rows: int | None = None,
    min_samples_leaf: int = 1,
) -> Plan:
    """Check what `compare` was asked for."""
    limits = {Budget.read(b) for b in np.ravel(np.asarray(budgets, dtype=object)).tolist()}
    if not limits or not all(budget.is_limited for budget in limits):
        raise ValueError("`budgets` must hold at least one number, and no limit is no budget.")
    if isinstance(xi, str) and xi != "tune":
        raise ValueError(f"`xi` is {xi!r}: it must be 'tune' or a number.")
    fixed_xi = None if isinstance(xi, str) else check_xi(xi)
    n_trees = ForestSettings(n_trees=n_trees, min_samples_leaf=min_samples_leaf).n_trees

    def make(kind: type[Method]) -> Method:
        method = _by_name(kind, n_trees, fixed_xi)
        return replace(method, racing=racing) if isinstance(method, Forward) else method

    return Plan(
        tuple(sorted(limits)),
        find_methods(methods, make),
        fixed_xi,
        score,
        n_trees,
        seed,
        read_final(final),
        class_weight,
        bins,
        search_rows,
        min_samples_leaf=min_samples_leaf,
    )


def _by_name(kind: type[Method], n_trees: int, xi: float | None) -> Method:
    """A method given by its name: its forests in proportion, ξ tuned or fixed."""
    method = kind().scaled_to(n_trees)
    return (
        replace(method, xis=(xi,)) if xi is not None and isinstance(method, RatioMethod) else method
    )
