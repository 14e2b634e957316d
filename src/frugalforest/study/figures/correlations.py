"""How features correlate in the settings and in the real sets: the paper's Figure 4."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalforest.datasets import REAL_SETS, draw_design
from frugalforest.study.contestants import look_of
from frugalforest.study.figures._look import GREY, finish_axes, new_figure
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.sources import Artificial, read_real

__all__ = ["correlation_boxes"]

Array = NDArray[np.float64]

_REAL_COLOUR = look_of("auc").colour


def correlation_boxes(material: Material) -> NamedFigures:
    """Boxes of the absolute correlations of every two features."""
    design = draw_design(Artificial("C").seeds(0, 0)["design"])
    block = _above_diagonal(design.covariance())
    boxes = [("Σ of settings C, D (all)", block), ("Σ of settings C, D (> 0)", block[block > 0])]
    for name in REAL_SETS:
        X = read_real(name, material.data_dir).X
        varying = X[:, np.ptp(X, axis=0) > 0]
        boxes.append((name.capitalize(), _above_diagonal(np.asarray(np.corrcoef(varying.T)))))
    figure = new_figure(5.6, 2.9)
    ax = figure.subplots()
    colours = [GREY, GREY] + [_REAL_COLOUR] * len(REAL_SETS)
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
    finish_axes(ax, "x")
    yield "correlations", figure


def _above_diagonal(matrix: Array) -> Array:
    return np.abs(matrix[np.triu_indices(len(matrix), 1)])
