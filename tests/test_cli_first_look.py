"""Mistakes on the command line are told before anything slow is imported."""

import json
import subprocess
import sys

import pytest
from typer.main import get_command

from frugalforest.cli.app import app
from frugalforest.cli.first_look import first_look, stored_commands
from golden import command_line

SLOW = ("sklearn", "scipy", "pandas", "joblib", "frugalforest.comparison", "frugalforest.study")
TOLD = (
    "import sys\n"
    "from frugalforest.cli import main\n"
    "try:\n"
    "    main()\n"
    "except SystemExit as end:\n"
    f"    found = [name for name in {SLOW!r} if name in sys.modules]\n"
    "    print(end.code, found)\n"
)
SELECT = ["select", "t.csv", "--target", "y"]
MISTAKES = {
    "no table": (["select", "no.csv", "--target", "y"], "there is no file 'no.csv'"),
    "no price list": ([*SELECT, "--costs", "no.csv"], "there is no file 'no.csv'"),
    "a folder": (["init", ".", "--target", "y"], "'.' is a folder"),
    "no model": (["predict", "no.zip", "t.csv"], "there is no file 'no.zip'"),
    "no new rows": (["validate", "t.csv", "no.csv", "--target", "y"], "no file 'no.csv'"),
    "no such option": ([*SELECT, "--budgte", "3"], "No such option: --budgte"),
    "no such command": (["slect"], "Did you mean 'select'?"),
    "no target": (["select", "t.csv"], "Missing option '--target'"),
    "no table named": (["select"], "Missing argument 'DATA'"),
    "no number": ([*SELECT, "--trees", "many"], "'--trees': Input should be a valid integer"),
    "too low a number": ([*SELECT, "--trees", "0"], "greater than or equal to 1"),
    "no amount": ([*SELECT, "--budget", "x"], "--budget: 'x' is no amount of money"),
    "no method": ([*SELECT, "--methods", "auc,auk"], "--methods: 'auk' is not known"),
    "no final model": ([*SELECT, "--final", "tree"], "--final: 'tree' is not known"),
}


@pytest.mark.parametrize(("arguments", "expected"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_is_told_without_slow_imports(arguments, expected, tmp_path):
    (tmp_path / "t.csv").write_text("x,y\n1,a\n2,b\n")
    run = [sys.executable, "-c", TOLD, *arguments]
    told = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert expected in told.stderr
    assert told.stderr.count("\n") == 1
    assert told.stdout == "2 []\n"


def test_several_files_that_are_not_there_are_a_line_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"no file .a\.csv.*\n.*no file .b\.csv"):
        first_look(["select", "a.csv", "--target", "y", "--costs", "b.csv"])


def test_every_form_of_every_option_is_known():
    stored, commands = (get_command(each).commands for each in (stored_commands(), app))
    for name, command in stored.items():
        known, own = (
            {form for option in each.params for form in (*option.opts, *option.secondary_opts)}
            for each in (command, commands[name])
        )
        assert known == own, name


@pytest.mark.parametrize("arguments", [[], ["--help"], ["select", "--help"], ["study", "run"]])
def test_what_is_no_plain_command_is_left_to_the_commands(arguments):
    first_look(arguments)


def test_the_stored_options_are_those_of_the_commands():
    stored = command_line.FILE.read_text(encoding="utf-8")
    assert json.loads(stored) == command_line.described(), "run tests/golden/command_line.py"
    assert stored == command_line.text()


def test_the_package_has_its_names_without_importing_them():
    code = (
        "import sys, frugalforest\n"
        "assert 'sklearn' not in sys.modules\n"
        "assert set(frugalforest.__all__) <= set(dir(frugalforest))\n"
        "for name in frugalforest.__all__: getattr(frugalforest, name)\n"
        "assert not hasattr(frugalforest, 'Forest')\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_rooms_of_the_package_are_there_without_an_import_of_their_own():
    said = "import frugalforest; print(frugalforest.datasets.__name__, hasattr(frugalforest, 'no'))"
    found = subprocess.run([sys.executable, "-c", said], capture_output=True, text=True, check=True)
    assert found.stdout == "frugalforest.datasets False\n"
