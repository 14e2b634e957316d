"""The choice among sets: by out-of-bag score (`tuning`), or by rows left out (`judging`)."""

from frugalforest.choice.finalists import (
    ALL_ROWS,
    MOST_ROWS,
    Grown,
    grow_on,
    judge_on_all_rows,
)
from frugalforest.choice.in_words import error_in_words, rule_in_words
from frugalforest.choice.judging import Judged, judge
from frugalforest.choice.pools import Configuration, Pool, PooledSet, make_pool
from frugalforest.choice.recurring import pooled_sets, with_recurring_sets
from frugalforest.choice.resampled import choose_on_resamples
from frugalforest.choice.shares import PackedShares, measured_sets
from frugalforest.choice.tuning import Scored, Tuned, choose, tune

__all__ = [
    "ALL_ROWS",
    "MOST_ROWS",
    "Configuration",
    "Grown",
    "Judged",
    "PackedShares",
    "Pool",
    "PooledSet",
    "Scored",
    "Tuned",
    "choose",
    "choose_on_resamples",
    "error_in_words",
    "grow_on",
    "judge",
    "judge_on_all_rows",
    "make_pool",
    "measured_sets",
    "pooled_sets",
    "rule_in_words",
    "tune",
    "with_recurring_sets",
]
