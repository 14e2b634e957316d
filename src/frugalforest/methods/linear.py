"""Linear surrogate: sets that a shrunken linear discriminant would buy, found in milliseconds."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from frugalforest.costs import Budget
from frugalforest.methods._base import Candidate, Method, Proposals, register
from frugalforest.methods._discriminant import discriminant
from frugalforest.methods._linear_search import XIS, linear_candidates
from frugalforest.methods._proposals import as_candidates
from frugalforest.methods._ratio import check_xis
from frugalforest.methods._selector import BudgetSelector
from frugalforest.problem import Problem

__all__ = ["Linear", "LinearSelector"]


@register
@dataclass(frozen=True)
class Linear(Method):
    """The linear surrogate as a method.

    Parameters
    ----------
    xis : sequence of float
        Weights of cost of its forward search.
    """

    xis: tuple[float, ...] = XIS

    name: ClassVar[str] = "linear"
    label: ClassVar[str] = "Linear surrogate"
    summary: ClassVar[str] = "proposes the sets that a linear rule would buy; forests judge them."
    number_words: ClassVar[tuple[str, str]] = (label, summary)
    colour: ClassVar[str] = "#332288"
    marker: ClassVar[str] = "cross"

    def __post_init__(self) -> None:
        xis = check_xis(self.xis)
        object.__setattr__(self, "xis", XIS if isinstance(xis, str) else xis)

    def propose(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        """What its forward and beam searches buy."""
        found = linear_candidates(problem, budgets, xis=self.xis)
        return {b: as_candidates(problem, b, self.name, found[b]) for b in budgets}

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        rule, within = "linear discriminant", " within the classes"
        if not n_classes:
            rule, within = "linear rule of least squares", ""
        return (
            f"The linear surrogate searches, forward and by a beam, for the sets that a {rule} "
            f"would buy: ranks turned to normal scores, correlations{within} shrunken (Schäfer and "
            "Strimmer 2005); a second beam, for small sets, shrinks them by a tenth of that."
        )


class LinearSelector(BudgetSelector):
    """Features that a shrunken linear discriminant would buy, within a budget.

    Quick, and finds features that are worth something only together because they are correlated.
    It sees no interactions.

    Parameters
    ----------
    {prices and ξ}
    {draws}

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = LinearSelector(costs=[1, 2, 3] * 10, budget=5).fit(X, y)
    >>> selector.total_cost_ <= 5
    True
    """

    def __init__(
        self,
        costs: object = None,
        budget: float | None = None,
        xi: float = 1.0,
        random_state: object = None,
        n_jobs: int | None = None,
    ) -> None:
        self.costs = costs
        self.budget = budget
        self.xi = xi
        self.random_state = random_state
        self.n_jobs = n_jobs

    def method(self, xis: Any) -> Linear:
        """The method with this selector's parameters, for some values of ξ."""
        return Linear(xis)

    def pick(self, problem: Problem, proposed: Sequence[Candidate]) -> Candidate:
        """The set that tells the classes apart best by a linear rule."""
        model = discriminant(problem)
        place = {int(column): j for j, column in enumerate(model.columns)}
        distance = [
            model.value([place[j] for j in candidate.features if j in place])
            for candidate in proposed
        ]
        return proposed[int(np.argmax(distance))]
