"""Shares given against shares observed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

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
    marker_of,
    square_of_shares,
    start_axes,
)
from frugalforest.results import Results
from frugalforest.results.looks import Look
from frugalforest.words.formats import count, money, percent, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["ReliabilityDisplay"]


class ReliabilityDisplay:
    """Whether the shares that a forest gives to a class are what happens, at one budget.

    Made by `from_comparison`. Cases, which took no part in the choice of the set, are put into
    groups of about the same size by the share that they were given; on the diagonal, as many of a
    group are of the class as its share says.

    Parameters
    ----------
    budget : float
    positive : str
        The class that the shares are of.
    given, observed : array
        For each group, the mean share given to the class, and the share of its cases that are of
        it.
    low, high : array
        Wilson's 95 % intervals of `observed`.
    n_cases : array
        Cases in each group; a case counts in part in each group that some forest put it into.
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
    >>> display = ReliabilityDisplay.from_comparison(result, budget=2, positive=1)
    >>> bool((display.low <= display.observed).all())
    True
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budget: float,
        positive: str,
        given: NDArray[np.float64],
        observed: NDArray[np.float64],
        low: NDArray[np.float64],
        high: NDArray[np.float64],
        n_cases: NDArray[np.float64],
        look: Look,
    ) -> None:
        self.budget = budget
        self.positive = positive
        self.given = given
        self.observed = observed
        self.low = low
        self.high = high
        self.n_cases = n_cases
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
        """Draw the reliability curve of a comparison.

        Parameters
        ----------
        comparison : Comparison
        budget : float, optional
            One of the comparison's budgets; the recommended one by default.
        positive : class, optional
            Which class the shares are of; the rarest by default.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        """
        budget, diagnosis = find_diagnosis(comparison, budget)
        classes = comparison.data.classes
        k = find_positive(comparison, diagnosis, positive)
        given, observed, weight = np.array(diagnosis.reliability[k]).reshape(-1, 3).T
        n_cases = weight * sum(diagnosis.n_cases)
        independent = weight * diagnosis.n_independent(k)[2]
        shares = [Share.of_share(*pair) for pair in zip(observed, independent, strict=True)]
        display = cls(
            budget=budget,
            positive=classes[k],
            given=given,
            observed=observed,
            low=np.array([share.low for share in shares]),
            high=np.array([share.high for share in shares]),
            n_cases=n_cases,
            look=look_of_best(comparison),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = start_axes(ax, height=6.0)
        self.figure_ = axes.figure
        grid(axes, "both")
        draw_diagonal(axes, "Shares are what happens")
        axes.errorbar(
            self.given,
            self.observed,
            yerr=[self.observed - self.low, self.high - self.observed],
            color=ink(axes, self.look),
            marker=marker_of(self.look),
            markersize=6.0,
            linewidth=1.6,
            elinewidth=1.4,
            capsize=2.5,
            label=self._groups_text,
            zorder=3,
        )
        square_of_shares(axes)
        # A class's name is text: dollar signs in it are no formula.
        name = shorten(self.positive, LONGEST_CLASS).replace("$", r"\$")
        axes.set_xlabel(f"Share given to ‘{name}’ (%)")
        axes.set_ylabel(f"Cases that are ‘{name}’ (%)")
        title = f"Reliability, budget {money(self.budget)}: {self._mean_text}"
        finish(axes, title, ax is None, n_columns=1)
        return self

    @property
    def _groups_text(self) -> str:
        least, most = round(self.n_cases.min()), round(self.n_cases.max())
        size = f"{least}" if least == most else f"{least} to {most}"
        groups = count(len(self.n_cases), "group")
        total = round(self.n_cases.sum())
        return f"{groups} of {size} of {total} cases, 95 % interval"

    @property
    def _mean_text(self) -> str:
        given = np.average(self.given, weights=self.n_cases)
        observed = np.average(self.observed, weights=self.n_cases)
        return f"{percent(float(given))} given, {percent(float(observed))} observed"
