"""The choice among pooled ways by rows left out, and the error of that choice."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from frugalforest.choice import Configuration, judge
from frugalforest.choice.ways import DEDUCTION, OUT_OF_BAG
from frugalforest.costs import Budget
from frugalforest.model.final.estimator import EstimatorFinal
from frugalforest.running.seeds import derive_seed
from frugalforest.tables import Classes
from reference import plain_choice, plain_scores
from reference.scripted_pools import N_ROWS, OUTCOME, halves, scripted


def with_ways(pool, limits, inner):
    """The same sets, each for an inner budget of its own."""
    ways = tuple(Configuration("auc", "", 0.0, "", limit) for limit in limits)
    return replace(pool, configurations=ways, inner_limits=inner)


# The graded score of guessing which of two classes it is.
GUESS = [0.5 + np.log(2) / 2]


def judged(errors, out_of_bag, costs=(1.0, 1.0, 1.0), **more):
    pool = scripted(errors, out_of_bag, costs, **more)
    return judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]


def test_the_fewest_errors_on_rows_left_out_win_with_a_part_of_those_out_of_bag():
    assert judged([0.3, 0.2, 0.4], [0.3, 0.3, 0.3]).place == 1
    # Four tenths more out of bag outweigh a twentieth, and not a tenth and a half.
    assert judged([0.3, 0.25, 0.4], [0.1, 0.5, 0.1]).place == 0
    assert judged([0.3, 0.15, 0.4], [0.1, 0.5, 0.1]).place == 1


def test_of_as_many_errors_those_win_that_were_nearer_to_right():
    wrong = np.full((3, 20), 1)  # of ten votes
    wrong[:, :4] = [[9], [6], [8]]
    assert judged([0] * 3, [0.2] * 3, losses=wrong, powers=[1.0] * 3).place == 1
    assert judged([0] * 3, [0.2] * 3, costs=(1.0, 1.0, 0.5), losses=wrong).place == 2


def test_of_as_large_improvements_the_surer_one_is_taken():
    # Both improve on guessing, which loses half of each row, by a quarter: one is right in half of
    # the rows and ties in the others, the other is right in three quarters and wrong in the rest.
    wrong = np.zeros((2, 20), dtype=int)
    wrong[0, ::2] = 5
    wrong[1, ::4] = 10
    assert judged([0] * 2, [0.2] * 2, (1.0, 0.5), losses=wrong).place == 0


def test_what_is_not_assured_to_beat_guessing_is_not_bought():
    # Guessing loses half of every row. Wrong in 17 of 40 rows is a gain of one standard error.
    for n_wrong, place in ((15, 0), (19, None)):
        wrong = np.zeros((1, 40))
        wrong[0, :n_wrong] = 1
        pools = [
            scripted([0], [0.5], (1.0,), half, True, graded=GUESS)
            for half in (wrong[:, ::2], wrong[:, 1::2])
        ]
        found = judge(pools[0], pools, halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]
        assert found.place == place
        if place is None:
            assert found.honest.error == pytest.approx(0.5, abs=1e-12)
            assert found.diagnosis is None


def test_what_is_free_is_improved_on_or_kept():
    def found(n_wrong_of_dear):
        wrong = np.zeros((2, 20))
        wrong[0, :8] = wrong[1, :n_wrong_of_dear] = 1
        return judged([0] * 2, [0.4, 0.4], (0.0, 1.0), losses=wrong, baseline=0)

    assert found(8).place == 0
    assert found(3).place == 1


def test_of_a_search_the_set_with_the_lowest_grade_is_taken_in_each_resample_anew():
    # The last two are one search: it takes the first of them in the resamples, the other on all
    # rows, so the rows that the other gets wrong do not matter.
    pool = scripted([0.3, 0.1, 0.9], [0.3, 0.2, 0.1], (1.0, 1.0, 1.0))
    ways = tuple(
        Configuration("linear", search, None, variant, 1.0)
        for search, variant in (("forward", ""), ("beam", "size 1"), ("beam", "size 2"))
    )
    pool = replace(pool, configurations=ways)
    sets = (*pool.sets[:2], replace(pool.sets[2], oob_score=0.15, graded=0.25))
    resample = replace(pool, sets=sets)
    found = judge(pool, [resample, resample], halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]
    assert found.place == 2
    assert found.reruns == ((1,), (1,))


def test_one_search_for_two_inner_budgets_is_two_ways():
    pool = scripted([0.1, 0.4], [0.3, 0.1], (0.5, 1.0))
    both = {"1.0": (0.5, 1.0)}
    ways = tuple(Configuration("linear", "forward", 0.0, "", limit) for limit in (0.5, 1.0))
    pool = replace(pool, configurations=ways, inner_limits=both)
    found = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]
    assert found.place == 0


def test_with_another_final_model_its_losses_alone_count():
    # Out of bag the second is better by far, and its votes are nearer to right: of the forest's.
    wrong = np.full((2, 20), 4)
    wrong[0, 0], wrong[1, :2] = 9, 6
    wrong[1, 2:] = 0
    pool = scripted([0] * 2, [0.9, 0.1], (1.0, 1.0), losses=wrong, powers=[1.0] * 2)
    for model, place in ((None, 1), (EstimatorFinal(LogisticRegression()), 0)):
        found = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0)], 0, final=model)
        assert found[Budget(1.0)].place == place


def plain_losses(n_wrong, power):
    """Error and graded error of a row with so many wrong votes of ten."""
    error = 0.5 if n_wrong == 5 else float(n_wrong > 5)
    votes = [10 - n_wrong, n_wrong]
    return error, error + plain_scores.sharpened_log_loss([votes], [0], power) / 2


@pytest.mark.parametrize("seed", range(12))
def test_the_choice_and_its_error_are_those_of_the_plain_version(seed):
    rng = np.random.default_rng(seed)
    n, n_searches, may_be_empty = 9, 5, bool(seed % 2)
    wrong = rng.binomial(10, rng.beta(1, 1, (n, N_ROWS)) * rng.uniform(0.1, 1.0, (n, 1)))
    wrong[1] = wrong[0]
    costs = rng.integers(1, 3, n) / 2
    powers = rng.choice([0.0, 1.0, 2.5], (2, n))
    *on_parts, on_all = rng.integers(10, 60, (3, n)) / 100
    searches = [*range(n_searches), *rng.integers(1, n_searches, n - n_searches).tolist()]
    # What is free, if something is, is a search with one set.
    more = {"may_be_empty": may_be_empty, "baseline": None if may_be_empty else 0}
    ways = tuple(
        Configuration("linear", f"search {search}", None, f"number {j}", 1.0)
        for j, search in enumerate(searches)
    )
    rows = (slice(20), slice(20, None))
    pool, *pools = (
        replace(made, configurations=ways)
        for made in (
            scripted([0] * n, on_all, costs, **more),
            *(
                scripted([0] * n, on_part, costs, wrong[:, some], powers=power, **more)
                for on_part, some, power in zip(on_parts, rows, powers, strict=True)
            ),
        )
    )
    found = judge(pool, pools, halves(), OUTCOME, [Budget(1.0)], seed)[Budget(1.0)]
    losses = [
        [plain_losses(wrong[j, r], powers[int(r >= 20), j]) for r in range(N_ROWS)]
        for j in range(n)
    ]
    amounts, tests = (0.5, 0.63, 0.8, 1.0), [range(20), range(20, N_ROWS)]
    plain = plain_choice.tuned_ways(searches, amounts, on_all, on_parts, costs, losses, tests)
    # Guessing which of two classes it is; what is free may be better.
    grade = plain_losses(5, 1.0)[1]
    nothing = {"errors": [0.5] * N_ROWS, "graded": [grade] * N_ROWS, "oob": grade, "cost": 0}
    baseline = nothing
    if may_be_empty:
        plain = [*plain, nothing]
    elif sum(plain[0]["graded"]) / N_ROWS + plain[0]["oob"] / 4 < 1.25 * grade:
        baseline = plain[0]
    rng = np.random.default_rng(derive_seed(seed, "judge"))
    draws = [rng.integers(N_ROWS, size=N_ROWS).tolist() for _ in range(500)]
    rule = DEDUCTION, OUT_OF_BAG
    place, error = plain_choice.quoted(plain, amounts, baseline, draws, *rule)
    assert found.place == place
    if found.place is not None:
        assert found.honest.error == pytest.approx(error)


def test_the_forest_alone_is_set_beside_the_final_model_it_is_a_part_of():
    # In the same rows the model is wrong twice and the forest four times, of twenty.
    model, forest = np.zeros((2, 1, 20))
    model[0, :2] = forest[0, 1:5] = 1
    pool, of_forests = (scripted([0], [0.2], (1.0,), w) for w in (model, forest))
    pool = replace(pool, of_forests=of_forests.left_out)
    found = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]
    assert found.over_forest.gain == pytest.approx(0.1)
    assert found.over_forest.baseline == pytest.approx(found.honest.error + 0.1)
    assert found.over_forest.low < 0.1 < found.over_forest.high
    assert judged([0.1, 0.2, 0.3], [0.2] * 3).over_forest is None


def test_ties_go_to_the_cheaper_set():
    assert judged([0.2, 0.2, 0.2], [0.2, 0.2, 0.2], costs=(1.0, 0.5, 0.7)).place == 1


def test_a_set_that_is_too_expensive_on_all_rows_is_not_chosen():
    assert judged([0.0, 0.3, 0.2], [0.0, 0.1, 0.3], costs=(1.1, 1.0, 1.0)).place == 2


def test_a_configuration_that_some_resample_lacks_is_not_chosen():
    pool = scripted([0.3, 0.0], [0.1, 0.0], (1.0, 1.0))
    other = scripted([0.3], [0.1], (1.0,))
    found = judge(pool, [pool, other], halves(), OUTCOME, [Budget(1.0)], 0)
    assert found[Budget(1.0)].place == 0


BOTH = {"1.0": (1.0,), "2.0": (1.0, 2.0)}


def test_less_money_is_spent_where_more_buys_nothing_better():
    for dear in (0.1, 0.6):
        pool = with_ways(scripted([0.1, dear], [0.1, dear], (1.0, 2.0)), (1.0, 2.0), BOTH)
        found = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0), Budget(2.0)], 0)
        assert found[Budget(2.0)].place == found[Budget(1.0)].place == 0


def of_two_amounts(n_cheap, n_dear, first_dear):
    """The answers for two amounts; a cheap way and a dear one, wrong in so many of forty rows."""
    wrong = np.zeros((2, 40))
    wrong[0, :n_cheap] = 1
    wrong[1, first_dear : first_dear + n_dear] = 1
    pools = [
        with_ways(scripted([0, 0], [0.3, 0.3], (1.0, 2.0), half), (1.0, 2.0), BOTH)
        for half in (wrong[:, ::2], wrong[:, 1::2])
    ]
    budgets = [Budget(1.0), Budget(2.0)]
    return judge(pools[0], pools, halves(), OUTCOME, budgets, 0).values()


def test_the_answer_does_not_depend_on_the_other_budgets():
    pool = with_ways(scripted([0.3, 0.1], [0.3, 0.1], (1.0, 2.0)), (1.0, 2.0), BOTH)
    both = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(1.0), Budget(2.0)], 0)
    for budget in both:
        alone = judge(pool, [pool, pool], halves(), OUTCOME, [budget], 0)
        assert alone[budget] == both[budget]


@pytest.mark.parametrize("n_dear", [6, 8, 9, 11])
def test_every_figure_is_of_the_choice_that_it_stands_beside(n_dear):
    # Eight rows of forty: with more errors than that the dear set is not bought, and whichever is
    # bought, the confusion matrix beside it adds up to the error beside it.
    for n_cheap, answer in zip((8, 8), of_two_amounts(8, n_dear, first_dear=20), strict=True):
        own = n_cheap if answer.place == 0 else n_dear
        assert np.mean(answer.honest.errors) == pytest.approx(own / 40)
        wrong = answer.diagnosis.confusion[0][1] + answer.diagnosis.confusion[1][0]
        assert wrong / np.sum(answer.diagnosis.confusion) == pytest.approx(answer.honest.error)


def test_what_errs_less_is_bought_for_more_money_and_the_other_is_beside_it():
    less, more = of_two_amounts(12, 11, first_dear=20)
    assert (less.place, more.place) == (0, 1)
    (other,) = more.beside
    assert (other.place, other.honest, other.diagnosis) == (0, less.honest, less.diagnosis)


def test_a_set_is_beside_the_answer_once():
    # The second way leads to the same set for more money; the third is the answer.
    pool = scripted([0.3, 0.3, 0.1], [0.3, 0.3, 0.1], (1.0, 1.0, 5.0))
    amounts = (1.0, 2.0, 5.0)
    inner = {repr(a): amounts[: i + 1] for i, a in enumerate(amounts)}
    pool = replace(with_ways(pool, amounts, inner), set_of=(0, 0, 2))
    answer = judge(pool, [pool, pool], halves(), OUTCOME, [Budget(5.0)], 0)[Budget(5.0)]
    assert (answer.place, [other.place for other in answer.beside]) == (2, [0])


def test_the_corrected_error_of_the_best_of_many_equal_ones_is_their_common_error():
    # Two hundred sets that are wrong by the toss of a coin: the best looks good, and is not.
    rng = np.random.default_rng(0)
    n = 200
    pools = [
        scripted([0] * n, [0.5] * n, [1.0] * n, losses=rng.integers(0, 2, (n, 20)) * 1.0)
        for _ in range(2)
    ]
    found = judge(pools[0], pools, halves(), OUTCOME, [Budget(1.0)], 0)[Budget(1.0)]
    raw = np.mean(found.honest.errors)
    assert raw < 0.35
    # 40 rows tell an error of ½ to 0.08; the bootstrap averages over most of them.
    assert found.honest.error == pytest.approx(0.5, abs=0.08)


@pytest.mark.parametrize("may_be_empty", [True, False])
def test_what_does_no_better_than_the_commonest_class_is_not_bought(may_be_empty):
    labels = (np.arange(N_ROWS) % 4 == 0).astype(int)  # a quarter: guessing is wrong for so many
    pool = scripted([0.4, 0.35], [0.4, 0.3], (1.0, 1.0), may_be_empty=may_be_empty)
    found = judge(pool, [pool, pool], halves(), Classes(labels, np.arange(2)), [Budget(1.0)], 0)[
        Budget(1.0)
    ]
    if not may_be_empty:
        assert found.place is not None
        return
    assert found.place is None
    assert 0.25 <= found.honest.error < 0.255  # in a few of the draws the classes are even
    assert found.honest.errors == (0.25, 0.25)
    assert found.honest.low < 0.25 < found.honest.high
    assert found.reruns == ((), ())
    assert pool.chosen(found.place) == ((), None)
