"""What is said of the choice, on pages and in documents, with the numbers of the code."""

from pathlib import Path

from frugalforest import compare
from frugalforest.choice import error_in_words, rule_in_words
from frugalforest.choice.bootstrap import N_DRAWS
from frugalforest.choice.ways import DEDUCTION, OUT_OF_BAG
from reference.small_tables import make_table

METHODS = Path(__file__).parents[1] / "docs" / "methods.md"


def test_the_words_have_the_numbers_of_the_code():
    assert f"for chance, {DEDUCTION:g} standard error" in rule_in_words()
    assert f"plus {OUT_OF_BAG:g} times" in rule_in_words()
    assert f"{N_DRAWS} times" in error_in_words()


def test_the_documents_say_it_in_the_same_words():
    text = METHODS.read_text(encoding="utf-8")
    assert rule_in_words() in text
    assert error_in_words() in text


def test_page_and_protocol_say_it_in_the_same_words(tmp_path):
    options = {"n_trees": 10, "n_resamples": 2, "verbose": 0, "methods": "auto"}
    result = compare(*make_table(), budgets=2, **options)
    assert rule_in_words() in result.methods_used[0].prose
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert rule_in_words() in page
    assert error_in_words() in page
