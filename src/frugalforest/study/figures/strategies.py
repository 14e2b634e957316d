"""Fixed ξ, and the strategies for it: the paper's Figure 2 and Additional file 2."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frugalforest.evaluation.resampling import estimate_mean
from frugalforest.study.contestants import contestant_of, look_of
from frugalforest.study.design import study_methods
from frugalforest.study.figures._look import finish_axes, new_figure, number
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.figures._violins import draw_violin
from frugalforest.study.finished import Cell, Results, replicate_errors

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["strategy_figures"]


class _StrategyLook(NamedTuple):
    name: str
    colour: str
    dashes: tuple[float, tuple[float, float]]


# Where strategies are compared, colours are theirs, and methods have none. Dashes are shifted, so
# that lines at the same height all show.
_STRATEGIES = {
    "agnostic": _StrategyLook("ξ = 0", "#0072B2", (0, (4, 5))),
    "simple": _StrategyLook("ξ = 1", "#E69F00", (3, (4, 5))),
    "tuned": _StrategyLook("tuned", "#009E73", (6, (4, 5))),
}
_SOURCE_TITLES = {
    "A": "A: independent data, independent costs",
    "B": "B: independent data, correlated costs",
    "C": "C: correlated data, independent costs",
    "D": "D: correlated data, correlated costs",
}
_CURVE_COLOUR = "#333333"


def strategy_figures(material: Material) -> NamedFigures:
    """One figure a setting and budget, of the first draw: the paper has one only."""
    for cell in material.results.tried:
        if cell.draw == 0:
            yield (
                f"strategies_{cell.source}_{number(cell.budget)}",
                _strategy_figure(material.results, cell),
            )


def _strategy_figure(results: Results, cell: Cell) -> Figure:
    methods = [m for m in study_methods() if len(results.tried[cell].get(m, {})) > 1]
    n_rows = -(-len(methods) // 2)
    figure = new_figure(7.2, 0.9 + 2.2 * n_rows)
    axes = figure.subplots(n_rows, 4, width_ratios=[2.1, 1.0] * 2, squeeze=False).reshape(-1, 2)
    for (curve, violins), method in zip(axes, methods, strict=False):
        violins.sharey(curve)  # but not with other methods: some curves would be flat lines
        _draw_curve(curve, results, cell, method)
        _draw_strategies(violins, results, cell, method)
        curve.set(xlabel="ξ", ylabel=results.design.scoring.label)
    for ax in axes[len(methods) :].ravel():
        ax.set_axis_off()
    n = max(len(found) for found in results.chosen[cell].values())
    title = _SOURCE_TITLES.get(cell.source, cell.source)
    figure.suptitle(
        f"Setting {title}; budget {number(cell.budget)}; {n} replicates. Scales differ.",
        fontsize=9,
    )
    _add_key(figure)
    return figure


def _add_key(figure: Figure) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    key: list[Any] = [
        Line2D([], [], color=_CURVE_COLOUR, marker="o", ms=2.2, lw=1.0, label="mean at fixed ξ"),
        Patch(color=_CURVE_COLOUR, alpha=0.4, lw=0, label="its 95 % interval (box: the same)"),
        Patch(color=_CURVE_COLOUR, alpha=0.15, lw=0, label="middle 90 % of replicates"),
        *(
            Line2D([], [], color=look.colour, linestyle="--", label=f"mean of {look.name}")
            for look in _STRATEGIES.values()
        ),
    ]
    figure.legend(handles=key, loc="outside lower center", ncols=3, frameon=False)


def _draw_curve(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    curve = results.tried[cell][method]
    xis = np.array(sorted(curve))
    errors = [replicate_errors(curve[xi]) for xi in xis.tolist()]
    means = [estimate_mean(values) for values in errors]
    mean = np.array([e.mean for e in means])
    low, high = np.array([np.quantile(values, [0.05, 0.95]) for values in errors]).T
    ax.fill_between(xis, low, high, color=_CURVE_COLOUR, alpha=0.15, linewidth=0)
    ax.fill_between(
        *(xis, [max(e.low, 0.0) for e in means], [e.high for e in means]),
        color=_CURVE_COLOUR,
        alpha=0.4,
        linewidth=0,
    )
    ax.plot(xis, mean, "o-", color=_CURVE_COLOUR, ms=2.2, linewidth=1.0)
    for xi, strategy in ((0.0, "agnostic"), (1.0, "simple")):
        at = np.flatnonzero(xis == xi)
        colour = _STRATEGIES[strategy].colour
        ax.plot(xis[at], mean[at], "o", color=colour, ms=5, mec="black", mew=0.5, zorder=5)
    _draw_strategy_lines(ax, results, cell, method)
    ax.set_title(look_of(method).label, loc="left", fontweight="bold")
    finish_axes(ax)


def _draw_strategy_lines(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    for strategy, look in _STRATEGIES.items():
        errors = results.errors_of(cell, contestant_of(method, strategy))
        if len(errors):
            mean = float(errors.mean())
            ax.axhline(mean, color=look.colour, linestyle=look.dashes, linewidth=1.1, zorder=1.5)


def _draw_strategies(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    for at, (strategy, look) in enumerate(_STRATEGIES.items()):
        errors = results.errors_of(cell, contestant_of(method, strategy))
        if len(errors):
            draw_violin(ax, at, errors, look.colour, dots=False, lowest=0.0)
    _draw_strategy_lines(ax, results, cell, method)
    ax.set_xticks(range(len(_STRATEGIES)), [look.name for look in _STRATEGIES.values()])
    ax.tick_params(labelleft=False)
    finish_axes(ax)
