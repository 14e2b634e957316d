"""Forward steps equal forests grown from scratch; greedy tallies equal counting by hand."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frugalforest import _core
from frugalforest.engine import (
    ForestSettings,
    ShallowPart,
    ShallowTrees,
    TreeTally,
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


@pytest.mark.slow
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


NO_BUNDLES = np.empty(0)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("unvoted_is_wrong", [False, True])
def test_gains_of_trees_are_those_of_counting_the_votes_again(n_classes, unvoted_is_wrong):
    rng = np.random.default_rng(n_classes)
    X, y = rng.normal(size=(100, 4)), rng.integers(0, n_classes, 100)
    target = code_target(y, n_classes)
    trees = grow_shallow(code_table(X), target, [ShallowPart(range(4), 15, max_depth=2, seed=1)])
    bits = (trees.votes[..., None] >> np.arange(64, dtype=np.uint64)) & np.uint64(1)
    votes = bits.reshape(15, n_classes, -1)[..., :100].astype(bool)
    tally = TreeTally(trees, target, np.full(4, -1))
    for chosen in ([], [3], [3, 3], [0, 1], list(range(10))):
        error, offered, gains, _ = tally.offers(
            chosen,
            15,
            np.zeros(4),
            np.ones(4, dtype=bool),
            NO_BUNDLES,
            unvoted_is_wrong=unvoted_is_wrong,
        )
        before = error_by_hand(votes, y, chosen, unvoted_is_wrong)
        after = [error_by_hand(votes, y, [*chosen, t], unvoted_is_wrong) for t in range(15)]
        assert offered.tolist() == list(range(15))
        assert error == pytest.approx(before, abs=1e-12)
        np.testing.assert_allclose(gains, before - np.array(after), atol=1e-12)


def test_gains_of_many_classes_are_sums_without_rounding():
    # Halves, thirds and fifths of rows, whose sums as floats depend on their order: two trees with
    # the same gain would not be tied.
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 4)), rng.integers(0, 5, 200)
    target = code_target(y, 5)
    trees = grow_shallow(code_table(X), target, [ShallowPart(range(4), 40, max_depth=2, seed=1)])
    tally = TreeTally(trees, target, np.full(4, -1))
    for chosen in ([], [3], [0, 1, 2, 3, 4]):
        _, _, gains, _ = tally.offers(chosen, 40, np.zeros(4), np.ones(4, dtype=bool), NO_BUNDLES)
        rows = [Fraction(gain * 200).limit_denominator(60) for gain in gains]
        assert [float(number) / 200 for number in rows] == gains.tolist()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_the_empty_ensemble_guesses(n_classes):
    target = code_target(np.arange(70) % n_classes, n_classes)
    trees = grow_shallow(
        code_table(np.arange(70.0)[:, None]), target, [ShallowPart([0], 2, max_depth=1, seed=1)]
    )
    tally = TreeTally(trees, target, np.array([-1]))
    query = ([], 2, np.zeros(1), np.ones(1, dtype=bool), NO_BUNDLES)
    assert tally.offers(*query)[0] == pytest.approx(1 - 1 / n_classes)
    assert tally.offers(*query, unvoted_is_wrong=True)[0] == 1.0


@pytest.fixture
def some_trees():
    X = np.random.default_rng(0).normal(size=(80, 5))
    target = code_target((X[:, 0] * X[:, 1] > 0).astype(int), 2)
    trees = grow_shallow(code_table(X), target, [ShallowPart(range(5), 40, max_depth=3, seed=1)])
    return trees, target


COLUMN_WEIGHT = np.array([1.0, 2.0, 4.0, 8.0, 16.0])
BUNDLE = np.array([0, 0, 1, -1, 1])
BUNDLE_WEIGHT = np.array([100.0, 1000.0])


def test_a_tree_weighs_its_columns_and_its_bundles_once(some_trees):
    trees, target = some_trees
    _, offered, _, weights = TreeTally(trees, target, BUNDLE).offers(
        [], 40, COLUMN_WEIGHT, np.ones(5, dtype=bool), BUNDLE_WEIGHT
    )
    for tree, weight in zip(offered, weights, strict=True):
        used = trees.features(tree)
        bundles = {int(g) for g in BUNDLE[used] if g >= 0}
        assert weight == COLUMN_WEIGHT[used].sum() + BUNDLE_WEIGHT[list(bundles)].sum()


def test_trees_without_a_new_column_and_heavy_ones_are_not_offered(some_trees):
    trees, target = some_trees
    new = np.array([False, False, True, True, True])
    _, offered, _, weights = TreeTally(trees, target, BUNDLE).offers(
        [], 30, np.where(new, COLUMN_WEIGHT, 0), new, np.zeros(2), most_weight=12.0
    )
    expected = [
        t
        for t in range(30)
        if new[trees.features(t)].any() and (COLUMN_WEIGHT * new)[trees.features(t)].sum() <= 12
    ]
    assert offered.tolist() == expected
    assert (weights <= 12).all()


@pytest.mark.parametrize("chosen", [[], [4], [4, 9, 20]])
def test_undominated_trees_are_those_that_no_other_beats_on_both_counts(some_trees, chosen):
    trees, target = some_trees
    tally = TreeTally(trees, target, BUNDLE)
    query = (chosen, 40, COLUMN_WEIGHT, np.ones(5, dtype=bool), BUNDLE_WEIGHT)
    _, every, gain, weight = tally.offers(*query)
    _, kept, kept_gain, kept_weight = tally.offers(*query, undominated_only=True)
    expected = [
        i
        for i in range(len(every))
        if not any(
            gain[k] >= gain[i]
            and weight[k] <= weight[i]
            and (gain[k] > gain[i] or weight[k] < weight[i] or k < i)
            for k in range(len(every))
            if k != i
        )
    ]
    assert kept.tolist() == every[expected].tolist()
    np.testing.assert_array_equal(kept_gain, gain[expected])
    np.testing.assert_array_equal(kept_weight, weight[expected])
    assert 1 <= len(kept) < len(every)


def test_tallies_that_do_not_fit_are_refused():
    target = code_target(np.arange(70) % 2, 2)
    planes = np.zeros((3, 2, 2), dtype=np.uint64)
    start, none = np.array([0, 1, 2, 3], dtype=np.uint32), np.array([], dtype=np.uint32)
    columns, empty = np.array([0, 1, 2], dtype=np.uint32), np.zeros(4, dtype=np.uint32)
    beyond = planes.copy()
    beyond[1, 1, 1] = 1 << 10  # row 74
    for votes, starts, members in (
        (planes[:, :1], start, columns),
        (planes[..., :1], start, columns),
        (beyond, start, columns),
        (planes, start[:-1], columns),
        (planes, start[::-1].copy(), columns),
        (planes, start, columns[:-1]),
        (planes, start, columns + np.uint32(1)),
        (planes, start, np.full(3, 2**32 - 1, dtype=np.uint32)),
    ):
        with pytest.raises(ValueError):
            _core.make_tally(votes, target, starts, members, empty, none, 3)
    for number in (3, 2**32 - 1):
        bundles = np.full(3, number, dtype=np.uint32)
        with pytest.raises(ValueError, match="not below the number of columns"):
            _core.make_tally(planes, target, start, columns, start, bundles, 3)
    tally = _core.make_tally(planes, target, start, columns, empty, none, 3)
    weight, new = np.ones(3), np.ones(3, dtype=np.uint8)
    for chosen, n_trees, weights in (([3], 3, weight), ([0], 4, weight), ([0], 3, weight[:2])):
        with pytest.raises(ValueError):
            tally.offers(
                np.array(chosen, dtype=np.uint32),
                n_trees,
                weights,
                new,
                NO_BUNDLES,
                np.inf,
                False,
                False,
            )


@pytest.mark.parametrize("number", [-2, 5, 2**31, 2**32 - 1, 2**32, 2**63 - 1])
def test_bundles_that_are_no_number_of_a_bundle_are_refused(some_trees, number):
    bundle = np.array([0, 0, number, -1, 1])
    with pytest.raises(ValueError, match="must be numbers from 0 to 4, or -1 for none"):
        TreeTally(*some_trees, bundle)


def test_twenty_thousand_columns_in_as_many_bundles_are_tallied_at_once():
    n = 20_000
    target = code_target(np.arange(70) % 2, 2)
    start = np.arange(n + 1, dtype=np.uint32)
    trees = ShallowTrees(np.zeros((n, 2, 2), np.uint64), start, start[:-1])
    tally = TreeTally(trees, target, np.arange(n))
    _, offered, _, weights = tally.offers(
        [], n, np.ones(n), np.ones(n, dtype=bool), np.arange(n, dtype=float), most_weight=100.0
    )
    np.testing.assert_array_equal(offered, np.arange(100))
    np.testing.assert_array_equal(weights, np.arange(100) + 1.0)
