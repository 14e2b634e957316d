"""The facts: what is recommended, what less and more money would do, whether it is worth it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Self

from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.results import (
    ColumnNotice,
    DataFacts,
    FeatureFacts,
    Results,
    ScoreFacts,
    Selection,
    Settings,
)
from frugalforest.results.findings._budget import (
    BudgetFinding,
    MoneyStep,
    Stretch,
    Verdict,
    step_between,
    stretches_of,
)
from frugalforest.results.frontier import (
    by_money_spent,
    find_knee,
    spends_more,
    within_one_se,
)
from frugalforest.results.totals import Total, cheapest

__all__ = ["Facts", "Knee", "honest_of"]

# Kinds of notices about a column that matter most once it is to be bought.
_DOUBTS = ("identifier", "large_integers", "missing_code")


@dataclass(frozen=True)
class Knee:
    """The amount spent up to which money buys most: the step to it from the least, and beyond."""

    before: MoneyStep
    after: MoneyStep

    @property
    def selection(self) -> Selection:
        """What that amount buys."""
        return self.before.there


@dataclass(frozen=True)
class Facts:
    """What a comparison comes to, as data.

    The recommended set is the cheapest within one standard error of the lowest honest error. If its
    interval reaches the error of guessing, it is passed over for the cheapest set with a lower
    error whose interval does not, if there is one. Where it is known what errors cost, it is the
    set with the lowest total of prices and errors.

    Attributes
    ----------
    data, settings, score : DataFacts, Settings, ScoreFacts
        Of the comparison.
    budgets : tuple of BudgetFinding
        One a budget and a smaller amount of the frontier, ascending.
    stretches : tuple of Stretch
        The same, with neighboring amounts together that buy the same set: what is shown.
    lead : BudgetFinding
        What to look at first: what is recommended, or the largest budget without honest errors.
    passed_over : Selection or None
        The cheapest within one standard error, if another is recommended because of its interval.
    lowest : Selection or None
        The budget with the lowest honest error; of equal ones, the cheapest.
    less, more : MoneyStep or None
        To the recommended set from the next cheaper one, and from it to the best of those that
        spend more; None if there is none.
    steps : tuple of MoneyStep
        From each stretch to the next; empty without honest errors.
    knee : Knee or None
        Where the curve bends, if that is more than chance.
    n_buyable : int
        Features that are not excluded.
    total_price : float
        What all of them cost.
    currency : str
        What stands before an amount of money.
    judged : bool
        Whether sets were chosen among by rows left out. Errors are then corrected as a whole, not
        resample by resample: in how many of those a budget did better says nothing of them.
    notices : tuple of ColumnNotice
        What to know about the columns, the loudest first.
    never_bought : tuple of str
        Columns that no method may buy.
    positive : int
        The class that counts as positive.
    positive_named : bool
        Whether somebody said so; otherwise it is the rarest.
    prevalence : float or None
        How common it is where the model will be used, if that was said.
    totals : tuple of Total
        What a case costs in all, without measuring anything and with each budget's set; empty
        unless it is known what errors cost.
    always_in : frozenset of str
        Features that are free or required.
    unhelpful : tuple of FeatureFacts
        Features that the largest budget could pay for and that are neither in what is recommended
        nor in a set that does better by more than one standard error; the dearest first. Known
        where the frontier is.
    """

    data: DataFacts
    settings: Settings
    score: ScoreFacts
    budgets: tuple[BudgetFinding, ...]
    stretches: tuple[Stretch, ...]
    lead: BudgetFinding
    passed_over: Selection | None
    lowest: Selection | None
    less: MoneyStep | None
    more: MoneyStep | None
    steps: tuple[MoneyStep, ...]
    knee: Knee | None
    n_buyable: int
    total_price: float
    currency: str = ""
    judged: bool = False
    notices: tuple[ColumnNotice, ...] = ()
    never_bought: tuple[str, ...] = ()
    positive: int = 0
    positive_named: bool = False
    prevalence: float | None = None
    totals: tuple[Total, ...] = ()
    always_in: frozenset[str] = frozenset()
    unhelpful: tuple[FeatureFacts, ...] = ()

    @classmethod
    def of(cls, results: Results) -> Self:
        """Work them out."""
        budgets = tuple(BudgetFinding.of(results, amount) for amount in results.amounts)
        chosen = [b.selection for b in budgets]
        lead, lowest = budgets[-1], None
        passed_over = less = more = knee = None
        steps: tuple[MoneyStep, ...] = ()
        totals: tuple[Total, ...] = ()
        if results.has_honest_errors:
            if results.score_used.is_cost:
                totals = tuple(results.totals())
                lead = _cheapest_in_all(totals, budgets)
            else:
                good = _cheapest_good(results, budgets)
                lead = _surer(good, budgets) or good
                passed_over = None if lead is good else good.selection
            pick = lead.selection
            lowest = min(chosen, key=lambda s: (honest_of(s).error, s.cost))
            cheaper = [s for s in chosen if spends_more(pick.cost, s.cost)]
            costlier = [s for s in chosen if spends_more(s.cost, pick.cost)]
            if cheaper:
                next_cheaper = max(cheaper, key=lambda s: (s.cost, -honest_of(s).error))
                less = step_between(next_cheaper, pick)
            if costlier:
                more = step_between(pick, min(costlier, key=lambda s: _how_good(s, totals != ())))
            knee = _bend(results, honest_of(lowest).se)
        stretches = stretches_of(results, budgets, lead)
        if results.has_honest_errors:
            shown = [stretch.finding.selection for stretch in stretches]
            steps = tuple(step_between(*pair) for pair in itertools.pairwise(shown))
            amounts = {None, *(selection.budget for selection in shown)}
            totals = tuple(total for total in totals if total.budget in amounts)
        judged = results.judge is not None and results.has_honest_errors
        buyable = [f for f in results.features if not f.excluded]
        fees = {f.group: f.group_cost for f in buyable if f.group is not None}
        return cls(
            results.data,
            results.settings,
            results.score_used,
            budgets,
            stretches,
            lead,
            passed_over,
            lowest,
            less,
            more,
            steps,
            knee,
            len(buyable),
            math.fsum([f.cost_if_group_paid for f in buyable]) + math.fsum(fees.values()),
            results.about.currency,
            judged,
            results.notices,
            results.never_bought,
            results.positive,
            bool(results.about.positive),
            results.about.prevalence,
            totals,
            frozenset(f.feature for f in results.features if f.free or f.required),
            _unhelpful(results, lead, chosen) if judged else (),
        )

    # Facts that follow from the others

    @property
    def recommended(self) -> Selection | None:
        """The set to buy; None without honest errors."""
        return None if self.lead.verdict is Verdict.UNTESTED else self.lead.selection

    @property
    def verdict(self) -> Verdict:
        """How what is recommended compares with guessing."""
        return self.lead.verdict

    @property
    def worth_measuring(self) -> bool:
        """Whether something is: false if no set is shown to be better than guessing."""
        if self.nothing_is_cheapest:
            return False
        return self.surest is not None or self._one_good_resample

    @property
    def nothing_is_cheapest(self) -> bool:
        """Whether a case costs least in all if nothing is measured."""
        least = self.cheapest_total
        return least is not None and least.budget is None

    @property
    def cheapest_total(self) -> Total | None:
        """The lowest total, of sets and of nothing; None if it is not known what errors cost."""
        return cheapest(self.totals) if self.totals else None

    @property
    def positive_is_rarest(self) -> bool:
        """Whether no other class has as few rows as the positive one."""
        counts = self.data.class_counts
        return counts.count(counts[self.positive]) == 1

    @property
    def own_total(self) -> Total | None:
        """What a case costs in all with what is recommended."""
        budget = self.lead.selection.budget
        return next((t for t in self.totals if t.budget == budget), None)

    @property
    def surest(self) -> Selection | None:
        """What is recommended, if it is better than guessing; else the cheapest that is."""
        better = [b.selection for b in self.budgets if b.verdict is Verdict.BETTER]
        if self.verdict is Verdict.BETTER:
            return self.lead.selection
        return min(better, key=lambda s: s.cost, default=None)

    @property
    def too_good(self) -> tuple[str, ...]:
        """Bought features that give the target away: see `tables.leaks`."""
        loud = {name for notice in self.notices if notice.loud for name in notice.columns}
        return tuple(name for name in self.lead.selection.features if name in loud)

    @property
    def bought_doubts(self) -> tuple[str, ...]:
        """What needs a look before the lead's features are bought: identifiers, odd codes."""
        bought = set(self.lead.selection.features)
        return tuple(
            n.message for n in self.notices if n.kind in _DOUBTS and bought.intersection(n.columns)
        )

    @property
    def everything_affordable(self) -> bool:
        """Whether all was affordable that there is: then a larger budget buys nothing more."""
        return self.settings.whole_frontier or not spends_more(
            self.total_price, self.budgets[-1].selection.budget
        )

    @property
    def larger_may_do_better(self) -> bool:
        """Whether the most money spent did best, and there is more to buy."""
        if self.lowest is None or self.everything_affordable or honest_of(self.lowest).error == 0:
            return False
        return not any(spends_more(b.selection.cost, self.lowest.cost) for b in self.budgets)

    @property
    def same_set_everywhere(self) -> bool:
        """Whether all budgets, if there are several, buy the same features."""
        return (
            len(self.budgets) > 1
            and len({frozenset(b.selection.features) for b in self.budgets}) == 1
        )

    @property
    def score_flatters(self) -> bool:
        """Whether the selection score is written as better than the honest one."""
        pick = self.lead.selection
        if pick.honest is None:
            return False
        written = self.score.text(pick.score) != self.score.text(pick.honest.error)
        return written and pick.score < pick.honest.error

    @property
    def _one_good_resample(self) -> bool:
        honest = self.lead.selection.honest
        return (
            honest is not None
            and self.settings.n_resamples == 1
            and honest.error < self.score.of_nothing
        )


def _unhelpful(
    results: Results, lead: BudgetFinding, chosen: Sequence[Selection]
) -> tuple[FeatureFacts, ...]:
    """What money could buy, and no set that does clearly better has: the dearest first."""
    se = honest_of(min(chosen, key=lambda s: honest_of(s).error)).se
    error = honest_of(lead.selection).error - (0.0 if math.isnan(se) else se)
    helpful = {*lead.selection.features, *results.never_bought}
    for s in chosen:
        if honest_of(s).error < error:
            helpful.update(s.features)
    possible = [
        f
        for f in results.features
        if not f.excluded and f.feature not in helpful and 0 < f.cost <= results.budgets[-1]
    ]
    return tuple(sorted(possible, key=lambda f: -f.cost))


def _cheapest_good(results: Results, budgets: tuple[BudgetFinding, ...]) -> BudgetFinding:
    """The cheapest within one standard error of the lowest error."""
    good = within_one_se(results.frontier())
    assert good is not None  # because there is at least one budget
    return next(b for b in budgets if b.selection.budget == good.budget)


def _cheapest_in_all(
    totals: tuple[Total, ...], budgets: tuple[BudgetFinding, ...]
) -> BudgetFinding:
    """The set with which a case costs least, measurements and errors together."""
    least = cheapest([total for total in totals if total.budget is not None])
    return next(b for b in budgets if b.selection.budget == least.budget)


def _how_good(selection: Selection, in_all: bool) -> tuple[float, float]:
    """The lower, the better: its error, or what a case costs in all."""
    error = honest_of(selection).error
    return (selection.cost + error if in_all else error), selection.cost


def _surer(chosen: BudgetFinding, budgets: tuple[BudgetFinding, ...]) -> BudgetFinding | None:
    """The cheapest that is better than guessing and errs less, if the chosen one is not."""
    if chosen.verdict is Verdict.BETTER:
        return None
    error = honest_of(chosen.selection).error
    surer = [
        b for b in budgets if b.verdict is Verdict.BETTER and honest_of(b.selection).error < error
    ]
    return min(surer, key=lambda b: b.selection.cost, default=None)


def _bend(results: Results, se: float) -> Knee | None:
    """The knee, unless the error falls by no more than a standard error up to it."""
    points = by_money_spent(results.frontier())
    knee = find_knee(points)
    if knee is None:
        return None
    first, last = points[0], points[-1]
    if not first.error - knee.error > se:
        return None
    least, here, most = (results.best(point.budget) for point in (first, knee, last))
    return Knee(step_between(least, here), step_between(here, most))


def honest_of(selection: Selection) -> ErrorEstimate:
    assert selection.honest is not None  # because the comparison has honest errors
    return selection.honest
