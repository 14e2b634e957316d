"""compare(), the model and the command line, where numbers are predicted."""

import json
import math

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.metrics import r2_score, root_mean_squared_error

from frugalforest import Comparison, FrugalForestRegressor, compare
from frugalforest.errors import DataError
from frugalforest.evaluation.number_diagnosis import NumberDiagnosis
from frugalforest.model import FittedModel, NumberModel, load_model
from frugalforest.results.findings import Findings, Verdict
from frugalforest.scores import NUMBER_SCORES
from reference.forked_cli import run_forked
from reference.number_tables import PRICES, QUICK, number_table

BUDGETS = [2.0, 6.0]
METHODS = ["auto", "auc", "forward"]


@pytest.fixture(scope="module")
def table():
    return number_table()


@pytest.fixture(scope="module")
def result(table):
    return compare(*table, PRICES, BUDGETS, METHODS, **QUICK)


def test_what_tells_the_target_is_bought(result):
    best = result.best(6)
    assert {"dose", "age"} <= set(best.features) <= {"dose", "age", "ward"}
    assert best.cost <= 6
    assert Findings.of(result).verdict is Verdict.BETTER
    assert result.data.task == "regression"


def test_the_same_on_two_workers(table, result):
    again = compare(*table, PRICES, BUDGETS, METHODS, n_jobs=2, **QUICK)
    assert again.to_dict() == result.to_dict()


def test_a_run_goes_on_from_what_is_kept(tmp_path, table, result):
    ledger = tmp_path / "done.sqlite"
    for _ in range(2):
        kept = compare(*table, PRICES, BUDGETS, METHODS, resume=ledger, **QUICK)
        assert kept.to_dict() == result.to_dict()


def test_a_saved_comparison_is_the_same(tmp_path, result):
    result.save(tmp_path / "found.json")
    assert Comparison.load(tmp_path / "found.json") == result


@pytest.mark.parametrize("unit", [1024.0, 2.0**-30])
def test_another_unit_changes_no_choice_and_scales_errors(result, unit):
    other = compare(*number_table(unit=unit), PRICES, BUDGETS, METHODS, **QUICK)
    for budget in BUDGETS:
        own, scaled = result.best(budget), other.best(budget)
        assert scaled.features == own.features
        assert scaled.honest.error == pytest.approx(abs(unit) * own.honest.error, rel=1e-9)
        assert scaled.honest.se == pytest.approx(abs(unit) * own.honest.se, rel=1e-9)


def test_figures_of_one_choice_agree(result):
    for budget in BUDGETS:
        best = result.best(budget)
        found = best.diagnosis
        assert isinstance(found, NumberDiagnosis)
        assert found.rmse.value == best.honest.error
        assert (found.rmse.low, found.rmse.high) == (best.honest.low, best.honest.high)
        variance = result.data.numbers.sd**2
        assert 1 - found.r2.value == pytest.approx(found.rmse.value**2 / variance, rel=0.05)
        assert found.mae.value < found.rmse.value
        assert sum(g.n_cases for g in found.groups) == found.n_cases
        assert sum(share for *_, share in found.residuals) == pytest.approx(1)


@pytest.mark.parametrize("scoring", NUMBER_SCORES)
def test_every_score_is_quoted_in_its_own_unit(table, scoring):
    found = compare(*table, PRICES, 6, "auto", scoring=scoring, **QUICK)
    best, sd = found.best(6), found.data.numbers.sd
    of_nothing = {"mse": sd**2, "rmse": sd, "r2": 1.0}
    if scoring in of_nothing:
        assert found.score_used.of_nothing == pytest.approx(of_nothing[scoring])
    assert 0 <= best.honest.low < best.honest.error < best.honest.high
    assert best.honest.error < found.score_used.of_nothing
    assert all(math.isfinite(t.score) for s in found.selections for t in s.tried)
    text = " ".join(Findings.of(found).sentences)
    assert found.score_used.noun in text
    assert "class" not in text


def test_noise_is_not_bought():
    X, _ = number_table(n_rows=200)
    y = np.random.default_rng(5).normal(size=200)
    found = compare(X, y, PRICES, 3, "auto", **QUICK)
    best = found.best(3)
    assert best.features == ()
    assert best.honest.error == pytest.approx(y.std(), rel=0.05)
    model = found.fit(X, y)
    assert model.predict(X).tolist() == [pytest.approx(y.mean())] * 200


def test_what_is_required_is_compared_with_what_it_adds(table):
    from frugalforest import CostModel

    X, y = table
    costs = CostModel(PRICES, required=("age",))
    best = compare(X, y, costs, 3, "auto", **QUICK).best(3)
    assert best.features == ("dose", "age")
    assert best.gain.baseline == pytest.approx(best.gain.gain + best.honest.error)
    assert 0 < best.gain.low < best.gain.gain < best.gain.high


def test_row_groups_are_kept_together(table):
    X, y = table
    patients = np.arange(len(y)) // 4
    found = compare(X, y, PRICES, 6, "auto", row_groups=patients, **QUICK)
    assert found.settings.row_groups
    assert found.best(6).honest.error < y.std()


def test_a_large_table_is_searched_in_part():
    X, y = number_table(n_rows=800)
    found = compare(X, y, PRICES, 6, ["auto", "auc"], search_rows=100, **QUICK)
    assert found.settings.search_rows == 100
    for method in ("auto", "auc"):
        assert found.selection(6.0, method).honest.error < y.std() / 2
    assert {"dose"} <= set(found.best(6).features)


@pytest.mark.slow
def test_the_honest_error_holds_on_new_rows():
    names = [f"x{i}" for i in range(10)]
    rows, y = make_friedman1(200, 10, noise=1.0, random_state=1)
    X = pd.DataFrame(rows, columns=names)
    rows, truth = make_friedman1(5000, 10, noise=1.0, random_state=2)
    new = pd.DataFrame(rows, columns=names)
    found = compare(X, y, 1.0, 4, "auto", n_trees=200, n_resamples=10, verbose=0)
    error = root_mean_squared_error(truth, found.fit(X, y).predict(new))
    honest = found.best(4).honest
    # The interval is for 95 % of samples; this one is known to be among them.
    assert honest.low < error < honest.high


# --- what is refused ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"final": "blend"}, "`final` is 'blend', which is for classes"),
        ({"methods": "sts"}, "method 'sts' is for classes"),
        ({"scoring": "auc", "task": "regression"}, "a score of classes"),
        ({"error_costs": 5, "task": "regression"}, "`error_costs` are for classes"),
        ({"class_weight": "balanced", "task": "regression"}, "`class_weight` is for classes"),
    ],
)
def test_what_is_for_classes_is_refused_in_one_line(table, asked, message):
    with pytest.raises(DataError) as caught:
        compare(*table, PRICES, 6, **QUICK | {"methods": "auc"} | asked)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


# --- the model ----------------------------------------------------------------------------------


def test_the_model_is_the_forest_that_was_measured(tmp_path, table, result):
    X, y = table
    model = result.fit(X, y, 6)
    assert isinstance(model, NumberModel)
    assert model.oob_error == result.best(6).oob_error
    assert r2_score(y, model.predict(X)) > 0.9
    model.save(tmp_path / "model.zip")
    again = load_model(tmp_path / "model.zip")
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert NumberModel.load(tmp_path / "model.zip").features == model.features
    with pytest.raises(DataError, match=r"NumberModel\.load"):
        FittedModel.load(tmp_path / "model.zip")


def test_a_model_of_classes_is_no_model_of_numbers(tmp_path):
    from frugalforest.problem import Problem

    X = [[0.0], [1.0]] * 10
    FittedModel.fit(Problem.from_table(X, [0, 1] * 10), (0,)).save(tmp_path / "model.zip")
    assert isinstance(load_model(tmp_path / "model.zip"), FittedModel)
    with pytest.raises(DataError, match=r"FittedModel\.load"):
        NumberModel.load(tmp_path / "model.zip")


@pytest.mark.parametrize("change", [{"constant": None}, {"orders": {"strange": {"a": 0}}}])
def test_a_damaged_model_is_refused(tmp_path, table, result, change):
    from frugalforest.model.file import read_parts, write_parts

    result.fit(*table, 6).save(tmp_path / "model.zip")
    header, arrays = read_parts(tmp_path / "model.zip")
    write_parts(tmp_path / "changed.zip", header | change, arrays, newer=True)
    with pytest.raises(DataError, match="damaged"):
        load_model(tmp_path / "changed.zip")


def test_a_model_without_its_trees_is_refused(tmp_path, table, result):
    from frugalforest.model.file import read_parts, write_parts

    result.fit(*table, 6).save(tmp_path / "model.zip")
    header, _ = read_parts(tmp_path / "model.zip")
    write_parts(tmp_path / "changed.zip", header, {}, newer=True)
    with pytest.raises(DataError, match="trees do not go with its columns"):
        load_model(tmp_path / "changed.zip")


# --- the estimator ------------------------------------------------------------------------------


def test_regressor_and_compare_take_one_road(table):
    X, y = table
    quick = {"n_trees": 30, "n_resamples": 3, "random_state": 0}
    model = FrugalForestRegressor(PRICES, 6, **quick).fit(X, y)
    found = compare(X, y, PRICES, 6, "auto", verbose=0, **quick)
    best = found.best(6)
    assert tuple(model.selected_features_) == best.features
    assert model.honest_error_ == best.honest
    np.testing.assert_array_equal(model.predict(X), found.fit(X, y).predict(X))
    assert model.score(X, y) == r2_score(y, model.predict(X))


def test_importances_are_rises_of_the_squared_error(table):
    X, y = table
    quick = {"method": "auc", "n_trees": 30, "random_state": 0}
    own, large = (
        FrugalForestRegressor(PRICES, 6, **quick).fit(X, unit * y).feature_importances_
        for unit in (1.0, 8.0)
    )
    assert own[0] == own.max() > 1
    np.testing.assert_allclose(large, 64 * own)


def test_integers_and_text_columns_predict(table):
    X, y = table
    model = FrugalForestRegressor(PRICES, method=["pfi", "linear"], n_trees=20, random_state=0)
    assert model.fit(X, (10 * y).astype(int)).predict(X).dtype == float


# --- the page and the command line --------------------------------------------------------------


def test_the_page_speaks_of_numbers(tmp_path, result):
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for words in ("Predicted against observed", "Residuals", "R²", "root mean squared error"):
        assert words in page
    for words in ("Confusion", "Gini", "misclassified", "by class", "ROC", "Sensitivity"):
        assert words not in page


def test_pictures_of_classes_say_so(result):
    pytest.importorskip("matplotlib")
    from frugalforest.plotting import ConfusionDisplay

    assert "root mean squared error" in result.plot().ax_.get_ylabel()
    with pytest.raises(ValueError, match="numbers were predicted"):
        ConfusionDisplay.from_comparison(result)


@pytest.fixture
def files(tmp_path, table):
    X, y = table
    X.assign(change=y, two=(y > 0).astype(int)).to_csv(tmp_path / "patients.csv", index=False)
    rows = [f"{name},{price}" for name, price in PRICES.items()]
    (tmp_path / "prices.csv").write_text("\n".join(["feature,cost", *rows]) + "\n")
    return tmp_path


def select(files, *options, target="change"):
    quick = ("--trees", "10", "--resamples", "2", "--methods", "auc", "--budget", "6", "--jobs", 1)
    return run_forked(
        *("select", files / "patients.csv", "--target", target, "--drop", "two"),
        *("--costs", files / "prices.csv", "--out", files / "out", *quick, *options),
        cwd=files,
    )


def test_select_and_predict(files):
    done = select(files)
    assert done.returncode == 0, done.stderr
    assert "numbers from" in done.stdout
    assert "Root mean squared error to expect" in " ".join(done.stdout.split())
    kept = json.loads((files / "out" / "selection.json").read_text())
    assert kept["settings"]["scoring"] == "rmse"
    said = run_forked("predict", files / "out" / "model-6.zip", files / "patients.csv", cwd=files)
    assert said.returncode == 0, said.stderr
    from io import StringIO

    frame = pd.read_csv(StringIO(said.stdout))
    assert r2_score(frame["change"], frame["predicted"]) > 0.8
    assert not [name for name in frame.columns if name.startswith("share_")]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--task", "numbers"), "'numbers' is not known"),
        (("--task", "regression", "--scoring", "auc"), "a score of classes"),
        (("--final", "blend"), "for classes"),
        (("--methods", "sts"), "'sts' is for classes"),
        (("--positive", "x"), "--positive is of classes"),
        (("--error-cost", "5", "--task", "regression"), "for classes"),
    ],
)
def test_the_command_line_refuses_in_one_line(files, options, message):
    done = select(files, *options)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.replace("│", " ").split())
    assert "Traceback" not in done.stderr


def test_a_target_of_two_values_is_classes(files):
    done = select(files, "--task", "regression", "--drop", "change", target="two")
    assert done.returncode != 0
    assert "two different values only" in done.stderr


def test_validate_says_what_it_is_for(files):
    assert select(files).returncode == 0
    model, data = files / "out" / "model-6.zip", files / "patients.csv"
    done = run_forked("validate", model, data, "--target", "change", cwd=files)
    assert done.returncode != 0
    assert "predicts numbers" in done.stderr
