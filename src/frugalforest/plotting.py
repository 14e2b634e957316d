"""Pictures of a comparison, in the manner of scikit-learn's Display classes.

`FrontierDisplay`: error against money. `XiCurveDisplay`: selection score against ξ.
`SelectionFrequencyDisplay`: how often each feature was chosen. Each is made by `from_comparison`,
keeps its numbers as attributes, and draws with `plot`. They read the comparison's document and
nothing else; matplotlib is loaded when something is drawn.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["FrontierCurve", "FrontierDisplay", "SelectionFrequencyDisplay", "XiCurveDisplay"]

# The procedure that takes, at each budget, the method with the lowest selection score.
_BEST = "best"


@dataclass(frozen=True)
class _Look:
    name: str
    colour: str
    marker: str


# Colours of Okabe and Ito: told apart with any colour vision. Markers tell them apart in grey.
_LOOKS = {
    _BEST: _Look("Best of all methods", "#000000", "o"),
    "auc": _Look("AUC filter", "#0072B2", "s"),
    "pfi": _Look("Permutation importance", "#D55E00", "^"),
    "sts": _Look("Shallow trees", "#009E73", "D"),
    "forward": _Look("Forward selection", "#CC79A7", "v"),
}
_QUIET, _GRID = "#8C8C8C", "#E6E6E6"
_BOUGHT, _NOT_BOUGHT = "#0072B2", "#D9D9D9"
_SCORE_NAMES = {"oob_error": "out-of-bag error", "brier": "out-of-bag Brier score"}
_LONGEST_NAME = 40
# Sets hardly change beyond, and most of the change is at small ξ.
_LARGEST_LINEAR_XI = 8.0


class HasDocument(Protocol):
    """What is drawn: a `Comparison`, or anything else that holds its document."""

    @property
    def document(self) -> Mapping[str, Any]:
        """The comparison as plain dicts and lists."""


@dataclass(frozen=True)
class FrontierCurve:
    """One procedure at each budget; NaN where there is no number.

    Attributes
    ----------
    selection_score : ndarray
        Out-of-bag error of the chosen sets: what they were chosen by, so it is too low.
    error, low, high : ndarray
        Honest error and its 95 % interval.
    """

    selection_score: NDArray[np.float64]
    error: NDArray[np.float64]
    low: NDArray[np.float64]
    high: NDArray[np.float64]


class FrontierDisplay:
    """Error against money, for each method and for the best of all methods.

    Made by `from_comparison`. Without resamples there is no honest error: then the selection
    scores are drawn, and named so.

    Parameters
    ----------
    budgets : array of shape (n_budgets,)
    curves : mapping of str to FrontierCurve
        By method; "best" is the procedure that chooses among the methods.
    trivial_error : float
        Error of always naming the most frequent class.

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
    'Honest error (% of new rows misclassified)'
    """

    ax_: Axes
    figure_: Figure

    def __init__(
        self,
        *,
        budgets: NDArray[np.float64],
        curves: Mapping[str, FrontierCurve],
        trivial_error: float,
    ) -> None:
        self.budgets = budgets
        self.curves = curves
        self.trivial_error = trivial_error

    @classmethod
    def from_comparison(
        cls,
        comparison: HasDocument,
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
        document = comparison.document
        compared = document["settings"]["methods"]
        rows = {
            name: [r for r in document["selections"] if r["method"] == name] for name in compared
        }
        winners = [r for r in document["selections"] if r["winner"]]
        curves = {_BEST: _curve(winners, document["best"])} | {
            name: _curve(rows[name], rows[name]) for name in compared
        }
        counts = document["data"]["class_counts"]
        display = cls(
            budgets=np.array(document["settings"]["budgets"], dtype=np.float64),
            curves={name: curves[name] for name in _check_names(methods, list(curves))},
            trivial_error=1 - max(counts) / sum(counts),
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = _axes(ax)
        self.figure_ = axes.figure
        honest = any(np.isfinite(curve.error).any() for curve in self.curves.values())
        for i, name in enumerate(self.curves):
            self._draw_curve(name, honest, shift=3.5 * i)
        if honest:
            axes.set_ylabel("Honest error (% of new rows misclassified)")
        else:
            axes.set_ylabel("Selection score: out-of-bag error (%)\nlower than the error to expect")
        _percent(axes.yaxis)
        axes.grid(axis="y", color=_GRID)
        # Limits are set here because matplotlib leaves shifted lines out of account.
        drawn = [v for c in self.curves.values() for v in (c.error, c.high, c.selection_score)]
        top = max(0.01, 1.05 * float(np.nanmax(drawn)))
        axes.set_ylim(0, top)
        if self.trivial_error <= top:
            axes.axhline(
                self.trivial_error,
                color=_QUIET,
                linestyle=":",
                linewidth=1,
                label="Always the most frequent class",
            )
        axes.set_xlabel("Budget (unit of the price list)")
        first, last = self.budgets[0], self.budgets[-1]
        margin = 0.06 * (last - first) or 0.5 * last or 1.0
        axes.set_xlim(first - margin, last + margin)
        _legend(axes, "Error against money")
        return self

    def _draw_curve(self, name: str, honest: bool, shift: float) -> None:
        """Draw one procedure, `shift` points to the right so that intervals do not overlap."""
        from matplotlib.transforms import offset_copy

        ax: Any = self.ax_
        curve, look, best = self.curves[name], _look(name), name == _BEST
        if honest:
            interval = "" if np.isnan(curve.low).all() else ", 95 % interval"
            ax.errorbar(
                self.budgets,
                curve.error,
                yerr=[curve.error - curve.low, curve.high - curve.error],
                color=look.colour,
                marker=look.marker,
                markersize=6.0 if best else 4.5,
                linewidth=2.2 if best else 1.0,
                elinewidth=1.8 if best else 1.0,
                capsize=2.0,
                label=f"Best of all: honest error{interval}" if best else look.name,
                transform=offset_copy(ax.transData, ax.figure, x=shift, units="points"),
                zorder=3 if best else 2,
            )
        if honest and best:
            ax.fill_between(
                self.budgets, curve.low, curve.high, color=look.colour, alpha=0.08, linewidth=0
            )
        if best or not honest:
            ax.plot(
                self.budgets,
                curve.selection_score,
                color=look.colour,
                marker=look.marker,
                markersize=6.0 if best else 4.5,
                markerfacecolor="white",
                linestyle="--",
                linewidth=1.2,
                label="Best of all: selection score (too low)" if best else look.name,
                transform=offset_copy(ax.transData, ax.figure, x=shift, units="points"),
            )


class XiCurveDisplay:
    """Selection score against ξ, the weight of cost, for each method at one budget.

    Made by `from_comparison`. A ring marks the ξ that was chosen. The scores are what tuning
    compared, not errors to expect.

    Parameters
    ----------
    budget : float
    scoring : {"oob_error", "brier"}
        What tuning minimised.
    xis, scores : mapping of str to array
        By method: the values of ξ that were tried, and their scores. A set stays the same from
        one ξ to the next.
    chosen : mapping of str to float
        By method: the best ξ.

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
        scoring: str,
        xis: Mapping[str, NDArray[np.float64]],
        scores: Mapping[str, NDArray[np.float64]],
        chosen: Mapping[str, float],
    ) -> None:
        self.budget = budget
        self.scoring = scoring
        self.xis = xis
        self.scores = scores
        self.chosen = chosen

    @classmethod
    def from_comparison(
        cls,
        comparison: HasDocument,
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
            Methods of the comparison; all by default.
        """
        document = comparison.document
        _check_budget(document, budget)
        scoring = document["settings"]["scoring"]
        rows = {r["method"]: r for r in document["selections"] if r["budget"] == budget}
        names = _check_names(methods, document["settings"]["methods"])
        display = cls(
            budget=float(budget),
            scoring=scoring,
            xis={m: _array(t["xi"] for t in rows[m]["tried"]) for m in names},
            scores={m: _array(t[scoring] for t in rows[m]["tried"]) for m in names},
            chosen={m: rows[m]["xi"] for m in names},
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        axes = self.ax_ = _axes(ax)
        self.figure_ = axes.figure
        largest = max(float(xis.max()) for xis in self.xis.values())
        end = max(1.0, largest * 1.04)
        for name, xis in self.xis.items():
            look, scores = _look(name), self.scores[name]
            axes.plot(
                np.append(xis, end),
                np.append(scores, scores[-1]),
                drawstyle="steps-post",
                color=look.colour,
                linewidth=1.4,
                marker=look.marker,
                markersize=3.5,
                markevery=slice(len(xis)),
                label=f"{look.name} (chosen: ξ = {self.chosen[name]:.3g})",
            )
            axes.plot(
                self.chosen[name],
                scores[xis == self.chosen[name]][0],
                marker="o",
                markersize=11,
                markerfacecolor="none",
                markeredgecolor=look.colour,
                markeredgewidth=1.8,
            )
        if largest > _LARGEST_LINEAR_XI:
            axes.set_xscale("symlog", linthresh=1)
            ticks = [0, 0.5, *(m * 10**e for e in range(8) for m in (1, 2, 5))]
            axes.set_xticks(ticks, [f"{tick:g}" for tick in ticks])
            axes.set_xticks([], minor=True)
        axes.set_xlim(-0.02 * min(end, 2.0), end)
        if self.scoring == "oob_error":
            _percent(axes.yaxis)
            axes.set_ylabel("Selection score: out-of-bag error (%)")
        else:
            axes.set_ylabel(f"Selection score: {_SCORE_NAMES[self.scoring]}")
        axes.grid(axis="y", color=_GRID)
        axes.set_xlabel("ξ, the weight of cost (0 ignores cost)")
        _legend(axes, f"Tuning ξ for budget {self.budget:g}")
        return self


class SelectionFrequencyDisplay:
    """How often each feature was chosen over the resamples, at one budget.

    Made by `from_comparison`. Features of the set that is bought, chosen from all rows, are in
    colour.

    Parameters
    ----------
    budget : float
    method : str
        "best" is the procedure that chooses among the methods.
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
        method: str,
        features: Sequence[str],
        frequencies: NDArray[np.float64],
        bought: NDArray[np.bool_],
        stability: float,
        n_resamples: int,
        max_features: int = 20,
    ) -> None:
        self.budget = budget
        self.method = method
        self.features = features
        self.frequencies = frequencies
        self.bought = bought
        self.stability = stability
        self.n_resamples = n_resamples
        self.max_features = max_features

    @classmethod
    def from_comparison(
        cls,
        comparison: HasDocument,
        budget: float,
        *,
        ax: Axes | None = None,
        method: str = _BEST,
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
        document = comparison.document
        _check_budget(document, budget)
        _check_names(method, [_BEST, *document["settings"]["methods"]])
        rows = [r for r in document["selections"] if r["budget"] == budget]
        if method == _BEST:
            result = next(r for r in document["best"] if r["budget"] == budget)
            bought = next(r for r in rows if r["winner"])["features"]
        else:
            result = next(r for r in rows if r["method"] == method)
            bought = result["features"]
        if result["frequencies"] is None:
            raise ValueError(
                "there are no selection frequencies: compare with `n_resamples` above 0."
            )
        # Sorting is stable: equal frequencies stay in column order.
        ranked = sorted(result["frequencies"].items(), key=lambda item: -item[1])
        shown = [(name, share) for name, share in ranked if share > 0 or name in bought]
        display = cls(
            budget=float(budget),
            method=method,
            features=[name for name, _ in shown],
            frequencies=_array(share for _, share in shown),
            bought=np.array([name in bought for name, _ in shown]),
            stability=np.nan if result["stability"] is None else result["stability"],
            n_resamples=document["settings"]["n_resamples"],
            max_features=max_features,
        )
        return display.plot(ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw."""
        n_bars = min(len(self.features), self.max_features)
        n_left_out = len(self.features) - n_bars
        axes = self.ax_ = _axes(ax, height=1.6 + 0.24 * n_bars)
        self.figure_ = axes.figure
        place = np.arange(n_bars)
        for bought, colour, label in (
            (True, _BOUGHT, "In the set to buy"),
            (False, _NOT_BOUGHT, "Not in the set to buy"),
        ):
            mine = self.bought[:n_bars] == bought
            if mine.any():
                axes.barh(
                    place[mine],
                    self.frequencies[:n_bars][mine],
                    color=colour,
                    edgecolor="#595959",
                    linewidth=0.6,
                    height=0.72,
                    label=label,
                )
        for y, share in zip(place, self.frequencies[:n_bars], strict=True):
            axes.annotate(
                f"{100 * share:.0f} %",
                (share, y),
                xytext=(3, 0),
                textcoords="offset points",
                va="center",
                fontsize="small",
            )
        # A column's name is text: dollar signs in it are no formula.
        axes.set_yticks(place, [_short(f) for f in self.features[:n_bars]], parse_math=False)
        axes.set_ylim(n_bars - 0.4, -0.6)
        axes.set_xlim(0, 1.1)
        axes.set_xticks([0, 0.25, 0.5, 0.75, 1])
        _percent(axes.xaxis)
        axes.set_xlabel(f"Chosen in (% of {self.n_resamples} resamples)")
        stability = "" if np.isnan(self.stability) else f", stability {self.stability:.2f}"
        _legend(axes, f"{_look(self.method).name}, budget {self.budget:g}{stability}")
        if n_left_out:
            rarest = 100 * self.frequencies[n_bars]
            axes.annotate(
                f"{n_left_out} more, chosen in {rarest:.0f} % or less",
                (1, 0),
                xycoords="axes fraction",
                xytext=(-4, 4),
                textcoords="offset points",
                ha="right",
                fontsize="small",
                color="#595959",
            )
        return self


def _curve(
    chosen: Sequence[Mapping[str, Any]], tested: Sequence[Mapping[str, Any]]
) -> FrontierCurve:
    def honest(key: str) -> NDArray[np.float64]:
        return _array(None if row["honest"] is None else row["honest"][key] for row in tested)

    scores = _array(row["oob_error"] for row in chosen)
    return FrontierCurve(scores, honest("error"), honest("low"), honest("high"))


def _array(values: Iterable[float | None]) -> NDArray[np.float64]:
    """Numbers of a document, where None is NaN."""
    return np.array([np.nan if value is None else value for value in values], dtype=np.float64)


def _look(name: str) -> _Look:
    return _LOOKS.get(name, _Look(name, _QUIET, "x"))


def _short(name: str) -> str:
    return name if len(name) <= _LONGEST_NAME else name[: _LONGEST_NAME - 1] + "…"


def _check_names(names: str | Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """The names as a list, in the order of `known`; all of them for None."""
    wanted = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise ValueError(f"{name!r} is not in the comparison: there are {', '.join(known)}.")
    if not wanted:
        raise ValueError(f"`methods` is empty: choose from {', '.join(known)}.")
    return [name for name in known if name in wanted]


def _check_budget(document: Mapping[str, Any], budget: float) -> None:
    budgets = document["settings"]["budgets"]
    if budget not in budgets:
        raise ValueError(
            f"there is no result for budget {budget!r}: the budgets are "
            f"{', '.join(f'{b:g}' for b in budgets)}."
        )


def _axes(ax: Axes | None, height: float = 4.4) -> Any:
    """The axes; new ones for None."""
    if ax is None:
        try:
            from matplotlib import pyplot
        except ImportError:
            raise ImportError(
                "drawing needs matplotlib: pip install 'frugalforest[plot]'."
            ) from None
        _, ax = pyplot.subplots(figsize=(7.0, height), layout="constrained")
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def _legend(ax: Any, title: str) -> None:
    """A title and a legend above the axes, where no line can run through them."""
    handles, labels = ax.get_legend_handles_labels()
    # What has intervals comes first: those handles are tuples of lines.
    order = sorted(range(len(handles)), key=lambda i: not isinstance(handles[i], tuple))
    ax.legend(
        [handles[i] for i in order],
        [labels[i] for i in order],
        title=title,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=2,
        alignment="left",
        title_fontproperties={"weight": "bold"},
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        borderpad=0,
    )


def _percent(axis: Any) -> None:
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}"))
