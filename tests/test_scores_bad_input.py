"""Scores, error costs and class weights that cannot be: one clear line each, wherever given."""

import numpy as np
import pandas as pd
import pytest

from frugalforest import FrugalForestClassifier, XiSearch, compare
from frugalforest.errors import CostError
from frugalforest.scores import Cost, ErrorCosts, find_score, read_class_weight, row_weights
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


# --- scores -------------------------------------------------------------------------------------


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


# --- error costs --------------------------------------------------------------------------------

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


# --- the file -----------------------------------------------------------------------------------


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


# --- class weights ------------------------------------------------------------------------------

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
