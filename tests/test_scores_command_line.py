"""Scores, costs of errors and what a clinician reads, on the command line."""

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from frugalforest.cli import main
from frugalforest.model import FittedModel
from frugalforest.scores import SCORES

QUICK = ["--trees", "20", "--resamples", "3", "--jobs", "1"]
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
        usual = ["--target", "dx", "--out", "out", "--budget", "2", "--methods", "auc", *QUICK]
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
