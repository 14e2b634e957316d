"""What there is to say of one budget, and of the step from one budget to the next."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.results import Results, Selection
from frugalforest.results.frontier import spends_more
from frugalforest.words.formats import money, shorten, whole_percent

__all__ = [
    "BudgetFinding",
    "Exchange",
    "MoneyStep",
    "PassedOver",
    "Stretch",
    "Verdict",
    "step_between",
    "stretches_of",
]

# A feature that more of the resamples chose than this, and that is not bought, needs a word.
_OFTEN = 0.5
# Of those, so many are named in the sentence.
_MOST_NAMED = 4


class Verdict(StrEnum):
    """How a set compares with guessing by how common the classes are, by its interval."""

    BETTER = "better than guessing"
    UNCLEAR = "not shown to be better than guessing"
    NO_BETTER = "no better than guessing"
    UNTESTED = "not tested"

    @classmethod
    def of(cls, honest: ErrorEstimate | None, results: Results) -> Verdict:
        """The verdict on an honest error.

        Examples
        --------
        ::

            Verdict.of(ErrorEstimate(0.3, 0.02, 0.26, 0.34), results)  # guessing has 0.4
            Verdict.BETTER
        """
        if honest is None:
            return cls.UNTESTED
        data, settings, guess = results.data, results.settings, results.score_used.of_nothing
        if not math.isnan(honest.high):
            if honest.high < guess:
                return cls.BETTER
            return cls.NO_BETTER if honest.error >= guess else cls.UNCLEAR
        if settings.n_resamples < 2:
            return cls.UNCLEAR
        # All resamples agree. Test rows are stratified up to rounding, one row a class, so naming
        # one class may seem that much better than it is.
        n_test = max(1.0, settings.test_share * data.n_rows)
        rounding = len(data.classes) / n_test * max(1.0, guess)
        if honest.error < guess:
            return cls.BETTER if honest.error < guess - rounding else cls.UNCLEAR
        return cls.NO_BETTER


@dataclass(frozen=True)
class Exchange:
    """The best exchange for a bought feature, within the same budget.

    `change` is in the out-of-bag score. An exchange that is `no_worse` is not made all the same:
    the best of many looks better than it is.
    """

    feature: str
    substitute: str
    change: float
    # Half of what is written as the smallest change: a tenth of a percentage point, say.
    smallest: float = 0.0005

    @property
    def no_worse(self) -> bool:
        """Whether nothing would be lost by it, as far as it is written."""
        return self.change <= self.smallest


@dataclass(frozen=True)
class PassedOver:
    """A feature that most resamples chose, and that is not bought."""

    feature: str
    share: float


@dataclass(frozen=True)
class BudgetFinding:
    """What is bought at one budget, by the best of the methods.

    Attributes
    ----------
    selection : Selection
    verdict : Verdict
    left : float
        What is left of the budget.
    everything_bought : bool
        Whether the set holds all features that are not excluded.
    nothing_to_choose : bool
        Whether every resample bought everything, too: then stability, frequencies, substitutes and
        ξ say nothing.
    exchanges : dict of str to Exchange
        By bought feature; those without one are always in the set or have no substitute that fits.
    left_out : tuple of PassedOver
        Features that most resamples chose, and that are not bought; most frequent first.
    train_share : float
        Share of the rows that each resample chose from.
    """

    selection: Selection
    verdict: Verdict
    left: float
    everything_bought: bool
    nothing_to_choose: bool
    exchanges: dict[str, Exchange]
    left_out: tuple[PassedOver, ...]
    train_share: float

    @classmethod
    def of(cls, results: Results, budget: float) -> BudgetFinding:
        """What there is to say of one budget."""
        best = results.best(budget)
        buyable = [f.feature for f in results.features if not f.excluded]
        everything = set(best.features) >= set(buyable)
        often = best.frequencies or {}
        smallest = results.score_used.smallest / 2
        return cls(
            best,
            Verdict.of(best.honest, results),
            max(0.0, budget - best.cost),
            everything,
            everything and all(often.get(name, 1.0) == 1.0 for name in buyable),
            {
                s.feature: Exchange(s.feature, s.substitute, s.error_change, smallest)
                for s in best.substitutes
                if s.substitute is not None and s.error_change is not None
            },
            tuple(
                PassedOver(name, share)
                # Sorting is stable: equally frequent features stay in column order.
                for name, share in sorted(often.items(), key=lambda item: -item[1])
                if share > _OFTEN and name not in best.features
            ),
            (1 - results.settings.test_share)
            * (results.settings.search_rows or results.data.n_rows)
            / results.data.n_rows,
        )

    def is_reached_by(self, other: Selection) -> bool:
        """Whether another method arrives at the very set that is bought.

        Its error may be another one all the same: from part of the rows it chose otherwise.
        """
        return other.method != self.selection.method and (
            set(other.features) == set(self.selection.features)
        )

    @property
    def left_out_sentence(self) -> str:
        """Why features that most resamples chose are not bought; empty if there are none."""
        if not self.left_out:
            return ""
        named = [f"‘{shorten(f.feature)}’ ({whole_percent(f.share)})" for f in self.left_out]
        more = len(named) - _MOST_NAMED
        listed = ", ".join(named[:_MOST_NAMED]) + (f" and {more} more" if more > 0 else "")
        it = "it" if len(named) == 1 else "them"
        return (
            f"Not bought, though most resamples chose {it}: {listed}. A resample chooses from "
            f"{whole_percent(self.train_share)} of the rows; the choice from all rows did without "
            f"{it}."
        )


@dataclass(frozen=True)
class Stretch:
    """Neighboring amounts that buy the same set, shown as one.

    What there is to say is that of the smallest amount, or of the one that is recommended.
    """

    finding: BudgetFinding
    first: float
    last: float

    @property
    def amounts(self) -> str:
        """The amounts as they are written in a table."""
        return self.written()

    def written(self, currency: str = "") -> str:
        """The amounts in a currency."""
        first, last = money(self.first, currency), money(self.last)
        return first if self.first == self.last else f"{first} to {last}"


def stretches_of(
    results: Results, budgets: Sequence[BudgetFinding], lead: BudgetFinding
) -> tuple[Stretch, ...]:
    """The amounts, those together that buy the same set.

    Where no method has the say, each of them must buy the same: what it would do is shown, too.
    """

    def bought(finding: BudgetFinding) -> list[frozenset[str]]:
        taken = finding.selection
        if results.judge is not None:
            return [frozenset(taken.features)]
        methods = results.methods_at(taken.budget)
        rows = [taken, *(results.selection(taken.budget, method) for method in methods)]
        return [frozenset(row.features) for row in rows]

    found = []
    for _, run in itertools.groupby(budgets, key=bought):
        same = list(run)
        shown = next((finding for finding in same if finding is lead), same[0])
        found.append(Stretch(shown, same[0].selection.budget, same[-1].selection.budget))
    return tuple(found)


@dataclass(frozen=True)
class MoneyStep:
    """From one budget to the next: what more is spent, and what that does to the honest error.

    Both were tried on the same resamples, so it can be counted in how many the larger budget did
    better (`n_better`) and worse (`n_worse`). `per_unit` is the change of the error for each unit
    of money spent; None if no more is spent.
    """

    here: Selection
    there: Selection
    spent: float
    change: float
    per_unit: float | None
    n_better: int
    n_worse: int

    @property
    def buys_nothing(self) -> bool:
        """Whether the larger budget spends no more."""
        return self.per_unit is None


def step_between(here: Selection, there: Selection) -> MoneyStep:
    """The step from one honest selection to another."""
    assert here.honest is not None
    assert there.honest is not None
    pairs = list(zip(here.honest.errors, there.honest.errors, strict=False))
    change = there.honest.error - here.honest.error
    spent = there.cost - here.cost
    return MoneyStep(
        here,
        there,
        spent,
        change,
        change / spent if spends_more(there.cost, here.cost) else None,
        sum(after < before for before, after in pairs),
        sum(after > before for before, after in pairs),
    )
