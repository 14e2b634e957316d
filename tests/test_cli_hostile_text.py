"""Names and cells that mean something to a terminal or to a spreadsheet."""

import pandas as pd
import pytest

from frugalforest.tables import table_text
from frugalforest.words.formats import spreadsheet_text
from reference.forked_cli import run_forked
from reference.patients import PRICED, QUICK, SELECT

ESCAPE = "\x1b[2J\x1b]0;title\x07\u202e"
FORMULAS = ["=cmd|'/c calc'!A0", "@SUM(1)", "+cmd|'/c calc'!A0", "-2+3+HYPERLINK(1)", "\t=1"]
HARMLESS = ["", "-", "+", "+ve", "-ve", "-1.5", "+2e3", "a=b", "01", "it's", "(5)", "2024-05-31"]


def check_printable(result):
    assert all(c.isprintable() or c == "\n" for c in result.stdout + result.stderr)


@pytest.mark.slow
def test_a_folder_does_not_control_the_terminal(folder):
    out = f"out{ESCAPE}"
    options = ["--methods", "auc", "--budget", 3, *QUICK]
    result = run_forked(*PRICED, *options, "--out", out, cwd=folder)
    assert result.returncode == 0, result.stderr
    assert "Report:   out" in result.stdout
    check_printable(result)
    # With a warning that names a file in it, and with an error.
    ledger = folder / out / "progress.sqlite"
    content = ledger.read_bytes()
    ledger.write_bytes(content.replace(b'"brier"', b'"Brier"'))
    assert ledger.read_bytes() != content
    result = run_forked(*PRICED, *options, "--out", out, cwd=folder)
    assert "kept results that are damaged" in result.stderr
    check_printable(result)
    result = run_forked(*PRICED, *options, "--out", f"data.csv/{out}", cwd=folder)
    assert result.returncode == 2
    check_printable(result)


@pytest.mark.slow
def test_the_folder_of_a_study_does_not_control_the_terminal(tmp_path):
    study = ["smoke", "--sims", 1, "--methods", "auc", "--store", "store.sqlite"]
    assert run_forked("study", "run", *study, cwd=tmp_path).returncode == 0
    result = run_forked("study", "tables", *study, "--out", f"out{ESCAPE}", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "draws.csv" in result.stdout
    check_printable(result)


@pytest.mark.parametrize("text", FORMULAS)
def test_a_formula_is_written_as_text(text):
    assert spreadsheet_text(text) == f"'{text}"


@pytest.mark.parametrize("text", HARMLESS)
def test_other_texts_are_written_as_they_are(text):
    assert spreadsheet_text(text) == text


def test_a_written_table_holds_no_formulas_in_names_and_cells():
    frame = pd.DataFrame({"=name": [*FORMULAS, None], "size": range(-3, 3)})
    lines = table_text(frame, "\t").splitlines()
    assert lines[0] == "'=name\tsize"
    assert lines[1:3] == ["'=cmd|'/c calc'!A0\t-3", "'@SUM(1)\t-2"]
    assert lines[-1] == "\t2"
    assert frame.columns[0] == "=name"  # the table itself is as it was
    assert frame.iloc[0, 0] == FORMULAS[0]


def test_predictions_hold_no_formula_from_a_model(folder):
    # Classes come from the model, which may be someone else's.
    data = (folder / "data.csv").read_text()
    (folder / "data.csv").write_text(data.replace(",high\n", ",=cmd()\n"))
    options = ["--methods", "auc", "--budget", 3, "--out", "out", *QUICK]
    assert run_forked(*SELECT, *options, cwd=folder).returncode == 0
    command = ["predict", "out/model-3.zip", "data.csv"]
    printed = run_forked(*command, cwd=folder).stdout
    assert run_forked(*command, "--out", "p.csv", cwd=folder).returncode == 0
    assert (folder / "p.csv").read_text() == printed
    predicted = pd.read_csv(folder / "p.csv")
    assert set(predicted["predicted"]) == {"low", "mid", "'=cmd()"}
    assert set(predicted["class"]) == {"low", "mid", "'=cmd()"}
