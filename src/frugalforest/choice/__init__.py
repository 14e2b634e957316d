"""The choice among sets: by out-of-bag score (`tuning`), or by rows left out (`judging`)."""

from frugalforest.choice.judging import Judged, judge
from frugalforest.choice.pools import Configuration, Pool, PooledSet, make_pool
from frugalforest.choice.tuning import Scored, Tuned, choose, tune

__all__ = [
    "Configuration",
    "Judged",
    "Pool",
    "PooledSet",
    "Scored",
    "Tuned",
    "choose",
    "judge",
    "make_pool",
    "tune",
]
