"""The report as text: self-contained, escaped, complete, for every shape of document."""

import json
from html.parser import HTMLParser

import pytest

from frugalforest.report import render
from reference.report_documents import (
    CLASSES,
    DOCUMENTS,
    GROUP,
    HOSTILE,
    LONG,
    demo,
    hostile,
    single,
    wide,
    without_resamples,
)


class Page(HTMLParser):
    """The elements and the text of a page, as a browser would read them."""

    def __init__(self, html):
        super().__init__()
        self.html = html
        self.elements = []
        self.text = ""
        self._inside = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag in ("script", "style"):
            self._inside.append(tag)

    def handle_endtag(self, tag):
        if tag in ("script", "style"):
            self._inside.pop()

    def handle_data(self, data):
        if not self._inside:
            self.text += data

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    def values(self, attribute):
        return [attrs[attribute] for _, attrs in self.elements if attribute in attrs]


@pytest.fixture(params=DOCUMENTS)
def page(request):
    return Page(render(DOCUMENTS[request.param]()))


def words(page):
    return " ".join(page.text.split())


def test_nothing_is_loaded_from_elsewhere(page):
    assert "://" not in page.html
    assert page.values("src") == []
    assert all(link.startswith(("#", "data:")) for link in page.values("href"))
    assert "url(" not in page.html
    assert "@import" not in page.html


def test_links_and_labels_point_to_one_element_each(page):
    ids = page.values("id")
    assert len(ids) == len(set(ids))
    pointed_at = [link[1:] for link in page.values("href") if link.startswith("#")]
    for attribute in ("aria-labelledby", "aria-controls", "for"):
        pointed_at += [id_ for value in page.values(attribute) for id_ in value.split()]
    assert set(pointed_at) <= set(ids)


def test_every_chart_has_a_text_alternative(page):
    charts = [svg for svg in page.all("svg") if svg.get("role") == "img"]
    assert charts
    assert all(svg["aria-labelledby"].count(" ") == 1 for svg in charts)  # a title, a description


def test_there_is_one_headline(page):
    assert len(page.all("h1")) == 1


@pytest.mark.parametrize("document", [demo, wide])
def test_page_is_small(document):
    assert len(render(document()).encode()) < 500_000


@pytest.mark.parametrize("document", [hostile, single, without_resamples])
def test_markup_in_names_is_text(document):
    page = Page(render(document()))
    assert len(page.all("script")) == 1
    for tag in ("img", "b", "i"):
        assert page.all(tag) == []
    for name in (*HOSTILE, GROUP, *CLASSES):
        assert name in page.text


def test_no_name_gets_into_the_script():
    assert Page(render(hostile())).html.count("<script>") == 1
    start = render(demo()).index("<script>")
    end = render(demo()).index("</script>")
    assert render(demo())[start:end] in render(hostile())


def test_long_names_are_shortened_and_kept_as_title():
    page = Page(render(hostile()))
    assert LONG not in page.text
    assert LONG in page.values("title")


def test_one_budget_needs_no_slider():
    page = Page(render(single()))
    assert page.all("input") == []
    assert "Only one budget was compared" in words(page)


def test_one_resample_has_no_interval():
    text = words(Page(render(single())))
    assert "one resample: no interval" in text
    assert "to choose and fit" in text
    assert "t distribution" not in text


def test_without_resamples_no_score_is_called_an_error_estimate():
    page = Page(render(without_resamples()))
    text = words(page)
    assert "How well it will do on new cases was not estimated" in text
    assert "Error on new cases" not in text
    assert "They are not estimates of the error on new cases" in text
    assert not any("recommended" in (value or "") for value in page.values("class"))


def test_every_chosen_feature_of_many_is_listed():
    document = wide()
    text = words(Page(render(document)))
    for row in document["selections"]:
        assert all(name[:29] in text for name in row["features"])


def test_recommended_budget_is_the_cheapest_within_one_standard_error():
    document = json.loads(json.dumps(demo()))
    errors, se = [0.20, 0.109, 0.12, 0.10], 0.01
    for row, error in zip(document["best"], errors, strict=True):
        row["honest"] |= {"error": error, "se": se, "low": error - se, "high": error + se}
    page = Page(render(document))
    assert page.all("input")[0]["value"] == "1"
    assert "is expected to be wrong for 10.9 % of new cases" in words(page)


def test_error_no_better_than_guessing_is_said_to_be_so():
    document = json.loads(json.dumps(demo()))
    for row in document["best"]:
        row["honest"] |= {"error": 0.4, "low": 0.3, "high": 0.5}
    assert "no better than always answering" in words(Page(render(document)))
    assert "no better than always answering" not in words(Page(render(demo())))


def test_methods_paragraph_names_what_a_protocol_needs():
    document = demo()
    text = words(Page(render(document)))
    for part in (
        "569 rows, 30 candidate features and 2 classes (0: 212, 1: 357)",
        document["data"]["sha256"],
        "4 random splits of the rows, stratified by class: about 67 % to choose and fit",
        "3 degrees of freedom",
        "Seed 0; frugalforest " + document["versions"]["frugalforest"],
    ):
        assert part in text


def test_rows_that_belong_together_are_mentioned():
    assert "with rows that belong together on one side" in words(Page(render(single())))


def test_page_of_a_saved_document_is_the_same():
    assert render(json.loads(json.dumps(demo()))) == render(demo())
