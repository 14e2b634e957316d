"""Shallow ensembles of trees that may use so many columns, of so much weight."""

import math
from dataclasses import replace

import numpy as np
import pytest

from frugalforest.engine import (
    ColumnWeights,
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    grow_shallow,
)
from reference.plain_limited_trees import PlainTree

N_TREES = 4


def tiny(seed, n_classes=2):
    """Rows with ties and gaps, weights with bundles and free columns."""
    rng = np.random.default_rng(seed)
    n, p = 40, 6
    y = rng.integers(0, n_classes, n)
    X = (rng.normal(size=(n, p)) + 0.7 * y[:, None] * rng.uniform(-1, 1, p)).round(1)
    X[rng.random((n, p)) < 0.08] = np.nan
    own = rng.integers(1, 9, p) / 4
    bundle = rng.integers(-1, 2, p)
    is_free = rng.random(p) < 0.15
    weights = ColumnWeights(own, bundle, np.array([0.5, 1.0]), is_free, float(own.min()))
    return X, y, weights


PARTS = {
    "columns": {"most_columns": 2},
    "one column": {"most_columns": 1},
    "weight": {"most_weight": 2.5},
    "zeta": {"zeta": 1.0},
    "shallow, zeta": {"zeta": 0.5, "max_depth": 2},
    "all": {"most_columns": 3, "most_weight": 3.0, "zeta": 0.7},
}


@pytest.mark.parametrize("max_features", [None, 2])
@pytest.mark.parametrize("limits", PARTS)
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("seed", range(4))
def test_trees_are_those_grown_without_cleverness(seed, n_classes, limits, max_features):
    X, y, weights = tiny(seed, n_classes)
    part = ShallowPart(list(range(6)), N_TREES, **{"max_depth": None, "seed": seed} | PARTS[limits])
    data, target = code_table(X), code_target(y, n_classes)
    settings = ForestSettings(max_features=max_features)
    trees = grow_shallow(data, target, [part], settings, weights=weights)
    plain = PlainTree(X, y, n_classes, part, max_features or 6, weights, data.feature_keys.tolist())
    for t in range(N_TREES):
        votes, used = plain.grow(t)
        planes = trees.votes[t, :, 0]
        found = {
            row: k for k in range(n_classes) for row in range(len(y)) if int(planes[k]) >> row & 1
        }
        assert found == votes
        assert trees.features(t).tolist() == sorted(used)


def larger(seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 12))
    y = (X[:, :4].sum(axis=1) + rng.normal(size=200) > 0).astype(int)
    own, bundle = rng.uniform(0.2, 2, 12), rng.integers(-1, 2, 12)
    free = np.arange(12) == 5
    weights = ColumnWeights(own, bundle, np.array([0.4, 0.9]), free, float(own.min()))
    return code_table(X), code_target(y, 2), weights


def part(**limits):
    return ShallowPart(range(12), 60, None, 3, **limits)


def test_trees_keep_to_their_limits():
    data, target, weights = larger()
    parts = [part(most_columns=3), part(most_weight=2.0), part(most_columns=2, most_weight=1.0)]
    trees = grow_shallow(data, target, parts, weights=weights)
    for number in range(len(trees)):
        bought = [j for j in trees.features(number).tolist() if not weights.is_free[j]]
        bundles = {b for b in weights.bundle[bought].tolist() if b >= 0}
        weight = weights.own[bought].sum() + weights.bundle_weight[list(bundles)].sum()
        limits = parts[number // 60]
        assert len(bought) <= (limits.most_columns or 12)
        assert weight <= limits.most_weight + 1e-9
    most = [len(trees.features(t)) for t in range(60)]
    assert max(most) == 4, "three, and the one that is free"


def test_limits_that_limit_nothing_change_nothing():
    data, target, weights = larger()
    plain = grow_shallow(data, target, [part()])
    for limits in ({"most_columns": 12}, {"most_weight": 1e9}):
        found = grow_shallow(data, target, [part(**limits)], weights=weights)
        np.testing.assert_array_equal(found.votes, plain.votes)
        np.testing.assert_array_equal(found.columns, plain.columns)


def test_the_unit_of_weights_is_nobodys_business():
    data, target, weights = larger()
    dearer = replace(
        weights,
        own=4 * weights.own,
        bundle_weight=4 * weights.bundle_weight,
        least=4 * weights.least,
    )
    one = grow_shallow(data, target, [part(most_weight=2.0, zeta=0.5)], weights=weights)
    other = grow_shallow(data, target, [part(most_weight=8.0, zeta=0.5)], weights=dearer)
    np.testing.assert_array_equal(one.votes, other.votes)
    np.testing.assert_array_equal(one.columns, other.columns)


def test_cheap_columns_are_used_the_more_the_larger_zeta():
    data, target, weights = larger()
    parts = [part(most_columns=3, zeta=zeta) for zeta in (0.0, 1.0, 4.0)]
    trees = grow_shallow(data, target, parts, weights=weights)
    spent = [
        np.mean([weights.own[trees.features(60 * i + t)].sum() for t in range(60)])
        for i in range(3)
    ]
    assert spent[0] > spent[1] > spent[2]


@pytest.mark.parametrize("n_threads", [2, 5])
def test_limited_trees_do_not_depend_on_threads(n_threads):
    data, target, weights = larger()
    parts = [part(most_columns=2), part(zeta=1.0), part(), part(most_weight=1.5)]
    one = grow_shallow(data, target, parts, weights=weights, n_jobs=1)
    many = grow_shallow(data, target, parts, weights=weights, n_jobs=n_threads)
    np.testing.assert_array_equal(one.votes, many.votes)
    np.testing.assert_array_equal(one.columns, many.columns)


def test_trees_without_any_limit_grow_until_leaves_are_pure():
    data, target, _ = larger()
    trees = grow_shallow(data, target, [ShallowPart([0], 1, None, 3, zeta=math.pi)])
    stump = grow_shallow(data, target, [ShallowPart([0], 1, 1, 3)])
    assert (trees.votes != stump.votes).any()
