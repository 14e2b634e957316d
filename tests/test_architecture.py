"""The order of the modules, the public names, and what an import may cost."""

import ast
import subprocess
import sys
from doctest import DocTestFinder
from pathlib import Path

import pytest

import frugalforest

PACKAGE = Path(frugalforest.__file__).parent

# Each line may import from the lines above it, and modules of one line not from each other. Modules
# not written yet are listed too: the order is the plan.
ORDER = [
    {"documentation", "errors", "formats", "interrupts", "missing", "numerals", "seeds", "wording"},
    {"memory", "score_facts", "totals"},
    {"cluster", "files", "database", "delimited", "progress", "records"},
    {"_core", "costs", "datasets", "ledger", "tables"},
    {"engine", "row_groups", "runner", "screening"},
    {"scores"},
    {"calibration", "diagnosis", "problem"},
    {"criterion", "final", "resampling"},
    {"parts", "validation"},
    {"methods"},
    {"choice", "model"},
    {"tuning"},
    {"estimators"},
    {"frontier"},
    {"results"},
    {"findings", "looks"},
    {"plotting", "report"},  # they see results, not what made them
    {"comparison"},
    {"study"},
    {"cli"},
    {"__main__"},
]
LEVEL = {module: level for level, modules in enumerate(ORDER) for module in modules}

# What page and pictures may see: what was found, not what made it.
SHOWING = {"diagnosis", "findings", "formats", "frontier", "looks", "resampling", "results"} | {
    "score_facts",
    "totals",
    "validation",
}
# Narrower than the order allows.
ONLY = {
    "datasets": {"errors"},  # usable without an engine
    "engine": {"errors", "_core"},  # knows no names, prices or budgets
    # Types, whatever made them.
    "results": {"diagnosis", "formats", "frontier", "resampling", "score_facts", "totals"},
    "plotting": SHOWING,
    "report": SHOWING,
}

PUBLIC_NAMES = [
    "AUCSelector",
    "BackwardSelector",
    "Comparison",
    "CostModel",
    "ForwardSelector",
    "FrugalForestClassifier",
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


def sources():
    """(module, file) of every Python file; the files of a subpackage count as one module."""
    for file in sorted(PACKAGE.rglob("*.py")):
        parts = file.relative_to(PACKAGE).with_suffix("").parts
        if parts != ("__init__",):
            yield parts[0], file


def imported_modules(file):
    """The package's own modules that a file imports, anywhere in it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{file.name}:{node.lineno}: write the import in full"
            # `from frugalforest import x`: x may be a module. Public names are not for inside.
            names = (
                [f"frugalforest.{alias.name}" for alias in node.names]
                if node.module == "frugalforest"
                else [node.module]
            )
        else:
            continue
        for name in names:
            top, _, rest = name.partition(".")
            if top == "frugalforest":
                yield rest.partition(".")[0], node.lineno


def test_every_module_has_its_place_in_the_order():
    assert {module for module, _ in sources()} <= set(LEVEL)


@pytest.mark.parametrize(
    ("module", "file"), [pytest.param(*s, id=str(s[1].relative_to(PACKAGE))) for s in sources()]
)
def test_imports_point_one_way(module, file):
    for imported, line in imported_modules(file):
        if imported == module:
            continue  # files of one subpackage
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


def test_the_order_check_sees_a_wrong_import(tmp_path):
    file = tmp_path / "costs.py"
    file.write_text("def f():\n    from frugalforest import engine\n    import frugalforest.cli\n")
    assert list(imported_modules(file)) == [("engine", 2), ("cli", 3)]


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
