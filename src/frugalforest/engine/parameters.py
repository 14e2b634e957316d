"""What scikit-learn style `n_jobs` and `random_state` mean to the core."""

from __future__ import annotations

from numbers import Integral

import numpy as np
from joblib import cpu_count

__all__ = ["n_threads", "seed_from"]


def n_threads(n_jobs: int | None) -> int:
    """Threads meant by a scikit-learn style `n_jobs`: None is one, −1 is one per core.

    Examples
    --------
    >>> n_threads(None), n_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1
    if not isinstance(n_jobs, Integral) or n_jobs == 0 or abs(int(n_jobs)) > 10_000:
        raise ValueError(
            f"`n_jobs` is {n_jobs!r}: it must be a whole number other than 0, or None."
        )
    return int(n_jobs) if n_jobs > 0 else max(1, cpu_count() + 1 + int(n_jobs))


def seed_from(random_state: object) -> int:
    """The 64-bit seed meant by a scikit-learn style `random_state`.

    A number is its own seed, None is a fresh one, and a generator is asked for one.

    Examples
    --------
    >>> seed_from(7)
    7
    """
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1, np.uint64)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**63, dtype=np.int64))
    if isinstance(random_state, Integral) and 0 <= int(random_state) < 2**64:
        return int(random_state)
    raise ValueError(
        f"`random_state` is {random_state!r}: it must be a whole number from 0 to 2^64 - 1, None, "
        "or a NumPy generator."
    )
