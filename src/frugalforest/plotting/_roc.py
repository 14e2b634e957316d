"""Sensitivity against false alarms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.evaluation.diagnosis import Figure as Share
from frugalforest.plotting._diagnosed import (
    LONGEST_CLASS,
    find_diagnosis,
    find_positive,
    look_of_best,
)
from frugalforest.plotting._drawing import (
    draw_diagonal,
    finish,
    grid,
    ink,
    paper,
    square_of_shares,
    start_axes,
)
from frugalforest.results import Results
from frugalforest.results.looks import Look
from frugalforest.words.formats import interval, money, percent, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["RocDisplay"]


class RocDisplay:
    """ROC curve of one class against the others, at one budget.

    Made by `from_comparison`. Cases took no part in the choice of the set. The point at which the
    forest decides is marked, with 95 % intervals both ways; where there are more than two classes
    it may lie off the curve, since it decides among all of them.

    Parameters
    ----------
    budget : float
    positive : str
        The class that counts as positive.
    false_alarms, found : array
        The curve: share of the other cases (1 − specificity) and share of the positive ones
        (sensitivity) that are above a threshold.
    sensitivity, specificity : Figure
        Where the forest decides.
    auc : Figure
        Area under the curve; for more than two classes, the mean over pairs of them.
    n_positive, n_others : int
        Cases.
    n_classes : int
    look : Look
        How it is drawn.

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
    >>> display = RocDisplay.from_comparison(result, budget=2)
    >>> display.positive, display.auc.value > 0.9
    ('0', True)
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budget: float,
        positive: str,
        false_alarms: NDArray[np.float64],
        found: NDArray[np.float64],
        sensitivity: Share,
        specificity: Share,
        auc: Share,
        n_positive: int,
        n_others: int,
        n_classes: int,
        look: Look,
    ) -> None:
        self.budget = budget
        self.positive = positive
        self.false_alarms = false_alarms
        self.found = found
        self.sensitivity = sensitivity
        self.specificity = specificity
        self.auc = auc
        self.n_positive = n_positive
        self.n_others = n_others
        self.n_classes = n_classes
        self.look = look

    @classmethod
    def from_comparison(
        cls,
        comparison: Results,
        budget: float | None = None,
        *,
        positive: object | None = None,
        ax: Axes | None = None,
    ) -> Self:
        """Draw the ROC curve of a comparison.

        Parameters
        ----------
        comparison : Comparison
        budget : float, optional
            One of the comparison's budgets; the recommended one by default.
        positive : class, optional
            Which class counts as positive; the rarest by default.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        """
        budget, diagnosis = find_diagnosis(comparison, budget)
        classes = comparison.data.classes
        k = find_positive(comparison, diagnosis, positive)
        curve = np.array(diagnosis.roc[k]).reshape(-1, 2)
        n_positive = diagnosis.n_cases[k]
        display = cls(
            budget=budget,
            positive=classes[k],
            false_alarms=curve[:, 0],
            found=curve[:, 1],
            sensitivity=diagnosis.sensitivity(k),
            specificity=diagnosis.specificity(k),
            auc=diagnosis.auc,
            n_positive=n_positive,
            n_others=sum(diagnosis.n_cases) - n_positive,
            n_classes=len(classes),
            look=look_of_best(comparison),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = start_axes(ax, height=6.0)
        self.figure_ = axes.figure
        colour = ink(axes, self.look)
        grid(axes, "both")
        draw_diagonal(axes, "Guessing")
        axes.plot(self.false_alarms, self.found, color=colour, linewidth=2.0, label=self._auc_text)
        found, wrong = self.sensitivity, self.specificity.complement
        axes.errorbar(
            wrong.value,
            found.value,
            xerr=_reach(wrong),
            yerr=_reach(found),
            color=colour,
            marker="o",
            markersize=8.0,
            markerfacecolor=paper(axes),
            markeredgewidth=2.0,
            elinewidth=1.4,
            capsize=2.5,
            linestyle="none",
            label=self._decision_text,
            zorder=3,
        )
        square_of_shares(axes)
        others = "others" if self.n_classes > 2 else "other cases"
        axes.set_xlabel(f"False alarms: 1 − specificity (% of {self.n_others} {others})")
        axes.set_ylabel(f"Sensitivity (% of {self.n_positive} cases)")
        # A class's name is text: dollar signs in it are no formula.
        name = shorten(self.positive, LONGEST_CLASS).replace("$", r"\$")
        title = f"ROC curve of ‘{name}’, budget {money(self.budget)}"
        finish(axes, title, ax is None, n_columns=1)
        return self

    @property
    def _auc_text(self) -> str:
        text = f"AUC {self.auc.value:.3f}"
        if not np.isnan(self.auc.low):
            text += f" ({self.auc.low:.3f} to {self.auc.high:.3f})"
        return text if self.n_classes == 2 else f"{text}, mean over pairs of classes"

    @property
    def _decision_text(self) -> str:
        found, right = (
            percent(share.value)
            + ("" if np.isnan(share.low) else f" ({interval(share.low, share.high)})")
            for share in (self.sensitivity, self.specificity)
        )
        return f"Decision: sensitivity {found},\nspecificity {right}"


def _reach(share: Share) -> Any:
    """Lengths of an interval below and above."""
    return [[share.value - share.low], [share.high - share.value]]
