"""Other prices, tried on the page in a real browser."""

from dataclasses import replace

import pytest

from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.results import About, ScoreFacts
from reference.browser import PHONE, number, texts
from reference.sample_results import RESULTS, SCRIPT, features_at, hostile, make_results

pytestmark = pytest.mark.slow


def priced():
    """Set ab is recommended at 4; c, or a dear fee, or all of them are the others."""
    features = features_at({"a": 1.0, "b": 3.0, "c": 6.0, "d": 1.0}, {"d": "lab"}, {"lab": 8.0})
    sets = {1: ["a"], 5: ["a", "b"], 7: ["c"], 25: ["a", "b", "c", "d"]}
    return make_results(sets, [0.35, 0.2, 0.19, 0.1], features=features, spread=0.01)


def now(page):
    return page.locator("#what-if-now").inner_text().replace("\u00a0", " ")


def field(page, label):
    return page.get_by_label(label, exact=True)


def spent(page):
    return texts(page.locator("#what-if [data-if] td:nth-child(2)"))


def test_at_the_original_prices_the_answer_is_that_of_the_page(open_page):
    results = priced()
    page = open_page(results)
    assert not page.locator("#what-if-answer").is_visible()
    page.get_by_role("button", name="What if prices were different?").click()
    assert now(page) == "Now: 4 features for 19, expected to be wrong for 10.0 % of new cases."
    assert spent(page) == ["1", "4", "6", "19"]
    assert page.url.endswith("report.html")
    for name in ("demo", "five_methods", "hostile"):
        page = open_page(RESULTS[name]())
        page.get_by_role("button", name="What if prices were different?").click()
        best = [RESULTS[name]().best(b) for b in RESULTS[name]().budgets]
        assert [number(t) for t in spent(page)] == pytest.approx([b.cost for b in best], abs=0.006)


def test_where_errors_have_a_price_the_lowest_total_is_the_answer(open_page):
    # Totals 36, 24, 25 and 29: without the price of errors the last would be the answer.
    costs = ScoreFacts("cost", "out-of-bag cost of errors", 50.0, ((0.0, 100.0), (100.0, 0.0)))
    results = replace(priced(), score_used=costs)
    results = replace(
        results,
        settings=replace(results.settings, scoring="cost"),
        procedures=tuple(in_money(p) for p in results.procedures),
        selections=tuple(in_money(s) for s in results.selections),
    )
    page = open_page(results)
    page.get_by_role("button", name="What if prices were different?").click()
    assert now(page) == (
        "Now: 2 features for 4, expected to make errors that cost 20 for each new case."
    )
    field(page, "Price of a").fill("40")
    field(page, "Price of c").fill("5")
    assert now(page) == (
        "Now: 1 feature for 5, expected to make errors that cost 19 for each new case."
    )
    for name in ("a", "b", "c", "d"):
        field(page, f"Price of {name}").fill("90")
    assert "none of the sets fits" in now(page)


def in_money(part):
    """The same with an error that is an amount: a hundred times the share."""
    own = part.honest
    error = ErrorEstimate(100 * own.error, 100 * own.se, 100 * own.low, 100 * own.high, own.errors)
    return replace(part, honest=error)


def test_answer_and_frontier_follow_the_prices_and_come_back(open_page):
    page = open_page(priced())
    page.get_by_role("button", name="What if prices were different?").click()
    # Beyond every budget: the next best is c for 6, within one standard error of nothing cheaper.
    field(page, "Shared fee of lab").fill("80")
    assert now(page) == "Now: 1 feature for 6, expected to be wrong for 19.0 % of new cases."
    assert spent(page) == ["1", "4", "6", "6"]
    assert "Before: 4 features for 19, expected to be wrong for 10.0 %" in page.locator(
        "#what-if-before"
    ).inner_text().replace("\u00a0", " ")
    # The set of a larger budget comes within reach of a smaller one.
    field(page, "Price of c").fill("0.5")
    assert spent(page) == ["0.50", "0.50", "0.50", "0.50"]
    assert now(page) == "Now: 1 feature for 0.50, expected to be wrong for 19.0 % of new cases."
    page.get_by_role("button", name="Original prices").click()
    assert now(page) == "Now: 4 features for 19, expected to be wrong for 10.0 % of new cases."
    assert field(page, "Price of c").input_value() == "6"
    assert "prices=" not in page.url


def test_ten_percent_cheaper_is_ten_percent_cheaper(open_page):
    page = open_page(priced())
    page.get_by_role("button", name="What if prices were different?").click()
    page.get_by_label("Price of b: 10 % cheaper").click()
    assert spent(page) == ["1", "3.70", "6", "18.70"]
    page.get_by_role("button", name="Everything 10 % cheaper").click()
    assert spent(page) == ["0.90", "3.33", "5.40", "16.83"]


def test_no_set_may_fit_any_budget_any_more(open_page):
    page = open_page(priced())
    page.get_by_role("button", name="What if prices were different?").click()
    for name in "abcd":
        field(page, f"Price of {name}").fill("1000")
    assert now(page) == "At these prices none of the sets fits any of the budgets."


def test_a_link_leads_to_the_same_prices(open_page):
    page = open_page(priced())
    page.get_by_role("button", name="What if prices were different?").click()
    field(page, "Shared fee of lab").fill("80")
    field(page, "Price of b").fill("2")
    page.get_by_role("slider").press("Home")
    link = page.url.partition("#")[2]
    assert "budget-0" in link
    again = open_page(priced(), address=f"#{link}")
    assert now(again) == now(page)
    assert spent(again) == spent(page) == ["1", "3", "6", "6"]
    assert field(again, "Price of b").input_value() == "2"
    assert again.locator("#budget-shown").inner_text() == "1"
    damaged = open_page(priced(), address="#prices=x:1,2:-5,3:abc,,g3")
    assert now(damaged) == "Now: 4 features for 19, expected to be wrong for 10.0 % of new cases."


def test_paper_shows_other_prices_with_their_answer_or_neither(open_page):
    page = open_page(priced())
    page.emulate_media(media="print")
    assert not page.locator("#what-if-answer").is_visible()
    page.emulate_media(media="screen")
    page.get_by_role("button", name="What if prices were different?").click()
    field(page, "Price of b").fill("2")
    page.emulate_media(media="print")
    assert page.locator("#what-if-now").is_visible()
    assert page.get_by_label("Price of b", exact=True).is_visible()
    assert page.locator("#prices button:visible, #what-if-link:visible").count() == 0


def test_amounts_in_a_currency_have_two_decimals_or_none(open_page):
    page = open_page(replace(priced(), about=About(currency="€")))
    page.get_by_role("button", name="What if prices were different?").click()
    field(page, "Price of b").fill("2.5")
    assert now(page) == "Now: 4 features for € 18.50, expected to be wrong for 10.0 % of new cases."
    assert spent(page) == ["1", "3.50", "6", "18.50"]
    labels = page.locator("#what-if-chart .x-tick").all_text_contents()
    assert labels == ["0", "5", "10", "15"]


def test_names_stay_text_where_prices_are_edited(open_page):
    page = open_page(hostile(), PHONE)
    page.get_by_role("button", name="What if prices were different?").click()
    page.get_by_role("button", name="Everything 10 % cheaper").click()
    assert SCRIPT in page.locator("#what-if [data-if]").last.inner_text()
    assert page.locator("img").count() == 0
    width, window = page.evaluate("[document.documentElement.scrollWidth, innerWidth]")
    assert width <= window


def test_where_nothing_is_worth_measuring_there_are_no_other_prices(open_page):
    assert open_page(RESULTS["noise"]()).locator("#what-if").count() == 0
