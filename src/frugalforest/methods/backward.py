"""Backward elimination: let the worst go, until the rest can be paid.

Elimination by permutation importance, measured anew at each stage (`_elimination`), and, where only
a few features can be bought, a search by small forests among the last survivors (`_endgame`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from frugalforest.costs import Budget
from frugalforest.methods._base import Candidate, Method, Proposals, register
from frugalforest.methods._elimination import XIS, Elimination, elimination_candidates
from frugalforest.methods._endgame import Endgame, endgame_candidates
from frugalforest.methods._proposals import as_candidates
from frugalforest.methods._ratio import check_xis
from frugalforest.methods._selector import BudgetSelector
from frugalforest.problem import Problem
from frugalforest.words.formats import count

__all__ = ["Backward", "BackwardSelector"]


@register
@dataclass(frozen=True)
class Backward(Method):
    """Backward elimination as a method.

    Parameters
    ----------
    xis : sequence of float
        Weights of cost; a path of elimination each.
    n_trees : int
        Trees of the forests in which importance is measured.
    endgame : bool
        Whether the last survivors are searched.
    """

    xis: tuple[float, ...] = XIS
    n_trees: int = 100
    endgame: bool = True

    name: ClassVar[str] = "backward"
    label: ClassVar[str] = "Backward elimination"
    summary: ClassVar[str] = "lets the least important features go until the rest can be paid."
    number_words: ClassVar[tuple[str, str]] = (label, summary)
    colour: ClassVar[str] = "#882255"
    marker: ClassVar[str] = "plus"

    def __post_init__(self) -> None:
        xis = check_xis(self.xis)
        object.__setattr__(self, "xis", XIS if isinstance(xis, str) else xis)

    def propose(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        """Survivors of each ξ, bare and filled up, and what the endgame finds among the last."""
        how = Elimination(xis=self.xis, n_trees=self.n_trees)
        found = elimination_candidates(problem, budgets, how)
        last = endgame_candidates(problem, budgets, Endgame(how)) if self.endgame else {}
        return {
            budget: as_candidates(
                problem, budget, self.name, [*found[budget], *last.get(budget, [])]
            )
            for budget in budgets
        }

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        search = (
            " Where few features can be bought, all pairs of the last survivors, and the best of "
            "them with more features, are compared by small forests."
        )
        return (
            "Backward elimination starts from all features that could be bought (of more than "
            "2,000, from the 1,000 that look best alone, in pairs or in one large forest), "
            "measures their permutation importance in a random forest of "
            f"{count(self.n_trees, 'tree')}, lets the least important for their price go (15 % at "
            "a time, one at a time below ten), and measures the importance of the rest anew, until "
            "the rest can be paid."
            f"{search if self.endgame else ''}"
        )


class BackwardSelector(BudgetSelector):
    """Backward elimination by recomputed permutation importance, within a budget.

    Finds features that are worth something only together. What survives is filled up, as far as
    the budget goes, with those that left last.

    Parameters
    ----------
    {prices and ξ}
    n_trees : int, default=100
        Trees of the forests in which importance is measured.
    {draws}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = BackwardSelector(costs=[1, 2, 3] * 10, budget=5, random_state=0).fit(X, y)
    >>> selector.total_cost_ <= 5
    True
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        n_trees: int = 100,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.n_trees = n_trees
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self, xis: Any) -> Backward:
        """The method with this selector's parameters, for some values of ξ."""
        return Backward(xis, self.n_trees, endgame=False)

    def pick(self, problem: Problem, proposed: Sequence[Candidate]) -> Candidate:
        """The survivors filled up: the last that is proposed for an ξ."""
        return proposed[-1]
