"""What a choice is asked for: options and methods, as they come to for one table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from frugalforest.comparison.options import Options
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings, bins_for
from frugalforest.evaluation.parts import search_rows_for, trees_for
from frugalforest.methods import (
    Forward,
    Method,
    RatioMethod,
    check_methods,
    check_xi,
    default_methods,
    find_methods,
)
from frugalforest.model.final import Final, read_final
from frugalforest.scores import ClassWeight, Score, forests_for, read_scoring
from frugalforest.tables import Outcome, Table

__all__ = ["Plan", "make_plan"]


@dataclass(frozen=True)
class Plan:
    """All that a task needs besides its rows: the options, and what they come to for this table.

    Trees and bins are settled for all rows: what is chosen on parts of them is chosen in the same
    way.
    """

    budgets: tuple[Budget, ...]
    methods: tuple[Method, ...]
    options: Options
    score: Score
    n_trees: int
    seed: int
    final: Final | None = None
    class_weight: ClassWeight = None
    bins: int | None = None  # of columns, in all forests; None if splits are exact
    search_rows: int | None = None  # that sets are looked for on; None for all

    @property
    def xi(self) -> float | None:
        """The weight of cost, if it is not tuned."""
        return None if isinstance(self.options.xi, str) else float(self.options.xi)

    @property
    def final_of_tuned(self) -> Final | None:
        """The final model of methods that are not judged on rows left out."""
        return read_final(self.options.final, self.score.task)

    @property
    def forests(self) -> ForestSettings:
        """The forests that sets are compared by."""
        leaf = self.options.min_samples_leaf
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
        return method == _by_name(type(method), self.n_trees, replace(self.options, racing=False))

    def to_dict(self) -> dict[str, Any]:
        """The plan as JSON: what kept results depend on."""
        leaf, tuned = self.options.min_samples_leaf, self.final_of_tuned
        return {
            "budgets": [budget.limit for budget in self.budgets],
            "methods": [[method.name, asdict(method)] for method in self.methods],  # type: ignore[call-overload]
            "scoring": self.score.name,
            **asdict(self.score),
            "n_trees": self.n_trees,
            "seed": self.seed,
            **({} if self.final is None else {"final": self.final.name}),
            **({} if tuned is None else {"final_of_tuned": tuned.name}),
            **({} if self.class_weight is None else {"class_weight": self.class_weight}),
            **({} if self.bins is None else {"bins": self.bins}),
            **({} if leaf == 1 else {"min_samples_leaf": leaf}),
            **({} if self.search_rows is None else {"search_rows": self.search_rows}),
        }


def make_plan(
    table: Table,
    outcome: Outcome,
    budgets: Sequence[Budget],
    methods: object,
    options: Options,
) -> Plan:
    """Check what is asked for. Without methods it is the usual ones, for tables of this size."""
    n_trees = trees_for(options.n_trees, table.n_rows)
    if methods is None:
        size = table.n_rows, len(table.names)
        methods = default_methods(*size, options.racing, outcome.task)
    options = replace(options, random_state=options.seed)
    found = find_methods(methods, lambda kind: _by_name(kind, n_trees, options))
    check_methods(found, outcome.task)
    asked = options.scoring, options.error_costs, options.class_weight
    score, class_weight = read_scoring(outcome, *asked)
    final = options.final
    if final is None and outcome.task == "classification":
        final = _usual_final(found)
    return Plan(
        budgets=tuple(sorted(set(budgets))),
        methods=found,
        options=options,
        score=score,
        n_trees=n_trees,
        seed=options.seed,
        final=read_final(final, outcome.task),
        class_weight=class_weight,
        bins=bins_for(options.bins, table.n_rows),
        search_rows=search_rows_for(options.search_rows, table.n_rows),
    )


def _usual_final(methods: Sequence[Method]) -> str:
    """The paper's methods hand over the forest; what is judged on rows left out may do better."""
    return "auto" if any(method.judged_on_rows_left_out for method in methods) else "forest"


def _by_name(kind: type[Method], n_trees: int, options: Options) -> Method:
    """A method given by its name: its forests in proportion, ξ tuned or fixed."""
    method = kind().scaled_to(n_trees)
    if isinstance(method, RatioMethod) and not isinstance(options.xi, str):
        method = replace(method, xis=(check_xi(options.xi),))
    return replace(method, racing=options.racing) if isinstance(method, Forward) else method
