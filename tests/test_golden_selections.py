"""The paper's methods choose the sets that they chose when they were frozen, bit for bit."""

import json

import pytest
from golden.selections import FROZEN, PROBLEMS, selections

FROZEN_SELECTIONS = json.loads(FROZEN.read_text(encoding="utf-8"))


def test_every_problem_is_frozen():
    assert list(FROZEN_SELECTIONS) == list(PROBLEMS)


@pytest.mark.parametrize("name", PROBLEMS)
def test_selections_are_as_frozen(name, datasets_dir):
    found = selections(name, datasets_dir)
    frozen = FROZEN_SELECTIONS[name]
    assert [row["by"] for row in found] == [row["by"] for row in frozen]
    for now, then in zip(found, frozen, strict=True):
        assert now == then
