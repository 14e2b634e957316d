"""Every piece of code in README and docs does what a reader would do with it.

What a block is, its first line says::

    python      is run, in order, one namespace a page
    console     lines after `$` are commands of frugalforest, and are run
    csv NAME    is the content of the file of that name
    r           is run by tests/test_r_package.py
    sh          `make` targets and `pip install`: checked to exist, not run
    text        is not code

Runs are made small: few rows, few trees, few repeats. Nothing else is changed.
"""

import re
import shlex
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import matplotlib
import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from matplotlib import pyplot
from typer.testing import CliRunner

import frugalforest
import frugalforest.datasets
import frugalforest.methods
import frugalforest.plotting
from frugalforest.cli.app import app
from frugalforest.study.design import get_design

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
FENCE = re.compile(r"^```([^\n`]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
SMALL = ["--trees", "20", "--resamples", "2", "--jobs", "1"]


class Block(NamedTuple):
    kind: str
    name: str
    code: str
    line: int


def blocks_of(text):
    """The blocks of a page, but for directives of the site."""
    for match in FENCE.finditer(text):
        kind, _, name = match[1].strip().partition(" ")
        if not kind.startswith("{"):
            yield Block(kind, name, match[2], text.count("\n", 0, match.start()) + 2)


def pages_with(*kinds):
    return [
        pytest.param(page, id=page.name)
        for page in PAGES
        if any(block.kind in kinds for block in blocks_of(page.read_text(encoding="utf-8")))
    ]


# --- what the pages are run on ------------------------------------------------------------------


@pytest.fixture
def small_runs(monkeypatch, tmp_path):
    """Few rows, few trees, few repeats, and a folder to write to."""
    monkeypatch.chdir(tmp_path)
    matplotlib.use("Agg")
    load, compare = sklearn.datasets.load_breast_cancer, frugalforest.compare

    def load_few(**options):
        if not options.get("return_X_y"):
            return load(**options)  # as the demo does
        X, y = load(**options)
        rows = np.r_[0:40, 480:520]  # some of both classes
        return X.iloc[rows], y.iloc[rows]

    def compare_little(*arguments, **options):
        return compare(*arguments, **options | {"n_trees": 20, "n_resamples": 2, "verbose": 0})

    monkeypatch.setattr(sklearn.datasets, "load_breast_cancer", load_few)
    monkeypatch.setattr(frugalforest, "compare", compare_little)
    yield tmp_path
    pyplot.close("all")


@pytest.fixture
def patients(small_runs):
    """The tables that the README speaks of."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        rng.normal(size=(60, 4)), columns=["age", "cholesterol", "glucose", "ecg"]
    ).round(3)
    ill = frame["cholesterol"] + frame["ecg"] > 0
    frame.drop(columns="age").assign(age=50).to_csv("new_patients.csv", index=False)
    frame.assign(diagnosis=np.where(ill, "ill", "well")).to_csv("patients.csv", index=False)
    return small_runs


def run_page(text, name):
    """Run a page's code, and say where on the page it failed."""
    namespace = {"__name__": "__main__"}
    for block in blocks_of(text):  # a command may stand above the file that it reads
        if block.kind == "csv":
            Path(block.name).write_text(block.code, encoding="utf-8")
    for block in blocks_of(text):
        if block.kind == "python":
            # Lines of the page in a traceback are those of the file.
            code = compile("\n" * (block.line - 1) + block.code, name, "exec")
            exec(code, namespace)
        elif block.kind == "console":
            for command in commands_of(block):
                run_command(command)


def commands_of(block):
    for line in block.code.splitlines():
        if line.startswith("$ "):
            yield shlex.split(line[2:])


def run_command(words):
    assert words[0] == "frugalforest", f"not a command of ours: {words}"
    result = CliRunner().invoke(app, made_small(words[1:]))
    assert result.exit_code == 0, f"{shlex.join(words)}: {result.output}"


def made_small(words):
    """A command with few trees and repeats; of the study, the design that takes seconds."""
    if words[0] in ("select", "demo"):
        return [*words, *SMALL]
    if words[0] != "study":
        return words
    options = dict(zip(words[3::2], words[4::2], strict=True))
    given = {
        name: options[name].split(",") for name in ("--methods", "--sources") if name in options
    }
    get_design(words[2], 1, given.get("--methods"), given.get("--sources"))  # says what is unknown
    options.pop("--sources", None)
    options |= {"--sims": "1", "--store": "smoke.sqlite"}
    return [*words[:2], "smoke", *(word for option in options.items() for word in option)]


# --- the tests ----------------------------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with("python", "console"))
@pytest.mark.usefixtures("patients")
def test_the_code_on_the_page_runs(page):
    run_page(page.read_text(encoding="utf-8"), page.name)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_every_block_says_what_it_is(page):
    text = page.read_text(encoding="utf-8")
    for block in blocks_of(text):
        where = f"{page.name}:{block.line}"
        assert block.kind in ("python", "console", "csv", "r", "sh", "text"), where
        assert (block.kind == "csv") == bool(block.name), where
        if block.kind == "text":
            assert "frugalforest " not in block.code, f"{where} is a command: mark it as console"
            assert "import " not in block.code, f"{where} is code: mark it as python"
        if block.kind == "console":
            assert list(commands_of(block)), f"{where} has no line that starts with $"
    assert text.count("\n```") + text.startswith("```") == 2 * len(FENCE.findall(text))


def test_the_pages_have_code():
    kinds = [b.kind for page in PAGES for b in blocks_of(page.read_text(encoding="utf-8"))]
    assert kinds.count("python") >= 10
    assert kinds.count("console") >= 3


def test_targets_and_extras_that_pages_name_exist():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for page in [*PAGES, ROOT / "CONTRIBUTING.md"]:
        text = page.read_text(encoding="utf-8")
        for extras in re.findall(r"frugalforest\[([a-z,]+)\]", text):
            assert set(extras.split(",")) <= set(project["optional-dependencies"]), page.name
        assert set(re.findall(r"`make ([a-z-]+)", text)) <= targets, page.name
        for block in blocks_of(text):
            if block.kind == "sh":
                for line in block.code.splitlines():
                    tool, what, *_ = line.split()
                    assert (tool, what) == ("pip", "install") or (
                        tool == "make" and what in targets
                    )


@pytest.mark.parametrize(
    ("page", "error"),
    [
        ("```python\nfrom frugalforest import nothing_of_that_name\n```\n", ImportError),
        ("```python\nx = 1\n```\ntext\n```python\nassert x == 2\n```\n", AssertionError),
        ("```console\n$ frugalforest predict lacking.zip lacking.csv\n```\n", AssertionError),
        ("```console\n$ frugalforest select --no-such-option\n```\n", AssertionError),
        ("```console\n$ frugalforest study run draws --methods lasso\n```\n", ValueError),
        ("```console\n$ rm file\n```\n", AssertionError),
    ],
)
def test_a_broken_block_is_found(page, error, small_runs):
    with pytest.raises(error):
        run_page(page, "page.md")


@pytest.mark.parametrize(
    "module", ["", ".methods", ".datasets", ".plotting"], ids=lambda name: f"frugalforest{name}"
)
def test_the_reference_lists_every_public_name(module):
    text = (ROOT / "docs" / "api.rst").read_text(encoding="utf-8")
    sections = re.split(r"^\.\. currentmodule:: frugalforest(.*)$", text, flags=re.MULTILINE)
    (listed,) = (
        body for name, body in zip(sections[1::2], sections[2::2], strict=True) if name == module
    )
    names = re.findall(r"^(?:   |\.\. py:data:: )([A-Za-z_]+)$", listed, re.MULTILINE)
    # Selectors can be imported from two places, and have one page.
    public = set(sys.modules[f"frugalforest{module}"].__all__)
    assert set(names) == public - (set(frugalforest.__all__) if module else set())
