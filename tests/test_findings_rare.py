"""Where one class is rare, the share of errors hides what features tell."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import compare
from frugalforest.results.findings import Findings
from frugalforest.results.findings._rare import rare_class_sentence

QUICK = {"budgets": [4], "methods": ["auc"], "n_trees": 60, "n_resamples": 5, "verbose": 0}


def findings(share, shift, n=400, **changes):
    rng = np.random.default_rng(0)
    ill = np.arange(n) < share * n
    X = pd.DataFrame({f"x{j}": rng.normal(size=n) + shift * ill for j in range(4)})
    return Findings.of(compare(X, np.where(ill, "ill", "well"), **QUICK | changes))


@pytest.fixture(scope="module")
def rare():
    return findings(0.05, 0.9)


def test_a_rare_class_that_is_told_apart_is_said_in_the_first_lines(rare):
    assert not rare.worth_measuring
    said = rare.rare_class_sentence
    found = rare.lead.selection.diagnosis
    assert said.startswith("‘ill’ is rare (5.0")
    assert f"AUC {found.auc.value:.3f}, where guessing has 0.500" in said
    assert "--scoring balanced_error" in said
    balanced = 1 - (found.sensitivity(0).value + found.sensitivity(1).value) / 2
    assert f"the balanced error is {100 * balanced:.1f}" in said
    assert any("‘ill’ is rare" in line for line in rare.sentences[:4])


def test_it_is_on_the_page(tmp_path):
    rng = np.random.default_rng(0)
    ill = np.arange(400) < 20
    X = pd.DataFrame({"x": rng.normal(size=400) + 1.3 * ill})
    compare(X, np.where(ill, "ill", "well"), **QUICK).to_html(tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert "is rare (5.0" in page


def test_where_nothing_is_told_apart_no_more_is_claimed():
    said = findings(0.05, 0.0).rare_class_sentence
    assert "AUC 0" not in said
    assert "To choose by how well it is told apart" in said


@pytest.mark.parametrize(
    ("share", "shift", "changes"),
    [(0.4, 0.0, {}), (0.1, 9.0, {}), (0.05, 1.3, {"scoring": "balanced_error"})],
    ids=["common", "better than guessing", "another score"],
)
def test_otherwise_there_is_nothing_to_say(share, shift, changes):
    assert rare_class_sentence(findings(share, shift, **changes)) == ""
