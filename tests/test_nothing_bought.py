"""Where nothing helps, nothing is bought: answers, models and pages without features."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, compare
from frugalforest.engine import GrownForest, forest_without_columns
from frugalforest.errors import DataError
from frugalforest.findings import Findings, Verdict
from frugalforest.model import FittedModel
from frugalforest.problem import Problem


@pytest.fixture(scope="module")
def noise():
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.normal(size=(120, 4)), columns=list("abcd"))
    return X, np.where(rng.random(120) < 0.3, "ill", "well")


@pytest.fixture(scope="module")
def result(noise):
    options = {"n_trees": 25, "n_resamples": 4, "verbose": 0}
    return compare(*noise, methods=["auto", "auc"], **options)


def test_auto_buys_nothing_and_quotes_the_error_of_guessing(result, noise):
    best = result.best()
    assert best.features == ()
    assert best.cost == 0
    share = (noise[1] == "ill").mean()
    assert best.honest.error == pytest.approx(share)
    assert best.oob_error == pytest.approx(share)
    assert best.brier == pytest.approx(share * (1 - share))
    assert best.honest.low < share < best.honest.high


def test_the_findings_say_it(result):
    findings = Findings.of(result)
    assert findings.verdict is Verdict.NO_BETTER
    assert findings.headline == "Nothing here is worth measuring"
    said = " ".join(findings.sentences)
    assert "nothing is bought" in said
    assert "0 features" not in said
    assert "always answering ‘well’" in said


def test_the_frontier_keeps_one_budget(result):
    assert len(result.budgets) == 1
    assert result.settings.whole_frontier


def test_page_table_and_file_cope(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Nothing here is worth measuring" in page
    assert ">0:<" not in page
    assert result.to_frame()["features"].iloc[0] == ()
    assert "Nothing here is worth measuring" in result._repr_html_()
    result.save(tmp_path / "result.json")
    assert type(result).load(tmp_path / "result.json") == result


def test_the_model_names_the_commonest_class_and_can_be_saved(result, noise, tmp_path):
    model = result.fit(*noise)
    assert model.features == ()
    model.save(tmp_path / "model.zip")
    again = FittedModel.load(tmp_path / "model.zip")
    for X in (noise[0], noise[0].to_numpy(), noise[0][[]]):
        assert set(again.predict(X)) == {"well"}
        assert len(again.predict(X)) == 120
    assert again.unseen(noise[0]) == {}
    with pytest.raises(DataError, match="nothing to export"):
        model.to_onnx(tmp_path / "model.onnx")


@pytest.mark.slow
def test_the_command_line_goes_all_the_way(noise, tmp_path):
    table = noise[0].assign(state=noise[1])
    table.to_csv(tmp_path / "data.csv", index=False)
    command = [sys.executable, "-m", "frugalforest"]
    quick = ["--resamples", "3", "--trees", "25", "--methods", "auto", "--jobs", "1"]
    select = [*command, "select", "data.csv", "--target", "state", "--out", "out", *quick]
    done = subprocess.run(select, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "Nothing here is worth measuring." in done.stdout
    assert "nothing that would do better than guessing" in done.stdout
    (model,) = (tmp_path / "out").glob("model-*.zip")
    predict = [*command, "predict", str(model), "data.csv"]
    done = subprocess.run(predict, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[1].endswith(",well,0.0,1.0")


def test_the_classifier_predicts_the_commonest_class(noise):
    X, y = noise
    model = FrugalForestClassifier(n_trees=25, n_resamples=4, random_state=0).fit(X, y)
    assert not model.support_.any()
    assert model.total_cost_ == 0
    assert set(model.predict(X)) == {"well"}
    assert model.predict_proba(X[:3]).shape == (3, 2)
    assert model.honest_error_.error == pytest.approx((y == "ill").mean())


def test_free_features_are_the_least_that_is_used(noise):
    X, y = noise
    prices = {"a": 0.0, "b": 1.0, "c": 1.0, "d": 1.0}
    found = compare(X, y, prices, methods="auto", n_trees=25, n_resamples=3, verbose=0)
    assert "a" in found.best().features


def test_a_problem_scores_the_empty_set_like_any_other(noise):
    problem = Problem.from_table(*noise)
    empty, other = problem.scores([(), (0, 1)])
    assert empty.oob_error == pytest.approx((noise[1] == "ill").mean())
    assert other == problem.scores([(0, 1)])[0]


def test_a_forest_on_no_columns_that_splits_is_refused():
    forest, _ = forest_without_columns([2, 1])
    arrays = forest.to_arrays() | {"column": np.array([0], dtype=np.int32)}
    with pytest.raises(DataError, match="splits on columns, and there are none"):
        GrownForest.from_arrays(arrays, 0, 2)
    again = GrownForest.from_arrays(forest.to_arrays(), 0, 2)
    assert again.votes(np.empty((4, 0)))[0].tolist() == [[1, 0]] * 4
