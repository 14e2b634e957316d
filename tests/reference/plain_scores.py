"""The six scores, decisions and DeLong's variance in plain loops, for comparison.

Rows are lists of shares (or votes), labels are numbers of classes. Nothing is shared with the
package: slow, and as the definitions have it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

Rows = Sequence[Sequence[float]]
Matrix = Sequence[Sequence[float]]


def shares_of(row: Sequence[float]) -> list[float]:
    """Votes as shares that add up to 1."""
    return [value / sum(row) for value in row]


def one_an_error(n_classes: int) -> Matrix:
    """The losses of the error."""
    return [[float(a != b) for b in range(n_classes)] for a in range(n_classes)]


def rarity_losses(counts: Sequence[int]) -> Matrix:
    """An error in a class counts one over the share of its rows, over the number of classes."""
    there = [k for k, n in enumerate(counts) if n]
    return [
        [sum(counts) / (len(there) * n) if n and a != b else 0.0 for b in range(len(counts))]
        for a, n in enumerate(counts)
    ]


def expected_losses(row: Sequence[float], losses: Matrix) -> list[float]:
    """Of calling the row each class."""
    shares = shares_of(row)
    return [
        sum(shares[true] * losses[true][called] for true in range(len(row)))
        for called in range(len(row))
    ]


def decisions(row: Sequence[float], losses: Matrix) -> list[int]:
    """The classes with the lowest expected loss: mostly one."""
    expected = expected_losses(row, losses)
    near = 1e-9 * max(max(line) for line in losses)
    return [k for k, loss in enumerate(expected) if loss <= min(expected) + near]


def share_wrong(row: Sequence[float], label: int, losses: Matrix) -> float:
    """1 − 1/t if the class is one of t that are tied, otherwise 1."""
    called = decisions(row, losses)
    return 1 - 1 / len(called) if label in called else 1.0


def error(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
    losses = one_an_error(len(counts))
    return sum(share_wrong(r, y, losses) for r, y in zip(rows, labels, strict=True)) / len(labels)


def balanced_error(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
    """The mean over the classes that the rows have."""
    losses = rarity_losses(counts)
    of_class = []
    for k in sorted(set(labels)):
        own = [share_wrong(r, y, losses) for r, y in zip(rows, labels, strict=True) if y == k]
        of_class.append(sum(own) / len(own))
    return sum(of_class) / len(of_class)


def ordered_right(high: Sequence[float], low: Sequence[float]) -> float:
    """Share of pairs in which the first is above the second; a tie counts a half."""
    found = 0.0
    for a in high:
        for b in low:
            found += 1.0 if a > b else 0.5 if a == b else 0.0
    return found / (len(high) * len(low))


def auc_loss(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
    """1 − the mean over ordered pairs of classes (Hand and Till); ½ for one class alone."""
    pairs = [(a, b) for a in set(labels) for b in set(labels) if a != b]
    if not pairs:
        return 0.5
    found = []
    for a, b in pairs:
        of_a = [shares_of(r)[a] for r, y in zip(rows, labels, strict=True) if y == a]
        of_b = [shares_of(r)[a] for r, y in zip(rows, labels, strict=True) if y == b]
        found.append(ordered_right(of_a, of_b))
    return 1 - sum(found) / len(found)


def brier(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
    total = 0.0
    for row, label in zip(rows, labels, strict=True):
        squares = [(p - (k == label)) ** 2 for k, p in enumerate(shares_of(row))]
        total += sum(squares) / (2 if len(squares) == 2 else 1)
    return total / len(labels)


def log_loss(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
    """Of shares to each of which a thousandth is added."""
    total = 0.0
    for row, label in zip(rows, labels, strict=True):
        total -= math.log((shares_of(row)[label] + 0.001) / (1 + 0.001 * len(row)))
    return total / len(labels)


def cost_of(matrix: Matrix) -> Callable[[Rows, Sequence[int], Sequence[int]], float]:
    """What decisions cost that minimise the expected cost."""

    def cost(rows: Rows, labels: Sequence[int], counts: Sequence[int]) -> float:
        total = 0.0
        for row, label in zip(rows, labels, strict=True):
            called = decisions(row, matrix)
            total += sum(matrix[label][k] for k in called) / len(called)
        return total / len(labels)

    return cost


def delong_variance(high: Sequence[float], low: Sequence[float]) -> float:
    """Variance of an AUC by its structural components, both sums of squares over their numbers.

    DeLong, DeLong and Clarke-Pearson (1988) divide by one less, which hardly differs.
    """
    area = ordered_right(high, low)
    of_high = [ordered_right([a], low) - area for a in high]
    of_low = [ordered_right(high, [b]) - area for b in low]
    return sum(v * v for v in of_high) / len(high) ** 2 + sum(v * v for v in of_low) / len(low) ** 2


def sharpened_log_loss(votes: Rows, labels: Sequence[int], power: float) -> float:
    """Mean of minus the logarithm of the true class's share, of shares raised to a power.

    In one case of two hundred it may be any class.
    """
    total = 0.0
    for row, label in zip(votes, labels, strict=True):
        raised = [(share + 0.005) ** power for share in shares_of(row)]
        total -= math.log(0.995 * raised[label] / sum(raised) + 0.005 / len(row))
    return total / len(labels)


def best_power(votes: Rows, labels: Sequence[int]) -> float:
    """The power from 0 to 6 with the lowest loss, by trying all quarters."""
    powers = [i / 4 for i in range(25)]
    return min(powers, key=lambda power: sharpened_log_loss(votes, labels, power))
