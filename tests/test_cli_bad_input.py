"""What a user can fix ends in one line and exit code 2, and leaves nothing behind."""

import pytest

from reference.forked_cli import run_forked
from reference.patients import PRICED, SELECT, check_one_line, run


def write(folder, content):
    if isinstance(content, str):
        content = content.encode()
    if content is not None:
        (folder / "data.csv").write_bytes(content)


ONE_CLASS = "age,class\n" + "1,a\n" * 9
OPTIONS = ["--target", "class", "--budget", 3]
BAD_SELECT = {
    "missing file": (None, ["nothing.csv", *OPTIONS], "there is no file 'nothing.csv'"),
    "unknown format": (None, ["table.doc", *OPTIONS], "this kind of file cannot be read"),
    "broken parquet": (None, ["broken.parquet", *OPTIONS], "cannot be read as Parquet"),
    "broken spreadsheet": (None, ["broken.xlsx", *OPTIONS], "cannot be read as Excel"),
    "wrong target": (
        None,
        ["data.csv", "--target", "clas", "--budget", 3],
        "data.csv has no column 'clas'. Did you mean 'class'?",
    ),
    "wrong column to drop": (None, ["data.csv", *OPTIONS, "--drop", "idd"], "Did you mean 'id'?"),
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
        "there is no method 'boosting'. The methods are auc, pfi, sts, forward, backward",
    ),
    "wrong xi": (None, [*SELECT[1:], "--budget", 3, "--xi", "auto"], "neither 'tune' nor"),
    "wrong share": (None, [*SELECT[1:], "--budget", 3, "--test-share", 2], "between 0 and 1"),
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
        ["data.csv", *OPTIONS],
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
    "out is a file": (None, [*SELECT[1:], "--budget", 3, "--out", "prices.csv"], "cannot write"),
}


@pytest.mark.parametrize("case", BAD_SELECT)
def test_bad_input_ends_in_one_line_and_leaves_nothing(folder, case):
    content, arguments, message = BAD_SELECT[case]
    write(folder, content)
    before = sorted(folder.rglob("*"))
    check_one_line(run_forked("select", *arguments, cwd=folder), message)
    assert sorted(folder.rglob("*")) == before


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


def test_a_bad_input_shows_no_traceback(folder):
    check_one_line(run("select", "nothing.csv", *OPTIONS, cwd=folder), "no file 'nothing.csv'")
