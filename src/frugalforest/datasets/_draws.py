"""Random streams keyed by what they are for, and the numbers that may key them."""

import hashlib
from numbers import Integral

import numpy as np

__all__ = ["stream", "whole_number"]


def stream(purpose: str, *seeds: int) -> np.random.Generator:
    """A random stream of its own for each purpose and seed, by hashing them."""
    key = "/".join([purpose, *(str(int(seed)) for seed in seeds)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


def whole_number(name: str, value: object, minimum: int) -> int:
    """A parameter that must be an integer of at least `minimum`."""
    if not isinstance(value, Integral) or value < minimum:
        raise ValueError(
            f"{name}={value!r} is not allowed. Set `{name}` to an integer of at least {minimum}."
        )
    return int(value)
