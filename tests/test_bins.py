"""Bins of columns go through everything above the engine, and are stated wherever settings are."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import Comparison, FrugalForestClassifier, compare
from frugalforest.engine import ForestSettings, code_table
from frugalforest.model import FittedModel
from frugalforest.problem import Problem
from frugalforest.report import render
from reference.plain_bins import bin_table


@pytest.fixture(scope="module")
def patients():
    """150 rows of numbers with missing ones, and text."""
    rng = np.random.default_rng(3)
    y = rng.choice(["ill", "well"], 150)
    X = pd.DataFrame(rng.normal(size=(150, 4)), columns=list("abcd"))
    X["a"] += y == "ill"
    X.loc[::11, "a"] = np.nan
    X["colour"] = np.where(rng.random(150) < 0.3, y, rng.choice(["red", "blue"], 150))
    return X, y


@pytest.fixture(scope="module")
def compared(patients):
    quick = {"budgets": [2], "methods": ["auc"], "n_trees": 30, "n_resamples": 2, "verbose": 0}
    return {bins: compare(*patients, bins=bins, **quick) for bins in ("auto", None, 8)}


def test_a_small_table_is_split_exactly_unless_bins_are_asked_for(compared):
    assert {asked: result.settings.bins for asked, result in compared.items()} == {
        "auto": None,
        None: None,
        8: 8,
    }
    assert compared["auto"].selections == compared[None].selections
    exact, binned = (compared[bins].best(2).oob_error for bins in (None, 8))
    assert exact != binned


def test_the_model_of_a_binned_comparison_is_the_one_measured(patients, compared, tmp_path):
    compared[8].save(tmp_path / "selection.json")
    model = Comparison.load(tmp_path / "selection.json").fit(*patients)  # it compares the errors
    model.save(tmp_path / "model.zip")
    again = FittedModel.load(tmp_path / "model.zip")
    assert again.predict(patients[0]).tolist() == model.predict(patients[0]).tolist()


def test_the_report_says_that_there_were_bins(compared):
    assert "were cut into bins, 8 at most" in render(compared[8])
    assert "bins=8" in render(compared[8])
    assert "cut into bins" not in render(compared["auto"])


def test_raw_rows_go_the_way_of_their_bins(patients):
    X, y = patients
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=40, bins=6))
    assert problem.data.bins == 6
    raw = problem.encoder.transform(problem.table)
    numbers = bin_table(raw, 6)
    np.testing.assert_array_equal(
        problem.data.codes().T[~np.isnan(raw)], numbers[~np.isnan(raw)].astype(int)
    )
    model = FittedModel.fit(problem, (0, 1, 4))
    # Rows moved within their bins are predicted alike.
    moved = X.copy()
    for j, name in ((0, "a"), (1, "b")):
        first = pd.Series(raw[:, j]).groupby(numbers[:, j]).transform("first")
        moved[name] = first.to_numpy()
    assert model.predict(moved).tolist() == model.predict(X).tolist()


def test_the_estimator_takes_bins(patients):
    model = FrugalForestClassifier(budget=2, method="auc", n_trees=30, bins=8, random_state=1)
    model.fit(*patients)
    exact = FrugalForestClassifier(budget=2, method="auc", n_trees=30, random_state=1)
    assert model.selection_score_ != exact.fit(*patients).selection_score_
    assert model.feature_importances_.shape == (5,)
    with pytest.raises(ValueError, match="`bins` is 300"):
        FrugalForestClassifier(bins=300).fit(*patients)


def test_parts_of_a_large_table_are_binned_as_the_table_is():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(20_100, 2))
    y = (X[:, 0] > 0).astype(int)
    result = compare(
        X, y, budgets=[1], methods=["auc"], xi=1.0, n_trees=2, n_resamples=1, verbose=0
    )
    assert result.settings.bins == 255
    assert code_table(X[:13_000]).bins is None  # as long as nobody says what it is a part of
