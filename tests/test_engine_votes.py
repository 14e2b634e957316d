"""Scores and votes of the core, recomputed by hand from its exported trees and draws."""

import numpy as np
import pytest

from frugalforest import _core
from frugalforest.engine import (
    Forest,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    grow_shallow,
    permutation_gains,
    score_sets,
)
from reference import naive_permutation
from reference.exported import grow


def problem(seed, n=50, p=5, n_classes=2, missing=0.05):
    """Noisy rounded data: many ties, leaves that stay impure under a depth limit."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p)).round(1)
    y = (np.digitize(X[:, 0] + rng.normal(size=n), np.linspace(-1, 1, n_classes - 1))).astype(int)
    X[rng.random((n, p)) < missing] = np.nan
    return X, y


def votes_by_hand(grown, X, n_classes):
    votes = np.zeros((len(X), n_classes), dtype=int)
    for tree, draws in zip(grown.trees, grown.draws, strict=True):
        for row in np.flatnonzero(draws == 0):
            votes[row, tree.votes(X[row : row + 1])[0]] += 1
    return votes


def share_sums_by_hand(grown, X, n_classes):
    """Class shares summed over a row's out-of-bag trees, each rounded to a multiple of 2^-32.

    The core adds integers, so that the order of the trees cannot matter.
    """
    units = np.zeros((len(X), n_classes))  # whole numbers far below 2^53: exact
    for tree, draws in zip(grown.trees, grown.draws, strict=True):
        oob = draws == 0
        units[oob] += np.rint(tree.shares[tree.leaves(X[oob])] * 2**32)
    return units / 2**32


def scores_by_hand(votes, share_sums, y):
    """OOB error, Brier score and rows without a vote, row by row as their definitions read."""
    error = brier = 0.0
    voted = [row for row in range(len(y)) if votes[row].sum() > 0]
    for row in voted:
        leaders = np.flatnonzero(votes[row] == votes[row].max())
        error += 1.0 - 1.0 / len(leaders) if y[row] in leaders else 1.0
        squares = 0.0
        for k, share in enumerate(share_sums[row] / votes[row].sum()):
            squares += (share - (k == y[row])) ** 2
        brier += squares / 2 if votes.shape[1] == 2 else squares
    return error / len(voted), brier / len(voted), len(y) - len(voted)


@pytest.mark.parametrize("n_classes", [2, 3, 10])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("n_trees", [3, 40])
def test_oob_scores_equal_those_recomputed_by_hand(n_classes, weighted, n_trees):
    X, y = problem(n_classes, n_classes=n_classes)
    weights = np.random.default_rng(0).random(len(y)) if weighted else None
    # Depth 3 leaves most leaves impure; three trees leave rows without a vote and rows with a tie.
    grown = grow(
        X, y, n_classes=n_classes, weights=weights, n_trees=n_trees, max_features=2, max_depth=3
    )
    votes = votes_by_hand(grown, X, n_classes)
    np.testing.assert_array_equal(grown.oob_votes, votes)
    share_sums = share_sums_by_hand(grown, X, n_classes)
    error, brier, n_unvoted = scores_by_hand(votes, share_sums, y)
    assert (grown.error, grown.brier, grown.n_unvoted) == (error, brier, n_unvoted)
    if n_trees == 3:
        assert n_unvoted > 0
        assert any(row.sum() == 2 and row.max() == 1 for row in votes)
    with np.errstate(invalid="ignore"):
        np.testing.assert_array_equal(
            grown.oob_shares, share_sums / votes.sum(axis=1, keepdims=True)
        )


def test_a_tie_counts_one_half_and_an_unvoted_row_counts_nothing():
    votes = np.array([[1, 1], [2, 0], [0, 0], [0, 3]])
    error, _, n_unvoted = scores_by_hand(votes, votes, np.array([0, 1, 0, 1]))
    assert (error, n_unvoted) == (1.5 / 3, 1)


def test_oob_error_of_a_forest_without_oob_rows_is_nan():
    X, y = problem(0)
    forest = Forest(n_trees=5, bootstrap=False).fit(X, y)
    assert np.isnan(forest.oob_error_)
    assert np.isnan(forest.oob_brier_)
    assert forest.n_unvoted_ == len(y)
    assert np.isnan(forest.oob_shares_).all()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("how", [{}, {"max_depth": 2}, {"min_samples_leaf": 4, "bootstrap": False}])
def test_a_batch_scores_the_forests_that_grow_forest_grows(n_classes, how):
    X, y = problem(1, n_classes=n_classes)
    new, _ = problem(2, n=70)
    new[0] = [1e9, -1e9, np.nan, 0, 0]  # outside all that was seen
    settings = ForestSettings(n_trees=40, sample_fraction=0.7, **how)
    sets, seeds = [[0], [3, 1], [0, 1, 2, 3, 4], [2, 4, 0]], [5, 5, 6, 2**64 - 1]
    batch = score_sets(
        code_table(X),
        code_target(y, n_classes),
        sets,
        seeds,
        settings,
        new_rows=new,
        keep_votes=True,
    )
    for i, (columns, seed) in enumerate(zip(sets, seeds, strict=True)):
        grown = grow(
            X,
            y,
            n_classes=n_classes,
            columns=columns,
            max_features=settings.features_per_split(len(columns)),
            seed=seed,
            n_trees=40,
            n_draws=35,
            max_depth=settings.max_depth or 0,
            min_leaf=settings.min_samples_leaf,
            replace=settings.bootstrap,
        )
        assert batch.oob_error[i] == grown.error
        assert batch.brier[i] == grown.brier
        assert batch.n_unvoted[i] == grown.n_unvoted
        np.testing.assert_array_equal(batch.oob_votes[i], grown.oob_votes)
        votes, _ = grown.predict(new, 1)
        np.testing.assert_array_equal(batch.new_votes[i], votes)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_predictions_on_raw_rows_are_those_of_the_exported_trees(n_classes):
    X, y = problem(3, n_classes=n_classes)
    new, _ = problem(4, n=1100, missing=0.2)  # more rows than one block of the core
    grown = grow(X, y, n_classes=n_classes, n_trees=20, max_depth=3)
    votes, shares = grown.predict(new, 2)
    by_hand = np.zeros_like(votes)
    units = np.zeros(shares.shape)
    for tree in grown.trees:
        by_hand[np.arange(len(new)), tree.votes(new)] += 1
        units += np.rint(tree.shares[tree.leaves(new)] * 2**32)
    np.testing.assert_array_equal(votes, by_hand)
    np.testing.assert_array_equal(shares, units / 2**32 / 20)


def test_forest_predicts_what_its_votes_and_shares_say():
    X, y = problem(5, n_classes=3)
    names = np.array(["a", "b", "c"])
    new, _ = problem(6)
    votes, shares = (
        Forest(n_trees=30, max_depth=3, voting=voting).fit(X, names[y])
        for voting in ("hard", "soft")
    )
    grown = grow(X, y, n_classes=3, max_features=2, n_trees=30, max_depth=3)
    core_votes, core_shares = grown.predict(new, 1)
    np.testing.assert_array_equal(votes.predict_proba(new), core_votes / 30)
    np.testing.assert_array_equal(shares.predict_proba(new), core_shares)
    np.testing.assert_array_equal(votes.predict(new), names[core_votes.argmax(axis=1)])
    np.testing.assert_array_equal(shares.predict(new), names[core_shares.argmax(axis=1)])


# --- permutation importance ---------------------------------------------------------------------


def test_shuffling_the_only_useful_feature_costs_what_chance_says():
    # A tree on one perfect feature is wrong after a shuffle exactly where the shuffled class
    # differs: with a of m out-of-bag rows in class 1 that is 2H, H hypergeometric, of mean
    # a(m − a)/m. The mean over trees has its standard error from the same law; 4 are allowed.
    y = np.arange(80) % 4 == 0
    n_trees = 400
    draws = grow(y[:, None], y, n_trees=n_trees, seed=7).draws
    m, a = (draws == 0).sum(axis=1), (draws[:, y] == 0).sum(axis=1)
    mean = 2 * a * (m - a) / m / m
    variance = 4 * a * (m - a) / m * a * (m - a) / m / (m - 1) / m**2
    [gain] = permutation_gains(
        code_table(y[:, None]), code_target(y.astype(int), 2), [0], 7, ForestSettings(n_trees)
    )
    assert abs(gain - mean.mean()) < 4 * np.sqrt(variance.sum()) / n_trees


def test_a_feature_that_no_tree_uses_gains_exactly_nothing():
    X, y = problem(7)
    X[:, 3] = 1.0
    gains = permutation_gains(
        code_table(X), code_target(y, 2), range(5), 1, ForestSettings(100, max_features=None)
    )
    assert gains[3] == 0.0
    assert gains[0] > 0.02


def test_a_noise_feature_gains_about_nothing():
    # Ten noise columns beside a strong one, a fresh table a seed. Noise gains differ from 0 only by
    # chance, so their mean is within 4 standard errors (between tables) of it.
    gains = []
    for seed in range(30):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(100, 11))
        y = (X[:, 0] > 0).astype(int)
        gains.append(
            permutation_gains(code_table(X), code_target(y, 2), range(11), seed, ForestSettings(50))
        )
    gains = np.array(gains)
    noise = gains[:, 1:].mean(axis=1)
    assert abs(noise.mean()) < 4 * noise.std(ddof=1) / np.sqrt(len(noise))
    assert gains[:, 0].min() > 5 * np.abs(gains[:, 1:]).max()


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "how", [{}, {"max_depth": 2}, {"sample_fraction": 0.6, "bootstrap": False}]
)
def test_rises_are_those_of_sending_every_row_down_again(n_classes, how):
    X, y = problem(8, n=40, n_classes=n_classes, missing=0.1)
    data, target, settings = code_table(X), code_target(y, n_classes), ForestSettings(20, **how)
    columns = np.array([4, 0, 1, 2, 3], dtype=np.uint32)
    spec = settings.spec(data, target, n_jobs=1)
    weights = np.array([1.0, 0.25, 3.0])[:n_classes]
    rises, n_oob = _core.permutation_rises(data, target, columns, 2, 11, spec, np.ones(n_classes))
    weighted, _ = _core.permutation_rises(data, target, columns, 2, 11, spec, weights)
    grown = grow(
        X,
        y,
        n_classes=n_classes,
        max_features=2,
        seed=11,
        n_trees=20,
        max_depth=settings.max_depth or 0,
        n_draws=round(settings.sample_fraction * 40),
        replace=settings.bootstrap,
    )
    expected = naive_permutation.permutation_rises(grown, X, y, data.feature_keys, seed=11)
    np.testing.assert_array_equal(rises, expected[:, columns])
    expected = naive_permutation.permutation_rises(grown, X, y, data.feature_keys, 11, weights)
    np.testing.assert_array_equal(weighted, expected[:, columns])
    np.testing.assert_array_equal(n_oob, (grown.draws == 0).sum(axis=1))
    assert expected.any()


def test_gains_do_not_depend_on_the_order_of_the_features_asked_for():
    X, y = problem(9)
    data, target, settings = code_table(X), code_target(y, 2), ForestSettings(50)
    gains = permutation_gains(data, target, [0, 1, 2, 3, 4], 3, settings)
    shuffled = permutation_gains(data, target, [4, 2, 0, 3, 1], 3, settings)
    np.testing.assert_array_equal(shuffled, gains[[4, 2, 0, 3, 1]])


# --- shallow ensembles --------------------------------------------------------------------------


def unpack(planes, n_rows):
    """Votes as booleans (tree, class, row), after checking that no bit lies behind the rows."""
    bits = (planes[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    bits = bits.reshape(*planes.shape[:2], -1).astype(bool)
    assert not bits[..., n_rows:].any()
    return bits[..., :n_rows]


@pytest.mark.parametrize("n_classes", [2, 3])
def test_shallow_votes_equal_those_of_the_same_trees_grown_one_by_one(n_classes):
    n = 130  # three words a plane, the last one not full
    X, y = problem(10, n=n, n_classes=n_classes)
    parts = [ShallowPart([j], 1, max_depth=1, seed=j + 20) for j in range(5)]  # a stump a feature
    parts += [
        ShallowPart([0, 1, 2, 3, 4], 70, max_depth=2, seed=30),
        ShallowPart([4, 2, 0], 4, max_depth=3, seed=31, first_tree=6),
    ]
    trees = grow_shallow(code_table(X), code_target(y, n_classes), parts)
    votes = unpack(trees.votes, n)
    assert len(votes) == len(trees) == 5 + 70 + 4
    at = 0
    for part in parts:
        grown = grow(
            X,
            y,
            n_classes=n_classes,
            columns=part.features,
            max_features=ForestSettings().features_per_split(len(part.features)),
            seed=part.seed,
            n_trees=part.first_tree + part.n_trees,
            max_depth=part.max_depth,
        )
        wanted = list(zip(grown.trees, grown.draws, strict=True))[part.first_tree :]
        for tree, draws in wanted:
            expected = np.zeros((n_classes, n), dtype=bool)
            oob = np.flatnonzero(draws == 0)
            expected[tree.votes(X[oob]), oob] = True
            np.testing.assert_array_equal(votes[at], expected)
            assert trees.features(at).tolist() == sorted(tree.used())
            at += 1


def test_every_row_gets_at_most_one_vote_of_a_shallow_tree():
    X, y = problem(11, n=64, n_classes=10)
    trees = grow_shallow(
        code_table(X), code_target(y, 10), [ShallowPart(range(5), 30, max_depth=2, seed=1)]
    )
    assert unpack(trees.votes, 64).sum(axis=1).max() == 1


def test_trees_with_other_numbers_have_other_bootstrap_samples():
    X, y = problem(12)
    parts = [ShallowPart([0], 3, 1, seed=1, first_tree=first) for first in (0, 3)]
    votes = grow_shallow(code_table(X), code_target(y, 2), parts).votes
    oob = {tuple(row) for row in np.bitwise_or.reduce(votes, axis=1).tolist()}
    assert len(oob) == 6
