"""The paper's methods choose the sets that they chose when they were frozen, bit for bit."""

import json

import pytest

from golden.selections import FROZEN, PROBLEMS, selections

FROZEN_SELECTIONS = json.loads(FROZEN.read_text(encoding="utf-8"))


def test_every_problem_is_frozen():
    assert list(FROZEN_SELECTIONS) == list(PROBLEMS)


# Together they take most of the time, and the others have every kind of price and outcome.
LARGE = {"ada", "author", "authors", "qsar", "spam", "tokyo", "artificial_A", "artificial_C"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=pytest.mark.slow if name in LARGE else []) for name in PROBLEMS],
)
def test_selections_are_as_frozen(name, datasets_dir):
    found = selections(name, datasets_dir)
    frozen = FROZEN_SELECTIONS[name]
    assert [row["by"] for row in found] == [row["by"] for row in frozen]
    for now, then in zip(found, frozen, strict=True):
        assert now == then
