"""What a method is: it proposes feature sets, and knows its own name, look and words.

A method is a small frozen dataclass of its parameters in a file of its own. For each budget it
proposes sets, with the steps by which each came about and where it comes from. It chooses none of
them: that is the business of `frugalforest.choice`.

A method registered with `register` appears in `compare`, the command line, the report, the plots
and the study.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from frugalforest.costs import Budget, Prices
from frugalforest.errors import DataError
from frugalforest.problem import FeatureSet, Problem
from frugalforest.tables import Task
from frugalforest.words.wording import did_you_mean, show

__all__ = [
    "METHODS",
    "NO_MORE",
    "Candidate",
    "Method",
    "Origin",
    "Proposals",
    "Step",
    "affordable",
    "check_methods",
    "find_methods",
    "register",
    "start_steps",
]


@dataclass(frozen=True)
class Step:
    """One purchase: what was added, for what gain, at what price.

    The gain is in the method's own measure; it is NaN where none was measured, as for features that
    were in from the start.
    """

    features: FeatureSet
    gain: float
    cost: float


# The search for the set of what is free or required, and nothing else.
NO_MORE = "no more"


@dataclass(frozen=True)
class Origin:
    """Where a set comes from.

    Attributes
    ----------
    method : str
    xi : float or None
        Its weight of cost, if it has one.
    search : str
        Which search of the method, if it has several.
    variant : str
        Which of the search's sets it is, in words.
    budget : float or None
        The limit it was proposed for, if that is not the one it is a candidate for.
    """

    method: str
    xi: float | None = None
    search: str = ""
    variant: str = ""
    budget: float | None = None


@dataclass(frozen=True)
class Candidate:
    """A feature set that a method proposes, and how it came about."""

    features: FeatureSet
    cost: float
    steps: tuple[Step, ...]
    origin: Origin

    @classmethod
    def from_steps(cls, prices: Prices, steps: Sequence[Step], origin: Origin) -> Self:
        """The set that the steps add up to."""
        bought = np.zeros(prices.n_features, dtype=bool)
        bought[[j for step in steps for j in step.features]] = True
        features = tuple(np.flatnonzero(bought).tolist())
        return cls(features, float(prices.total(bought)), tuple(steps), origin)

    @classmethod
    def from_set(
        cls, prices: Prices, budget: Budget, features: Sequence[int], origin: Origin
    ) -> Self:
        """A set without a history: what is in from the start, and the rest in one step."""
        selected, steps = start_steps(prices, budget)
        rest = tuple(j for j in features if not selected[j])
        if rest:
            steps.append(Step(rest, np.nan, float(prices.marginal(selected, list(rest)))))
        return cls.from_steps(prices, steps, origin)


# For each budget the proposed sets; never empty.
Proposals = dict[Budget, list[Candidate]]


class Method(ABC):
    """A way to propose feature sets.

    Subclasses are frozen dataclasses. What is known of a method beyond its parameters is in its
    class variables, and nowhere else.

    Attributes
    ----------
    name : str
        As callers write it.
    label : str
        As people read it.
    summary : str
        One line: what it does.
    colour, marker : str
        Its look in every picture: a hexadecimal colour, and one of the shapes in
        `frugalforest.results.looks.MARKERS`.
    """

    name: ClassVar[str]
    label: ClassVar[str]
    summary: ClassVar[str]
    colour: ClassVar[str]
    marker: ClassVar[str]
    # Whether, where there are resamples, its sets are chosen among by the rows left out.
    judged_on_rows_left_out: ClassVar[bool] = False
    # Label and summary where numbers are predicted; None if it is for classes only.
    number_words: ClassVar[tuple[str, str] | None] = None

    @classmethod
    def words(cls, task: Task) -> tuple[str, str]:
        """Label and summary, for what is predicted."""
        if task == "regression" and cls.number_words is not None:
            return cls.number_words
        return cls.label, cls.summary

    @classmethod
    def predicts(cls, task: Task) -> bool:
        """Whether it proposes sets for such an outcome."""
        return task == "classification" or cls.number_words is not None

    @abstractmethod
    def propose(self, problem: Problem, budgets: Sequence[Budget]) -> Proposals:
        """The sets to choose from, for each budget. None costs more than its budget."""

    def scaled_to(self, n_trees: int) -> Self:
        """The method with its own forests in proportion to scoring forests of `n_trees`."""
        return self

    def prose(self, n_classes: int) -> str:
        """What it does, in a sentence or two for a protocol; 0 classes where it is numbers."""
        return f"{self.label}: {self.summary}"


M = TypeVar("M", bound=type[Method])
_registered: dict[str, type[Method]] = {}

# By the names that `compare`, `FrugalForestClassifier` and the command line use.
METHODS: Mapping[str, type[Method]] = MappingProxyType(_registered)


def register(method: M) -> M:
    """Make a method known by its name. A decorator of its class."""
    if method.name in _registered:
        raise ValueError(f"there is a method {method.name!r} already.")
    _registered[method.name] = method
    return method


def find_methods(
    methods: object, make: Callable[[type[Method]], Method] = lambda method: method()
) -> tuple[Method, ...]:
    """The methods meant by names, `Method` objects or a sequence of them.

    `make` makes a method that is given by its name.

    Examples
    --------
    >>> [method.label for method in find_methods("sts")]
    ['Shallow trees']
    """
    known = ", ".join(METHODS)
    if isinstance(methods, str | Method):
        methods = (methods,)
    if not isinstance(methods, Iterable):
        raise ValueError(f"{methods!r} is no method: the methods are {known}.")
    found: dict[str, Method] = {}
    for given in methods:
        method = given if isinstance(given, Method) else make(_by_name(given))
        if found.setdefault(method.name, method) != method:
            raise ValueError(f"method {method.name!r} is given twice, with other parameters.")
    if not found:
        raise ValueError(f"no method was given: the methods are {known}.")
    return tuple(found.values())


def check_methods(methods: Iterable[Method], task: Task) -> None:
    """Refuse methods that do not propose sets for such an outcome.

    Examples
    --------
    >>> check_methods(find_methods("sts"), "classification")
    """
    for method in methods:
        if not method.predicts(task):
            others = ", ".join(name for name, kind in METHODS.items() if kind.predicts(task))
            raise DataError(
                f"method {method.name!r} is for classes, and the target is numbers: use {others}."
            )


def _by_name(name: object) -> type[Method]:
    if isinstance(name, str) and name in METHODS:
        return METHODS[name]
    hint = did_you_mean(name, METHODS) if isinstance(name, str) else ""
    known = ", ".join(METHODS)
    raise ValueError(f"there is no method {show(name)}.{hint} The methods are {known}.")


def start_steps(prices: Prices, budget: Budget) -> tuple[NDArray[np.bool_], list[Step]]:
    """What is in from the start, and the step that says so: free and required features."""
    prices.check_affordable(budget)
    selected = prices.start(budget)
    if not selected.any():
        return selected, []
    features = tuple(np.flatnonzero(selected).tolist())
    return selected, [Step(features, np.nan, float(prices.total(selected)))]


def affordable(
    prices: Prices, selected: NDArray[np.bool_], marginal: NDArray[np.float64], budget: Budget
) -> NDArray[np.bool_]:
    """Which single features can still be bought."""
    fit = budget.fits(float(prices.total(selected)) + marginal)
    return fit & ~selected & ~prices.excluded
