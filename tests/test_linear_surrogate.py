"""The linear surrogate: D² is what inverting matrices gives, and searches find what is there."""

import numpy as np
import pytest

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.datasets import make_cost_classification
from frugalforest.errors import BudgetError
from frugalforest.methods._discriminant import (
    GrowingSet,
    discriminant,
    normal_scores,
)
from frugalforest.methods._linear_search import linear_candidates
from frugalforest.problem import Problem
from reference import plain_proposers as plain
from reference.tiny_problems import tiny_problem

XIS = (0.0, 0.5, 1.5)
N_SEEDS = 15


def plain_d2(tiny, part=1.0):
    """D² of a set of columns, by the twin; and the columns that may be bought."""
    model = plain.PlainDiscriminant(tiny.X, tiny.problem().outcome.labels.tolist())
    useful = [j for j in model.varies if j not in tiny.prices.excluded]
    R, shrinkage = model.correlation(useful, part)
    return lambda features: model.d2(set(features), R), useful, shrinkage


def with_flaws(tiny, seed):
    """The problem with a constant, an empty and a half-empty column in place of the first three."""
    rng = np.random.default_rng(seed)
    tiny.X[:, 0] = 3.0
    tiny.X[:, 1] = np.nan
    tiny.X[rng.random(len(tiny.X)) < 0.5, 2] = np.nan
    return tiny


def by_variant(found):
    """{(variant, ξ or (size, rank)): set of features}."""
    return {
        (
            p.note.search + (", filled up" if p.note.filled else ""),
            p.note.xi if p.note.size is None else (p.note.size, p.note.rank),
        ): set(p.features)
        for p in found
    }


# --- D² -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(10))
def test_normal_scores_are_those_of_ranks_counted_one_by_one(seed):
    X = with_flaws(tiny_problem(seed), seed).X
    problem = Problem.from_table(X, np.arange(len(X)) % 2)
    found = normal_scores(problem.data.codes(), problem.data.n_codes)
    for j in range(X.shape[1]):
        assert found[j].tolist() == pytest.approx(plain.scores_of(X[:, j].tolist()), abs=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("seed", range(8))
def test_d2_is_what_inverting_the_correlation_gives(seed, n_classes):
    tiny = tiny_problem(seed, n_classes=n_classes)
    d2, useful, shrinkage = plain_d2(tiny)
    model = discriminant(tiny.problem())
    assert model.columns.tolist() == useful
    assert model.shrinkage == pytest.approx(shrinkage)
    rng = np.random.default_rng(seed)
    for _ in range(10):
        members = np.sort(rng.permutation(len(useful))[: rng.integers(1, len(useful) + 1)])
        assert model.value(members) == pytest.approx(d2(model.columns[members].tolist()))


@pytest.mark.parametrize("part", [0.5, 0.1, 0.0])
@pytest.mark.parametrize("seed", range(8))
def test_less_shrinkage_is_what_shrinking_less_from_the_start_gives(seed, part):
    tiny = tiny_problem(seed)
    d2, useful, shrinkage = plain_d2(tiny, part)
    model = discriminant(tiny.problem()).shrunken_less(part)
    assert model.shrinkage == pytest.approx(shrinkage)
    everything = np.arange(len(useful))
    for members in (everything, everything[::2], everything[1::2]):
        assert model.value(members) == pytest.approx(d2(model.columns[members].tolist()))


@pytest.mark.parametrize("seed", range(8))
def test_additions_and_deletions_are_d2_of_the_changed_set(seed):
    model = discriminant(tiny_problem(seed, n_features=9, with_restrictions=False).problem())
    rng = np.random.default_rng(seed)
    sets = np.array([np.sort(rng.permutation(9)[:4]) for _ in range(5)])
    added = model.additions(sets)
    for row, members in zip(added, sets.tolist(), strict=True):
        expected = [model.value(sorted({*members, j})) for j in range(9)]
        assert row.tolist() == pytest.approx(expected)

    growing = GrowingSet(model)
    for n, j in enumerate(sets[0].tolist()):
        before = model.value(sets[0][:n]) if n else 0.0
        for k in set(range(9)) - set(sets[0][:n].tolist()):
            assert growing.gains()[k] == pytest.approx(
                model.value([*sets[0][:n].tolist(), k]) - before
            )
        growing.add(j)


def test_a_column_that_separates_the_classes_is_the_best_not_an_error():
    rng = np.random.default_rng(0)
    y = np.repeat([0, 1], 30)
    X = np.column_stack([rng.normal(size=60) + y, y, y])
    model = discriminant(Problem.from_table(X, y))
    alone = model.additions(np.empty((1, 0), dtype=np.intp))[0]
    assert np.isfinite(alone).all()
    assert alone.argmax() == 1


def test_screening_keeps_strong_columns_and_the_partners_of_strong_ones():
    rng = np.random.default_rng(1)
    n, p = 200, 600
    y = np.repeat([0, 1], n // 2)
    X = rng.normal(size=(n, p))
    X[:, 17] += 1.5 * y
    X[:, 400] = X[:, 17] - 1.5 * y + 0.3 * rng.normal(size=n)  # alone it tells nothing
    costs = np.ones(p)
    costs[333] = 0.0
    problem = Problem.from_table(X, y, CostModel(costs, required=[555]))
    model = discriminant(problem, most_columns=40)
    assert len(model.columns) == 40
    assert {17, 400, 333, 555} <= set(model.columns.tolist())


def test_rows_beyond_the_limit_are_left_out_class_by_class():
    rng = np.random.default_rng(2)
    y = (np.arange(3000) % 10 == 0).astype(int)
    X = rng.normal(size=(3000, 5)) + y[:, None] * np.arange(5) / 3
    whole = discriminant(Problem.from_table(X, y))
    part = discriminant(Problem.from_table(X, y), most_rows=1500)
    assert not np.array_equal(part.directions, whole.directions)
    # Half of the rows: about 150 of the rare class, so a standard error of some 0.08 a mean.
    np.testing.assert_allclose(np.abs(part.directions), np.abs(whole.directions), atol=0.1)


# --- searches -----------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_forward_buys_what_all_matrices_inverted_would_buy(seed):
    tiny = tiny_problem(seed)
    d2, useful, _ = plain_d2(tiny)
    found = linear_candidates(tiny.problem(), tiny.limits, xis=XIS)
    for budget in tiny.budgets:
        sets = by_variant(found[Budget.read(budget)])
        for xi in XIS:
            expected = plain.linear_forward(d2, tiny.prices, useful, budget, xi)
            assert sets["forward", xi] == expected


@pytest.mark.parametrize(("beam", "part", "largest"), [("beam", 1.0, 100), ("small beam", 0.1, 6)])
@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_a_wide_beam_finds_the_best_sets_of_every_size_that_fit(seed, beam, part, largest):
    tiny = tiny_problem(seed)
    d2, useful, _ = plain_d2(tiny, part)
    found = linear_candidates(tiny.problem(), tiny.limits, xis=())
    for budget in tiny.budgets:
        sets = by_variant(found[Budget.read(budget)])
        for size in range(1, min(largest, len(useful)) + 1):
            values = sorted(
                (d2(s) for s in plain.affordable_sets(tiny.prices, useful, budget, size)),
                reverse=True,
            )[:2]
            of_size = [sets[beam, (size, r)] for r in (0, 1) if (beam, (size, r)) in sets]
            assert [d2(s) for s in of_size] == pytest.approx(values)


def test_the_best_affordable_pair_of_many_is_found():
    X, y, costs = make_cost_classification("D", n_samples=150, random_state=3)
    X, costs = X[:, ::4], costs[::4]
    problem = Problem.from_table(X, y, costs)
    model = discriminant(problem)
    pairs = [(i, j) for i in range(50) for j in range(i) if costs[i] + costs[j] <= 0.8]
    best = max(model.value(sorted(pair)) for pair in pairs)
    found = by_variant(linear_candidates(problem, [Budget(0.8)])[Budget(0.8)])["beam", (2, 0)]
    assert model.value(sorted(found)) == pytest.approx(best)


def test_a_pair_that_hardly_differs_is_found_among_many_columns_that_tell_nothing():
    rng = np.random.default_rng(5)
    y = np.repeat([0, 1], 100)
    X = rng.normal(size=(200, 60))
    X[:, 1] = X[:, 0] + 0.2 * (rng.normal(size=200) + 2 * y)  # the difference tells the class
    problem = Problem.from_table(X, y)
    found = by_variant(linear_candidates(problem, [Budget(2.0)], xis=())[Budget(2.0)])
    assert discriminant(problem).shrinkage > 0.3
    assert found["small beam", (2, 0)] == {0, 1}
    assert found["beam", (2, 0)] != {0, 1}


@pytest.mark.parametrize("seed", range(N_SEEDS))
def test_constant_and_empty_columns_are_never_bought_and_the_budget_is_kept(seed):
    tiny = with_flaws(tiny_problem(seed, n_features=8), seed)
    start = tiny.prices.in_from_the_start()
    for budget, proposals in linear_candidates(tiny.problem(), tiny.limits).items():
        for proposal in proposals:
            chosen = set(proposal.features)
            assert start <= chosen
            assert not chosen & tiny.prices.excluded
            assert not (chosen - start) & {0, 1}
            assert budget.fits(tiny.prices.total(chosen))


@pytest.mark.parametrize("seed", range(10))
def test_proposals_for_a_budget_do_not_depend_on_the_other_budgets(seed):
    tiny = tiny_problem(seed, n_features=12)
    together = linear_candidates(tiny.problem(), tiny.limits, width=6)
    for budget in tiny.limits:
        assert linear_candidates(tiny.problem(), [budget], width=6)[budget] == together[budget]


def test_notes_are_unique_within_a_budget():
    tiny = tiny_problem(4)
    for proposals in linear_candidates(tiny.problem(), tiny.limits).values():
        assert len({p.note for p in proposals}) == len(proposals)


def test_a_budget_that_buys_nothing_is_an_error():
    tiny = tiny_problem(1, with_groups=False, with_restrictions=False)
    with pytest.raises(BudgetError, match="no feature fits"):
        linear_candidates(Problem.from_table(tiny.X, tiny.y, 5.0), [Budget(3.0)])
