"""The choice among pooled ways by rows left out, and the error of that choice."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from frugalforest.choice import Configuration, judge
from frugalforest.costs import Budget
from frugalforest.final import Final
from frugalforest.seeds import derive_seed
from reference import plain_choice, plain_scores
from reference.scripted_pools import LABELS, N_ROWS, halves, scripted


def with_ways(pool, limits, inner):
    """The same sets, each for an inner budget of its own."""
    ways = tuple(Configuration("auc", 0.0, "", limit) for limit in limits)
    return replace(pool, configurations=ways, inner_limits=inner)


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
    assert judged([0.5, 0.45, 0.5], [0.5, 0.45, 0.6], standards=[0]).place == 0
    assert judged([0.5, 0.45, 0.1], [0.5, 0.45, 0.5], standards=[0]).place == 2
    assert judged([0.5, 0.45, 0.5], [0.5, 0.45, 0.6]).place == 1


def test_a_way_may_also_beat_the_standard_by_both_errors_together():
    # One row of twenty less is one standard error, and 1½ of those of ½ in 40 rows are 0.119.
    assert judged([0.5, 0.45, 0.5], [0.5, 0.43, 0.5], standards=[0]).place == 1  # 0.12 less
    assert judged([0.5, 0.45, 0.5], [0.5, 0.44, 0.5], standards=[0]).place == 0  # 0.11 less
    # As many errors on the rows left out, though not the same, are not outweighed.
    wrong = np.zeros((2, 20))
    wrong[0, :10] = wrong[1, 1:11] = 1
    assert judged([0] * 2, [0.5, 0.1], (1.0, 1.0), losses=wrong, standards=[0]).place == 0


def test_what_errs_in_the_same_rows_as_the_standard_may_be_bought_for_less():
    assert judged([0.2, 0.2, 0.2], [0.2] * 3, costs=(1.0, 0.7, 0.5), standards=[0]).place == 2


def test_of_a_search_the_set_with_the_lowest_grade_is_taken_in_each_resample_anew():
    # The last two are one search: it takes the first of them in the resamples, the other on all
    # rows, so the rows that the other gets wrong do not matter.
    pool = scripted([0.3, 0.1, 0.9], [0.3, 0.2, 0.1], (1.0, 1.0, 1.0))
    ways = tuple(
        Configuration("linear", None, variant, 1.0) for variant in ("forward", "beam", "beam, 2")
    )
    pool = replace(pool, configurations=ways)
    sets = (*pool.sets[:2], replace(pool.sets[2], oob_score=0.15, graded=0.25))
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


def test_with_another_final_model_out_of_bag_errors_do_not_help_a_way_to_count():
    # One row of twenty less, which is one standard error, and far fewer errors out of bag.
    pool = scripted([0.5, 0.45], [0.5, 0.1], (1.0, 1.0), standards=[0])
    arguments = (pool, [pool, pool], halves(), LABELS, [Budget(1.0)], 0)
    model = Final(LogisticRegression())
    assert judge(*arguments)[Budget(1.0)].place == 1
    assert judge(*arguments, final=model)[Budget(1.0)].place == 0


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
    guesses = [0.5] * N_ROWS if seed % 2 else None
    winner, error = plain_choice.choose(plain, 0, draws, guesses)
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


def of_two_amounts(n_cheap, n_dear, first_dear):
    """A cheap way and a dear one, wrong in so many of forty rows; their answers.

    The dear one errs less out of bag, so the sum of both errors takes it for the larger budget.
    """
    wrong = np.zeros((2, 40))
    wrong[0, :n_cheap] = 1
    wrong[1, first_dear : first_dear + n_dear] = 1
    pools = [
        with_ways(scripted([0, 0], [0.6, 0.1], (1.0, 2.0), half, standards=[1]), (1.0, 2.0), BOTH)
        for half in (wrong[:, ::2], wrong[:, 1::2])
    ]
    budgets = [Budget(1.0), Budget(2.0)]
    return judge(pools[0], pools, halves(), LABELS, budgets, 0).values()


def test_what_is_clearly_worse_is_not_bought_for_more_money():
    # Worse in four of forty rows, and better in none: two standard errors are 0.095.
    less, more = of_two_amounts(8, 12, first_dear=0)
    assert less.place == more.place == 0
    assert less.honest == more.honest
    assert less.beside == more.beside == ()


def test_what_is_a_little_worse_by_chance_is_bought_with_what_is_quoted_for_less():
    less, more = of_two_amounts(8, 9, first_dear=0)
    assert (less.place, more.place) == (0, 1)
    assert (more.honest.error, more.honest.high) == (less.honest.error, less.honest.high)
    assert more.diagnosis == less.diagnosis
    assert more.honest.errors == (0.25, 0.2)  # its own
    (other,) = more.beside
    assert (other.place, other.honest) == (0, less.honest)


def test_what_is_best_again_for_more_money_is_bought_for_less():
    # The same way is best up to 1 and up to 5; up to 2 another one, which is a little worse.
    wrong = np.zeros((3, 40))
    wrong[0, :8], wrong[1, 1:10], wrong[2, 5:30] = 1, 1, 1
    costs, amounts = (1.0, 2.0, 5.0), (1.0, 2.0, 5.0)
    ways = tuple(Configuration("auc", 0.0, "", limit) for limit in costs)
    inner = {repr(a): amounts[: i + 1] for i, a in enumerate(amounts)}
    pools = [
        replace(
            scripted([0] * 3, [0.10, 0.12, 0.9], costs, half, standards=[1, 2]),
            configurations=ways,
            inner_limits=inner,
        )
        for half in (wrong[:, ::2], wrong[:, 1::2])
    ]
    budgets = [Budget(a) for a in amounts]
    one, two, five = judge(pools[0], pools, halves(), LABELS, budgets, 0).values()
    assert (one.place, two.place) == (0, 1)
    assert one.honest.error == two.honest.error
    assert five.place == 0
    assert five.honest.error <= two.honest.error


def test_of_two_amounts_that_err_in_the_same_rows_the_smaller_is_spent():
    less, more = of_two_amounts(8, 8, first_dear=0)
    assert less.place == more.place == 0


def test_what_errs_less_is_bought_for_more_money_and_the_other_is_beside_it():
    less, more = of_two_amounts(12, 11, first_dear=20)
    assert (less.place, more.place) == (0, 1)
    assert 0.27 < more.honest.error < less.honest.error
    (other,) = more.beside
    assert (other.place, other.honest) == (0, less.honest)


@pytest.mark.parametrize("seed", range(12))
def test_the_answers_along_the_amounts_are_those_of_the_plain_version(seed):
    rng = np.random.default_rng(seed)
    n, amounts = 10, (1.0, 2.0, 3.0, 5.0)
    limits = [*amounts, *rng.choice(amounts, n - 4).tolist()]
    costs = (np.array(limits) * rng.choice([0.5, 1.0], n)).tolist()
    wrong = rng.integers(0, 2, (n, N_ROWS)) * (rng.random((n, N_ROWS)) < rng.random((n, 1)) * 1.2)
    out_of_bag = rng.integers(20, 50, n) / 100
    # 3 is no round amount: others do not see its ways, and it has no lower error than 5.
    inner = {1.0: (1.0,), 2.0: (1.0, 2.0), 3.0: (1.0, 2.0, 3.0), 5.0: (1.0, 2.0, 5.0)}
    ways = tuple(Configuration("linear", None, f"search {j}", limits[j]) for j in range(n))
    pools = [
        replace(
            scripted([0] * n, out_of_bag, costs, 1.0 * wrong[:, rows], True, [0, 1, 2, 3]),
            configurations=ways,
            inner_limits={repr(limit): below for limit, below in inner.items()},
            above=((3.0, 5.0),),
        )
        for rows in (slice(20), slice(20, None))
    ]
    found = judge(pools[0], pools, halves(), LABELS, [Budget(a) for a in amounts], seed)

    rng = np.random.default_rng(derive_seed(seed, "judge"))
    draws = [rng.integers(N_ROWS, size=N_ROWS).tolist() for _ in range(500)]
    places = {}

    def chosen(among_limits):
        among = [j for j in np.argsort(costs, kind="stable").tolist() if limits[j] in among_limits]
        plain = [
            {
                "errors": wrong[j].astype(float).tolist(),
                "graded": wrong[j].astype(float).tolist(),
                "oob": out_of_bag[j],
                "graded_oob": out_of_bag[j],
                "cost": costs[j],
            }
            for j in among
        ]
        standard = among.index(amounts.index(among_limits[-1]))
        winner, error = plain_choice.choose(plain, standard, draws, [0.5] * N_ROWS)
        places[among_limits[-1]] = None if winner is None else among[winner]
        return None if winner is None else (error, plain[winner]["errors"])

    steps = {
        limit: [chosen(inner[limit][: i + 1]) for i in range(len(inner[limit]))] for limit in inner
    }
    expected = {limit: plain_choice.answers(steps[limit])[-1] for limit in (1.0, 2.0, 5.0)}
    expected[3.0] = plain_choice.between(steps[3.0], expected[5.0])
    quoted = []
    for limit in amounts:
        number, error = expected[limit]
        answer = found[Budget(limit)]
        assert answer.place == (None if number is None else places[inner[limit][number]])
        if answer.place is not None:
            assert answer.honest.error == pytest.approx(error)
            quoted.append(answer.honest.error)
        alone = judge(pools[0], pools, halves(), LABELS, [Budget(limit)], seed)[Budget(limit)]
        assert (alone.place, alone.honest) == (answer.place, answer.honest)
    assert quoted == sorted(quoted, reverse=True)


def between_amounts(least):
    """What 3 gets, of a way with 30 % errors, if the next round amount, 5, gets so many."""
    pool = scripted([0.3, least], [0.3, least], (3.0, 5.0), may_be_empty=True)
    inner = {"3.0": (3.0,), "5.0": (5.0,)}
    pool = replace(with_ways(pool, (3.0, 5.0), inner), above=((3.0, 5.0),))
    return [judge(pool, [pool, pool], halves(), LABELS, [Budget(b)], 0)[Budget(b)] for b in (3, 5)]


def test_a_budget_between_round_amounts_has_no_lower_error_than_the_next():
    less, more = between_amounts(0.1)
    assert more.honest.error < less.honest.error == pytest.approx(0.3, abs=0.01)
    less, more = between_amounts(0.4)
    assert less.honest.error == more.honest.error == pytest.approx(0.4, abs=0.01)
    assert (less.place, more.place) == (0, 1)
    assert less.diagnosis == more.diagnosis


def test_a_budget_gets_nothing_if_the_next_round_amount_does():
    less, more = between_amounts(0.6)
    assert less.place is more.place is None
    assert less.honest == more.honest
    assert less.beside == ()


def test_a_set_is_beside_the_answer_once():
    # The second way leads to the same set for more money; the third is the answer.
    pool = scripted([0.3, 0.3, 0.1], [0.3, 0.3, 0.1], (1.0, 1.0, 5.0))
    amounts = (1.0, 2.0, 5.0)
    inner = {repr(a): amounts[: i + 1] for i, a in enumerate(amounts)}
    pool = replace(with_ways(pool, amounts, inner), set_of=(0, 0, 2))
    answer = judge(pool, [pool, pool], halves(), LABELS, [Budget(5.0)], 0)[Budget(5.0)]
    assert (answer.place, [other.place for other in answer.beside]) == (2, [0])


def test_what_a_smaller_budget_gets_with_a_lower_error_is_the_answer_for_a_larger_one():
    # Neither is among the amounts of the other, as if they were no round amounts.
    apart = {"1.0": (1.0,), "2.0": (2.0,)}
    pool = with_ways(scripted([0.1, 0.3], [0.1, 0.3], (1.0, 2.0)), (1.0, 2.0), apart)
    pools = [pool, pool]
    alone = judge(pool, pools, halves(), LABELS, [Budget(2.0)], 0)[Budget(2.0)]
    assert alone.place == 1
    found = judge(pool, pools, halves(), LABELS, [Budget(2.0), Budget(1.0)], 0)
    assert found[Budget(1.0)].place == 0
    assert found[Budget(2.0)] is found[Budget(1.0)]


def test_an_answer_comes_with_those_of_smaller_amounts():
    pool = with_ways(scripted([0.3, 0.1], [0.3, 0.1], (1.0, 2.0)), (1.0, 2.0), BOTH)
    answer = judge(pool, [pool, pool], halves(), LABELS, [Budget(2.0)], 0)[Budget(2.0)]
    assert answer.place == 1
    assert [other.place for other in answer.beside] == [0]


def test_if_all_the_money_buys_nothing_that_helps_less_money_may():
    # Guessing is wrong for half; the standard of the larger budget is worse than the cheap way,
    # though not clearly so, and no better than guessing.
    wrong = np.zeros((2, 20))
    wrong[0, :8] = 1
    wrong[1, 8:19] = 1
    cheap = scripted([0, 0], [0.4, 0.55], (1.0, 2.0), wrong, True, standards=[1])
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
