"""The linear part of a final model: normal scores, the logistic model, its file and its ONNX."""

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression

from frugalforest.engine import ForestSettings
from frugalforest.errors import DataError
from frugalforest.model import FittedModel
from frugalforest.model.final import LinearModel, NormalScores, OwnFinal
from frugalforest.model.final.logistic import fit_logistic
from frugalforest.problem import Problem
from frugalforest.scores import find_score, score_evidence
from reference import plain_logistic

BLEND, LOGISTIC = OwnFinal("blend"), OwnFinal("logistic")


def drawn(n_rows, n_columns, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_rows, n_columns))
    signal = Z[:, 0] - Z[:, -1] + rng.normal(size=n_rows)
    return Z, np.digitize(signal, np.quantile(signal, np.arange(1, n_classes) / n_classes))


def test_scores_are_those_of_ranks():
    rng = np.random.default_rng(0)
    column = np.round(rng.lognormal(size=80), 1)
    column[::9] = np.nan
    found = NormalScores.of(column).transform(column)
    np.testing.assert_allclose(found, plain_logistic.normal_scores(column), atol=1e-12)


def test_scores_do_not_depend_on_the_scale_and_are_level_outside():
    rng = np.random.default_rng(1)
    column = rng.normal(size=1000)
    scores = NormalScores.of(column)
    assert len(scores.knots) <= 100
    each = scores.transform(column)
    assert abs(each.mean()) < 1e-12
    assert each.std() == pytest.approx(1)
    # A normal column is nearly its own scores; the mean of 1000 is off by some 0.03.
    assert np.abs(each - column).mean() < 0.1
    far = scores.transform(np.array([-1e300, 1e300, np.inf]))
    assert far.tolist() == [scores.scores[0], scores.scores[-1], scores.scores[-1]]


@pytest.mark.parametrize("column", [[np.nan, np.nan], [3.0, 3.0, np.nan]])
def test_a_column_that_tells_nothing_is_zero(column):
    found = NormalScores.of(np.array(column)).transform(np.array([1.0, 3.0, np.nan]))
    assert found.tolist() == [0, 0, 0]


@pytest.mark.parametrize(("n_columns", "n_classes"), [(2, 2), (3, 3), (12, 2)])
def test_the_model_is_the_one_with_the_least_loss(n_columns, n_classes):
    Z, labels = drawn(70, n_columns, n_classes)
    weight = np.random.default_rng(1).integers(1, 4, 70).astype(float)
    for weights in (None, weight):
        model, _ = fit_logistic(Z, labels, n_classes, weights)
        plain = plain_logistic.fit(Z, labels, n_classes, weights)
        # Both stop a little before the minimum.
        np.testing.assert_allclose(model.shares(Z), plain_logistic.shares(*plain, Z), atol=1e-5)


def test_for_two_classes_it_is_the_usual_logistic_regression():
    Z, labels = drawn(200, 10, 2)
    peer = LogisticRegression(C=1 / 2, tol=1e-10, max_iter=1000).fit(Z, labels)  # 10 columns / 5
    model, _ = fit_logistic(Z, labels, 2)
    np.testing.assert_allclose(model.shares(Z), peer.predict_proba(Z), atol=1e-6)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_what_is_said_of_a_row_left_out_is_nearly_what_the_model_without_it_says(n_classes):
    Z, labels = drawn(60, 3, n_classes)
    model, left_out = fit_logistic(Z, labels, n_classes)
    exact = plain_logistic.left_out(Z, labels, n_classes)
    # One Newton step: far nearer to it than the model that saw the row.
    assert np.abs(left_out - exact).max() < 0.1 * np.abs(model.shares(Z) - exact).max()
    np.testing.assert_allclose(left_out.sum(axis=1), 1)


def test_rows_of_weight_0_have_no_part():
    Z, labels = drawn(80, 3, 3)
    weight = np.where(labels == 2, 0.0, 1.0)
    model, left_out = fit_logistic(Z, labels, 3, weight)
    without, alone = fit_logistic(Z[labels < 2], labels[labels < 2], 3)
    np.testing.assert_allclose(model.slopes, without.slopes, atol=1e-6)
    np.testing.assert_allclose(left_out[labels < 2], alone, atol=1e-6)
    assert (model.shares(Z)[:, 2] == 0).all()


def test_classes_that_a_line_parts_have_bounded_slopes():
    Z = np.linspace(-1, 1, 40)[:, np.newaxis]
    model, left_out = fit_logistic(Z, (Z[:, 0] > 0).astype(int), 2)
    assert np.abs(model.slopes).max() < 20
    assert (left_out.argmax(axis=1) == (Z[:, 0] > 0)).mean() > 0.9


def test_one_row_of_a_class_and_one_class_alone_work():
    Z, labels = drawn(30, 2, 2)
    labels[:] = 0
    assert (fit_logistic(Z, labels, 2)[1][:, 0] == 1).all()
    labels[3] = 1
    model, left_out = fit_logistic(Z, labels, 2)
    assert left_out[3, 1] < model.shares(Z)[3, 1] < 1


def test_very_many_coefficients_come_to_the_same(monkeypatch):
    Z, labels = drawn(90, 6, 3)
    exact, _ = fit_logistic(Z, labels, 3)
    monkeypatch.setattr("frugalforest.model.final.logistic._MOST_FOR_NEWTON", 3)
    bounded, left_out = fit_logistic(Z, labels, 3)
    assert left_out is None
    np.testing.assert_allclose(bounded.shares(Z), exact.shares(Z), atol=1e-3)


@pytest.fixture(scope="module")
def table():
    rng = np.random.default_rng(2)
    n = 120
    y = np.array(["high", "low", "mid"])[rng.integers(0, 3, n)]
    X = pd.DataFrame(
        {
            "colour": np.where(y == "low", "red", rng.choice(["blue", "green"], n)),
            "huge": 1e308 * rng.integers(-1, 2, n),
            "weight": rng.normal(size=n) + (y == "mid"),
            "same": 1.0,
        }
    )
    X.loc[::7, "colour"] = None
    X.loc[::5, "weight"] = np.nan
    return X, y


def model_of(table, final, scoring="error"):
    X, y = table
    forests = ForestSettings(n_trees=20)
    problem = Problem.from_table(X, y, forests=forests, score=find_score(scoring))
    features = tuple(range(problem.n_features))
    return problem, FittedModel.fit(problem, features, {"seed": 0}, final)


@pytest.mark.parametrize("scoring", ["error", "log_loss"])
@pytest.mark.parametrize("final", [BLEND, LOGISTIC])
def test_the_model_says_what_was_measured(table, final, scoring):
    problem, model = model_of(table, final, scoring)
    assert model.kind == final.asked
    rows = problem.table.schema.read(table[0])
    (said,) = final.measured(problem, [(0, 1, 2, 3)], rows).said
    own = problem.score.rule(problem.outcome.counts).probabilities(said)
    np.testing.assert_allclose(model.predict_proba(table[0]), own, atol=1e-12)


def test_the_blend_is_the_mean_of_its_parts(table):
    X, _ = table
    parts = [model_of(table, each)[1].predict_proba(X) for each in (None, LOGISTIC)]
    blend = model_of(table, BLEND)[1]
    np.testing.assert_allclose(blend.predict_proba(X), np.mean(parts, axis=0), atol=1e-12)
    assert (blend.predict(X) == blend.classes[blend.predict_proba(X).argmax(axis=1)]).all()


@pytest.mark.parametrize("final", [BLEND, LOGISTIC])
def test_a_saved_model_predicts_the_same(table, final, tmp_path):
    _, model = model_of(table, final)
    model.save(tmp_path / "m.zip")
    loaded = FittedModel.load(tmp_path / "m.zip")
    assert loaded.kind == final.asked
    np.testing.assert_array_equal(loaded.predict_proba(table[0]), model.predict_proba(table[0]))


def test_the_linear_part_alone_of_no_columns_is_the_forest_that_names_the_commonest(table):
    problem, _ = model_of(table, None)
    model = FittedModel.fit(problem, (), final=LOGISTIC)
    assert model.kind == "forest"
    assert set(model.predict(table[0])) == {
        problem.outcome.class_names[problem.outcome.counts.argmax()]
    }


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("linear_slopes", np.zeros((4, 2))),
        ("linear_knots", np.zeros(10)),
        ("linear_intercepts", np.full(3, np.nan)),
        ("linear_missing", np.zeros(4, dtype=np.float32)),
        ("linear_start", np.array([0, 2, 1, 3, 4])),
        ("linear_scores", None),
    ],
)
def test_arrays_that_are_no_linear_model_are_refused(table, name, wrong):
    arrays = model_of(table, LOGISTIC)[1].linear.to_arrays()
    LinearModel.from_arrays(arrays, 4, 3)
    if wrong is None:
        del arrays[name]
    else:
        arrays[name] = wrong
    with pytest.raises(DataError, match="linear model"):
        LinearModel.from_arrays(arrays, 4, 3)


@pytest.mark.parametrize("scoring", ["error", "log_loss", "balanced_error"])
@pytest.mark.parametrize("final", [BLEND, LOGISTIC])
def test_onnx_runtime_gives_the_same(table, final, scoring, tmp_path):
    onnxruntime = pytest.importorskip("onnxruntime")
    _, model = model_of(table, final, scoring)
    X = table[0].assign(weight=np.linspace(-4, 4, 120))
    X.loc[::3, "weight"] = np.nan
    model.to_onnx(tmp_path / "m.onnx")
    session = onnxruntime.InferenceSession(tmp_path / "m.onnx", providers=["CPUExecutionProvider"])
    columns = {}
    for name, column in zip(model.features, model.read(X).columns, strict=True):
        if column.dtype == object:
            column = np.array(["" if text is None else text for text in column], dtype=object)
        columns[name] = column.reshape(-1, 1)
    predicted, shares = session.run(["predicted", "shares"], columns)
    np.testing.assert_allclose(shares, model.predict_proba(X), atol=1e-9)
    assert predicted.tolist() == model.predict(X).tolist()


AUTO = OwnFinal("auto")


def xor_or_line(kind):
    """Two columns: the sign of their product, or of their sum, decides."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(200, 2))
    signal = X[:, 0] * X[:, 1] if kind == "xor" else X.sum(axis=1)
    return X, np.where(signal > 0, "up", "down")


@pytest.mark.parametrize(("data", "kind"), [("xor", "forest"), ("line", "blend")])
@pytest.mark.parametrize("scoring", ["error", "auc", "log_loss"])
def test_auto_takes_the_blend_where_a_line_helps_and_the_forest_where_it_does_not(
    data, kind, scoring
):
    X, y = xor_or_line(data)
    forests, score = ForestSettings(n_trees=50), find_score(scoring)
    problem = Problem.from_table(X[:150], y[:150], forests=forests, score=score)
    model = FittedModel.fit(problem, (0, 1), final=AUTO)
    assert model.kind == kind
    rows = problem.table.schema.read(X[150:])
    (measured,), (said,), (of_forest,) = AUTO.measured(problem, [(0, 1)], rows)
    (votes,) = problem.predict([(0, 1)], rows)
    np.testing.assert_array_equal(of_forest, votes / votes.sum(axis=1, keepdims=True))
    assert np.array_equal(said, of_forest) == (kind == "forest")
    own = score.rule(problem.outcome.counts).probabilities(said)
    np.testing.assert_allclose(model.predict_proba(X[150:]), own, atol=1e-12)
    # By the lower of both out-of-bag scores, graded where the score has grades.
    (blend,) = OwnFinal("blend").measured(problem, [(0, 1)]).scores
    forest = problem.scores([(0, 1)])[0]
    assert measured.graded == pytest.approx(min(blend.graded, forest.graded))


def test_out_of_bag_scores_of_a_linear_model_are_of_rows_left_out(table):
    problem, _ = model_of(table, None)
    features = (1, 2)
    columns = problem.encoder.transform(problem.table)[:, features].T
    Z = np.column_stack([NormalScores.of(column).transform(column) for column in columns])
    exact = plain_logistic.left_out(Z, problem.outcome.labels, 3)
    (score,), said, of_forests = LOGISTIC.measured(problem, [features])
    assert said is None
    assert of_forests is None
    wrong = (exact.argmax(axis=1) != problem.outcome.labels).mean()
    assert abs(score.value - wrong) <= 2 / 120  # a row or two may be on the other side


def test_sets_without_columns_are_measured_like_others(table):
    problem, _ = model_of(table, None)
    rows = problem.table.schema.read(table[0])
    (nothing, some), said, _ = AUTO.measured(problem, [(), (2,)], rows)
    assert nothing == problem.scores([()])[0]
    np.testing.assert_allclose(said[0], np.tile(problem.outcome.counts / 120, (120, 1)))
    assert some.value < nothing.value


def test_evidence_out_of_bag_is_that_of_the_forest_that_is_handed_over(table):
    problem, model = model_of(table, None)
    ((own, new),) = problem.out_of_bag([(0, 1, 2, 3)], new_rows=problem.table)
    np.testing.assert_array_equal(new / 20, model.predict_proba(table[0]))
    found = score_evidence(problem.score, own, problem.outcome.labels, problem.outcome.counts)
    scored = problem.scores([(0, 1, 2, 3)])[0]
    assert found.value == pytest.approx(scored.value)
    assert found.graded == pytest.approx(scored.graded)
    assert found.n_unvoted == scored.n_unvoted
    assert found.brier != scored.brier  # of votes, not of leaves
