"""The report as text: self-contained, escaped, complete, true for every shape of results."""

import base64
import itertools
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest

from frugalforest import compare
from frugalforest.report import render, render_summary
from frugalforest.results import About, Results, Substitute
from frugalforest.results.findings import Findings
from frugalforest.results.looks import MARKERS, looks_of
from frugalforest.storage.records import from_plain, to_plain
from reference.sample_results import (
    BRIER,
    CLASSES,
    GROUP,
    HOSTILE,
    LONG,
    METHODS,
    RESULTS,
    demo,
    everything,
    features_at,
    five_methods,
    hostile,
    make_results,
    noise,
    single,
    wide,
    without_resamples,
)

NAMES = [f"f{j}" for j in range(6)]
SIX = features_at(dict.fromkeys(NAMES, 1.0))


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


@pytest.fixture(scope="module", params=RESULTS)
def page(request):
    return Page(render(RESULTS[request.param]()))


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
    assert all(svg["aria-labelledby"].count(" ") == 1 for svg in charts)  # a title, a description


def test_there_is_one_headline(page):
    assert len(page.all("h1")) == 1


def test_page_is_small(page):
    assert len(page.html.encode()) < 500_000


@pytest.mark.parametrize("results", [hostile, single, without_resamples])
def test_markup_in_names_is_text(results):
    page = Page(render(results()))
    assert len(page.all("script")) == 1
    for tag in ("img", "b", "i"):
        assert page.all(tag) == []
    for name in (*HOSTILE, GROUP, *CLASSES):
        assert name in page.text


@pytest.mark.slow
def test_no_name_gets_into_the_script():
    assert Page(render(hostile())).html.count("<script>") == 1
    start = render(demo()).index("<script>")
    end = render(demo()).index("</script>")
    assert render(demo())[start:end] in render(hostile())


def test_long_names_are_shortened_and_kept_as_title():
    page = Page(render(hostile()))
    assert LONG not in page.text
    assert LONG in page.values("title")


def test_names_are_kept_apart_from_the_direction_of_the_text():
    features = features_at({"\u202eabc": 1.0})
    html = render(make_results({1: ["\u202eabc"]}, [0.2], features=features, classes=("a", "ד")))
    visible = html[html.index("<body>") :]
    assert "<bdi>\u202eabc</bdi>" in visible
    assert "‘<bdi>ד</bdi>’" in visible
    assert visible.count("\u202eabc") == visible.count("<bdi>\u202eabc</bdi>")


# --- what it says ---------------------------------------------------------------------------------


def test_one_budget_needs_no_slider_and_no_step_to_another():
    page = Page(render(single()))
    assert page.all("input") == []
    assert "Only one budget was compared" in words(page)
    assert "What more money buys" not in words(page)


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
    results = wide()
    text = words(Page(render(results)))
    for selection in results.selections:
        assert all(name[:29] in text for name in selection.features)


def test_the_slider_starts_at_what_is_recommended():
    sets = {b: NAMES[:b] for b in (1, 2, 3, 4)}
    results = make_results(sets, [0.30, 0.205, 0.21, 0.20], features=SIX, spread=0.03)
    page = Page(render(results))
    assert page.all("input")[0]["value"] == "1"
    assert "is expected to be wrong for 20.5 % of new cases" in words(page)


def test_noise_is_not_recommended():
    page = Page(render(noise()))
    text = words(page)
    assert "Nothing here is worth measuring" in text
    assert "no better than always answering" in text
    assert "recommended" not in text.replace("The recommended set is", "")
    assert "What to measure" not in text


def test_with_everything_bought_what_carries_no_information_is_left_out():
    text = words(Page(render(everything())))
    assert "may do better" not in text
    panels = text[text.index("What to measure") : text.index("What more money buys")]
    before, last = panels.split("With a budget of 50")
    assert "there is nothing to choose" in last
    for empty in ("Stability", "nothing else fits", "Chosen in resamples", "never chosen"):
        assert empty not in last
    assert "Stability" in before


def test_money_is_counted_as_spent_not_as_budgeted():
    results = make_results({10: NAMES[:1], 90: NAMES[:3]}, [0.3, 0.2], features=SIX)
    text = words(Page(render(results)))
    assert "10 → 90 1 → 3 30.0 % → 20.0 % −10.0 −5" in text


def test_budgets_with_the_same_set_are_one_row():
    sets = {2: NAMES[:2], 3: NAMES[:2], 5: NAMES[:3], 9: NAMES[:2]}
    results = make_results(sets, [0.2, 0.21, 0.1, 0.2], features=SIX)
    found = Page(render(results))
    stops = found.values("data-go")
    assert sorted({*stops}) == ["0", "1", "2"]
    assert "2 to 3" in words(found)
    assert "2 to 3 → 5" not in words(found)
    assert "2 → 5 2 → 3 20.0 % → 10.0 %" in words(found)


def test_prices_from_0_over_decades_have_a_broken_axis_and_the_error_axis_says_where_it_starts():
    features = features_at({"a": 0.0, "b": 5.0, "c": 9995.0})
    sets = {0: ["a"], 5: ["a", "b"], 10_000: ["a", "b", "c"]}
    found = Page(render(make_results(sets, [0.5, 0.45, 0.4], features=features, spread=0.01)))
    assert "on a logarithmic scale; 0 stands apart" in words(found)
    assert "(the axis starts at 35 %)" in words(found)
    places = sorted({float(place.rstrip("%")) for place in found.values("x1") if place != "0"})
    assert places[1] - places[0] > 15
    assert "//" in found.text
    wide = Page(render(make_results(sets, [0.5, 0.45, 0.1], features=features, spread=0.01)))
    assert "the axis starts" not in words(wide)


def test_four_hundred_budgets_make_no_large_page():
    few, many = (
        {float(b): NAMES[: 1 + 5 * i // n] for i, b in enumerate(np.linspace(1, 6, n))}
        for n in (5, 400)
    )
    small, large = (
        render(make_results(sets, [0.3 - 0.01 * len(s) for s in sets.values()], features=SIX))
        for sets in (few, many)
    )
    assert len(large) < len(small) + 400 * 40  # the budgets are listed


def test_a_substitute_that_looks_better_is_answered():
    results = make_results(
        {2: NAMES[:2]},
        [0.2],
        features=SIX,
        substitutes=[Substitute("f0", "f4", -0.01), Substitute("f1", "f5", 0.02)],
    )
    text = words(Page(render(results)))
    assert "f4 no worse" in text
    assert "f5 +2.0" in text
    assert "the best of many looks better than it is" in text
    assert "−1.0" not in text


def test_where_nothing_can_be_exchanged_one_sentence_says_so():
    names = ["a", "b", "c"]
    none = [Substitute(name, None, None) for name in names[:2]]
    prices = features_at({"a": 1.0, "b": 1.0, "c": 9.0})
    results = make_results({2: names[:2]}, [0.2], features=prices, substitutes=none)
    text = words(Page(render(results)))
    assert "None of these features can be exchanged for another one within the budget." in text
    assert "nothing else fits" not in text


def test_a_feature_that_resamples_chose_and_that_is_not_bought_is_explained():
    text = words(Page(render(demo())))
    assert "Not bought, though most resamples chose it: ‘mean area’ (90 %)." in text


@pytest.mark.parametrize("n_resamples", [0, 5])
def test_a_choice_by_brier_score_shows_that_score_and_names_it(n_resamples):
    errors = [0.3, 0.2] if n_resamples else None
    sets = {2: NAMES[:2], 5: NAMES[:4]}
    results = make_results(
        sets, errors, features=SIX, score=BRIER, oob=0.16, methods=("auc", "sts")
    )
    page = Page(render(results))
    text = words(page)
    assert results.best(5).score == pytest.approx(0.144)
    assert "0.144" in text
    assert "lowest out-of-bag Brier score" in text
    assert "16.0 %" not in text  # the out-of-bag error took no part in the choice
    assert "scoring='brier'" in text


def test_methods_paragraph_names_what_a_protocol_needs():
    results = demo()
    text = words(Page(render(results)))
    for part in (
        "569 rows, 18 candidate features and 2 classes (ill: 212, well: 357)",
        results.data.sha256,
        "10 random splits of the rows, stratified by class: about 67 % to choose and fit",
        "9 degrees of freedom",
        "Seed 0; frugalforest 0.2",
    ):
        assert part in text


def test_rows_that_belong_together_are_mentioned_and_in_the_call():
    text = words(Page(render(single())))
    assert "with rows that belong together on one side" in text
    assert "row_groups=row_groups" in text
    assert "row_groups" not in words(Page(render(demo())))


def test_the_call_has_the_settings_and_methods_as_they_were_given():
    forward = replace(METHODS["forward"], call="Forward(racing=True)")
    results = replace(demo(), methods_used=(*demo().methods_used[:3], forward))
    text = words(Page(render(results)))
    assert "from frugalforest.methods import Forward" in text
    assert "methods=['auc', 'pfi', 'sts', Forward(racing=True)]" in text
    assert "budgets=[5, 10, 20, 40]" in text
    assert "scoring='error'" in text


def test_shopping_list_has_what_is_paid_and_no_formulas():
    features = features_at({"=cmd()": 2.0, "b": 1.25}, {"=cmd()": "lab"}, {"lab": 3.0})
    page = Page(render(make_results({9: ["=cmd()", "b"]}, [0.2], features=features)))
    (link,) = [a["href"] for a in page.all("a") if "download" in a]
    text = base64.b64decode(link.partition("base64,")[2]).decode("utf-8-sig")
    assert text.splitlines() == [
        "item,price,group",
        "lab (shared fee),3,",
        "'=cmd(),2,lab",
        "b,1.25,",
    ]


def test_the_page_says_what_it_is_about_and_in_which_currency():
    about = About("Panel <2026>", "diagnosis", "patients.csv", "2026-11-15", "€")
    page = Page(render(replace(demo(), about=about)))
    text = words(page)
    subject = "to predict diagnosis (ill: 212, well: 357; positive: ill), patients.csv, 569 rows"
    assert text.startswith(f"Panel <2026> Panel <2026> {subject}")
    assert "2026-11-15" in text
    assert "Measure 4 features for € 17.50 per case" in text
    assert "For € 9.50 in place of € 17.50 it would be" in text
    assert "Price (€)" in text
    assert "Money spent (€)" in text
    assert "€" not in words(Page(render(demo())))


@pytest.mark.parametrize("name", RESULTS)
def test_a_notebook_shows_the_answer_of_the_page(name):
    results = RESULTS[name]()
    summary = Page(render_summary(results))
    findings = Findings.of(results)
    assert findings.headline.replace("\u00a0", " ") in words(summary)
    assert len(summary.all("tr")) == 1 + len(findings.stretches)
    assert len(summary.all("circle")) >= (len(findings.stretches) if summary.all("svg") else 0)
    assert bool(summary.all("svg")) == (len(findings.stretches) > 1)
    assert {tag for tag, _ in summary.elements} <= {
        *("div", "p", "strong", "table", "thead", "tbody", "tr", "th", "td", "bdi", "span"),
        *("svg", "text", "line", "g", "path", "circle", "title"),
    }


# --- methods --------------------------------------------------------------------------------------


def looks_on(page):
    """Colour and marker that the page gives to each curve of its chart."""
    found, key = {}, None
    for tag, attrs in page.elements:
        if "data-series" in attrs:
            key = attrs["data-series"]
            style = dict(part.split(":") for part in attrs["style"].split(";") if part)
            found[key] = (style.get("--own"), set())
        elif key and tag == "path" and "marker" in attrs.get("class", ""):
            found[key][1].add(attrs["d"])
        elif tag == "p":
            key = None
    return {key: (colour, *shapes) for key, (colour, shapes) in found.items()}


@pytest.mark.parametrize("names", [tuple(METHODS), ("sts", "auc"), ("forward", "oracle", "pfi")])
def test_a_method_has_its_own_colour_and_marker_whoever_else_is_there(names):
    results = make_results({2: NAMES[:2], 4: NAMES[:4]}, [0.3, 0.2], features=SIX, methods=names)
    looks = looks_on(Page(render(results)))
    assert set(looks) == {*names, "best"}
    for name in names:
        assert looks[name] == (METHODS[name].colour, MARKERS[METHODS[name].marker].path)


def test_no_two_methods_look_alike_even_if_they_say_so():
    clash = [
        replace(METHODS["auc"], name=f"m{i}", colour=c, marker=m)
        for i, (c, m) in enumerate(
            [("#0072B2", "square")] * 3 + [("red;}", "spiral"), ("#000000", "circle")]
        )
    ]
    looks = looks_of(clash)
    for one, other in itertools.combinations(looks.values(), 2):
        assert one.colour != other.colour
        assert one.marker != other.marker
    assert all(look.marker in MARKERS for look in looks.values())
    assert looks["m0"].colour == "#0072B2"


def test_every_method_is_described_and_counted():
    text = words(Page(render(five_methods())))
    assert "Features were chosen by 5 methods" in text
    for method in METHODS.values():
        assert method.prose in text
        assert method.label in text


def test_a_method_without_xi_has_none_on_the_page():
    results = make_results({2: NAMES[:2]}, [0.2], features=SIX, methods=("oracle",))
    page = Page(render(results))
    assert "ξ" not in words(page)
    assert "second" in words(page)  # which of its sets


@pytest.mark.parametrize("results", [demo, single, without_resamples])
def test_a_page_of_saved_results_is_the_same(results):
    saved = from_plain(Results, to_plain(results()), "saved")
    assert render(saved) == render(results())


def test_of_very_many_features_the_first_screen_names_forty():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), np.arange(60) % 2
    result = compare(X, y, budgets=[50], methods=["auc"], n_trees=10, n_resamples=2, verbose=0)
    first = render(result).partition("<dl")[0]
    assert first.count("<li>") == 41
    assert "and 10 more</a>" in first
