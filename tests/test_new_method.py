"""A method is one file: registered, it appears everywhere without another edit."""

import json
import subprocess
import sys

import pytest

# What a file with a new method holds. It proposes the cheapest single features.
DUMMY = """
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from frugalforest.methods import Candidate, Method, Origin, Step, register


@register
@dataclass(frozen=True)
class Cheapest(Method):
    name: ClassVar[str] = "cheapest"
    label: ClassVar[str] = "Cheapest features"
    summary: ClassVar[str] = "proposes single features, the cheapest first."
    colour: ClassVar[str] = "#123456"
    marker: ClassVar[str] = "pentagon"

    def propose(self, problem, budgets):
        found = {}
        for budget in budgets:
            prices = problem.prices.alone
            affordable = [j for j in np.argsort(prices).tolist() if budget.fits(float(prices[j]))]
            found[budget] = [
                Candidate((j,), float(prices[j]), (Step((j,), 0.0, float(prices[j])),),
                          Origin(self.name, variant=f"number {place}"))
                for place, j in enumerate(affordable)
            ]
        return found
"""

USE = """
import sys
from pathlib import Path

import matplotlib
matplotlib.use("Agg")
import numpy as np
import pandas as pd

import cheapest
from frugalforest import FrugalForestClassifier, compare

folder = Path(sys.argv[1])
rng = np.random.default_rng(0)
labels = np.arange(90) % 2
X = pd.DataFrame({name: labels * (j % 2) + rng.normal(size=90) for j, name in enumerate("abcd")})
prices = {"a": 1, "b": 2, "c": 3, "d": 4}

result = compare(X, labels, prices, [2, 5], ["auc", "cheapest"], n_trees=15, n_resamples=2)
result.to_html(folder / "page.html")
result.save(folder / "results.json")
assert result.selection(2, "cheapest").features in (("a",), ("b",))

model = FrugalForestClassifier(prices, budget=2, method="cheapest", n_trees=15, random_state=0)
assert model.fit(X, labels).method_ == "cheapest"

from frugalforest.plotting import FrontierDisplay
display = FrontierDisplay.from_comparison(result)
names = [text.get_text() for text in display.figure_.findobj(matplotlib.text.Text)]
assert any("Cheapest features" in name for name in names), names

X.assign(y=labels).to_csv(folder / "data.csv", index=False)
pd.DataFrame({"feature": list(prices), "cost": list(prices.values())}).to_csv(
    folder / "prices.csv", index=False)
from frugalforest.cli import main
sys.argv = ["frugalforest", "select", str(folder / "data.csv"), "--target", "y", "--costs",
            str(folder / "prices.csv"), "--budget", "3", "--methods", "cheapest,sts", "--trees",
            "15", "--resamples", "2", "--jobs", "1", "--out", str(folder / "out")]
try:
    main()
except SystemExit as end:
    assert end.code == 0

from frugalforest.study import get_design
from frugalforest.study.run import run
from frugalforest.study.store import Store
from frugalforest.study.tables import write_tables
design = get_design("smoke", n_replicates=1, methods=["auc", "cheapest"])
with Store(folder / "study.sqlite", create=True) as store:
    run(design, store)
    write_tables(design, store, folder / "tables")
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Everything that was made in a process in which the new method is registered."""
    folder = tmp_path_factory.mktemp("new method")
    (folder / "cheapest.py").write_text(DUMMY)
    (folder / "use.py").write_text(USE)
    done = subprocess.run(
        [sys.executable, "use.py", str(folder)], cwd=folder, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    (folder / "printed.txt").write_text(done.stdout)
    return folder


def test_a_new_method_is_in_the_results_with_its_own_look(folder):
    results = json.loads((folder / "results.json").read_text())
    facts = {method["name"]: method for method in results["methods_used"]}
    assert facts["cheapest"]["label"] == "Cheapest features"
    assert facts["cheapest"]["colour"] == "#123456"
    assert facts["cheapest"]["has_xi"] is False


def test_a_new_method_is_on_the_page_by_its_label_and_colour(folder):
    page = (folder / "page.html").read_text()
    assert "Cheapest features" in page
    assert "#123456" in page
    assert "proposes single features, the cheapest first" in page


def test_a_new_method_is_on_the_command_line(folder):
    printed = (folder / "printed.txt").read_text()
    assert "cheapest" in printed
    assert "Cheapest features" in (folder / "out" / "report.html").read_text()


def test_a_new_method_is_in_the_study(folder):
    cells = (folder / "tables" / "cells.csv").read_text()
    assert "cheapest" in cells
