"""Figures are made from a small run, whole and without warnings. How they look, a person judges."""

from dataclasses import replace

import numpy as np
import pytest

from frugalforest.costs import Budget
from frugalforest.methods import ShallowTreeMethod
from frugalforest.study import Store, example, get_design, run
from frugalforest.study.contestants import label_of
from frugalforest.study.figures import write_figures
from frugalforest.study.finished import read_results

pytest.importorskip("matplotlib")


def one_budget(design, **changes):
    units = tuple(replace(unit, budgets=unit.budgets[1:2], **changes) for unit in design.units)
    return replace(design, units=units)


SMOKE = one_budget(get_design("smoke", 5, ["auc", "pfi", "sts", "fs-0"]))


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    path = tmp_path_factory.mktemp("study") / "store.sqlite"
    with Store(path, create=True) as store:
        run(SMOKE, store)
        yield store


def check(files, names):
    assert {path.stem for path in files} == names
    assert {path.suffix for path in files} == {".pdf", ".png"}
    for path in files:
        content = path.read_bytes()
        assert content.startswith(b"%PDF" if path.suffix == ".pdf" else b"\x89PNG")
        assert len(content) > 5000


NAMES = {
    *("sts_scheme", "strategies_A_1", "strategies_C_1", "methods", "draws"),
    *("real_overview", "real_methods", "critical_differences"),
}


@pytest.fixture(scope="module")
def drawn(store, tmp_path_factory):
    return write_figures(SMOKE, store, tmp_path_factory.mktemp("figures") / "new")


@pytest.mark.slow
def test_every_kind_of_figure_is_drawn_from_a_small_run(drawn):
    check(drawn, NAMES)


@pytest.mark.slow
def test_a_figure_of_the_same_rows_is_the_same_file(drawn, store, tmp_path):
    again = write_figures(SMOKE, store, tmp_path)
    assert [path.name for path in again] == [path.name for path in drawn]
    for one, other in zip(again, drawn, strict=True):
        assert one.read_bytes() == other.read_bytes(), one.name


@pytest.mark.slow
def test_one_replicate_and_one_draw_are_enough(store, tmp_path):
    one = replace(SMOKE, units=SMOKE.units[:2])
    assert {unit.replicate for unit in one.units} == {unit.draw for unit in one.units} == {0}
    check(write_figures(one, store, tmp_path), NAMES)


@pytest.mark.slow
def test_figures_of_real_data_are_drawn(datasets_dir, tmp_path):
    design = get_design("paper-real", 2, ["auc", "sts"])
    design = one_budget(design, effort=SMOKE.units[0].effort, xis=(0.0, 1.0))
    design = replace(design, units=tuple(u for u in design.units if u.source.name == "wdbc"))
    with Store(tmp_path / "store.sqlite", create=True) as store:
        run(design, store, data_dir=str(datasets_dir))
        files = write_figures(design, store, tmp_path / "figures", str(datasets_dir))
    check(files, {"correlations", "real_overview", "real_methods", "critical_differences"})


def test_the_scheme_shows_what_shallow_tree_selection_does():
    shown = example.run_example()
    method = ShallowTreeMethod([example.XI], n_trees=example.N_TREES, max_depth=2)
    budget = Budget(example.BUDGET)
    (candidate,) = method.propose(shown.problem, [budget])[budget]
    assert candidate.features == shown.features
    bought = [(step.gain[step.chosen], step.cost[step.chosen]) for step in shown.iterations]
    np.testing.assert_allclose(bought, [(s.gain, s.cost) for s in candidate.steps], atol=1e-12)
    # A tree becomes free, one is too expensive, a tree of several features is chosen: all is shown.
    assert any(step.free.any() for step in shown.iterations)
    assert any((~step.possible & ~step.free).any() for step in shown.iterations)
    assert any(len(shown.trees[step.chosen].features) > 1 for step in shown.iterations)
    assert all(tree.root in tree.features for tree in shown.trees)


def test_every_contestant_has_a_name_of_its_own(store):
    names = [label_of(contestant) for contestant in read_results(SMOKE, store).contestants]
    assert names[:3] == ["AUC", "AUC-0", "AUC-1"]
    assert len(set(names)) == len(names)
