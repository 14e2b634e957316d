"""Methods where numbers are predicted: plain twins, and who is refused."""

import numpy as np
import pytest
from scipy import stats

from frugalforest import AUCSelector, LinearSelector, ShallowTreeSelector, XiSearch
from frugalforest.choice import tune
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings, NumberTarget, code_numbers, score_number_sets
from frugalforest.errors import DataError
from frugalforest.methods import METHODS, Auto, find_methods
from frugalforest.methods._discriminant import discriminant
from frugalforest.methods.auc import rank_benefit
from frugalforest.problem import Problem
from frugalforest.scores import NUMBER_SCORES, find_number_score, forests_for
from frugalforest.tables import Numbers
from reference.number_tables import PRICES, number_table

SMALL = ForestSettings(n_trees=20, max_features="third", min_node_size=5)
FOR_NUMBERS = [name for name, kind in METHODS.items() if kind.predicts("regression")]


def problem(scoring=None, **table):
    X, y = number_table(**table)
    score = find_number_score(scoring)
    return Problem.from_table(X, Numbers.read(y), PRICES, forests=SMALL, score=score)


def test_all_methods_but_shallow_trees_predict_numbers():
    assert set(METHODS) - set(FOR_NUMBERS) == {"sts"}


def test_the_rank_filter_is_the_size_of_the_rank_correlation():
    own = problem()
    found = rank_benefit(own.data.codes(), own.data.n_codes, own.outcome.truth)
    X = own.encoder.transform(own.table)
    for j, benefit in enumerate(found):
        known = ~np.isnan(X[:, j])
        expected = abs(stats.spearmanr(X[known, j], own.outcome.truth[known]).statistic)
        assert benefit == pytest.approx(expected)


def test_the_rank_filter_of_what_does_not_vary_is_0():
    codes = np.array([[0, 0, 0], [1, 1, 1]], dtype=np.uint16)
    assert rank_benefit(codes, np.array([1, 1]), np.array([1.0, 2.0, 3.0])).tolist() == [0.0, 0.0]


def test_the_linear_surrogate_is_r2_of_least_squares_on_normal_scores():
    own = problem()
    model = discriminant(own)
    ranks = stats.rankdata(own.outcome.truth)
    y = stats.norm.ppf((ranks - 0.5) / len(ranks))
    X = own.encoder.transform(own.table)[:, :2]
    Z = np.column_stack([stats.norm.ppf((stats.rankdata(x) - 0.5) / len(x)) for x in X.T])
    Z, y = (Z - Z.mean(axis=0)) / Z.std(axis=0), (y - y.mean()) / y.std()
    residuals = y - Z @ np.linalg.lstsq(Z, y, rcond=None)[0]
    places = [int(np.flatnonzero(model.columns == j)[0]) for j in (0, 1)]
    # Two columns that hardly go together: shrinkage changes little.
    assert model.value(places) == pytest.approx(1 - residuals @ residuals / len(y), abs=0.01)


@pytest.mark.parametrize("scoring", NUMBER_SCORES)
def test_a_step_forward_is_the_score_of_the_larger_set(scoring):
    own = problem(scoring)
    step = own.extended_scores([0], [1, 2, 3], "step", SMALL)
    whole = own.brief_scores([(0, 1), (0, 2), (0, 3)], "step", SMALL)
    np.testing.assert_allclose(step, whole, rtol=1e-12)


def test_scores_are_those_of_the_engine_in_the_unit_of_the_target():
    own = problem()
    (found,) = own.scores([(0, 1)])
    target = code_numbers(own.outcome.values)
    plain = score_number_sets(own.data, target, [[0, 1]], [own.forest_seed], SMALL)
    assert found.value == found.oob_error == pytest.approx(np.sqrt(plain.mse[0]))
    (nothing,) = own.scores([()])
    assert nothing.value == pytest.approx(own.outcome.values.std())


def test_forests_for_numbers_are_those_of_the_engine():
    own = problem()
    assert isinstance(own.target, NumberTarget)
    assert forests_for(own.outcome).default.min_node_size == 5
    with pytest.raises(DataError, match="for classes only"):
        _ = own.class_target


@pytest.mark.parametrize("name", FOR_NUMBERS)
def test_every_method_finds_what_tells_the_target(name):
    own = problem()
    (method,) = find_methods(name, lambda kind: kind().scaled_to(20))
    budget = Budget(3.0)
    found = tune(own, method, [budget])[budget]
    assert all(own.prices.total(list(t.candidate.features)) <= 3 for t in found.tried)
    names = {own.table.names[j] for j in found.best.candidate.features}
    assert names & {"dose", "copy"}, names


def test_the_pool_of_auto_leaves_out_who_knows_classes_only():
    from frugalforest.methods import AUC, ShallowTreeMethod

    own = Auto((AUC((0.0,)), ShallowTreeMethod((0.0,))))
    found = own.propose(problem(), [Budget(2.0)])
    assert {c.origin.method for c in found[Budget(2.0)]} == {"auc"}
    assert "2 methods" in own.prose(2)
    assert "1 methods" not in own.prose(2)


def test_selectors_take_numbers():
    X, y = number_table()
    for selector in (AUCSelector(PRICES, 3), LinearSelector(PRICES, 3)):
        assert selector.fit(X, y).total_cost_ <= 3
    search = XiSearch(AUCSelector(PRICES, 3, random_state=0), xis=[0, 1], n_trees=20)
    assert search.fit(X, y).best_score_ < y.std()


def test_shallow_trees_say_that_they_are_for_classes():
    X, y = number_table()
    with pytest.raises(DataError, match="'sts' is for classes"):
        ShallowTreeSelector(n_trees=5).fit(X, y)
