"""What cases of each class are called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.plotting._diagnosed import LONGEST_CLASS, find_diagnosis, look_of_best
from frugalforest.plotting._drawing import clearer, ink, paper, start_axes
from frugalforest.results import Results
from frugalforest.results.looks import Look
from frugalforest.words.formats import count, money, percent, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ConfusionDisplay"]

# From so many classes on, a cell has room for its share only.
_MANY_CLASSES = 7


class ConfusionDisplay:
    """What cases of each class are called, in percent of the class, at one budget.

    Made by `from_comparison`. Cases took no part in the choice of the set. A case counts once,
    however many forests were tried on it: where they differ, or a vote is tied, it counts in part,
    and the number of cases in a cell is rounded.

    Parameters
    ----------
    budget : float
    classes : sequence of str
    shares : array of shape (n_classes, n_classes)
        Share of the cases of each class (rows) that are called each class (columns).
    n_cases : sequence of int
        Cases of each class.
    look : Look
        Whose colour it has.

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
    >>> display = ConfusionDisplay.from_comparison(result, budget=2)
    >>> display.shares.sum(axis=1).round(6)
    array([1., 1.])
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budget: float,
        classes: Sequence[str],
        shares: NDArray[np.float64],
        n_cases: Sequence[int],
        look: Look,
    ) -> None:
        self.budget = budget
        self.classes = classes
        self.shares = shares
        self.n_cases = n_cases
        self.look = look

    @classmethod
    def from_comparison(
        cls, comparison: Results, budget: float | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw the confusion matrix of a comparison.

        Parameters
        ----------
        comparison : Comparison
        budget : float, optional
            One of the comparison's budgets; the recommended one by default.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        """
        budget, diagnosis = find_diagnosis(comparison, budget)
        every = range(len(diagnosis.n_cases))
        display = cls(
            budget=budget,
            classes=comparison.data.classes,
            shares=np.array([[diagnosis.called(a, b).value for b in every] for a in every]),
            n_cases=diagnosis.n_cases,
            look=look_of_best(comparison),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        from matplotlib.colors import LinearSegmentedColormap

        n_classes = len(self.classes)
        axes: Any = start_axes(ax, height=min(9.0, 2.6 + 0.9 * n_classes))
        self.ax_, self.figure_ = axes, axes.figure
        shades = LinearSegmentedColormap.from_list(
            "shares", [self._opaque_paper, ink(axes, self.look)]
        )
        axes.imshow(np.nan_to_num(self.shares), cmap=shades, vmin=0, vmax=1, aspect="auto")
        for (a, b), share in np.ndenumerate(self.shares):
            behind = shades(float(np.nan_to_num(share)))
            axes.text(
                b,
                a,
                self._cell_text(a, float(share)),
                ha="center",
                va="center",
                color=clearer(behind, (self._opaque_paper, ink(axes))),
                fontweight="bold" if a == b else "normal",
                fontsize="medium" if n_classes < _MANY_CLASSES else "x-small",
            )
        names = [shorten(name, LONGEST_CLASS) for name in self.classes]
        rows = [f"{name}\n{count(n, 'case')}" for name, n in zip(names, self.n_cases, strict=True)]
        # A class's name is text: dollar signs in it are no formula.
        axes.set_xticks(range(n_classes), names, parse_math=False)
        axes.set_yticks(range(n_classes), rows, parse_math=False)
        axes.tick_params(length=0)
        axes.grid(visible=False)
        axes.set_xlabel("Called (% of the cases of a class)")
        axes.set_ylabel("True class")
        axes.set_title(
            f"Confusion matrix, budget {money(self.budget)}",
            loc="left",
            fontsize="medium",
            fontweight="bold" if ax is None else "normal",
        )
        return self

    @property
    def _opaque_paper(self) -> Any:
        """What is drawn on; white where that is transparent."""
        from matplotlib.colors import to_rgba

        *rgb, alpha = to_rgba(paper(self.ax_))
        return tuple(alpha * c + 1 - alpha for c in rgb)

    def _cell_text(self, true: int, share: float) -> str:
        if np.isnan(share):
            return "no case"
        if len(self.classes) >= _MANY_CLASSES:
            return percent(share)
        return f"{percent(share)}\n{count(round(share * self.n_cases[true]), 'case')}"
