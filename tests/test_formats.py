"""One way to write numbers, whoever writes them."""

import math
import re

import pytest

from frugalforest.plotting import SelectionFrequencyDisplay
from frugalforest.report import render
from frugalforest.results.findings import Findings
from frugalforest.words.formats import NBSP, count, interval, money, percent, plain, points, shorten
from reference.sample_results import features_at, make_results


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (0, "0"),
        (-0.0, "0"),
        (5, "5"),
        (5.5, "5.50"),
        (12.345, "12.35"),
        (12.344, "12.34"),
        (0.1 + 0.2, "0.30"),
        (1234567.891, "1,234,567.89"),
        (0.005, "0.01"),
        (0.004, "0.004"),
        (0.00012345, "0.00012"),
        (math.inf, "no limit"),
    ],
)
def test_money_is_whole_or_has_two_decimals_unless_it_would_be_0(amount, text):
    assert money(amount) == text


def test_a_number_keeps_its_unit():
    assert percent(0.0589) == f"5.9{NBSP}%"
    assert count(3, "row") == f"3{NBSP}rows"
    assert plain(interval(0.041, 0.0768)) == "4.1 to 7.7 %"


@pytest.mark.parametrize(("change", "text"), [(0.0123, "+1.2"), (-0.0123, "−1.2"), (-1e-6, "0.0")])
def test_a_change_has_its_sign_unless_it_is_none(change, text):
    assert points(change) == text


def test_a_short_name_is_left_alone():
    assert shorten("a" * 60) == "a" * 60
    assert len(shorten("a" * 61)) <= 60


def test_one_price_is_written_the_same_through_all_doors():
    features = features_at({"ecg": 12.345, "mri": 120.0})
    sets = {12.345: ["ecg"], 150: ["ecg", "mri"]}
    results = make_results(sets, [0.2, 0.3], features=features)
    page, _, call = render(results).partition("<pre")
    assert "budgets=[12.345, 150]" in call  # what is to be run again is exact
    doors = {
        "terminal": " ".join(Findings.of(results).sentences),
        "page": re.sub("<[^>]+>", " ", page),  # numbers for the script are exact, too
        "frequencies": _texts(SelectionFrequencyDisplay.from_comparison(results, 12.345)),
    }
    for door, text in doors.items():
        assert "12.35" in text, door
        assert "12.345" not in text, door


def _texts(display):
    display.figure_.canvas.draw()
    ax = display.ax_
    labels = [*ax.get_xticklabels(), *ax.get_yticklabels(), *ax.texts]
    title = ax.get_legend().get_title()
    return " ".join(text.get_text() for text in [*labels, title])
