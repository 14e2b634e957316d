"""What a figure is drawn from, and what drawing gives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from frugalforest.study.finished import Results

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Material", "NamedFigures"]


@dataclass(frozen=True)
class Material:
    """All that a figure may be drawn from: finished results, and the folder of the real sets."""

    results: Results
    data_dir: str | None


# Figures with the names of their files, without suffix.
NamedFigures: TypeAlias = "Iterator[tuple[str, Figure]]"
