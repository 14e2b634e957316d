"""How often each feature was chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Self

import numpy as np
from numpy.typing import NDArray

from frugalforest.plotting._drawing import (
    all_looks,
    check_names,
    finish,
    ink,
    percent_axis,
    start_axes,
)
from frugalforest.results import Results
from frugalforest.results.looks import BEST_KEY, Look
from frugalforest.words.formats import agreement, money, shorten, whole_percent

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["SelectionFrequencyDisplay"]

_LONGEST_NAME = 40
_NOT_BOUGHT = "#8C8C8C"


class SelectionFrequencyDisplay:
    """How often each feature was chosen over the resamples, at one budget.

    Made by `from_comparison`. Features of the set that is bought, chosen from all rows, have the
    method's colour.

    Parameters
    ----------
    budget : float
    look : Look
        Of the method, or of the best of them.
    features : list of str
        Features that were chosen at least once or are bought, most frequent first.
    frequencies : array
        Share of the resamples in which each was chosen.
    bought : array of bool
        Whether it is in the set chosen from all rows.
    stability : float
        Chance-corrected agreement of the resamples' sets (Nogueira): 1 is always the same set.
        NaN for one resample.
    n_resamples : int
    max_features : int
        Most bars to draw.

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
    >>> display = SelectionFrequencyDisplay.from_comparison(result, budget=2)
    >>> display.n_resamples
    2
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budget: float,
        look: Look,
        features: Sequence[str],
        frequencies: NDArray[np.float64],
        bought: NDArray[np.bool_],
        stability: float,
        n_resamples: int,
        max_features: int = 20,
    ) -> None:
        self.budget = budget
        self.look = look
        self.features = features
        self.frequencies = frequencies
        self.bought = bought
        self.stability = stability
        self.n_resamples = n_resamples
        self.max_features = max_features

    @classmethod
    def from_comparison(
        cls,
        comparison: Results,
        budget: float,
        *,
        ax: Axes | None = None,
        method: str = BEST_KEY,
        max_features: int = 20,
    ) -> Self:
        """Draw the selection frequencies of a comparison.

        Parameters
        ----------
        comparison : Comparison
        budget : float
            One of the comparison's budgets.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        method : str, default="best"
            A method of the comparison, or the procedure that chooses among them.
        max_features : int, default=20
            Most bars to draw.
        """
        check_names(method, [BEST_KEY, *comparison.methods])
        by_best = method == BEST_KEY
        row = comparison.best(budget) if by_best else comparison.selection(budget, method)
        if row.frequencies is None:
            raise ValueError(
                "there are no selection frequencies: compare with `n_resamples` above 0."
            )
        # Sorting is stable: equal frequencies stay in column order.
        ranked = sorted(row.frequencies.items(), key=lambda item: -item[1])
        shown = [(name, share) for name, share in ranked if share > 0 or name in row.features]
        display = cls(
            budget=float(budget),
            look=all_looks(comparison)[method],
            features=[name for name, _ in shown],
            frequencies=np.array([share for _, share in shown]),
            bought=np.array([name in row.features for name, _ in shown]),
            stability=np.nan if row.stability is None else row.stability,
            n_resamples=comparison.settings.n_resamples,
            max_features=max_features,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        n_bars = min(len(self.features), self.max_features)
        n_left_out = len(self.features) - n_bars
        axes = self.ax_ = start_axes(ax, height=1.6 + 0.24 * n_bars)
        self.figure_ = axes.figure
        place = np.arange(n_bars)
        for bought, colour, alpha, label in (
            (True, ink(axes, self.look), 0.8, "In the set to buy"),
            (False, _NOT_BOUGHT, 0.45, "Not in the set to buy"),
        ):
            mine = self.bought[:n_bars] == bought
            if mine.any():
                shares = self.frequencies[:n_bars][mine]
                axes.barh(place[mine], shares, color=colour, alpha=alpha, height=0.72, label=label)
        for y, share in zip(place, self.frequencies[:n_bars], strict=True):
            axes.annotate(
                whole_percent(share),
                (share, y),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
        # A column's name is text: dollar signs in it are no formula.
        names = [shorten(name, _LONGEST_NAME) for name in self.features[:n_bars]]
        axes.set_yticks(place, names, parse_math=False)
        axes.set_ylim(n_bars - 0.4, -0.6)
        axes.set_xlim(0, 1.1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        percent_axis(axes.xaxis)
        axes.set_xlabel(f"Chosen in (% of {self.n_resamples} resamples)")
        stability = "" if np.isnan(self.stability) else f", stability {agreement(self.stability)}"
        title = f"{self.look.label}, budget {money(self.budget)}{stability}"
        finish(axes, title, ax is None)
        if n_left_out:
            axes.annotate(
                f"{n_left_out} more, chosen in {whole_percent(self.frequencies[n_bars])} or less",
                (1, 0),
                xycoords="axes fraction",
                xytext=(-4, 4),
                textcoords="offset points",
                ha="right",
                fontsize="small",
                alpha=0.8,
            )
        return self
