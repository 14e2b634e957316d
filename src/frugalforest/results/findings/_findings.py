"""The sentences: the facts in plain words, the same on terminal and page."""

from __future__ import annotations

import math
from dataclasses import dataclass

from frugalforest.evaluation.resampling import ErrorEstimate
from frugalforest.results import Selection
from frugalforest.results.findings._budget import MoneyStep, Verdict
from frugalforest.results.findings._costs import CostSentences
from frugalforest.results.findings._diagnosed import diagnosis_sentence
from frugalforest.results.findings._facts import honest_of
from frugalforest.results.findings._rare import rare_class_sentence
from frugalforest.results.frontier import spends_more
from frugalforest.words.formats import (
    NBSP,
    count,
    named,
    plain,
    shorten,
    whole_percent,
)

__all__ = ["Findings"]

# Final models of our own, as they are written in Python.
_OWN_MODELS = {
    "'auto'": "random forest, averaged with a linear model where that helps,",
    "'blend'": "random forest averaged with a linear model",
    "'logistic'": "linear (logistic) model",
}


@dataclass(frozen=True)
class Findings(CostSentences):
    """What a comparison comes to: the facts, and the sentences that say them.

    Names of classes and features stand in single quotation marks. A sentence is empty where there
    is nothing to say.

    Examples
    --------
    ::

        findings = Findings.of(results)
        print(findings.headline)
        for sentence in findings.sentences:
            print(sentence)
    """

    @property
    def honest_name(self) -> str:
        """What the number is called that can be trusted."""
        return f"honest {self.score.noun}"

    @property
    def best_word(self) -> str:
        """Whether the best value is the lowest or the highest, as values are written."""
        return "highest" if self.score.better_is_higher else "lowest"

    @property
    def doing_nothing(self) -> str:
        """What somebody does who measures nothing."""
        return self.score.doing_nothing(shorten(self.data.commonest))

    @property
    def model_name(self) -> str:
        """What is fitted on the chosen features."""
        final = self.settings.final
        if final in _OWN_MODELS:
            return _OWN_MODELS[final]
        return f"‘{final.partition('(')[0]}’ model" if final else "random forest"

    @property
    def model_sentence(self) -> str:
        """What the model is, beside the forest alone; empty if it is another, or not tested."""
        pick = self.lead.selection
        if pick.over_forest is None or pick.honest is None or self.too_good:
            return ""
        alone = self.value(pick.over_forest.baseline)
        if pick.model == "forest":
            return (
                "The model is a random forest: averaged with a linear model on the same features, "
                "it does no better out of bag."
            )
        n = len(pick.features)
        features = "feature" if n == 1 else count(n, "feature")
        return (
            f"The model is a {_OWN_MODELS[repr(pick.model)]} on the same {features}: "
            f"{self.value(pick.honest.error)}, where the forest alone comes to {alone}."
        )

    @property
    def headline(self) -> str:
        """The answer in a few words."""
        pick = self.lead.selection
        features, price = count(len(pick.features), "feature"), self.amount(pick.cost)
        if self.too_good:
            return f"Check ‘{shorten(self.too_good[0])}’ first: it gives the answer away"
        if self.verdict is Verdict.UNTESTED:
            return f"{features} for {price}, within a budget of {self.amount(pick.budget)}"
        if self.nothing_is_cheapest:
            return "Measure nothing: no set is worth its price"
        if not self.worth_measuring:
            shown = "" if self.verdict is Verdict.NO_BETTER else "shown to be "
            return f"Nothing here is {shown}worth measuring"
        if pick.cost == 0:
            return f"Use the {features} that cost{'s' if len(pick.features) == 1 else ''} nothing"
        if self.lead.everything_bought and len(pick.features) > 1:
            features = f"all {features}"
        return f"Measure {features} for {price} per case"

    @property
    def choice(self) -> str:
        """What to buy, by name."""
        pick = self.lead.selection
        if not pick.features:
            return (
                f"Within {self.amount(pick.budget)} nothing is bought: no set is shown to do "
                f"better than {self.doing_nothing}."
            )
        untested = self.verdict is Verdict.UNTESTED
        word = "Chosen" if untested or self.too_good else "Recommended"
        if self.recommended is not None and not self.worth_measuring:
            word = "The best that was found"
        # An amount that nobody asked for says nothing beside the price.
        asked = pick.budget in self.settings.budgets and not self.settings.whole_frontier
        budget = f" (budget {self.amount(pick.budget)})" if asked else ""
        return (
            f"{word}: {count(len(pick.features), 'feature')} for {self.amount(pick.cost)}{budget}: "
            f"{named(pick.features)}."
        )

    @property
    def expectation(self) -> str:
        """The error to expect, and that of guessing."""
        pick = self.lead.selection
        if pick.honest is None:
            return (
                "How well it will do on new cases was not estimated: there were no resamples. Its "
                f"{self.score.label}, {self.score.text(pick.score)}, is a selection score."
            )
        guess, comes_of_it = self.doing_nothing, self.score.comes_of_nothing(self.currency)
        if not pick.features:
            expected = self.score.expected(pick.honest.error, self.currency)
            return f"Without measuring anything, {guess} is expected to {expected}."
        n = len(pick.features)
        chosen = f"{'a feature' if n == 1 else count(n, 'feature')} chosen this way"
        if self.too_good:
            return (
                f"If ‘{shorten(self.too_good[0])}’ is known only once the outcome is, no error "
                "given here holds for new cases: leave it out, and run this again."
            )
        expected = (
            f"A {self.model_name} on {chosen} is expected to "
            f"{self.score.expected(pick.honest.error, self.currency)} "
            f"({self.certainty(pick.honest)})"
        )
        if self.verdict is Verdict.NO_BETTER:
            return f"{expected}: no better than {guess}, which {comes_of_it}."
        guess = f"{guess[0].upper()}{guess[1:]} {comes_of_it}"
        if self.totals and self.verdict is Verdict.BETTER:
            return f"{expected}."  # the total says what nothing would cost
        no_interval = math.isnan(pick.honest.low)
        if self.verdict is Verdict.BETTER or (no_interval and self.settings.n_resamples == 1):
            return f"{expected}. {guess}."
        if math.isnan(pick.honest.low):
            return f"{expected}. {guess}: so few test rows cannot tell them apart."
        chance = f"{expected}. {guess}, within that interval: the gain may be chance."
        if self.surest is None or self.totals:
            return chance
        surest = honest_of(self.surest)
        return (
            f"{chance} The set for {self.amount(self.surest.cost)} is shown to be better than "
            f"guessing, with {self.value(surest.error)} ({self.certainty(surest)})."
        )

    def certainty(self, honest: ErrorEstimate) -> str:
        """The interval of an error, or why there is none."""
        if not math.isnan(honest.low):
            return f"95{NBSP}% interval {self.score.interval(honest.low, honest.high)}"
        if self.settings.n_resamples == 1:
            return "one resample: no interval"
        if all(math.isclose(error, honest.error) for error in honest.errors):
            return "the same in all resamples: no interval"
        return "no interval"

    @property
    def reason(self) -> str:
        """Why this set is recommended."""
        if self.lowest is None:
            return (
                f"No budget can be recommended without resamples: they give the {self.honest_name}."
            )
        pick, lowest = self.lead.selection, self.lowest
        if self.totals:
            return self.lowest_total
        if len(self.budgets) == 1:
            if self.settings.whole_frontier:
                return "No other amount, up to the price of all features, buys a better set."
            if self.judged and not self.settings.search_rows:
                return f"No smaller amount than {self.amount(pick.cost)} buys a set as good."
            return f"Only one budget was compared, {self.amount(pick.budget)}."
        if self.same_set_everywhere:
            return f"All {len(self.budgets)} budgets buy the same set."
        if self.passed_over is not None:
            near = f"within one standard error ({self._size(honest_of(lowest).se)})"
            return (
                f"The cheapest set {near} of the {self.best_word} {self.honest_name} costs "
                f"{self.amount(self.passed_over.cost)}, but its interval reaches the "
                f"{self.score.noun} of guessing; the set for {self.amount(pick.cost)} is shown to "
                "be better."
            )
        up_to = f", up to a budget of {self.amount(self.budgets[-1].selection.budget)}"
        if self.settings.whole_frontier:
            up_to = ""
        if spends_more(lowest.cost, pick.cost) and honest_of(pick).error > honest_of(lowest).error:
            return (
                f"It is the cheapest set whose {self.honest_name} is within one standard error "
                f"({self._size(honest_of(lowest).se)}) of the {self.best_word}{up_to}, "
                f"{self.value(honest_of(lowest).error)} for {self.amount(lowest.cost)}."
            )
        if math.isnan(honest_of(pick).se):
            return f"It has the {self.best_word} {self.honest_name}{up_to}."
        return (
            f"It has the {self.best_word} {self.honest_name}{up_to}, and no cheaper set comes "
            f"within one standard error of it ({self._size(honest_of(pick).se)})."
        )

    @property
    def less_sentence(self) -> str:
        """What the next cheaper set would do; empty if there is nothing to say."""
        if self.recommended is None or self.too_good:
            return ""
        if len(self.budgets) == 1 or not self.worth_measuring:
            return ""
        if self.less is None:
            return (
                ""
                if self.same_set_everywhere or self.totals
                else "No set that was compared is cheaper."
            )
        step = self.less
        price = f"{self.amount(step.here.cost)} in place of {self.amount(step.there.cost)}"
        if self.totals:
            return self._with_total(price, step.here)
        certainty = (
            self._beside(step.change, honest_of(step.there).se)
            if self.judged
            else self._counted(step.n_better, "worse")
        )
        return (
            f"For {price} it would be {self.value(honest_of(step.here).error)}: "
            f"{self._change(-self.written_change(step))}{certainty}."
        )

    @property
    def more_sentence(self) -> str:
        """What more money would do; empty without honest errors."""
        if self.recommended is None or self.too_good:
            return ""
        if not self.worth_measuring:
            return self._no_money_helps
        further = (
            " The most money did best: a larger budget may do better still."
            if self.larger_may_do_better and not self.totals
            else ""
        )
        if self.more is not None:
            return self._more_buys(self.more) + further
        n_features = self._buyable
        largest = self.amount(self.budgets[-1].selection.budget)
        if self.lead.everything_bought:
            if self.n_buyable == 1:
                return "There is nothing else to buy."
            return f"All {n_features} are bought: no budget can buy more."
        if self.settings.whole_frontier:
            return "Every amount up to the price of all features was tried: none buys a better set."
        if self.everything_affordable:
            return (
                f"{'The' if len(self.budgets) == 1 else 'The largest'} budget, {largest}, pays for "
                f"all {n_features}: a larger one can buy nothing more."
            )
        if len(self.budgets) == 1:
            better = "" if honest_of(self.lead.selection).error == 0 else ": one may do better"
            return f"No larger budget was tried{better}."
        if self.lead is not self.budgets[-1]:
            above = "; one above that may do better" if self.larger_may_do_better else ""
            return f"Budgets up to {largest} spend no more{above}."
        return further.strip() or "No larger budget was tried."

    @property
    def _buyable(self) -> str:
        """How many features there are to buy, and that there are others, if there are."""
        others = " that can be bought" if self.n_buyable < self.data.n_features else ""
        return f"{count(self.n_buyable, 'feature')}{others}"

    @property
    def _no_money_helps(self) -> str:
        n, several = len(self.budgets), len(self.budgets) > 1
        if self.nothing_is_cheapest:
            return self.lowest_total
        if self.settings.whole_frontier:
            return "Amounts up to the price of all features were tried."
        said = []
        if several:
            said.append(f"None of the {n} budgets compared is shown to do better than guessing.")
        if not self.everything_affordable:
            said.append("No larger budget was tried.")
        elif self.n_buyable > 1:
            budget = "The largest" if several else "The budget"
            said.append(f"{budget} pays for all {self._buyable}.")
        return " ".join(said)

    def _more_buys(self, step: MoneyStep) -> str:
        there = honest_of(step.there)
        price = f"{self.amount(step.there.cost)} in place of {self.amount(step.here.cost)}"
        if self.totals:
            return self._with_total(price, step.there)
        if step.change >= 0:
            better = "raise" if self.score.better_is_higher else "lower"
            return (
                f"More money did not {better} the {self.score.noun}: {self.value(there.error)} "
                f"for {price}."
            )
        chance = self._beside(step.change, there.se)
        change = self._change(self.written_change(step))
        return f"For {price} it would be {self.value(there.error)}: {change}{chance}."

    def written_change(self, step: MoneyStep) -> float:
        """The change of the score, as both values are written, so that readers find it, too."""
        return self.score.written_change(honest_of(step.here).error, honest_of(step.there).error)

    def _with_total(self, price: str, other: Selection) -> str:
        errors = self.amount(honest_of(other).error)
        return f"For {price} errors would cost {errors}, and a case {self.total_with(other)}."

    def _size(self, amount: float) -> str:
        return self.score.size(amount, self.currency)

    def _change(self, change: float) -> str:
        return self.score.change(change, self.currency)

    def _beside(self, change: float, se: float) -> str:
        """A change beside a standard error, if there is one."""
        if math.isnan(se):
            return ""
        within = "within" if abs(change) <= se else "more than"
        return f", {within} one standard error ({self._size(se)})"

    def _counted(self, n: int, how: str) -> str:
        """In how many resamples; nothing to count in one."""
        total = self.settings.n_resamples
        counted = total > 1 and self.settings.search_rows is None
        return f", and {how} in {n} of {count(total, 'resample')}" if counted else ""

    @property
    def knee_sentence(self) -> str:
        """Where the curve bends; empty if it does not."""
        if self.knee is None or not self.worth_measuring:
            return ""
        before, after = self.knee.before, self.knee.after
        better = "raises" if self.score.better_is_higher else "lowers"
        first, here, last = (
            self.amount(cost) for cost in (before.here.cost, before.there.cost, after.there.cost)
        )
        falls = [self.written_change(step) for step in (before, after)]
        sizes = [self._size(abs(fall)) for fall in falls]
        is_seen = self.score.signed(falls[1]) != self.score.signed(0.0)
        if after.change >= 0:
            beyond = f"going on to {last} does not {better[:-1]} it"
        elif is_seen:
            beyond = f"going on to {last}, by another {sizes[1]}"
        else:
            beyond = f"going on to {last} hardly {better} it"
        return (
            f"Going from {first} to {here} {better} the {self.score.noun} by {sizes[0]}; {beyond}."
        )

    @property
    def quote(self) -> str:
        """Which number to quote, and which not."""
        pick = self.lead.selection
        if pick.honest is None:
            return (
                f"None of the numbers here. A set is chosen because its {self.score.label} is low: "
                "that is a selection score, which tends to flatter. The number to quote is the "
                f"{self.honest_name}, which needs resamples."
            )
        if self.too_good:
            return f"None of those here, until it is clear what ‘{shorten(self.too_good[0])}’ is."
        if not pick.features:
            honest = f"The {self.honest_name} of guessing, {self.value(pick.honest.error)}"
            if self.judged:
                return f"{honest}: it allows for chance in how common the classes are."
            return f"{honest}: it needs no model, so nothing flatters it."
        honest = (
            f"The {self.honest_name}, {self.value(pick.honest.error)}: that of the whole "
            "procedure, choice of features included, on cases that took no part in it."
        )
        if self.judged:
            many = "few" if self.settings.search_rows else "many"
            return f"{honest} It is corrected for having taken the best of {many}.{self._bought}"
        score = f"{self.score.label}, {self.value(pick.score)}"
        if self.score_flatters:
            picked = f"The {score}, flatters: the set was picked because it is low."
        else:
            picked = f"The set was picked by its {score}: not an error to expect."
        return f"{honest} {picked}"

    @property
    def _bought(self) -> str:
        """How often the resamples bought what is recommended; empty if that says nothing."""
        pick = self.lead.selection
        often = pick.frequencies or {}
        paid = [f for f in pick.features if f not in self.always_in]
        if not paid or not often or self.lead.nothing_to_choose:
            return ""
        share = sum(often[name] for name in paid) / len(paid)
        if share == 1:
            return f" Every resample bought {'it' if len(paid) == 1 else 'them'}, too."
        if len(paid) == 1:
            return f" The resamples bought ‘{shorten(paid[0])}’ in {whole_percent(share)} of cases."
        return f" A resample bought {whole_percent(share)} of these features on average."

    @property
    def diagnosis_sentence(self) -> str:
        """What is found and what is not, or how far predictions are off; empty if unknown."""
        return diagnosis_sentence(self)

    @property
    def column_sentences(self) -> tuple[str, ...]:
        """What to know about the columns before money is spent, the loudest first."""
        said = [
            f"{'Warning: ' if n.loud else ''}{_sentence(n.message, keep=n.loud)}"
            for n in self.notices
        ]
        if self.never_bought:
            names = [f"‘{shorten(name)}’" for name in self.never_bought]
            said.append(
                f"Never bought, because {'it' if len(names) == 1 else 'they'} cannot help or "
                f"{'is a copy' if len(names) == 1 else 'are copies'} of what costs no more: "
                f"{', '.join(names)}."
            )
        return tuple(said)

    @property
    def doubt_sentences(self) -> tuple[str, ...]:
        """What to look at before buying what is recommended; empty if there is nothing."""
        if not self.worth_measuring:
            return ()
        return tuple(f"Before you buy: {message}" for message in self.bought_doubts)

    @property
    def rare_class_sentence(self) -> str:
        """What the score hides of a rare class; empty if it hides nothing."""
        return rare_class_sentence(self)

    @property
    def sentences(self) -> tuple[str, ...]:
        """For a terminal, with ordinary spaces: what, how good, what less and more money do."""
        said = (
            self.choice,
            self.expectation,
            self.model_sentence,
            self.rare_class_sentence,
            *self.doubt_sentences,
            self.diagnosis_sentence,
            self.total_sentence,
            self.saving_sentence,
            self.range_sentence,
            self.gain_sentence,
            self.less_sentence,
            self.more_sentence,
            self.unhelpful_sentence,
            *((self.reason,) if self.lowest is None else ()),
        )
        if self.too_good or (self.recommended is not None and not self.worth_measuring):
            said = (f"{self.headline}.", *said)
        return tuple(plain(sentence) for sentence in said if sentence)


def _sentence(message: str, keep: bool) -> str:
    """A message with a capital letter, unless something stands before it."""
    return message if keep else message[:1].upper() + message[1:]
