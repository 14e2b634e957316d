"""The look of methods in every picture: one colour and one marker each, on page and plot alike."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from frugalforest.results import MethodFacts

__all__ = ["BEST", "BEST_KEY", "MARKERS", "Look", "Marker", "looks_of"]


@dataclass(frozen=True)
class Marker:
    """A shape: its SVG path around the origin, some 9 units wide, and matplotlib's name for it."""

    path: str
    matplotlib: str


# Shapes tell methods apart in grey, too.
MARKERS: Mapping[str, Marker] = MappingProxyType(
    {
        "circle": Marker("M-5 0a5 5 0 1 0 10 0a5 5 0 1 0-10 0Z", "o"),
        "square": Marker("M-3.6-3.6h7.2v7.2h-7.2Z", "s"),
        "triangle": Marker("M0-4.8 4.4 3.2h-8.8Z", "^"),
        "triangle down": Marker("M0 4.8-4.4-3.2h8.8Z", "v"),
        "diamond": Marker("M0-5 5 0 0 5-5 0Z", "D"),
        "plus": Marker("M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3Z", "P"),
        "cross": Marker(
            "M0-1.8 2.7-4.5 4.5-2.7 1.8 0 4.5 2.7 2.7 4.5 0 1.8-2.7 4.5-4.5 2.7-1.8 0"
            "-4.5-2.7-2.7-4.5Z",
            "X",
        ),
        "pentagon": Marker("M0-4.8 4.6-1.5 2.8 3.9h-5.6L-4.6-1.5Z", "p"),
    }
)

# For a method whose own colour or marker is another's already, or is none.
_SPARE_COLOURS = ("#56B4E9", "#E69F00", "#7A5195", "#8C6D31", "#6B6ECF", "#637939", "#AD494A")
_SPARE_MARKERS = ("pentagon", "plus", "cross", "square", "triangle", "diamond", "triangle down")
_HEX = re.compile(r"#[0-9A-Fa-f]{6}\Z")


@dataclass(frozen=True)
class Look:
    """How a curve is named and drawn. `colour` is hexadecimal, `marker` a key of `MARKERS`."""

    label: str
    colour: str
    marker: str


# The procedure that takes, at each budget, the method with the lowest selection score. Its colour
# stands for that of text: black on white paper, light in the dark.
BEST_KEY = "best"
BEST = Look("Best of the methods", "#000000", "circle")


def looks_of(methods: Iterable[MethodFacts]) -> dict[str, Look]:
    """The look of each method, its own; no two of them are alike.

    Examples
    --------
    >>> facts = MethodFacts("auc", "AUC filter", "", "", "#0072B2", "square", True, True)
    >>> looks_of([facts])["auc"]
    Look(label='AUC filter', colour='#0072B2', marker='square')
    """
    looks: dict[str, Look] = {}
    for method in methods:
        colours = {look.colour.upper() for look in (BEST, *looks.values())}
        markers = {look.marker for look in (BEST, *looks.values())}
        colour, marker = method.colour, method.marker
        if not _HEX.match(colour) or colour.upper() in colours:
            colour = next((c for c in _SPARE_COLOURS if c not in colours), "#777777")
        if marker not in MARKERS or marker in markers:
            marker = next((m for m in _SPARE_MARKERS if m not in markers), "cross")
        looks[method.name] = Look(method.label, colour, marker)
    return looks
