"""What can be asked for besides data, prices, budgets and methods: each option declared once.

A field of `Options` has its default, its check, its line of documentation and its form on the
command line. `compare`, `FrugalForestClassifier` and ``frugalforest select`` take signature, words
and checks from here, so a new option is a field here and the place that uses it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from numbers import Integral
from pathlib import Path
from typing import Any, Self

from frugalforest.engine import ForestSettings, bins_for, seed_from
from frugalforest.evaluation.parts import search_rows_for
from frugalforest.evaluation.resampling import check_test_share
from frugalforest.methods import METHODS, RatioMethod, check_xi
from frugalforest.model.final import FINALS, read_final
from frugalforest.scores import NUMBER_SCORES, SCORES, check_scoring
from frugalforest.tables import TASKS, check_task

__all__ = ["FLAGS", "Flag", "Options"]

# Far more than anyone needs: a digit too many should end in a line, not in a full memory.
_MOST_TREES = 1_000_000
_MOST_RESAMPLES = 100_000

_WITHOUT_XI = ", ".join(n for n, kind in METHODS.items() if not issubclass(kind, RatioMethod))


@dataclass(frozen=True)
class Flag:
    """An option on the command line.

    Attributes
    ----------
    help : str
    metavar : str or None
    name : str
        There, with underscores; the name of the option by default.
    takes : type
        What is typed.
    read, write : callable
        What was typed as the option's value, and a value as words of a command; unless they are the
        same.
    shown_default : str or None
        If the default does not say it.
    least, most : int or None
    """

    help: str
    metavar: str | None = None
    name: str = ""
    takes: Any = str
    read: Callable[[Any], Any] | None = None
    write: Callable[[Any], list[object]] | None = None
    shown_default: str | None = None
    least: int | None = None
    most: int | None = None

    @property
    def option(self) -> str:
        """How it is typed."""
        return "--" + self.name.replace("_", "-")


def _option(
    default: Any, kind: str, doc: str, check: Callable[[Any], object] | None, flag: Flag
) -> Any:
    return field(default=default, metadata={"kind": kind, "doc": doc, "check": check, "flag": flag})


def _check_xi(xi: object) -> None:
    if isinstance(xi, str) and xi != "tune":
        raise ValueError(f"`xi` is {xi!r}: it must be 'tune' or a number, 0 or more.")
    if not isinstance(xi, str):
        check_xi(xi)


def _read_xi(text: str) -> str | float:
    if text == "tune":
        return text
    with suppress(ValueError):
        return check_xi(float(text))
    raise ValueError(f"{text!r} is neither 'tune' nor a number, 0 or more.")


def _check_resamples(number: object) -> None:
    if not isinstance(number, Integral) or isinstance(number, bool) or number < 0:
        raise ValueError(f"`n_resamples` is {number!r}: it must be a whole number, 0 or more.")
    if int(number) > _MOST_RESAMPLES:
        raise ValueError(
            f"`n_resamples` is {number}: it must be at most {_MOST_RESAMPLES:,}, and 25 do."
        )


def _read_bins(text: str) -> str | int | None:
    if text in ("auto", "exact"):
        return None if text == "exact" else text
    with suppress(ValueError):
        return bins_for(int(text), 0)
    raise ValueError(f"{text!r} is neither 'auto' nor 'exact' nor a whole number from 2 to 255.")


def _read_search_rows(text: str) -> str | int | None:
    if text in ("auto", "all"):
        return None if text == "all" else text
    with suppress(ValueError):
        search_rows_for(int(text), 0)
        return int(text)
    raise ValueError(f"{text!r} is neither 'auto' nor 'all' nor a whole number from 10 on.")


def _read_task(name: str | None) -> str | None:
    if name is not None and name not in TASKS:
        raise ValueError(f"{name!r} is not known: give one of {', '.join(TASKS)}.")
    return name


def _read_final_name(name: str | None) -> str | None:
    if name is not None and name not in FINALS:
        raise ValueError(f"{name!r} is not known: give one of {', '.join(FINALS)}.")
    return name


def _read_class_weight(given: list[str] | None) -> str | dict[str, float] | None:
    if not given:
        return None
    if given == ["balanced"]:
        return "balanced"
    if "balanced" in given:
        raise ValueError("give either 'balanced' or weights, not both.")
    weights: dict[str, float] = {}
    for text in given:
        name, equals, weight = text.rpartition("=")
        value = math.nan
        with suppress(ValueError):
            value = float(weight)
        if not equals or not 0 < value < math.inf:
            raise ValueError(
                f"{text!r} is neither 'balanced' nor a class and a weight above 0, such as ill=5."
            )
        weights[name] = value
    return weights


def _write_class_weight(value: str | dict[str, float]) -> list[object]:
    weights = [value] if isinstance(value, str) else [f"{n}={w:g}" for n, w in value.items()]
    return [word for weight in weights for word in ("--class-weight", weight)]


def _write_error_costs(value: float | Path) -> list[object]:
    return ["--error-costs" if isinstance(value, Path) else "--error-cost", value]


@dataclass(frozen=True)
class Options:
    """How a choice is made and tested.

    Examples
    --------
    >>> Options(n_trees=200).bins
    'auto'
    >>> Options(test_share=2)
    Traceback (most recent call last):
        ...
    ValueError: `test_share` is 2: it must be above 0 and below 1.
    """

    task: str | None = _option(
        None,
        '{"classification", "regression"}',
        "Whether classes or numbers are predicted. By default as `scoring` says, or as the target "
        "tells: numbers where there are too many different ones for classes (more than 20, and "
        "more than one for ten rows), or more than ten of which some have fractions.",
        check_task,
        Flag(
            "Whether to predict classes or numbers. A target with few different whole "
            "numbers is taken for classes.",
            "|".join(TASKS),
            takes=str | None,
            read=_read_task,
            shown_default="as the target tells",
        ),
    )
    scoring: str | None = _option(
        None,
        '{"error", "balanced_error", "auc", "brier", "log_loss", "cost"}',
        "Score to choose sets by and to report. By default the error, or the cost of "
        "errors if that is given. Decisions follow it; see the guide. For numbers "
        '"rmse" (the default), "mse", "mae" or "r2", in the unit of the '
        "target; of R², 1 − R².",
        None,  # with `error_costs`
        Flag(
            f"Score to choose by and to report: {', '.join(SCORES)}; for numbers "
            f"{', '.join(NUMBER_SCORES)}.",
            "NAME",
            takes=str | None,
            shown_default="error, or cost if it is known what errors cost; rmse for numbers",
        ),
    )
    error_costs: object = _option(
        None,
        "number, mapping of (true, predicted) to number, or path",
        "Cost of an error, in the unit of the prices: one number for any, or one for "
        "each pair of classes, or a CSV file with the columns true, predicted and cost.",
        None,  # with the classes of the target
        Flag(
            "CSV file with the cost of each kind of error: columns true, predicted and "
            "cost. The budget with the lowest total of prices and errors is then "
            "recommended.",
            "FILE",
            takes=Path | None,
            write=_write_error_costs,
        ),
    )
    class_weight: object = _option(
        None,
        'None, "balanced", or mapping of class to number',
        "How much the rows of each class weigh while trees are grown.",
        None,  # with the classes of the target
        Flag(
            "How much the rows of a class weigh while trees are grown. Can be given several times.",
            "balanced|CLASS=WEIGHT",
            takes=list[str] | None,
            read=_read_class_weight,
            write=_write_class_weight,
        ),
    )
    n_resamples: int = _option(
        25,
        "int",
        "How many times to repeat the whole procedure on part of the rows and test it "
        "on the rest, for an honest error and for the choice of `auto`. With 0 there "
        "is no honest error, and `auto` goes by out-of-bag errors.",
        _check_resamples,
        Flag(
            "How many times to repeat the whole procedure on part of the rows and test it "
            "on the rest, for an honest error; 0 for none.",
            "N",
            name="resamples",
            takes=int,
            least=0,
            most=_MOST_RESAMPLES,
        ),
    )
    test_share: float = _option(
        1 / 5,
        "float",
        "Share of the rows that each resample tests on. Resamples come in rounds in which each row "
        "is tested once: 25 are five rounds of five.",
        check_test_share,
        Flag(
            "Share of the rows that each resample is tested on.",
            "SHARE",
            takes=float,
            shown_default="1/5",
        ),
    )
    n_trees: int | None = _option(
        None,
        "int",
        "Trees of the forests that sets are compared by, and of the final one; the own forests of "
        "methods given by name follow in proportion. By default 1000, and fewer in a table of more "
        "than 20,000 rows (200 for 100,000 rows), but at least 100.",
        lambda n: n is None or ForestSettings(n_trees=n),
        Flag(
            "Trees in each forest.",
            "N",
            name="trees",
            takes=int | None,
            shown_default="1000; fewer above 20,000 rows",
            least=1,
            most=_MOST_TREES,
        ),
    )
    final: object = _option(
        None,
        '{"auto", "forest", "blend", "logistic"} or scikit-learn classifier',
        "What is fitted on the chosen columns in the end: the forest, a linear model (logistic, on "
        "normal scores of ranks), the mean of both (blend), or forest or blend, whichever does "
        "better out of bag (auto), chosen anew for each set and in each resample. With anything "
        "but the forest, sets are still proposed by forests, `auto` chooses by this model's error "
        "on rows left out, and honest errors are its own. A classifier of your own sees text as "
        "numbers and missing values as NaN. By default auto for the method `auto`, and the forest "
        "for the others, and where numbers are predicted.",
        read_final,
        Flag(
            "Model to fit on the chosen features: forest, logistic (a linear model of "
            "ranks), blend (the mean of both), or auto (forest or blend, whichever does "
            "better out of bag). The errors reported are that model's.",
            "NAME",
            takes=str | None,
            read=_read_final_name,
            shown_default="auto for the method auto, the forest for the others",
        ),
    )
    min_samples_leaf: int = _option(
        1,
        "int",
        "Fewest draws of rows in a leaf of the forests that sets are compared by, and of the final "
        "one. Where classes are rare and `scoring` looks at shares (the AUC, say), 20 may be "
        "better.",
        lambda n: ForestSettings(min_samples_leaf=n),
        Flag(
            "Smallest number of drawn rows in a leaf. With rare classes and a score that looks at "
            "shares, such as the AUC, 20 may be better.",
            "N",
            takes=int,
            least=1,
            most=_MOST_TREES,
        ),
    )
    xi: str | float = _option(
        "tune",
        '"tune" or float',
        "Weight of cost against benefit, of methods given by name: tuned for each method and "
        f"budget, or fixed. Not used by {_WITHOUT_XI}.",
        _check_xi,
        Flag(
            "Weight of cost against benefit: tuned for each method and budget, or fixed. "
            f"Ignored by {_WITHOUT_XI}.",
            "tune|NUMBER",
            read=_read_xi,
        ),
    )
    racing: bool = _option(
        False,
        "bool",
        "Let forward selection, given by name, grow full forests for promising "
        "candidates only. By default it is then among the methods, unless the table is "
        "large.",
        None,
        Flag(
            "Speed up forward selection by growing full forests for promising features "
            "only. Without --methods, it is then compared, too, unless the table is large.",
            takes=bool,
        ),
    )
    bins: str | int | None = _option(
        "auto",
        '"auto", int or None',
        "Split columns between at most this many bins of values, from 2 to 255; None "
        "for exact splits. By default 255 if the table has more than 20,000 rows, and "
        "exact otherwise.",
        lambda bins: bins_for(bins, 0),
        Flag(
            "Split columns between at most N bins of values (2 to 255), or exactly. auto: "
            "255 bins above 20,000 rows, exact splits below.",
            "auto|exact|N",
            read=_read_bins,
            write=lambda bins: ["--bins", "exact" if bins is None else bins],
        ),
    )
    search_rows: str | int | None = _option(
        "auto",
        '"auto", int or None',
        "Rows to search for sets on; None for all of them. By default all, but 5,000 "
        "of a table of more than 20,000 rows. What is found on a part is raced on "
        "larger parts, and the last few sets of each budget are judged on all rows: "
        "honest errors are then those on a fifth of the rows, which neither search nor "
        "race has seen.",
        lambda rows: search_rows_for(rows, 0),
        Flag(
            "Rows to search for sets on; the best sets found are then judged on all rows. "
            "auto: 5,000 of more than 20,000 rows, all of fewer.",
            "auto|all|N",
            read=_read_search_rows,
            write=lambda rows: ["--search-rows", "all" if rows is None else rows],
        ),
    )
    rows_are_independent: bool = _option(
        False,
        "bool",
        "Whether rows that are identical in every column are different cases. By "
        "default copies are never split between training and testing, and where rows "
        "look like repeated measurements of fewer people, a notice says so.",
        None,
        Flag(
            "Treat rows that are identical in every column as different cases, and all "
            "rows as different people. By default, copies are never split between training "
            "and testing.",
            takes=bool,
        ),
    )
    random_state: object = _option(
        0,
        "int, NumPy generator or None",
        "The same number gives the same result.",
        None,  # a generator is asked once, by `make_plan`
        Flag(
            "Random seed: the same seed gives the same result.",
            "N",
            name="seed",
            takes=int,
            least=0,
            most=2**64 - 1,
        ),
    )

    def __post_init__(self) -> None:
        for each in fields(self):
            if (check := each.metadata["check"]) is not None:
                check(getattr(self, each.name))
        check_scoring(self.scoring, self.error_costs)

    @classmethod
    def of(cls, estimator: object) -> Self:
        """Those that an estimator has as parameters; the others are at their defaults."""
        names = [each.name for each in fields(cls) if hasattr(estimator, each.name)]
        return cls(**{name: getattr(estimator, name) for name in names})

    @property
    def seed(self) -> int:
        """What `random_state` means. A generator gives another one each time."""
        return seed_from(self.random_state)


# Of every option, by the name that it has in Python.
FLAGS: dict[str, Flag] = {
    each.name: replace(flag, name=flag.name or each.name)
    for each in fields(Options)
    for flag in [each.metadata["flag"]]
}
