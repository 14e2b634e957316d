"""Where nothing helps, nothing is bought: answers, models and pages without features."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, compare
from frugalforest.choice import judge
from frugalforest.choice.guessing import corrected_guess
from frugalforest.choice.left_out import LeftOut
from frugalforest.costs import Budget
from frugalforest.engine import GrownForest, forest_without_columns
from frugalforest.errors import DataError
from frugalforest.model import FittedModel
from frugalforest.problem import Problem
from frugalforest.results.findings import Findings, Verdict
from frugalforest.scores import ERROR, SCORES, BalancedError, find_score
from frugalforest.tables import Classes
from reference.scripted_pools import OUTCOME, halves, scripted


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
    assert "nothing that is shown to do better than guessing" in done.stdout
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


@pytest.mark.parametrize("score", [ERROR, BalancedError()])
@pytest.mark.parametrize(("n_wrong", "bought"), [(16, True), (18, False)])
def test_what_hardly_beats_guessing_is_not_bought_whatever_the_score(n_wrong, bought, score):
    """Of forty rows guessing gets twenty wrong, and a standard error is 3.1 of them."""
    losses = np.zeros((1, 40))
    losses[0, :n_wrong] = 1
    losses = losses.reshape(1, 20, 2).transpose(2, 0, 1)  # as many in either half
    own = 0.5 + np.log(2) / 2 if score.has_grades else 0.5  # out of bag, as good as guessing
    pools = [scripted([0], [own], (1.0,), half, may_be_empty=True) for half in losses]
    found = judge(pools[0], pools, halves(), OUTCOME, [Budget(1.0)], 0, score)[Budget(1.0)]
    assert found.place == (0 if bought else None)


# --- the error of guessing ----------------------------------------------------------------------


def guess_error(counts, score=ERROR):
    labels = np.repeat(np.arange(len(counts)), counts)
    outcome = Classes(labels, np.arange(len(counts)))
    rows = LeftOut((), (), outcome, score.for_rows(np.array(counts)))
    return corrected_guess(rows, outcome.counts, seed=0)


def plainly_corrected(counts, n_draws=2000):
    """Row by row: the commonest class of rows drawn, tested on the others."""
    labels = np.repeat(np.arange(len(counts)), counts)
    rng = np.random.default_rng(1)

    def losses(learned_from):
        times = np.bincount(learned_from, minlength=len(counts))
        commonest = np.flatnonzero(times == times.max())
        return 1 - np.isin(labels, commonest) / len(commonest)

    more = []
    for _ in range(n_draws):
        drawn = rng.integers(len(labels), size=len(labels))
        left = np.setdiff1d(np.arange(len(labels)), drawn)
        more.append((losses(labels[drawn]) - losses(labels))[left].mean())
    return losses(labels).mean() + np.mean(more)


@pytest.mark.parametrize("counts", [(60, 90), (40, 55), (20, 50, 80), (30, 32, 58)])
def test_the_error_of_guessing_is_corrected_as_other_choices_are(counts):
    found = guess_error(counts)
    # Its 500 draws and those of the plain version differ by chance, by some 0.003.
    assert found == pytest.approx(plainly_corrected(counts), abs=0.01)
    assert found > 1 - max(counts) / sum(counts)


def test_where_the_commonest_class_is_not_in_doubt_the_error_of_guessing_is_the_share():
    assert guess_error((30, 90)) == pytest.approx(0.25)


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("counts", [(75, 75), (70, 80), (2, 3), (20, 50, 80)])
def test_guessing_is_expected_to_do_no_better_than_seen(name, counts):
    classes = tuple("abc"[: len(counts)])
    score = find_score(name, error_costs=2.0 if name == "cost" else None, classes=classes)
    seen = score.of_nothing(np.array(counts))
    found = guess_error(counts, score)
    assert found >= seen
    if name == "error":
        assert found <= 1 - 1 / len(counts)
    if name == "auc":
        assert found == pytest.approx(0.5)


def test_of_noise_the_error_of_guessing_is_nearer_to_the_truth_than_the_share():
    drawn = np.random.default_rng(0).binomial(150, 0.5, size=200)
    seen = np.minimum(drawn, 150 - drawn) / 150
    known = {k: guess_error((150 - k, k)) for k in np.unique(drawn).tolist()}
    corrected = [known[k] for k in drawn.tolist()]
    # Standard errors of the two means: 0.0018 and less.
    assert seen.mean() < 0.475
    assert 0.48 < np.mean(corrected) <= 0.5
