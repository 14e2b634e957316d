"""Ranks of contestants over cells or draws, and which of them can be told apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata, wilcoxon

from frugalforest.datasets import SETTINGS
from frugalforest.study.finished import Cell, Results

__all__ = ["RankComparison", "compare_blocks", "compare_ranks", "holm", "signed_rank_p"]

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RankComparison:
    """Contestants ranked over blocks, and which of them can be told apart.

    Attributes
    ----------
    group : str
    contestants : tuple of str
        By mean rank, the best first.
    n_blocks : int
    mean_rank : array of shape (n_contestants,)
    p_value, p_holm : array of shape (n_contestants, n_contestants)
        Wilcoxon signed-rank tests of the relative differences of every two over the blocks, and
        with Holm's correction.
    """

    group: str
    contestants: tuple[str, ...]
    n_blocks: int
    mean_rank: Array
    p_value: Array
    p_holm: Array

    def cliques(self, level: float = 0.05) -> list[tuple[int, int]]:
        """Longest runs of neighbours, by first and last index, with no significant difference."""
        n = len(self.contestants)
        runs: list[tuple[int, int]] = []
        for first in range(n):
            last = first
            while last + 1 < n and (self.p_holm[first : last + 1, last + 1] > level).all():
                last += 1
            if last > first and not any(a <= first and last <= b for a, b in runs):
                runs.append((first, last))
        return runs


def compare_ranks(results: Results, contestants: Sequence[str]) -> list[RankComparison]:
    """Mean ranks and pairwise tests, for independent data, correlated data, and real data.

    A block is a cell. With several draws it is a draw with all its cells, which share effects and
    costs and are not independent. (Budgets of one set are not independent either; the paper's mean
    ranks are over them, and so are these.)
    """
    groups: dict[str, dict[Cell | int, list[Array]]] = defaultdict(lambda: defaultdict(list))
    for cell in results.chosen:
        errors = results.paired_errors(cell, contestants)
        if errors.size:
            block = cell.draw if results.has_several_draws else cell
            groups[_group_name(cell.source)][block].append(errors.mean(axis=1))
    return [
        compare_blocks(group, contestants, [np.array(means) for means in blocks.values()])
        for group, blocks in sorted(groups.items())
    ]


def _group_name(source: str) -> str:
    setting = SETTINGS.get(source)
    if setting is None:
        return "real"
    return "correlated" if setting.correlated_data else "independent"


def compare_blocks(
    group: str, contestants: Sequence[str], blocks: Sequence[Array]
) -> RankComparison:
    """Contestants over blocks: each has one row a cell, with the mean error of each contestant."""
    # Errors are shares of rows: what differs by rounding only is a tie.
    blocks = [means.round(12) for means in blocks]
    mean_rank = np.mean([rankdata(means, axis=1).mean(axis=0) for means in blocks], axis=0)
    order = np.argsort(mean_rank, kind="stable")
    n = len(order)
    p_value = np.ones((n, n))
    upper = np.triu_indices(n, 1)
    for i, k in zip(*upper, strict=True):
        differences = [_relative_difference(m[:, order[i]], m[:, order[k]]) for m in blocks]
        p_value[i, k] = p_value[k, i] = signed_rank_p(differences)
    p_holm = np.ones((n, n))
    p_holm[upper] = holm(p_value[upper])
    p_holm.T[upper] = p_holm[upper]
    return RankComparison(
        group,
        tuple(contestants[i] for i in order),
        len(blocks),
        mean_rank[order],
        p_value,
        p_holm,
    )


def _relative_difference(a: Array, b: Array) -> float:
    """The mean over cells of a − b as a share of (a + b) / 2.

    Where errors are large, differences are: as they are, they would outweigh all other cells.
    """
    middle = (a + b) / 2
    return float(np.divide(a - b, middle, out=np.zeros_like(a), where=middle > 0).mean())


def signed_rank_p(differences: Sequence[float]) -> float:
    """The p-value of Wilcoxon's signed-rank test; blocks without a difference are left out.

    Examples
    --------
    >>> signed_rank_p([1.0, 1.0, 1.0, 1.0, 1.0, 0.0])
    0.0625
    """
    # Differences that are equal but for rounding must share a rank.
    rounded = np.round(differences, 12)
    nonzero = rounded[rounded != 0]
    if len(nonzero) == 0:
        return 1.0
    return float(wilcoxon(nonzero).pvalue)


def holm(p_values: Array) -> Array:
    """p-values corrected for their number after Holm (1979).

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    corrected = np.minimum(np.maximum.accumulate(p_values[order] * factors), 1.0)
    result = np.empty_like(corrected)
    result[order] = corrected
    return result
