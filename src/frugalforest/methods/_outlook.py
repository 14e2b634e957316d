"""Where the set that a budget buys can change next, as ξ grows.

Lines are the logarithms of ratios over ξ. Inside are the features of the set, outside those that
could be bought. A line outside needs to be above lines inside that cost enough together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from frugalforest.methods._filling import Shop

__all__ = ["SAME_PRICE", "Lines", "Outlook"]

# Logarithms of prices nearer to each other are those of one price.
SAME_PRICE = 1e-10
# Logarithms of ratios are rounded to 10 digits: this far apart they are not tied, unless ξ is so
# large that the rounding of ξ times the logarithm of a price is more than that.
_NOT_TIED = 2e-10
_ROUNDING_PER_XI = 2e-15
# Sums of prices in different orders differ by less, relative to the sum.
_SUM_ROUNDING = 1e-12
# Pairs of features looked at together: 500,000 are 4 MB an array.
_CHUNK = 500_000
# A look ahead that found nothing is made longer by this factor, and without end from some ξ on.
_LONGER = 4.0
_LONG = 1e3


@dataclass(frozen=True)
class Lines:
    """Logarithms of ratios over ξ: height − ξ · slope, for features of one sign each.

    `rank` is the place in the order of ties, the lower the better.
    """

    sign: NDArray[np.float64]
    height: NDArray[np.float64]
    slope: NDArray[np.float64]
    rank: NDArray[np.intp]

    @classmethod
    def of(cls, shop: Shop) -> Lines:
        """The lines of the shop's variants."""
        trade = shop.ranks
        rank = np.empty(len(trade.gain), dtype=np.intp)
        rank[shop.tie_order] = np.arange(len(rank))
        moves = (trade.sign != 0) & (trade.cost > 0)
        with np.errstate(divide="ignore", invalid="ignore"):
            height = trade.sign * np.log(np.abs(trade.gain))
            slope = np.log(trade.cost)
        # Without a gain or a price, a feature's place is that in the order of ties, at every ξ.
        return cls(
            trade.sign, np.where(moves, height, -1.0 * rank), np.where(moves, slope, 0.0), rank
        )

    def __getitem__(self, index: NDArray[np.intp]) -> Lines:
        return Lines(self.sign[index], self.height[index], self.slope[index], self.rank[index])

    def at(self, xi: float) -> NDArray[np.float64]:
        """Heights at one ξ; at infinity, minus the slopes."""
        return -self.slope if xi == np.inf else self.height - xi * self.slope


def _tie_width(xi: float) -> float:
    """Logarithms of ratios that are nearer to each other at ξ may be tied."""
    return _NOT_TIED if xi == np.inf else _NOT_TIED + _ROUNDING_PER_XI * xi


def _overtaken(
    outside: Lines, inside: Lines, xi: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """From which ξ on each line outside (rows) is above each line inside (columns).

    Returns
    -------
    since : ndarray, shape (n_outside, n_inside)
        −inf if it is above at `xi`, inf if it never will be.
    untied : ndarray, shape (n_outside, n_inside)
        Where it is above at `xi` by less than rounding: the ξ from which on it is above by more.
        Else inf.
    """
    width = _tie_width(xi)
    rise = inside.height - outside.height[:, None]
    run = inside.slope - outside.slope[:, None]
    lead = rise - xi * run
    falls = run > SAME_PRICE
    tied = falls & (np.abs(lead) <= width)
    above = tied | (lead < -width)
    untied = np.full(lead.shape, np.inf)
    # From here on the exceptions, which are few: prices that are one, ties, other signs.
    row, column = np.nonzero(tied)
    if len(row):
        # A tie may put the line outside first at once; then it stays there.
        wins_ties = inside.rank[column] > outside.rank[row]
        at = xi + (lead[row, column] + width) / run[row, column]
        untied[row, column] = np.where(wins_ties | (at <= xi), np.inf, at)
    row, column = np.nonzero(np.abs(run) <= SAME_PRICE)
    above[row, column] = inside.rank[column] > outside.rank[row]
    if (inside.sign != outside.sign[0]).any() or (outside.sign != outside.sign[0]).any():
        row, column = np.nonzero(inside.sign != outside.sign[:, None])
        above[row, column] = inside.sign[column] < outside.sign[row]
        falls[row, column] = False
        untied[row, column] = np.inf
    with np.errstate(divide="ignore", invalid="ignore"):
        since = np.where(falls, rise / run, np.inf)
    since[above] = -np.inf
    return since, untied


class Outlook:
    """What is ahead of the set that is bought at some ξ.

    A row for each feature outside, a column for each inside. A feature whose group the set pays
    for has two rows: one at the price with the fee, for it might open the group; and one at the
    price without, that has its turn only once the group is open.

    Parameters
    ----------
    shop : Shop
    lines : Lines
        Those of the shop.
    bought : ndarray of int
        The items that `shop` fills the budget with at `xi`, in that order.
    xi : float

    Examples
    --------
    >>> from frugalforest.costs import Budget, CostModel
    >>> prices = CostModel([4.0, 1.0]).align(None, 2)
    >>> shop = Shop(prices, np.array([0.4, 0.2]), Budget(4))  # 0.4 / 4^ξ = 0.2 / 1^ξ at ξ = ½
    >>> Outlook(shop, Lines.of(shop), np.array([0]), xi=0.0).next_change(step=1.0)
    0.5
    """

    def __init__(self, shop: Shop, lines: Lines, bought: NDArray[np.intp], xi: float) -> None:
        n = len(shop.columns)
        self.xi = xi
        opens = _openers(shop.group, bought)
        cost = np.where(opens, shop.first_cost, shop.later_cost)
        # What costs nothing makes no room for anything.
        inside = bought[cost[bought] > 0]
        self._inside = lines[np.where(opens[inside], inside, inside + n)]
        self._weight = cost[inside]
        outside = np.delete(np.arange(n), bought)
        reopened = outside[np.isin(shop.group[outside], shop.group[opens])]
        self._outside = lines[np.concatenate([outside, reopened + n])]
        self._signs = [s for s in (1.0, 0.0, -1.0) if (self._outside.sign == s).any()]
        price = np.concatenate([shop.first_cost[outside], shop.later_cost[reopened]])
        spent = shop.spent + cost[bought].sum()
        # A feature is bought if the features inside that come after its turn cost this much.
        self._needed = price - shop.budget.left(spent) - _SUM_ROUNDING * (spent + price)
        self._fees = None
        if opens.any():
            members = bought[np.isin(shop.group[bought], shop.group[opens])]
            self._fees = _Fees(
                row_group=np.concatenate([np.full(len(outside), -1), shop.group[reopened]]),
                column_group=shop.group[inside],
                opens=opens[inside],
                weight=self._weight,
                opening=_first_by_group(lines[members], shop.group[members], self._inside, xi),
            )

    def next_change(self, step: float) -> float:
        """The first ξ behind which the set may be another one; inf if there is none.

        Before it, the set is the same. `step` is how far to look at first.
        """
        while True:
            horizon = self.xi + step if step < _LONG else np.inf
            change = self._first_change(horizon)
            if change <= horizon:
                return change
            step *= _LONGER

    def _first_change(self, horizon: float) -> float:
        """The first ξ up to `horizon` behind which the set may change; inf if there is none."""
        rows, columns = self._possible(horizon)
        weight = self._weight[columns]
        chunk = max(1, _CHUNK // max(1, len(columns)))
        change = np.inf
        for begin in range(0, len(rows), chunk):
            here = rows[begin : begin + chunk]
            since, untied = self._since(here, columns)
            suffices = (since <= horizon) @ weight >= self._needed[here]
            for k in np.flatnonzero(suffices).tolist():
                horizon = min(horizon, change)
                ahead = _first_enough(
                    since[k], untied[k], weight, self._needed[here[k]], self.xi, horizon
                )
                change = min(change, ahead)
        return change

    def _possible(self, horizon: float) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The rows that may have enough at some ξ up to `horizon`, and the columns they overtake.

        A line that is below another at some ξ between two is below it at one of the two. So what is
        below a row now and what is below it at the horizon, added up, is never too little. This
        takes p · log p steps and leaves a dozen rows and half a dozen columns of 1,400 and 700.
        """
        most = self._weight_below_now + self._weight_below(horizon)
        if self._fees is not None:
            most = np.minimum(most, self._fees.most_weight(horizon))
        rows = np.flatnonzero(most * (1 + _SUM_ROUNDING) >= self._needed)
        below = np.zeros(len(self._weight), dtype=bool)
        for sign in self._signs:
            of_sign = rows[self._outside.sign[rows] == sign]
            if not len(of_sign):
                continue
            below |= self._inside.sign < sign
            for xi in (self.xi, horizon):
                highest = self._outside.at(xi)[of_sign].max() + _tie_width(xi)
                below |= (self._inside.sign == sign) & (self._inside.at(xi) <= highest)
        if self._fees is not None:
            below = self._fees.with_groups(below)
        return rows, np.flatnonzero(below)

    @cached_property
    def _weight_below_now(self) -> NDArray[np.float64]:
        return self._weight_below(self.xi)

    def _weight_below(self, xi: float) -> NDArray[np.float64]:
        """The weight of the columns that are below each row at ξ, or tied; with their groups."""
        inside, outside = self._inside.at(xi), self._outside.at(xi)
        weight = self._weight if self._fees is None else self._fees.weight_with_group
        total = np.zeros(len(outside))
        for sign in self._signs:
            rows, columns = self._outside.sign == sign, self._inside.sign == sign
            # Columns are in the order of purchase: from behind, they are nearly sorted.
            lines, weights = inside[columns][::-1], weight[columns][::-1]
            order = np.argsort(lines, kind="stable")
            below = np.append(0.0, np.cumsum(weights[order]))
            place = np.searchsorted(lines[order], outside[rows] + _tie_width(xi), "right")
            total[rows] = below[place] + weight[self._inside.sign < sign].sum()
        return total

    def _since(
        self, rows: NDArray[np.intp], columns: NDArray[np.intp]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """From which ξ on a row may have its turn before a column, as `_overtaken` has it."""
        since, untied = _overtaken(self._outside[rows], self._inside[columns], self.xi)
        if self._fees is None:
            return since, untied
        return self._fees.since(rows, columns, since, untied)


def _first_enough(
    since: NDArray[np.float64],
    untied: NDArray[np.float64],
    weight: NDArray[np.float64],
    needed: float,
    xi: float,
    horizon: float,
) -> float:
    """The first ξ at which a row overtakes a column, or a tie ends, and it has enough weight.

    Examples
    --------
    >>> since, untied = np.array([-np.inf, 1.0, 2.0]), np.full(3, np.inf)
    >>> _first_enough(since, untied, np.ones(3), needed=2.5, xi=0.0, horizon=5.0)
    2.0
    """
    ahead = (since > xi) & (since <= horizon)
    at = np.concatenate([since[ahead], untied[untied <= horizon]])
    gained = np.zeros(len(at))
    gained[: np.count_nonzero(ahead)] = weight[ahead]
    order = np.argsort(at)
    enough = weight[since <= xi].sum() + np.cumsum(gained[order]) >= needed
    return float(at[order[enough.argmax()]]) if enough.any() else np.inf


def _openers(group: NDArray[np.int64], bought: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Which items are the first of a group with a fee to be bought."""
    in_groups = bought[group[bought] >= 0]
    _, first = np.unique(group[in_groups], return_index=True)
    opens = np.zeros(len(group), dtype=bool)
    opens[in_groups[first]] = True
    return opens


def _first_by_group(
    members: Lines, member_group: NDArray[np.int64], inside: Lines, xi: float
) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]]:
    """From which ξ on any line of a group (rows) is above each line inside (columns).

    Returns
    -------
    groups : ndarray of int, shape (n_groups,)
        Each group once, ascending.
    above : ndarray, shape (n_groups, n_inside)
    untied : ndarray, shape (n_groups,)
        The first ξ at which a tie with one of the group's lines ends.
    """
    groups, number = np.unique(member_group, return_inverse=True)
    above = np.full((len(groups), len(inside.slope)), np.inf)
    untied = np.full(len(groups), np.inf)
    chunk = max(1, _CHUNK // len(inside.slope))
    for begin in range(0, len(number), chunk):
        here = np.arange(begin, min(begin + chunk, len(number)))
        since, until = _overtaken(members[here], inside, xi)
        np.minimum.at(untied, number[here], until.min(axis=1))
        for k, line in zip(number[here].tolist(), since, strict=True):
            np.minimum(above[k], line, out=above[k])
    return groups, above, untied


class _Fees:
    """What changes where groups have fees.

    A column that another one opens the group for is bought once both are above all else: it is
    overtaken where its own line is, or its opener's. A row without a fee has its turn not before
    its group is opened: it overtakes a column not before some line of its group inside does.

    The set may open the group by another feature later on. It is then opened earlier than by this
    one, so that columns are overtaken later than is said here, which costs a look and no more.

    Parameters
    ----------
    row_group, column_group : ndarray of int
        −1 for none, and for rows at the price with the fee.
    opens : ndarray of bool, shape (n_columns,)
        Which columns open their group.
    weight : ndarray of float64, shape (n_columns,)
    opening : tuple of ndarray
        What `_first_by_group` says about the lines that can open groups, and the columns.
    """

    def __init__(
        self,
        row_group: NDArray[np.int64],
        column_group: NDArray[np.int64],
        opens: NDArray[np.bool_],
        weight: NDArray[np.float64],
        opening: tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.float64]],
    ) -> None:
        groups, above, untied = opening
        self._opens = opens
        # Numbers of the groups that are paid for; −1 stays −1.
        self._row_group = np.where(row_group < 0, -1, np.searchsorted(groups, row_group))
        self._column_group = np.where(column_group < 0, -1, np.searchsorted(groups, column_group))
        opener_of_group = np.empty(len(groups), dtype=np.intp)
        opener_of_group[self._column_group[opens]] = np.flatnonzero(opens)
        # For each column the one that opens its group; itself if there is no such group.
        self._opener = np.where(
            column_group < 0, np.arange(len(column_group)), opener_of_group[self._column_group]
        )
        # A group is overtaken with the column that opens it.
        group_weight = np.bincount(self._column_group + 1, weight, len(groups) + 1)[1:]
        self.weight_with_group = np.where(opens, group_weight[self._column_group], weight)
        # One row more, for rows without a group, whose number is −1: nothing holds them back.
        self._open_above = np.vstack([above, np.full(len(opens), -np.inf)])
        self._open_untied = np.append(untied, np.inf)
        self._own_weight = np.append(group_weight, 0.0)

    def most_weight(self, horizon: float) -> NDArray[np.float64]:
        """For each row, the weight of what its group and the columns behind its opener weigh."""
        behind = np.where(self._open_above <= horizon, self.weight_with_group, 0.0).sum(axis=1)
        most: NDArray[np.float64] = behind + self._own_weight
        return most[self._row_group]

    def with_groups(self, columns: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """These columns, those that open their groups, and those of groups that these open."""
        closed = columns.copy()
        closed[self._opener[columns]] = True
        return closed | closed[self._opener]

    def since(
        self,
        rows: NDArray[np.intp],
        columns: NDArray[np.intp],
        above: NDArray[np.float64],
        untied: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """From which ξ on rows may have their turn before columns; `above` compares their lines."""
        group, opener = self._row_group[rows], np.searchsorted(columns, self._opener[columns])
        both_above = np.maximum(above, self._open_above[group[:, None], columns])
        since = np.minimum(both_above, both_above[:, opener])
        # Within a group lines decide; but the opener comes first as long as it is the opener.
        column_group = self._column_group[columns]
        own = (group[:, None] == column_group) & (column_group >= 0)
        since = np.where(own, np.where(self._opens[columns], both_above, above), since)
        untied = np.minimum(untied, self._open_untied[group, None])
        return since, np.minimum(untied, untied[:, opener])
