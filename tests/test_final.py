"""A final model of the user's own: the choice and the quoted error are that model's."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.svm import LinearSVC

from frugalforest import Comparison, FrugalForestClassifier, compare
from frugalforest.errors import DataError
from frugalforest.evaluation.resampling import make_splits
from frugalforest.model import FinalModel, FittedModel
from frugalforest.model.final import EstimatorFinal, read_final
from frugalforest.problem import Problem
from frugalforest.report._page import page_values
from frugalforest.results.findings import Findings
from frugalforest.scores import find_score
from reference.patients import PRICED, check_one_line, run
from reference.patients import QUICK as QUICK_COMMAND

QUICK = {"n_trees": 20, "n_resamples": 3, "verbose": 0, "random_state": 0}
LOGISTIC = make_pipeline(SimpleImputer(), LogisticRegression())


@pytest.fixture(scope="module")
def table():
    """A line tells the classes apart: a linear model needs few rows for it, a forest many."""
    rng = np.random.default_rng(1)
    X = pd.DataFrame(rng.normal(size=(150, 5)), columns=list("abcde"))
    y = np.where(X["a"] + X["b"] > 0, "ill", "well")
    X.loc[::11, "e"] = np.nan
    X["kind"] = np.where(rng.random(150) < 0.5, "left", "right")
    return X, y


def test_what_final_can_be():
    assert read_final(None) is read_final("forest") is None
    assert read_final(LOGISTIC) == EstimatorFinal(LOGISTIC)
    for wrong in ("linear", LogisticRegression, SimpleImputer(), 3):
        with pytest.raises(ValueError, match="or a scikit-learn classifier"):
            read_final(wrong)


@pytest.mark.parametrize("scoring", ["error", "brier"])
def test_what_is_said_of_new_rows_is_what_the_model_fitted_by_hand_says(table, scoring):
    X, y = table
    problem = Problem.from_table(X[:100], y[:100], score=find_score(scoring))
    rows = problem.table.schema.read(X[100:])
    said = EstimatorFinal(KNeighborsClassifier(3)).evidence(problem, [(0, 1), (2,), ()], rows)
    for found, names in zip(said, (["a", "b"], ["c"]), strict=False):
        by_hand = KNeighborsClassifier(3).fit(X[names][:100].to_numpy(), y[:100])
        shares = by_hand.predict_proba(X[names][100:].to_numpy())
        expected = np.eye(2)[shares.argmax(axis=1)] if scoring == "error" else shares
        np.testing.assert_array_equal(found, expected)
    np.testing.assert_array_equal(said[2], np.tile(problem.outcome.counts / 100, (len(y) - 100, 1)))


def test_a_model_without_probabilities_has_no_score_but_the_error(table):
    problem = Problem.from_table(*table, score=find_score("auc"))
    with pytest.raises(ValueError, match="LinearSVC, which has no `predict_proba`"):
        EstimatorFinal(LinearSVC()).evidence(problem, [(0, 1)], problem.table)


@pytest.fixture(scope="module")
def result(table):
    return compare(*table, budgets=2, methods=["auto", "auc"], final=LOGISTIC, **QUICK)


def test_choice_and_error_are_those_of_the_final_model(result, table):
    assert result.best().features == ("a", "b")
    forest = compare(*table, budgets=2, methods=["auto"], **QUICK)
    assert result.best().honest.error < forest.best().honest.error


def test_the_error_of_a_plain_method_is_that_of_the_final_model_refitted(result, table):
    X, y = table
    chosen = result.selection(2, "auc")
    labels = np.unique(y, return_inverse=True)[1]
    split = make_splits(labels, 1, 1 / 5, 0)[0]
    names = list(chosen.features)
    assert names == ["a", "b"]  # so clear that every resample buys them
    model = LOGISTIC.fit(X[names].iloc[split.train], y[split.train])
    expected = (model.predict(X[names].iloc[split.test]) != y[split.test]).mean()
    assert chosen.honest.errors[0] == pytest.approx(expected)


def test_the_model_handed_over_is_the_final_one(result, table):
    X, y = table
    with pytest.raises(ValueError, match="made with final=Pipeline"):
        result.fit(X, y)
    model = result.fit(X, y, final=LOGISTIC)
    assert isinstance(model, FinalModel)
    assert model.features == ("a", "b")
    assert (model.predict(X) == y).mean() > 0.95
    assert model.predict_proba(X[["a", "b"]]).shape == (150, 2)


def test_the_page_and_the_call_name_it(result, tmp_path):
    assert "A ‘Pipeline’ model on 2\xa0features chosen this way" in Findings.of(result).expectation
    result.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "final=Pipeline(" in text
    result.save(tmp_path / "result.json")
    assert type(result).load(tmp_path / "result.json") == result


def test_the_classifier_takes_it_and_raw_tables(table):
    X, y = table
    boosting = HistGradientBoostingClassifier(max_iter=5)
    own = {"n_trees": 20, "n_resamples": 5, "random_state": 0}
    model = FrugalForestClassifier(budget=3, final=boosting, **own).fit(X, y)
    chosen = list(model.selected_features_)
    assert isinstance(model.model_, FinalModel)
    assert set(chosen) < set(X)
    assert {"a", "b"} <= set(chosen)
    by_hand = HistGradientBoostingClassifier(max_iter=5)
    coded = X[chosen].assign(**{c: X[c] == "right" for c in {"kind"} & set(chosen)}).to_numpy()
    shares = by_hand.fit(coded.astype(float), y).predict_proba(coded.astype(float))
    np.testing.assert_allclose(model.predict_proba(X), shares)
    assert model.score(X, y) > np.mean(y == "ill") + 0.2  # it says something, too
    assert model.honest_error_.error < 0.5


def test_nothing_that_helps_is_nothing_for_any_model():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(100, 3)), (rng.random(100) < 0.25).astype(int)
    found = compare(X, y, budgets=3, methods="auto", final=LOGISTIC, **QUICK)
    assert found.best().features == ()
    model = found.fit(X, y, final=LOGISTIC)
    assert set(model.predict(X)) == {0}
    share = (y == 1).mean()
    assert model.predict_proba(X)[0] == pytest.approx([1 - share, share])


def test_a_model_that_cannot_do_with_gaps_is_blamed(table):
    with pytest.raises(DataError, match="`final` cannot be fitted on the chosen columns"):
        compare(*table, budgets=6, methods="auc", final=LogisticRegression(), **QUICK)


@pytest.mark.parametrize("final", ["auto", "blend", "logistic"])
def test_choice_error_and_model_are_those_of_our_own_linear_model(table, final, tmp_path):
    X, y = table
    linear = compare(X, y, budgets=2, methods=["auto", "auc"], final=final, **QUICK)
    assert linear.best().features == ("a", "b")
    model = linear.fit(X, y)
    assert model.kind == {"auto": "blend"}.get(final, final)  # the blend is better here
    assert isinstance(model, FittedModel)
    assert linear.fit(X, y, final=final).kind == model.kind
    with pytest.raises(ValueError, match=f"made with final='{final}'"):
        linear.fit(X, y, final=LOGISTIC)
    chosen = linear.selection(2, "auc")
    split = make_splits(np.unique(y, return_inverse=True)[1], 1, 1 / 5, 0)[0]
    table_of = Problem.from_table(X.iloc[split.train], y[split.train], random_state=0)
    again = FittedModel.fit(table_of, (0, 1), final=read_final("logistic"))
    wrong = (again.predict(X.iloc[split.test]) != y[split.test]).mean()
    if final == "logistic":  # without random numbers: the same model, refitted by hand
        assert chosen.honest.errors[0] == pytest.approx(wrong)
    assert "linear" in Findings.of(linear).expectation
    linear.to_html(tmp_path / "page.html")
    assert f"final=&#39;{final}&#39;" in (tmp_path / "page.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ({"methods": ["auto", "auc"]}, ""),
        ({"methods": ["auto", "auc"], "final": "auto"}, "final='auto'"),
        ({"methods": ["auto", "auc"], "final": "forest"}, "final='forest'"),
        ({"methods": "auc"}, ""),
        ({"methods": "auc", "final": "blend"}, "final='blend'"),
    ],
)
def test_the_call_on_the_page_makes_the_same_again(table, asked, said):
    result = compare(*table, budgets=2, **asked, **QUICK)
    call = page_values(result)["call"]
    assert re.findall(r"final='\w+'", call) == ([said] if said else [])
    names = {"X": table[0], "y": table[1], "costs": None}
    exec(call.rpartition("\n")[0], names)  # but for the page
    assert names["result"].selections == result.selections


@pytest.mark.parametrize("final", ["auto", "logistic"])
def test_the_forest_alone_is_tested_beside_it_on_the_same_rows(table, final):
    X, y = table
    found = compare(X, y, budgets=2, methods="auto", final=final, **QUICK)
    best = found.best()
    assert best.model == found.fit(X, y).kind
    gain = best.over_forest
    assert gain.baseline == pytest.approx(best.honest.error + gain.gain)
    assert gain.low <= gain.gain <= gain.high
    sentence = Findings.of(found).model_sentence
    assert "averaged with a linear model" in sentence or "linear (logistic) model" in sentence
    assert "forest" in sentence


def test_the_forest_by_name_is_the_forest(table):
    named, default = (
        compare(*table, budgets=2, methods="auc", **QUICK, **kind)
        for kind in ({"final": "forest"}, {})
    )
    assert named == default
    assert named.fit(*table).kind == "forest"


def test_the_command_line_takes_it_and_writes_its_model(folder):
    asked = [*PRICED, "--methods", "auc", "--budget", 4, "--out", "out", *QUICK_COMMAND]
    found = run(*asked, "--final", "blend", cwd=folder)
    assert found.returncode == 0, found.stderr
    assert "A random forest averaged with a linear model on" in found.stdout
    assert FittedModel.load(folder / "out" / "model-4.zip").kind == "blend"
    saved = Comparison.load(folder / "out" / "selection.json")
    assert "--final blend" in saved.about.command
    predicted = run("predict", "out/model-4.zip", "data.csv", cwd=folder)
    assert predicted.returncode == 0, predicted.stderr
    assert "share_high" in predicted.stdout.partition("\n")[0]
    check_one_line(run(*asked, "--final", "line", cwd=folder), "'line' is not known: give one of")


def test_larger_leaves_are_those_of_the_forests_compared_by_and_of_the_model(table):
    X, y = table
    asked = {"budgets": 2, "methods": "auto", "scoring": "auc", **QUICK}
    small, large = (compare(X, y, **asked, min_samples_leaf=n) for n in (1, 20))
    trees = [len(found.fit(X, y).forest.column) for found in (small, large)]
    assert trees[1] < trees[0] / 2
    assert small.best().honest != large.best().honest
    assert large.settings.min_samples_leaf == 20
    with pytest.raises(ValueError, match="`min_samples_leaf` is 0"):
        compare(X, y, **asked, min_samples_leaf=0)
    model = FrugalForestClassifier(2, 2, method="auc", n_trees=20, min_samples_leaf=30).fit(X, y)
    assert len(model.model_.forest.column) < 20 * 15


def test_the_classifier_takes_our_own_models(table):
    X, y = table
    model = FrugalForestClassifier(2, 2, final="blend", n_trees=20, n_resamples=2, random_state=0)
    assert model.fit(X, y).model_.kind == "blend"


def test_results_do_not_depend_on_the_number_of_workers(table):
    alone, both = (
        compare(*table, budgets=2, methods="auto", final="blend", **QUICK, n_jobs=n) for n in (1, 2)
    )
    assert alone == both


def test_a_run_goes_on_with_the_same_final_model_only(table, tmp_path):
    kept = {"methods": "auc", "budgets": 2, **QUICK, "resume": tmp_path / "kept.sqlite"}
    forest = compare(*table, **kept)
    blend = compare(*table, final="blend", **kept)
    assert forest.best().honest != blend.best().honest
    assert compare(*table, final="blend", **kept) == blend
    assert compare(*table, **kept) == forest
