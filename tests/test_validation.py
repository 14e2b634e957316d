"""A model on new rows: figures as scikit-learn and statsmodels have them, and what was promised."""

import numpy as np
import pandas as pd
import pytest
from sklearn.metrics import (
    balanced_accuracy_score,
    brier_score_loss,
    confusion_matrix,
    log_loss,
    roc_auc_score,
)

from frugalforest import FrugalForestClassifier, compare
from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.evaluation.calibration import Correction, fit_correction
from frugalforest.model import FittedModel
from frugalforest.model.final import OwnFinal
from frugalforest.problem import Problem
from frugalforest.report import render_validation
from frugalforest.scores import find_score
from reference.patients import PRICED, QUICK, check_one_line, patients, run


def drawn(n_rows, seed, n_classes=2):
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(rng.normal(size=(n_rows, 3)), columns=["a", "b", "c"])
    signal = X["a"] + X["b"] + rng.normal(size=n_rows)
    return X, np.array(["ill", "mild", "well"])[np.digitize(signal, [-0.5, 0.5][: n_classes - 1])]


def fitted(n_classes=2, scoring="error", final="blend", about=None):
    X, y = drawn(150, 0, n_classes)
    forests, score = ForestSettings(n_trees=51), find_score(scoring)
    problem = Problem.from_table(X, y, forests=forests, score=score)
    return FittedModel.fit(problem, (0, 1, 2), about, OwnFinal(final) if final else None)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("final", [None, "blend"])
def test_figures_are_those_of_scikit_learn(n_classes, final):
    model = fitted(n_classes, final=final)
    X, y = drawn(200, 1, n_classes)
    found, said, shares = model.validate(X, y), model.predict(X), model.predict_proba(X)
    seen = found.diagnosis
    assert found.error.error == pytest.approx((said != y).mean())
    own = confusion_matrix(y, said, labels=model.classes)
    np.testing.assert_allclose(np.array(seen.confusion) * 200, own)
    for k in range(n_classes):
        positive, called = y == model.classes[k], said == model.classes[k]
        assert seen.sensitivity(k).value == pytest.approx(called[positive].mean())
        assert seen.specificity(k).value == pytest.approx((~called)[~positive].mean())
        assert seen.positive_value(k).value == pytest.approx(positive[called].mean())
        assert seen.negative_value(k).value == pytest.approx((~positive)[~called].mean())
    if n_classes == 2:
        assert seen.auc.value == pytest.approx(roc_auc_score(y == "mild", shares[:, 1]))
        assert seen.brier.value == pytest.approx(brier_score_loss(y == "mild", shares[:, 1]))
    else:
        auc = roc_auc_score(y, shares, multi_class="ovo", labels=model.classes)
        assert seen.auc.value == pytest.approx(auc)


@pytest.mark.parametrize("scoring", ["balanced_error", "auc", "log_loss"])
def test_the_error_is_by_the_score_that_was_promised(scoring):
    promised = {
        "scoring": scoring,
        "error": 0.2,
        "low": 0.1,
        "high": 0.3,
        "class_counts": [47, 103],
    }
    model = fitted(scoring=scoring, about={"promised": promised})
    X, y = drawn(200, 1)
    found, shares = model.validate(X, y), model.predict_proba(X)
    peer = {
        "balanced_error": lambda: 1 - balanced_accuracy_score(y, model.predict(X)),
        "auc": lambda: 1 - roc_auc_score(y == "mild", shares[:, 1]),
        "log_loss": lambda: log_loss(y, shares),
    }
    assert found.error.error == pytest.approx(peer[scoring]())


def test_calibration_is_that_of_statsmodels():
    api = pytest.importorskip("statsmodels.api")
    model = fitted()
    X, y = drawn(200, 1)
    found, shares = model.validate(X, y), model.predict_proba(X)
    truth = (y == model.classes[found.positive]).astype(float)
    given = np.maximum(shares[:, found.positive], 1e-3)
    odds = np.log(given / np.maximum(1 - shares[:, found.positive], 1e-3))
    line = api.GLM(truth, api.add_constant(odds), family=api.families.Binomial()).fit()
    level = api.GLM(truth, np.ones(200), family=api.families.Binomial(), offset=odds).fit()
    for own, fit, place in ((found.slope, line, 1), (found.intercept, level, 0)):
        expected = (fit.params[place], *fit.conf_int()[place])
        np.testing.assert_allclose((own.value, own.low, own.high), expected, rtol=1e-5)


def test_a_promise_is_kept_broken_or_unknown():
    X, y = drawn(200, 1)
    error = fitted().validate(X, y).error.error
    said = {}
    for name, own in {"kept": error + 0.01, "broken": error - 0.2, "better": error + 0.3}.items():
        promised = {"scoring": "error", "error": own, "low": own - 0.03, "high": own + 0.03}
        about = {"promised": {**promised, "class_counts": [47, 103]}}
        found = fitted(about=about).validate(X, y)
        said[name] = found.error_sentence
        assert found.agrees is (name == "kept")
    assert "The two agree" in said["kept"]
    assert "clearly worse than promised" in said["broken"]
    assert "clearly better than promised" in said["better"]
    assert "does not say what to expect" in fitted().validate(X, y).error_sentence
    with pytest.raises(DataError, match="is missing"):
        fitted(about={"promised": {"scoring": "error"}}).validate(X, y)


def test_what_was_compared_and_what_was_chosen_goes_with_the_model(tmp_path):
    X, y = drawn(120, 2)
    quick = {"n_trees": 20, "n_resamples": 3, "random_state": 0}
    result = compare(X, y, budgets=2, methods="auto", verbose=0, **quick)
    model = result.fit(X, y)
    model.save(tmp_path / "m.zip")
    found = FittedModel.load(tmp_path / "m.zip").validate(*drawn(100, 3))
    assert found.promised.error == result.best().honest.error
    chosen = FrugalForestClassifier(None, 2, **quick).fit(X, y)
    own = chosen.model_.validate(*drawn(100, 3)).promised
    assert own.error == chosen.honest_error_.error


@pytest.mark.parametrize("n_classes", [2, 3])
def test_corrected_shares_fit_the_rows_they_were_corrected_by(n_classes, tmp_path):
    model = fitted(n_classes, final="logistic")
    X, y = drawn(400, 1, n_classes)
    wrong_place = np.where(np.random.default_rng(0).random(400) < 0.4, y[::-1], y)  # much weaker
    before = model.predict_proba(X)
    better, why = model.recalibrated(X, wrong_place)
    assert "Intercept and slope are corrected" in why
    np.testing.assert_array_equal(model.predict_proba(X), before)
    again = better.validate(X, wrong_place)
    if n_classes == 2:
        assert again.slope.value == pytest.approx(1, abs=1e-4)
        assert again.intercept.value == pytest.approx(0, abs=1e-4)
    means = better.predict_proba(X).mean(axis=0)
    np.testing.assert_allclose(means, [(wrong_place == c).mean() for c in model.classes], atol=1e-4)
    better.save(tmp_path / "m.zip")
    loaded = FittedModel.load(tmp_path / "m.zip")
    np.testing.assert_array_equal(loaded.predict_proba(X), better.predict_proba(X))
    twice, _ = better.recalibrated(X, wrong_place)  # from the shares as they were at first
    np.testing.assert_allclose(twice.predict_proba(X), better.predict_proba(X))
    level, why = model.recalibrated(*drawn(60, 4, n_classes))
    assert level.correction.slope == 1
    assert "The intercept alone" in why


@pytest.mark.parametrize("final", [None, "blend"])
def test_a_corrected_model_is_the_same_in_onnx(final, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    X, y = drawn(200, 1)
    model, _ = fitted(final=final).recalibrated(X, y[::-1])
    model.to_onnx(tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    columns = {name: X[name].to_numpy().reshape(-1, 1) for name in X}
    predicted, shares = session.run(["predicted", "shares"], columns)
    np.testing.assert_allclose(shares, model.predict_proba(X), atol=1e-9)
    assert predicted.tolist() == model.predict(X).tolist()


def test_what_cannot_be_told_is_said():
    X, y = drawn(50, 1)
    found = fitted().validate(X[y == "ill"], y[y == "ill"])
    assert found.calibration_sentence == "Calibration cannot be told from these rows."
    with pytest.raises(DataError, match="a class has no rows"):
        fitted().recalibrated(X[y == "ill"], y[y == "ill"])
    shares = np.array([[0.9, 0.1], [0.1, 0.9]] * 5)
    with pytest.raises(DataError, match="without error"):
        fit_correction(shares, np.array([0, 1] * 5), with_slope=True)
    assert Correction(1.0, (0.0, 0.0)).shares(shares) == pytest.approx(shares)


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["ill", "wel"], "'wel' in row 2.*which the model does not know"),
        (["ill", None], "missing in row 2"),
        (["ill"], "1 labels, but 2 rows"),
        ([], "one label for each row"),
    ],
)
def test_labels_that_do_not_fit_are_one_clear_line(labels, message):
    with pytest.raises(DataError, match=message):
        fitted().validate(drawn(2, 0)[0], labels)


def test_the_page_is_whole_and_escapes_names():
    page = render_validation(fitted(3).validate(*drawn(100, 1, 3)), "<m>.zip", "new & old.csv")
    assert "&lt;m&gt;.zip" in page
    assert "new &amp; old.csv" in page
    assert "Calibration slope" in page
    assert page.count("Recall of ‘") == 3
    assert "counts as positive" not in page
    of_two = render_validation(fitted(2).validate(*drawn(100, 1)), "m.zip", "new.csv")
    assert "Recall of" not in of_two
    assert "Sensitivity" in of_two
    assert "counts as positive" in of_two
    assert "<script" not in page
    assert page.rstrip().endswith("</html>")


def test_the_command_line_validates_and_recalibrates(folder):
    made = run(*PRICED, "--methods", "auc", "--budget", 4, "--out", "out", *QUICK, cwd=folder)
    assert made.returncode == 0, made.stderr
    patients(90).iloc[60:].to_csv(folder / "new.csv", index=False)
    asked = ["validate", "out/model-4.zip", "new.csv", "--target", "class"]
    found = run(*asked, "--recalibrate", "better.zip", "--out", "page.html", cwd=folder)
    assert found.returncode == 0, found.stderr
    assert found.stdout.startswith("Error on these rows: ")
    assert "Promised: " in found.stdout
    assert "corrected: the slope is" in found.stdout
    assert found.stdout.count("Recall (") == 3
    assert "AUC (mean over pairs of classes): " in found.stdout
    assert "</html>" in (folder / "page.html").read_text(encoding="utf-8")
    assert FittedModel.load(folder / "better.zip").correction is not None
    assert FittedModel.load(folder / "out" / "model-4.zip").correction is None
    same = run(*asked, "--recalibrate", "out/model-4.zip", cwd=folder)
    check_one_line(same, "that is the model itself")
    wrong = run(*asked[:-1], "clas", cwd=folder)
    check_one_line(wrong, "new.csv has no column 'clas'")
    check_one_line(run(*asked, "--positive", "x", cwd=folder), "'x' is no class of the model")
    patients(20).assign(**{"class": "huge"}).to_csv(folder / "new.csv", index=False)
    check_one_line(run(*asked, cwd=folder), "which the model does not know")


def test_nothing_is_told_of_calibration_where_all_rows_have_the_same_shares():
    shares, labels = np.full((24, 2), [0.4, 0.6]), np.arange(24) % 2
    with pytest.raises(DataError, match="nothing to correct them by"):
        fit_correction(shares, labels, with_slope=True)
    X, y = drawn(150, 0)
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=5))
    found = FittedModel.fit(problem, (), None, None).validate(X, y)
    assert found.calibration_sentence == "Calibration cannot be told from these rows."
    render_validation(found, "model.zip", "new.csv")
