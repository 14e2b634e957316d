"""The look that all figures share: sizes of type, colours, notes below, numbers in words."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from frugalforest.study.contestants import look_of
from frugalforest.study.design import study_methods
from frugalforest.study.finished import Cell, Results

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = [
    "GREY",
    "STYLE",
    "add_note",
    "colour_of",
    "finish_axes",
    "new_figure",
    "number",
    "range_in_words",
    "replicates_in_words",
]

GREY = "#595959"

STYLE: Any = {
    "font.size": 8.0,
    "axes.titlesize": 8.5,
    "axes.labelsize": 8.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "legend.fontsize": 7.5,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.linewidth": 0.6,
    "xtick.major.width": 0.6,
    "ytick.major.width": 0.6,
    "axes.axisbelow": True,
    "grid.linewidth": 0.4,
    "grid.color": "#DDDDDD",
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
}


def new_figure(width: float, height: float) -> Figure:
    """An empty figure of a size in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def finish_axes(ax: Axes, grid_axis: Literal["x", "y"] = "y") -> None:
    """A grid along one axis, and short ticks."""
    ax.grid(axis=grid_axis)
    ax.tick_params(length=2.5)


def add_note(figure: Any, text: str) -> None:
    """What a reader must know, below the figure."""
    figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color=GREY)


def colour_of(contestant: str) -> str:
    """A method's colour; its baseline's is the same, paler."""
    colour = look_of(contestant).colour
    if contestant in study_methods():
        return colour
    from matplotlib.colors import to_hex, to_rgb

    return to_hex(tuple(0.5 + 0.5 * np.array(to_rgb(colour))))


def number(value: float) -> str:
    """A budget without superfluous zeros.

    Examples
    --------
    >>> number(10.0), number(0.5)
    ('10', '0.5')
    """
    return f"{value:g}"


def range_in_words(numbers: Iterable[int]) -> str:
    """The smallest and the largest of some numbers.

    Examples
    --------
    >>> range_in_words([4, 20, 10]), range_in_words([5, 5])
    ('4 to 20', '5')
    """
    different = sorted(set(numbers))
    return " to ".join(map(str, dict.fromkeys((different[0], different[-1]))))


def replicates_in_words(results: Results, cells: Sequence[Cell], contestants: Sequence[str]) -> str:
    """How many replicates the contestants have in the cells."""
    return range_in_words(
        len(rows)
        for cell in cells
        for contestant, rows in results.chosen[cell].items()
        if contestant in contestants
    )
