"""Tables of many rows are cut into bins of 8 bits, and forests grow on those.

Trees on a binned table are grown by code of their own, so they are compared, node by node, with
exact trees on the table of bin numbers, which are compared with trying everything elsewhere.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer

from frugalforest.engine import (
    Forest,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    forward_errors,
    grow_forest,
    grow_shallow,
    permutation_gains,
    score_sets,
)
from reference.exported import grow
from reference.naive_tree import NaiveNode, best_split
from reference.plain_bins import bin_table

# Of the arrays of a forest, all but the thresholds.
STRUCTURE = [0, 1, 2, 4, 5, 6, 7]


def check_against_exact_trees(X, y, bins, **how):
    """Grow on the binned table and on its bin numbers, and compare all that must be equal."""
    numbers = bin_table(X, bins)
    binned, exact = grow(X, y, bins=bins, **how), grow(numbers, y, **how)
    for i in STRUCTURE:
        np.testing.assert_array_equal(binned.arrays[i], exact.arrays[i])
    np.testing.assert_array_equal(binned.draws, exact.draws)
    # Out-of-bag rows may be in bins that the node never saw. The cut is half-way between values
    # in the one table and between numbers in the other, but a raw row goes the way of its bin.
    votes = np.zeros_like(binned.oob_votes)
    for tree, draws in zip(binned.trees, binned.draws, strict=True):
        oob = np.flatnonzero(draws == 0)
        np.add.at(votes, (oob, tree.votes(X[oob])), 1)
    np.testing.assert_array_equal(binned.oob_votes, votes)
    # Where each bin is one value, nothing at all differs.
    for one, other in zip(
        grow(numbers, y, bins=255, **how).all_arrays(), exact.all_arrays(), strict=True
    ):
        np.testing.assert_array_equal(one, other)
    return binned


@st.composite
def problems(draw):
    """Small tables with ties, heavy values, missing values, classes and weights."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(2, 120)), draw(st.integers(1, 5))
    X = rng.normal(size=(n, p)).round(draw(st.sampled_from([0, 1, 8])))
    X[rng.random((n, p)) < draw(st.sampled_from([0, 0.5]))] = 0.25
    X[rng.random((n, p)) < draw(st.sampled_from([0, 0, 0.1, 0.6]))] = np.nan
    n_classes = draw(st.sampled_from([2, 2, 3, 10]))
    weights = draw(
        st.sampled_from([None, None, rng.random(n) + 0.01, rng.integers(0, 3, n) + 1e-9])
    )
    return {
        "X": X,
        "y": rng.integers(0, n_classes, n),
        "bins": draw(st.sampled_from([2, 3, 8, 60, 255])),
        "n_classes": n_classes,
        "weights": weights,
        "max_features": draw(st.integers(1, p)),
        "max_depth": draw(st.sampled_from([0, 0, 1, 3])),
        "min_leaf": draw(st.sampled_from([1, 1, 2, 5])),
        "replace": draw(st.booleans()),
        "seed": draw(st.integers(0, 2**64 - 1)),
    }


@settings(max_examples=150, deadline=None, derandomize=True)
@given(problems())
def test_trees_on_bins_are_the_trees_on_bin_numbers(problem):
    check_against_exact_trees(**problem, n_trees=3)


@pytest.mark.parametrize(
    ("n_classes", "min_leaf"),
    [(2, 7), *(pytest.param(*each, marks=pytest.mark.slow) for each in ((2, 1), (3, 1), (3, 7)))],
)
def test_large_and_small_nodes_on_bins_are_grown_alike(n_classes, min_leaf):
    # Enough rows that the tree begins above the size at which rows are brought together, and for
    # two classes above the draws that fit 16 bits.
    rng = np.random.default_rng(n_classes)
    n = 40_000
    X = rng.normal(size=(n, 4))
    X[:, 1] = np.exp(X[:, 1]).round(2)
    X[rng.random(n) < 0.3, 2] = 0
    X[rng.random(n) < 0.05, 3] = np.nan
    y = (rng.random(n) < 0.2 + 0.6 * (X[:, 0] + X[:, 1] > 0)) * rng.integers(1, n_classes, n)
    grown = check_against_exact_trees(
        X, y, 255, n_classes=n_classes, max_features=2, min_leaf=min_leaf, n_trees=2
    )
    assert len(grown.trees[0].column) > 1000


def test_every_node_on_bins_reaches_the_impurity_of_trying_every_bin():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(200, 3))
    X[::9, 1] = np.nan
    y = (X[:, 0] + rng.normal(size=200) > 0).astype(int)
    grown = grow(X, y, bins=8)
    [tree] = grown.trees
    draws = grown.draws[0].astype(int)
    numbers = NaiveNode(bin_table(X, 8), y, draws, draws.astype(float), 2)
    pending = [(0, np.flatnonzero(draws))]
    while pending:
        at, rows = pending.pop()
        node = numbers.part(rows)
        if tree.column[at] < 0:
            assert node.is_pure() or best_split(node) is None
            continue
        left = tree.sides(at, X[rows])
        assert node.impurity_of(left) == pytest.approx(best_split(node).impurity, abs=1e-12, rel=0)
        pending += [(tree.left[at], rows[left]), (tree.left[at] + 1, rows[~left])]


@pytest.mark.parametrize("n_bins", [2, 7, 255])
def test_bins_hold_about_equally_many_rows_and_never_part_a_value(n_bins):
    rng = np.random.default_rng(n_bins)
    X = np.column_stack([rng.normal(size=2000), rng.poisson(30, 2000), rng.normal(size=2000)])
    X[:1200, 2] = -3.0  # a value that most rows have costs the others one bin
    X[5:9, 0] = np.nan
    codes = code_table(X, bins=n_bins).codes().T.astype(float)
    codes[5:9, 0] = np.nan
    np.testing.assert_array_equal(codes, bin_table(X, n_bins))
    sizes = np.bincount(codes[9:, 0].astype(int), minlength=n_bins)
    assert len(sizes) == n_bins
    assert sizes.max() - sizes.min() <= 10
    assert len(np.unique(codes[:, 2])) == n_bins


def binned_problem(n=3000, bins=50):
    rng = np.random.default_rng(1)
    X = rng.normal(size=(n, 6))
    X[rng.random((n, 6)) < 0.02] = np.nan
    y = (np.nan_to_num(X[:, 0]) + np.nan_to_num(X[:, 1]) ** 2 > rng.normal(size=n)).astype(int)
    return X, y, code_table(X, bins=bins), code_target(y, 2)


def test_forests_on_bins_do_not_depend_on_threads():
    _, _, data, target = binned_problem()
    for work in (
        lambda n_jobs: (
            score_sets(
                data, target, [range(6), [1, 4]], [3, 3], ForestSettings(60), n_jobs=n_jobs
            ).brier
        ),
        lambda n_jobs: (
            grow_forest(data, target, range(6), 3, ForestSettings(60), n_jobs=n_jobs)[0].threshold
        ),
        lambda n_jobs: permutation_gains(
            data, target, range(6), 3, ForestSettings(60), n_jobs=n_jobs
        ),
    ):
        np.testing.assert_array_equal(work(1), work(3))


def test_a_forest_on_bins_that_is_kept_is_the_one_that_is_scored():
    X, _, data, target = binned_problem()
    how = ForestSettings(n_trees=40)
    forest, scores = grow_forest(data, target, [0, 1, 3], 9, how)
    batch = score_sets(data, target, [[0, 1, 3]], [9], how, new_rows=X, keep_votes=True)
    assert scores.oob_error == batch.oob_error[0]
    np.testing.assert_array_equal(scores.oob_votes, batch.oob_votes[0])
    np.testing.assert_array_equal(forest.votes(X)[0], batch.new_votes[0])


def test_forward_selection_on_bins_scores_as_whole_forests_do():
    _, _, data, target = binned_problem()
    how = ForestSettings(n_trees=30)
    sets = [[0, 2, j] for j in (1, 3, 4, 5)]
    np.testing.assert_array_equal(
        forward_errors(data, target, [0, 2], [1, 3, 4, 5], 7, how),
        score_sets(data, target, sets, [7] * 4, how).oob_error,
    )


def test_shallow_trees_on_bins_are_those_on_bin_numbers():
    X, _, _, target = binned_problem()
    parts = [
        ShallowPart(range(6), 20, max_depth=2, seed=1),
        ShallowPart([3], 1, max_depth=1, seed=2),
        ShallowPart(range(6), 20, max_depth=None, seed=3, most_columns=2),
    ]
    numbers = bin_table(X, 50)
    binned = grow_shallow(code_table(numbers, bins=50), target, parts)
    exact = grow_shallow(code_table(numbers), target, parts)
    np.testing.assert_array_equal(binned.votes, exact.votes)
    np.testing.assert_array_equal(binned.columns, exact.columns)


def test_bins_are_chosen_above_20_000_rows_and_stated():
    X = np.arange(20_001.0)[:, None]
    assert code_table(X[:-1]).bins is None
    assert code_table(X).bins == 255
    assert code_table(X, bins=None).bins is None
    y = (X[:, 0] > 9_000).astype(int)
    assert Forest(n_trees=2).fit(X, y).bins_ == 255
    assert Forest(n_trees=2, bins=None).fit(X, y).bins_ is None
    assert Forest(n_trees=2, bins=9).fit(X[:50], y[:50] | (X[:50, 0] > 9)).bins_ == 9


@pytest.mark.parametrize("bins", [1, 256, 0, True, 8.0, "exact"])
def test_what_is_no_number_of_bins_is_refused(bins):
    with pytest.raises(ValueError, match=r"`bins` is .*: it must be 'auto', a whole number from 2"):
        ForestSettings(bins=bins)
    with pytest.raises(ValueError, match="`bins` is"):
        code_table([[1.0]], bins=bins)


def test_settings_for_other_bins_than_the_table_has_are_refused():
    _, _, data, target = binned_problem(bins=50)
    with pytest.raises(ValueError, match=r"`bins` is None, but the table was coded with bins=50"):
        score_sets(data, target, [[0]], [1], ForestSettings(n_trees=5, bins=None))


def test_settings_of_a_large_table_hold_for_its_parts():
    whole = ForestSettings(n_trees=7).for_rows(30_000)
    assert (whole.bins, whole.for_rows(1_000).bins) == (255, 255)
    assert ForestSettings().for_rows(20_000).bins is None


@pytest.mark.slow
def test_bins_do_not_cost_accuracy_on_real_data():
    # 569 rows, some 500 distinct values a column: 64 bins are coarser here than 255 are on any
    # table that is binned by itself. Twelve forests of 300 trees each; 3 standard errors.
    X, y = load_breast_cancer(return_X_y=True)
    target = code_target(y, 2)
    errors = {}
    for bins in (None, 64):
        data = code_table(X, bins=bins)
        seeds = range(12)
        batch = score_sets(data, target, [range(30)] * 12, seeds, ForestSettings(n_trees=300))
        errors[bins] = batch.brier
    gap = errors[64].mean() - errors[None].mean()
    assert abs(gap) < 3 * np.hypot(*(e.std(ddof=1) / np.sqrt(12) for e in errors.values())) + 5e-4
