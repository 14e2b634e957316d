"""How the differences between methods vary from draw to draw. The paper has one draw only."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from frugalforest.study.contestants import look_of
from frugalforest.study.figures._look import add_note, range_in_words
from frugalforest.study.figures._material import Material, NamedFigures
from frugalforest.study.figures._violins import violin_grid, violin_key

__all__ = ["draw_variation"]


def draw_variation(material: Material) -> NamedFigures:
    """Differences to permutation importance, or to the first method, one value a draw."""
    results = material.results
    reference = "pfi" if "pfi" in results.tuned else results.tuned[0]
    others = [name for name in results.tuned if name != reference]
    if not others:
        return
    sources = sorted({cell.source for cell in results.chosen})

    def differences(source: str, budget: float, name: str) -> NDArray[np.float64]:
        means = results.draw_means(source, budget, (name, reference))
        return np.asarray(means[0] - means[1])

    figure = violin_grid(
        {source: f"Setting {source}" for source in sources},
        sorted({cell.budget for cell in results.chosen}),
        others,
        differences,
        height=0.7 + 1.5 * len(sources),
        are_differences=True,
    )
    label = look_of(reference).label
    score = results.design.scoring.label
    figure.suptitle(f"{score} of a method minus that of {label}", fontsize=9)
    n_draws = [len({cell.draw for cell in results.chosen if cell.source == s}) for s in sources]
    key = violin_key(f"{range_in_words(n_draws)} draws")
    add_note(figure, f"Above 0 {label} is better. Scales differ.\n{key}")
    yield "draws", figure
