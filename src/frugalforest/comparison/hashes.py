"""Hashes of what results depend on: they tell whether kept results belong to what is asked for."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from importlib.metadata import version

import numpy as np

from frugalforest.comparison.plan import Plan
from frugalforest.comparison.tasks import Pick
from frugalforest.costs import Prices
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import Split
from frugalforest.problem import FeatureSet
from frugalforest.storage.records import to_plain
from frugalforest.tables import Outcome, Table

__all__ = ["hash_data", "task_key"]

# Of what tasks leave behind: a new number where fields are added, so that old work is not taken.
_LAYOUT = 8


def hash_data(table: Table, outcome: Outcome) -> str:
    """A hash of every name, cell, and what is true of each row."""
    parts: list[object] = []
    for name, column in zip(table.names, table.columns, strict=True):
        parts += [name, column.tolist() if column.dtype == object else column]
    return _hash(*parts, *outcome.content)


def task_key(
    data_hash: str,
    prices: Prices,
    plan: Plan,
    split: Split | None,
    pick: Pick | None = None,
    parts: Parts | None = None,
    grown: tuple[int, FeatureSet] | None = None,
    scored: Sequence[FeatureSet] = (),
) -> str:
    """The name of a task: all that its result depends on. Without a split, it is on all rows.

    `parts` are those of a large table; `grown` is where on it a forest is grown, and on which
    columns; `scored` are sets to score.
    """
    return _hash(
        data_hash,
        *(prices.feature_cost, prices.group, prices.group_cost, prices.required, prices.excluded),
        plan.to_dict(),
        version("frugalforest"),
        _LAYOUT,
        "" if split is None else split.test,
        [] if pick is None else [to_plain(pick)],
        *([] if parts is None else [parts.search, parts.final.test, grown]),
        *(["scored", list(scored)] if scored else []),
    )


def _hash(*parts: object) -> str:
    digest = hashlib.sha256()
    for part in parts:
        # JSON tells None from "None"; the length tells where one part ends and the next begins.
        content = part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode()
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()
