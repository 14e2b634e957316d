"""The R package: its own tests and its vignette, in a fresh R."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "r"
PAGE = PACKAGE.parent / "docs" / "from-r.md"
NEEDED = "all(c('reticulate', 'testthat') %in% rownames(installed.packages()))"


def rscript(code, cwd, library):
    """Run a piece of R in a process of its own, with the package and this Python."""
    environment = os.environ | {"RETICULATE_PYTHON": sys.executable, "R_LIBS": str(library)}
    return subprocess.run(
        ["Rscript", "--vanilla", "-e", code],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def r_is_there():
    return (
        shutil.which("Rscript") is not None and "TRUE" in rscript(f"cat({NEEDED})", "/", "").stdout
    )


pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not r_is_there(), reason="needs R with reticulate and testthat"),
]


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    folder = tmp_path_factory.mktemp("library")
    command = ["R", "CMD", "INSTALL", "--no-test-load", f"--library={folder}", str(PACKAGE)]
    subprocess.run(command, check=True, capture_output=True, timeout=300)
    return folder


def test_the_tests_of_the_package_pass(library, tmp_path):
    tests = tmp_path / "testthat"
    shutil.copytree(PACKAGE / "tests" / "testthat", tests)
    code = (
        "options(warn = 1); testthat::test_dir('testthat', package = 'frugalforest', "
        "load_package = 'installed', reporter = 'check', stop_on_failure = TRUE, "
        "stop_on_warning = TRUE)"
    )
    result = rscript(code, tmp_path, library)
    assert result.returncode == 0, result.stdout + result.stderr
    assert int(re.search(r"PASS (\d+)", result.stdout)[1]) > 100
    # Neither processes nor files are left to be cleaned up by others.
    assert "leaked" not in result.stderr


@pytest.mark.parametrize(
    "page", [PACKAGE / "vignettes" / "frugalforest.Rmd", PAGE], ids=lambda page: page.name
)
def test_the_code_on_the_page_runs(page, library, tmp_path):
    text = page.read_text(encoding="utf-8")
    chunks = re.findall(r"^```(?:\{r(?!, eval = FALSE)[^}]*\}|r)\n(.*?)^```$", text, re.M | re.S)
    assert chunks
    result = rscript("\n".join(chunks), tmp_path, library)
    assert result.returncode == 0, result.stdout + result.stderr


def test_without_python_there_is_one_line(library, tmp_path):
    nowhere = "Sys.setenv(RETICULATE_PYTHON = ''); options(reticulate.conda_binary = '')"
    code = (
        f"{nowhere}; assignInNamespace('py_module_available', function(...) FALSE, 'reticulate'); "
        "frugalforest::ff_select(iris[-5], iris$Species)"
    )
    result = rscript(code, tmp_path, library)
    assert result.returncode == 1
    assert "Error: Python's package frugalforest was not found. Install it with" in result.stderr


def test_every_function_has_a_page_of_help():
    exported = re.findall(r"^export\((\w+)\)$", (PACKAGE / "NAMESPACE").read_text(), re.M)
    pages = "".join(page.read_text() for page in (PACKAGE / "man").glob("*.Rd"))
    for name in exported:
        assert f"\\alias{{{name}}}" in pages


def test_the_version_is_that_of_the_python_package():
    version = re.search(
        r'^version = "(.*)"$', (PACKAGE.parent / "pyproject.toml").read_text(), re.M
    )
    assert f"\nVersion: {version[1]}\n" in (PACKAGE / "DESCRIPTION").read_text()
