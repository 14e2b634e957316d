"""What describes the package to others says what `pyproject.toml` says."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
PROJECT = PYPROJECT["project"]
RECIPE = (ROOT / "packaging" / "conda" / "recipe.yaml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("file", "line"),
    [
        ("CITATION.cff", "version: {}"),
        ("packaging/conda/recipe.yaml", '  version: "{}"'),
        ("r/DESCRIPTION", "Version: {}"),
    ],
)
def test_every_file_has_the_same_version(file, line):
    lines = (ROOT / file).read_text(encoding="utf-8").splitlines()
    assert line.format(PROJECT["version"]) in lines


def test_the_recipe_needs_what_the_package_needs():
    run = RECIPE.split("  run:\n")[1].split("\n\n")[0]
    needed = [line.strip("- ").replace(" ", "") for line in run.splitlines()]
    assert needed == ["python" + PROJECT["requires-python"], *PROJECT["dependencies"]]
    host = RECIPE.split("  host:\n")[1].split("  run:\n")[0].replace(" ", "")
    assert all(f"-{name}\n" in host for name in PYPROJECT["build-system"]["requires"])


def test_every_version_of_python_is_named_built_and_tried():
    named = re.findall(r":: (3\.\d+)$", "\n".join(PROJECT["classifiers"]), re.MULTILINE)
    assert PROJECT["requires-python"] == f">={named[0]}"
    built = PYPROJECT["tool"]["cibuildwheel"]["build"]
    tags = [f"cp{version.replace('.', '')}" for version in named]
    assert built == [*(f"{tag}-*" for tag in tags), f"{tags[-1]}t-*"]
    tried = (ROOT / "tests" / "packages" / "interpreters.py").read_text(encoding="utf-8")
    assert f"VERSIONS = {(*named, named[-1] + 't')}".replace("'", '"') in tried
    tests = (ROOT / ".github" / "workflows" / "tests.yml").read_text(encoding="utf-8")
    assert f'["{named[0]}", "{named[-1]}"]' in tests
