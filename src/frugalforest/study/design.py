"""What to run, as data: units, budgets, methods.

A *unit* is one data set of one source (a setting or a real set): a draw and a replicate. All
methods, budgets and ξ of a unit share its data, its ensembles and its scored sets. A *design* is a
list of units, all by one score, and of methods. Units are ordered by replicate, then by what varies
within: however far a run gets, all cells have equally many replicates, give or take one.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from types import MappingProxyType
from typing import cast, get_args

from frugalforest.datasets import REAL_SETS, SETTINGS, Spread
from frugalforest.methods import (
    AUC,
    DEFAULT_GRID,
    METHODS,
    Forward,
    Method,
    Permutation,
    RatioMethod,
    ShallowTreeMethod,
)
from frugalforest.scores import SCORES, Cost
from frugalforest.study.scoring import BY_ERROR, Scoring
from frugalforest.study.sources import Artificial, Real, Source
from frugalforest.words.numerals import read_number
from frugalforest.words.wording import show

__all__ = [
    "DESIGNS",
    "REAL_BUDGETS",
    "Design",
    "Effort",
    "MethodSpec",
    "StudyError",
    "Unit",
    "get_design",
    "study_methods",
]


class StudyError(ValueError):
    """A design, a store or a run that cannot be had as asked for."""


@dataclass(frozen=True)
class Effort:
    """How many trees: of the forests that score sets, and of each method's own."""

    scoring_trees: int = 1000
    pfi_trees: int = 1000
    sts_trees: int = 500
    fs_trees: int = 500


@dataclass(frozen=True)
class MethodSpec:
    """A method of the study: what it is made of, how many trees, and its one ξ if it has only one.

    `method` is one that is registered; the study's own name for it may differ, because the study
    runs some of them in several ways. `label` and `colour` are the method's own if empty.
    """

    method: type[Method]
    trees: Callable[[Effort], Mapping[str, int]] = lambda effort: {}
    parameters: Mapping[str, object] = field(default_factory=dict)
    only_xi: float | None = None
    label: str = ""
    colour: str = ""

    def build(self, effort: Effort, grid: Sequence[float]) -> Method:
        """The method with its trees, for the values of ξ that it is run with."""
        made = self.method(**self.trees(effort), **self.parameters)
        if not isinstance(made, RatioMethod):
            return made.scaled_to(effort.scoring_trees)
        return replace(made, xis=tuple(grid) if self.only_xi is None else (self.only_xi,))


def _pfi_trees(effort: Effort) -> Mapping[str, int]:
    return {"n_trees": effort.pfi_trees}


def _sts_trees(effort: Effort) -> Mapping[str, int]:
    return {"n_trees": effort.sts_trees}


def _fs_trees(effort: Effort) -> Mapping[str, int]:
    return {"n_trees": effort.fs_trees}


_OWN_METHODS: Mapping[str, MethodSpec] = MappingProxyType(
    {
        # Labels as in the paper. Colours of variants from Okabe and Ito's palette, as those of the
        # methods, which all common kinds of colour vision can tell apart.
        "auc": MethodSpec(AUC, label="AUC"),
        "pfi": MethodSpec(Permutation, _pfi_trees, label="pFI"),
        "sts": MethodSpec(ShallowTreeMethod, _sts_trees, label="STS"),
        # Rows without a vote and losing trees counted as the paper prints it.
        "sts-paper": MethodSpec(
            ShallowTreeMethod,
            _sts_trees,
            {"rule": "paper"},
            label="STS printed",
            colour="#56B4E9",
        ),
        # The paper's outlook: other limits of trees than a depth, splits that count prices.
        "sts-zeta": MethodSpec(
            ShallowTreeMethod, _sts_trees, {"zeta": "xi"}, label="STS ζ = ξ", colour="#117733"
        ),
        "sts-features": MethodSpec(
            ShallowTreeMethod,
            _sts_trees,
            {"trees": "features"},
            label="STS features",
            colour="#999933",
        ),
        "sts-features-zeta": MethodSpec(
            ShallowTreeMethod,
            _sts_trees,
            {"trees": "features", "zeta": "xi"},
            label="STS features, ζ = ξ",
            colour="#661100",
        ),
        "sts-cost": MethodSpec(
            ShallowTreeMethod, _sts_trees, {"trees": "cost"}, label="STS cost", colour="#88CCEE"
        ),
        "sts-cost-zeta": MethodSpec(
            ShallowTreeMethod,
            _sts_trees,
            {"trees": "cost", "zeta": "xi"},
            label="STS cost, ζ = ξ",
            colour="#332288",
        ),
        "fs-0": MethodSpec(Forward, _fs_trees, only_xi=0.0, label="FS-0", colour="#8C8C8C"),
        "fs-1": MethodSpec(Forward, _fs_trees, only_xi=1.0, label="FS-1", colour="#CC79A7"),
        "fs": MethodSpec(Forward, _fs_trees, label="FS tuned"),
        # Few trees for most candidates: tuned forward selection where time is short.
        "fs-race": MethodSpec(
            Forward, _fs_trees, {"racing": True}, label="FS raced", colour="#B8A800"
        ),
    }
)


def study_methods() -> dict[str, MethodSpec]:
    """All methods that a study can run: the paper's, as the paper runs them, and those registered.

    Examples
    --------
    >>> list(study_methods())[:4]
    ['auc', 'pfi', 'sts', 'sts-paper']
    """
    ours = {spec.method for spec in _OWN_METHODS.values()}
    others = {name: MethodSpec(kind) for name, kind in METHODS.items() if kind not in ours}
    return {**_OWN_METHODS, **others}


# The paper's five methods, and its fourth as printed.
_PAPER_METHODS = ("auc", "pfi", "sts", "sts-paper", "fs-0", "fs-1")


@dataclass(frozen=True)
class Unit:
    """One data set of a design, with all that decides its numbers.

    Examples
    --------
    >>> unit = get_design("paper-artificial").units[0]
    >>> unit.label
    'paper-artificial/A/draw0/rep000'
    """

    design: str
    source: Source
    draw: int
    replicate: int
    budgets: tuple[float, ...]
    xis: tuple[float, ...] = DEFAULT_GRID
    effort: Effort = field(default_factory=Effort)
    scoring: Scoring = BY_ERROR

    @property
    def label(self) -> str:
        """The unit's name for people."""
        design = self.design + self.scoring.suffix
        return f"{design}/{self.source.name}/draw{self.draw}/rep{self.replicate:03d}"

    @property
    def key(self) -> str:
        """The unit's name in the store: another value of any field is another key."""
        return f"{self.label}/{hashlib.sha256(self.parameters().encode()).hexdigest()[:10]}"

    def parameters(self) -> str:
        """All fields as JSON; the score only if it is not the error.

        So keys are those of stores from before there were other scores.
        """
        fields = {**asdict(self), "kind": type(self.source).__name__}
        if self.scoring == BY_ERROR:
            del fields["scoring"]
        return json.dumps(fields, sort_keys=True)


@dataclass(frozen=True)
class Design:
    """Units and methods: the study is every method on every unit, by one score."""

    name: str
    units: tuple[Unit, ...]
    methods: tuple[str, ...]

    def __post_init__(self) -> None:
        scores = dict.fromkeys(unit.scoring.label for unit in self.units)
        if len(scores) > 1:
            raise StudyError(
                f"{self.name} has units by different scores ({'; '.join(scores)}), which cannot be "
                "compared: make a design for each."
            )

    @property
    def scoring(self) -> Scoring:
        """The score of all its units."""
        return self.units[0].scoring if self.units else BY_ERROR

    @property
    def full_name(self) -> str:
        """Its name, with how spreads are read and the score if these are not the usual ones."""
        spreads = {unit.source.spread for unit in self.units if isinstance(unit.source, Artificial)}
        reading = "-sd" if spreads == {"sd"} else ""
        return self.name + reading + self.scoring.suffix

    def with_spread(self, spread: str) -> Design:
        """The same design with the other reading of the paper's N(0, 0.5) and N(0, 0.2).

        Seeds stay the same.

        Parameters
        ----------
        spread : {"variance", "sd"}
            As for `make_cost_classification`.

        Examples
        --------
        >>> get_design("draws").with_spread("sd").full_name
        'draws-sd'
        """
        if spread not in get_args(Spread):
            raise StudyError(
                f"no spread {show(spread)}: it must be one of {', '.join(get_args(Spread))}."
            )
        units = tuple(
            replace(unit, source=replace(unit.source, spread=cast("Spread", spread)))
            if isinstance(unit.source, Artificial)
            else unit
            for unit in self.units
        )
        return replace(self, units=units)

    def with_scoring(self, scoring: str | None, error_cost: float | None = None) -> Design:
        """The same design by another score: its sets are chosen and measured by that.

        Data, splits and seeds stay the same.

        Parameters
        ----------
        scoring : {"error", "balanced_error", "auc", "brier", "log_loss", "cost"} or None
            By default the error, or what errors cost if that is given.
        error_cost : float, optional
            What any error costs, for the score "cost".

        Examples
        --------
        >>> design = get_design("smoke").with_scoring("auc")
        >>> design.full_name, design.units[0].label
        ('smoke-auc', 'smoke-auc/A/draw0/rep000')
        """
        chosen = _read_scoring(scoring, error_cost)
        return replace(self, units=tuple(replace(unit, scoring=chosen) for unit in self.units))

    def real_sets(self) -> tuple[str, ...]:
        """The real sets that the design needs."""
        names = (unit.source.name for unit in self.units if isinstance(unit.source, Real))
        return tuple(dict.fromkeys(names))


def _read_scoring(scoring: object, error_cost: object) -> Scoring:
    if scoring is None:
        scoring = BY_ERROR.name if error_cost is None else Cost.name
    if not isinstance(scoring, str) or scoring not in SCORES:
        raise StudyError(f"no score {show(scoring)}: it must be one of {', '.join(SCORES)}.")
    if scoring != Cost.name:
        if error_cost is not None:
            raise StudyError(
                f"the score {scoring!r} does not use what an error costs: leave it out."
            )
        return Scoring(scoring)
    if error_cost is None:
        raise StudyError("the score 'cost' needs what an error costs: give a number, such as 5.")
    cost = read_number(error_cost)
    if cost is None or not 0 < cost < float("inf"):
        raise StudyError(
            f"what an error costs is {show(error_cost)}: it must be a number above 0, and finite."
        )
    return Scoring(scoring, cost)


_ARTIFICIAL_BUDGETS = (1.0, 2.0, 5.0, 10.0, 30.0)

# The paper chose five budgets for each set, "small to very large", and does not print them. Ours
# end at half of what all features cost on average (0.55 each); the first two and, where the total
# allows, 5 and 10 are those of the artificial settings. The budgets the paper mentions, 1 and 5,
# are among those of the sets it mentions them for.
REAL_BUDGETS: Mapping[str, tuple[float, ...]] = MappingProxyType(
    {
        "ada": (1.0, 2.0, 5.0, 10.0, 13.0),
        "author": (1.0, 2.0, 5.0, 10.0, 19.0),
        "qsar": (1.0, 2.0, 5.0, 8.0, 11.0),
        "spam": (1.0, 2.0, 5.0, 10.0, 16.0),
        "tokyo": (1.0, 2.0, 5.0, 8.0, 12.0),
        "wdbc": (1.0, 2.0, 3.0, 5.0, 8.0),
    }
)


def _paper_artificial(n_replicates: int) -> list[Unit]:
    return [
        Unit("paper-artificial", Artificial(setting), 0, replicate, _ARTIFICIAL_BUDGETS)
        for replicate in range(n_replicates)
        for setting in SETTINGS
    ]


def _paper_real(n_replicates: int) -> list[Unit]:
    return [
        Unit("paper-real", Real(name), 0, replicate, REAL_BUDGETS[name])
        for replicate in range(n_replicates)
        for name in REAL_SETS
    ]


def _paper_spam_costs(n_replicates: int) -> list[Unit]:
    return [
        Unit("paper-spam-costs", Real("spam"), draw, replicate, REAL_BUDGETS["spam"])
        for replicate in range(n_replicates)
        for draw in range(5)
    ]


def _draws(n_replicates: int) -> list[Unit]:
    return [
        Unit("draws", Artificial(setting), draw, replicate, _ARTIFICIAL_BUDGETS)
        for replicate in range(n_replicates)
        for draw in range(20)
        for setting in SETTINGS
    ]


def _smoke(n_replicates: int) -> list[Unit]:
    return [
        Unit(
            "smoke",
            Artificial(setting, n_train=80, n_test=200, n_features=20, n_relevant=10, n_blocks=4),
            draw,
            replicate,
            budgets=(0.5, 1.0, 3.0),
            xis=(0.0, 0.5, 1.0, 1.5, 2.0),
            effort=Effort(scoring_trees=50, pfi_trees=50, sts_trees=25, fs_trees=20),
        )
        for replicate in range(n_replicates)
        for draw in range(2)
        for setting in ("A", "C")
    ]


@dataclass(frozen=True)
class _Plan:
    """A named design before its number of replicates is decided."""

    summary: str
    units: Callable[[int], list[Unit]]
    n_replicates: int
    methods: tuple[str, ...]


DESIGNS: Mapping[str, _Plan] = MappingProxyType(
    {
        "paper-artificial": _Plan(
            "settings A to D, one draw", _paper_artificial, 100, _PAPER_METHODS
        ),
        "paper-real": _Plan("six real sets, one cost draw", _paper_real, 100, _PAPER_METHODS),
        "paper-spam-costs": _Plan(
            "Spam with five cost draws", _paper_spam_costs, 100, _PAPER_METHODS
        ),
        # The question is whether STS or pFI leads in C and D, so without forward selection, which
        # takes most of the time.
        "draws": _Plan(
            "20 draws of effects, correlations and costs", _draws, 5, _PAPER_METHODS[:4]
        ),
        "smoke": _Plan("all of it in seconds", _smoke, 3, tuple(_OWN_METHODS)),
    }
)


def get_design(
    name: str,
    n_replicates: int | None = None,
    methods: Sequence[str] | None = None,
    sources: Sequence[str] | None = None,
) -> Design:
    """A design by its name, with other replicates, methods or sources of data if wanted.

    None of them changes any number of a unit: more can be added to a store later.

    Examples
    --------
    >>> design = get_design("draws", n_replicates=2, methods=["pfi", "sts"])
    >>> len(design.units), design.methods
    (160, ('pfi', 'sts'))
    """
    if name not in DESIGNS:
        raise StudyError(f"no design {name!r}: it must be one of {', '.join(DESIGNS)}.")
    plan = DESIGNS[name]
    if n_replicates is None:
        n_replicates = plan.n_replicates
    if n_replicates < 1:
        raise StudyError(f"the number of replicates is {n_replicates}: it must be 1 or more.")
    chosen = plan.methods if methods is None else tuple(dict.fromkeys(methods))
    known = study_methods()
    unknown = [method for method in chosen if method not in known]
    if unknown or not chosen:
        what = f"no method {unknown[0]!r}" if unknown else "no methods given"
        raise StudyError(f"{what}: choose from {', '.join(known)}.")
    units = plan.units(n_replicates)
    if sources is not None:
        there = list(dict.fromkeys(unit.source.name for unit in units))
        unknown = [source for source in sources if source not in there]
        if unknown or not sources:
            what = f"{name} has no source {unknown[0]!r}" if unknown else "no sources given"
            raise StudyError(f"{what}: choose from {', '.join(there)}.")
        units = [unit for unit in units if unit.source.name in sources]
    return Design(name, tuple(units), chosen)
