"""Scores, error costs and class weights that cannot be: one clear line each. The command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, XiSearch, compare
from frugalforest.cli import main
from frugalforest.errors import CostError
from frugalforest.model import FittedModel
from frugalforest.scores import SCORES, Cost, ErrorCosts, find_score, read_class_weight, row_weights
from frugalforest.tables import Outcome
from reference.messages import says

CLASSES = ("ill", "well")
GOOD = {("ill", "well"): 10, ("well", "ill"): 1}
X = pd.DataFrame({"a": np.arange(40.0), "b": np.arange(40.0) % 7})
Y = np.where(np.arange(40) < 12, "ill", "well")
QUICK = {"n_trees": 5, "n_resamples": 0}


def fit_compare(**arguments):
    return compare(X, Y, budgets=1, methods="auc", verbose=0, **QUICK, **arguments)


def fit_forest(**arguments):
    return FrugalForestClassifier(budget=1, method="auc", **QUICK, **arguments).fit(X, Y)


def fit_search(**arguments):
    return XiSearch(n_trees=5, **arguments).fit(X, Y)


EVERYWHERE = pytest.mark.parametrize("fit", [fit_compare, fit_forest, fit_search])


def one_line(raised):
    assert "\n" not in str(raised.value)
    return str(raised.value)


# --- scores --------------------------------------------------------------------------------------


@EVERYWHERE
@pytest.mark.parametrize("scoring", ["accuracy", "AUC", "", 3, ["error"], True])
def test_a_score_that_is_not_known_is_named_with_those_that_are(fit, scoring):
    with pytest.raises(ValueError, match=r"^`scoring` is ") as raised:
        fit(scoring=scoring)
    message = one_line(raised)
    assert repr(scoring) in message
    assert all(name in message for name in ("balanced_error", "auc", "brier", "log_loss", "cost"))


@EVERYWHERE
def test_a_cost_without_costs_asks_for_them(fit):
    with pytest.raises(ValueError, match="'cost': give `error_costs`") as raised:
        fit(scoring="cost")
    one_line(raised)


@EVERYWHERE
@pytest.mark.parametrize("scoring", ["error", "balanced_error", "auc", "brier", "log_loss"])
def test_costs_beside_another_score_are_refused(fit, scoring):
    with pytest.raises(ValueError, match="leave one out") as raised:
        fit(scoring=scoring, error_costs=GOOD)
    assert repr(scoring) in one_line(raised)


@EVERYWHERE
def test_costs_alone_mean_the_score_of_costs(fit):
    fit(error_costs=GOOD)
    assert find_score(None, GOOD, CLASSES) == Cost(ErrorCosts(((0.0, 10.0), (1.0, 0.0))))
    assert find_score(None).name == "error"


# --- error costs ---------------------------------------------------------------------------------

WRONG_COSTS = {
    "unknown true class": (
        {**GOOD, ("sick", "well"): 1},
        ["names the class 'sick'", "['ill', 'well']"],
    ),
    "unknown predicted class": ({("ill", "wel"): 1, ("well", "ill"): 1}, ["'wel'", "well"]),
    "missing pair": (
        {("ill", "well"): 1},
        ["does not say what it costs when 'well' is called 'ill'", "every pair"],
    ),
    "no pairs": ({}, ["does not say what it costs when 'ill' is called 'well'"]),
    "negative": ({**GOOD, ("ill", "well"): -1}, ["'ill' called 'well'", "-1", "0 or more"]),
    "text": ({**GOOD, ("ill", "well"): "ten"}, ["'ill' called 'well'", "'ten'", "not a number"]),
    "None": ({**GOOD, ("ill", "well"): None}, ["'ill' called 'well'", "None", "not a number"]),
    "truth value": ({**GOOD, ("ill", "well"): True}, ["True", "not a number"]),
    "infinite": ({**GOOD, ("ill", "well"): np.inf}, ["inf", "finite"]),
    "NaN": ({**GOOD, ("ill", "well"): np.nan}, ["nan", "0 or more, and finite"]),
    "key is no pair": ({"ill": 1}, ["'ill'", "a pair, (true class, predicted class)"]),
    "key is a triple": ({("ill", "well", "x"): 1}, ["a pair, (true class, predicted class)"]),
    "no error costs anything": (
        dict.fromkeys(GOOD, 0),
        ["no error costs more than a right answer"],
    ),
    "right answers cost as much": (
        {**GOOD, ("ill", "ill"): 10, ("well", "well"): 1},
        ["no error costs more than a right answer"],
    ),
    "zero": (0, ["no error costs more than a right answer"]),
    "negative number": (-5, ["-5", "0 or more"]),
    "infinite number": (np.inf, ["inf", "finite"]),
    "NaN for a number": (np.nan, ["nan", "0 or more, and finite"]),
    "True for a number": (True, ["True", "give one number for any error, a mapping"]),
    "a list": ([1, 2], ["[1, 2]", "give one number for any error, a mapping"]),
    "an array": (np.array([[0, 1], [1, 0]]), ["give one number for any error, a mapping"]),
}


@pytest.mark.parametrize("name", WRONG_COSTS)
def test_error_costs_that_cannot_be_are_refused_in_one_line(name):
    given, parts = WRONG_COSTS[name]
    with pytest.raises(CostError, match=says(*parts)) as raised:
        ErrorCosts.read(given, CLASSES)
    one_line(raised)


@EVERYWHERE
def test_error_costs_are_checked_wherever_they_are_given(fit):
    with pytest.raises(CostError, match=says("'sick'", "['ill', 'well']")):
        fit(error_costs={("sick", "well"): 1, ("well", "sick"): 1})


def test_error_costs_of_other_classes_are_refused():
    for_two = ErrorCosts.read(1, CLASSES)
    with pytest.raises(CostError, match="for 2 classes, and the target has 3"):
        ErrorCosts.read(for_two, ("a", "b", "c"))
    assert ErrorCosts.read(for_two, CLASSES) is for_two


def test_classes_that_are_numbers_are_named_by_them_or_by_text():
    expected = ((0.0, 5.0), (2.0, 0.0))
    for zero, one in ((0, 1), ("0", "1"), (0.0, 1.0), (np.int64(0), np.int64(1))):
        assert ErrorCosts.read({(zero, one): 5, (one, zero): 2}, (0, 1)).matrix == expected
    with pytest.raises(CostError, match="'0' called '1' twice"):
        ErrorCosts.read({(0, 1): 5, ("0", "1"): 3, (1, 0): 2}, (0, 1))


def test_what_a_right_answer_costs_may_be_given():
    given = GOOD | {("ill", "ill"): 3}
    assert ErrorCosts.read(given, CLASSES).matrix == ((3.0, 10.0), (1.0, 0.0))


# --- the file ------------------------------------------------------------------------------------


def read_file(tmp_path, text):
    path = tmp_path / "errors.csv"
    path.write_text(text, encoding="utf-8")
    return ErrorCosts.read(path, CLASSES)


@pytest.mark.parametrize(
    "text",
    [
        "true,predicted,cost\nill,well,10\nwell,ill,1.5\n",
        "cost,predicted,true\n10,well,ill\n1.5,ill,well\n",
        "True, Predicted, Cost\nill, well, 10\nwell, ill, 1.5\n",
        "true;predicted;cost\nill;well;10\nwell;ill;1,5\n",
        "true\tpredicted\tcost\nill\twell\t10\nwell\till\t1.5\n",
        "\ufefftrue,predicted,cost\r\nill,well,10\r\nwell,ill,1.5\r\n",
        'true,predicted,cost,why\nill,well,10,"a, b"\nwell,ill,1.5,\n',
    ],
)
def test_a_file_of_error_costs_is_read(tmp_path, text):
    assert read_file(tmp_path, text).matrix == ((0.0, 10.0), (1.5, 0.0))


HEAD = "true,predicted,cost\n"
WRONG_FILES = {
    "other header": ("real,guess,price\nill,well,1\n", ["errors.csv", "'true'", "real"]),
    "no header": ("ill,well,10\nwell,ill,1\n", ["errors.csv", "'true'"]),
    "column twice": ("true,predicted,cost,cost\nill,well,1,2\n", ["cost"]),
    "pair twice": (
        HEAD + "ill,well,10\nwell,ill,1\nill,well,9\n",
        ["errors.csv", "'ill' called 'well' twice"],
    ),
    "missing pair": (HEAD + "ill,well,10\n", ["errors.csv", "'well' is called 'ill'"]),
    "unknown class": (
        HEAD + "ill,wel,10\nwell,ill,1\n",
        ["errors.csv", "'wel'", "['ill', 'well']"],
    ),
    "no number": (HEAD + "ill,well,ten\nwell,ill,1\n", ["errors.csv, line 2", "'ten'", "number"]),
    "empty": (HEAD + "ill,well,\nwell,ill,1\n", ["errors.csv, line 2", "not a number"]),
    "negative": (HEAD + "ill,well,10\nwell,ill,-1\n", ["errors.csv, line 3", "-1", "0 or more"]),
    "infinite": (HEAD + "ill,well,inf\nwell,ill,1\n", ["errors.csv, line 2", "finite"]),
    "NaN": (HEAD + "ill,well,nan\nwell,ill,1\n", ["errors.csv, line 2"]),
    "nothing": ("", ["errors.csv"]),
    "header only": (HEAD, ["errors.csv"]),
    "short line": (HEAD + "ill,well\nwell,ill,1\n", ["errors.csv"]),
    "nothing costs": (HEAD + "ill,well,0\nwell,ill,0\n", ["errors.csv", "no error costs more"]),
}


@pytest.mark.parametrize("name", WRONG_FILES)
def test_a_file_that_cannot_be_is_refused_in_one_line(tmp_path, name):
    text, parts = WRONG_FILES[name]
    with pytest.raises(CostError, match=says(*parts)) as raised:
        read_file(tmp_path, text)
    one_line(raised)


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises((CostError, OSError), match=r"nowhere\.csv"):
        ErrorCosts.read(str(tmp_path / "nowhere.csv"), CLASSES)


@EVERYWHERE
def test_a_file_works_wherever_costs_are_given(fit, tmp_path):
    path = tmp_path / "errors.csv"
    path.write_text(HEAD + "ill,well,10\nwell,ill,1\n")
    fit(error_costs=path)
    fit(error_costs=str(path))


# --- class weights -------------------------------------------------------------------------------

WRONG_WEIGHTS = {
    "unknown class": ({"sick": 2}, ["names the class 'sick'", "['ill', 'well']"]),
    "misspelt class": ({"wel": 2}, ["'wel'", "well"]),
    "negative": ({"ill": -1}, ["'ill'", "-1", "above 0"]),
    "zero": ({"ill": 0}, ["'ill'", "0", "above 0"]),
    "infinite": ({"ill": np.inf}, ["'ill'", "inf", "above 0"]),
    "NaN": ({"ill": np.nan}, ["'ill'", "nan", "above 0"]),
    "text": ({"ill": "two"}, ["'ill'", "'two'", "a number above 0"]),
    "another word": ("balance", ["'balance'", "'balanced'"]),
    "a number": (2, ["2", "a mapping"]),
    "a list": ([1, 2], ["[1, 2]", "a mapping"]),
    "an array": (np.array([1.0, 2.0]), ["a mapping"]),
    "True": (True, ["True", "a mapping"]),
}


@pytest.mark.parametrize("fit", [fit_compare, fit_forest])
@pytest.mark.parametrize("name", WRONG_WEIGHTS)
def test_class_weights_that_cannot_be_are_refused_in_one_line(fit, name):
    given, parts = WRONG_WEIGHTS[name]
    with pytest.raises(ValueError, match=says("`class_weight`", *parts)) as raised:
        fit(class_weight=given)
    one_line(raised)


def test_class_weights_are_those_of_scikit_learn():
    from sklearn.utils import compute_sample_weight

    outcome = Outcome.read(Y)
    for given in ("balanced", {"ill": 3.0}, {"ill": 3.0, "well": 0.5}):
        read = read_class_weight(given, outcome)
        np.testing.assert_allclose(row_weights(read, outcome), compute_sample_weight(given, Y))
        own = np.arange(40.0)
        np.testing.assert_allclose(
            row_weights(read, outcome, own), own * compute_sample_weight(given, Y)
        )
    assert row_weights(read_class_weight(None, outcome), outcome) is None
    assert row_weights(read_class_weight({}, outcome), outcome).tolist() == [1.0] * 40


# --- on the command line -------------------------------------------------------------------------

FAST = ["--trees", "20", "--resamples", "3", "--jobs", "1"]
MISSED_IS_DEAR = "true,predicted,cost\nill,well,50\nwell,ill,2\n"


@pytest.fixture
def table(tmp_path, monkeypatch):
    """One case in five is ill; two columns know something."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(120, 4)).round(2), columns=["a", "b", "c", "d"])
    risk = X["a"] + 0.7 * X["b"] + rng.normal(size=120)
    X["dx"] = np.where(risk > np.quantile(risk, 0.8), "ill", "well")
    X.to_csv("data.csv", index=False)
    (tmp_path / "costs.csv").write_text(MISSED_IS_DEAR)
    return X


@pytest.fixture
def run(table, monkeypatch, capsys):
    """Runs a command in this process: its exit code, and all that it prints."""

    def run_(*arguments):
        monkeypatch.setattr("sys.argv", ["frugalforest", *map(str, arguments)])
        with pytest.raises(SystemExit) as ended:
            main()
        printed = capsys.readouterr()
        return ended.value.code or 0, " ".join((printed.out + printed.err).split())

    return run_


@pytest.fixture
def select(run):
    def select_(*options):
        usual = [
            "--target",
            "dx",
            "--out",
            "out",
            "--budget",
            "2",
            "--methods",
            "auc",
            *FAST,
        ]
        return run("select", "data.csv", *usual, *options)

    return select_


@pytest.mark.parametrize("scoring", SCORES)
def test_what_predict_writes_is_what_the_model_decides(table, run, select, scoring):
    costs = ["--error-costs", "costs.csv"] if scoring == "cost" else []
    code, said = select("--scoring", scoring, *costs)
    assert code == 0, said
    assert "(sensitivity)" in said
    saved = json.loads(Path("out/selection.json").read_text(encoding="utf-8"))
    assert saved["settings"]["scoring"] == scoring
    assert run("predict", "out/model-2.zip", "data.csv", "--out", "new.csv")[0] == 0
    model = FittedModel.load("out/model-2.zip")
    found = pd.read_csv("new.csv")["predicted"].to_numpy()
    np.testing.assert_array_equal(found, model.predict(table))


def test_where_missing_the_ill_is_dear_more_are_called_ill(table, select):
    for folder, options in (("error", []), ("cost", ["--error-costs", "costs.csv"])):
        assert select("--out", folder, *options)[0] == 0
    called = {
        folder: (FittedModel.load(f"{folder}/model-2.zip").predict(table) == "ill").sum()
        for folder in ("error", "cost")
    }
    assert called["cost"] > called["error"]


def test_totals_ranges_and_the_positive_class_are_said(select):
    code, said = select("--error-costs", "costs.csv", "--budget", "1", "--positive", "well")
    assert code == 0, said
    assert "A case costs" in said
    assert "as long as errors cost" in said or "whatever errors cost" in said
    assert "Of the cases of ‘well’ left out" in said
    code, said = select("--error-cost", "1e-6", "--budget", "1")
    assert code == 0, said
    assert "Measure nothing: no set is worth its price" in said
    code, said = select("--error-cost", "1e-6", "--require", "a")
    assert code == 0, said
    assert "Measure nothing" not in said


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scoring", "accuracy"], "--scoring is 'accuracy': it must be one of 'error'"),
        (["--scoring", "cost"], "--scoring is 'cost': give --error-cost or --error-costs"),
        (
            ["--scoring", "auc", "--error-cost", "5"],
            "is for --scoring 'cost', and --scoring is 'auc'",
        ),
        (["--error-cost", "-1"], "'-1' is no amount of money"),
        (["--error-cost", "5", "--error-costs", "costs.csv"], "not both"),
        (["--error-costs", "none.csv"], "none.csv"),
        (["--class-weight", "sick=5"], "names the class 'sick'"),
        (["--class-weight", "ill"], "neither 'balanced' nor a class and a weight"),
        (["--class-weight", "balanced", "--class-weight", "ill=2"], "not both"),
        (["--positive", "sick"], "--positive names the class 'sick'"),
        (["--prevalence", "0"], "give one above 0 and below 1"),
    ],
)
def test_bad_options_end_in_one_line(select, options, message):
    code, said = select(*options)
    assert code == 2
    assert message in said
    assert "Traceback" not in said


def test_a_comma_that_may_be_thousands_is_refused(select, tmp_path):
    (tmp_path / "comma.csv").write_text('true,predicted,cost\nill,well,"1,000"\nwell,ill,2\n')
    code, said = select("--error-costs", "comma.csv")
    assert code == 2
    assert "could be thousands or decimals" in said
