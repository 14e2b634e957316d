"""auto: pooled proposals, the choice by rows left out, and the error of that choice."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from frugalforest import (
    BackwardSelector,
    CostModel,
    FrugalForestClassifier,
    LinearSelector,
    XiSearch,
    compare,
)
from frugalforest.choice import Configuration, PackedShares, Pool, PooledSet, judge, make_pool
from frugalforest.choice.left_out import LeftOut
from frugalforest.costs import Budget
from frugalforest.engine import ForestSettings
from frugalforest.final import Final
from frugalforest.findings import Findings
from frugalforest.methods import (
    AUC,
    METHODS,
    Auto,
    Backward,
    Linear,
    Permutation,
    ShallowTreeMethod,
)
from frugalforest.methods.auto import inner_budgets
from frugalforest.problem import Problem
from frugalforest.report._whatif import candidate_sets
from frugalforest.resampling import Split
from frugalforest.scores import ERROR
from frugalforest.seeds import derive_seed
from frugalforest.tables import Table
from reference import plain_choice, plain_scores
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


def test_errors_by_row_are_those_of_the_votes():
    X, y = make_table()
    train, test = np.arange(60), np.arange(60, 90)
    part = Problem.from_table(X.iloc[train], y[train], PRICES, forests=ForestSettings(n_trees=20))
    rows = Table.read(X).rows(test)
    pool = make_pool(part, SMALL, [Budget(5.0)], rows)
    votes = part.predict([s.features for s in pool.sets], rows, ForestSettings(n_trees=20))
    left_out = LeftOut((pool,), (Split(train, test),), y, ERROR)
    for errors, of_set in zip(left_out.losses(0, np.arange(len(pool.sets))), votes, strict=True):
        lead = of_set.max(axis=1)
        expected = [
            1 - (v[label] == top) / (v == top).sum()
            for v, label, top in zip(of_set, y[test], lead, strict=True)
        ]
        np.testing.assert_allclose(errors, expected, atol=1e-12)


def test_the_standard_of_an_inner_budget_is_its_method_tuned_by_out_of_bag_error():
    pool = make_pool(problem(), Auto(pool=(Permutation((0.0, 1.0)), Linear())), [Budget(5.0)])
    assert [pool.configurations[i].limit for i in pool.standards] == [2.0, 5.0]
    for place in pool.standards:
        standard = pool.configurations[place]
        assert (standard.method, standard.xi, standard.variant) == ("pfi", None, "tuned")
        own = [
            pool.sets[pool.set_of[i]]
            for i, way in enumerate(pool.configurations)
            if (way.method, way.limit) == ("pfi", standard.limit) and way.xi is not None
        ]
        found = pool.sets[pool.set_of[place]]
        assert found in own
        assert found.oob_score == min(s.oob_score for s in own)
    assert make_pool(problem(), AUC((0.0,)), [Budget(5.0)]).standards == ()


# --- the choice, scripted -----------------------------------------------------------------------

N_ROWS = 40
LABELS = np.arange(N_ROWS) % 2


def packed(losses):
    """Votes that are wrong where a row is lost, for the rows of either half.

    Or, as whole numbers, how many of ten votes are wrong.
    """
    wrong = np.array(losses)
    shares = np.empty((*wrong.shape, 2), dtype=wrong.dtype)
    labels = np.broadcast_to(LABELS[: wrong.shape[1]], wrong.shape)
    total = 1 if wrong.dtype.kind == "f" else 10
    np.put_along_axis(shares, labels[..., None], total - wrong[..., None], axis=2)
    np.put_along_axis(shares, 1 - labels[..., None], wrong[..., None], axis=2)
    return PackedShares.of(shares)


def scripted(
    errors,
    out_of_bag,
    costs,
    losses=None,
    may_be_empty=False,
    standards=(),
    graded=None,
    powers=None,
):
    """A pool of one-feature sets, one a search, with an inner budget of 1 each.

    Without `powers` all rows have the same grade.
    """
    n = len(errors)
    graded = out_of_bag if graded is None else graded
    powers = [0.0] * n if powers is None else powers
    if losses is None:  # for the rows left out: the first of them are wrong
        n_test = N_ROWS // 2
        losses = [[1.0] * round(e * n_test) + [0.0] * (n_test - round(e * n_test)) for e in errors]
    return Pool(
        tuple(PooledSet((j,), costs[j], out_of_bag[j], graded[j], powers[j]) for j in range(n)),
        tuple(Configuration("linear", None, f"search {j}", 1.0) for j in range(n)),
        tuple(range(n)),
        {"1.0": (1.0,)},
        packed(losses),
        tuple(standards),
        may_be_empty,
    )


def with_ways(pool, limits, inner):
    """The same sets, each for an inner budget of its own."""
    ways = tuple(Configuration("auc", 0.0, "", limit) for limit in limits)
    return replace(pool, configurations=ways, inner_limits=inner)


def halves():
    rows = np.arange(N_ROWS)
    return [Split(rows[20:], rows[:20]), Split(rows[:20], rows[20:])]


def judged(errors, out_of_bag, costs=(1.0, 1.0, 1.0), **more):
    pool = scripted(errors, out_of_bag, costs, **more)
    return judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0)], 0)[Budget(1.0)]


def test_the_lowest_sum_of_error_left_out_and_out_of_bag_wins():
    assert judged([0.3, 0.2, 0.4], [0.1, 0.3, 0.1]).place == 0  # 0.4, 0.5, 0.5
    assert judged([0.3, 0.1, 0.4], [0.1, 0.2, 0.1]).place == 1  # 0.4, 0.3, 0.5


def test_of_as_many_errors_those_win_that_were_nearer_to_right():
    wrong = np.full((3, 20), 1)  # of ten votes
    wrong[:, :4] = [[9], [6], [8]]
    votes = {"losses": wrong, "powers": [1.0] * 3}
    assert judged([0] * 3, [0.2] * 3, **votes).place == 1
    assert judged([0] * 3, [0.2] * 3, costs=(1.0, 1.0, 0.5), losses=wrong).place == 2
    # Out of bag, too: nearer by more than it is further off on the rows left out.
    assert judged([0] * 3, [0.2] * 3, graded=[0.3, 0.9, 0.9], **votes).place == 0
    # What does not count has no say.
    assert judged([0] * 3, [0.2] * 3, standards=[0], **votes).place == 1
    wrong[1, 4] = 6
    assert judged([0] * 3, [0.2] * 3, standards=[0], **votes).place == 2


def test_votes_that_are_nearer_to_right_are_not_paid_for_if_they_spare_no_error():
    wrong = np.full((3, 20), 1)
    wrong[:, :4] = [[9], [6], [8]]
    votes = {"losses": wrong, "powers": [1.0] * 3, "costs": (0.7, 1.0, 0.5)}
    # The second has the lowest graded error. It errs in the same rows as the cheaper ones do.
    assert judged([0] * 3, [0.2] * 3, **votes).place == 2
    # If they err more often out of bag, or in other rows, the money is well spent.
    assert judged([0] * 3, [0.2, 0.2, 0.21], **votes).place == 0
    assert judged([0] * 3, [0.21, 0.2, 0.21], **votes).place == 1
    wrong[[0, 2], 3:5] = wrong[[0, 2], 4:2:-1]
    assert judged([0] * 3, [0.2] * 3, **votes).place == 1


def test_the_standard_stands_unless_another_way_is_clearly_better():
    # Better in one row of twenty, and in eight of twenty.
    assert judged([0.5, 0.45, 0.5], [0.5, 0.4, 0.6], standards=[0]).place == 0
    assert judged([0.5, 0.45, 0.1], [0.5, 0.4, 0.5], standards=[0]).place == 2
    assert judged([0.5, 0.45, 0.5], [0.5, 0.4, 0.6]).place == 1


def test_a_way_may_also_beat_the_standard_by_both_errors_together():
    # One row of twenty less is not clear, and two standard errors of ½ in 40 rows are 0.16.
    assert judged([0.5, 0.45, 0.5], [0.5, 0.39, 0.5], standards=[0]).place == 1  # 0.16 less
    assert judged([0.5, 0.45, 0.5], [0.5, 0.4, 0.5], standards=[0]).place == 0  # 0.15 less
    # More errors on the rows left out are not outweighed.
    assert judged([0.5, 0.55, 0.5], [0.5, 0.1, 0.5], standards=[0]).place == 0


def test_what_errs_in_the_same_rows_as_the_standard_may_be_bought_for_less():
    assert judged([0.2, 0.2, 0.2], [0.2] * 3, costs=(1.0, 0.7, 0.5), standards=[0]).place == 2


def test_of_a_search_the_set_with_the_lowest_out_of_bag_error_is_taken_in_each_resample_anew():
    # The last two are one search: it takes the first of them in the resamples, the other on all
    # rows, so the rows that the other gets wrong do not matter.
    pool = scripted([0.3, 0.1, 0.9], [0.3, 0.2, 0.1], (1.0, 1.0, 1.0))
    ways = tuple(
        Configuration("linear", None, variant, 1.0) for variant in ("forward", "beam", "beam, 2")
    )
    pool = replace(pool, configurations=ways)
    sets = (*pool.sets[:2], replace(pool.sets[2], oob_score=0.25, graded=0.15))
    resample = replace(pool, sets=sets)
    found = judge(pool, [resample, resample], halves(), LABELS, [Budget(1.0)], 0)[Budget(1.0)]
    assert found.place == 2
    assert found.reruns == ((1,), (1,))


def test_one_search_for_two_inner_budgets_is_two_ways():
    pool = scripted([0.1, 0.4], [0.3, 0.1], (0.5, 1.0))
    both = {"1.0": (0.5, 1.0)}
    ways = tuple(Configuration("linear", 0.0, "forward", limit) for limit in (0.5, 1.0))
    pool = replace(pool, configurations=ways, inner_limits=both)
    found = judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0)], 0)[Budget(1.0)]
    assert found.place == 0  # 0.4 in all, against 0.5


def test_with_another_final_model_each_configuration_is_a_way():
    # The out-of-bag error would take the second, and so would grades.
    wrong = np.full((2, 20), 4)
    wrong[0, 0], wrong[1, :2] = 9, 6
    wrong[1, 2:] = 0
    pool = scripted([0] * 2, [0.3, 0.1], (1.0, 1.0), losses=wrong, powers=[1.0] * 2)
    ways = tuple(Configuration("linear", xi, "forward", 1.0) for xi in (0.0, 1.0))
    pool = replace(pool, configurations=ways)
    final = Final(LogisticRegression())
    for model, place in ((None, 1), (final, 0)):
        found = judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0)], 0, final=model)
        assert found[Budget(1.0)].place == place


def plain_losses(n_wrong, power):
    """Error and graded error of a row with so many wrong votes of ten."""
    error = 0.5 if n_wrong == 5 else float(n_wrong > 5)
    votes = [10 - n_wrong, n_wrong]
    return error, error + plain_scores.sharpened_log_loss([votes], [0], power) / 2


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_and_its_error_are_those_of_the_plain_version(seed):
    rng = np.random.default_rng(seed)
    n, n_searches = 9, 5
    wrong = rng.binomial(10, rng.beta(1, 1, (n, N_ROWS)) * rng.uniform(0.1, 1, (n, 1)))
    wrong[1] = wrong[0]
    costs = rng.integers(1, 3, n) / 2
    powers = rng.choice([0.0, 1.0, 2.5], (2, n))
    *on_parts, on_all = rng.integers(10, 60, (3, n, 2)) / 100
    searches = [*range(n_searches), *rng.integers(1, n_searches, n - n_searches).tolist()]
    # The standard is a search with one set, as it is in a pool.
    more = {"may_be_empty": bool(seed % 2), "standards": [0]}
    ways = tuple(
        Configuration("linear", None, f"search {search}, number {j}", 1.0)
        for j, search in enumerate(searches)
    )
    rows = (slice(20), slice(20, None))
    pool, *pools = (
        replace(made, configurations=ways)
        for made in (
            scripted([0] * n, on_all[:, 0], costs, graded=on_all[:, 1], **more),
            *(
                scripted(
                    *([0] * n, on_part[:, 0], costs, wrong[:, some]),
                    graded=on_part[:, 1],
                    powers=power,
                    **more,
                )
                for on_part, some, power in zip(on_parts, rows, powers, strict=True)
            ),
        )
    )
    found = judge(pool, pools, halves(), LABELS, [Budget(1.0)], seed)[Budget(1.0)]
    losses = [
        [plain_losses(wrong[j, r], powers[int(r >= 20), j]) for r in range(N_ROWS)]
        for j in range(n)
    ]
    plain, places = plain_choice.tuned_ways(
        searches, on_all, on_parts, costs, losses, [range(20), range(20, N_ROWS)]
    )
    rng = np.random.default_rng(derive_seed(seed, "judge"))
    draws = [rng.integers(N_ROWS, size=N_ROWS).tolist() for _ in range(500)]
    winner, error = plain_choice.choose(plain, 0, draws, 0.5 if seed % 2 else None)
    assert found.place == (None if winner is None else places[winner])
    assert found.honest.error == pytest.approx(error)


def test_ties_go_to_the_cheaper_set():
    assert judged([0.2, 0.2, 0.2], [0.2, 0.2, 0.2], costs=(1.0, 0.5, 0.7)).place == 1


def test_a_set_that_is_too_expensive_on_all_rows_is_not_chosen():
    assert judged([0.0, 0.3, 0.2], [0.0, 0.1, 0.3], costs=(1.1, 1.0, 1.0)).place == 1


def test_a_configuration_that_some_resample_lacks_is_not_chosen():
    pool = scripted([0.3, 0.0], [0.1, 0.0], (1.0, 1.0))
    other = scripted([0.3], [0.1], (1.0,))
    found = judge(pool, [pool, other], halves(), LABELS, [Budget(1.0)], 0)
    assert found[Budget(1.0)].place == 0


BOTH = {"1.0": (1.0,), "2.0": (1.0, 2.0)}


def test_less_money_is_spent_where_that_is_clearly_better():
    # The second way is the standard of the larger budget.
    cheap = scripted([0.1, 0.6], [0.1, 0.6], (1.0, 2.0), standards=[1])
    pool = with_ways(cheap, (1.0, 2.0), BOTH)
    found = judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0), Budget(2.0)], 0)
    assert found[Budget(2.0)].place == found[Budget(1.0)].place == 0


def test_the_answer_does_not_depend_on_the_other_budgets():
    pool = with_ways(scripted([0.3, 0.1], [0.3, 0.1], (1.0, 2.0)), (1.0, 2.0), BOTH)
    both = judge(pool, [pool, pool], halves(), LABELS, [Budget(1.0), Budget(2.0)], 0)
    for budget in both:
        alone = judge(pool, [pool, pool], halves(), LABELS, [budget], 0)
        assert alone[budget] == both[budget]


def test_an_answer_comes_with_those_of_smaller_amounts():
    pool = with_ways(scripted([0.3, 0.1], [0.3, 0.1], (1.0, 2.0)), (1.0, 2.0), BOTH)
    answer = judge(pool, [pool, pool], halves(), LABELS, [Budget(2.0)], 0)[Budget(2.0)]
    assert answer.place == 1
    assert [other.place for other in answer.beside] == [0]


def test_if_all_the_money_buys_nothing_that_helps_less_money_may():
    # Guessing is wrong for half; the standard of the larger budget is worse than the cheap way,
    # though not clearly so, and no better than guessing.
    wrong = np.zeros((2, 20))
    wrong[0, :9] = 1
    wrong[1, 8:19] = 1
    cheap = scripted([0, 0], [0.45, 0.55], (1.0, 2.0), wrong, True, standards=[1])
    pool = with_ways(cheap, (1.0, 2.0), BOTH)
    found = judge(pool, [pool, pool], halves(), LABELS, [Budget(2.0)], 0)[Budget(2.0)]
    assert found.place == 0
    assert [other.place for other in found.beside] == [None]


def test_the_corrected_error_of_the_best_of_many_equal_ones_is_their_common_error():
    # Two hundred sets that are wrong by the toss of a coin: the best looks good, and is not.
    rng = np.random.default_rng(0)
    n = 200
    pools = [
        scripted([0] * n, [0.5] * n, [1.0] * n, losses=rng.integers(0, 2, (n, 20)) * 1.0)
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
    assert 0.25 <= found.honest.error < 0.255  # in a few of the draws the classes are even
    assert found.honest.errors == (0.25, 0.25)
    assert found.honest.low < 0.25 < found.honest.high
    assert found.reruns == ((), ())
    assert pool.chosen(found.place) == ((), None)


# --- through compare ----------------------------------------------------------------------------


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
    return compare(*make_table(), PRICES, [5.5, 9.0], [SMALL, "auc"], **QUICK)


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
    found = candidate_sets(result, Findings.of(result))
    assert len({c.features for c in found}) > 1
    for place, budget in enumerate(result.budgets):
        first = min((c for c in found if c.budget == place), key=lambda c: c.turn)
        assert first.features == " ".join(number[name] for name in result.best(budget).features)
        assert all(c.turn > first.turn for c in found if c.budget < place)


@pytest.mark.slow
def test_the_answer_for_a_budget_does_not_depend_on_the_others():
    several = compare(*make_table(), PRICES, [2.5, 5.5, 9.0], SMALL, **QUICK)
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
