"""The methods beside each other, for every setting and budget: the paper's Figure 3."""

from __future__ import annotations

from frugalforest.study.figures._look import add_note, replicates_in_words
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.figures._violins import violin_grid, violin_key
from frugalforest.study.finished import Cell

__all__ = ["method_grid"]


def method_grid(material: Material) -> NamedFigures:
    """Errors of the tuned methods, of the first draw."""
    results = material.results
    cells = [cell for cell in results.chosen if cell.draw == 0]
    sources = sorted({cell.source for cell in cells})
    figure = violin_grid(
        {source: f"{source}: {results.design.scoring.label}" for source in sources},
        sorted({cell.budget for cell in cells}),
        results.tuned,
        lambda source, budget, name: results.errors_of(Cell(source, 0, budget), name),
        height=0.6 + 1.55 * len(sources),
    )
    kinds = "A, B: independent data; C, D: correlated data. B, D: correlated costs."
    dots = f"{replicates_in_words(results, cells, results.tuned)} replicates"
    add_note(figure, f"{kinds} Scales differ.\n{violin_key(dots)}")
    yield "methods", figure
