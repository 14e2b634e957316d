"""A model written as ONNX predicts in another program what it predicts here."""

import sys

import numpy as np
import pandas as pd
import pytest

from frugalforest.datasets import load_priced
from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.model import FittedModel, NumberModel
from frugalforest.problem import Problem
from frugalforest.tables import Numbers
from reference.number_tables import number_table

onnxruntime = pytest.importorskip("onnxruntime")


def run_onnx(model, table, path):
    """Classes and shares from the file, by ONNX Runtime."""
    model.to_onnx(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    return session.run(["predicted", "shares"], inputs_of(table))


def inputs_of(table):
    columns = {}
    for name, column in zip(table.names, table.columns, strict=True):
        if column.dtype == object:
            column = np.array(["" if text is None else text for text in column], dtype=object)
        columns[name] = column.reshape(-1, 1)
    return columns


def test_a_model_of_numbers_is_the_same(tmp_path):
    X, y = number_table()
    X.loc[::7, "ward"] = None
    problem = Problem.from_table(X, Numbers.read(y), forests=ForestSettings(n_trees=25))
    model = NumberModel.fit(problem, (0, 1, 3, 5))
    model.to_onnx(tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    (predicted,) = session.run(["predicted"], inputs_of(model.read(X)))
    # Sums of whole numbers here, and of their doubles there.
    np.testing.assert_allclose(predicted, model.predict(X), rtol=1e-12)


def fit(X, y, features=None, n_trees=25):
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=n_trees))
    return FittedModel.fit(problem, features or tuple(range(problem.n_features)))


def check_same(model, X, path):
    predicted, shares = run_onnx(model, model.read(X), path)
    np.testing.assert_array_equal(shares, model.predict_proba(X))
    assert predicted.tolist() == model.predict(X).tolist()


@pytest.mark.parametrize("name", ["heart_cleveland", "hepatitis", "bupa"])
def test_onnx_runtime_gives_the_same_on_real_rows_with_missing_values(name, datasets_dir, tmp_path):
    table = load_priced(name, datasets_dir)
    frame = pd.DataFrame(table.X, columns=list(table.feature_names))
    check_same(fit(frame, table.y), frame, tmp_path / "m.onnx")


def test_text_dates_large_numbers_and_single_leaves_are_the_same(tmp_path):
    rng = np.random.default_rng(0)
    y = np.array(["low", "mid", "high"])[rng.integers(0, 3, 120)]
    X = pd.DataFrame(
        {
            "colour": np.where(y == "low", "red", rng.choice(["blue", "green"], 120)),
            "day": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 9, 120), unit="s"),
            "huge": 1e39 * rng.integers(0, 3, 120),
            "yes": rng.random(120) < 0.5,
        }
    )
    X.loc[::7, "colour"] = None
    model = fit(X, y)
    check_same(model, X, tmp_path / "m.onnx")
    unseen = X.assign(colour="violet")
    check_same(model, unseen, tmp_path / "m.onnx")
    constant = pd.DataFrame({"same": np.ones(40)})
    check_same(fit(constant, np.arange(40) % 2), constant, tmp_path / "leaf.onnx")


def test_classes_that_are_numbers_stay_numbers(tmp_path):
    X, y = np.arange(40.0).reshape(-1, 1), np.arange(40) // 20 * 7
    predicted, _ = run_onnx(model := fit(X, y), model.read(X), tmp_path / "m.onnx")
    assert predicted.tolist() == model.predict(X).tolist()
    assert set(predicted.tolist()) == {0, 7}


def test_classes_that_onnx_does_not_know_are_said_so(tmp_path):
    X = np.arange(40.0).reshape(-1, 1)
    model = fit(X, np.array(["2024-01-01", "2024-01-02"] * 20, dtype="datetime64[D]"))
    with pytest.raises(DataError, match="cannot be written as ONNX"):
        model.to_onnx(tmp_path / "m.onnx")


def test_without_onnx_it_is_said_what_to_install(monkeypatch, tmp_path):
    monkeypatch.setitem(sys.modules, "onnx", None)
    X = np.arange(40.0).reshape(-1, 1)
    with pytest.raises(ImportError, match=r"frugalforest\[onnx\]"):
        fit(X, np.arange(40) % 2).to_onnx(tmp_path / "m.onnx")
