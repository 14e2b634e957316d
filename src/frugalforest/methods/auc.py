"""AUC filter: each feature's own ability to separate the classes, per price."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata

from frugalforest.engine import CodedData
from frugalforest.methods._base import register
from frugalforest.methods._filter import Filter
from frugalforest.methods._selector import BudgetSelector
from frugalforest.problem import Problem
from frugalforest.tables import Classes, Outcome

__all__ = ["AUC", "AUCSelector", "auc_benefit"]

# Numbers in one piece of work: 8 MB.
_CHUNK = 1_000_000


def auc_benefit(
    codes: NDArray[np.uint16], n_codes: NDArray[np.uint32], labels: NDArray[np.intp]
) -> NDArray[np.float64]:
    """``2 · |AUC − ½|`` of each column; for several classes the mean over pairs of them.

    Tied values count half. Missing values are left out of their column; a class pair without
    values in both classes counts 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 2, 3], [0, 1, 0, 1]], dtype=np.uint16)
    >>> auc_benefit(codes, np.array([4, 2]), np.array([0, 0, 1, 1]))
    array([1., 0.])
    """
    classes, member = np.unique(labels, return_inverse=True)
    pairs = list(combinations(range(len(classes)), 2))
    benefit = np.zeros(len(codes))
    width = int(n_codes.max(initial=0)) + 1
    block = max(1, _CHUNK // max(len(labels), width * len(classes)))
    for begin in range(0, len(codes), block):
        here = slice(begin, begin + block)
        counts = _class_counts(codes[here], n_codes[here], member, len(classes), width)
        for low, high in pairs:
            first, second = counts[low], counts[high]
            n_pairs = first.sum(axis=1) * second.sum(axis=1)
            # Whole numbers and halves, exactly: a value wins against all below it in the other
            # class, and half against its equals.
            wins = (second * (np.cumsum(first, axis=1) - first / 2)).sum(axis=1)
            known = n_pairs > 0
            share = np.divide(2 * wins, n_pairs, out=np.ones(len(wins)), where=known)
            benefit[here] += np.abs(share - 1) / len(pairs)
    return benefit


def rank_benefit(
    codes: NDArray[np.uint16], n_codes: NDArray[np.uint32], truth: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Size of the rank correlation of each column with numbers (Spearman).

    Tied values share their ranks. Missing values are left out of their column; one of fewer than
    two different values counts 0.

    Examples
    --------
    >>> codes = np.array([[0, 1, 2, 3], [3, 2, 1, 0], [0, 1, 1, 0]], dtype=np.uint16)
    >>> rank_benefit(codes, np.array([4, 4, 2]), np.array([1.0, 2.0, 3.0, 9.0]))
    array([1., 1., 0.])
    """
    benefit = np.zeros(len(codes))
    for j, (column, n_known) in enumerate(zip(codes, n_codes.tolist(), strict=True)):
        known = column < n_known
        # Twice the ranks are whole numbers, and so are their sums: exact, in whatever order.
        x, y = (2 * rankdata(values[known]) for values in (column, truth))
        x, y = (n_ranks * len(n_ranks) - n_ranks.sum() for n_ranks in (x, y))
        scale = np.sqrt(float(x @ x) * float(y @ y))
        benefit[j] = abs(float(x @ y)) / scale if scale > 0 else 0.0
    return benefit


def _class_counts(
    codes: NDArray[np.uint16],
    n_codes: NDArray[np.uint32],
    member: NDArray[np.intp],
    n_classes: int,
    width: int,
) -> NDArray[np.float64]:
    """How many rows of each class have which code: classes × columns × codes, without missing."""
    column = np.arange(len(codes))[:, None]
    cell = (member * len(codes) + column) * width + codes
    flat = np.bincount(cell.ravel(), minlength=n_classes * len(codes) * width)
    counts: NDArray[np.float64] = flat.reshape(n_classes, -1, width).astype(np.float64)
    counts[:, np.arange(width) >= n_codes[:, None]] = 0.0
    return counts


@register
@dataclass(frozen=True)
class AUC(Filter):
    """The AUC filter as a method."""

    name: ClassVar[str] = "auc"
    label: ClassVar[str] = "AUC filter"
    summary: ClassVar[str] = "rates each feature alone, by how well it tells the classes apart."
    number_words: ClassVar[tuple[str, str]] = (
        "Rank filter",
        "rates each feature alone, by the size of its rank correlation with the target.",
    )
    colour: ClassVar[str] = "#0072B2"
    marker: ClassVar[str] = "square"

    def benefit(self, problem: Problem) -> NDArray[np.float64]:
        """The filter's measure of each feature."""
        return problem.remember(
            "auc",
            lambda: self._measure(problem.data, problem.outcome),
        )

    def _measure(self, data: CodedData, outcome: Outcome) -> NDArray[np.float64]:
        if isinstance(outcome, Classes):
            return auc_benefit(data.codes(), data.n_codes, outcome.labels)
        return rank_benefit(data.codes(), data.n_codes, outcome.truth)

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol."""
        if not n_classes:
            return (
                "The rank filter rates each feature alone, by the size of its rank correlation "
                "with the target (Spearman)."
            )
        pairs = ", averaged over all pairs of classes" if n_classes > 2 else ""
        return f"The AUC filter rates each feature alone, by 2·|AUC − ½|{pairs}."


class AUCSelector(BudgetSelector):
    """Features with the best AUC per price, within a budget.

    Each feature is judged alone, by ``2 · |AUC − ½|``. Fast, and good where features act
    independently of each other.

    Parameters
    ----------
    {prices and ξ}
    random_state, n_jobs
        Not used by the filter, which draws nothing; `XiSearch` scores its sets with them.

    Attributes
    ----------
    {fitted}

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> selector = AUCSelector(costs=[1, 2, 3] * 10, budget=5).fit(X, y)
    >>> selector.get_support(indices=True), selector.total_cost_
    (array([ 0,  3,  6, 12, 27]), 5.0)
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

    def method(self, xis: Any) -> AUC:
        """The method with this selector's parameters, for some values of ξ."""
        return AUC(xis)
