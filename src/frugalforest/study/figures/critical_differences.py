"""Mean ranks, and which contestants cannot be told apart. The paper has no such figure."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np

from frugalforest.study.contestants import label_of
from frugalforest.study.figures._look import add_note, colour_of, new_figure
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.ranking import RankComparison, compare_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["critical_difference_diagrams", "diagram_height", "draw_diagram"]

_GROUP_TITLES = {
    "independent": "Independent data (settings A, B)",
    "correlated": "Correlated data (settings C, D)",
    "real": "Real data",
}
_LINE = 0.22  # inches from one name to the next


def critical_difference_diagrams(material: Material) -> NamedFigures:
    """A diagram for each kind of data; none for a single contestant."""
    results = material.results
    real = bool(results.design.real_sets())
    contestants = results.with_baselines if real else results.tuned
    if len(contestants) < 2:
        return
    comparisons = compare_ranks(results, contestants)
    heights = [diagram_height(comparison) for comparison in comparisons]
    figure = new_figure(6.2, sum(heights) + 0.4)
    axes = figure.subplots(len(comparisons), 1, squeeze=False, height_ratios=heights)[:, 0]
    sources = {cell.source for cell in results.chosen}
    only_source = sources.pop().capitalize() if len(sources) == 1 else None
    several_draws = results.has_several_draws
    ranks = f"mean rank{results.design.scoring.ranked_by}"
    for ax, comparison in zip(axes, comparisons, strict=True):
        draw_diagram(ax, comparison)
        of = only_source or _GROUP_TITLES[comparison.group]
        blocks = "draws" if several_draws else "cells"
        ax.set_title(f"{of}: {ranks} over {comparison.n_blocks} {blocks}", fontweight="bold")
    one = "draw, with all its cells" if several_draws else "cell: a set or setting, and a budget"
    add_note(
        figure,
        "A bar joins what cannot be told apart: Wilcoxon's signed-rank test of every two, Holm's\n"
        f"correction, 5 % level. One observation is a {one}.",
    )
    yield "critical_differences", figure


def diagram_height(comparison: RankComparison) -> float:
    """Inches that a diagram takes."""
    return 0.95 + _LINE * (-(-len(comparison.contestants) // 2) + 0.6 * len(comparison.cliques()))


def draw_diagram(
    ax: Axes,
    comparison: RankComparison,
    label: Callable[[str], str] = label_of,
    colour: Callable[[str], str] = colour_of,
) -> None:
    """Mean ranks on a line; bars join those that Wilcoxon's test with Holm cannot tell apart."""
    n = len(comparison.contestants)
    ranks = comparison.mean_rank
    cliques = comparison.cliques()
    ax.set_axis_off()
    ax.set_xlim(1 - 0.30 * (n - 1), n + 0.30 * (n - 1))
    bar_space = 0.6 * len(cliques) + 0.4
    n_left = -(-n // 2)
    ax.set_ylim(-(bar_space + n_left) - 0.3, 1.3)
    ax.plot([1, n], [0, 0], color="black", linewidth=0.9)
    for tick in range(1, n + 1):
        ax.plot([tick, tick], [0, 0.25], color="black", linewidth=0.9)
        ax.text(tick, 0.4, str(tick), ha="center", va="bottom", fontsize=7)
    for level, (first, last) in enumerate(cliques):
        y = -0.5 - 0.6 * level
        ax.plot(
            [ranks[first] - 0.04, ranks[last] + 0.04],
            [y, y],
            color="black",
            linewidth=2.6,
            solid_capstyle="round",
        )
    place = -np.inf
    for i, name in enumerate(comparison.contestants):
        on_left = i < n_left
        line = i if on_left else n - 1 - i
        y = -(bar_space + line + 0.5)
        edge = 1 - 0.06 * (n - 1) if on_left else n + 0.06 * (n - 1)
        place = max(ranks[i], place + 0.008 * (n - 1))  # beside an equal rank, not behind it
        ax.plot([place, place, edge], [0, y, y], color=colour(name), linewidth=1.0)
        ax.text(
            edge,
            y,
            f" {label(name)} ({ranks[i]:.2f}) ",
            ha="right" if on_left else "left",
            va="center",
        )
