"""Forward steps equal forests grown from scratch; greedy tallies equal counting by hand."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalforest import _core
from frugalforest.engine import (
    ForestSettings,
    ShallowPart,
    code_table,
    code_target,
    forward_errors,
    grow_shallow,
    score_sets,
)

# --- forward steps ------------------------------------------------------------------------------


def check_forward(X, y, n_classes, features, seed, settings, weights=None):
    data, target = code_table(X), code_target(y, n_classes, weights)
    candidates = [j for j in range(X.shape[1]) if j not in features]
    sets = [[*features, j] for j in candidates]
    expected = score_sets(data, target, sets, [seed] * len(sets), settings).oob_error
    found = forward_errors(data, target, features, candidates, seed, settings)
    np.testing.assert_array_equal(found, expected)


@st.composite
def forward_problems(draw):
    """Tables from tie-ridden to continuous, with copies, constants and missing values."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, p = draw(st.integers(5, 60)), draw(st.integers(2, 8))
    X = rng.normal(size=(n, p)).round(draw(st.sampled_from([0, 1, 8])))
    X[rng.random((n, p)) < draw(st.sampled_from([0, 0.1]))] = np.nan
    if draw(st.booleans()):
        X[:, -1] = X[:, 0]
        X[:, p // 2] = 1.0
    n_classes = draw(st.sampled_from([2, 3]))
    features = draw(st.permutations(range(p)))[: draw(st.integers(0, p - 1))]
    return {
        "X": X,
        "y": rng.integers(0, n_classes, n),
        "n_classes": n_classes,
        "features": list(features),
        "seed": draw(st.integers(0, 2**64 - 1)),
        "weights": draw(st.sampled_from([None, rng.random(n) + 0.1])),
        "settings": ForestSettings(
            n_trees=draw(st.sampled_from([1, 20])),
            max_features=draw(st.sampled_from(["sqrt", None, 1, 2])),
            max_depth=draw(st.sampled_from([None, 1, 3])),
            min_samples_leaf=draw(st.sampled_from([1, 3])),
            sample_fraction=draw(st.sampled_from([1.0, 0.6])),
            bootstrap=draw(st.booleans()),
        ),
    }


@settings(max_examples=300, deadline=None, derandomize=True)
@given(forward_problems())
def test_a_forward_step_gives_the_errors_of_forests_grown_from_scratch(problem):
    check_forward(**problem)


def test_a_forward_step_is_exact_on_many_features_and_trees():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(150, 60))
    y = (X[:, :5].sum(axis=1) > 0).astype(int)
    for n_chosen in (1, 3, 4, 20):  # √ of the set's size steps up at 4: 3 features to 4
        check_forward(X, y, 2, list(range(0, 2 * n_chosen, 2)), 7, ForestSettings(60))


def test_no_candidates_give_no_errors():
    data, target = code_table([[0.0, 1.0], [1.0, 0.0]]), code_target([0, 1], 2)
    for features in ([], [0]):
        assert forward_errors(data, target, features, [], 1).shape == (0,)


@pytest.mark.parametrize(
    ("features", "candidates", "message"),
    [
        ([0], [2], "not in the table"),
        ([2], [0], "not in the table"),
        ([0], [0], "in the base already"),
        ([0, 0], [1], "named twice"),
        ([], [5], "not in the table"),
    ],
)
def test_forward_steps_that_do_not_fit_the_table_are_refused(features, candidates, message):
    data, target = code_table([[0.0, 1.0], [1.0, 0.0]]), code_target([0, 1], 2)
    with pytest.raises(ValueError, match=message):
        forward_errors(data, target, features, candidates, 1, ForestSettings(3))


# --- greedy tallies -----------------------------------------------------------------------------


def error_by_hand(votes, y, chosen, unvoted_is_wrong):
    """Mean error of the majority vote; `votes` is boolean (tree, class, row)."""
    counts = votes[chosen].sum(axis=0)
    total = 0.0
    for row, truth in enumerate(y):
        leaders = np.flatnonzero(counts[:, row] == counts[:, row].max())
        if counts[:, row].sum() == 0 and unvoted_is_wrong:
            total += 1.0
        else:
            total += 1.0 - 1.0 / len(leaders) if truth in leaders else 1.0
    return total / len(y)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("unvoted_is_wrong", [False, True])
def test_gains_of_trees_are_those_of_counting_the_votes_again(n_classes, unvoted_is_wrong):
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(100, 4)), rng.integers(0, n_classes, 100)
    target = code_target(y, n_classes)
    trees = grow_shallow(code_table(X), target, [ShallowPart(range(4), 15, max_depth=2, seed=1)])
    bits = (trees.votes[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    votes = bits.reshape(15, n_classes, -1)[..., :100].astype(bool)
    for chosen in ([], [3], [3, 3], [0, 1], list(range(10))):
        error, gains = trees.gains(target, chosen, unvoted_is_wrong=unvoted_is_wrong)
        before = error_by_hand(votes, y, chosen, unvoted_is_wrong)
        after = [error_by_hand(votes, y, [*chosen, t], unvoted_is_wrong) for t in range(15)]
        assert error == pytest.approx(before, abs=1e-12)
        np.testing.assert_allclose(gains, before - np.array(after), atol=1e-12)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_empty_ensemble_guesses(n_classes):
    target = code_target(np.arange(70) % n_classes, n_classes)
    trees = grow_shallow(
        code_table(np.arange(70.0)[:, None]), target, [ShallowPart([0], 2, max_depth=1, seed=1)]
    )
    error, _ = trees.gains(target, [])
    assert error == pytest.approx(1 - 1 / n_classes)
    assert trees.gains(target, [], unvoted_is_wrong=True)[0] == 1.0


def test_sums_add_the_weights_of_a_trees_columns():
    X = np.random.default_rng(0).normal(size=(80, 5))
    target = code_target((X[:, 0] * X[:, 1] > 0).astype(int), 2)
    trees = grow_shallow(code_table(X), target, [ShallowPart(range(5), 20, max_depth=3, seed=1)])
    weights = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    expected = [weights[trees.features(t)].sum() for t in range(20)]
    assert trees.sums(weights).tolist() == expected


def test_tallies_that_do_not_fit_are_refused():
    target = code_target(np.arange(70) % 2, 2)
    planes = np.zeros((3, 2, 2), dtype=np.uint64)
    none, third = np.array([], dtype=np.uint32), np.array([3], dtype=np.uint32)
    beyond = planes.copy()
    beyond[1, 1, 1] = 1 << 10  # row 74
    for votes, chosen, candidates in (
        (planes, third, none),
        (planes, none, third),
        (planes[:, :1], none, none),
        (planes[..., :1], none, none),
        (beyond, none, none),
    ):
        with pytest.raises(ValueError):
            _core.tally_gains(np.ascontiguousarray(votes), target, chosen, candidates, False)


@pytest.mark.parametrize(
    ("start", "members"), [([], [0]), ([0, 3], [0, 1]), ([0, 2, 1], [0, 1]), ([0, 2], [0, 9])]
)
def test_sums_that_do_not_fit_are_refused(start, members):
    with pytest.raises(ValueError):
        _core.sum_weights(
            np.array(start, dtype=np.uint32), np.array(members, dtype=np.uint32), np.ones(3)
        )
