"""The benchmarks run, on small tables: what is timed once a release must not rot in between."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from frugalforest import CostModel
from frugalforest.study import Store, get_design, run, status
from reference.studies import all_rows

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
DATA = Path(__file__).parents[2] / "shared" / "datasets"
ROWS = BENCHMARKS.parent / "results" / "auto" / "before-one-sentence.csv"
WITH_DATA = pytest.mark.skipif(not DATA.is_dir(), reason="the data sets are missing")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "options", "expected"),
    [
        ("bench_selection.py", ["--full"], "against separate paths"),
        ("bench_errors.py", ["--methods", "sts", "racing"], "racing"),
        ("bench_auto.py", ["--resamples", "2", "--beside", ROWS], "a draw for all budgets"),
        ("bench_auto.py", ["--cost"], "One scikit-learn forest"),
        ("bench_scale.py", [], "at least 8×"),
        ("bench_scale.py", ["--runs"], "from the file to the report"),
        ("bench_features.py", [], "at most 2 s"),
        ("bench_growth.py", [], "auto, budgets"),
        ("bench_defaults.py", [], "resamples repeat it"),
        ("bench_parts.py", [], "| all "),
        ("bench_final.py", [], "| all "),
        ("bench_checks.py", [], "visits of one person"),
        ("bench_trees.py", [], "Seconds a draw: "),
        ("bench_regression.py", [], "Quoted by auto"),
        pytest.param("bench_honesty.py", [], "| all ", marks=WITH_DATA),
        pytest.param("bench_total_cost.py", [], "for each choice", marks=WITH_DATA),
    ],
)
def test_the_benchmark_runs(name, options, expected):
    run = subprocess.run(
        [sys.executable, BENCHMARKS / name, "--quick", *options],
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    last = run.stdout.splitlines()[-1]
    assert expected in last
    assert "\n| " in run.stdout  # the table


@pytest.mark.slow
def test_the_picture_of_auto_is_drawn_from_the_stored_rows(tmp_path):
    picture = tmp_path / "auto.png"
    draw = [sys.executable, "-W", "error::RuntimeWarning", BENCHMARKS / "plot_auto.py"]
    subprocess.run([*draw, ROWS, picture], check=True)
    assert picture.stat().st_size > 10_000


def kept_study(*arguments):
    words = [sys.executable, BENCHMARKS / "kept_study.py", *arguments]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_a_study_goes_on_from_what_is_kept_of_its_store(tmp_path):
    design = get_design("smoke", 1, ["auc", "sts"])
    store, kept, again = (tmp_path / name for name in ("a.sqlite", "folder/store.xz", "b.sqlite"))
    with Store(store, create=True) as file:
        run(design, file)
        assert kept_study("pack", store, kept).returncode == 0  # while it is open
    assert kept_study("unpack", kept, again).returncode == 0
    assert all_rows(again, design) == all_rows(store, design)
    with Store(again) as file:
        assert status(design, file).remaining == 0
    for arguments, message in (
        (("unpack", kept, again), "is there: give the name of a new file"),
        (("unpack", tmp_path / "none", tmp_path / "c"), "no file"),
        (("pack", tmp_path / "none", kept), "no store"),
    ):
        failed = kept_study(*arguments)
        assert (failed.returncode, failed.stderr.count("\n")) == (1, 1)
        assert message in failed.stderr


@pytest.fixture
def cost_rivals(monkeypatch):
    monkeypatch.syspath_prepend(str(BENCHMARKS))
    return pytest.importorskip("cost_rivals")


LOSSES = np.array([[0.0, 10.0], [40.0, 0.0]])


def test_measuring_nothing_gives_the_cheapest_answer(cost_rivals):
    y = np.array([0] * 6 + [1] * 4)
    bill = cost_rivals.nothing(y, np.array([0, 0, 0, 1]), LOSSES)
    assert (bill.measurements, bill.errors, bill.n_features) == (0.0, 7.5, 0)
    bill = cost_rivals.nothing(np.array([0] * 9 + [1]), np.array([0, 0, 0, 1]), LOSSES)
    assert bill.errors == 10.0


def test_questions_are_about_values_and_gaps_of_the_rows_learned_from(cost_rivals):
    X = np.array([[0.0, 1.0, 5.0], [1.0, np.nan, 5.0], [2.0, 2.0, 5.0]])
    cuts = cost_rivals.Cuts(X)
    assert cuts.column.tolist() == [0, 0, 1, 1, 2]
    answers = cuts.transform(np.array([[1.5, np.nan, 9.0], [-1.0, 3.0, 5.0]]))
    assert answers.tolist() == [[1, 1, 0, 1, 1], [0, 0, 1, 0, 0]]


def test_a_tree_is_billed_as_it_bills_itself(cost_rivals):
    pystreed = pytest.importorskip("pystreed")
    rng = np.random.default_rng(0)
    X = rng.normal(size=(80, 3))
    y = ((X[:, 0] > 0) & (X[:, 1] + X[:, 2] > 0)).astype(np.intp)
    model = CostModel([1.0, 2.0, 1.5], groups=[None, "blood", "blood"], group_costs={"blood": 3.0})
    losses = 10 * LOSSES  # dear enough for several tests
    prices = model.align(["a", "b", "c"])
    one_by_one, panel = cost_rivals.optimal_tree(X, y, X, y, prices, losses)
    cuts = cost_rivals.Cuts(X)
    tree = pystreed.STreeDCostSensitiveClassifier(max_depth=4, hyper_tune=True)
    answers = cuts.transform(X)
    tree.fit(answers, y, cost_rivals._specify(cuts, prices, losses))
    # Its score is in units of all tests for everybody plus the dearest error for the rarer class.
    unit = prices.total([0, 1, 2]) + losses.max() * min(y.mean(), 1 - y.mean())
    total = one_by_one.measurements + one_by_one.errors
    assert total == pytest.approx(tree.score(answers, y) * unit)
    assert panel.errors == one_by_one.errors
    assert 0 < one_by_one.measurements < panel.measurements <= prices.total([0, 1, 2])
