"""Figures from a store, as PDF and PNG: the paper's, and what it lacks.

matplotlib is imported when something is drawn. Figures are made without pyplot: nothing is kept
from one to the next, and no display is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from frugalforest.datasets import REAL_SETS, draw_design
from frugalforest.study.design import METHODS, Design, StudyError
from frugalforest.study.example import BUDGET, StsExample, run_example
from frugalforest.study.sources import Artificial, read_real
from frugalforest.study.store import Store
from frugalforest.study.tables import (
    Cell,
    Comparison,
    Results,
    compare_ranks,
    draw_means,
    estimate,
    label_of,
    read_results,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["display_name", "write_figures"]

Array = NDArray[np.float64]

# Okabe and Ito's palette, which all common kinds of colour vision can tell apart.
_COLOURS = {
    "auc": "#0072B2",
    "pfi": "#E69F00",
    "sts": "#009E73",
    "sts-paper": "#56B4E9",
    "fs-0": "#8C8C8C",
    "fs-1": "#CC79A7",
    "fs": "#D55E00",
    "fs-race": "#B8A800",
}
# Where strategies are compared, colours are theirs, and methods have none.
_STRATEGY_COLOURS = {"agnostic": "#0072B2", "simple": "#E69F00", "tuned": "#009E73"}
_STRATEGY_NAMES = {"agnostic": "ξ = 0", "simple": "ξ = 1", "tuned": "tuned"}
# Gaps at different places: lines at the same height all show.
_STRATEGY_DASHES = {"agnostic": (0, (4, 5)), "simple": (3, (4, 5)), "tuned": (6, (4, 5))}
_NAMES = {
    "auc": "AUC",
    "pfi": "pFI",
    "sts": "STS",
    "sts-paper": "STS printed",
    "fs-0": "FS-0",
    "fs-1": "FS-1",
    "fs": "FS tuned",
    "fs-race": "FS raced",
}
_SOURCE_TITLES = {
    "A": "A: independent data, independent costs",
    "B": "B: independent data, correlated costs",
    "C": "C: correlated data, independent costs",
    "D": "D: correlated data, correlated costs",
}
_GROUP_TITLES = {
    "independent": "Independent data (settings A, B)",
    "correlated": "Correlated data (settings C, D)",
    "real": "Real data",
}
_GREY = "#595959"
# Fewer values have no shape, and an interval so wide that it hides everything else.
_FEWEST_FOR_A_SHAPE = 5
# The setups of the paper's Figure 5 that its text names.
_REPRESENTATIVE = (("author", 1.0), ("spam", 5.0), ("wdbc", 1.0))

_STYLE: Any = {
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


def display_name(contestant: str) -> str:
    """A contestant's name in a figure.

    Examples
    --------
    >>> display_name("pfi"), display_name("pfi-0"), display_name("fs-1")
    ('pFI', 'pFI-0', 'FS-1')
    """
    if contestant in _NAMES:
        return _NAMES[contestant]
    method, _, xi = contestant.rpartition("-")
    return f"{_NAMES[method]}-{xi}"


@dataclass(frozen=True)
class _Material:
    """All that a figure may be drawn from."""

    results: Results
    data_dir: str | None


Named = Iterator[tuple[str, "Figure"]]


def write_figures(
    design: Design, store: Store, folder: Path, data_dir: str | None = None
) -> list[Path]:
    """Draw the figures of what is finished, each as PDF and PNG."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise StudyError("figures need matplotlib: pip install 'frugalforest[plot]'.") from None
    material = _Material(read_results(design, store), data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with rc_context(_STYLE):
        for draw in _FIGURES[design.name]:
            for name, figure in draw(material):
                written += _write(figure, folder / name)
    return written


def _write(figure: Figure, path: Path) -> list[Path]:
    """As PDF and PNG, without dates: the same numbers give the same files."""
    from PIL import Image  # comes with matplotlib

    pdf, png = path.with_name(f"{path.name}.pdf"), path.with_name(f"{path.name}.png")
    figure.savefig(pdf, metadata={"CreationDate": None})
    pixels = BytesIO()
    figure.savefig(pixels, format="png", dpi=200, metadata={"Software": None})
    # A palette looks the same and takes a third of the space. Not by median cut, which gives rare
    # colours, such as those of dots, to their neighbours.
    image = (
        Image.open(pixels)
        .convert("RGB")
        .quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    image.save(png, optimize=True)
    return [pdf, png]


def _new_figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


# What distributions have in common.


def _draw_violin(
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
    e = estimate(values)
    left, right = at - 0.18, at + 0.18
    if several:
        low = max(e.low, lowest)
        box = [low, low, e.high, e.high, low]
        ax.plot([left, right, right, left, left], box, color="black", linewidth=0.8)
    ax.plot([left, right], [e.mean, e.mean], color="black", linewidth=0.8)


_VIOLIN_KEY = (
    "Dots: {what}. Black line and box: their mean and its 95 % interval (no box for fewer than 5)."
)


def _add_note(figure: Any, text: str) -> None:
    """What a reader must know, below the figure."""
    figure.supxlabel(text, x=0.01, ha="left", fontsize=7, color=_GREY)


def _finish(ax: Axes, grid_axis: Literal["x", "y"] = "y") -> None:
    ax.grid(axis=grid_axis)
    ax.tick_params(length=2.5)


def _number(value: float) -> str:
    return f"{value:g}"


# Figure 1


def _sts_scheme(_: _Material) -> Named:
    example = run_example()
    figure = _new_figure(7.2, 4.8)
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
            ax.plot([centre, centre + place], [1.0, 0.1], color=_GREY, linewidth=0.8, zorder=1)
            _draw_node(ax, centre + place, 0.1, j)
        if not others:
            for side in (-0.28, 0.28):
                ax.plot([centre, centre + side], [1.0, 0.45], color=_GREY, linewidth=0.8, zorder=1)
        _draw_node(ax, centre, 1.0, tree.root)
        ax.text(centre, 1.6, f"({tree.letter})", ha="center", va="center", fontweight="bold")
        cost = float(example.problem.prices.total(list(tree.features)))
        ax.text(centre, -0.65, f"cost {cost:.1f}", ha="center", va="center", color=_GREY)


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
            colour = _COLOURS["sts"] if i == step.chosen else "#C9C9C9"
            ax.barh(i, step.ratio[i], color=colour, height=0.7)
        else:
            reason = "paid for" if step.free[i] else "too dear"
            ax.text(0, i, f" {reason}", va="center", color="#9A9A9A", fontsize=6.5)
    ax.axvline(0, color="black", linewidth=0.6)
    ax.set_yticks(range(len(trees)), [f"({t.letter})" for t in trees])
    ax.get_yticklabels()[step.chosen].set(fontweight="bold", color=_COLOURS["sts"])
    ax.set_ylim(len(trees) - 0.4, -0.6)
    largest = max(float(np.abs(step.ratio[step.possible]).max()), 0.02)
    ax.set_xlim(-0.45 * largest, 1.1 * largest)
    if step.ratio[step.chosen] < 0:
        ax.set_xlim(-1.2 * largest, 0.9 * largest)
    ax.locator_params(axis="x", nbins=3)
    ax.set_xlabel("benefit-cost ratio")
    ax.set_title(f"Iteration {number + 1}: ({trees[step.chosen].letter})", loc="left")
    _finish(ax, "x")


def _draw_purchases(ax: Axes, example: StsExample) -> None:
    spent = 0.0
    paid: list[int] = []
    for step in example.iterations:
        for j in example.trees[step.chosen].features:
            if j not in paid:
                paid.append(j)
                cost = float(example.problem.prices.feature_cost[j])
                ax.bar(
                    0,
                    cost,
                    bottom=spent,
                    width=0.5,
                    color=_COLOURS["sts"],
                    alpha=0.35,
                    edgecolor="white",
                )
                ax.text(0, spent + cost / 2, _feature_name(j), ha="center", va="center")
                spent += cost
    ax.axhline(BUDGET, color="black", linestyle="--", linewidth=0.8)
    ax.text(0.55, BUDGET, "budget", ha="right", va="bottom")
    ax.set(xlim=(-0.6, 0.6), ylim=(0, 1.12 * BUDGET), xticks=[], ylabel="cost")
    ax.set_title("on these features", loc="left")
    _finish(ax)


# Figure 2 and Additional file 2


def _strategies(material: _Material) -> Named:
    """One figure a setting and budget, of the first draw: the paper has one only."""
    for cell in material.results.tried:
        if cell.draw == 0:
            yield (
                f"strategies_{cell.source}_{_number(cell.budget)}",
                _strategy_figure(material.results, cell),
            )


def _strategy_figure(results: Results, cell: Cell) -> Figure:
    methods = [m for m in METHODS if len(results.tried[cell].get(m, {})) > 1]
    n_rows = -(-len(methods) // 2)
    figure = _new_figure(7.2, 0.9 + 2.2 * n_rows)
    axes = figure.subplots(n_rows, 4, width_ratios=[2.1, 1.0] * 2, squeeze=False).reshape(-1, 2)
    for (curve, violins), method in zip(axes, methods, strict=False):
        violins.sharey(curve)  # but not with other methods: some curves would be flat lines
        _draw_curve(curve, results, cell, method)
        _draw_strategies(violins, results, cell, method)
        curve.set(xlabel="ξ", ylabel="MMCE")
    for ax in axes[len(methods) :].ravel():
        ax.set_axis_off()
    n = max(len(found) for found in results.chosen[cell].values())
    title = _SOURCE_TITLES.get(cell.source, cell.source)
    figure.suptitle(
        f"Setting {title}; budget {_number(cell.budget)}; {n} replicates. Scales differ.",
        fontsize=9,
    )
    _add_strategy_key(figure)
    return figure


_CURVE_COLOUR = "#333333"


def _add_strategy_key(figure: Figure) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    key: list[Any] = [
        Line2D([], [], color=_CURVE_COLOUR, marker="o", ms=2.2, lw=1.0, label="mean at fixed ξ"),
        Patch(color=_CURVE_COLOUR, alpha=0.4, lw=0, label="its 95 % interval (box: the same)"),
        Patch(color=_CURVE_COLOUR, alpha=0.15, lw=0, label="middle 90 % of replicates"),
    ]
    for strategy, name in _STRATEGY_NAMES.items():
        key.append(
            Line2D(
                *([], []),
                color=_STRATEGY_COLOURS[strategy],
                linestyle="--",
                label=f"mean of {name}",
            )
        )
    figure.legend(handles=key, loc="outside lower center", ncols=3, frameon=False)


def _draw_curve(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    curve = results.tried[cell][method]
    xis = np.array(sorted(curve))
    errors = [np.array([row.test_error for row in curve[xi].values()]) for xi in xis.tolist()]
    means = [estimate(values) for values in errors]
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
    for strategy in ("agnostic", "simple"):
        at = np.flatnonzero(xis == (0.0 if strategy == "agnostic" else 1.0))
        ax.plot(
            xis[at],
            mean[at],
            "o",
            color=_STRATEGY_COLOURS[strategy],
            ms=5,
            mec="black",
            mew=0.5,
            zorder=5,
        )
    _draw_strategy_lines(ax, results, cell, method)
    ax.set_title(_NAMES[method], loc="left", fontweight="bold")
    _finish(ax)


def _draw_strategy_lines(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    for strategy, colour in _STRATEGY_COLOURS.items():
        rows = results.chosen[cell].get(label_of(method, strategy), {})
        if rows:
            mean = float(np.mean([row.test_error for row in rows.values()]))
            dashes = _STRATEGY_DASHES[strategy]
            ax.axhline(mean, color=colour, linestyle=dashes, linewidth=1.1, zorder=1.5)


def _draw_strategies(ax: Axes, results: Results, cell: Cell, method: str) -> None:
    for at, (strategy, colour) in enumerate(_STRATEGY_COLOURS.items()):
        rows = results.chosen[cell].get(label_of(method, strategy), {})
        if rows:
            values = np.array([row.test_error for row in rows.values()])
            _draw_violin(ax, at, values, colour, dots=False, lowest=0.0)
    _draw_strategy_lines(ax, results, cell, method)
    ax.set_xticks(range(len(_STRATEGY_NAMES)), list(_STRATEGY_NAMES.values()))
    ax.tick_params(labelleft=False)
    _finish(ax)


# Figure 3


def _methods(material: _Material) -> Named:
    results = material.results
    labels = results.tuned
    cells = [cell for cell in results.chosen if cell.draw == 0]
    sources = sorted({cell.source for cell in cells})
    budgets = sorted({cell.budget for cell in cells})
    figure = _new_figure(1.0 + 1.45 * len(budgets), 0.6 + 1.55 * len(sources))
    axes = figure.subplots(len(sources), len(budgets), squeeze=False, sharex=True)
    for i, source in enumerate(sources):
        for k, budget in enumerate(budgets):
            ax = axes[i, k]
            for at, label in enumerate(labels):
                rows = results.chosen[Cell(source, 0, budget)].get(label, {})
                if rows:
                    values = np.array([row.test_error for row in rows.values()])
                    _draw_violin(ax, at, values, _COLOURS[label], lowest=0.0)
            ax.set_xticks(range(len(labels)), [_NAMES[label] for label in labels], rotation=90)
            ax.set_ylim(bottom=max(0.0, ax.get_ylim()[0]))
            ax.locator_params(axis="y", nbins=5)
            _finish(ax)
            if i == 0:
                ax.set_title(f"budget {_number(budget)}")
            if k == 0:
                ax.set_ylabel(f"{source}: MMCE")
    kinds = "A, B: independent data; C, D: correlated data. B, D: correlated costs."
    dots = f"{_numbers_of_replicates(results, cells, labels)} replicates"
    _add_note(figure, f"{kinds} Scales differ.\n{_VIOLIN_KEY.format(what=dots)}")
    yield "methods", figure


def _numbers_of_replicates(
    results: Results, cells: Sequence[Cell], contestants: Sequence[str]
) -> str:
    return _range(
        len(rows)
        for cell in cells
        for label, rows in results.chosen[cell].items()
        if label in contestants
    )


def _range(numbers: Iterable[int]) -> str:
    different = sorted(set(numbers))
    return " to ".join(map(str, dict.fromkeys((different[0], different[-1]))))


# Figure 4


def _correlations(material: _Material) -> Named:
    design = draw_design(Artificial("C").seeds(0, 0)["design"])
    block = _above_diagonal(design.covariance())
    boxes = [("Σ of settings C, D (all)", block), ("Σ of settings C, D (> 0)", block[block > 0])]
    for name in REAL_SETS:
        X = read_real(name, material.data_dir).X
        varying = X[:, np.ptp(X, axis=0) > 0]
        boxes.append((name.capitalize(), _above_diagonal(np.asarray(np.corrcoef(varying.T)))))
    figure = _new_figure(5.6, 2.9)
    ax = figure.subplots()
    colours = [_GREY, _GREY] + [_COLOURS["auc"]] * len(REAL_SETS)
    for at, ((_, values), colour) in enumerate(zip(boxes, colours, strict=True)):
        ax.boxplot(
            values,
            positions=[at],
            orientation="horizontal",
            widths=0.62,
            patch_artist=True,
            boxprops={"facecolor": colour, "alpha": 0.45, "linewidth": 0.7},
            medianprops={"color": "black", "linewidth": 1.0},
            whiskerprops={"linewidth": 0.7},
            capprops={"linewidth": 0.7},
            flierprops={"marker": ".", "ms": 2, "alpha": 0.25, "mew": 0, "mfc": "black"},
        )
        ax.plot(values.mean(), at, "D", color="white", mec="black", mew=0.7, ms=3.5, zorder=5)
    ax.set_yticks(range(len(boxes)), [name for name, _ in boxes])
    ax.invert_yaxis()
    ax.set(xlabel="absolute correlation of two features (line: median, diamond: mean)")
    ax.set_xlim(-0.02, 1.02)
    _finish(ax, "x")
    yield "correlations", figure


def _above_diagonal(matrix: Array) -> Array:
    return np.abs(matrix[np.triu_indices(len(matrix), 1)])


# Figure 5, Additional files 3 and 4


def _real_matrix(material: _Material) -> Named:
    results = material.results
    rows = sorted({(cell.source, cell.draw) for cell in results.chosen})
    n_columns = max(sum((c.source, c.draw) == row for c in results.chosen) for row in rows)
    height = 0.5 + 0.17 * len(results.with_baselines)
    figure = _new_figure(max(1.85 * n_columns, 5.0), 0.4 + height * len(rows))
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
            title = ", ".join([*name, f"budget {_number(cell.budget)}"]).capitalize()
            ax.set_title(title, loc="right")  # where there is room for it
    for ax in axes[-1]:
        ax.set_xlabel("mean MMCE")
    _add_ranking_note(figure, results, list(results.chosen))
    yield "real_methods", figure


def _add_ranking_note(figure: Any, results: Results, cells: Sequence[Cell]) -> None:
    n = _numbers_of_replicates(results, cells, results.with_baselines)
    _add_note(
        figure,
        f"Cross: mean over {n} splits. Thick: its 95 % interval as in the paper, as if splits "
        "shared no rows.\nThin: with Nadeau and Bengio's correction. Pale and -0: cost-agnostic.",
    )


def _draw_ranking(ax: Axes, results: Results, cell: Cell) -> None:
    """Contestants by mean error; the paper's interval thick, the corrected one thin."""
    found = {
        label: np.array([row.test_error for row in rows.values()])
        for label, rows in results.chosen[cell].items()
        if label in results.with_baselines
    }
    order = sorted(found, key=lambda label: float(found[label].mean()))
    ratio = results.overlap_ratio(cell)
    for at, label in enumerate(order):
        colour = _colour_of(label)
        plain, corrected = estimate(found[label]), estimate(found[label], ratio)
        ax.plot([corrected.low, corrected.high], [at, at], color=colour, linewidth=0.7)
        ax.plot(
            [plain.low, plain.high], [at, at], color=colour, linewidth=3.2, solid_capstyle="butt"
        )
        ax.plot(plain.mean, at, "x", color="black", ms=4, mew=0.9, zorder=5)
    ax.set_yticks(range(len(order)), [display_name(label) for label in order])
    ax.set_ylim(len(order) - 0.4, -0.6)
    # Intervals of a few replicates may reach below 0, where no error is.
    ax.set_xlim(left=max(0.0, ax.get_xlim()[0]))
    ax.locator_params(axis="x", nbins=3)
    _finish(ax, "x")


def _colour_of(contestant: str) -> str:
    """A method's colour; its baseline's is the same, paler."""
    if contestant in _COLOURS:
        return _COLOURS[contestant]
    from matplotlib.colors import to_hex, to_rgb

    full = np.array(to_rgb(_COLOURS[contestant.rpartition("-")[0]]))
    return to_hex(tuple(0.5 + 0.5 * full))


def _real_overview(material: _Material) -> Named:
    results = material.results
    cells = [Cell(source, 0, budget) for source, budget in _REPRESENTATIVE]
    cells = [cell for cell in cells if cell in results.chosen]
    height = 0.7 + 0.18 * len(results.with_baselines)
    figure = _new_figure(7.2, height * (2 if cells else 1))
    bottom: Any = figure
    if cells:
        halves: Any = figure.subfigures(2, 1)
        top, bottom = halves
        for ax, cell in zip(top.subplots(1, len(cells), squeeze=False)[0], cells, strict=True):
            _draw_ranking(ax, results, cell)
            ax.set_title(f"{cell.source.capitalize()}, budget {_number(cell.budget)}")
            ax.set_xlabel("mean MMCE")
        _add_ranking_note(top, results, cells)
    _draw_mean_ranks(bottom.subplots(), compare_ranks(results, results.with_baselines)[0])
    yield "real_overview", figure


def _draw_mean_ranks(ax: Axes, comparison: Comparison) -> None:
    for at, (label, rank) in enumerate(
        zip(comparison.contestants, comparison.mean_rank.tolist(), strict=True)
    ):
        colour = _colour_of(label)
        ax.plot([1, rank], [at, at], color=colour, linewidth=1.4)
        ax.plot(rank, at, "o", color=colour, ms=5, mec="black", mew=0.5)
        ax.annotate(f"{rank:.2f}", (rank, at), (6, 0), textcoords="offset points", va="center")
    ax.set_yticks(
        range(len(comparison.contestants)), [display_name(c) for c in comparison.contestants]
    )
    ax.set_ylim(len(comparison.contestants) - 0.4, -0.6)
    ax.set_xlim(1, max(2, len(comparison.contestants)))
    ax.set_xlabel(f"mean rank over {comparison.n_blocks} cells")
    _finish(ax, "x")


# Beside the paper: critical differences, and the draws


def _critical_differences(material: _Material) -> Named:
    results = material.results
    real = bool(results.design.real_sets())
    contestants = results.with_baselines if real else results.tuned
    if len(contestants) < 2:
        return
    comparisons = compare_ranks(results, contestants)
    heights = [_diagram_height(comparison) for comparison in comparisons]
    figure = _new_figure(6.2, sum(heights) + 0.4)
    axes = figure.subplots(len(comparisons), 1, squeeze=False, height_ratios=heights)[:, 0]
    sources = {cell.source for cell in results.chosen}
    several_draws = len({cell.draw for cell in results.chosen}) > 1
    for ax, comparison in zip(axes, comparisons, strict=True):
        _draw_critical_differences(ax, comparison)
        of = sources.pop().capitalize() if len(sources) == 1 else _GROUP_TITLES[comparison.group]
        blocks = "draws" if several_draws else "cells"
        ax.set_title(f"{of}: mean rank over {comparison.n_blocks} {blocks}", fontweight="bold")
    one = "draw, with all its cells" if several_draws else "cell: a set or setting, and a budget"
    _add_note(
        figure,
        "A bar joins what cannot be told apart: Wilcoxon's signed-rank test of every two, Holm's\n"
        f"correction, 5 % level. One observation is a {one}.",
    )
    yield "critical_differences", figure


_LINE = 0.22  # inches from one name to the next


def _diagram_height(comparison: Comparison) -> float:
    return 0.95 + _LINE * (-(-len(comparison.contestants) // 2) + 0.6 * len(comparison.cliques()))


def _draw_critical_differences(ax: Axes, comparison: Comparison) -> None:
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
    for i, label in enumerate(comparison.contestants):
        on_left = i < n_left
        line = i if on_left else n - 1 - i
        y = -(bar_space + line + 0.5)
        edge = 1 - 0.06 * (n - 1) if on_left else n + 0.06 * (n - 1)
        place = max(ranks[i], place + 0.008 * (n - 1))  # beside an equal rank, not behind it
        ax.plot([place, place, edge], [0, y, y], color=_colour_of(label), linewidth=1.0)
        ax.text(
            edge,
            y,
            f" {display_name(label)} ({ranks[i]:.2f}) ",
            ha="right" if on_left else "left",
            va="center",
        )


def _draw_variation(material: _Material) -> Named:
    results = material.results
    reference = "pfi" if "pfi" in results.tuned else results.tuned[0]
    others = [label for label in results.tuned if label != reference]
    if not others:
        return
    sources = sorted({cell.source for cell in results.chosen})
    budgets = sorted({cell.budget for cell in results.chosen})
    figure = _new_figure(1.0 + 1.45 * len(budgets), 0.7 + 1.5 * len(sources))
    axes = figure.subplots(len(sources), len(budgets), squeeze=False, sharex=True)
    n_draws = [len({cell.draw for cell in results.chosen if cell.source == s}) for s in sources]
    for i, source in enumerate(sources):
        for k, budget in enumerate(budgets):
            ax = axes[i, k]
            ax.axhline(0, color="black", linewidth=0.7)
            for at, label in enumerate(others):
                means = draw_means(results, source, budget, (label, reference))
                if means.size:
                    _draw_violin(ax, at, means[0] - means[1], _COLOURS[label])
            ax.set_xticks(range(len(others)), [_NAMES[label] for label in others], rotation=90)
            ax.locator_params(axis="y", nbins=5)
            _finish(ax)
            if i == 0:
                ax.set_title(f"budget {_number(budget)}")
            if k == 0:
                ax.set_ylabel(f"Setting {source}")
    figure.suptitle(f"MMCE of a method minus that of {_NAMES[reference]}", fontsize=9)
    key = _VIOLIN_KEY.format(what=f"{_range(n_draws)} draws")
    _add_note(figure, f"Above 0 {_NAMES[reference]} is better. Scales differ.\n{key}")
    yield "draws", figure


_Maker = Callable[[_Material], Iterable[tuple[str, "Figure"]]]

_FIGURES: Mapping[str, Sequence[_Maker]] = {
    "paper-artificial": (_sts_scheme, _strategies, _methods, _critical_differences),
    "paper-real": (_correlations, _real_overview, _real_matrix, _critical_differences),
    "paper-spam-costs": (_real_matrix, _critical_differences),
    "draws": (_draw_variation, _critical_differences),
    "smoke": (
        *(_sts_scheme, _strategies, _methods, _real_overview, _real_matrix),
        *(_critical_differences, _draw_variation),
    ),
}
