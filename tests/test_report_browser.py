"""The report in a real browser: Debian's Chromium, driven by Playwright."""

import csv
import itertools
from dataclasses import replace

import pytest

from frugalforest.results import About
from frugalforest.words.formats import money
from reference.browser import DESK, PHONE, number, texts
from reference.sample_results import (
    METHODS,
    RESULTS,
    SCRIPT,
    demo,
    features_at,
    hostile,
    judged,
    make_results,
)

pytestmark = pytest.mark.slow


def percent(share):
    return f"{100 * share:.1f}\u00a0%"


def shown(panel, fact):
    return panel.locator(f"[data-fact={fact}]").inner_text()


def check_panel(panel, results, budget):
    """What is on the screen against what is in the results."""
    best = results.best(budget)
    facts = panel.locator(".facts").inner_text()
    assert shown(panel, "error") == percent(best.honest.error)
    assert f"{100 * best.honest.low:.1f} to {percent(best.honest.high)}" in facts
    assert number(shown(panel, "cost")) == pytest.approx(best.cost, abs=0.005)
    assert f"left of {budget:g}" in facts
    assert shown(panel, "n-features") == str(len(best.features))
    assert shown(panel, "method") == METHODS[best.method].label

    table = panel.locator(".buy")
    names = texts(table.locator("tr.feature > th"))
    assert sorted(names) == sorted(best.features)
    paid = [number(t) for t in texts(table.locator("tbody td[data-label=Price]"))]
    assert sum(paid) == pytest.approx(best.cost)
    groups = {f.feature: (f.group, f.group_cost) for f in results.features}
    fees = {groups[name] for name in best.features}
    assert table.locator("tr.fee").count() == len(fees)

    substitutes = {s.feature: s for s in best.substitutes}
    for row in table.locator("tr.feature").all():
        name, _, frequency, *rest = texts(row.locator("th, td"))
        assert number(frequency.replace(" %", "")) == round(100 * best.frequencies[name])
        found = substitutes.get(name)
        if found is None or found.substitute is None:
            assert rest == ["nothing else fits"]
        elif found.error_change < 0:
            assert rest == [found.substitute, "no worse"]
        else:
            assert rest[0] == found.substitute
            assert number(rest[1]) == pytest.approx(100 * found.error_change, abs=0.0501)

    bars = dict(
        zip(texts(panel.locator(".bar-name")), texts(panel.locator(".bar-value")), strict=True)
    )
    often = {name for name, share in best.frequencies.items() if share > 0}
    assert {name.removesuffix(" (in the set)") for name in bars} == often | set(best.features)
    assert f"Stability {best.stability:.2f}" in panel.inner_text()


def panels(page):
    return page.locator("#panels .panel:visible")


def test_slider_shows_the_numbers_of_every_budget(open_page):
    results = demo()
    page = open_page(results)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    for budget in results.budgets:
        assert panels(page).count() == 1
        assert page.locator("#budget-shown").inner_text() == f"{budget:g}"
        assert slider.get_attribute("aria-valuetext").startswith(f"{budget:g}: ")
        check_panel(panels(page).first, results, budget)
        appendix = page.locator("#appendix .panel:visible")
        assert appendix.count() == 1
        assert f"with a budget of {budget:g}" in appendix.inner_text()
        assert appendix.locator(".small").count() == len(results.methods)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#budget-shown").inner_text() == f"{results.budgets[-2]:g}"


def test_table_of_all_budgets_matches_the_results(open_page):
    results = demo()
    rows = open_page(results).locator("#frontier table.cards tbody tr")
    assert rows.count() == len(results.budgets)
    for row, budget in zip(texts(rows), results.budgets, strict=True):
        assert row.startswith(f"{budget:g}")
        assert percent(results.best(budget).honest.error).replace("\u00a0", " ") in row


def test_a_point_and_a_row_lead_to_their_budget(open_page):
    page = open_page(demo())
    page.locator("#frontier-chart [data-series=best] .point").nth(3).click()
    assert page.locator("#budget-shown").inner_text() == "40"
    assert page.get_by_role("slider").input_value() == "3"
    page.locator("#frontier tr[data-go='1'] td").nth(1).click()
    assert page.locator("#budget-shown").inner_text() == "10"
    assert page.locator("tr.current").count() == 1
    page.locator("#frontier tr[data-go='0'] a").click()
    assert page.locator("#budget-shown").inner_text() == "5"


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_a_point_says_its_numbers_beside_it_and_inside_the_window(open_page, viewport):
    results = demo()
    page = open_page(results, viewport)
    tip = page.get_by_role("tooltip")
    points = page.locator("#frontier-chart [data-series=best] .point .marker")
    for marker, budget in zip(points.all(), results.budgets, strict=True):
        marker.hover()
        best = results.best(budget)
        said = tip.inner_text()
        assert said.startswith("Best of the methods: " + percent(best.honest.error))
        assert f"for {money(best.cost)} (budget {money(budget)})" in said
        box = tip.bounding_box()
        assert box["x"] >= 0
        assert box["x"] + box["width"] <= viewport["width"]
    page.mouse.move(0, 0)
    assert not tip.is_visible()


def test_the_budget_is_kept_in_the_address(open_page):
    page = open_page(demo())
    page.get_by_role("slider").press("Home")
    assert page.url.endswith("#budget-0")
    again = open_page(demo(), address="#budget-3")
    assert again.locator("#budget-shown").inner_text() == "40"
    beyond = open_page(demo(), address="#budget-99")
    assert beyond.locator("#budget-shown").inner_text() == "20"


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_labels_of_the_slider_never_overlap(open_page, viewport):
    names = [f"f{j}" for j in range(30)]
    features = features_at(dict.fromkeys(names, 1000.01))
    sets = {1000.01 * k: names[:k] for k in range(1, 31)}
    page = open_page(make_results(sets, [0.2] * 30, features=features), viewport)
    boxes = [label.bounding_box() for label in page.locator(".ticks span:visible").all()]
    assert len(boxes) > 2
    for one, other in itertools.pairwise(sorted(boxes, key=lambda box: box["x"])):
        assert one["x"] + one["width"] < other["x"]


def test_legend_hides_and_shows_a_method(open_page):
    page = open_page(demo())
    button = page.get_by_role("button", name="Shallow trees")
    series = page.locator("#frontier-chart [data-series=sts]")
    assert button.get_attribute("aria-pressed") == "true"
    assert series.is_visible()
    button.focus()
    page.keyboard.press("Enter")
    assert button.get_attribute("aria-pressed") == "false"
    assert not series.is_visible()
    button.click()
    assert series.is_visible()


def test_the_answer_stands_alone_until_others_are_asked_for(open_page):
    page = open_page(judged())
    chart = page.locator("#frontier-chart")
    assert chart.locator("[data-series=oracle]").is_visible()
    assert not chart.locator("[data-series=auc]").is_visible()
    # At its true place, and the others beside it.
    guide = chart.locator(".column.shown .guide").bounding_box()
    marker = chart.locator("[data-series=oracle] .point .marker").last.bounding_box()
    middles = [box["x"] + box["width"] / 2 for box in (guide, marker)]
    assert middles[0] == pytest.approx(middles[1], abs=1)
    page.get_by_role("button", name="AUC filter").click()
    assert chart.locator("[data-series=auc]").is_visible()
    chart.locator("[data-series=auc] .point .marker").first.hover()
    assert "the same set" in page.get_by_role("tooltip").inner_text()
    without = open_page(judged(), java_script_enabled=False)
    assert without.locator("#frontier-chart [data-series=auc]").is_visible()


def test_paper_shows_the_methods_that_the_screen_shows(open_page):
    page = open_page(judged())
    page.get_by_role("button", name="AUC filter").click()
    page.emulate_media(media="print")
    assert texts(page.locator(".legend > :visible")) == ["Oracle", "AUC filter"]
    assert page.locator("#frontier-chart [data-series=auc]").is_visible()
    assert not page.locator("#frontier-chart [data-series=sts]").is_visible()


@pytest.mark.parametrize("name", RESULTS)
def test_phone_never_scrolls_sideways(open_page, name):
    page = open_page(RESULTS[name](), PHONE)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window


@pytest.mark.parametrize("media", ["screen", "print"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_lines_are_lines_in_the_colour_of_their_method(open_page, scheme, media):
    page = open_page(demo(), color_scheme=scheme)
    page.emulate_media(media=media)
    painted = page.locator("#frontier-chart [data-series=sts] .line").evaluate(
        "line => { const { fill, stroke } = getComputedStyle(line); return [fill, stroke]; }"
    )
    own = "rgb(0, 158, 115)"  # #009E73
    assert painted[0] == "none"
    assert (painted[1] == own) == (scheme == "light" or media == "print")


def test_dark_mode_is_dark(open_page):
    def lightness(scheme):
        page = open_page(demo(), color_scheme=scheme)
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in colour[4:-1].split(","))

    assert lightness("dark") < 150 < 600 < lightness("light")


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_script_as_a_columns_name_shows_as_text(open_page, viewport):
    page = open_page(hostile(), viewport)
    page.get_by_role("slider").press("End")
    assert page.get_by_text(SCRIPT).first.is_visible()
    assert page.locator("script").count() == 1
    assert page.locator("img").count() == 0


def test_paper_has_a_table_in_place_of_the_slider(open_page):
    page = open_page(demo())
    page.emulate_media(media="print")
    assert not page.get_by_role("slider").is_visible()
    assert page.locator("#frontier table.cards").is_visible()
    assert panels(page).count() == page.locator("#appendix .panel:visible").count() == 1
    assert page.locator(".prices").is_visible()


def test_without_script_every_budget_is_on_the_page(open_page):
    page = open_page(demo(), java_script_enabled=False)
    assert panels(page).count() == len(demo().budgets)
    assert not page.locator("#budget").is_visible()
    assert page.locator("#frontier-chart").is_visible()


def test_a_shopping_list_can_be_downloaded(open_page):
    page = open_page(demo())
    with page.expect_download() as download:
        panels(page).get_by_text("Shopping list").click()
    assert download.value.suggested_filename == "shopping-list-20.csv"
    with open(download.value.path(), encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    best = demo().best(20)
    assert {row["item"] for row in rows} >= set(best.features)
    assert sum(float(row["price"]) for row in rows) == pytest.approx(best.cost)


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_the_command_and_the_call_can_be_read_whole(open_page, viewport):
    command = "frugalforest select table.csv --target y " + "--budget 12345 " * 20
    page = open_page(replace(demo(), about=About(command=command)), viewport)
    shown = page.locator("footer pre")
    assert shown.count() == 2
    assert shown.first.inner_text() == command
    for block in shown.all():
        assert block.evaluate("pre => pre.scrollWidth <= pre.clientWidth")


@pytest.mark.parametrize("viewport", [PHONE, DESK], ids=["phone", "desk"])
def test_the_answer_of_a_page_for_a_board_is_on_its_first_screen(open_page, viewport):
    page = open_page(demo(), viewport)
    for part in ("#headline", "#summary .lead", "#summary .facts"):
        box = page.locator(part).bounding_box()
        assert box["y"] + box["height"] <= viewport["height"]
