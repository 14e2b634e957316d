"""auto: pooled proposals, the choice by rows left out, and the error of that choice."""

import base64
import zlib

import numpy as np
import pytest

from frugalforest import (
    BackwardSelector,
    CostModel,
    FrugalForestClassifier,
    LinearSelector,
    XiSearch,
    compare,
)
from frugalforest.choice import Configuration, Pool, PooledSet, judge, make_pool
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.methods import AUC, METHODS, Auto, Backward, Linear, ShallowTreeMethod
from frugalforest.methods.auto import inner_budgets
from frugalforest.problem import Problem
from frugalforest.resampling import Split
from frugalforest.tables import Table
from reference.small_tables import PRICES, QUICK, make_table

# A small pool: these tests are about what is done with it.
SMALL = Auto(pool=(AUC((0.0, 1.0)), ShallowTreeMethod((1.0,), n_trees=10), Linear(), Backward()))


# --- inner budgets ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (1.0, [0.1, 0.2, 0.5, 1.0]),
        (3.0, [0.5, 1.0, 2.0, 3.0]),
        (0.15, [0.1, 0.15]),
        (0.1, [0.1]),
    ],
)
def test_inner_budgets_are_round_amounts_and_the_budget(budget, expected):
    prices = CostModel(0.1).align(None, 1000)
    assert [b.limit for b in inner_budgets(prices, Budget(budget))] == expected


def test_inner_budgets_are_no_less_than_a_tenth_of_the_budget():
    prices = CostModel([1e-9, 1000.0]).align(None, 2)
    assert [b.limit for b in inner_budgets(prices, Budget(1000.0))][:2] == [100.0, 200.0]


def test_inner_budgets_end_where_all_is_bought_and_begin_where_something_is():
    prices = CostModel([1.5, 4.0, 2.0], required=[2]).align(None, 3)
    limits = [b.limit for b in inner_budgets(prices, Budget())]
    assert limits == [2.0, 5.0, 7.5]
    assert [b.limit for b in inner_budgets(prices, Budget(100.0))] == limits


# --- pools --------------------------------------------------------------------------------------


def problem(n_trees=20):
    X, y = make_table()
    return Problem.from_table(X, y, PRICES, forests=ForestSettings(n_trees=n_trees))


def test_a_pool_has_every_proposal_and_scores_each_set_once():
    whole = problem()
    budgets = [Budget(5.0), Budget(9.0)]
    pool = make_pool(whole, SMALL, budgets)
    assert whole.n_forests == len(pool.sets) == len({s.features for s in pool.sets})
    proposed = SMALL.propose(problem(), budgets)
    for budget, candidates in proposed.items():
        for c in candidates:
            way = Configuration(c.origin.method, c.origin.xi, c.origin.variant, c.origin.budget)
            assert pool.sets[pool.set_of[pool.configurations.index(way)]].features == c.features
            assert c.origin.budget in pool.inner[budget.limit]
            assert budget.fits(c.cost)


def test_a_pool_for_a_budget_does_not_depend_on_the_other_budgets():
    alone = make_pool(problem(), SMALL, [Budget(5.5)])
    among = make_pool(problem(), SMALL, [Budget(3.0), Budget(5.5), Budget(9.0)])
    for place, way in enumerate(alone.configurations):
        same = among.set_of[among.configurations.index(way)]
        assert among.sets[same] == alone.sets[alone.set_of[place]]
    assert alone.inner[5.5] == among.inner[5.5]


def test_row_losses_are_those_of_the_votes():
    X, y = make_table()
    train, test = np.arange(60), np.arange(60, 90)
    part = Problem.from_table(X.iloc[train], y[train], PRICES, forests=ForestSettings(n_trees=20))
    rows = Table.read(X).rows(test)
    pool = make_pool(part, SMALL, [Budget(5.0)], (rows, y[test]))
    votes = part.predict([s.features for s in pool.sets], rows, ForestSettings(n_trees=20))
    for losses, of_set in zip(pool.row_losses(), votes, strict=True):
        lead = of_set.max(axis=1)
        expected = [
            1 - (v[label] == top) / (v == top).sum()
            for v, label, top in zip(of_set, y[test], lead, strict=True)
        ]
        np.testing.assert_allclose(losses, expected, atol=1e-12)


# --- the choice, scripted -----------------------------------------------------------------------

N_ROWS = 40
LABELS = np.arange(N_ROWS) % 2


def packed(values):
    whole = (np.array(values) * 240).astype(np.uint8).tobytes()
    return base64.b64encode(zlib.compress(whole)).decode()


def scripted(errors, out_of_bag, costs, losses=None, may_be_empty=False):
    """A pool of one-feature sets, one a configuration, with an inner budget of 1 each."""
    n = len(errors)
    if losses is None:  # for the rows left out: the first of them are wrong
        n_test = N_ROWS // 2
        losses = [[1.0] * round(e * n_test) + [0.0] * (n_test - round(e * n_test)) for e in errors]
    return Pool(
        tuple(PooledSet((j,), costs[j], out_of_bag[j]) for j in range(n)),
        tuple(Configuration("auc", float(j), "", 1.0) for j in range(n)),
        tuple(range(n)),
        {"1.0": (1.0,)},
        packed(losses),
        may_be_empty,
    )


def halves():
    rows = np.arange(N_ROWS)
    return [Split(rows[20:], rows[:20]), Split(rows[:20], rows[20:])]


def judged(errors, out_of_bag, costs=(1.0, 1.0, 1.0)):
    pool = scripted(errors, out_of_bag, costs)
    return judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0)], 0)[Budget(1.0)]


def test_the_lowest_sum_of_error_left_out_and_out_of_bag_wins():
    assert judged([0.3, 0.2, 0.4], [0.1, 0.3, 0.1]).place == 0  # 0.4, 0.5, 0.5
    assert judged([0.3, 0.1, 0.4], [0.1, 0.2, 0.1]).place == 1  # 0.4, 0.3, 0.5
    assert judged([0.3, 0.1, 0.4], [0.1, 0.2, 0.1]).score == pytest.approx(0.3)


def test_ties_go_to_the_cheaper_set():
    assert judged([0.2, 0.2, 0.2], [0.2, 0.2, 0.2], costs=(1.0, 0.5, 0.7)).place == 1


def test_a_set_that_is_too_expensive_on_all_rows_is_not_chosen():
    assert judged([0.0, 0.3, 0.2], [0.0, 0.1, 0.3], costs=(1.1, 1.0, 1.0)).place == 1


def test_a_configuration_that_some_resample_lacks_is_not_chosen():
    pool = scripted([0.3, 0.0], [0.1, 0.0], (1.0, 1.0))
    other = scripted([0.3], [0.1], (1.0,))
    found = judge(pool, [pool, other], halves(), LABELS, [Budget(1.0)], 0)
    assert found[Budget(1.0)].place == 0


def test_more_money_never_gets_a_worse_score():
    cheap = scripted([0.1, 0.4], [0.1, 0.4], (1.0, 2.0))
    ways = (Configuration("auc", 0.0, "", 1.0), Configuration("auc", 1.0, "", 2.0))
    pool = Pool(cheap.sets, ways, (0, 1), {"1.0": (1.0,), "2.0": (2.0,)}, cheap.losses, False)
    budgets = [Budget(1.0), Budget(2.0)]
    found = judge(pool, [pool, pool], halves(), LABELS, budgets, 0)
    assert found[Budget(2.0)] == found[Budget(1.0)]


def test_the_answer_is_the_same_whether_or_not_a_smaller_budget_was_asked_for():
    both = scripted([0.1, 0.3], [0.1, 0.3], (1.0, 2.0))
    ways = (Configuration("auc", 0.0, "", 1.0), Configuration("auc", 1.0, "", 2.0))
    inner = {"1.0": (1.0,), "2.0": (1.0, 2.0)}
    pool = Pool(both.sets, ways, (0, 1), inner, both.losses, False)
    found = judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0), Budget(2.0)], 0)
    assert found[Budget(2.0)] == found[Budget(1.0)]
    alone = judge(pool, [pool, pool], halves(), LABELS, [Budget(2.0)], 0)
    assert alone[Budget(2.0)] == found[Budget(2.0)]


def test_the_corrected_error_of_the_best_of_many_equal_ones_is_their_common_error():
    # Two hundred sets that are wrong by the toss of a coin: the best looks good, and is not.
    rng = np.random.default_rng(0)
    n = 200
    pools = [
        scripted([0] * n, [0.5] * n, [1.0] * n, losses=rng.integers(0, 2, (n, 20)).tolist())
        for _ in range(2)
    ]
    found = judge(pools[0], pools, halves(), LABELS, [Budget(1.0)], 0)[Budget(1.0)]
    raw = np.mean(found.honest.errors)
    assert raw < 0.35
    # 40 rows tell an error of ½ to 0.08; the bootstrap averages over most of them.
    assert found.honest.error == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("may_be_empty", [True, False])
def test_what_does_no_better_than_the_commonest_class_is_not_bought(may_be_empty):
    labels = (np.arange(N_ROWS) % 4 == 0).astype(int)  # a quarter: guessing is wrong for so many
    pool = scripted([0.4, 0.35], [0.4, 0.3], (1.0, 1.0), may_be_empty=may_be_empty)
    found = judge(pool, [pool, pool], halves(), labels, [Budget(1.0)], 0)[Budget(1.0)]
    if not may_be_empty:
        assert found.place == 1
        return
    assert found.place is None
    assert found.honest.error == 0.25
    assert found.honest.errors == (0.25, 0.25)
    assert found.honest.low < 0.25 < found.honest.high
    assert found.reruns == ((), ())
    assert pool.chosen(found.place) == ((), None)


# --- through compare ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def result():
    return compare(*make_table(), PRICES, [5.5, 9.0], [SMALL, "auc"], **QUICK)


def test_auto_is_the_answer_beside_the_other_methods(result):
    assert result.methods == ("auto", "auc")
    prices = PRICES.align(make_table()[0].columns)
    for budget in result.budgets:
        best = result.best(budget)
        assert best.method == "auto"
        assert best == result.selection(budget, "auto")
        assert prices.total(best.features) == best.cost <= budget
        assert len(best.honest.errors) == 3
        assert best.substitutes


def test_the_answer_for_a_budget_does_not_depend_on_the_round_ones_asked_for_besides():
    several = compare(*make_table(), PRICES, [2.0, 5.0, 9.0], SMALL, **QUICK)
    alone = compare(*make_table(), PRICES, [9.0], SMALL, **QUICK)
    assert alone.best(9.0).features == several.best(9.0).features
    assert alone.best(9.0).honest == several.best(9.0).honest


def test_on_the_frontier_more_money_is_expected_to_do_better():
    found = compare(*make_table(), PRICES, methods=SMALL, **QUICK)
    errors = [found.best(budget).honest.error for budget in found.budgets]
    assert errors == sorted(errors, reverse=True)
    assert len(set(errors)) == len(errors)


@pytest.mark.slow
def test_auto_is_the_same_for_two_processes_and_when_resumed(result, tmp_path):
    arguments = (*make_table(), PRICES, [5.5, 9.0], [SMALL, "auc"])
    two = compare(*arguments, n_jobs=2, resume=tmp_path / "done.sqlite", **QUICK)
    assert two == result
    assert compare(*arguments, resume=tmp_path / "done.sqlite", **QUICK) == result


def test_the_model_of_auto_is_the_forest_that_was_measured(result):
    model = result.fit(*make_table(), 5.5)
    assert model.features == result.best(5.5).features
    assert model.oob_error == result.best(5.5).oob_error


def test_without_resamples_auto_takes_the_lowest_out_of_bag_error():
    found = compare(*make_table(), PRICES, [5.5], SMALL, **QUICK | {"n_resamples": 0})
    assert found.best().honest is None
    whole = Problem.from_table(
        *make_table(), PRICES, random_state=0, forests=ForestSettings(n_trees=12)
    )
    assert found.best().cost <= 5.5
    assert set(found.best().features) <= set(whole.table.names)


def test_auto_finds_two_features_that_are_worth_nothing_alone():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(300, 12))
    y = (X[:, 3] * X[:, 7] > 0).astype(int)
    found = compare(X, y, budgets=2, methods="auto", n_trees=50, n_resamples=3, verbose=0)
    assert found.best().features == ("x3", "x7")
    assert found.best().honest.error < 0.2


def test_page_and_terminal_say_how_auto_chose(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "is the answer" in page
    assert "Tsamardinos" in page
    assert "take the one with the lowest" not in page


@pytest.mark.parametrize("method", ["auto", "backward", "linear"])
def test_the_classifier_takes_the_new_methods(method):
    X, y = make_table()
    model = FrugalForestClassifier(PRICES, 5.5, method, n_trees=20, random_state=0).fit(X, y)
    assert model.method_ in METHODS
    assert model.total_cost_ <= 5.5
    assert model.score(X, y) > 0.7


@pytest.mark.parametrize("selector", [BackwardSelector(n_trees=20), LinearSelector()])
def test_the_new_selectors_are_tuned_like_the_others(selector):
    X, y = make_table()
    selector.set_params(costs=PRICES, budget=5.5, random_state=0)
    search = XiSearch(selector, xis=[0, 1], n_trees=20).fit(X, y)
    assert search.best_score_ == search.results_["oob_error"].min()
    assert search.total_cost_ <= 5.5


def test_auto_is_registered_last_and_pools_what_is_registered_before():
    assert list(METHODS)[-1] == "auto"
    assert all(method.name in METHODS for method in Auto().pool)
