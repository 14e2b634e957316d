"""The documentation site: `make docs` builds it into docs/_build/html."""

from __future__ import annotations

import os
import sys
import tomllib
from pathlib import Path
from typing import Any

from pygments.lexers.special import TextLexer

DOCS = Path(__file__).parent
ROOT = DOCS.parent
sys.path.insert(0, str(DOCS))  # for gallery_order

project = "frugalforest"
author = "The frugalforest developers"
copyright = author  # noqa: A001 - the name that Sphinx asks for
# From where it is written, so that the site of a checkout says what the checkout is.
release = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
version = ".".join(release.split(".")[:2])

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "sphinx_gallery.gen_gallery",
]
source_suffix = {".rst": "restructuredtext", ".md": "markdown"}
exclude_patterns = ["_build", "_templates", "gallery/**/*.md5"]
templates_path = ["_templates"]
# Quotation marks and dashes are as they were written.
smartquotes = False
# Signatures keep their short form: `costs: object = None`, not what the name resolves to.
autodoc_typehints = "none"
autodoc_member_order = "bysource"
toc_object_entries_show_parents = "hide"
autosummary_generate = True
autosummary_imported_members = True
numpydoc_show_class_members = False
myst_heading_anchors = 3

html_theme = "pydata_sphinx_theme"
html_title = f"frugalforest {version}"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_show_sourcelink = False
# Pages without pages below them need no list of those.
_without_sidebar = ("index", "methods", "study", "how-it-compares", "architecture", "changelog")
html_sidebars: dict[str, list[str]] = {page: [] for page in _without_sidebar}
html_theme_options = {
    "show_prev_next": False,
    "navbar_align": "left",
    "header_links_before_dropdown": 6,
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
}

# One of the examples needs a folder of data sets. Where it is missing, the example is shown and
# not run, and this is said.
_beside_the_repository = ROOT.parent / "shared" / "datasets"
if _beside_the_repository.is_dir():
    os.environ.setdefault("FRUGALFOREST_DATA", str(_beside_the_repository))
_can_be_run = r"\.py$"
if "FRUGALFOREST_DATA" not in os.environ:
    print("FRUGALFOREST_DATA is not set: examples/group_prices.py is shown, not run.")
    _can_be_run = r"(?<!group_prices)\.py$"

sphinx_gallery_conf = {
    "examples_dirs": str(ROOT / "examples"),
    "gallery_dirs": "gallery",
    "filename_pattern": _can_be_run,
    "within_subsection_order": "gallery_order.FirstThingsFirst",
    "backreferences_dir": None,
    "download_all_examples": False,
    "remove_config_comments": True,
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 3600,
    "abort_on_example_error": True,
    # What an example prints depends on the package, not on its own text alone.
    "run_stale_examples": True,
    "write_computation_times": False,
    # A display shows itself as a picture: its name and place in memory say nothing.
    "capture_repr": ("_repr_html_",),
}


def skip_what_scikit_learn_documents(
    app: object, what: str, name: str, obj: object, skip: bool, options: object
) -> bool | None:
    """Leave inherited methods to scikit-learn: its texts refer to its own pages."""
    return True if str(getattr(obj, "__module__", "")).startswith("sklearn.") else None


def leave_out_signatures(
    app: object, what: str, name: str, obj: object, options: object, signature: str, returns: str
) -> tuple[str, str] | None:
    """Nobody makes a comparison but `compare`: its fields are no parameters to learn."""
    return ("", "") if name == "frugalforest.Comparison" else None


def setup(app: Any) -> None:
    """Connect what has no setting."""
    # Price lists are marked as CSV, which the highlighter does not know.
    app.add_lexer("csv", TextLexer)
    app.connect("autodoc-process-signature", leave_out_signatures)
    app.connect("autodoc-skip-member", skip_what_scikit_learn_documents)
