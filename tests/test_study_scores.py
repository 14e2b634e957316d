"""A design by each score: chosen by it, measured by it, and kept apart from all others."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from sklearn.metrics import brier_score_loss, log_loss, roc_auc_score
from typer.testing import CliRunner

from frugalforest.engine import Forest
from frugalforest.problem import Problem
from frugalforest.running.runner import run_tasks
from frugalforest.scores import SCORES, vote_error
from frugalforest.study import Store, StudyError, commands, get_design, run, status
from frugalforest.study.design import Design, Effort
from frugalforest.study.finished import read_results
from frugalforest.study.scoring import BY_ERROR, Scoring
from frugalforest.study.sources import Artificial
from frugalforest.study.tables import write_tables
from reference.studies import all_rows

SCORINGS = {name: Scoring(name, 5.0 if name == "cost" else None) for name in SCORES}
OTHERS = [name for name in SCORINGS if name != "error"]


def tiny(name, methods=("auc", "pfi", "sts", "fs-0")):
    """Two units of the smoke design with fewer rows, columns and trees."""
    design = get_design("smoke", 2, methods, ["C"])
    units = tuple(
        replace(
            unit,
            source=Artificial("C", 60, 90, n_features=8, n_relevant=4, n_blocks=2),
            budgets=(1.0, 2.0),
            xis=(0.0, 0.5, 1.0),
            effort=Effort(scoring_trees=30, pfi_trees=20, sts_trees=10, fs_trees=10),
        )
        for unit in design.units
        if unit.draw == 0
    )
    scoring = SCORINGS[name]
    return replace(design, units=units).with_scoring(scoring.name, scoring.error_cost)


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """One store with the design by every score."""
    path = tmp_path_factory.mktemp("study") / "store.sqlite"
    with Store(path, create=True) as store:
        for name in SCORINGS:
            run(tiny(name), store)
            assert status(tiny(name), store).remaining == 0, store.failures(tiny(name))
    return path


@cache
def forest_on(unit, columns):
    """Votes and class shares of the test rows, of a forest grown apart from the study."""
    data = unit.source.load(unit.draw, unit.replicate)
    seed = unit.source.seeds(unit.draw, unit.replicate)["forests"]
    problem = Problem.from_table(data.X_train, data.y_train, random_state=seed)
    forest = Forest(unit.effort.scoring_trees, random_state=problem.forest_seed)
    forest.fit(data.X_train[:, columns], data.y_train)
    votes = forest.predict_proba(data.X_test[:, columns])
    shares = forest.set_params(voting="soft").predict_proba(data.X_test[:, columns])
    return votes, shares, np.bincount(data.y_train), data.y_test


def balanced(shares, counts, y):
    return np.mean([vote_error(shares[y == k] / counts, y[y == k]) for k in (0, 1)])


BY_HAND = {
    "error": lambda votes, shares, counts, y: vote_error(votes, y),
    "balanced_error": lambda votes, shares, counts, y: balanced(shares, counts, y),
    "auc": lambda votes, shares, counts, y: 1 - roc_auc_score(y, shares[:, 1]),
    "brier": lambda votes, shares, counts, y: brier_score_loss(y, shares[:, 1]),
    "log_loss": lambda votes, shares, counts, y: log_loss(y, (shares + 1e-3) / 1.002),
    "cost": lambda votes, shares, counts, y: 5 * vote_error(shares, y),
}


@pytest.mark.parametrize("name", SCORINGS)
def test_what_is_stored_is_the_score_on_the_test_rows(name, path):
    design = tiny(name)
    with Store(path) as store:
        rows = store.candidates(design)
    units = {unit.key: unit for unit in design.units}
    assert {row.method for row in rows} == set(design.methods)
    for row in rows[::3]:
        found = forest_on(
            replace(units[row.key], scoring=BY_ERROR), tuple(map(int, row.features.split()))
        )
        assert row.test_error == pytest.approx(BY_HAND[name](*found), abs=1e-12)


@pytest.mark.parametrize("name", SCORINGS)
def test_tuning_takes_the_lowest_out_of_bag_score(name, path):
    with Store(path) as store:
        tried = store.candidates(tiny(name))
        tuned = [row for row in store.choices(tiny(name)) if row.strategy == "tuned"]
    assert {row.method for row in tuned} == {"auc", "pfi", "sts"}
    for row in tuned:
        same = (row.key, row.method, row.budget)
        curve = [t for t in tried if (t.key, t.method, t.budget) == same]
        assert row.oob_error == min(t.oob_error for t in curve)


def test_scores_choose_differently(path):
    with Store(path) as store:
        chosen = {
            name: [(r.replicate, r.method, r.budget, r.features) for r in store.choices(tiny(name))]
            for name in SCORINGS
        }
    for name in ("balanced_error", "auc", "brier", "log_loss"):
        assert chosen[name] != chosen["error"]
    assert len({len(rows) for rows in chosen.values()}) == 1


@pytest.mark.parametrize("name", OTHERS)
def test_filters_and_shallow_trees_propose_as_for_the_error(name, path):
    def proposed(design):
        with Store(path) as store:
            rows = store.candidates(design)
        return [
            (row.replicate, row.method, row.budget, row.xi, row.features)
            for row in rows
            if row.method in ("auc", "sts")
        ]

    assert proposed(tiny(name)) == proposed(tiny("error")) != []


def test_a_store_of_all_scores_has_of_each_what_a_store_of_its_own_has(path, tmp_path):
    for name in ("error", "auc"):
        alone = tmp_path / f"{name}.sqlite"
        with Store(alone, create=True) as store:
            run(tiny(name), store)
        assert all_rows(alone, tiny(name)) == all_rows(path, tiny(name))


def test_scores_are_told_apart_in_a_store(tmp_path):
    with Store(tmp_path / "store.sqlite", create=True) as store:
        run(tiny("auc", ["auc"]), store)
        assert status(tiny("auc", ["auc"]), store).done == 2
        assert store.candidates(tiny("auc", ["auc"]))
        for name in ("error", "brier", "cost"):
            assert status(tiny(name, ["auc"]), store).done == 0
            assert not store.candidates(tiny(name, ["auc"]))
        with pytest.raises(StudyError, match="no finished unit of 'smoke' with"):
            read_results(tiny("error", ["auc"]), store)
        with pytest.raises(StudyError, match="no finished unit of 'smoke-cost-5' with"):
            read_results(tiny("cost", ["auc"]), store)


def test_another_price_of_an_error_is_another_unit():
    one, other = (get_design("smoke", 1).with_scoring("cost", cost) for cost in (5, 6))
    assert not {unit.key for unit in one.units} & {unit.key for unit in other.units}


def test_a_design_by_the_error_is_the_design_it_was():
    design = get_design("smoke", 1)
    assert design.with_scoring("error") == design.with_scoring(None) == design
    assert design.with_scoring("auc").with_scoring("error") == design
    assert '"scoring":' not in design.units[0].parameters()
    assert '"scoring":' in design.with_scoring("auc").units[0].parameters()
    assert design.with_scoring("auc").units[0].source == design.units[0].source


def test_units_by_different_scores_make_no_design():
    units = (tiny("error").units[0], tiny("auc").units[0])
    with pytest.raises(StudyError, match=r"different scores \(MMCE; 1 − AUC\)"):
        Design("smoke", units, ("auc",))


def test_a_run_goes_on_where_it_was_stopped(path, tmp_path):
    def stopped(tasks, **_):
        yield from run_tasks(tasks[:1], n_jobs=1)

    design = tiny("balanced_error")
    part = tmp_path / "part.sqlite"
    with Store(part, create=True) as store:
        run(design, store, runner=stopped)
        assert status(design, store).done == 1
        run(design, store)
        run(design, store, runner=None)  # nothing is left to do
    assert all_rows(part, design) == all_rows(path, design)


@pytest.mark.slow
@pytest.mark.parametrize("name", OTHERS)
def test_every_method_of_the_study_runs_by_every_score(name, tmp_path):
    design = tiny(name, get_design("smoke").methods)
    with Store(tmp_path / "store.sqlite", create=True) as store:
        run(replace(design, units=design.units[:1]), store)
        assert not store.failures(design)
        assert {row.method for row in store.finished(design)} == set(design.methods)


WORDS = {"balanced_error": "balanced_error", "auc": "one_minus_auc", "brier": "brier"}
WORDS |= {"log_loss": "log_loss", "cost": "error_cost"}


@pytest.mark.parametrize("name", OTHERS)
def test_columns_of_tables_are_named_by_the_score(name, path, tmp_path):
    with Store(path) as store:
        files = write_tables(tiny(name), store, tmp_path)
    header = {file.stem: file.read_text().split("\n")[0] for file in files if file.suffix == ".csv"}
    word = WORDS[name]
    assert f"mean_{word}," in header["cells"]
    assert f"mean_oob_{word}" in header["cells"]
    assert f"mean_{word}," in header["xi"]
    assert f"tuned_{word}," in header["tuning"]
    assert not any("error" in columns.replace(word, "") for columns in header.values())


@pytest.mark.parametrize("name", OTHERS)
def test_figures_say_which_score_they_are_of(name, path):
    figures = pytest.importorskip("frugalforest.study.figures")
    text = pytest.importorskip("matplotlib.text").Text
    with Store(path) as store:
        material = figures.Material(read_results(tiny(name), store), None)
    label = SCORINGS[name].label
    # The scheme shows an example, not the design's results.
    for draw in figures._FIGURES["smoke"][1:]:
        for stem, figure in draw(material):
            words = [found.get_text() for found in figure.findobj(text)]
            assert any(label in w for w in words), stem
            assert not any("MMCE" in w or "error" in w.replace(label, "") for w in words), stem


def study(*arguments):
    return CliRunner().invoke(commands.app, [str(a) for a in arguments])


def test_commands_take_a_score_and_keep_its_files_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["smoke", "--sims", 1, "--methods", "auc", "--sources", "A"]
    by_auc = [*options, "--scoring", "auc"]
    assert "smoke-auc: 2 of 2 units done" in study("run", *by_auc).output
    assert "smoke-auc: 2 of 2 units done" in study("status", *by_auc).output
    assert study("tables", *by_auc).exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["smoke-auc", "smoke-auc.sqlite"]
    store = ["--store", "smoke-auc.sqlite"]
    assert "smoke: 0 of 2 units done" in study("status", *options, *store).output
    result = study("tables", *options, *store)
    assert (result.exit_code, result.output.count("\n")) == (2, 1)
    assert "no finished unit of 'smoke' with" in result.output
    assert "smoke-cost-2.5: 2 of 2" in study("run", *options, "--error-cost", "2.5", *store).output


def test_commands_take_a_reading_and_keep_its_files_apart(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    by_sd = ["smoke", "--sims", 1, "--methods", "auc", "--sources", "A", "--spread", "sd"]
    assert "smoke-sd: 2 of 2 units done" in study("run", *by_sd).output
    assert study("tables", *by_sd).exit_code == 0
    assert sorted(p.name for p in tmp_path.iterdir()) == ["smoke-sd", "smoke-sd.sqlite"]
    by_variance = [*by_sd[:-2], "--store", "smoke-sd.sqlite"]
    assert "smoke: 0 of 2 units done" in study("status", *by_variance).output


@pytest.mark.parametrize("command", ["run", "status", "tables", "figures"])
@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--scoring", "f1"], "no score 'f1': it must be one of error, balanced_error, auc, brier"),
        (["--spread", "iqr"], "no spread 'iqr': it must be one of variance, sd"),
        (["--scoring", "cost"], "the score 'cost' needs what an error costs"),
        (["--scoring", "auc", "--error-cost", "5"], "'auc' does not use what an error costs"),
        (["--error-cost", "much"], "--error-cost is 'much': give a number"),
        (["--error-cost", "0"], "what an error costs is 0.0: it must be a number above 0"),
        (["--error-cost", "-5"], "what an error costs is -5.0: it must be a number above 0"),
        (["--error-cost", "inf"], "what an error costs is inf: it must be a number above 0"),
        (["--error-cost", "nan"], "what an error costs is nan: it must be a number above 0"),
    ],
)
def test_a_score_or_a_reading_that_cannot_be_had_is_one_line(command, options, message, tmp_path):
    result = study(command, "smoke", *options, "--store", tmp_path / "store.sqlite")
    assert result.exit_code == 2
    assert result.output.count("\n") == 1
    assert message in result.output
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("given", [True, "5", [5]])
def test_a_price_of_an_error_is_a_number(given):
    with pytest.raises(StudyError, match="must be a number above 0"):
        get_design("smoke").with_scoring("cost", given)
    with pytest.raises(StudyError, match="no score"):
        get_design("smoke").with_scoring(given)
