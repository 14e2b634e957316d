"""One self-contained HTML page from the document of a comparison."""

from collections.abc import Mapping
from typing import Any

__all__ = ["render"]


def render(document: Mapping[str, Any]) -> str:
    """The page as text."""
    raise NotImplementedError
