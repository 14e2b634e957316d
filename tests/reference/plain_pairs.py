"""How much the products of two columns differ between the classes, a pair and a row at a time."""

from __future__ import annotations

from itertools import combinations
from statistics import median

import numpy as np


def side(value: float, middle: float) -> int:
    return (value > middle) - (value < middle)


def strengths(codes: np.ndarray, labels: np.ndarray) -> dict[tuple[int, int], float]:
    """For each pair of columns the largest gap between a class and all others."""
    middles = [median(column.tolist()) for column in codes]
    found = {}
    for i, j in combinations(range(len(codes)), 2):
        products = [
            side(a, middles[i]) * side(b, middles[j])
            for a, b in zip(codes[i].tolist(), codes[j].tolist(), strict=True)
        ]
        gaps = []
        for k in set(labels.tolist()):
            own = [p for p, label in zip(products, labels, strict=True) if label == k]
            rest = [p for p, label in zip(products, labels, strict=True) if label != k]
            gap = abs(sum(own) / len(own) - sum(rest) / len(rest))
            gaps.append(gap * (len(own) * len(rest) / len(labels)) ** 0.5)
        found[i, j] = max(gaps)
    return found
