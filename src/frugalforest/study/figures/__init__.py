"""Figures from a store, as PDF and PNG: the paper's, and what it lacks.

matplotlib is imported when something is drawn. Figures are made without pyplot: nothing is kept
from one to the next, and no display is needed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from frugalforest.study.design import Design, StudyError
from frugalforest.study.figures._files import write_figure
from frugalforest.study.figures._look import STYLE
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.figures.correlations import correlation_boxes
from frugalforest.study.figures.critical_differences import critical_difference_diagrams
from frugalforest.study.figures.draws import draw_variation
from frugalforest.study.figures.methods import method_grid
from frugalforest.study.figures.rankings import real_matrix, real_overview
from frugalforest.study.figures.scheme import sts_scheme
from frugalforest.study.figures.strategies import strategy_figures
from frugalforest.study.finished import read_results
from frugalforest.study.store import Store

__all__ = ["write_figures"]

# By design: what is drawn of it.
_FIGURES: Mapping[str, Sequence[Callable[[Material], NamedFigures]]] = {
    "paper-artificial": (sts_scheme, strategy_figures, method_grid, critical_difference_diagrams),
    "paper-real": (correlation_boxes, real_overview, real_matrix, critical_difference_diagrams),
    "paper-spam-costs": (real_matrix, critical_difference_diagrams),
    "draws": (draw_variation, critical_difference_diagrams),
    "smoke": (
        *(sts_scheme, strategy_figures, method_grid, real_overview, real_matrix),
        *(critical_difference_diagrams, draw_variation),
    ),
}


def write_figures(
    design: Design, store: Store, folder: Path, data_dir: str | None = None
) -> list[Path]:
    """Draw the figures of what is finished, each as PDF and PNG."""
    try:
        from matplotlib import rc_context
    except ImportError:
        raise StudyError("figures need matplotlib: pip install 'frugalforest[plot]'.") from None
    material = Material(read_results(design, store), data_dir)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    with rc_context(STYLE):
        for draw in _FIGURES[design.name]:
            for name, figure in draw(material):
                written += write_figure(figure, folder / name)
    return written
