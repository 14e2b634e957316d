"""Confusion matrix, predictive values, ROC area and intervals in plain loops, for comparison."""

from __future__ import annotations

from collections.abc import Sequence

from reference.plain_scores import Matrix, decisions, ordered_right, shares_of

# What one forest said: rows of shares, their labels, and what each row counts.
Part = tuple[Sequence[Sequence[float]], Sequence[int], Sequence[float]]


def confusion(parts: Sequence[Part], losses: Sequence[Matrix]) -> list[list[float]]:
    """Weights of rows by true and predicted class; `losses` are those of each part."""
    n = len(losses[0])
    found = [[0.0] * n for _ in range(n)]
    for (rows, labels, weights), own in zip(parts, losses, strict=True):
        for row, label, weight in zip(rows, labels, weights, strict=True):
            called = decisions(row, own)
            for k in called:
                found[label][k] += weight / len(called)
    return found


def sensitivity(matrix: Matrix, positive: int) -> float:
    return matrix[positive][positive] / sum(matrix[positive])


def specificity(matrix: Matrix, positive: int) -> float:
    others = [row for k, row in enumerate(matrix) if k != positive]
    return 1 - sum(row[positive] for row in others) / sum(map(sum, others))


def positive_value(found: float, right: float, prevalence: float) -> float:
    """By Bayes' rule."""
    ill_and_called = prevalence * found
    well_and_called = (1 - prevalence) * (1 - right)
    return ill_and_called / (ill_and_called + well_and_called)


def negative_value(found: float, right: float, prevalence: float) -> float:
    """By Bayes' rule."""
    well_and_not_called = (1 - prevalence) * right
    ill_and_not_called = prevalence * (1 - found)
    return well_and_not_called / (well_and_not_called + ill_and_not_called)


def area_of_one_class(rows: Sequence[Sequence[float]], labels: Sequence[int], k: int) -> float:
    """Area under the ROC curve of one class against the others."""
    own = [shares_of(row)[k] for row, label in zip(rows, labels, strict=True) if label == k]
    others = [shares_of(row)[k] for row, label in zip(rows, labels, strict=True) if label != k]
    return ordered_right(own, others)
