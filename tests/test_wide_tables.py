"""Tables of more columns than forests and matrices can take in: what is looked at of them."""

import tracemalloc

import numpy as np
import pytest

from frugalforest import CostModel
from frugalforest.costs import Budget
from frugalforest.methods import METHODS, _wide_tables
from frugalforest.methods._discriminant import discriminant
from frugalforest.methods._wide_tables import leading_pairs, promising, strongest_pairs
from frugalforest.problem import Problem
from reference import plain_pairs


def wide_problem(p=2_100, n=120, seed=0, groups=None, fees=None):
    """Five strong columns, and a pair (10 and p − 1) that tells the classes only together."""
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(n, p)), np.arange(n) % 2
    X[:, :5] += 1.5 * y[:, None]
    X[:, p - 1] = np.abs(X[:, p - 1]) * np.sign(X[:, 10]) * (2 * y - 1)
    prices = CostModel(rng.lognormal(0, 0.5, p), groups=groups, group_costs=fees)
    return Problem.from_table(X, y, prices, random_state=seed)


def everything(problem):
    return np.ones(problem.n_features, dtype=bool)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_pairs_are_ranked_as_products_counted_one_by_one(monkeypatch, n_classes):
    monkeypatch.setattr(_wide_tables, "_BLOCK", 7)
    rng = np.random.default_rng(n_classes)
    codes = rng.integers(0, 9, size=(20, 90)).astype(np.uint16)
    labels = rng.integers(0, n_classes, 90)
    labels = np.where(codes[3] > 4, labels, (labels + (codes[16] > 4)) % n_classes)
    plain = plain_pairs.strengths(codes, labels)
    found = strongest_pairs(codes, np.arange(20), labels, 40)
    assert len(found) == 40
    strongest = sorted(plain.values(), reverse=True)[0]
    assert plain[tuple(found[0].tolist())] == pytest.approx(strongest, rel=1e-5)
    values = [plain[i, j] for i, j in found.tolist()]
    assert values == pytest.approx(sorted(values, reverse=True), rel=1e-5)
    # A pair that is left out is weaker, or one of its columns has been in ten pairs.
    kept = {tuple(pair) for pair in found.tolist()}
    often = {j for j in range(20) if sum(j in pair for pair in kept) == 10}
    for pair, strength in plain.items():
        assert pair in kept or strength <= values[-1] * (1 + 1e-5) or often & set(pair)


def test_pairs_are_looked_for_among_the_given_columns_only():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 100, size=(30, 80)).astype(np.uint16)
    labels = ((codes[4] > 49) ^ (codes[20] > 49)).astype(int)
    columns = np.array([2, 4, 9, 20, 25])
    assert strongest_pairs(codes, columns, labels, 1).tolist() == [[4, 20]]
    assert [4, 20] not in strongest_pairs(codes, columns[:3], labels, 5).tolist()


def test_pairs_never_take_memory_for_all_of_them_at_once():
    rng = np.random.default_rng(0)
    codes = rng.integers(0, 60, size=(9_000, 60)).astype(np.uint16)
    labels = np.arange(60) % 2
    tracemalloc.start()
    strongest_pairs(codes, np.arange(9_000), labels, 100)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 9_000**2  # a byte a pair; as numbers they would take four or eight


def test_so_many_columns_that_their_pairs_would_take_minutes_have_none():
    codes = np.zeros((50_000, 4), dtype=np.uint16)
    assert strongest_pairs(codes, np.arange(50_000), np.array([0, 1, 0, 1]), 10).shape == (0, 2)


def test_up_to_two_thousand_columns_are_all_promising():
    problem = wide_problem(p=2_100)
    open_ = everything(problem)
    open_[:100] = False
    assert promising(problem, open_).tolist() == open_.tolist()
    assert leading_pairs(problem, open_) == ()


def test_of_more_columns_a_thousand_are_promising_and_all_that_tell_something():
    problem = wide_problem()
    kept = promising(problem, everything(problem))
    assert 990 <= kept.sum() <= 1_000
    assert kept[[0, 1, 2, 3, 4, 10, 2_099]].all()
    assert {10, 2_099} <= set(leading_pairs(problem, everything(problem)))
    assert len(leading_pairs(problem, everything(problem))) <= 10


def test_what_is_not_open_is_not_promising():
    problem = wide_problem()
    open_ = everything(problem)
    open_[[0, 2_099]] = False
    kept = promising(problem, open_)
    assert not kept[[0, 2_099]].any()
    assert kept[[1, 2, 3, 4]].all()


@pytest.mark.slow
@pytest.mark.parametrize("with_fees", [False, True])
def test_backward_finds_a_pair_among_thousands_of_columns(with_fees):
    p = 2_100
    groups = [f"g{j // 3}" for j in range(p)] if with_fees else None
    fees = {f"g{g}": 0.2 for g in range(p // 3)} if with_fees else None
    problem = wide_problem(p, groups=groups, fees=fees)
    budget = Budget(float(problem.prices.total([10, p - 1])))
    found = METHODS["backward"]().propose(problem, [budget])[budget]
    assert (10, p - 1) in {candidate.features for candidate in found}


def test_linear_models_a_thousand_of_many_columns_and_those_that_tell_something():
    model = discriminant(wide_problem())
    assert len(model.columns) == 1_000
    assert {0, 1, 2, 3, 4} <= set(model.columns.tolist())
