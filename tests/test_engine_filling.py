"""The compiled walk over ξ: what it refuses. What it finds is in test_xi_path.py."""

import numpy as np
import pytest

from frugalforest.engine import Filling


def filling(**changes):
    good = {
        "weight": np.array([3.0, 2.0, 1.0, 1.0]),
        "sign": np.ones(4),
        "height": np.zeros(4),
        "slope": np.log([3.0, 2.0, 1.0, 1.0]),
        "tie_order": np.arange(4),
        "bundle": np.array([0, 0]),
        "limit": 4.0,
        "taken": 0.0,
    }
    return Filling(**good | changes)


def test_a_bundle_is_opened_once():
    # The second opens the bundle for 2; the first then weighs 1.
    assert filling().fill(1.0).tolist() == [1, 0]
    assert filling(limit=2.5).fill(1.0).tolist() == [1]
    assert filling(taken=3.0).fill(1.0).tolist() == []


def test_nothing_to_take_is_a_path_of_one_empty_set():
    nothing = np.empty(0)
    items = filling(
        weight=nothing,
        sign=nothing,
        height=nothing,
        slope=nothing,
        tie_order=np.empty(0, dtype=int),
        bundle=np.empty(0, dtype=int),
    )
    assert [(xi, taken.tolist()) for xi, taken in items.walk([])] == [(0.0, [])]


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bundle": np.array([0, 2])}, "a bundle must be below the number of items"),
        ({"bundle": np.array([0, -2])}, "a bundle must be below the number of items"),
        ({"bundle": np.array([0])}, "two variants of each item"),
        ({"tie_order": np.array([0, 1, 2, 2])}, "each variant once"),
        ({"tie_order": np.array([0, 1, 2, 4])}, "each variant once"),
        ({"weight": np.array([1.0, np.nan, 1.0, 1.0])}, "a weight or a sign cannot be"),
        ({"sign": np.full(4, 2.0)}, "a weight or a sign cannot be"),
        ({"height": np.full(4, np.nan)}, "a line is not a number"),
    ],
)
def test_what_would_crash_is_refused(changes, message):
    with pytest.raises(ValueError, match=message):
        filling(**changes)


def test_lines_without_slopes_are_refused():
    with pytest.raises(ValueError, match="heights and slopes differ"):
        list(filling().walk([(np.zeros(2), np.zeros(1))]))
