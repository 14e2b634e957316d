"""What a user can fix ends in one line and exit code 2, and leaves nothing behind."""

import gzip
import subprocess

import pytest

from reference.forked_cli import run_forked
from reference.patients import COMMAND, PRICED, PRICES, QUICK, SELECT, check_one_line, patients, run


def write(folder, content):
    name = "data.csv"
    if isinstance(content, tuple):
        name, content = content
    if isinstance(content, str):
        content = content.encode()
    if content is not None:
        (folder / name).write_bytes(content)


ONE_CLASS = "age,class\n" + "1,a\n" * 9
OPTIONS = ["--target", "class", "--budget", 3]
BAD_SELECT = {
    "missing file": (None, ["nothing.csv", *OPTIONS], "there is no file 'nothing.csv'"),
    "unknown format": (None, ["table.doc", *OPTIONS], "this kind of file cannot be read"),
    "broken parquet": (None, ["broken.parquet", *OPTIONS], "cannot be read as Parquet"),
    "broken spreadsheet": (None, ["broken.xlsx", *OPTIONS], "cannot be read as Excel"),
    "wrong target": (
        None,
        ["data.csv", "--target", "clas", "--budget", 3, "--drop", "id"],
        "data.csv has no column 'clas'. Did you mean 'class'?",
    ),
    "wrong bins": (
        None,
        ["data.csv", *OPTIONS, "--bins", "300"],
        "'300' is neither 'auto' nor 'exact' nor a whole number from 2 to 255",
    ),
    "wrong column to drop": (None, [*SELECT[1:], "--drop", "colou"], "Did you mean 'colour'?"),
    "identifier": (None, ["data.csv", *OPTIONS], "--drop 'id'"),
    "no price list": (
        None,
        [*PRICED[1:], "--budget", 3, "--costs", "no.csv"],
        "there is no file 'no.csv'",
    ),
    "prices that do not match": (
        None,
        ["data.csv", *OPTIONS, "--drop", "id", "--costs", "prices.csv"],
        "no cost for columns ['site']",
    ),
    "prices that are none": (
        None,
        [*PRICED[1:], "--budget", 3, "--costs", "data.csv"],
        "data.csv has no column 'feature'",
    ),
    "budget too small": (
        None,
        [*PRICED[1:], "--budget", 0.5],
        "the cheapest, 'age', costs 1. Raise --budget to 1 or more.",
    ),
    "budget below the required": (
        None,
        [*PRICED[1:], "--budget", 3, "--require", "crp"],
        "the --require features ['crp'] cost 6",
    ),
    "budget no number": (None, [*SELECT[1:], "--budget", "much"], "'much' is no amount of money"),
    "budget not a number": (None, [*SELECT[1:], "--budget", "nan"], "'nan' is no amount"),
    "unknown method": (
        None,
        [*SELECT[1:], "--budget", 3, "--methods", "auc,boosting"],
        "--methods: 'boosting' is not known: give one of auc, pfi, sts, forward, backward",
    ),
    "wrong xi": (None, [*SELECT[1:], "--budget", 3, "--xi", "auto"], "neither 'tune' nor"),
    "wrong share": (None, [*SELECT[1:], "--budget", 3, "--test-share", 2], "above 0 and below 1"),
    "unknown option": (None, [*SELECT[1:], "--budgett", 3], "No such option: --budgett"),
    "required and excluded": (
        None,
        [*SELECT[1:], "--budget", 3, "--require", "age", "--exclude", "age"],
        "in both --require and --exclude",
    ),
    "one class": (ONE_CLASS, ["data.csv", *OPTIONS], "one class only ('a')"),
    "empty table": ("age,class\n", ["data.csv", *OPTIONS], "no rows"),
    "no features": ("class\na\nb\n", ["data.csv", *OPTIONS], "no feature columns"),
    "target missing": (
        "age,class\n1,a\n2,\n3,b\n",
        ["data.csv", *OPTIONS],
        "'class' is empty in 1 rows, first in row 2",
    ),
    "target of measurements": (
        "age,class\n" + "".join(f"{i},{i / 7}\n" for i in range(60)),
        ["data.csv", *OPTIONS, "--task", "classification"],
        "classes, not measurements",
    ),
    "encoding": ("größe,class\n1,a\n".encode("latin-1"), ["data.csv", *OPTIONS], "not UTF-8"),
    "double columns": ("a,a,class\n1,2,x\n", ["data.csv", *OPTIONS], "two columns are called 'a'"),
    "infinite": ("age,class\ninf,a\n1,b\n2,a\n", ["data.csv", *OPTIONS], "infinite value"),
    "single rows": ("age,class\n1,a\n2,b\n", ["data.csv", *OPTIONS], "one row only"),
    "out below a file": (
        None,
        [*SELECT[1:], "--budget", 3, "--out", "prices.csv/out"],
        "cannot write to 'prices.csv/out'",
    ),
    "seed beyond 64 bits": (None, [*SELECT[1:], "--seed", 2**64], "'--seed': Input should be less"),
    "endless trees": (None, [*SELECT[1:], "--trees", 99999999999], "'--trees': Input should be"),
    "endless resamples": (None, [*SELECT[1:], "--resamples", 10**9], "'--resamples': Input should"),
    "endless jobs": (None, [*SELECT[1:], "--jobs", 10**9], "'--jobs': Input should"),
    "two separators": (None, [*SELECT[1:], "--sep", "ab"], "'ab' is no separator: give one char"),
    "quote as separator": (None, [*SELECT[1:], "--sep", '"'], "is no separator"),
    "open quote": (
        'age,class\n1,a\n\n"2,b\n3,a\n4,b',
        ["data.csv", *OPTIONS],
        'data.csv: a quote (") in the row that begins in line 4 is never closed.',
    ),
    "open quote in the header": (
        '\nage,"class\n1,a\n2,b\n',
        ["data.csv", *OPTIONS],
        "the row that begins in line 2 is never closed",
    ),
    "open quote in a price list": (
        ("prices.csv", 'feature,cost\n"age,1\ncrp,2\n'),
        [*PRICED[1:], "--budget", 3],
        'prices.csv: a quote (") in the row that begins in line 2 is never closed.',
    ),
    "endless budget": (None, [*SELECT[1:], "--budget", "1e309"], "'1e309' is no amount of money"),
    "long field of a price list": (
        ("prices.csv", "feature,cost\n" + "a" * 140_000 + ",1\n"),
        [*PRICED[1:], "--budget", 3],
        "prices.csv, line 2 cannot be read: a field of more than 131,072 characters",
    ),
    "prices that overflow": (
        ("prices.csv", PRICES.replace("age,1,", "age,1e308,").replace("bmi,2,", "bmi,1e308,")),
        [*PRICED[1:], "--budget", 3],
        "add up to more than a number can hold; the highest is 1e+308",
    ),
    "fees that overflow": (
        ("prices.csv", PRICES.replace("blood,2", "blood,1e308").replace("age,1,", "age,1e308,")),
        [*PRICED[1:], "--budget", "1e308"],
        "add up to more than a number can hold",
    ),
    "out is a file": (None, [*SELECT[1:], "--budget", 3, "--out", "prices.csv"], "cannot write"),
}


@pytest.mark.parametrize("case", BAD_SELECT)
def test_bad_input_ends_in_one_line_and_leaves_nothing(folder, case):
    content, arguments, message = BAD_SELECT[case]
    write(folder, content)
    before = sorted(folder.rglob("*"))
    check_one_line(run_forked("select", *arguments, cwd=folder), message)
    assert sorted(folder.rglob("*")) == before


def test_all_that_is_wrong_is_said_in_one_run(folder):
    frame = patients()
    frame["dose"] = ["12 mg", *map(str, range(len(frame) - 1))]
    frame.loc[7, "class"] = None
    frame.to_csv(folder / "data.csv", index=False)
    wrong = PRICES.replace("age,1", "age,-1").replace("bmi,2", "bmi,two")
    (folder / "prices.csv").write_text(wrong)
    command = [*("select", "data.csv", "--target", "class"), "--costs", "prices.csv"]
    result = run_forked(*command, "--budget", 3, cwd=folder)
    assert (result.returncode, result.stdout) == (2, "")
    expected = [
        "data.csv: column 'class' is empty in 1 rows",
        "column 'id' is text with 60 different values",
        "column 'dose' holds numbers, but '12 mg'",
        "the cost of 'age' is -1",
        "the cost of 'bmi' is 'two'",
    ]
    lines = result.stderr.splitlines()
    assert len(lines) == len(expected), result.stderr
    for line, message in zip(lines, expected, strict=True):
        assert line.startswith("Error: ")
        assert message in line


BAD_PREDICT = {
    "no model": (["no.zip", "new.csv"], "there is no file 'no.zip'"),
    "wrong model": (["../data.csv", "new.csv"], "data.csv is no model of frugalforest"),
    "missing columns": (["model-4.zip", "new.csv"], "new.csv: the table lacks "),
    "no table": (["model-4.zip", "no.csv"], "there is no file 'no.csv'"),
    "out nowhere": (["model-4.zip", "../data.csv", "--out", "x/p.csv"], "x/p.csv: No such file"),
    "out unknown": (["model-4.zip", "../data.csv", "--out", "p.doc"], "written as .csv"),
}


@pytest.mark.parametrize("case", BAD_PREDICT)
def test_bad_predictions_end_in_one_line_and_leave_nothing(finished, case):
    out = finished[0] / "out"
    (out.parent / "new.csv").write_text("Colour,smoker\nred,1\n")
    arguments, message = BAD_PREDICT[case]
    arguments = ["../new.csv" if a == "new.csv" else a for a in arguments]
    before = sorted(out.rglob("*"))
    check_one_line(run_forked("predict", *arguments, cwd=out), message)
    assert sorted(out.rglob("*")) == before


def test_an_underscore_makes_a_number_a_name(folder):
    options = ["--methods", "auc", "--require", "age", "--budget", 2, "--out", "out"]
    assert run_forked(*SELECT, *options, *QUICK, cwd=folder).returncode == 0
    frame = patients().astype(object)
    frame.loc[4, "age"] = "1_0"
    frame.to_csv(folder / "new.csv", index=False)
    result = run_forked("predict", "out/model-2.zip", "new.csv", "--out", "p.csv", cwd=folder)
    check_one_line(result, "new.csv: column 'age' holds '1_0' in row 5 (counted from 1), but held")
    assert not (folder / "p.csv").exists()


@pytest.mark.slow
def test_a_bad_input_shows_no_traceback(folder):
    check_one_line(run("select", "nothing.csv", *OPTIONS, cwd=folder), "no file 'nothing.csv'")


def test_four_rows_and_one_tree_end_in_one_line_and_leave_the_ledger_only(tmp_path):
    (tmp_path / "data.csv").write_text("x,z,class\n1,4,a\n2,3,b\n3,2,a\n4,1,b\n")
    result = run_forked(
        *("select", "data.csv", *OPTIONS, "--trees", 1, "--jobs", 1, "--out", "out"), cwd=tmp_path
    )
    check_one_line(result, "too few rows, or too few trees (--trees)")
    assert [file.name for file in (tmp_path / "out").iterdir()] == ["progress.sqlite"]


def test_budgets_whose_sum_overflows_are_budgets_like_others(folder):
    command = [*PRICED, "--budget", "1.7e308", "--budget", "1.6e308", "--out", "out", *QUICK]
    result = run_forked(*command, "--methods", "auc", cwd=folder)
    assert result.returncode == 0, result.stderr
    assert sorted(file.name for file in (folder / "out").iterdir()) == [
        *("model-1.6e+308.zip", "model-1.7e+308.zip"),
        *("progress.sqlite", "report.html", "selection.json"),
    ]


@pytest.mark.slow
def test_a_file_that_unpacks_to_too_much_is_refused_without_being_held(tmp_path):
    # Packed files one after another are one packed file.
    part = gzip.compress(b"1,a\n" * 2**22, mtime=0)
    (tmp_path / "bomb.csv.gz").write_bytes(gzip.compress(b"x,class\n") + part * 70)
    command = " ".join([*COMMAND, "select", "bomb.csv.gz", *map(str, OPTIONS)])
    limited = subprocess.run(
        # Python with its packages takes 500 MB of address space, and the text would take 1 GiB.
        ["bash", "-c", f"ulimit -v 1000000; exec {command}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    check_one_line(limited, "bomb.csv.gz holds more than 1.07 GB of text, and at most 1.07 GB")
    assert [file.name for file in tmp_path.iterdir()] == ["bomb.csv.gz"]


@pytest.mark.parametrize("closed", ["2>&-", ">&-", "<&- >&- 2>&-"])
@pytest.mark.slow
def test_a_closed_stream_changes_no_file(folder, closed):
    # `run_forked` opens the streams anew, so these are started by a shell.
    options = ["--methods", "auc", "--budget", "3", "--out", "out", *QUICK]
    command = " ".join([*COMMAND, *PRICED, *options])
    result = subprocess.run(["sh", "-c", f"exec {command} {closed}"], cwd=folder)
    assert result.returncode == 0
    assert sorted(file.name for file in (folder / "out").iterdir()) == [
        *("model-3.zip", "progress.sqlite", "report.html", "selection.json")
    ]


@pytest.mark.slow
def test_an_error_with_standard_error_closed_keeps_its_exit_code(folder):
    command = " ".join([*COMMAND, "select", "nothing.csv", *map(str, OPTIONS)])
    result = subprocess.run(
        ["sh", "-c", f"exec {command} 2>&-"], cwd=folder, capture_output=True, text=True
    )
    assert (result.returncode, result.stdout) == (2, "")
