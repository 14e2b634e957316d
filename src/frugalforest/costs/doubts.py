"""What prices may not have been meant to say: no errors, but worth a word."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from frugalforest.costs.model import CostModel

__all__ = ["price_doubts"]

Doubt = Literal["prices_by_position", "groups_without_fees"]


def price_doubts(costs: object, names: Sequence[str] | None) -> dict[Doubt, str]:
    """What to say of prices for columns of these names, None if they have none.

    Examples
    --------
    >>> price_doubts([1, 5], ["age", "crp"])["prices_by_position"]
    "prices have no names and were taken in the order of the columns ('age' costs 1, 'crp' \
costs 5): give them by name to be sure."
    >>> price_doubts({"age": 1, "crp": 5}, ["age", "crp"])
    {}
    """
    model = CostModel.coerce(costs)
    doubts: dict[Doubt, str] = {}
    if isinstance(model.costs, tuple) and names is not None:
        pairs = zip(names, model.costs, strict=False)
        said = [f"{name!r} costs {price:.6g}" for name, price in pairs]
        shown = ", ".join(said[:3]) + (", …" if len(said) > 3 else "")
        doubts["prices_by_position"] = (
            f"prices have no names and were taken in the order of the columns ({shown}): give "
            "them by name to be sure."
        )
    if model.groups and model.group_costs is None:
        doubts["groups_without_fees"] = (
            "prices have groups, but no fees (group_cost): then groups change no price."
        )
    return doubts
