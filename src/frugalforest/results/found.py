"""What a comparison found, as types. JSON only at the edge, see `frugalforest.storage.records`.

::

    Results ─┬─ data, settings, features, methods_used, score_used      what went in
             ├─ notices, never_bought                                  what the columns look like
             ├─ selections    one for each budget and method
             ├─ procedures    one for each budget: how the best of the methods was taken
             └─ about         what it is called and where it comes from
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Literal

from frugalforest.evaluation.diagnoses import AnyDiagnosis
from frugalforest.evaluation.diagnosis import rarest_class
from frugalforest.evaluation.resampling import ErrorEstimate, Gain
from frugalforest.results.frontier import FrontierPoint
from frugalforest.results.totals import Total
from frugalforest.scores.facts import ScoreFacts
from frugalforest.words.formats import money


@dataclass(frozen=True)
class About:
    """What the comparison is about, in the user's words; empty where nothing was said.

    `target` is what is predicted, `source` the file it was read from, `date` the day it was made,
    `currency` what stands before an amount of money, `command` the command that makes it again,
    `positive` the class that counts as positive, `prevalence` how common that is where the model
    will be used.
    """

    title: str = ""
    target: str = ""
    source: str = ""
    date: str = ""
    currency: str = ""
    command: str = ""
    positive: str = ""
    prevalence: float | None = None


@dataclass(frozen=True)
class NumberFacts:
    """The numbers that are predicted."""

    mean: float
    median: float
    sd: float
    low: float
    high: float


@dataclass(frozen=True)
class DataFacts:
    """The table and its target: classes with their numbers of rows, or numbers."""

    n_rows: int
    n_features: int
    classes: tuple[str, ...]
    class_counts: tuple[int, ...]
    sha256: str
    numbers: NumberFacts | None = None

    @property
    def task(self) -> Literal["classification", "regression"]:
        """What the target asks for: "classification" or "regression"."""
        return "classification" if self.numbers is None else "regression"

    @property
    def guess_error(self) -> float:
        """Error of always naming the commonest class."""
        return 1 - max(self.class_counts) / self.n_rows

    @property
    def commonest(self) -> str:
        """The class with the most rows, the first of those; empty for numbers."""
        if not self.classes:
            return ""
        return self.classes[self.class_counts.index(max(self.class_counts))]


@dataclass(frozen=True)
class ColumnNotice:
    """Something to know about the table before money is spent; see `tables.column_checks`.

    `columns` is empty if it is about the target or the rows. A `loud` one makes every result
    doubtful.
    """

    kind: str
    columns: tuple[str, ...]
    message: str
    loud: bool


@dataclass(frozen=True)
class FeatureFacts:
    """A column and its price.

    `cost` is its price bought alone, `cost_if_group_paid` its price once the fee of its group,
    `group_cost`, is paid.
    """

    feature: str
    cost: float
    group: str | None
    cost_if_group_paid: float
    group_cost: float
    required: bool
    excluded: bool
    free: bool
    kind: str
    n_missing: int


@dataclass(frozen=True)
class MethodFacts:
    """What is said and drawn of a method, as it was when the comparison ran."""

    name: str
    label: str
    summary: str
    prose: str
    colour: str
    marker: str
    # Whether its sets go by ξ, and whether a set stays the same up to the next ξ.
    has_xi: bool
    exact: bool
    # How it is written in Python, where its name is not enough: Forward(racing=True).
    call: str = ""
    # Whether, where there are resamples, its sets are chosen among by the rows left out.
    judged: bool = False
    # Then: how its error is corrected for that choice.
    correction: str = ""


@dataclass(frozen=True)
class Settings:
    """How the comparison was run. `xi` is None if it was tuned.

    `whole_frontier`: the budgets are those, up to the price of everything, that buy something new.
    `smaller` are amounts between and below the budgets at which the method that has the say buys
    something better than for less.
    """

    budgets: tuple[float, ...]
    methods: tuple[str, ...]
    xi: float | None
    scoring: str
    n_trees: int
    n_resamples: int
    test_share: float
    row_groups: bool
    seed: int
    whole_frontier: bool = False
    # How the final model is written in Python; empty for the forest. And that of methods that are
    # not judged on rows left out, None if it is the same.
    final: str = ""
    final_of_tuned: str | None = None
    # What rows of each class weigh while trees grow: "balanced", or a weight for each.
    class_weight: str | dict[str, float] | None = None
    # Most bins of a column that forests split between; None if splits are exact.
    bins: int | None = None
    # Fewest draws in a leaf of the forests that sets are compared by.
    min_samples_leaf: int = 1
    # In a large table: rows that sets were looked for on, and rows that neither this search nor the
    # race of what it found has seen. None if all rows were searched.
    search_rows: int | None = None
    held_out_rows: int | None = None
    smaller: tuple[float, ...] = ()


@dataclass(frozen=True)
class SelectionStep:
    """One purchase. The gain is in the method's own measure; NaN for what was in from the start."""

    features: tuple[str, ...]
    gain: float
    cost: float


@dataclass(frozen=True)
class TriedSet:
    """A set that was proposed, and its selection score. NaN where there was no vote."""

    xi: float | None
    variant: str
    n_features: int
    cost: float
    score: float


@dataclass(frozen=True)
class Substitute:
    """What to measure in place of a feature, within the same budget; None if nothing else fits."""

    feature: str
    substitute: str | None
    error_change: float | None


@dataclass(frozen=True)
class Alternative:
    """What would be bought for an amount up to a budget, where that is judged on rows left out.

    Or, if `chosen` is false, what another way to spend the largest budget came to: at other prices
    it may be what is left.
    """

    features: tuple[str, ...]
    cost: float
    honest: ErrorEstimate
    chosen: bool = True


@dataclass(frozen=True)
class Selection:
    """What to buy for one budget.

    Attributes
    ----------
    budget, cost : float
        The limit, and what is spent of it.
    features : tuple of str
    method : str
        The method that chose them.
    xi : float or None
        Its weight of cost; None if it has none.
    score : float
        Selection score: what the choice was made by, so no estimate of the error to expect.
    oob_error, brier : float
        Out-of-bag scores of the set's forest.
    honest : ErrorEstimate or None
        Error to expect on new rows, of the procedure that chose the set; None without resamples.
    steps : tuple of SelectionStep
        How it came about.
    tried : tuple of TriedSet
        All sets that it was chosen from.
    substitutes : tuple of Substitute
        For the best of the methods only.
    frequencies : dict of str to float, or None
        Share of the resamples that chose each feature.
    stability : float or None
        Agreement of the resamples' sets: 1 is always the same, 0 is chance.
    alternatives : tuple of Alternative
        Itself first, then what would be bought for less money, the most money first; empty for
        methods whose sets are not judged on rows left out.
    diagnosis : AnyDiagnosis or None
        What was predicted for cases left out of the choice; of `best` only, and None if nothing is
        bought or without resamples.
    gain : Gain or None
        By how much it lowers the error of what is free or required, where something is, and sets
        are judged on rows left out.
    model : {"", "forest", "blend", "logistic"}
        Which of our own models it is on all rows; empty if it is not known, or another.
    over_forest : Gain or None
        By how much the final model lowers the error of the forest that is a part of it, where sets
        are judged on rows left out.
    """

    budget: float
    cost: float
    features: tuple[str, ...]
    method: str
    xi: float | None
    score: float
    oob_error: float
    brier: float
    honest: ErrorEstimate | None = None
    steps: tuple[SelectionStep, ...] = ()
    tried: tuple[TriedSet, ...] = ()
    substitutes: tuple[Substitute, ...] = ()
    frequencies: dict[str, float] | None = None
    stability: float | None = None
    alternatives: tuple[Alternative, ...] = ()
    diagnosis: AnyDiagnosis | None = None
    gain: Gain | None = None
    model: str = ""
    over_forest: Gain | None = None


@dataclass(frozen=True)
class BestOfMethods:
    """The procedure that takes one of the methods at a budget.

    That is `auto`, where it is compared: its sets are chosen by rows left out. Without it, or
    without resamples, it is the method with the lowest out-of-bag score.

    `methods_picked` counts the resamples in which each method was taken.
    """

    budget: float
    method: str
    methods_picked: dict[str, int]
    honest: ErrorEstimate | None
    frequencies: dict[str, float] | None
    stability: float | None
    diagnosis: AnyDiagnosis | None = None


@dataclass(frozen=True)
class Results:
    """Everything that a comparison found."""

    data: DataFacts
    settings: Settings
    features: tuple[FeatureFacts, ...]
    methods_used: tuple[MethodFacts, ...]
    score_used: ScoreFacts
    selections: tuple[Selection, ...]
    procedures: tuple[BestOfMethods, ...]
    versions: dict[str, str] = field(default_factory=dict)
    about: About = About()
    notices: tuple[ColumnNotice, ...] = ()
    # Columns that no method may buy: they cannot help, or are copies of cheaper ones.
    never_bought: tuple[str, ...] = ()

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets, ascending."""
        return self.settings.budgets

    @property
    def amounts(self) -> tuple[float, ...]:
        """The budgets, and the smaller amounts that the frontier has, ascending."""
        return tuple(sorted({*self.settings.budgets, *self.settings.smaller}))

    def methods_at(self, amount: float) -> tuple[str, ...]:
        """The methods that were asked what they buy for an amount."""
        asked = {s.method for s in self.selections if s.budget == amount}
        return tuple(method for method in self.methods if method in asked)

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order given."""
        return self.settings.methods

    @property
    def judge(self) -> MethodFacts | None:
        """The method that has the say, because its sets are chosen among by rows left out."""
        return next((m for m in self.methods_used if m.judged), None)

    @property
    def has_honest_errors(self) -> bool:
        """Whether anything was tested on rows left out."""
        return self.settings.n_resamples > 0

    def selection(self, budget: float, method: str) -> Selection:
        """What one method buys at one budget."""
        for selection in self.selections:
            if selection.budget == budget and selection.method == method:
                return selection
        raise ValueError(
            f"there is no result for budget {budget!r} and method {method!r}: the budgets are "
            f"{', '.join(map(money, self.budgets))}, the methods {', '.join(self.methods)}."
        )

    def procedure(self, budget: float) -> BestOfMethods:
        """How the methods were chosen among at one budget; between amounts, at the one below."""
        below = [p for p in self.procedures if p.budget <= budget]
        if not below or budget > self.budgets[-1]:
            raise ValueError(
                f"there is no result for budget {budget!r}: the budgets are "
                f"{', '.join(map(money, self.budgets))}."
            )
        return max(below, key=lambda p: p.budget)

    def best(self, budget: float | None = None) -> Selection:
        """What to buy at a budget (the largest by default): what the best of the methods buys.

        Which that is, `BestOfMethods` says.

        Between two budgets, and the smaller amounts that the frontier has, what the lower one buys.
        Its honest error, frequencies and stability are those of the whole procedure, choice of
        method included.
        """
        chosen = self.procedure(self.budgets[-1] if budget is None else budget)
        return replace(
            self.selection(chosen.budget, chosen.method),
            honest=chosen.honest,
            frequencies=chosen.frequencies,
            stability=chosen.stability,
            diagnosis=chosen.diagnosis,
        )

    @property
    def positive(self) -> int:
        """The class that counts as positive: the one named, or the rarest; 0 without classes."""
        if not self.data.classes:
            return 0
        if self.about.positive in self.data.classes:
            return self.data.classes.index(self.about.positive)
        return rarest_class(self.data.class_counts)

    def totals(self) -> list[Total]:
        """What a case costs in all: without measuring anything, then with each budget's set.

        Where features are required, nothing is not among them.

        Raises
        ------
        ValueError
            If the comparison does not know what errors cost, or has no honest errors.
        """
        if not self.score_used.is_cost:
            raise ValueError("what errors cost is not known: compare with `error_costs`.")
        guess = self.score_used.of_nothing
        # What is required is bought: then nothing is no choice.
        must_buy = any(facts.required for facts in self.features)
        found = [] if must_buy else [Total(None, 0.0, guess, math.nan, math.nan)]
        for budget in self.amounts:
            best = self.best(budget)
            if best.honest is None:
                raise ValueError("there is no honest error: compare with `n_resamples` above 0.")
            own = best.honest
            found.append(Total(budget, best.cost, own.error, own.low, own.high))
        return found

    def frontier(self) -> list[FrontierPoint]:
        """Honest error against money spent, one point a budget and smaller amount."""
        points = []
        for budget in self.amounts:
            best = self.best(budget)
            if best.honest is None:
                raise ValueError("there is no honest error: compare with `n_resamples` above 0.")
            points.append(FrontierPoint(budget, best.cost, best.honest.error, best.honest.se))
        return points
