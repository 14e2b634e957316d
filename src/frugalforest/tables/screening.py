"""What is never bought, whatever the method: columns that cannot help, and copies of cheaper ones.

It looks at the table alone, not at the outcome, so it is the same choice in every resample.
"""

from __future__ import annotations

from collections.abc import Sequence

from frugalforest.costs import Prices
from frugalforest.tables import Notice

__all__ = ["screened"]


def screened(prices: Prices, notices: Sequence[Notice]) -> Prices:
    """Prices that exclude empty and constant columns, and copies of columns that cost no more.

    A copy is kept if it can be the cheaper one, as in a panel whose fee is paid. Required features
    stay. If nothing would be left to buy, all stay as they were.

    Parameters
    ----------
    prices : Prices
    notices : sequence of Notice
        What `column_checks` found in the table.

    Examples
    --------
    >>> from frugalforest.costs import CostModel
    >>> from frugalforest.tables import Outcome, Table, column_checks
    >>> table = Table.read([[i, 7, 2 * i] for i in range(20)], ["a", "same", "twice a"])
    >>> notices = column_checks(table, Outcome.read([0, 1] * 10))
    >>> prices = CostModel([2.0, 1.0, 3.0]).align(table.names)
    >>> screened(prices, notices).excluded
    array([False,  True,  True])
    """
    place = {name: j for j, name in enumerate(prices.feature_names)}
    excluded = prices.excluded.copy()
    for notice in notices:
        if notice.kind in ("empty", "constant"):
            excluded[place[notice.columns[0]]] = True
    for notice in notices:
        if notice.kind == "copies":
            same = [place[name] for name in notice.columns if not excluded[place[name]]]
            for j in reversed(same):  # of two at one price, the first column stays
                others = [k for k in same if k != j and not excluded[k]]
                excluded[j] = any(_never_dearer(prices, k, j) for k in others)
    excluded &= ~prices.required
    return prices if excluded.all() else prices.excluding(excluded)


def _never_dearer(prices: Prices, one: int, other: int) -> bool:
    """Whether one feature costs no more than another, whatever is bought besides."""
    if prices.required[one]:
        return True  # it is paid for in any case
    same_group = prices.group[one] == prices.group[other] >= 0
    price = prices.feature_cost if same_group else prices.alone
    return bool(price[one] <= prices.feature_cost[other])
