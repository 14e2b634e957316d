"""One self-contained HTML page from the document of a comparison.

Python works out what to say and where to draw it (`_page`, `_charts`); the templates say it, for
every budget. The script only shows one budget at a time: without it the page is a long one. So no
data need to be handed to a script, and names are escaped by the template engine alone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from frugalforest.report import _numbers
from frugalforest.report._page import page_values

__all__ = ["render"]


def render(document: Mapping[str, Any]) -> str:
    """The page as text: the document of a `Comparison` as HTML that loads nothing.

    Names from the data are escaped wherever they stand.

    Parameters
    ----------
    document : mapping
        As in `Comparison.document`, or as read from its file.

    Returns
    -------
    str
    """
    from jinja2 import Environment, FunctionLoader, StrictUndefined
    from markupsafe import Markup

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        lstrip_blocks=True,
    )
    for name in ("count", "decimal", "money", "percent", "points", "score_text", "shorten"):
        environment.filters[name] = getattr(_numbers, name)
    script = _read("page.js")
    return environment.get_template("page.html").render(
        style=Markup(_read("page.css")),
        script=Markup(script),
        # The only script that may run is ours: one that got in by a column's name would not be.
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        interval=_numbers.interval,
        **page_values(document),
    )


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
