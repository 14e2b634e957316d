"""One self-contained HTML page from the results of a comparison.

`Findings` knows what to say, `_charts` where to draw it, `_panels` and `_page` lay it out; the
templates show it, for every budget. The script only shows one budget at a time: without it the
page is a long one. So no data need to be handed to a script, and names are escaped by the template
engine alone.
"""

from __future__ import annotations

import base64
import hashlib
import re
from importlib.resources import files
from typing import TYPE_CHECKING

from frugalforest.evaluation.validation import Validation
from frugalforest.report._page import frontier_values, page_values
from frugalforest.report._validation import validation_values
from frugalforest.results import Results
from frugalforest.results.findings import Findings
from frugalforest.results.looks import MARKERS
from frugalforest.words import formats

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = ["render", "render_summary", "render_validation"]

_FILTERS = (
    *("agreement", "count", "decimal"),
    *("percent", "points", "shorten", "whole_percent"),
)


def render(results: Results) -> str:
    """The page as text: the results of a comparison as HTML that loads nothing.

    Names from the data are escaped wherever they stand.

    Parameters
    ----------
    results : Results
        Such as a `Comparison`.

    Returns
    -------
    str
    """
    from markupsafe import Markup

    script = _read("page.js") + _read("whatif.js")
    return (
        _environment()
        .get_template("page.html")
        .render(
            style=Markup(_read("page.css")),
            script=Markup(script),
            # The only script that may run is ours: one that got in by a column's name would not be.
            script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
            markers=MARKERS,
            **page_values(results),
        )
    )


def render_summary(results: Results) -> str:
    """The answer, its chart and a table of the budgets, without a style: for notebooks.

    Parameters
    ----------
    results : Results

    Returns
    -------
    str
    """
    findings = Findings.of(results)
    template = _environment().get_template("notebook.html")
    return template.render(
        results=results,
        findings=findings,
        honest=results.has_honest_errors,
        **frontier_values(results, findings),
    )


def render_validation(found: Validation, model: str, source: str) -> str:
    """The page of a model on new rows. `model` and `source` are names of its files.

    Parameters
    ----------
    found : Validation
    model, source : str
    """
    from markupsafe import Markup

    template = _environment().get_template("validation.html")
    values = validation_values(found, model, source)
    return template.render(style=Markup(_read("page.css")), **values)


def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    environment = Environment(
        loader=FunctionLoader(_read),
        autoescape=True,
        undefined=StrictUndefined,
        lstrip_blocks=True,
    )
    for name in _FILTERS:
        environment.filters[name] = getattr(formats, name)
    environment.filters["money"] = formats.money
    environment.filters["said"] = _said
    environment.globals["interval"] = formats.interval
    return environment


def _said(sentence: str) -> Markup:
    """A sentence of the findings, the names in it kept apart from the direction of the text."""
    from markupsafe import Markup, escape

    # In findings, names stand in single quotation marks.
    return Markup(re.sub("‘(.+?)’", r"‘<bdi>\1</bdi>’", str(escape(sentence))))


def _read(name: str) -> str:
    return files(__name__).joinpath(name).read_text(encoding="utf-8")
