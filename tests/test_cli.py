"""The command line as a user meets it: real runs, and what they print and leave behind."""

import io
import json
import os
import re
import shlex

import pandas as pd
import pytest

from frugalforest.comparison import Comparison
from frugalforest.model import FittedModel
from frugalforest.results.findings import Findings
from frugalforest.tables import Table, read_table
from reference.forked_cli import run_forked
from reference.patients import PRICED, PRICES, QUICK, SELECT, check_one_line, patients, run


def test_select_writes_all_that_it_promises(finished):
    folder, _ = finished
    saved = Comparison.load(folder / "out" / "selection.json")
    assert saved.budgets == (4.0, 7.5)
    models = {f"model-{amount:g}.zip" for amount in (*saved.budgets, saved.cheapest_good().budget)}
    assert {f.name for f in (folder / "out").iterdir()} == models | {
        "progress.sqlite",
        "report.html",
        "selection.json",
    }


def test_select_says_what_to_buy_and_where_the_files_are(finished):
    folder, result = finished
    saved = Comparison.load(folder / "out" / "selection.json")
    text = result.stdout
    assert "60 rows, 5 features, 3 classes" in text
    for budget in saved.budgets:
        best = saved.best(budget)
        assert f"for {best.cost:g}: {', '.join(best.features)}." in text
        assert f"{100 * best.honest.error:.1f} % (95 % interval " in text
    findings = Findings.of(saved)
    tagged = findings.worth_measuring and len(findings.stretches) > 1
    assert text.count("recommended\n") == tagged
    for sentence in findings.sentences:
        assert sentence in text
    assert os.path.join("out", "report.html") in text
    # On a slow machine there may be lines that say how far it is.
    assert [line for line in result.stderr.splitlines() if "time left" not in line] == []


def test_a_pipe_gets_no_control_codes(finished):
    _, result = finished
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", result.stdout + result.stderr)


@pytest.mark.slow
def test_the_same_command_again_repeats_nothing_and_gives_the_same(finished):
    folder, result = finished
    before = (folder / "out" / "selection.json").read_bytes()
    again = run_forked(*PRICED, "--budget", 4, "--budget", 7.5, "--out", "out", *QUICK, cwd=folder)
    assert again.stdout == result.stdout
    assert (folder / "out" / "selection.json").read_bytes() == before


@pytest.mark.slow
def test_prediction_needs_the_chosen_columns_only_and_equals_python(finished):
    folder, _ = finished
    model = FittedModel.load(folder / "out" / "model-7.5.zip")
    new = patients()[["id", *model.schema.names]]
    new.to_csv(folder / "new.csv", index=False)
    result = run("predict", "out/model-7.5.zip", "new.csv", "--out", "p.csv", cwd=folder)
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    written = read_table(folder / "p.csv")
    shares = model.predict_proba(patients())
    expected = pd.DataFrame(
        {
            "predicted": model.predict(patients()),
            **{f"share_{name}": shares[:, k] for k, name in enumerate(model.classes)},
        }
    )
    assert list(written.columns) == [*new.columns, *expected.columns]
    assert written["id"].tolist() == new["id"].astype(str).tolist()
    columns = Table.read(written).select(list(expected.columns)).columns
    for name, column in zip(expected.columns, columns, strict=True):
        assert column.tolist() == expected[name].tolist()


def test_the_model_says_where_it_comes_from(finished):
    folder, _ = finished
    document = json.loads((folder / "out" / "selection.json").read_text(encoding="utf-8"))
    about = FittedModel.load(folder / "out" / "model-4.zip").about
    assert about["data_sha256"] == document["data"]["sha256"]
    assert about["versions"] == document["versions"]
    assert (about["target"], about["budget"]) == ("class", 4.0)


@pytest.mark.slow
def test_unseen_categories_are_noted_and_count_as_missing(folder):
    frame = patients()[["colour", "class"]]
    frame.to_csv(folder / "data.csv", index=False)
    command = ["select", "data.csv", "--target", "class", "--budget", 1, "--out", "o", *QUICK]
    run_forked(*command, cwd=folder)
    (folder / "new.csv").write_text("note,colour\nx,purple\ny,\n")
    result = run_forked("predict", "o/model-1.zip", "new.csv", cwd=folder)
    header, purple, missing = result.stdout.splitlines()
    assert header == "note,colour,predicted,share_high,share_low,share_mid"
    assert purple.removeprefix("x,purple,") == missing.removeprefix("y,,")
    assert result.stderr.startswith("Note: column 'colour' holds 'purple'")
    assert result.returncode == 0


@pytest.mark.slow
def test_options_reach_the_comparison(folder):
    result = run_forked(
        *("select", "data.csv", "--target", "class", "--drop", "id", "--row-groups", "site"),
        *("--costs", "prices.csv", "--budget", 12, "--methods", "sts, auc", "--xi", 0.5),
        *("--require", "bmi", "--exclude", "crp", "--seed", 7, "--test-share", 0.4, "--quiet"),
        *("--out", "deep/out", *QUICK),
        cwd=folder,
    )
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")
    saved = Comparison.load(folder / "deep" / "out" / "selection.json")
    settings = saved.settings
    assert settings.methods == ("sts", "auc")
    assert (settings.xi, settings.seed) == (0.5, 7)
    assert (settings.test_share, settings.row_groups) == (0.4, True)
    assert "bmi" in saved.best().features
    assert "crp" not in saved.best().features


def test_without_prices_each_feature_costs_one_and_is_said_to(folder):
    quick = ["--resamples", 0, "--trees", 20, "--jobs", 1, "--methods", "auc"]
    result = run_forked(*SELECT, "--budget", 2, *quick, cwd=folder)
    assert "each feature costs 1" in result.stdout
    assert "No budget can be recommended without resamples" in result.stdout
    saved = Comparison.load(folder / "frugalforest-selection" / "selection.json")
    assert saved.best().cost == 2


def test_labels_and_dates_come_back_as_they_were_written(folder):
    # As numbers, the first two labels are one, and so are the last two.
    labels = ["9007199254740992", "9007199254740993", "01", "1"]
    rows = [
        (f"2024-01-{1 + i % 28:02} 00:00:{4 * (i % 4) + i % 3:02}", labels[i % 4])
        for i in range(120)
    ]
    pd.DataFrame(rows, columns=["stamp", "class"]).to_csv(folder / "data.csv", index=False)
    command = ["select", "data.csv", "--target", "class", "--budget", 1, "--out", "o", *QUICK]
    assert run_forked(*command, cwd=folder).returncode == 0
    saved = Comparison.load(folder / "o" / "selection.json")
    assert saved.data.classes == tuple(sorted(labels))
    predicted = run_forked("predict", "o/model-1.zip", "data.csv", cwd=folder).stdout
    assert set(pd.read_csv(io.StringIO(predicted), dtype=str)["predicted"]) <= set(labels)


@pytest.mark.slow
def test_the_model_of_a_date_column_keeps_the_promised_error(folder):
    # Seconds since 1970 that differ by less than 32 bits can tell.
    seconds = [1_700_000_000 + i % 3 + 4 * (i % 2) for i in range(150)]
    frame = pd.DataFrame({"stamp": seconds, "class": [["no", "yes"][i % 2] for i in range(150)]})
    for stamp in (frame["stamp"], pd.to_datetime(frame["stamp"], unit="s").astype(str)):
        frame.assign(stamp=stamp).to_csv(folder / "data.csv", index=False)
        command = ["select", "data.csv", "--target", "class", "--budget", 1, "--out", "o", *QUICK]
        assert run_forked(*command, "--fresh", cwd=folder).returncode == 0
        assert Comparison.load(folder / "o" / "selection.json").best().honest.error == 0
        predicted = run_forked("predict", "o/model-1.zip", "data.csv", cwd=folder).stdout
        table = pd.read_csv(io.StringIO(predicted))
        assert (table["predicted"] == table["class"]).all()


def test_values_beyond_32_bits_are_no_obstacle(folder):
    frame = pd.DataFrame({"size": [1e39 * (1 + i % 2) for i in range(60)], "class": [0, 1] * 30})
    frame.to_csv(folder / "data.csv", index=False)
    command = ["select", "data.csv", "--target", "class", "--budget", 1, "--out", "o", *QUICK]
    assert run_forked(*command, cwd=folder).returncode == 0
    predicted = run_forked("predict", "o/model-1.zip", "data.csv", cwd=folder).stdout
    table = pd.read_csv(io.StringIO(predicted))
    assert (table["predicted"] == table["class"]).all()


@pytest.mark.slow
def test_models_of_an_earlier_run_do_not_stay_beside_a_new_report(folder):
    for budgets in ([4, 7], [4, 4.0000000000001]):
        arguments = [a for b in budgets for a in ("--budget", repr(b))]
        done = run_forked(*PRICED, *arguments, "--out", "out", "--quiet", *QUICK, cwd=folder)
        assert done.returncode == 0, done.stderr
    models = {f.name for f in (folder / "out").glob("model-*")}
    recommended = Comparison.load(folder / "out" / "selection.json").cheapest_good().budget
    assert models == {"model-4.0000000000001.zip", "model-4.zip", f"model-{recommended:g}.zip"}


def test_a_price_is_written_alike_on_terminal_and_page(folder):
    (folder / "prices.csv").write_text(PRICES.replace("age,1,", "age,12.345,"))
    command = [*PRICED, "--budget", "12.345", "--require", "age", "--out", "out", *QUICK]
    printed = run_forked(*command, cwd=folder).stdout
    page = (folder / "out" / "report.html").read_text(encoding="utf-8")
    assert "12.345" not in printed.partition("Report:")[0]
    assert "12.35" in printed
    assert "12.35" in page


def test_an_unknown_feature_of_a_group_is_blamed_on_the_price_list(folder):
    (folder / "prices.csv").write_text(PRICES.replace("ldl,", "ldl_mg,"))
    result = run_forked(*PRICED, "--budget", 4, cwd=folder)
    check_one_line(result, "no cost for columns ['ldl']")
    assert "prices.csv has prices of 'ldl_mg', which data.csv lacks." in result.stderr
    assert "--groups" not in result.stderr


def test_a_price_list_may_name_the_columns_left_out(folder):
    (folder / "prices.csv").write_text(PRICES + "site,9,place,5\nclass,1,,\n")
    result = run_forked(*PRICED, "--budget", 5, "--quiet", *QUICK, cwd=folder)
    assert (result.returncode, result.stderr) == (0, "")


@pytest.mark.slow
def test_column_names_are_shown_as_they_are(folder):
    name = "[red]a[/] é\x1b[31m"
    patients().rename(columns={"age": name})[[name, "class"]].to_csv(
        folder / "data.csv", index=False
    )
    result = run(
        *("select", "data.csv", "--target", "class", "--budget", 1, *QUICK),
        cwd=folder,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert result.returncode == 0, result.stderr
    assert "1 feature for 1: [red]a[/] ??[31m." in result.stdout


# The rest


@pytest.mark.slow
def test_the_demo_does_the_whole_job(tmp_path):
    result = run("demo", "--trees", 10, "--resamples", 2, "--jobs", 1, cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    out = tmp_path / "frugalforest-demo"
    recommended = Comparison.load(out / "selection.json").cheapest_good().budget
    models = {f"model-{amount:g}.zip" for amount in (20, 40, 80, 160, recommended)}
    written = {"data.csv", "prices.csv", "report.html", "selection.json"}
    assert {f.name for f in out.iterdir()} == models | written
    assert "Recommended:" in result.stdout
    # What it suggests to try works as it is printed.
    suggested = result.stdout.splitlines()[-1].removeprefix("Your turn: frugalforest ").split()
    again = run_forked(*suggested, *QUICK, "--quiet", cwd=tmp_path)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ([], ["Choose which", "demo", "select", "predict", "study", "--install-completion"]),
        (["select", "--help"], ["--budget MONEY", "[default: 25", "progress.sqlite"]),
        (["predict", "--help"], ["opening it", "executes code"]),
        (["demo", "--help"], ["about a minute"]),
        (["study", "--help"], ["run", "status", "tables", "figures"]),
        (["--version"], ["frugalforest 0."]),
    ],
)
def test_help_is_there(arguments, expected):
    result = run_forked(*arguments, cwd=".")
    assert (result.returncode, result.stderr) == (0, "")
    for text in expected:
        assert text in " ".join(result.stdout.split())


@pytest.mark.slow
def test_completion_offers_the_commands():
    result = run(
        env={
            **os.environ,
            "_FRUGALFOREST_COMPLETE": "complete_bash",
            "COMP_WORDS": "frugalforest ",
            "COMP_CWORD": "1",
        }
    )
    assert {"demo", "select", "predict", "study"} <= set(result.stdout.split())


@pytest.mark.parametrize("command", [["bogus"], ["study"]])
def test_wrong_use_points_to_the_help(command):
    check_one_line(run_forked(*command, cwd="."), "--help")


def test_options_for_the_file_and_the_page(folder):
    table = patients().rename(columns={"class": "état"})
    classes = sorted(set(table["état"]))
    table["état"] = table["état"].replace({classes[0]: "NA"})
    table.to_csv(folder / "data.txt", index=False, sep="|", encoding="latin-1")
    (folder / "prices.csv").write_text(PRICES + "unheard,3,,\n")
    how = ["data.txt", "--target", "état", "--encoding", "latin-1", "--sep", "|", "--na-is-a-class"]
    page = ["--title", "For the board", "--currency", "€"]
    more = ["--costs", "prices.csv", "--budget", 4, "--methods", "auc", "--seed", 3]
    more += ["--drop", "id", "--drop", "site"]
    quick = ["--resamples", 2, "--trees", 20]
    result = run_forked("select", *how, *page, *more, *quick, "--jobs", 1, "--out", "o", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "prices.csv has prices of 'unheard', which data.txt lacks: ignored" in result.stderr
    saved = Comparison.load(folder / "o" / "selection.json")
    assert "NA" in saved.data.classes
    assert saved.about.title == "For the board"
    assert saved.about.target == "état"
    text = (folder / "o" / "report.html").read_text(encoding="utf-8")
    assert "For the board" in text
    assert "€" in text
    # The command on the page makes the same again.
    again = shlex.split(saved.about.command)
    assert again[:3] == ["frugalforest", "select", "data.txt"]
    repeat = run_forked(*again[1:], "--jobs", 1, "--out", "o2", cwd=folder)
    assert repeat.returncode == 0, repeat.stderr
    assert Comparison.load(folder / "o2" / "selection.json") == saved


def test_prices_of_unknown_features_are_an_error_if_that_is_asked_for(folder):
    (folder / "prices.csv").write_text(PRICES + "unheard,3,,\n")
    result = run_forked(*PRICED, "--budget", 4, "--strict", cwd=folder)
    assert result.returncode != 0
    assert "has prices of 'unheard', which data.csv lacks" in result.stderr
    assert "Traceback" not in result.stderr


def test_a_class_that_looks_missing_is_pointed_at(folder):
    table = patients()
    table.loc[3, "class"] = "NA"
    table.to_csv(folder / "data.csv", index=False)
    result = run_forked(*SELECT, "--budget", 4, cwd=folder)
    assert "If 'NA' is a class: --na-is-a-class." in result.stderr
