"""Figures as files: the same numbers give the same bytes."""

from __future__ import annotations

from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from frugalforest.storage.files import whole_file

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["write_figure"]


def write_figure(figure: Figure, path: Path) -> list[Path]:
    """As PDF and PNG, without dates; `path` has no suffix."""
    from PIL import Image  # comes with matplotlib

    pdf, png = path.with_name(f"{path.name}.pdf"), path.with_name(f"{path.name}.png")
    with whole_file(pdf) as draft:
        figure.savefig(draft, format="pdf", metadata={"CreationDate": None})
    pixels = BytesIO()
    figure.savefig(pixels, format="png", dpi=200, metadata={"Software": None})
    # A palette looks the same and takes a third of the space. Not by median cut, which gives rare
    # colours, such as those of dots, to their neighbours.
    image = (
        Image.open(pixels)
        .convert("RGB")
        .quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    )
    with whole_file(png) as draft:
        image.save(draft, format="png", optimize=True)
    return [pdf, png]
