"""Distributions: a violin, and a grid of them with one row a source and one column a budget."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.contestants import look_of
from frugalforest.study.figures._look import finish_axes, new_figure, number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["draw_violin", "violin_grid", "violin_key"]

Array = NDArray[np.float64]

# Fewer values have no shape, and an interval so wide that it hides everything else.
_FEWEST_FOR_A_SHAPE = 5


def violin_key(dots: str) -> str:
    """What the parts of a violin are; `dots` says what the dots are."""
    return (
        f"Dots: {dots}. Black line and box: their mean and its 95 % interval "
        f"(no box for fewer than {_FEWEST_FOR_A_SHAPE})."
    )


def draw_violin(
    ax: Axes, at: float, values: Array, colour: str, dots: bool = True, lowest: float = -np.inf
) -> None:
    """A violin, the values as faint dots, and the 95 % interval of their mean as a black box.

    Of few values, only the dots and the mean. `lowest` is the lowest value possible.
    """
    several = len(values) >= _FEWEST_FOR_A_SHAPE
    if several and np.ptp(values) > 0:
        parts: Any = ax.violinplot(values, [at], widths=0.85, showextrema=False)
        parts["bodies"][0].set(facecolor=colour, edgecolor=colour, alpha=0.35, linewidth=0.6)
    if dots or not several:
        # Spread evenly in order of replicate: reproducible, and no pattern of its own.
        spread = (np.arange(len(values)) * 0.618034) % 1 - 0.5
        size, alpha = (2.8, 0.6) if several else (5.0, 0.9)
        ax.plot(at + 0.3 * spread, values, ".", color=colour, ms=size, alpha=alpha, mew=0)
    _, mean, _, low, high = estimate_mean(values)
    left, right = at - 0.18, at + 0.18
    if several:
        low = max(low, lowest)
        box = [low, low, high, high, low]
        ax.plot([left, right, right, left, left], box, color="black", linewidth=0.8)
    ax.plot([left, right], [mean, mean], color="black", linewidth=0.8)


def violin_grid(
    row_labels: Mapping[str, str],
    budgets: Sequence[float],
    contestants: Sequence[str],
    values_of: Callable[[str, float, str], Array],
    height: float,
    *,
    are_differences: bool = False,
) -> Figure:
    """A row of axes for each source, a column for each budget, a violin for each contestant.

    Parameters
    ----------
    row_labels : mapping from source to the label of its row
    budgets, contestants : sequences
    values_of : callable
        From source, budget and contestant to the values; none is no violin.
    height : float
        In inches.
    are_differences : bool, default=False
        Whether the values are differences, which have a line at 0, and not errors, which cannot be
        below 0.
    """
    figure = new_figure(1.0 + 1.45 * len(budgets), height)
    axes = figure.subplots(len(row_labels), len(budgets), squeeze=False, sharex=True)
    for row, (source, row_label) in zip(axes, row_labels.items(), strict=True):
        row[0].set_ylabel(row_label)
        for ax, budget in zip(row, budgets, strict=True):
            if are_differences:
                ax.axhline(0, color="black", linewidth=0.7)
            for at, contestant in enumerate(contestants):
                values = values_of(source, budget, contestant)
                if len(values):
                    look = look_of(contestant)
                    lowest = -np.inf if are_differences else 0.0
                    draw_violin(ax, at, values, look.colour, lowest=lowest)
            labels = [look_of(contestant).label for contestant in contestants]
            ax.set_xticks(range(len(contestants)), labels, rotation=90)
            if not are_differences:
                ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
            ax.locator_params(axis="y", nbins=5)
            finish_axes(ax)
    for ax, budget in zip(axes[0], budgets, strict=True):
        ax.set_title(f"budget {number(budget)}")
    return figure
