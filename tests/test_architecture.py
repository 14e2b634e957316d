"""The order of the modules, the public names, and what an import may cost."""

import ast
import re
import subprocess
import sys
from doctest import DocTestFinder
from pathlib import Path

import pytest

import frugalforest

PACKAGE = Path(frugalforest.__file__).parent

# Each line may import from the lines above it, and what stands in one line not from each other. A
# room that is named whole is free inside; of one that is split, the names with a dot come first.
ORDER = [
    {"errors", "running.interrupts", "running.seeds", "words"},
    {"results.totals", "scores.facts", "storage.memory"},
    {"running.cluster", "running.progress", "storage.database", "storage.delimited"}
    | {"storage.files", "storage.records"},
    {"_core", "costs", "datasets", "storage.ledger", "tables"},
    {"engine", "evaluation.row_groups", "running", "storage", "tables.screening"},
    {"scores"},
    {"evaluation.calibration", "evaluation.diagnosis", "problem"},
    {"evaluation.number_diagnosis"},
    {"evaluation.diagnoses"},
    {"evaluation.resampling", "methods.criterion", "model.final"},
    {"evaluation"},
    {"methods"},
    {"choice", "model"},
    {"results.frontier"},
    {"results"},
    {"results.findings", "results.looks"},
    {"plotting", "report"},  # they see results, not what made them
    {"comparison"},
    {"estimators"},  # they take the road of `compare`
    {"study"},
    {"cli"},
    {"__main__"},
]
LEVEL = {module: level for level, modules in enumerate(ORDER) for module in modules}

# What page and pictures may see: what was found, not what made it.
RESULTS = {"results", "results.findings", "results.frontier", "results.looks", "results.totals"}
EVIDENCE = {"evaluation", "evaluation.diagnoses", "evaluation.diagnosis", "scores.facts", "words"}
EVIDENCE |= {"evaluation.number_diagnosis", "evaluation.resampling"}
# Narrower than the order allows.
ONLY = {
    "datasets": {"errors"},  # usable without an engine
    "engine": {"errors", "_core"},  # knows no names, prices or budgets
    # Types, whatever made them.
    "results": (EVIDENCE - {"evaluation"}) | {"results.frontier", "results.totals"},
    "plotting": EVIDENCE | RESULTS,
    "report": EVIDENCE | RESULTS,
}

PUBLIC_NAMES = [
    "AUCSelector",
    "BackwardSelector",
    "Comparison",
    "CostModel",
    "ForwardSelector",
    "FrugalForestClassifier",
    "FrugalForestRegressor",
    "LinearSelector",
    "PermutationSelector",
    "ShallowTreeSelector",
    "XiSearch",
    "compare",
]

# None of these is needed to choose features; they load when they are used.
HEAVY = [
    "matplotlib",
    "pandas",
    "polars",
    "jinja2",
    "typer",
    "rich",
    "dask",
    "distributed",
    "optuna",
]


def place_of(dotted):
    """What of the order a module belongs to: the longest name there that it begins with."""
    parts = dotted.split(".")
    names = [".".join(parts[:end]) for end in range(len(parts), 0, -1)]
    return next((name for name in names if name in LEVEL), parts[0])


def sources():
    """(place in the order, file) of every Python file."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts != ("__init__",):
            yield place_of(".".join(parts)), file


def imported_modules(file):
    """The places in the order of all that a file imports of the package, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}:{node.lineno}: write the import in full"
            # Of `from a import b`, b may be a module. Public names are not for inside.
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "frugalforest":
                yield place_of(rest), node.lineno


def test_every_module_has_its_place_in_the_order():
    assert {module for module, _ in sources()} <= set(LEVEL)


@pytest.mark.parametrize(
    ("module", "file"), [pytest.param(*s, id=str(s[1].relative_to(PACKAGE))) for s in sources()]
)
def test_imports_point_one_way(module, file):
    for imported, line in imported_modules(file):
        if imported == module:
            continue  # files of one room
        place = f"{file.relative_to(PACKAGE)}:{line} imports {imported!r}"
        assert imported in LEVEL, f"{place}, which is no module: import names from their own module"
        assert LEVEL[imported] < LEVEL[module], f"{place}, which does not come before {module!r}"
        if module in ONLY:
            assert imported in ONLY[module], f"{place}, but may import {ONLY[module]} only"


def test_only_the_engine_uses_the_compiled_module():
    users = {
        module for module, file in sources() for m, _ in imported_modules(file) if m == "_core"
    }
    assert users == {"engine"}


# Names by which a module asks for one kind of outcome.
KINDS = {"Classes", "Numbers", "ClassScore", "NumberScore"}
KINDS |= {"as_classes", "as_class_score", "class_target"}


def asks_for_a_kind(file):
    found = set()
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        found |= {getattr(node, field, None) for field in ("id", "attr", "name")}
    return bool(found & KINDS)


def test_the_modules_that_know_a_kind_of_outcome_are_those_that_are_listed():
    known = {
        str(file.relative_to(PACKAGE).with_suffix(""))
        for _, file in sources()
        if asks_for_a_kind(file) and file.name != "__init__.py" and file.parent.name != "engine"
    }
    text = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    (listed,) = re.findall(r"a test keeps the list:\n\n```text\n(.*?)```", text, re.DOTALL)
    assert known == set(listed.split())


def test_the_order_check_sees_a_wrong_import(tmp_path):
    file = tmp_path / "costs.py"
    file.write_text("def f():\n    from frugalforest import engine\n    import frugalforest.cli\n")
    assert list(imported_modules(file)) == [("engine", 2), ("cli", 3)]


def test_the_files_that_answer_a_newcomers_questions_exist():
    page = Path(__file__).parents[1] / "docs" / "architecture.md"
    table = page.read_text(encoding="utf-8").split("## Where is")[1].split("\n## ")[0]
    named = re.findall(r"`([\w/]+\.py)`", table)
    assert len(named) >= 12
    assert [name for name in named if not (PACKAGE / name).is_file()] == []


def test_public_names_are_those_promised():
    assert frugalforest.__all__ == sorted(PUBLIC_NAMES)


def test_a_star_import_brings_the_public_names_and_no_others():
    namespace = {}
    exec("from frugalforest import *", namespace)
    assert set(namespace) - {"__builtins__"} == set(PUBLIC_NAMES)


@pytest.mark.parametrize("name", PUBLIC_NAMES)
def test_every_public_name_has_an_example_in_its_docstring(name):
    # That examples run as they are shown, the doctests see to.
    (found,) = DocTestFinder(recurse=False).find(getattr(frugalforest, name), name)
    assert found.examples


def modules_loaded_by(*imports):
    code = f"import sys, {', '.join(imports)}; print('\\n'.join(sys.modules))"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.slow
def test_importing_the_package_loads_no_plotting_frame_web_or_cluster_library():
    # scikit-learn itself loads pandas and rich where they are installed: not ours to change.
    peers = modules_loaded_by("sklearn.ensemble", "sklearn.feature_selection")
    loaded = modules_loaded_by("frugalforest")
    assert "frugalforest" in loaded
    assert (loaded - peers) & set(HEAVY) == set()
