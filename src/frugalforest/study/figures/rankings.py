"""Contestants in order of their error on real data: the paper's Figure 5, Additional files 3, 4."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.contestants import label_of
from frugalforest.study.figures._look import (
    add_note,
    colour_of,
    finish_axes,
    new_figure,
    number,
    replicates_in_words,
)
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.finished import Cell, Results
from frugalforest.study.ranking import RankComparison, compare_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["real_matrix", "real_overview"]

# The setups of the paper's Figure 5 that its text names.
_REPRESENTATIVE = (("author", 1.0), ("spam", 5.0), ("wdbc", 1.0))


def real_matrix(material: Material) -> NamedFigures:
    """A ranking for every cell."""
    results = material.results
    rows = sorted({(cell.source, cell.draw) for cell in results.chosen})
    n_columns = max(sum((c.source, c.draw) == row for c in results.chosen) for row in rows)
    height = 0.5 + 0.17 * len(results.with_baselines)
    figure = new_figure(max(1.85 * n_columns, 5.0), 0.4 + height * len(rows))
    axes = figure.subplots(len(rows), n_columns, squeeze=False)
    several_sources, several_draws = (len(set(names)) > 1 for names in zip(*rows, strict=True))
    for row_axes, (source, draw) in zip(axes, rows, strict=True):
        cells = [c for c in results.chosen if (c.source, c.draw) == (source, draw)]
        for ax in row_axes[len(cells) :]:
            ax.set_axis_off()
        for ax, cell in zip(row_axes, cells, strict=False):
            name = [source] if several_sources or not several_draws else []
            name += [f"costs {draw + 1}"] if several_draws else []
            _draw_ranking(ax, results, cell)
            title = ", ".join([*name, f"budget {number(cell.budget)}"]).capitalize()
            ax.set_title(title, loc="right")  # where there is room for it
    for ax in axes[-1]:
        ax.set_xlabel(f"mean {results.design.scoring.label}")
    _add_ranking_note(figure, results, list(results.chosen))
    yield "real_methods", figure


def real_overview(material: Material) -> NamedFigures:
    """Rankings of some cells, and mean ranks over all of them."""
    results = material.results
    cells = [Cell(source, 0, budget) for source, budget in _REPRESENTATIVE]
    cells = [cell for cell in cells if cell in results.chosen]
    height = 0.7 + 0.18 * len(results.with_baselines)
    figure = new_figure(7.2, height * (2 if cells else 1))
    bottom: Any = figure
    if cells:
        halves: Any = figure.subfigures(2, 1)
        top, bottom = halves
        for ax, cell in zip(top.subplots(1, len(cells), squeeze=False)[0], cells, strict=True):
            _draw_ranking(ax, results, cell)
            ax.set_title(f"{cell.source.capitalize()}, budget {number(cell.budget)}")
            ax.set_xlabel(f"mean {results.design.scoring.label}")
        _add_ranking_note(top, results, cells)
    ranks = compare_ranks(results, results.with_baselines)[0]
    _draw_mean_ranks(bottom.subplots(), ranks, results.design.scoring.ranked_by)
    yield "real_overview", figure


def _add_ranking_note(figure: Any, results: Results, cells: Sequence[Cell]) -> None:
    n = replicates_in_words(results, cells, results.with_baselines)
    add_note(
        figure,
        f"Cross: mean over {n} splits. Thick: its 95 % interval as in the paper, as if splits "
        "shared no rows.\nThin: with Nadeau and Bengio's correction. Pale and -0: cost-agnostic.",
    )


def _draw_ranking(ax: Axes, results: Results, cell: Cell) -> None:
    """Contestants by mean error; the paper's interval thick, the corrected one thin."""
    there = [name for name in results.chosen[cell] if name in results.with_baselines]
    found = {name: results.errors_of(cell, name) for name in there}
    order = sorted(found, key=lambda name: float(found[name].mean()))
    ratio = results.overlap_ratio(cell)
    for at, name in enumerate(order):
        colour = colour_of(name)
        plain, corrected = estimate_mean(found[name]), estimate_mean(found[name], ratio)
        ax.plot([corrected.low, corrected.high], [at, at], color=colour, linewidth=0.7)
        ax.plot(
            [plain.low, plain.high], [at, at], color=colour, linewidth=3.2, solid_capstyle="butt"
        )
        ax.plot(plain.mean, at, "x", color="black", ms=4, mew=0.9, zorder=5)
    ax.set_yticks(range(len(order)), [label_of(name) for name in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    # Intervals of a few replicates may reach below 0, where no error is.
    ax.set_xlim(left=max(0.0, ax.get_xlim()[0]))
    ax.locator_params(axis="x", nbins=3)
    finish_axes(ax, "x")


def _draw_mean_ranks(ax: Axes, comparison: RankComparison, ranked_by: str) -> None:
    contestants = comparison.contestants
    for at, (name, rank) in enumerate(zip(contestants, comparison.mean_rank.tolist(), strict=True)):
        colour = colour_of(name)
        ax.plot([1, rank], [at, at], color=colour, linewidth=1.4)
        ax.plot(rank, at, "o", color=colour, ms=5, mec="black", mew=0.5)
        ax.annotate(f"{rank:.2f}", (rank, at), (6, 0), textcoords="offset points", va="center")
    ax.set_yticks(range(len(contestants)), [label_of(name) for name in contestants])
    ax.set_ylim(len(contestants) - 0.4, -0.6)
    ax.set_xlim(1, max(2, len(contestants)))
    ax.set_xlabel(f"mean rank{ranked_by} over {comparison.n_blocks} cells")
    finish_axes(ax, "x")
