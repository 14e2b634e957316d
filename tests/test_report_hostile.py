"""No text from a table, a price list or a file of results becomes a part of the page.

The page's policy stops scripts, but not `<meta http-equiv=refresh>`: escaping must hold alone. So
every text of the results is made hostile, and the page must have the elements and attributes that
it has with harmless texts of the same lengths.
"""

from html.parser import HTMLParser

import pytest

from frugalforest.report import _said, render, render_summary
from frugalforest.results import About, ColumnNotice, Results
from frugalforest.storage.records import from_plain, to_plain
from reference.sample_results import RESULTS

HOSTILE = {
    "refresh": '<meta http-equiv=refresh content="0;url=//e">',
    "quotes": "\" onload='e()' x=\"' autofocus `",
    "end of script": "</script></style></title></svg><script>e()</script>",
    "comment": "<!--<![CDATA[",
    "entity": "&lt;img src=e&gt;&#60;b&#62;",
}

# A closed list of words, which the page looks up and does not show.
LOOKED_UP = {"marker", "kind", "sha256"}


class Skeleton(HTMLParser):
    """The elements of a page with the names of their attributes, and where its links lead."""

    def __init__(self, html):
        super().__init__()
        self.parts = []
        self.links = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.parts.append((tag, [name for name, _ in attrs]))
        self.links += [value for name, value in attrs if name in ("href", "src", "action")]

    def handle_endtag(self, tag):
        self.parts.append(f"/{tag}")

    def handle_comment(self, data):
        self.parts.append("comment")

    def handle_decl(self, decl):
        self.parts.append(decl)

    def unknown_decl(self, data):
        self.parts.append("declaration")


def with_texts(plain, change, field=""):
    """The same results with every text changed: values, and keys that are names."""
    if isinstance(plain, dict):
        names_are_keys = field in ("frequencies", "methods_picked")
        return {
            change(key) if names_are_keys else key: with_texts(value, change, key)
            for key, value in plain.items()
        }
    if isinstance(plain, list):
        return [with_texts(value, change, field) for value in plain]
    if isinstance(plain, str) and field not in LOOKED_UP:
        return change(plain)
    return plain


def complete(name):
    """Sample results with something in every field that may be empty."""
    plain = to_plain(RESULTS[name]())
    plain["about"] = to_plain(About(*("title", "target", "source", "date", "€", "command")))
    column = plain["features"][0]["feature"]
    plain["notices"] = [
        to_plain(ColumnNotice("constant", (column,), f"‘{column}’ is constant.", loud))
        for loud in (True, False)
    ]
    plain["never_bought"] = [column]
    for method in plain["methods_used"]:
        method["call"] = method["call"] or "Forward(racing=True)"
    return plain


@pytest.mark.parametrize("draw", [render, render_summary])
@pytest.mark.parametrize(
    "name",
    ["hostile", *(pytest.param(n, marks=pytest.mark.slow) for n in ("demo", "without_resamples"))],
)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_hostile_texts_add_nothing_to_the_page(draw, name, text):
    plain = complete(name)
    # The sample's own hostile names are replaced, too: the harmless page is harmless.
    number = {}

    def place(old):
        return f"{number.setdefault(old, len(number)):03}"

    attacked = with_texts(plain, lambda old: place(old) + text)
    harmless = with_texts(plain, lambda old: place(old) + "x" * len(text))
    page, expected = (
        Skeleton(draw(from_plain(Results, values, "test"))) for values in (attacked, harmless)
    )
    assert page.parts == expected.parts
    assert all(link.startswith(("#", "data:,", "data:text/csv;base64,")) for link in page.links)


def test_every_text_of_the_results_was_made_hostile():
    texts = []

    def collect(old):
        texts.append(old)
        return old

    with_texts(complete("demo"), collect)
    assert {"title", "target", "source", "date", "€", "command", "texture", "AUC filter"} <= {
        *texts
    }
    assert {"Forward(racing=True)", "out-of-bag error", "worst texture", "sts"} <= {*texts}


def test_the_marks_around_names_let_no_markup_through():
    assert _said("‘<b>’ & ‘’<i>’") == "‘<bdi>&lt;b&gt;</bdi>’ &amp; ‘<bdi>’&lt;i&gt;</bdi>’"
