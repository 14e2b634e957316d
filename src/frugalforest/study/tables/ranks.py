"""Mean ranks and the tests of every two contestants, as rows."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

from frugalforest.study.finished import Results
from frugalforest.study.ranking import RankComparison, compare_ranks
from frugalforest.study.tables._rows import Row, RowTable

__all__ = ["rank_table", "wilcoxon_table"]


def rank_table(results: Results) -> RowTable:
    """Mean rank of each contestant over the cells, among the tuned ones and with baselines."""
    rows: list[Row] = [
        (c.group, among, c.n_blocks, contestant, float(rank))
        for among, c in _rankings(results)
        for contestant, rank in zip(c.contestants, c.mean_rank, strict=True)
    ]
    return RowTable(("group", "among", "n_blocks", "contestant", "mean_rank"), rows)


def wilcoxon_table(results: Results) -> RowTable:
    """Wilcoxon signed-rank tests of every two contestants over the blocks, with Holm."""
    rows: list[Row] = []
    for among, c in _rankings(results):
        for i, k in combinations(range(len(c.contestants)), 2):
            pair = (c.contestants[i], c.contestants[k])
            p_values = (float(c.p_value[i, k]), float(c.p_holm[i, k]))
            rows.append((c.group, among, c.n_blocks, *pair, *p_values))
    return RowTable(("group", "among", "n_blocks", "first", "second", "p_value", "p_holm"), rows)


def _rankings(results: Results) -> Iterable[tuple[str, RankComparison]]:
    """The comparisons of the tuned methods alone, and together with their baselines."""
    for among, contestants in (("tuned", results.tuned), ("all", results.with_baselines)):
        for comparison in compare_ranks(results, contestants):
            yield among, comparison
