"""The race of what was found on part of the rows: who goes on."""

import numpy as np
import pytest

from frugalforest.choice.finalists import ALL_ROWS, MOST_ROWS, Grown, judge_on_all_rows
from frugalforest.costs import Budget
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import Split
from frugalforest.scores import ERROR, OobScore
from reference.scripted_pools import LABELS, OUTCOME, packed, scripted

N_SETS = 16
ROWS = np.arange(len(LABELS))
PARTS = Parts(ROWS[:10], (ROWS[:15], ROWS[:20]), Split(ROWS[20:], ROWS[:20]))


def race(when_searched, in_race):
    """Sets that were grown on each part, by their out-of-bag errors."""
    grown = {}

    def grow(where, sets):
        grown[where] = set(sets)
        left_out = packed([[1] * 20]) if where == MOST_ROWS else None
        return {s: Grown(OobScore(in_race[s[0]], 0.2, 0.1, 0, 0.2, 1.0), left_out) for s in sets}

    pool = scripted([0] * N_SETS, when_searched.tolist(), [1.0] * N_SETS, graded=[0.2] * N_SETS)
    judge_on_all_rows(pool, {Budget(1.0): None}, PARTS, OUTCOME, 0, ERROR, None, grow)
    return grown


@pytest.mark.parametrize("seed", range(4))
def test_a_dozen_and_then_the_better_half_go_on_by_their_errors(seed):
    rng = np.random.default_rng(seed)
    searched, raced = rng.permutation(N_SETS) / 100, rng.permutation(N_SETS) / 100
    grown = race(searched, raced)
    dozen = np.argsort(searched)[:12].tolist()
    assert grown[0] == {(j,) for j in dozen}
    by_race = sorted(dozen, key=lambda j: raced[j])
    assert grown[1] == {(j,) for j in by_race[:6]}
    assert grown[MOST_ROWS] == grown[ALL_ROWS] == {(j,) for j in by_race[:3]}
