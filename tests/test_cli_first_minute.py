"""`init` and `check`: a price list to fill in, and all that is wrong before a run."""

import os
import shlex

import pandas as pd
import pytest

from frugalforest import CostModel
from reference.forked_cli import run_forked
from reference.patients import PRICED, PRICES, QUICK, check_one_line, patients

INIT = ["init", "data.csv", "--target", "class", "--drop", "id", "--drop", "site"]
CHECK = ["check", *PRICED[1:]]


@pytest.fixture
def folder(tmp_path):
    patients().to_csv(tmp_path / "data.csv", index=False)
    (tmp_path / "prices.csv").write_text(PRICES)
    return tmp_path


@pytest.fixture
def new(folder):
    (folder / "prices.csv").unlink()
    return folder


def test_init_lists_every_feature_with_its_type_and_missing_share(new):
    result = run_forked(*INIT, cwd=new)
    assert (result.returncode, result.stderr) == (0, "")
    listed = pd.read_csv(new / "prices.csv", keep_default_na=False)
    assert listed.to_dict("list") == {
        "feature": ["age", "bmi", "colour", "crp", "ldl"],
        "cost": [1] * 5,
        "group": [""] * 5,
        "group_cost": [""] * 5,
        "type": ["number", "number", "text", "number", "number"],
        "missing": ["1.7 %", "0.0 %", "1.7 %", "0.0 %", "0.0 %"],
    }
    assert result.stdout.startswith("Wrote prices.csv: 5 features at a price of 1 each.")


def test_what_init_writes_is_a_price_list_and_the_command_it_names_runs(new):
    told = run_forked(*INIT, cwd=new).stdout.splitlines()[-1]
    assert CostModel.from_csv(new / "prices.csv").total(["age", "crp"]) == 2
    check = run_forked(*shlex.split(told)[1:], cwd=new)
    assert (check.returncode, check.stderr) == (0, "")


def test_init_never_overwrites(folder):
    check_one_line(run_forked(*INIT, cwd=folder), "'prices.csv' exists, and nothing is overwritten")
    assert (folder / "prices.csv").read_text() == PRICES


@pytest.mark.skipif(os.name == "nt", reason="links need a right that few users have there")
def test_init_does_not_write_through_a_link(new):
    (new / "prices.csv").symlink_to("elsewhere.csv")
    check_one_line(run_forked(*INIT, cwd=new), "'prices.csv' exists")
    assert not (new / "elsewhere.csv").exists()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--target", "clas"], "data.csv has no column 'clas'. Did you mean 'class'?"),
        (["--target", "class", "--drop", "idd"], "Did you mean 'id'?"),
        (["--target", "class", "--out", "deep/prices.csv"], "deep/prices.csv: No such file"),
    ],
)
def test_what_init_cannot_do_is_one_line_and_no_file(new, arguments, message):
    check_one_line(run_forked("init", "data.csv", *arguments, cwd=new), message)
    assert [file.name for file in new.iterdir()] == ["data.csv"]


def test_init_refuses_names_that_a_spreadsheet_would_run(new):
    (new / "data.csv").write_text("=cmd(),class\n1,a\n2,b\n")
    result = run_forked("init", "data.csv", "--target", "class", cwd=new)
    check_one_line(result, "['=cmd()'] as formulas")


def test_init_refuses_a_table_without_features(new):
    (new / "data.csv").write_text("class\na\nb\n")
    result = run_forked("init", "data.csv", "--target", "class", cwd=new)
    check_one_line(result, "data.csv has no feature columns beside 'class'")


def test_check_of_sound_files_names_the_command_to_go_on_with(folder):
    result = run_forked(*CHECK, cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")
    size, command = result.stdout.splitlines()
    assert size == "data.csv: 60 rows, 5 features, 3 classes. All features together cost 13."
    told, _, command = command.partition(": ")
    assert told == "Nothing keeps this from starting"
    assert sorted(shlex.split(command)) == sorted(["frugalforest", *PRICED])


def test_check_names_all_problems_at_once(folder):
    frame = patients()
    frame["dose"] = frame["age"] * float("inf")
    frame.loc[7, "class"] = None
    frame.to_csv(folder / "data.csv", index=False)
    (folder / "prices.csv").write_text(PRICES.replace("age,1", "age,-1"))
    result = run_forked(
        *("check", "data.csv", "--target", "class", "--row-groups", "wrd"),
        *("--drop", "name", "--costs", "prices.csv"),
        cwd=folder,
    )
    assert (result.returncode, result.stderr) == (1, "")
    first, *problems = result.stdout.splitlines()
    assert first == "6 problems to be fixed first:"
    for problem, words in zip(
        problems,
        (
            "no column 'wrd'",
            "no column 'name'",
            "column 'class' is empty in 1 rows, first in row 8",
            "--drop 'id'",
            "'dose' holds an infinite value",
            "the cost of 'age' is -1",
        ),
        strict=True,
    ):
        assert problem.startswith("- ")
        assert words in problem


@pytest.mark.parametrize(
    ("spoil", "problem"),
    [
        ("class", "data.csv has no column 'class'"),
        ("data", "there is no file 'data.csv'"),
        ("prices", "there is no file 'prices.csv'"),
        ("one price", "no cost for columns ['age']"),
        ("row groups", "column 'site' is empty in 1 rows"),
    ],
)
def test_check_finds_what_select_refuses(folder, spoil, problem):
    frame = patients()
    if spoil == "one price":
        (folder / "prices.csv").write_text(PRICES.replace("age", "age2"))
    elif spoil in ("data", "prices"):
        (folder / f"{spoil}.csv").unlink()
    elif spoil == "class":
        frame.drop(columns="class").to_csv(folder / "data.csv", index=False)
    else:
        frame.loc[0, "site"] = None
        frame.to_csv(folder / "data.csv", index=False)
    options = ["--costs", "prices.csv", "--row-groups", "site", "--drop", "id"]
    options = ["data.csv", "--target", "class", *options]
    checked = run_forked("check", *options, cwd=folder)
    assert checked.returncode == 1
    assert problem in checked.stdout
    check_one_line(run_forked("select", *options, *QUICK, cwd=folder), problem)


def test_check_says_what_is_worth_knowing(folder):
    frame = patients()
    frame["leak"] = frame["class"]
    frame["ward"] = "north"
    frame.to_csv(folder / "data.csv", index=False)
    result = run_forked(*CHECK[:8], cwd=folder)
    assert result.returncode == 0
    knowing = result.stdout.split("Worth knowing:\n")[1]
    assert "column 'leak' alone predicts the target without error" in knowing
    assert "column 'ward' holds one value only" in knowing


def test_check_writes_nothing(folder):
    run_forked(*CHECK, cwd=folder)
    assert sorted(file.name for file in folder.iterdir()) == ["data.csv", "prices.csv"]
