"""Seeds: every random number comes from one seed and from what the number is for."""

from __future__ import annotations

import hashlib

__all__ = ["derive_seed"]


def derive_seed(seed: int, *purpose: object) -> int:
    """A seed for one purpose: a hash of what the draw is for.

    Adding a purpose changes nobody else's numbers.

    Examples
    --------
    >>> derive_seed(0, "scores") == derive_seed(0, "importance")
    False
    """
    text = "/".join(["frugalforest", str(seed), *map(str, purpose)])
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "little")
