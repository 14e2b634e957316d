"""auto: inner budgets, pooled proposals, and what `compare` and the estimators make of them."""

import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from frugalforest import (
    BackwardSelector,
    CostModel,
    FrugalForestClassifier,
    LinearSelector,
    XiSearch,
    compare,
)
from frugalforest.choice import Configuration, make_pool
from frugalforest.choice.left_out import LeftOut
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.evaluation.resampling import Split, seed_on_all_rows
from frugalforest.methods import (
    AUC,
    METHODS,
    Auto,
    Backward,
    Linear,
    Permutation,
    ShallowTreeMethod,
)
from frugalforest.methods.auto import inner_budgets, round_amounts
from frugalforest.problem import Problem
from frugalforest.report._whatif import candidate_sets
from frugalforest.results.findings import Findings
from frugalforest.scores import ERROR
from frugalforest.tables import Classes, Table
from frugalforest.words.formats import money
from reference.small_tables import PRICES, QUICK, make_table

# A small pool: these tests are about what is done with it.
SMALL = Auto(pool=(AUC((0.0, 1.0)), ShallowTreeMethod((1.0,), n_trees=10), Linear(), Backward()))


# --- inner budgets ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("budget", "expected"),
    [
        (1.0, [0.1, 0.2, 0.5, 1.0]),
        (3.0, [0.1, 0.2, 0.5, 1.0, 2.0, 3.0]),
        (0.15, [0.1, 0.15]),
        (0.1, [0.1]),
    ],
)
def test_inner_budgets_are_round_amounts_and_the_budget(budget, expected):
    prices = CostModel(0.1).align(None, 1000)
    assert [b.limit for b in inner_budgets(prices, Budget(budget))] == expected


def test_inner_budgets_that_buy_nothing_more_than_the_one_before_are_left_out():
    prices = CostModel([1e-9, 3.0, 1000.0, 500.0], excluded=[3]).align(None, 4)
    limits = [b.limit for b in inner_budgets(prices, Budget(2000.0))]
    assert limits == [1e-9, 5.0, 1000.0, 1003.0]


@pytest.mark.parametrize("seed", range(6))
def test_inner_budgets_are_those_of_the_whole_frontier_and_lose_no_set(seed):
    rng = np.random.default_rng(seed)
    model = CostModel(
        rng.integers(1, 2000, 6) / 100,
        [*"aabb", None, None],
        {"a": 0.7, "b": 30.0},
        required=[5] * (seed % 2),
    )
    prices = model.align(None, 6)
    *whole, everything = inner_budgets(prices, Budget())
    sets = np.array([s for s in np.ndindex(*[2] * 6) if any(s) and s[5] >= seed % 2], dtype=bool)
    costs = prices.total(sets)
    for amount in map(Budget, round_amounts(costs.min(), everything.limit)):
        below = [b for b in whole if b < amount]
        assert inner_budgets(prices, amount) == [*below, amount]
        if amount not in whole:
            assert (amount.fits(costs) == max(below).fits(costs)).all()


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
            of = c.origin
            way = Configuration(of.method, of.search, of.xi, of.variant, of.budget)
            assert pool.sets[pool.set_of[pool.configurations.index(way)]].features == c.features
            assert c.origin.budget in pool.inner[budget.limit]
            assert budget.fits(c.cost)


def test_a_table_of_a_pool_has_nothing_of_larger_amounts():
    pool = make_pool(problem(), SMALL, [Budget(3.0), Budget(9.0)])
    table = pool.to_table(Budget(3.0))
    assert set(table["budget"]) == {2.0, 3.0}
    assert (table["total_cost"] <= 3.0).all()


def test_a_pool_for_a_budget_does_not_depend_on_the_other_budgets():
    alone = make_pool(problem(), SMALL, [Budget(5.5)])
    among = make_pool(problem(), SMALL, [Budget(3.0), Budget(5.5), Budget(9.0)])
    for place, way in enumerate(alone.configurations):
        same = among.set_of[among.configurations.index(way)]
        assert among.sets[same] == alone.sets[alone.set_of[place]]
    assert alone.inner[5.5] == among.inner[5.5]


def test_errors_by_row_are_those_of_the_votes():
    X, y = make_table()
    train, test = np.arange(60), np.arange(60, 90)
    part = Problem.from_table(X.iloc[train], y[train], PRICES, forests=ForestSettings(n_trees=20))
    rows = Table.read(X).rows(test)
    pool = make_pool(part, SMALL, [Budget(5.0)], rows)
    votes = part.predict([s.features for s in pool.sets], rows, ForestSettings(n_trees=20))
    left_out = LeftOut((pool,), (Split(train, test),), Classes.read(y), ERROR)
    losses, _ = left_out.losses(0, np.arange(len(pool.sets)))
    for errors, of_set in zip(losses, votes, strict=True):
        lead = of_set.max(axis=1)
        expected = [
            1 - (v[label] == top) / (v == top).sum()
            for v, label, top in zip(of_set, y[test], lead, strict=True)
        ]
        np.testing.assert_allclose(errors, expected, atol=1e-12)


def test_a_way_is_its_search_tuned_by_grades_out_of_bag():
    pool = make_pool(problem(), Auto(pool=(Permutation((0.0, 1.0)), Linear())), [Budget(5.0)])
    assert {limit for _, _, limit, _ in pool.ways} == {2.0, 5.0}
    for (*asked, amount), place in pool.ways.items():
        own = [pool.sets[pool.set_of[i]] for i in pool.searches[tuple(asked)]]
        own = [each for each in own if Budget(amount).fits(each.cost)]
        found = pool.sets[pool.set_of[place]]
        assert found in own
        assert found.graded == min(s.graded for s in own)


# --- through compare ----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(4))
def test_other_budgets_change_nothing(seed):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(70, 8))
    y = (X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=70) > 0).astype(int)
    costs = rng.integers(1, 40, 8) / 10
    quick = {"methods": SMALL, "n_trees": 20, "n_resamples": 3, "verbose": 0}
    budgets = [a for a in round_amounts(0.1, 20.0) if a >= costs.min()]
    together = compare(X, y, costs, budgets, **quick)
    for budget in budgets[1::2]:
        alone, among = compare(X, y, costs, budget, **quick).best(), together.best(budget)
        assert (alone.features, alone.honest) == (among.features, among.honest)


def test_the_whole_frontier_begins_with_the_cheapest_useful_set():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 60)
    X = np.column_stack([y, rng.normal(size=(60, 20))])
    costs = [1.0] + 20 * [10.0]
    result = compare(X, y, costs, methods=SMALL, n_trees=20, n_resamples=2, verbose=0)
    assert result.budgets == (1.0,)
    assert result.best(1.0).features == ("x0",)


@pytest.mark.parametrize("seed", range(3))
def test_of_sets_that_make_no_error_the_cheapest_is_bought(seed):
    rng = np.random.default_rng(seed)
    y = np.repeat([0, 1], 60)
    # Either of the first two tells the classes apart; the second does so with the wider gap.
    X = np.column_stack([y, 5 * y, 0 * y]) + 0.1 * rng.normal(size=(120, 3))
    found = compare(X, y, [1.0, 10.0, 1.0], [12.0], SMALL, random_state=seed, **QUICK).best(12.0)
    assert (found.features, found.cost, found.honest.error) == (("x0",), 1.0, 0.0)


@pytest.fixture(scope="module")
def result():
    return compare(*make_table(), PRICES, [5.5, 12.0], [SMALL, "auc"], **QUICK)


def test_auto_is_the_answer_beside_the_other_methods(result):
    assert result.methods == ("auto", "auc")
    prices = PRICES.align(make_table()[0].columns)
    for budget in result.budgets:
        best = result.best(budget)
        assert best.method == "auto"
        assert replace(best, diagnosis=None) == result.selection(budget, "auto")
        assert prices.total(best.features) == best.cost <= budget
        assert len(best.honest.errors) == 3
        assert best.substitutes


def test_the_first_of_the_alternatives_is_what_is_bought(result):
    for budget in result.budgets:
        best = result.best(budget)
        first, *others = best.alternatives
        assert (first.features, first.cost, first.honest) == (best.features, best.cost, best.honest)
        assert all(other.cost <= budget for other in others)
        assert result.selection(budget, "auc").alternatives == ()


def test_other_prices_are_tried_on_what_smaller_amounts_would_buy(result):
    number = {name: str(j) for j, name in enumerate(make_table()[0].columns)}
    findings = Findings.of(result)
    found = candidate_sets(result, findings)
    assert len({c.features for c in found}) > 1
    for place, stretch in enumerate(findings.stretches):
        first = min((c for c in found if c.budget == place), key=lambda c: c.turn)
        bought = stretch.finding.selection.features
        assert first.features == " ".join(number[name] for name in bought)
        assert all(c.turn > first.turn for c in found if c.budget < place)


def test_what_is_saved_can_be_loaded_also_where_more_money_buys_a_cheaper_set(tmp_path):
    rng = np.random.default_rng(26)  # a table where it does
    X = rng.normal(size=(60, 12))
    y = (X[:, 0] + X[:, 1] + X[:, 2] + rng.normal(size=60) > 0).astype(int)
    costs = rng.uniform(0.1, 1.0, 12)
    found = compare(X, y, costs, 5.0, SMALL, n_trees=10, n_resamples=2, verbose=0)
    for amount in found.amounts:
        assert all(other.cost <= amount for other in found.best(amount).alternatives)
    found.save(tmp_path / "found.json")
    assert type(found).load(tmp_path / "found.json").amounts == found.amounts


def test_other_prices_are_tried_on_what_every_other_way_came_to(result):
    *smaller, largest = (result.best(budget) for budget in result.budgets)
    assert all(other.chosen for best in smaller for other in best.alternatives)
    others = [other for other in largest.alternatives if not other.chosen]
    assert others
    assert not {o.features for o in others} & {result.best(a).features for a in result.amounts}
    for other in others:
        # Nothing was chosen by it, so nothing is corrected.
        assert other.honest.error == pytest.approx(np.mean(other.honest.errors))
    candidates = candidate_sets(result, Findings.of(result))
    assert sum(c.turn >= 1 for c in candidates) == len(others)


@pytest.mark.slow
def test_the_answer_for_a_budget_does_not_depend_on_the_others():
    several = compare(*make_table(), PRICES, [2.5, 5.0, 9.0, 12.0], SMALL, **QUICK)
    for budget in several.budgets:
        alone = compare(*make_table(), PRICES, [budget], SMALL, **QUICK)
        assert alone.best(budget).features == several.best(budget).features
        assert alone.best(budget).honest == several.best(budget).honest


def test_without_resamples_answers_are_consistent_too():
    options = QUICK | {"n_resamples": 0}
    several = compare(*make_table(), PRICES, [2.0, 5.0, 10.0], SMALL, **options)
    scores = [several.best(budget).score for budget in several.budgets]
    assert scores == sorted(scores, reverse=True)
    for budget in several.budgets:
        alone = compare(*make_table(), PRICES, [budget], SMALL, **options)
        assert alone.best(budget).features == several.best(budget).features


def test_on_the_frontier_more_money_is_expected_to_do_better():
    found = compare(*make_table(), PRICES, methods=SMALL, **QUICK)
    errors = [found.best(budget).honest.error for budget in found.budgets]
    assert errors == sorted(errors, reverse=True)
    assert len(set(errors)) == len(errors)


@pytest.mark.slow
def test_auto_is_the_same_for_two_processes_and_when_resumed(result, tmp_path):
    arguments = (*make_table(), PRICES, [5.5, 12.0], [SMALL, "auc"])
    two = compare(*arguments, n_jobs=2, resume=tmp_path / "done.sqlite", **QUICK)
    assert two == result
    assert compare(*arguments, resume=tmp_path / "done.sqlite", **QUICK) == result


def test_the_model_of_auto_is_the_forest_that_was_measured(result):
    model = result.fit(*make_table(), 5.5)
    assert model.features == result.best(5.5).features
    assert model.oob_error == result.best(5.5).oob_error


def test_without_resamples_auto_takes_the_lowest_out_of_bag_error():
    found = compare(*make_table(), PRICES, [5.5], SMALL, **QUICK | {"n_resamples": 0}).best()
    whole = Problem.from_table(
        *make_table(),
        PRICES,
        random_state=seed_on_all_rows(0),
        forests=ForestSettings(n_trees=12),
    )
    proposed = [each.features for each in SMALL.propose(whole, [Budget(5.5)])[Budget(5.5)]]
    errors = [score.value for score in whole.scores(proposed)]
    assert found.honest is None
    assert max(errors) > min(errors)
    assert found.score == min(errors)


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


def test_auto_pools_methods_that_are_registered_before_it():
    names = list(METHODS)
    assert len(Auto().pool) > 1
    assert all(names.index(method.name) < names.index("auto") for method in Auto().pool)


# --- the whole frontier -------------------------------------------------------------------------


def test_what_is_recommended_is_read_along_the_whole_frontier():
    rng = np.random.default_rng(5)
    y = np.arange(120) % 2
    X = pd.DataFrame({"cheap": y + rng.normal(0, 0.4, 120), "dear": rng.normal(size=120)})
    options = {"n_trees": 20, "n_resamples": 4, "verbose": 0, "methods": ["auto", "auc"]}
    result = compare(X, y, {"cheap": 2.0, "dear": 1000.0}, budgets=1500, **options)
    found = Findings.of(result)
    assert found.recommended.features == ("cheap",)
    assert found.recommended.cost == 2.0
    assert "‘dear’ (1,000)" in found.unhelpful_sentence
    assert result.budgets == (1500.0,)
    assert result.methods_at(1500.0) == ("auto", "auc")
    # Between the amounts, what the lower one buys; and nothing is known beyond.
    for amount in result.amounts:
        assert result.best(amount * 1.0001 if amount < 1500 else amount).budget == amount
    with pytest.raises(ValueError, match="there is no result for budget 2000"):
        result.best(2000)
    model = result.fit(X, y, 60)
    assert model.features == result.best(60).features == ("cheap",)


def test_amounts_that_buy_the_same_set_have_one_figure():
    result = compare(*make_table(), PRICES, [2.5, 5.0, 9.0, 12.0], SMALL, **QUICK)
    figures = {}
    for amount in result.amounts:
        best = result.best(amount)
        assert figures.setdefault(best.features, best.honest) == best.honest


def test_what_a_panel_adds_to_what_is_free_is_a_paired_difference():
    rng = np.random.default_rng(1)
    y = np.arange(150) % 2
    columns = {"age": y + rng.normal(0, 1.5, 150), "blood": y + rng.normal(0, 0.4, 150)}
    X = pd.DataFrame(columns)
    options = {"n_trees": 20, "n_resamples": 5, "verbose": 0, "methods": "auto"}
    result = compare(X, y, {"age": 0.0, "blood": 3.0}, budgets=5, **options)
    found = Findings.of(result)
    gain = found.recommended.gain
    assert gain.low < gain.gain < gain.high
    assert gain.baseline - gain.gain == pytest.approx(found.recommended.honest.error)
    assert "what is free or required" in found.gain_sentence
    assert compare(X, y, 1.0, budgets=2, **options).best().gain is None


def test_of_an_amount_that_nobody_asked_for_the_page_says_no_rest(result, tmp_path):
    result.to_html(tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    rests = set(re.findall(r" left of ([\d.,]+)", text))
    assert rests <= {money(budget) for budget in result.budgets}
