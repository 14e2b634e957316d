"""The report in a real browser: Debian's Chromium, driven by Playwright."""

import shutil

import pytest

from frugalforest.report import render
from reference.report_documents import DOCUMENTS, SCRIPT, demo, hostile

sync_api = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")

CHROMIUM = shutil.which("chromium")
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="there is no `chromium` on the path")

METHODS = {
    "auc": "AUC filter",
    "pfi": "Permutation filter",
    "sts": "Shallow trees",
    "forward": "Forward selection",
}
PHONE = {"width": 360, "height": 740}
DESK = {"width": 1280, "height": 900}


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM,
            args=[
                "--no-sandbox",
                "--disable-gpu",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
            ],
        )
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, tmp_path):
    """Open a document's page; anything the page does that it should not fails the test."""
    contexts, complaints = [], []

    def open_(document, viewport=DESK, **options):
        path = tmp_path / "report.html"
        path.write_text(render(document), encoding="utf-8")
        context = browser.new_context(viewport=viewport, **options)
        contexts.append(context)
        page = context.new_page()
        page.on("console", lambda message: complaints.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
        page.on("dialog", lambda dialog: (complaints.append("dialog"), dialog.dismiss()))
        page.on(
            "request",
            lambda request: (
                request.url == path.as_uri()
                or request.url.startswith("data:")
                or complaints.append(f"request: {request.url}")
            ),
        )
        page.goto(path.as_uri())
        return page

    yield open_
    for context in contexts:
        context.close()
    assert complaints == []


def percent(share):
    return f"{100 * share:.1f}\u00a0%"


def number(text):
    return float(text.replace("−", "-").replace("\u00a0%", ""))


def shown(panel, fact):
    return panel.locator(f"[data-fact={fact}]").inner_text()


def texts(locator):
    return [" ".join(text.split()) for text in locator.all_inner_texts()]


def check_panel(panel, document, index):
    """What is on the screen against what is in the document."""
    best = document["best"][index]
    rows = [s for s in document["selections"] if s["budget"] == best["budget"]]
    winner = next(s for s in rows if s["winner"])
    honest = best["honest"]
    facts = panel.locator(".facts").inner_text()
    assert shown(panel, "error") == percent(honest["error"])
    assert f"{100 * honest['low']:.1f} to {percent(honest['high'])}" in facts
    assert number(shown(panel, "cost")) == pytest.approx(winner["cost"], abs=0.005)
    assert f"left of {best['budget']:g}" in facts
    assert shown(panel, "n-features") == str(len(winner["features"]))
    assert shown(panel, "method") == METHODS[winner["method"]]
    assert f"ξ = {winner['xi']:.3g}" in facts

    table = panel.locator(".buy")
    names = texts(table.locator("tr.feature > th"))
    assert sorted(names) == sorted(winner["features"])
    paid = [number(t) for t in texts(table.locator("tbody td[data-label=Price]"))]
    assert sum(paid) == pytest.approx(winner["cost"])
    groups = {f["feature"]: (f["group"], f["group_cost"]) for f in document["features"]}
    fees = {groups[name] for name in winner["features"]}
    assert table.locator("tr.fee").count() == len(fees)

    substitutes = {s["feature"]: s for s in winner["substitutes"]}
    for row in table.locator("tr.feature").all():
        cells = texts(row.locator("th, td"))
        name, frequency, rest = cells[0], cells[2], cells[3:]
        assert number(frequency.replace(" %", "")) == round(100 * best["frequencies"][name])
        found = substitutes[name]
        if found["substitute"] is None:
            assert rest == ["nothing else that fits"]
        else:
            assert rest[0] == found["substitute"]
            assert number(rest[1]) == pytest.approx(100 * found["error_change"], abs=0.0501)

    panel.locator("details:has(.bars)").evaluate_all("all => all.forEach(d => { d.open = true })")
    bars = dict(
        zip(texts(panel.locator(".bar-name")), texts(panel.locator(".bar-value")), strict=True)
    )
    often = {name for name, share in best["frequencies"].items() if share > 0}
    assert {name.removesuffix(" (in the set)") for name in bars} == often | set(winner["features"])
    assert f"Stability {best['stability']:.2f}" in panel.inner_text()
    assert panel.locator(".small").count() == len(rows)


def test_slider_shows_the_documents_numbers_for_every_budget(open_page):
    document = demo()
    page = open_page(document)
    slider = page.get_by_role("slider")
    slider.focus()
    page.keyboard.press("Home")
    for index, budget in enumerate(document["settings"]["budgets"]):
        panels = page.locator(".panel:visible")
        assert panels.count() == 1
        assert page.locator("#budget-shown").inner_text() == f"{budget:g}"
        assert slider.get_attribute("aria-valuetext").startswith(f"{budget:g}: ")
        check_panel(panels.first, document, index)
        page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowLeft")
    assert page.locator("#budget-shown").inner_text() == f"{document['settings']['budgets'][-2]:g}"


def test_table_of_all_budgets_matches_the_document(open_page):
    document = demo()
    rows = open_page(document).locator("#frontier table.cards tbody tr")
    assert rows.count() == len(document["best"])
    for row, best in zip(texts(rows), document["best"], strict=True):
        assert row.startswith(f"{best['budget']:g}")
        assert percent(best["honest"]["error"]).replace("\u00a0", " ") in row


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


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", DOCUMENTS)
def test_phone_never_scrolls_sideways(open_page, name, scheme):
    page = open_page(DOCUMENTS[name](), PHONE, color_scheme=scheme)
    page.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window


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
    assert page.locator(".panel:visible").count() == 1
    assert page.locator(".prices").is_visible()


def test_without_script_every_budget_is_on_the_page(open_page):
    page = open_page(demo(), java_script_enabled=False)
    assert page.locator(".panel:visible").count() == len(demo()["settings"]["budgets"])
    assert not page.locator("#budget").is_visible()
    assert page.locator("#frontier-chart").is_visible()
