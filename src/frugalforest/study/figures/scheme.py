"""The scheme of Shallow Tree Selection: the paper's Figure 1, on an example that is really run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from frugalforest.study.contestants import look_of
from frugalforest.study.example import BUDGET, StsExample, run_example
from frugalforest.study.figures._look import GREY, finish_axes, new_figure
from frugalforest.study.figures._material import Material, NamedFigures

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["sts_scheme"]

_COLOUR = look_of("sts").colour


def sts_scheme(_: Material) -> NamedFigures:
    """Base ensemble, iterations and purchases."""
    example = run_example()
    figure = new_figure(7.2, 4.8)
    parts: Any = figure.subfigures(2, 1, height_ratios=[0.8, 1.6])
    lower: Any = parts[1].subfigures(1, 2, width_ratios=[len(example.iterations), 1.15])
    titles = {
        parts[0]: "Step 1: base ensemble, a stump for each feature and three trees of depth two",
        lower[0]: "Step 2: add the tree with the best benefit-cost ratio until nothing fits",
        lower[1]: "Step 3: refit a forest",
    }
    for part, title in titles.items():
        part.suptitle(title, x=0.01, ha="left", fontsize=8.5, fontweight="bold")
    _draw_base_ensemble(parts[0].subplots(), example)
    for number, ax in enumerate(lower[0].subplots(1, len(example.iterations))):
        _draw_iteration(ax, example, number)
    _draw_purchases(lower[1].subplots(), example)
    yield "sts_scheme", figure


def _feature_name(j: int) -> str:
    return f"$X_{j + 1}$"


def _draw_base_ensemble(ax: Axes, example: StsExample) -> None:
    n_stumps = example.problem.n_features
    ax.set_axis_off()
    ax.set(xlim=(0, 12.2), ylim=(-0.9, 1.8))
    for i, tree in enumerate(example.trees):
        centre = 0.5 + i if i < n_stumps else 1.2 + n_stumps + 2.0 * (i - n_stumps)
        others = [j for j in tree.features if j != tree.root]
        places = [0.0] if len(others) == 1 else np.linspace(-0.5, 0.5, len(others)).tolist()
        for place, j in zip(places, others, strict=True):
            ax.plot([centre, centre + place], [1.0, 0.1], color=GREY, linewidth=0.8, zorder=1)
            _draw_node(ax, centre + place, 0.1, j)
        if not others:
            for side in (-0.28, 0.28):
                ax.plot([centre, centre + side], [1.0, 0.45], color=GREY, linewidth=0.8, zorder=1)
        _draw_node(ax, centre, 1.0, tree.root)
        ax.text(centre, 1.6, f"({tree.letter})", ha="center", va="center", fontweight="bold")
        cost = float(example.problem.prices.total(list(tree.features)))
        ax.text(centre, -0.65, f"cost {cost:.1f}", ha="center", va="center", color=GREY)


def _draw_node(ax: Axes, x: float, y: float, feature: int) -> None:
    ax.text(
        x,
        y,
        _feature_name(feature),
        ha="center",
        va="center",
        bbox={"boxstyle": "round,pad=0.25", "fc": "white", "ec": "black", "lw": 0.7},
        zorder=2,
    )


def _draw_iteration(ax: Axes, example: StsExample, number: int) -> None:
    step = example.iterations[number]
    trees = example.trees
    for i in range(len(trees)):
        if step.possible[i]:
            colour = _COLOUR if i == step.chosen else "#C9C9C9"
            ax.barh(i, step.ratio[i], color=colour, height=0.7)
        else:
            reason = "paid for" if step.free[i] else "too dear"
            ax.text(0, i, f" {reason}", va="center", color="#9A9A9A", fontsize=6.5)
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set_yticks(range(len(trees)), [f"({t.letter})" for t in trees])
    ax.get_yticklabels()[step.chosen].set(fontweight="bold", color=_COLOUR)
    ax.set_ylim(len(trees) - 0.4, -0.6)
    largest = max(float(np.abs(step.ratio[step.possible]).max()), 0.02)
    ax.set_xlim(-0.45 * largest, 1.1 * largest)
    if step.ratio[step.chosen] < 0:
        ax.set_xlim(-1.2 * largest, 0.9 * largest)
    ax.locator_params(axis="x", nbins=3)
    ax.set_xlabel("benefit-cost ratio")
    ax.set_title(f"Iteration {number + 1}: ({trees[step.chosen].letter})", loc="left")
    finish_axes(ax, "x")


def _draw_purchases(ax: Axes, example: StsExample) -> None:
    bought = (j for step in example.iterations for j in example.trees[step.chosen].features)
    spent = 0.0
    for j in dict.fromkeys(bought):
        cost = float(example.problem.prices.feature_cost[j])
        ax.bar(0, cost, 0.5, bottom=spent, color=_COLOUR, alpha=0.35, edgecolor="white")
        ax.text(0, spent + cost / 2, _feature_name(j), ha="center", va="center")
        spent += cost
    ax.axhline(BUDGET, color="black", linestyle="--", linewidth=0.8)
    ax.text(0.55, BUDGET, "budget", ha="right", va="bottom")
    ax.set(xlim=(-0.6, 0.6), ylim=(0, 1.12 * BUDGET), xticks=[], ylabel="cost")
    ax.set_title("on these features", loc="left")
    finish_axes(ax)
