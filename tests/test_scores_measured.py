"""What a model predicts is what was measured, for every score; also where data are awkward."""

import json
import math
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot
from sklearn import metrics

from frugalforest import Comparison, FrugalForestClassifier, compare
from frugalforest import problem as problem_module
from frugalforest.choice import PackedShares, make_pool
from frugalforest.choice.shares import measured_sets
from frugalforest.comparison.options import Options
from frugalforest.comparison.plan import make_plan
from frugalforest.comparison.tasks import run_resample
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings, score_sets
from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import make_splits
from frugalforest.methods import AUC
from frugalforest.model import FittedModel
from frugalforest.problem import Problem
from frugalforest.running.seeds import derive_seed
from frugalforest.scores import SCORES, DecisionRule, decided, find_score

NAMES = tuple(SCORES)
N_TREES = 25
CLASSES = {2: ("ill", "well"), 3: ("ill", "odd", "well")}
COSTS = {
    2: {("ill", "well"): 10, ("well", "ill"): 1},
    3: {(a, b): 10 if a == "ill" else 2 for a in CLASSES[3] for b in CLASSES[3] if a != b},
}


def score_named(name, n_classes):
    return find_score(name, COSTS[n_classes] if name == "cost" else None, CLASSES[n_classes])


def draw(n_classes, n_rows=150, seed=0):
    """Unequal classes; numbers, text and gaps."""
    rng = np.random.default_rng(seed)
    shares = {2: (0.2, 0.8), 3: (0.15, 0.25, 0.6)}[n_classes]
    label = rng.choice(n_classes, n_rows, p=shares)
    X = pd.DataFrame(
        {
            "a": label + rng.normal(0, 1.0, n_rows),
            "b": label + rng.normal(0, 1.5, n_rows),
            "colour": np.array(["red", "green", "blue"])[(label + (rng.random(n_rows) < 0.4)) % 3],
        }
    )
    X.loc[::9, "b"] = np.nan
    return X, np.array(CLASSES[n_classes])[label]


def loss_of_answers(score, model, X, y):
    """The score by scikit-learn, from what the model says of rows and nothing else."""
    said, classes = model.predict(X), list(model.classes)
    shares = model.predict_proba(X)
    truth = np.eye(len(classes))[[classes.index(label) for label in y]]
    if score.name == "error":
        return 1 - metrics.accuracy_score(y, said)
    if score.name == "balanced_error":
        return 1 - metrics.balanced_accuracy_score(y, said)
    if score.name == "auc" and len(classes) == 2:
        return 1 - metrics.roc_auc_score(y == classes[1], shares[:, 1])
    if score.name == "auc":
        return 1 - metrics.roc_auc_score(y, shares, multi_class="ovo", average="macro")
    if score.name == "brier":
        return ((shares - truth) ** 2).sum(axis=1).mean() / (2 if len(classes) == 2 else 1)
    if score.name == "log_loss":
        return metrics.log_loss(y, shares, labels=classes)
    matrix = np.array(score.error_costs.matrix)
    return (metrics.confusion_matrix(y, said, labels=classes) * matrix).sum() / len(y)


# What is kept of shares is rounded to 1/60,000: a log loss moves most, and an AUC where shares of
# several classes were tied before.
ROUNDING = {"error": 1e-12, "balanced_error": 1e-12, "cost": 1e-12, "log_loss": 2e-3}


def nearly(name, value):
    return pytest.approx(value, abs=ROUNDING.get(name, 1e-3))


def not_tied(score, evidence, counts):
    """Rows with one best answer: where several are tied, a model has to name one of them."""
    return decided(evidence, score.losses(counts)).max(axis=1) == 1


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_the_loss_of_a_resample_is_that_of_its_model_on_the_rows_left_out(name, n_classes):
    score = score_named(name, n_classes)
    X, y = draw(n_classes)
    whole = Problem.from_table(X, y)
    costs = COSTS[n_classes] if name == "cost" else None
    asked = Options(scoring=name, error_costs=costs, n_trees=N_TREES, random_state=3)
    plan = make_plan(whole.table, whole.outcome, [Budget(2)], "auc", asked)
    (split,) = make_splits(whole.outcome.labels, 1, 1 / 3, 0)
    found = run_resample(whole.table, whole.outcome, whole.prices, plan, split, 0)
    (rerun,) = found.reruns
    part = Problem.from_table(
        whole.table.rows(split.train),
        whole.outcome.rows(split.train),
        random_state=derive_seed(3, "resample", 0),
        forests=ForestSettings(n_trees=N_TREES),
        score=score,
    )
    model = FittedModel.fit(part, rerun.features)
    measured = loss_of_answers(score, model, X.iloc[split.test], y[split.test])
    assert rerun.error == nearly(name, measured)
    packed = rerun.left_out
    said = packed.of_set(0, 1) / packed.total
    np.testing.assert_allclose(
        score.rule(part.outcome.counts).probabilities(said),
        model.predict_proba(X.iloc[split.test]),
        atol=n_classes / packed.total,
    )


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_what_a_pool_keeps_of_rows_left_out_is_what_the_models_say(name, n_classes):
    score = score_named(name, n_classes)
    X, y = draw(n_classes, 200)
    train, test = np.arange(120), np.arange(120, 200)
    problem = Problem.from_table(
        X.iloc[train], y[train], score=score, forests=ForestSettings(n_trees=N_TREES)
    )
    rows = Problem.from_table(X, y).table.rows(test)
    pool = make_pool(problem, AUC(xis=[0, 1]), [Budget(1), Budget(2)], rows)
    labels = np.searchsorted(CLASSES[n_classes], y[test])
    for i, kept in enumerate(pool.sets):
        evidence = pool.left_out.of_set(i, len(pool.sets))
        model = FittedModel.fit(problem, kept.features)  # as many trees: few are never halved
        clear = not_tied(score, evidence, problem.outcome.counts)
        loss = score.of_rows(evidence[clear], labels[clear], problem.outcome.counts)
        answers = loss_of_answers(score, model, X.iloc[test[clear]], y[test[clear]])
        assert loss == nearly(name, answers)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_models_say_the_same_bit_for_bit_as_the_forests_measured_and_after_loading(
    name, n_classes, tmp_path
):
    score = score_named(name, n_classes)
    X, y = draw(n_classes)
    problem = Problem.from_table(X, y, score=score, forests=ForestSettings(n_trees=N_TREES))
    new, _ = draw(n_classes, 80, seed=1)
    model = FittedModel.fit(problem, (0, 2))
    evidence = problem.predict([(0, 2)], _table(new))[0]
    assert model.rule == score.rule(problem.outcome.counts)
    np.testing.assert_array_equal(model.predict_proba(new), model.rule.probabilities(evidence))
    assert model.predict(new).tolist() == model.classes[model.rule.classes(evidence)].tolist()
    model.save(tmp_path / "m.frf")
    loaded = FittedModel.load(tmp_path / "m.frf")
    assert loaded.rule == model.rule
    np.testing.assert_array_equal(loaded.predict_proba(new), model.predict_proba(new))
    assert loaded.predict(new).tolist() == model.predict(new).tolist()


def _table(X):
    return Problem.from_table(X, np.arange(len(X)) % 2).table


def test_decisions_do_follow_the_score():
    """Otherwise the tests above would say little: by votes, other classes would be named."""
    X, y = draw(2)
    new, _ = draw(2, 200, seed=1)
    ill = {}
    for name in NAMES:
        problem = Problem.from_table(
            X, y, score=score_named(name, 2), forests=ForestSettings(n_trees=N_TREES)
        )
        ill[name] = (FittedModel.fit(problem, (0,)).predict(new) == "ill").mean()
    assert ill["cost"] > ill["balanced_error"] + 0.02
    assert ill["balanced_error"] > ill["error"] + 0.05
    assert ill["auc"] == ill["brier"] == ill["log_loss"]


@pytest.mark.parametrize("name", NAMES)
def test_a_model_without_columns_says_what_the_score_of_nothing_assumes(name, tmp_path):
    score = score_named(name, 3)
    X, y = draw(3)
    problem = Problem.from_table(X, y, score=score)
    model = FittedModel.fit(problem, ())
    model.save(tmp_path / "m.frf")
    for each in (model, FittedModel.load(tmp_path / "m.frf")):
        if name == "balanced_error":  # all classes are tied, and one must be named
            assert set(each.predict(X)) == {"ill"}
        value = loss_of_answers(score, each, X, y)
        assert value == pytest.approx(score.of_nothing(problem.outcome.counts))


@pytest.mark.parametrize("name", NAMES)
def test_a_comparison_hands_over_the_model_that_it_measured(name, tmp_path):
    X, y = draw(3, 90)
    costs = COSTS[3] if name == "cost" else None
    options = {"n_trees": N_TREES, "n_resamples": 2, "verbose": 0}
    result = compare(X, y, budgets=2, methods="auc", scoring=name, error_costs=costs, **options)
    result.save(tmp_path / "r.json")
    for each in (result, type(result).load(tmp_path / "r.json")):
        model = each.fit(X, y)
        assert model.rule == score_named(name, 3).rule(np.unique(y, return_counts=True)[1])
        assert model.oob_error == result.best().oob_error


def test_votes_are_kept_exactly_and_shares_to_a_60000th():
    rng = np.random.default_rng(0)
    votes = rng.multinomial(1000, (0.2, 0.3, 0.5), (4, 30)).astype(np.uint32)
    packed = PackedShares.of(votes)
    shares = rng.dirichlet((1, 1, 1), (4, 30))
    rounded = PackedShares.of(shares)
    for i in range(4):
        np.testing.assert_array_equal(packed.of_set(i, 4), votes[i])
        np.testing.assert_allclose(rounded.of_set(i, 4) / rounded.total, shares[i], atol=2 / 6e4)
    certain = np.eye(5)[rng.integers(0, 5, (2, 30))]
    exact = PackedShares.of(certain)
    np.testing.assert_array_equal(exact.of_set(1, 2) / exact.total, certain[1])


@pytest.mark.parametrize("parts", [2, 3, 4, 5, 6])
def test_ties_stay_ties_when_they_are_kept(parts):
    row = np.full(parts, 1 / parts)
    packed = PackedShares.of(row[np.newaxis, np.newaxis])
    assert len(set(packed.of_set(0, 1)[0].tolist())) == 1


def test_shares_of_new_rows_are_of_the_forests_asked_for():
    X, y = draw(2)
    problem = Problem.from_table(X, y, score=score_named("auc", 2))
    few = ForestSettings(n_trees=7)
    _, packed, _ = measured_sets(problem, [(0,), (0, 1)], problem.table, few, None)
    expected = problem.predict([(0,), (0, 1)], problem.table, few)
    for i in range(2):
        np.testing.assert_allclose(packed.of_set(i, 2) / 60_000, expected[i], atol=1e-4)


# --- as ONNX -------------------------------------------------------------------------------------


def run_onnx(model, X, path):
    onnxruntime = pytest.importorskip("onnxruntime")
    model.to_onnx(path)
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    table = model.read(X)
    columns = {
        name: np.where(pd.isna(column), "", column) if column.dtype == object else column
        for name, column in zip(table.names, table.columns, strict=True)
    }
    columns = {name: column.reshape(-1, 1) for name, column in columns.items()}
    return session.run(["predicted", "shares"], columns)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("name", NAMES)
def test_an_exported_model_predicts_the_same_for_every_score(name, n_classes, tmp_path):
    X, y = draw(n_classes)
    new, _ = draw(n_classes, 300, seed=1)
    problem = Problem.from_table(
        X, y, score=score_named(name, n_classes), forests=ForestSettings(n_trees=N_TREES)
    )
    model = FittedModel.fit(problem, (0, 1, 2))
    predicted, shares = run_onnx(model, new, tmp_path / "m.onnx")
    np.testing.assert_allclose(shares, model.predict_proba(new), rtol=0, atol=1e-12)
    assert predicted.tolist() == model.predict(new).tolist()


def test_an_exported_model_breaks_ties_in_expected_losses_alike(tmp_path):
    """3 · 0.1 is a little more than 0.3: with one vote to three both classes cost the same."""
    X, y = draw(2)
    problem = Problem.from_table(X, y, forests=ForestSettings(n_trees=4))
    model = FittedModel.fit(problem, (0, 1))
    new, _ = draw(2, 300, seed=1)
    tied = model.predict_proba(new)[:, 0] == 0.25
    assert tied.sum() > 5
    for losses in (((0.0, 0.3), (0.1, 0.0)), ((0.0, 0.1 * 3), (0.1, 0.0))):
        other = replace(model, rule=DecisionRule("votes", losses=losses))
        assert set(other.predict(new)[tied]) == {"ill"}
        predicted, _ = run_onnx(other, new, tmp_path / "m.onnx")
        assert predicted.tolist() == other.predict(new).tolist()


# --- awkward data --------------------------------------------------------------------------------


ALL = pytest.mark.parametrize("scoring", NAMES)
QUICK = {"n_trees": 10, "n_resamples": 3, "verbose": 0}
METHODS = pytest.mark.parametrize("methods", ["auto", "auc"])


def arguments(scoring):
    return {"scoring": scoring, "error_costs": 5 if scoring == "cost" else None}


def small_score(scoring, classes):
    return find_score(scoring, 5 if scoring == "cost" else None, classes)


def check_written(result, tmp_path):
    result.save(tmp_path / "r.json")
    assert Comparison.load(tmp_path / "r.json").to_dict() == result.to_dict()
    result.to_html(tmp_path / "r.html")
    pyplot.close(result.plot().figure_)
    assert result.cheapest_good().budget in result.budgets


@METHODS
@ALL
def test_a_class_of_two_rows_is_no_obstacle(scoring, methods, tmp_path):
    rng = np.random.default_rng(0)
    y = np.array(["common"] * 50 + ["other"] * 20 + ["rare"] * 2)
    X = pd.DataFrame({"a": (y == "other") + rng.normal(0, 0.7, 72), "b": rng.normal(size=72)})
    result = compare(X, y, budgets=[1, 2], methods=methods, **arguments(scoring), **QUICK)
    for budget in result.budgets:
        assert math.isfinite(result.best(budget).honest.error)
    check_written(result, tmp_path)


@ALL
def test_a_class_that_no_test_row_has_is_no_obstacle(scoring, tmp_path):
    """The only row of a class is always learned from."""
    rng = np.random.default_rng(0)
    y = np.array(["common"] * 50 + ["other"] * 20 + ["single"])
    X = pd.DataFrame({"a": (y == "other") + rng.normal(0, 0.7, 71), "b": rng.normal(size=71)})
    result = compare(X, y, budgets=1, methods="auc", **arguments(scoring), **QUICK)
    assert math.isfinite(result.best().honest.error)
    assert result.best().diagnosis.n_cases[2] == 0
    check_written(result, tmp_path)


@METHODS
@ALL
def test_a_column_that_tells_all_is_written_and_read(scoring, methods, tmp_path):
    y = np.array(["ill"] * 12 + ["well"] * 36)
    X = pd.DataFrame({"a": (y == "ill") * 1.0, "b": np.arange(48.0) % 5})
    result = compare(X, y, budgets=1, methods=methods, **arguments(scoring), **QUICK)
    assert result.best().honest.error == pytest.approx(0, abs=2e-3)
    assert result.best().diagnosis.auc.value == 1
    check_written(result, tmp_path)


@ALL
def test_of_noise_nothing_is_bought_and_the_score_of_nothing_is_expected(scoring, tmp_path):
    rng = np.random.default_rng(0)
    y = np.where(np.arange(90) % 4 == 0, "ill", "well")
    X = pd.DataFrame(rng.normal(size=(90, 2)), columns=["a", "b"])
    result = compare(X, y, budgets=1, methods="auto", **arguments(scoring), **QUICK)
    best = result.best()
    assert best.features == ()
    counts = np.unique(y, return_counts=True)[1]
    expected = small_score(scoring, ("ill", "well")).of_nothing(counts)
    # Shares of classes are not known to the last digit, which decisions do not mind here.
    by_shares = scoring in ("brier", "log_loss")
    assert (best.honest.error > expected) == by_shares
    assert best.honest.error == pytest.approx(expected, rel=0.05 if by_shares else 1e-6)
    assert result.score_used.of_nothing == pytest.approx(expected)
    check_written(result, tmp_path)
    model = FrugalForestClassifier(
        budget=1, n_trees=10, n_resamples=3, random_state=0, **arguments(scoring)
    ).fit(X, y)
    assert model.selected_features_.tolist() == []
    assert model.predict(X).shape == (90,)


# --- scores of many sets at once -----------------------------------------------------------------


def draw_problem(scoring, n_classes=3):
    rng = np.random.default_rng(0)
    labels = rng.choice(n_classes, 80, p=(0.2, 0.3, 0.5))
    X = labels[:, np.newaxis] + rng.normal(0, 1.5, (80, 4))
    y = np.array(["a", "b", "c"])[labels]
    score = small_score(scoring, ("a", "b", "c"))
    return Problem.from_table(X, y, score=score, forests=ForestSettings(n_trees=15))


SETS = [(0,), (1,), (0, 1), (2, 3), (0, 1, 2, 3)]


@ALL
def test_scores_do_not_depend_on_how_much_is_done_at_once(scoring, monkeypatch):
    at_once = draw_problem(scoring)
    values = at_once.scores(SETS)
    new = at_once.predict(SETS, at_once.table)
    monkeypatch.setattr(problem_module, "_MOST_SHARES", 1)
    one_by_one = draw_problem(scoring)
    assert one_by_one.scores(SETS) == values
    np.testing.assert_array_equal(one_by_one.predict(SETS, one_by_one.table), new)
    forests = ForestSettings(n_trees=5)
    np.testing.assert_array_equal(
        one_by_one.brief_scores(SETS, "here", forests), at_once.brief_scores(SETS, "here", forests)
    )


@ALL
def test_scores_of_a_set_and_one_more_are_those_of_the_larger_set(scoring):
    problem, forests = draw_problem(scoring), ForestSettings(n_trees=15)
    found = problem.extended_scores((1,), [0, 2, 3], "here", forests)
    each = problem.brief_scores([(0, 1), (1, 2), (1, 3)], "here", forests)
    np.testing.assert_allclose(found, each, rtol=0, atol=1e-12)


@ALL
def test_selection_scores_are_those_of_shares_out_of_the_bag(scoring):
    """With the same forest: by votes for the error, otherwise by what batches say of shares."""
    problem = draw_problem(scoring)
    (found,) = problem.scores([(0, 1)])
    own = [(0, 1)], [problem.forest_seed], problem.forests
    batch = score_sets(problem.data, problem.target, *own, keep_shares=True)
    shares, labels = batch.oob_shares[0], problem.outcome.labels
    if scoring == "error":
        assert found.value == found.oob_error == batch.oob_error[0]
    else:
        value = problem.score.of_rows(shares, labels, problem.outcome.counts)
        assert found.value == pytest.approx(value, rel=1e-12)
    assert found.brier == batch.brier[0]


# --- files whose score was changed ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "beauty"}, "no score that is known"),
        ({"name": "brier"}, "do not go with"),
        ({"error_costs": []}, "do not go with"),
        ({"error_costs": [[0, 5]]}, "each pair of classes"),
        ({"error_costs": [[0, 5], [5]]}, "each pair of classes"),
        ({"error_costs": [[0, -5], [5, 0]]}, "no amount of money"),
        ({"error_costs": [[0, 0.001], [0.001, 0]]}, "out of bounds"),
    ],
)
def test_a_file_whose_score_was_changed_is_refused(change, message, tmp_path):
    rng = np.random.default_rng(0)
    y = np.arange(40) % 2
    X = pd.DataFrame({"a": y + rng.normal(size=40)})
    result = compare(X, y, budgets=1, methods="auc", error_costs=5, **QUICK)
    document = result.to_dict()
    document["score_used"] |= change
    document["settings"]["scoring"] = document["score_used"]["name"]
    (tmp_path / "r.json").write_text(json.dumps(document))
    with pytest.raises(DataError, match=message):
        Comparison.load(tmp_path / "r.json")
