"""Error against money."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
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
    paper,
    percent_axis,
    start_axes,
)
from frugalforest.results import Results, ScoreFacts, Selection
from frugalforest.results.frontier import decades_scale, spans_decades
from frugalforest.results.looks import BEST_KEY, Look
from frugalforest.words.formats import money

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FrontierCurve", "FrontierDisplay"]

# Curves stand so many points aside from one another.
_ASIDE = 3.5


@dataclass(frozen=True)
class FrontierCurve:
    """One procedure at each budget; NaN where there is no number.

    Attributes
    ----------
    cost : ndarray
        Money spent.
    selection_score : ndarray
        What the sets were chosen by.
    error, low, high : ndarray
        Honest error and its 95 % interval.
    """

    cost: NDArray[np.float64]
    selection_score: NDArray[np.float64]
    error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class FrontierDisplay:
    """Error against money spent, for each method and for the best of them.

    Made by `from_comparison`. Without resamples there is no honest error: then the selection
    scores are drawn, and named so.

    Parameters
    ----------
    budgets : array of shape (n_budgets,)
    curves : mapping of str to FrontierCurve
        By method; "best" is the procedure that chooses among the methods.
    looks : mapping of str to Look
        How each is named and drawn.
    score : ScoreFacts
        What sets were chosen by.
    guess_error : float
        What guessing by how common the classes are scores.
    answer : str, optional
        The curve that has the say, drawn the boldest.

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
    >>> display = FrontierDisplay.from_comparison(result)
    >>> display.ax_.get_ylabel()
    'Honest error (% of new cases)'
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budgets: NDArray[np.float64],
        curves: Mapping[str, FrontierCurve],
        looks: Mapping[str, Look],
        score: ScoreFacts,
        guess_error: float,
        answer: str | None = None,
    ) -> None:
        self.budgets = budgets
        self.curves = curves
        self.looks = looks
        self.score = score
        self.guess_error = guess_error
        self.answer = answer

    @classmethod
    def from_comparison(
        cls,
        comparison: Results,
        *,
        ax: Axes | None = None,
        methods: str | Iterable[str] | None = None,
    ) -> Self:
        """Draw the frontier of a comparison.

        Parameters
        ----------
        comparison : Comparison
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.
        methods : str or iterable of str, optional
            Methods of the comparison, or "best"; all by default.
        """
        compared = comparison.methods
        names = check_names(methods, [BEST_KEY, *compared])
        if methods is None and comparison.judge is not None:
            names = [comparison.judge.name, *(m for m in compared if m != comparison.judge.name)]
        elif methods is None and len(compared) == 1:
            names = list(compared)  # one method alone is the best of them
        curves = {
            name: _curve(
                [
                    comparison.best(b) if name == BEST_KEY else comparison.selection(b, name)
                    for b in comparison.amounts
                    if name == BEST_KEY or name in comparison.methods_at(b)
                ]
            )
            for name in names
        }
        display = cls(
            budgets=np.array(comparison.amounts),
            curves=curves,
            looks=all_looks(comparison),
            score=comparison.score_used,
            guess_error=comparison.score_used.of_nothing,
            answer=None if comparison.judge is None else comparison.judge.name,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = start_axes(ax)
        self.figure_ = axes.figure
        honest = any(np.isfinite(curve.error).any() for curve in self.curves.values())
        # The answer, or the only curve, has its interval as a band, too. Its score is shown where
        # that is what it was chosen by.
        alone = len(self.curves) == 1
        drawn = []
        for i, (name, curve) in enumerate(self.curves.items()):
            first = alone or name in (BEST_KEY, self.answer)
            scored = first and name != self.answer
            order = np.argsort(curve.cost, kind="stable")
            # The first at its true place, the others to its left and right in turn.
            shift = _ASIDE * ((i + 1) // 2) * (-1) ** i
            if honest:
                drawn += self._draw_errors(name, order, first, shift)
            if not honest or scored:
                label = self.looks[name].label + (": selection score" if honest else "")
                drawn += self._draw_scores(name, order, label, shift)
        if self.score.in_percent:
            percent_axis(axes.yaxis)
        unit = " (%)" if self.score.in_percent else ""
        of_cases = " (% of new cases)" if self.score.name == "error" else unit
        axes.set_ylabel(
            f"Honest {self.score.on_axis}{of_cases}"
            if honest
            else f"Selection score: {self.score.label}{unit}\nnot an error to expect"
        )
        grid(axes, "y")
        # Limits are set here because matplotlib leaves shifted lines out of account.
        values = np.concatenate(drawn)
        low, high = float(np.nanmin(values)), float(np.nanmax(values))
        # From 0, unless that would leave half of the picture empty.
        margin = 0.05 * ((high - low) or high) if low >= 0.5 * high > 0 else 0.05 * high
        least = self.score.smallest_span / 2
        bottom, top = (low - margin if low >= 0.5 * high > 0 else 0.0), max(least, high + margin)
        axes.set_ylim(bottom, top)
        if bottom > 0:
            axes.set_ylabel(f"{axes.get_ylabel()}\n(the axis does not start at 0)")
        if honest and bottom <= self.guess_error <= top:
            axes.axhline(
                self.guess_error,
                color=ink(axes),
                alpha=0.6,
                linestyle=":",
                linewidth=1.2,
                label=_guessing(self.score),
            )
        self._money_axis()
        finish(axes, f"{self.score.title} against money", ax is None)
        return self

    def _draw_errors(
        self, name: str, order: NDArray[np.intp], first: bool, shift: float
    ) -> list[NDArray[np.float64]]:
        """Draw the honest errors, `shift` points aside so that intervals do not overlap."""
        ax: Any = self.ax_
        curve, look = self.curves[name], self.looks[name]
        interval = "" if np.isnan(curve.low).all() else ", 95 % interval"
        ax.errorbar(
            curve.cost[order],
            curve.error[order],
            yerr=[(curve.error - curve.low)[order], (curve.high - curve.error)[order]],
            color=ink(ax, look),
            marker=marker_of(look),
            markersize=6.0 if first else 4.5,
            linewidth=2.2 if first else 1.0,
            elinewidth=1.8 if first else 1.0,
            capsize=2.0,
            label=look.label + (f": honest {self.score.on_axis}{interval}" if first else ""),
            transform=self._aside(shift),
            zorder=3 if first else 2,
        )
        if first:
            ax.fill_between(
                curve.cost[order],
                curve.low[order],
                curve.high[order],
                color=ink(ax, look),
                alpha=0.08,
                linewidth=0,
            )
        return [curve.error, curve.low, curve.high]

    def _draw_scores(
        self, name: str, order: NDArray[np.intp], label: str, shift: float
    ) -> list[NDArray[np.float64]]:
        ax: Any = self.ax_
        curve, look = self.curves[name], self.looks[name]
        ax.plot(
            curve.cost[order],
            curve.selection_score[order],
            color=ink(ax, look),
            marker=marker_of(look),
            markersize=5.0,
            markerfacecolor=paper(ax),
            linestyle="--",
            linewidth=1.2,
            label=label,
            transform=self._aside(shift),
        )
        return [curve.selection_score]

    def _aside(self, shift: float) -> Any:
        from matplotlib.transforms import offset_copy

        ax: Any = self.ax_
        return offset_copy(ax.transData, ax.get_figure(root=True), x=shift, units="points")

    def _money_axis(self) -> None:
        from matplotlib.ticker import FixedLocator, FuncFormatter, NullLocator

        ax: Any = self.ax_
        costs = np.unique(np.concatenate([curve.cost for curve in self.curves.values()]))
        first, last = float(costs[0]), float(costs[-1])
        label = "Money spent (unit of the price list)"
        if spans_decades(costs.tolist()):
            apart = ", 0 apart" if first == 0 else ""
            label = f"Money spent (unit of the price list, logarithmic scale{apart})"
            place, amount = map(np.vectorize, decades_scale(costs.tolist()))
            if first == 0:
                ax.set_xscale("function", functions=(place, amount))
            else:
                ax.set_xscale("log")
            ax.set_xlim(float(amount(place(first) - 0.06)), float(amount(1.06)))
            lowest = float(costs[costs > 0][0])
            powers = 10.0 ** np.arange(np.floor(np.log10(lowest)), np.log10(last) + 1)
            ticks = np.outer(powers, (1, 2, 5)).ravel()
            shown = [0.0, *ticks[ticks >= lowest]] if first == 0 else ticks.tolist()
            ax.xaxis.set_major_locator(FixedLocator(shown))
            ax.xaxis.set_minor_locator(NullLocator())
        else:
            space = 0.06 * (last - first) or 0.5 * last or 1.0
            ax.set_xlim(first - space, last + space)
        ax.xaxis.set_major_formatter(FuncFormatter(lambda amount, _: money(amount)))
        ax.set_xlabel(label)


def _curve(chosen: Sequence[Selection]) -> FrontierCurve:
    def each(value: Callable[[Selection], float]) -> NDArray[np.float64]:
        return np.array([value(selection) for selection in chosen], dtype=np.float64)

    return FrontierCurve(
        each(lambda s: s.cost),
        each(lambda s: s.score),
        each(lambda s: np.nan if s.honest is None else s.honest.error),
        each(lambda s: np.nan if s.honest is None else s.honest.low),
        each(lambda s: np.nan if s.honest is None else s.honest.high),
    )


def _guessing(score: ScoreFacts) -> str:
    """What the level of guessing is called."""
    if score.name == "error":
        return "Guessing: always the commonest class"
    said = score.words.doing_nothing
    return f"{said[0].upper()}{said[1:]}"
