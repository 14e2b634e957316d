"""A forest is a function of data, features, seed and settings, and of nothing else."""

import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import frugalforest
from frugalforest.engine import (
    Forest,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    forward_errors,
    grow_shallow,
    permutation_gains,
    score_sets,
)
from reference.exported import coded, grow

few_examples = settings(max_examples=30, deadline=None, derandomize=True)
random_seeds = st.integers(0, 2**32 - 1)


def problem(seed, n=60, p=6, n_classes=2, missing=0.05):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    y = np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(-1, 1, n_classes - 1)).astype(int)
    X[rng.random((n, p)) < missing] = np.nan
    return X, y


def untied_problem(seed, n=120, p=5):
    """Two features never cut a node equally well.

    Values are continuous and so are the weights: equal impurities would need equal children, and
    `UNTIED` keeps nodes so large that two features do not make those by chance.
    """
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, p)), rng.integers(0, 2, n), rng.random(n) + 0.5


UNTIED = {"min_leaf": 8, "max_depth": 3, "n_trees": 5}


def assert_same(left, right):
    for a, b in zip(left, right, strict=True):
        np.testing.assert_array_equal(a, b)
        assert a.dtype == b.dtype


# --- threads ------------------------------------------------------------------------------------

# 200 trees: enough for several ranges a thread.
TREES = ForestSettings(n_trees=200, max_depth=5)


def everything(n_threads, n_classes, weighted):
    """All that the core can return, as one list of arrays."""
    X, y = problem(n_classes, n_classes=n_classes)
    new, _ = problem(9, n=2500)
    weights = np.random.default_rng(1).random(len(y)) if weighted else None
    data, target = code_table(X), code_target(y, n_classes, weights)
    how = {"n_classes": n_classes, "weights": weights, "n_trees": 200, "max_features": 2}
    grown = grow(X, y, max_depth=5, n_threads=n_threads, **how)
    batch = score_sets(
        data,
        target,
        [[0], [1, 2], [5, 0, 3], range(6)],
        [1, 2, 3, 4],
        TREES,
        new_rows=new,
        keep_votes=True,
        keep_shares=True,
        n_jobs=n_threads,
    )
    parts = [ShallowPart([j], 1, 1, seed=j) for j in range(6)] + [ShallowPart(range(6), 150, 3, 7)]
    shallow = grow_shallow(data, target, parts, n_jobs=n_threads)
    return [
        *grown.all_arrays(),
        *vars(batch).values(),
        *grown.predict(new, n_threads),
        permutation_gains(data, target, range(6), 5, TREES, n_jobs=n_threads),
        forward_errors(data, target, [1, 4], [0, 2, 3, 5], 6, TREES, n_jobs=n_threads),
        *vars(shallow).values(),
    ]


@pytest.mark.parametrize(("n_classes", "weighted"), [(2, False), (3, False), (2, True)])
def test_one_two_and_eight_threads_agree_bit_for_bit(n_classes, weighted):
    one = everything(1, n_classes, weighted)
    for n_threads in (2, 8):
        assert_same(everything(n_threads, n_classes, weighted), one)


def test_forests_fitted_with_any_n_jobs_are_equal():
    X, y = problem(0)
    one, all_cores = (Forest(n_trees=100, n_jobs=n_jobs).fit(X, y) for n_jobs in (None, -1))
    assert one.oob_error_ == all_cores.oob_error_
    np.testing.assert_array_equal(one.predict_proba(X), all_cores.predict_proba(X))


# --- seeds --------------------------------------------------------------------------------------


def test_forests_of_different_seeds_share_no_tree():
    # Seeds that lie close together, and some that differ in high bits only.
    seeds = [*range(45), 2**32, 2**32 + 1, 2**63, 2**63 + 1, 2**64 - 1]
    X, y = problem(1)
    draws, trees = [], []
    for seed in seeds:
        grown = grow(X, y, seed=seed, n_trees=20, max_features=2)
        draws += [row.tobytes() for row in grown.draws]
        trees += [tree.key() for tree in grown.trees]
    assert len(set(draws)) == len(set(trees)) == len(seeds) * 20


def test_a_seed_and_its_feature_set_give_one_forest():
    X, y = problem(2)
    assert_same(*(grow(X, y, seed=3, n_trees=10).all_arrays() for _ in range(2)))


def test_a_longer_forest_begins_with_the_trees_of_a_shorter_one():
    X, y = problem(2)
    short, long = (grow(X, y, seed=3, n_trees=n, max_features=2) for n in (7, 40))
    assert [tree.key() for tree in short.trees] == [tree.key() for tree in long.trees[:7]]


def test_equal_seeds_share_bootstrap_samples_over_feature_sets():
    X, y = problem(3)
    a, b = (grow(X, y, columns=columns, n_trees=20).draws for columns in ([0], [1, 4]))
    np.testing.assert_array_equal(a, b)


# --- columns ------------------------------------------------------------------------------------


@few_examples
@given(random_seeds, st.permutations(range(6)))
def test_permuting_columns_permutes_nothing_else(seed, order):
    X, y = problem(seed)
    plain = grow(X, y, n_trees=10, max_features=2, seed=seed)
    permuted = grow(X[:, order], y, n_trees=10, max_features=2, seed=seed)
    start, column, *rest = permuted.arrays
    in_old_names = np.where(column >= 0, np.array(order)[column], -1).astype(np.int32)
    assert_same(
        [start, in_old_names, *rest, *permuted.all_arrays()[len(permuted.arrays) :]],
        [*plain.all_arrays()],
    )


def scores(X, y, seed):
    found = score_sets(
        code_table(X), code_target(y, 2), [range(X.shape[1])], [seed], ForestSettings(n_trees=20)
    )
    return found.oob_error[0], found.brier[0]


@few_examples
@given(random_seeds, st.permutations(range(6)))
def test_the_order_of_binary_columns_and_of_copies_changes_no_score(seed, order):
    rng = np.random.default_rng(seed)
    X, y = rng.integers(0, 2, (40, 6)).astype(float), rng.integers(0, 2, 40)
    X[:, 4] = 1 - X[:, 2]  # cuts all rows as well as its mirror
    X[:, 5] = X[:, 3]
    assert scores(X[:, order], y, seed) == scores(X, y, seed)


def columns_of_equal_ranks(seed):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(40, 6)), rng.integers(0, 2, 40)
    X[:, 3] = np.exp(X[:, 1])
    return X, y


@few_examples
@given(random_seeds, st.permutations(range(6)))
def test_the_order_changes_no_score_if_columns_of_equal_ranks_keep_theirs(seed, order):
    X, y = columns_of_equal_ranks(seed)
    first, second = sorted([order.index(1), order.index(3)])
    order[first], order[second] = 1, 3
    assert scores(X[:, order], y, seed) == scores(X, y, seed)


def test_columns_of_equal_ranks_are_told_apart_by_their_order():
    # The exception that the documentation names: if this fails, it can be taken out of there.
    changed = 0
    for seed in range(20):
        X, y = columns_of_equal_ranks(seed)
        changed += scores(X[:, [0, 3, 2, 1, 4, 5]], y, seed) != scores(X, y, seed)
    assert changed > 0


@few_examples
@given(random_seeds, st.permutations(range(6)))
def test_the_order_in_which_a_set_names_its_features_does_not_matter(seed, order):
    X, y = problem(seed)
    plain, permuted = (
        grow(X, y, columns=columns, n_trees=10, max_features=2, seed=seed)
        for columns in (range(6), order)
    )
    assert_same(plain.all_arrays(), permuted.all_arrays())


@few_examples
@given(random_seeds, st.booleans())
def test_monotone_transforms_leave_the_structure_alone(seed, replace):
    # Thresholds follow the transform; out-of-bag rows may fall on the other side of a new midpoint.
    # What in-bag rows meet stays: columns, children, shares, draws.
    X, y = problem(seed)
    transformed = X.copy()
    transformed[:, 0] = np.exp(X[:, 0])
    transformed[:, 1] = X[:, 1] ** 3
    transformed[:, 2] = 1e6 * X[:, 2] - 5
    plain, other = (
        grow(table, y, n_trees=10, max_features=2, seed=seed, replace=replace)
        for table in (X, transformed)
    )
    for name in set(plain.by_name()) - {"threshold"}:
        np.testing.assert_array_equal(plain.by_name()[name], other.by_name()[name])
    np.testing.assert_array_equal(plain.draws, other.draws)
    for tree, other_tree, draws in zip(plain.trees, other.trees, plain.draws, strict=True):
        in_bag = draws > 0
        np.testing.assert_array_equal(
            tree.leaves(X[in_bag]), other_tree.leaves(transformed[in_bag])
        )


@few_examples
@given(random_seeds, st.sampled_from([0.0, 7.5, np.nan]), st.integers(0, 6))
def test_a_constant_column_changes_nothing_when_all_features_are_tried(seed, value, place):
    X, y = problem(seed)
    plain = grow(X, y, n_trees=10, seed=seed)
    wider = grow(np.insert(X, place, value, axis=1), y, n_trees=10, seed=seed)
    start, column, *rest = wider.arrays
    column = column - (column > place).astype(np.int32)
    assert_same(
        [start, column, *rest, *wider.all_arrays()[len(wider.arrays) :]], plain.all_arrays()
    )


@few_examples
@given(random_seeds, st.integers(0, 4))
def test_a_copy_of_a_feature_changes_no_prediction_when_all_features_are_tried(seed, copied):
    X, y, weights = untied_problem(seed)
    plain = grow(X, y, weights=weights, seed=seed, **UNTIED)
    wider = grow(np.column_stack([X, X[:, copied]]), y, weights=weights, seed=seed, **UNTIED)
    assert_same(plain.all_arrays()[2:], wider.all_arrays()[2:])  # all but tree starts and columns
    columns = np.where(wider.arrays[1] == 5, copied, wider.arrays[1])
    np.testing.assert_array_equal(columns, plain.arrays[1])


def test_equal_columns_have_keys_of_their_own():
    keys = coded(np.repeat(np.arange(10.0)[:, None], 50, axis=1)).feature_keys
    assert len(set(keys.tolist())) == 50


def test_keys_of_columns_follow_their_content():
    X, _ = problem(4)
    order = [3, 1, 5, 0, 2, 4]
    keys = coded(X).feature_keys
    np.testing.assert_array_equal(coded(X[:, order]).feature_keys, keys[order])
    np.testing.assert_array_equal(coded(2 * X + 1).feature_keys, keys)


# --- rows ---------------------------------------------------------------------------------------


@few_examples
@given(random_seeds, random_seeds)
def test_permuting_rows_leaves_a_tree_on_all_rows_alone(seed, order_seed):
    X, y, weights = untied_problem(seed)
    order = np.random.default_rng(order_seed).permutation(len(y))
    plain = grow(X, y, weights=weights, replace=False, **UNTIED)
    permuted = grow(X[order], y[order], weights=weights[order], replace=False, **UNTIED)
    *structure, shares = plain.arrays
    *other_structure, other_shares = permuted.arrays
    assert_same(structure, other_structure)
    # Weights are added in the order of the rows.
    np.testing.assert_allclose(shares, other_shares, rtol=1e-12)


@few_examples
@given(random_seeds, random_seeds)
def test_permuting_rows_leaves_a_tree_on_one_column_alone(seed, order_seed):
    X, y = problem(seed, p=1, n_classes=3)
    order = np.random.default_rng(order_seed).permutation(len(y))
    plain = grow(X, y, n_classes=3, replace=False)
    permuted = grow(X[order], y[order], n_classes=3, replace=False)
    assert_same(plain.arrays, permuted.arrays)


# --- batches ------------------------------------------------------------------------------------


def test_what_else_is_in_a_batch_does_not_matter():
    X, y = problem(5)
    data, target, how = code_table(X), code_target(y, 2), ForestSettings(n_trees=30)
    sets, seeds = [[0], [0, 1], [2, 3, 4], [0, 5], range(6)], [1, 1, 2, 3, 1]
    together = score_sets(data, target, sets, seeds, how, keep_votes=True, n_jobs=2)
    reverse = score_sets(data, target, sets[::-1], seeds[::-1], how, keep_votes=True)
    for i, (columns, seed) in enumerate(zip(sets, seeds, strict=True)):
        alone = score_sets(data, target, [columns], [seed], how, keep_votes=True)
        for batch, at in ((alone, 0), (reverse, len(sets) - 1 - i)):
            assert batch.oob_error[at] == together.oob_error[i]
            assert batch.brier[at] == together.brier[i]
            np.testing.assert_array_equal(batch.oob_votes[at], together.oob_votes[i])


def test_inputs_are_left_as_they_were():
    X, y = problem(6)
    weights = np.arange(len(y), dtype=float)
    before = X.copy(), y.copy(), weights.copy()
    Forest(n_trees=10).fit(X, y, sample_weight=weights).predict(X)
    assert_same(before, (X, y, weights))


# --- the stub -----------------------------------------------------------------------------------


@pytest.mark.slow
def test_the_stub_of_the_compiled_module_is_current(tmp_path):
    made = tmp_path / "_core.pyi"
    subprocess.run(
        [sys.executable, "-m", "nanobind.stubgen", "-m", "frugalforest._core", "-o", str(made)],
        check=True,
        capture_output=True,
    )
    stored = Path(frugalforest.__file__).with_name("_core.pyi")
    assert stored.read_text() == made.read_text(), (
        "src/frugalforest/_core.pyi is not what the compiled module offers: run `make stub`, and "
        "check that the difference is what you meant to change."
    )
