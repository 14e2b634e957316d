"""Designs: stable keys, seeds that belong to what they are for, data that all methods share."""

from dataclasses import fields, replace

import numpy as np
import pytest

from frugalforest.datasets import REAL_SETS, load_real
from frugalforest.engine import Forest, ForestSettings
from frugalforest.problem import Problem
from frugalforest.scores import vote_error
from frugalforest.study import StudyError, get_design
from frugalforest.study.design import DESIGNS, REAL_BUDGETS, Effort, study_methods
from frugalforest.study.scoring import Scoring
from frugalforest.study.sources import Artificial, Real
from frugalforest.study.unit import run_unit

UNIT = get_design("smoke").units[0]

# Another value for every field that decides a unit's numbers.
OTHER_UNIT = {
    "design": "draws",
    "source": Real("wdbc"),
    "draw": 7,
    "replicate": 7,
    "budgets": (0.5, 1.0),
    "xis": (0.0, 1.0),
    "effort": Effort(),
    "scoring": Scoring("auc"),
}
OTHER_SOURCE = {
    "name": "B",
    "n_train": 81,
    "n_test": 201,
    "n_features": 24,
    "n_relevant": 9,
    "n_blocks": 5,
    "spread": "sd",
}
OTHER_EFFORT = {"scoring_trees": 51, "pfi_trees": 51, "sts_trees": 26, "fs_trees": 21}


@pytest.mark.parametrize("field", [field.name for field in fields(UNIT)])
def test_another_value_of_any_field_is_another_key(field):
    assert replace(UNIT, **{field: OTHER_UNIT[field]}).key != UNIT.key


@pytest.mark.parametrize("field", [field.name for field in fields(UNIT.source)])
def test_another_value_of_any_field_of_the_source_is_another_key(field):
    source = replace(UNIT.source, **{field: OTHER_SOURCE[field]})
    assert replace(UNIT, source=source).key != UNIT.key


@pytest.mark.parametrize("field", [field.name for field in fields(UNIT.effort)])
def test_another_value_of_any_field_of_the_effort_is_another_key(field):
    effort = replace(UNIT.effort, **{field: OTHER_EFFORT[field]})
    assert replace(UNIT, effort=effort).key != UNIT.key


def test_keys_do_not_change():
    # A store written today is continued tomorrow: a new key would run everything again.
    artificial = get_design("paper-artificial")
    assert artificial.units[0].key == "paper-artificial/A/draw0/rep000/963f0896fb"
    by_sd = artificial.with_spread("sd")
    assert by_sd.units[0].key == "paper-artificial/A/draw0/rep000/a64efc2689"
    assert get_design("paper-real").units[0].key == "paper-real/ada/draw0/rep000/99836becbf"


@pytest.mark.parametrize(
    ("name", "n_units"),
    [("paper-artificial", 400), ("paper-real", 600), ("paper-spam-costs", 500), ("draws", 400)],
)
def test_designs_have_the_units_of_the_paper(name, n_units):
    units = get_design(name).units
    assert len(units) == len({unit.key for unit in units}) == n_units
    assert all(len(unit.budgets) == 5 for unit in units)
    assert all(unit.xis == tuple(i / 10 for i in range(21)) for unit in units)
    assert all(unit.effort == Effort(1000, 1000, 500, 500) for unit in units)


def test_the_other_reading_of_spreads_has_another_name_and_other_units():
    design = get_design("draws", 1)
    by_sd = design.with_spread("sd")
    assert (design.full_name, by_sd.full_name) == ("draws", "draws-sd")
    assert by_sd.with_scoring("auc").full_name == "draws-sd-auc"
    assert by_sd.with_spread("variance") == design
    assert not {unit.key for unit in design.units} & {unit.key for unit in by_sd.units}
    real = get_design("paper-real", 1)
    assert real.with_spread("sd") == real
    with pytest.raises(StudyError, match=r"no spread 'iqr': it must be one of variance, sd\."):
        design.with_spread("iqr")


@pytest.mark.parametrize("name", DESIGNS)
def test_fewer_replicates_are_the_first_ones_of_every_cell(name):
    all_units = get_design(name).units
    few = get_design(name, 2).units
    assert few == all_units[: len(few)]
    assert {unit.replicate for unit in few} == {0, 1}
    assert len(few) == 2 * len({(unit.source, unit.draw) for unit in all_units})


def test_settings_of_one_replicate_share_rows_and_a_draw_has_one_test_set():
    loaded = {s: Artificial(s, n_train=20, n_test=30).load(draw=2, replicate=5) for s in "ABCD"}
    another = Artificial("A", n_train=20, n_test=30).load(draw=2, replicate=6)
    for one, other in ("AB", "CD"):
        np.testing.assert_array_equal(loaded[one].X_train, loaded[other].X_train)
        np.testing.assert_array_equal(loaded[one].X_test, loaded[other].X_test)
        assert (loaded[one].costs != loaded[other].costs).any()
    np.testing.assert_array_equal(another.X_test, loaded["A"].X_test)
    assert (another.X_train != loaded["A"].X_train).all()
    assert (loaded["A"].X_test[:20] != loaded["A"].X_train).all()


def test_a_new_draw_has_new_costs_and_a_new_test_set():
    first, second = (Artificial("A", n_train=20, n_test=30).load(draw, 0) for draw in (0, 1))
    assert (first.costs != second.costs).all()
    assert (first.X_test != second.X_test).all()


def test_a_unit_has_the_same_data_in_every_design():
    paper, draws = (get_design(name).units[0] for name in ("paper-artificial", "draws"))
    assert paper.key != draws.key
    assert paper.source.seeds(0, 0) == draws.source.seeds(0, 0)


def test_real_splits_partition_the_rows_and_are_the_same_for_all_cost_draws(datasets_dir):
    first, other_costs, other_split = (
        Real("wdbc").load(draw, replicate, str(datasets_dir))
        for draw, replicate in ((0, 0), (1, 0), (0, 1))
    )
    assert (len(first.y_train), len(first.y_test)) == (379, 190)
    together = np.concatenate([first.X_train, first.X_test])
    table = load_real("wdbc", datasets_dir).X
    assert sorted(map(tuple, together)) == sorted(map(tuple, table))
    np.testing.assert_array_equal(first.X_train, other_costs.X_train)
    assert (first.costs != other_costs.costs).all()
    np.testing.assert_array_equal(first.costs, other_split.costs)
    assert set(map(tuple, first.X_test)) != set(map(tuple, other_split.X_test))


def test_real_sets_do_not_share_costs():
    seeds = {Real(name).seeds(0, 0)["costs"] for name in REAL_SETS}
    assert len(seeds) == len(REAL_SETS)


@pytest.mark.parametrize("name", REAL_BUDGETS)
def test_real_budgets_end_at_about_half_of_what_all_features_cost(name):
    share = REAL_BUDGETS[name][-1] / (0.55 * REAL_SETS[name].n_features)
    assert share == pytest.approx(0.5, abs=0.02)


@pytest.fixture(scope="module")
def outcome():
    return run_unit(UNIT, get_design("smoke").methods)


def test_adding_a_method_changes_no_number_of_another(outcome):
    together = {run.method: run for run in outcome.runs}
    errors = {s.features: (s.score, s.test_error, s.cost) for s in outcome.sets}
    for method in get_design("smoke").methods:
        alone = run_unit(UNIT, [method])
        assert alone.runs[0].sets == together[method].sets
        assert alone.runs[0].chosen_xi == together[method].chosen_xi
        for scored in alone.sets:
            assert (scored.score, scored.test_error, scored.cost) == errors[scored.features]


def test_sets_keep_to_the_budget_and_every_one_is_scored_once(outcome):
    cost = {scored.features: scored.cost for scored in outcome.sets}
    assert len(cost) == len(outcome.sets)
    bought = {features for run in outcome.runs for features in run.sets.values()}
    assert bought == set(cost)
    for run in outcome.runs:
        for (budget, _), features in run.sets.items():
            assert cost[features] <= budget


def test_strategies_take_xi_0_xi_1_and_the_lowest_oob_error(outcome):
    scored = {s.features: s for s in outcome.sets}
    for run in outcome.runs:
        xis = study_methods()[run.method].build(UNIT.effort, UNIT.xis).xis
        for budget in UNIT.budgets:
            expected = {name: xi for name, xi in (("agnostic", 0.0), ("simple", 1.0)) if xi in xis}
            if len(xis) > 1:
                # Ties: the cheaper set, then the smaller ξ.
                ranked = [
                    (
                        scored[run.sets[budget, xi]].score.oob_error,
                        scored[run.sets[budget, xi]].cost,
                        xi,
                    )
                    for xi in xis
                ]
                expected["tuned"] = min(ranked)[2]
            found = {s: xi for (b, s), xi in run.chosen_xi.items() if b == budget}
            assert found == expected


def test_scores_are_those_of_the_problem_and_errors_those_of_its_forest(outcome):
    data = UNIT.source.load(UNIT.draw, UNIT.replicate)
    problem = Problem.from_table(
        data.X_train,
        data.y_train,
        data.costs,
        random_state=UNIT.source.seeds(UNIT.draw, UNIT.replicate)["forests"],
        forests=ForestSettings(UNIT.effort.scoring_trees),
    )
    some = outcome.sets[::4]
    assert problem.scores(s.features for s in some) == [s.score for s in some]
    for scored in some:
        columns = list(scored.features)
        forest = Forest(UNIT.effort.scoring_trees, random_state=problem.forest_seed)
        forest.fit(data.X_train[:, columns], data.y_train)
        shares = forest.predict_proba(data.X_test[:, columns])
        assert vote_error(shares, data.y_test) == scored.test_error


def test_fixed_forward_selection_is_tuned_forward_selection_at_that_xi(outcome):
    runs = {run.method: run for run in outcome.runs}
    for budget in UNIT.budgets:
        assert runs["fs-0"].sets[budget, 0.0] == runs["fs"].sets[budget, 0.0]
        assert runs["fs-1"].sets[budget, 1.0] == runs["fs"].sets[budget, 1.0]


def test_a_tied_vote_is_half_wrong_and_a_tie_of_three_two_thirds():
    votes = np.array([[5, 0, 0], [2, 2, 1], [1, 1, 1], [0, 0, 5]], dtype=np.uint32)
    labels = np.array([0, 1, 2, 0])
    assert vote_error(votes, labels) == pytest.approx((0 + 1 / 2 + 2 / 3 + 1) / 4)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("paper",), "no design 'paper': it must be one of paper-artificial"),
        (("smoke", 0), "replicates is 0"),
        (("smoke", None, ["auc", "lasso"]), "no method 'lasso': choose from auc, pfi, sts"),
        (("smoke", None, []), "no methods given"),
    ],
)
def test_what_cannot_be_designed_is_said(arguments, message):
    with pytest.raises(StudyError, match=message):
        get_design(*arguments)
