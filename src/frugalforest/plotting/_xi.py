"""Selection score against ξ."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.plotting._drawing import (
    all_looks,
    check_names,
    finish,
    grid,
    ink,
    marker_of,
    percent_axis,
    start_axes,
)
from frugalforest.results import Results, ScoreFacts
from frugalforest.results.looks import Look
from frugalforest.words.formats import decimal, money

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["XiCurveDisplay"]

# Sets hardly change beyond, and most of the change is at small ξ.
_LARGEST_LINEAR_XI = 8.0


class XiCurveDisplay:
    """Selection score against ξ, the weight of cost, for each method that has it, at one budget.

    Made by `from_comparison`. A ring marks the ξ that was chosen. The scores are what tuning
    compared, not errors to expect.

    Parameters
    ----------
    budget : float
    score : ScoreFacts
        What tuning minimised.
    xis, scores : mapping of str to array
        By method: the values of ξ that were tried, and their scores.
    chosen : mapping of str to float
        By method: the best ξ.
    exact : collection of str
        Methods whose set stays the same from one ξ to the next: drawn in steps.
    without_xi : sequence of str
        Methods of the comparison that have no ξ: named, not drawn.
    looks : mapping of str to Look
        How each method is named and drawn.

    Attributes
    ----------
    ax_, figure_
        Where it was drawn.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from frugalforest import compare
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = compare(X, y, budgets=[1, 2], methods=["auc"], n_trees=20, n_resamples=2)
    >>> display = XiCurveDisplay.from_comparison(result, budget=2)
    >>> display.chosen["auc"]
    0.0
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budget: float,
        score: ScoreFacts,
        xis: Mapping[str, NDArray[np.float64]],
        scores: Mapping[str, NDArray[np.float64]],
        chosen: Mapping[str, float],
        exact: Iterable[str],
        without_xi: Sequence[str],
        looks: Mapping[str, Look],
    ) -> None:
        self.budget = budget
        self.score = score
        self.xis = xis
        self.scores = scores
        self.chosen = chosen
        self.exact = exact
        self.without_xi = without_xi
        self.looks = looks

    @classmethod
    def from_comparison(
        cls,
        comparison: Results,
        budget: float,
        *,
        ax: Axes | None = None,
        methods: str | Iterable[str] | None = None,
    ) -> Self:
        """Draw the ξ curves of a comparison.

        Parameters
        ----------
        comparison : Comparison
        budget : float
            One of the comparison's budgets.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        methods : str or iterable of str, optional
            Methods of the comparison; all that have ξ by default.
        """
        comparison.procedure(budget)  # says which budgets there are, if this is none of them
        facts = {method.name: method for method in comparison.methods_used}
        wanted = check_names(methods, comparison.methods)
        without = [name for name in wanted if not facts[name].has_xi]
        names = [name for name in wanted if facts[name].has_xi]
        if without and (methods is not None or not names):
            raise ValueError(
                f"{', '.join(without)}: no ξ, so no ξ curve to draw. With ξ there "
                f"{_are([m.name for m in comparison.methods_used if m.has_xi])}."
            )
        rows = {name: comparison.selection(budget, name) for name in names}
        tried = {
            name: [(t.xi, t.score) for t in row.tried if t.xi is not None]
            for name, row in rows.items()
        }
        display = cls(
            budget=float(budget),
            score=comparison.score_used,
            xis={name: np.array([xi for xi, _ in sets]) for name, sets in tried.items()},
            scores={name: np.array([score for _, score in sets]) for name, sets in tried.items()},
            chosen={name: row.xi for name, row in rows.items() if row.xi is not None},
            exact=[name for name in names if facts[name].exact],
            without_xi=without,
            looks=all_looks(comparison),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = start_axes(ax)
        self.figure_ = axes.figure
        largest = max(float(xis.max()) for xis in self.xis.values())
        end = max(1.0, largest * 1.04)
        for name in self.xis:
            self._draw_curve(name, end)
        for name in self.without_xi:
            axes.plot([], [], linestyle="none", label=f"{self.looks[name].label}: has no ξ")
        if largest > _LARGEST_LINEAR_XI:
            axes.set_xscale("symlog", linthresh=1)
            ticks = [0, 0.5, *(m * 10**e for e in range(8) for m in (1, 2, 5))]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.set_xticks([], minor=True)
        axes.set_xlim(-0.02 * min(end, 2.0), end)
        if self.score.in_percent:
            percent_axis(axes.yaxis)
        unit = " (%)" if self.score.in_percent else ""
        axes.set_ylabel(f"Selection score: {self.score.label}{unit}")
        grid(axes, "y")
        axes.set_xlabel("ξ, the weight of cost (0 ignores cost)")
        finish(axes, f"Tuning ξ for a budget of {money(self.budget)}", ax is None)
        return self

    def _draw_curve(self, name: str, end: float) -> None:
        axes: Any = self.ax_
        look, xis, scores = self.looks[name], self.xis[name], self.scores[name]
        steps = name in self.exact
        axes.plot(
            np.append(xis, end) if steps else xis,
            np.append(scores, scores[-1]) if steps else scores,
            drawstyle="steps-post" if steps else "default",
            color=ink(axes, look),
            linewidth=1.4,
            marker=marker_of(look),
            markersize=3.5,
            markevery=slice(len(xis)),
            label=f"{look.label} (chosen: ξ = {decimal(self.chosen[name])})",
        )
        axes.plot(
            self.chosen[name],
            scores[xis == self.chosen[name]][0],
            marker="o",
            markersize=11,
            markerfacecolor="none",
            markeredgecolor=ink(axes, look),
            markeredgewidth=1.8,
        )


def _are(names: Sequence[str]) -> str:
    if not names:
        return "is no method"
    return f"{'is' if len(names) == 1 else 'are'} {', '.join(names)}"
