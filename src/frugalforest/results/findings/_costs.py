"""The sentences about money: amounts, and what a case costs in all where errors have a price."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalforest.results import Selection
from frugalforest.results.findings._budget import Stretch
from frugalforest.results.findings._facts import Facts
from frugalforest.results.frontier import spends_more
from frugalforest.results.totals import cheapest, range_of_error_prices
from frugalforest.words.formats import NBSP, decimal, money, shorten

__all__ = ["CostSentences"]

# Features that do not help are named, the dearest of them.
_MOST_UNHELPFUL = 3


@dataclass(frozen=True)
class CostSentences(Facts):
    """The facts, and what is said of totals. A sentence is empty where there is nothing to say."""

    def amount(self, amount: float) -> str:
        """An amount of money, in its currency if that is known."""
        return money(amount, self.currency)

    def amounts(self, stretch: Stretch) -> str:
        """Amounts that buy the same set."""
        return stretch.written(self.currency)

    def value(self, value: float) -> str:
        """A value of the score, with its unit."""
        return self.score.text(value, self.currency)

    @property
    def total_sentence(self) -> str:
        """What a case costs in all; empty unless it is known what errors cost."""
        own = self.own_total
        if own is None:
            return ""
        certain = ""
        if not math.isnan(own.low):
            ends = self.amount(own.price + own.low), money(own.price + own.high)
            certain = f" (95{NBSP}% interval of the total {ends[0]} to {ends[1]})"
        nothing = next((t for t in self.totals if t.budget is None), None)
        without = (
            "" if nothing is None else f"; without measuring anything, {self.amount(nothing.total)}"
        )
        return (
            f"A case costs {self.amount(own.total)} in all, {self.amount(own.price)} for "
            f"measurements and {self.amount(own.errors)} for errors{certain}{without}."
        )

    @property
    def saving_sentence(self) -> str:
        """What the recommended set saves against cheaper ones; empty if there is no such saving."""
        own = self.own_total
        if own is None or self.nothing_is_cheapest:
            return ""
        cheaper = [t for t in self.totals if spends_more(own.price, t.price)]
        if not cheaper:
            return ""
        next_best = cheapest(cheaper)
        other = (
            "measuring nothing"
            if not next_best.price
            else f"the best cheaper panel, {self.amount(next_best.price)}"
        )
        # As both are written, so that readers find it, too.
        saved = self.amount(round(next_best.total, 2) - round(own.total, 2))
        return f"At {self.amount(own.price)} per case you save {saved} per case against {other}."

    @property
    def range_sentence(self) -> str:
        """How far error costs can move before another set is best; empty if they are unknown."""
        if not self.totals:
            return ""
        best = cheapest(self.totals)
        low, high = range_of_error_prices(best, [t for t in self.totals if t is not best])
        what = "Measuring nothing" if best.budget is None else "This set"
        if low <= 0 and math.isinf(high):
            return f"{what} stays the cheapest in all whatever errors cost."
        costs = {
            c for i, row in enumerate(self.score.error_costs) for j, c in enumerate(row) if i != j
        }
        if len(costs) == 1:
            unit, error = costs.pop(), "an error costs"
            ends = self.amount(low * unit), self.amount(high * unit)
        else:
            error = "errors cost"
            most = "" if math.isinf(high) else f"{decimal(high)} times as much"
            ends = (decimal(low) if most else f"{decimal(low)} times as much"), most
        if low <= 0:
            moved = f"up to {ends[1]}"
        elif math.isinf(high):
            moved = f"{ends[0]} or more"
        else:
            moved = f"between {ends[0]} and {ends[1]}"
        return f"{what} stays the cheapest in all as long as {error} {moved}."

    @property
    def lowest_total(self) -> str:
        """Why this set, or none, by what a case costs in all."""
        if self.nothing_is_cheapest and not any(b.selection.features for b in self.budgets):
            return "No set was found that lowers the cost of errors."
        if self.nothing_is_cheapest:
            return "With every set that was compared, a case costs more in all than with none."
        if len(self.stretches) == 1:
            return "With it a case costs less in all than without measuring anything."
        return f"Of the {len(self.stretches)} sets compared, and none, a case costs least in all."

    @property
    def gain_sentence(self) -> str:
        """What the panel adds to what is free or required; empty if nothing is."""
        found = self.lead.selection.gain
        if found is None or self.too_good:
            return ""
        before = (
            "Without it, what is free or required, or guessing if that is better, comes to "
            f"{self.value(found.baseline)}"
        )
        if set(self.lead.selection.features) <= self.always_in:
            return f"{before}: nothing that was tried is shown to add to that."
        change, low, high = map(self.score.signed, (-found.gain, -found.high, -found.low))
        points = f"{NBSP}percentage points" if self.score.in_percent else ""
        ends = f"{high} to {low}" if self.score.better_is_higher else f"{low} to {high}"
        return f"{before}; the panel changes that by {change}{points} (95{NBSP}% interval {ends})."

    @property
    def unhelpful_sentence(self) -> str:
        """Which features no set that does clearly better has; empty if there is nothing to say."""
        if not self.unhelpful or self.too_good or not self.worth_measuring:
            return ""
        named_ = [f"‘{shorten(f.feature)}’ ({self.amount(f.cost)})" for f in self.unhelpful]
        more = len(named_) - _MOST_UNHELPFUL
        listed = ", ".join(named_[:_MOST_UNHELPFUL]) + (f" and {more} more" if more > 0 else "")
        return f"In no set that does better by more than one standard error: {listed}."

    def total_with(self, selection: Selection) -> str:
        """What a case costs in all with another set, and how far that is from the recommended."""
        own = self.own_total
        if own is None or selection.honest is None:
            return ""
        total = selection.cost + selection.honest.error
        change = total - own.total
        size = money(abs(change), self.currency)
        far = (
            f"{size} {'more' if change > 0 else 'less'}"
            if money(abs(change)) != "0"
            else "the same"
        )
        return f"{self.amount(total)} in all, {far}"
