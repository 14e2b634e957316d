"""What the pictures share: axes, colours of the style in use, legends, checks of names."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from frugalforest.results import Results
from frugalforest.results.looks import BEST, BEST_KEY, MARKERS, Look, looks_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = [
    "all_looks",
    "check_names",
    "clearer",
    "draw_diagonal",
    "finish",
    "grid",
    "ink",
    "marker_of",
    "paper",
    "percent_axis",
    "square_of_shares",
    "start_axes",
]

# The guidelines ask for 3:1 between a line and what it is drawn on; below this luminance, white
# has the better contrast.
_LEAST_CONTRAST = 3.0
_DARK = 0.18


def all_looks(results: Results) -> dict[str, Look]:
    """The look of each method, and of the best of them."""
    looks = looks_of(results.methods_used)
    # Where one method has the say, the best of the methods is that one.
    best = BEST if results.judge is None else looks[results.judge.name]
    return {BEST_KEY: best, **looks}


def ink(ax: Any, look: Look | None = None) -> Any:
    """A method's colour; for the best of them, or for nobody's, that of the axes' own labels.

    Colours are made for white paper. On dark paper the dark ones are lightened, as little as it
    takes to be seen.
    """
    text = ax.xaxis.label.get_color()
    return text if look is None or look == BEST else _seen_on(paper(ax), look.colour, text)


def _seen_on(background: Any, colour: str, text: Any) -> str:
    from matplotlib.colors import to_hex, to_rgb, to_rgba

    *dark, alpha = to_rgba(background)
    if alpha < 1 or _luminance(dark) > _DARK:
        return colour
    for share in range(0, 11, 2):
        pairs = zip(to_rgb(colour), to_rgb(text), strict=True)
        mixed = [one + (other - one) * share / 10 for one, other in pairs]
        if _luminance(mixed) + 0.05 >= _LEAST_CONTRAST * (_luminance(dark) + 0.05):
            break
    red, green, blue = mixed
    return str(to_hex((red, green, blue))) if share else colour


def _luminance(rgb: Sequence[float]) -> float:
    """Relative luminance, as the Web Content Accessibility Guidelines define it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgb]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def clearer(background: Any, colours: Sequence[Any]) -> Any:
    """That of the colours which stands out more from what is behind it."""
    from matplotlib.colors import to_rgb

    behind = _luminance(to_rgb(background)) + 0.05

    def contrast(colour: Any) -> float:
        front = _luminance(to_rgb(colour)) + 0.05
        return max(front, behind) / min(front, behind)

    return max(colours, key=contrast)


def paper(ax: Any) -> Any:
    """The colour that is drawn on."""
    return ax.get_facecolor()


def marker_of(look: Look) -> str:
    """A marker by matplotlib's name."""
    return MARKERS[look.marker].matplotlib


def start_axes(ax: Axes | None, height: float = 4.4) -> Any:
    """The axes; new ones in a figure of their own for None."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError:
        raise ImportError("drawing needs matplotlib: pip install 'frugalforest[plot]'.") from None
    _, ax = pyplot.subplots(figsize=(7.0, height), layout="constrained")
    ax.spines[["top", "right"]].set_visible(False)
    return ax


def grid(ax: Any, axis: str) -> None:
    """Faint lines behind everything, on any paper."""
    ax.grid(axis=axis, color=ink(ax), alpha=0.15, linewidth=0.8)
    ax.set_axisbelow(True)


def draw_diagonal(ax: Any, label: str) -> None:
    """A faint line from corner to corner."""
    ax.plot([0, 1], [0, 1], color=ink(ax), alpha=0.6, linestyle=":", linewidth=1.2, label=label)


def square_of_shares(ax: Any) -> None:
    """Both axes are shares, on the same scale and with room for markers at the ends."""
    for axis, limits in ((ax.xaxis, ax.set_xlim), (ax.yaxis, ax.set_ylim)):
        limits(-0.03, 1.03)
        percent_axis(axis)
    ax.set_xticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_yticks([0, 0.2, 0.4, 0.6, 0.8, 1])
    ax.set_aspect("equal")


def finish(ax: Any, title: str, own_figure: bool, n_columns: int = 2) -> None:
    """A title and a legend.

    In a figure of its own the legend is above the axes, where no line runs through it; in axes that
    were given it stays inside them, where it covers none of their neighbours.
    """
    handles, labels = ax.get_legend_handles_labels()
    # What has intervals comes first: those handles are tuples of lines.
    order = sorted(range(len(handles)), key=lambda i: not isinstance(handles[i], tuple))
    shown = [handles[i] for i in order], [labels[i] for i in order]
    if not own_figure:
        ax.set_title(title, loc="left", fontsize="medium")
        ax.legend(*shown, loc="best", fontsize="x-small", framealpha=0.7)
        return
    ax.legend(
        *shown,
        title=title,
        loc="lower left",
        bbox_to_anchor=(0.0, 1.0),
        ncols=n_columns,
        alignment="left",
        title_fontproperties={"weight": "bold"},
        frameon=False,
        fontsize="small",
        borderaxespad=0.2,
        borderpad=0,
    )


def percent_axis(axis: Any) -> None:
    """Shares are written in percent."""
    from matplotlib.ticker import FuncFormatter

    axis.set_major_formatter(FuncFormatter(lambda share, _: f"{100 * share:g}"))


def check_names(names: str | Iterable[str] | None, known: Sequence[str]) -> list[str]:
    """The names as a list, in the order of `known`; all of them for None."""
    wanted = known if names is None else [names] if isinstance(names, str) else list(names)
    for name in wanted:
        if name not in known:
            raise ValueError(f"{name!r} is not in the comparison: there are {', '.join(known)}.")
    if not wanted:
        raise ValueError(f"`methods` is empty: choose from {', '.join(known)}.")
    return [name for name in known if name in wanted]
