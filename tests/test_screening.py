"""What is never bought: empty and constant columns, and copies of what costs no more."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import CostModel, FrugalForestClassifier, compare
from frugalforest.report import render
from frugalforest.results.findings import Findings
from frugalforest.tables import Outcome, Table, column_checks
from frugalforest.tables.screening import screened

N = 60
LABELS = np.arange(N) % 2


def columns(**more):
    rng = np.random.default_rng(0)
    signal = LABELS + rng.normal(size=N)
    return pd.DataFrame({"signal": signal, "noise": rng.normal(size=N), **more})


def excluded(X, costs, **groups):
    """Names of the columns that screening takes out."""
    table = Table.read(X)
    prices = CostModel(costs, **groups).align(table.names)
    found = screened(prices, column_checks(table, Outcome.read(LABELS)))
    return {name for name, out in zip(table.names, found.excluded, strict=True) if out}


def test_empty_and_constant_columns_are_taken_out():
    X = columns(empty=np.nan, same=3.0)
    assert excluded(X, 1.0) == {"empty", "same"}


def test_a_column_that_is_sometimes_missing_is_not_constant():
    X = columns(some=np.where(np.arange(N) % 3, 1.0, np.nan))
    assert excluded(X, 1.0) == set()


def test_of_copies_the_cheapest_stays_and_of_equally_cheap_ones_the_first():
    X = columns()
    X = X.assign(twice=2 * X["signal"], minus=-X["signal"])
    prices = {"signal": 3.0, "noise": 1.0, "twice": 2.0, "minus": 2.0}
    assert excluded(X, prices) == {"signal", "minus"}


def test_a_copy_stays_if_its_panel_may_be_paid_already():
    X = columns()
    X = X.assign(copy=X["signal"] + 1, other=X["noise"] ** 2)
    prices = {"signal": 3.0, "noise": 1.0, "copy": 1.0, "other": 1.0}
    groups = {"copy": "blood", "other": "blood"}
    # Alone the copy costs 6, with the panel 1: each can be the cheaper one.
    assert excluded(X, prices, groups=groups, group_costs={"blood": 5.0}) == set()
    # In one panel, their own prices decide.
    both = groups | {"signal": "blood"}
    assert excluded(X, prices, groups=both, group_costs={"blood": 5.0}) == {"signal"}


def test_required_columns_stay_and_make_their_copies_needless():
    X = columns(same=1.0)
    X = X.assign(cheap=X["signal"])
    prices = {"signal": 3.0, "noise": 1.0, "same": 1.0, "cheap": 1.0}
    assert excluded(X, prices, required=["signal", "same"]) == {"cheap"}


def test_if_nothing_would_be_left_all_stay():
    X = pd.DataFrame({"a": [1.0] * N, "b": [2.0] * N})
    assert excluded(X, 1.0) == set()


@pytest.fixture(scope="module")
def result():
    X = columns(same=1.0).assign(copy=lambda t: t["signal"])
    return compare(X, LABELS, budgets=[1, 4], methods=["auto", "auc"], n_trees=15, n_resamples=2)


def test_compare_never_buys_them_and_says_so(result):
    for selection in result.selections:
        assert not {"same", "copy"} & set(selection.features)
    assert result.never_bought == ("same", "copy")
    assert {notice.kind for notice in result.notices} == {"constant", "copies"}
    said = " ".join(Findings.of(result).column_sentences)
    assert "Column 'same' holds one value only" in said
    assert "Never bought, because they cannot help or are copies" in said


def test_the_page_and_a_saved_file_have_it(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "What the columns look like" in page
    assert page.count("never bought") == 2
    result.save(tmp_path / "result.json")
    assert type(result).load(tmp_path / "result.json") == result


def test_the_classifier_never_buys_them_either():
    X = columns(same=1.0)
    for method in ("auc", "auto"):
        model = FrugalForestClassifier(method=method, n_trees=15, n_resamples=2, random_state=0)
        assert "same" not in model.fit(X, LABELS).selected_features_


def test_a_copy_of_the_target_is_announced_loudly():
    X = columns(leak=LABELS)
    found = compare(X, LABELS, budgets=1, methods="auc", n_trees=15, n_resamples=3, verbose=0)
    findings = Findings.of(found)
    assert findings.too_good == ("leak",)
    assert findings.headline == "Check ‘leak’ first: it gives the answer away"
    assert findings.sentences[0] == findings.headline + "."
    assert "no error given here holds for new cases" in findings.expectation
    said = " ".join((*findings.sentences, findings.quote))
    assert "Recommended" not in said
    assert "0.0 %" not in said
    assert "better" not in said
    page = render(found)
    assert 'data-fact="guess"' in page.partition('id="frontier"')[0]
    assert 'data-fact="error"' not in page.partition('id="frontier"')[0]
    assert findings.column_sentences[0].startswith("Warning: column 'leak' alone predicts")


def test_sentences_tell_what_can_be_bought_from_what_there_is():
    X = columns(same=1.0)
    found = compare(X, LABELS, budgets=50, methods="auc", n_trees=15, n_resamples=3, verbose=0)
    assert Findings.of(found).n_buyable == 2
    said = " ".join(Findings.of(found).sentences)
    assert "2 features that can be bought" in said
    assert "3 features" not in said
