"""compare(): all methods at all budgets, with an error that can be trusted.

The out-of-bag error of a chosen set is what the choice was made by, so it is too low. The honest
error re-runs the whole procedure (coding of text, selection, tuning, choice of method) on part of
the rows and tests on rows it never saw, many times::

    table, target, prices ──► plan ──► tasks: all rows, resample 0, 1, …  ──► Comparison
                                       each a pure function of (plan, its rows)

Tasks run through joblib, on this machine or a cluster, and finished ones can be kept in a
file, so that an interrupted run goes on where it was.
"""

from __future__ import annotations

import hashlib
import json
import platform
import warnings
from collections import Counter
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from os import PathLike
from pathlib import Path
from typing import Any, Self

import joblib
import numpy as np
from numpy.typing import ArrayLike, NDArray

from frugalforest.costs import CostModel, Prices, check_budget, fits
from frugalforest.encoding import Encoder, Table, is_missing
from frugalforest.engine import (
    ForestSettings,
    code_table,
    code_target,
    forward_errors,
    score_sets,
    seed_from,
)
from frugalforest.errors import DataError
from frugalforest.estimators import check_methods
from frugalforest.frontier import (
    FrontierPoint,
    cheapest_within,
    find_knee,
    money_buys,
    within_one_se,
)
from frugalforest.ledger import Ledger
from frugalforest.problem import FeatureSet, Problem, derive_seed, encode_target
from frugalforest.progress import progress_bar
from frugalforest.resampling import ErrorEstimate, Split, make_splits, nogueira_stability
from frugalforest.selectors import (
    METHODS,
    Forward,
    Method,
    Permutation,
    ShallowTreeMethod,
    check_xi,
)
from frugalforest.tuning import SCORINGS, Tuned, tune

__all__ = ["BEST", "Comparison", "Selection", "compare"]

FORMAT_VERSION = 1
# The name of the procedure that takes, at each budget, the method with the lowest OOB score.
BEST = "best"
_SUBSTITUTE_TREES = 500


@dataclass(frozen=True)
class Plan:
    """All that a task needs besides its rows. Hashed, it is the key of the kept results."""

    budgets: tuple[float, ...]
    methods: tuple[str, ...]
    xi: float | None
    scoring: str
    n_trees: int
    racing: bool
    seed: int

    @property
    def xis(self) -> str | list[float]:
        """The values of ξ to try."""
        return "auto" if self.xi is None else [self.xi]

    def method(self, name: str) -> Method:
        """A method with this plan's numbers of trees: in the proportions of the defaults."""
        half = max(1, self.n_trees // 2)
        if name == "pfi":
            return Permutation(self.n_trees)
        if name == "sts":
            return ShallowTreeMethod(half)
        if name == "forward":
            return Forward(half, self.racing)
        return METHODS[name]


# A task: choose on some rows, and test on others if there are any.


def _problem_on(
    table: Table, labels: NDArray[np.intp], n_classes: int, prices: Prices, plan: Plan, seed: int
) -> tuple[Problem, Encoder]:
    encoder = Encoder.fit(table, labels, n_classes)
    X = encoder.transform(table)
    problem = Problem(
        code_table(X, table.names),
        code_target(labels, n_classes),
        prices,
        labels,
        np.arange(n_classes),
        seed,
        ForestSettings(n_trees=plan.n_trees),
    )
    return problem, encoder


def _best_method(
    tuned: Mapping[str, Mapping[float | None, Tuned]], budget: float, plan: Plan
) -> str:
    """The lowest score; ties go to the lower cost, then to the method named first."""
    return min(plan.methods, key=lambda name: tuned[name][budget].best.preference(plan.scoring))


def _run_all_rows(
    table: Table, labels: NDArray[np.intp], n_classes: int, prices: Prices, plan: Plan
) -> dict[str, Any]:
    """What would be bought, from all rows."""
    problem, _ = _problem_on(table, labels, n_classes, prices, plan, derive_seed(plan.seed, "all"))
    tuned = {
        m: tune(problem, plan.method(m), plan.budgets, plan.xis, plan.scoring) for m in plan.methods
    }
    rows = []
    for budget in plan.budgets:
        winner = _best_method(tuned, budget, plan)
        for name in plan.methods:
            found = tuned[name][budget]
            rows.append(
                {
                    "budget": budget,
                    "method": name,
                    "winner": name == winner,
                    "xi": found.best.xi,
                    "features": list(found.best.candidate.features),
                    "cost": found.best.candidate.cost,
                    "oob_error": found.best.score.oob_error,
                    "brier": found.best.score.brier,
                    "steps": [
                        {
                            "features": list(step.features),
                            "gain": None if np.isnan(step.gain) else step.gain,
                            "cost": step.cost,
                        }
                        for step in found.best.candidate.steps
                    ],
                    "tried": [
                        {
                            "xi": t.xi,
                            "n_features": len(t.candidate.features),
                            "cost": t.candidate.cost,
                            "oob_error": _number(t.score.oob_error),
                            "brier": _number(t.score.brier),
                        }
                        for t in found.tried
                    ],
                    "substitutes": _substitutes(problem, found.best.candidate.features, budget)
                    if name == winner
                    else [],
                }
            )
    return {"rows": rows}


def _substitutes(problem: Problem, features: FeatureSet, budget: float) -> list[dict[str, Any]]:
    """For each chosen feature, what to measure in its place, within the same budget.

    By OOB error of the exchanged set; None if nothing else fits.
    """
    prices = problem.prices
    settings = ForestSettings(n_trees=_SUBSTITUTE_TREES)
    seed = problem.seed_for("substitutes")
    found = []
    for j in features:
        if prices.required[j] or prices.free[j]:
            continue
        rest = [k for k in features if k != j]
        mask = np.zeros(problem.n_features, dtype=bool)
        mask[rest] = True
        price = float(prices.total(mask)) + prices.marginal_each(mask)
        possible = ~mask & ~prices.excluded & fits(price, budget)
        possible[j] = False
        candidates = np.flatnonzero(possible)
        best: int | None = None
        change: float | None = None
        if len(candidates):
            errors = forward_errors(
                problem.data, problem.target, rest, [*candidates.tolist(), j], seed, settings
            )
            at = int(errors[:-1].argmin())
            best, change = int(candidates[at]), float(errors[at] - errors[-1])
        found.append({"feature": j, "substitute": best, "error_change": change})
    return found


def _run_resample(
    table: Table,
    labels: NDArray[np.intp],
    n_classes: int,
    prices: Prices,
    plan: Plan,
    split: Split,
    number: int,
) -> dict[str, Any]:
    """The whole procedure on the training rows, and its error on the test rows."""
    seed = derive_seed(plan.seed, "resample", number)
    problem, encoder = _problem_on(
        table.rows(split.train), labels[split.train], n_classes, prices, plan, seed
    )
    tuned = {
        m: tune(problem, plan.method(m), plan.budgets, plan.xis, plan.scoring) for m in plan.methods
    }
    chosen = {
        (budget, name): tuned[name][budget].best.candidate.features
        for budget in plan.budgets
        for name in plan.methods
    }
    sets = sorted(set(chosen.values()))
    votes = score_sets(
        problem.data,
        problem.target,
        sets,
        [problem.seed_for("scores")] * len(sets),
        problem.scoring,
        new_rows=encoder.transform(table.rows(split.test)),
    ).new_votes
    assert votes is not None
    error_of = dict(zip(sets, _test_errors(votes, labels[split.test]), strict=True))
    rows = []
    for budget in plan.budgets:
        winner = _best_method(tuned, budget, plan)
        for name in plan.methods:
            features = chosen[budget, name]
            rows.append(
                {
                    "budget": budget,
                    "method": name,
                    "winner": name == winner,
                    "features": list(features),
                    "error": error_of[features],
                }
            )
    return {"rows": rows}


def _test_errors(votes: NDArray[np.uint32], truth: NDArray[np.intp]) -> list[float]:
    """Share of rows that the majority gets wrong; t classes in the lead together count 1 − 1/t."""
    leading = votes == votes.max(axis=2, keepdims=True)
    right = leading[:, np.arange(len(truth)), truth] / leading.sum(axis=2)
    return [float(x) for x in 1 - right.mean(axis=1)]


def compare(
    X: Any,
    y: ArrayLike,
    costs: object = None,
    budgets: Sequence[float] | float = (),
    methods: Sequence[str] | str = ("auc", "pfi", "sts", "forward"),
    *,
    xi: str | float = "tune",
    scoring: str = "oob_error",
    n_trees: int = 1000,
    racing: bool = False,
    n_resamples: int = 25,
    test_share: float = 1 / 3,
    groups: ArrayLike | None = None,
    random_state: object = 0,
    n_jobs: int | None = None,
    resume: str | PathLike[str] | None = None,
    verbose: int = 1,
) -> Comparison:
    """Compare methods at several budgets, with honest errors.

    Parameters
    ----------
    X : data frame or array of shape (n_rows, n_features)
        Numbers or text; empty, None or NaN is missing. A text column is one feature.
    y : array-like of shape (n_rows,)
        Classes, at least two.
    costs : scalar, array, mapping, Series, CostModel or None
        Prices of the columns; one each by default.
    budgets : float or sequence of float
        One or several limits.
    methods : str or sequence of str
        Of "auc", "pfi", "sts", "forward".
    xi : "tune" or float
        Weight of cost: tuned for each method and budget, or fixed.
    scoring : {"oob_error", "brier"}
        What tuning minimises.
    n_trees : int, default=1000
        Trees of the forests that sets are compared by; the methods' own forests follow in
        proportion.
    racing : bool, default=False
        Let forward selection grow full forests for promising candidates only.
    n_resamples : int, default=25
        How often the whole procedure is re-run for the honest error; 0 for no honest error.
    test_share : float, default=1/3
        Share of the rows that each resample tests on.
    groups : array-like of shape (n_rows,), optional
        Rows of one group (a patient, a batch) are never on both sides of a split.
    random_state : int, NumPy generator or None
    n_jobs : int or None
        Tasks at the same time. Results do not depend on it. Inside
        ``joblib.parallel_config("dask")`` the tasks run on the cluster.
    resume : path, optional
        A file that keeps finished tasks. Run again with the same file, data and settings, and
        they are not repeated.
    verbose : int, default=1
        0 shows no progress. It is shown on a terminal only.

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> result = compare(X, y, budgets=[2, 5], methods=["auc"], n_trees=50, n_resamples=3)
    >>> result.best(5).cost
    5.0
    """
    table = Table.read(X)
    labels, classes = encode_target(y)
    if len(labels) != table.n_rows:
        raise DataError(f"y has {len(labels)} labels, but the table has {table.n_rows} rows.")
    prices = CostModel.coerce(costs, table.names).align(table.names)
    plan = _make_plan(budgets, methods, xi, scoring, n_trees, racing, seed_from(random_state))
    for budget in plan.budgets:
        prices.check_affordable(budget)
        prices.start(budget)
    if not isinstance(n_resamples, int | np.integer) or n_resamples < 0:
        raise ValueError(f"`n_resamples` is {n_resamples!r}: it must be a whole number, 0 or more.")
    group_labels = None if groups is None else _check_groups(groups, table.n_rows)
    splits = make_splits(labels, int(n_resamples), test_share, plan.seed, group_labels)

    data_hash = _hash_data(table, labels, classes, prices)
    tasks: dict[str, Any] = {}
    arguments = (table, labels, len(classes), prices, plan)
    tasks[_task_key(data_hash, plan, "all rows", None)] = (_run_all_rows, arguments)
    for i, split in enumerate(splits):
        key = _task_key(data_hash, plan, f"resample {i}", split)
        tasks[key] = (_run_resample, (*arguments, split, i))
    results = _run_tasks(tasks, n_jobs, resume, verbose)

    everything = results.pop(next(iter(tasks)))
    resamples = [results[key] for key in list(tasks)[1:]]
    ratio = float(np.mean([len(s.test) / len(s.train) for s in splits])) if splits else np.nan
    return Comparison(
        _document(
            table,
            labels,
            classes,
            prices,
            plan,
            data_hash,
            everything,
            resamples,
            ratio,
            test_share,
            groups is not None,
        )
    )


def _make_plan(
    budgets: Sequence[float] | float,
    methods: Sequence[str] | str,
    xi: str | float,
    scoring: str,
    n_trees: int,
    racing: bool,
    seed: int,
) -> Plan:
    limits = [check_budget(b) for b in np.ravel(np.asarray(budgets, dtype=object)).tolist()]
    if not limits or None in limits:
        raise ValueError("`budgets` must hold at least one number, and no limit is no budget.")
    if scoring not in SCORINGS:
        raise ValueError(f"`scoring` is {scoring!r}: it must be one of {', '.join(SCORINGS)}.")
    if isinstance(xi, str) and xi != "tune":
        raise ValueError(f"`xi` is {xi!r}: it must be 'tune' or a number.")
    return Plan(
        tuple(sorted({b for b in limits if b is not None})),
        check_methods(methods),
        None if xi == "tune" else check_xi(xi),
        scoring,
        ForestSettings(n_trees=n_trees).n_trees,
        bool(racing),
        seed,
    )


def _check_groups(groups: ArrayLike, n_rows: int) -> NDArray[Any]:
    values = np.asarray(groups)
    if values.shape != (n_rows,):
        raise DataError(f"`groups` has shape {values.shape}, but the table has {n_rows} rows.")
    missing = np.array([is_missing(value) for value in values.tolist()])
    if missing.any():
        raise DataError(
            f"`groups` is missing in {missing.sum()} rows, first in row {missing.argmax()}: give "
            "each of them a group."
        )
    return values.astype(str) if values.dtype == object else values


def _hash_data(
    table: Table, labels: NDArray[np.intp], classes: NDArray[Any], prices: Prices
) -> str:
    """A hash of everything about the data that a result depends on."""
    digest = hashlib.sha256()

    def add(*parts: object) -> None:
        # JSON tells None from "None", and where one text ends and the next begins.
        for part in parts:
            content = part.tobytes() if isinstance(part, np.ndarray) else json.dumps(part).encode()
            digest.update(len(content).to_bytes(8, "little") + content)

    for name, column in zip(table.names, table.columns, strict=True):
        add(name, column.tolist() if column.dtype == object else column)
    add(labels, [str(c) for c in classes], prices.feature_cost, prices.group, prices.group_cost)
    add(prices.required, prices.excluded)
    return digest.hexdigest()


def _task_key(data_hash: str, plan: Plan, name: str, split: Split | None) -> str:
    rows = "" if split is None else hashlib.sha256(split.test.tobytes()).hexdigest()
    content = json.dumps([data_hash, asdict(plan), version("frugalforest"), rows])
    return f"{name} {hashlib.sha256(content.encode()).hexdigest()}"


def _run_tasks(
    tasks: Mapping[str, Any],
    n_jobs: int | None,
    resume: str | PathLike[str] | None,
    verbose: int,
) -> dict[str, Any]:
    with Ledger(resume) as ledger:
        results = ledger.get_all(tasks)
        missing = [key for key in tasks if key not in results]
        with (
            progress_bar(len(tasks), verbose, done=len(results)) as advance,
            # Closed here and now if this is interrupted, not whenever the garbage is collected.
            closing(_in_parallel(tasks, missing, n_jobs)) as finished,
        ):
            for key, result in finished:
                ledger.put(key, result)
                results[key] = result
                advance(key.rpartition(" ")[0])
    return results


def _in_parallel(
    tasks: Mapping[str, Any], keys: Sequence[str], n_jobs: int | None
) -> Generator[tuple[str, Any]]:
    """Results as they come. What is in a task's result does not depend on who ran it."""
    # Inside a parallel_config block, its backend and number of workers stand in for n_jobs=None.
    parallel = joblib.Parallel(n_jobs=n_jobs, return_as="generator_unordered")
    results = parallel(joblib.delayed(_run_named)(key, *tasks[key]) for key in keys)
    try:
        for result in results:  # noqa: UP028 (`yield from` would close it unguarded)
            yield result
    finally:
        # Whoever stops early, with Ctrl-C, knows that tasks under way are lost: joblib's warning
        # would only hide what the user is told.
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            results.close()


def _run_named(key: str, function: Any, arguments: tuple[Any, ...]) -> tuple[str, Any]:
    return key, function(*arguments)


# From the results of the tasks to one document, which is all that a Comparison holds.


def _document(
    table: Table,
    labels: NDArray[np.intp],
    classes: NDArray[Any],
    prices: Prices,
    plan: Plan,
    data_hash: str,
    everything: Mapping[str, Any],
    resamples: Sequence[Mapping[str, Any]],
    test_train_ratio: float,
    test_share: float,
    grouped: bool,
) -> dict[str, Any]:
    names = prices.feature_names
    counts = np.bincount(labels, minlength=len(classes))
    features = [
        {
            **row,
            "group": None if row["group"] is None else str(row["group"]),
            "required": bool(prices.required[j]),
            "excluded": bool(prices.excluded[j]),
            "free": bool(prices.free[j]),
            "text": table.columns[j].dtype == object,
            "n_missing": _count_missing(table.columns[j]),
        }
        for j, row in enumerate(prices.describe())
    ]
    selections = []
    for row in everything["rows"]:
        runs = [r for task in resamples for r in task["rows"] if _same(r, row)]
        selections.append(
            {
                **row,
                "features": [names[j] for j in row["features"]],
                "steps": [
                    {**step, "features": [names[j] for j in step["features"]]}
                    for step in row["steps"]
                ],
                "substitutes": [
                    {
                        "feature": names[s["feature"]],
                        "substitute": None if s["substitute"] is None else names[s["substitute"]],
                        "error_change": s["error_change"],
                    }
                    for s in row["substitutes"]
                ],
                **_over_resamples(runs, names, test_train_ratio),
            }
        )
    best = []
    for budget in plan.budgets:
        runs = [
            r for task in resamples for r in task["rows"] if r["winner"] and r["budget"] == budget
        ]
        winner = next(s for s in selections if s["winner"] and s["budget"] == budget)
        picked = Counter(r["method"] for r in runs)
        best.append(
            {
                "budget": budget,
                "method": winner["method"],
                "methods_picked": {m: picked[m] for m in plan.methods},
                **_over_resamples(runs, names, test_train_ratio),
            }
        )
    return {
        "format": "frugalforest comparison",
        "format_version": FORMAT_VERSION,
        "versions": {
            "frugalforest": version("frugalforest"),
            "python": platform.python_version(),
            "numpy": version("numpy"),
            "scikit-learn": version("scikit-learn"),
        },
        "data": {
            "n_rows": table.n_rows,
            "n_features": len(names),
            "classes": [str(c) for c in classes],
            "class_counts": counts.tolist(),
            "sha256": data_hash,
        },
        "settings": {
            **{k: list(v) if isinstance(v, tuple) else v for k, v in asdict(plan).items()},
            "xi": "tune" if plan.xi is None else plan.xi,
            "n_resamples": len(resamples),
            "test_share": test_share,
            "grouped": grouped,
            "interval": "95 % Nadeau-Bengio",
        },
        "features": features,
        "selections": selections,
        "best": best,
    }


def _same(a: Mapping[str, Any], b: Mapping[str, Any]) -> bool:
    return bool(a["budget"] == b["budget"] and a["method"] == b["method"])


def _count_missing(column: NDArray[Any]) -> int:
    return int(sum(v is None for v in column) if column.dtype == object else np.isnan(column).sum())


def _over_resamples(
    runs: Sequence[Mapping[str, Any]], names: Sequence[str], test_train_ratio: float
) -> dict[str, Any]:
    """Honest error, selection frequencies and stability of one procedure; None without runs."""
    if not runs:
        return {"honest": None, "frequencies": None, "stability": None}
    errors = np.array([r["error"] for r in runs])
    chosen = np.zeros((len(runs), len(names)), dtype=bool)
    for i, run in enumerate(runs):
        chosen[i, run["features"]] = True
    estimate = ErrorEstimate.from_errors(errors, test_train_ratio)
    stability = nogueira_stability(chosen)
    return {
        "honest": {
            **{k: _number(v) for k, v in asdict(estimate).items()},
            "errors": errors.tolist(),
        },
        "frequencies": dict(zip(names, chosen.mean(axis=0).tolist(), strict=True)),
        "stability": _number(stability),
    }


def _write_whole(path: Path, text: str) -> None:
    draft = path.with_name(path.name + ".part")
    try:
        draft.write_text(text, encoding="utf-8")
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise


def _number(value: float) -> float | None:
    """A number for JSON, which knows no NaN."""
    return None if np.isnan(value) else float(value)


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
    xi : float
    oob_error : float
        Selection score: what the choice was made by, lower than the error to expect.
    honest : ErrorEstimate or None
        Error to expect on new rows, of the procedure that chose the set.
    """

    budget: float
    cost: float
    features: tuple[str, ...]
    method: str
    xi: float
    oob_error: float
    honest: ErrorEstimate | None


def _estimate(honest: Mapping[str, Any] | None) -> ErrorEstimate | None:
    if honest is None:
        return None
    values = {k: np.nan if honest[k] is None else honest[k] for k in ("error", "se", "low", "high")}
    return ErrorEstimate(**values)


class Comparison:
    """Methods at budgets, with honest errors: the result of `compare`.

    Everything is in `document`, a JSON-able dict; the rest reads it.
    """

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document

    def __repr__(self) -> str:
        plan = self.document["settings"]
        return f"Comparison(methods={plan['methods']}, budgets={plan['budgets']})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Comparison) and self.document == other.document

    __hash__ = None  # type: ignore[assignment]

    @property
    def budgets(self) -> tuple[float, ...]:
        """The budgets, ascending."""
        return tuple(self.document["settings"]["budgets"])

    @property
    def methods(self) -> tuple[str, ...]:
        """The methods, in the order given."""
        return tuple(self.document["settings"]["methods"])

    def selection(self, budget: float, method: str) -> Selection:
        """What one method buys at one budget."""
        for row in self.document["selections"]:
            if row["budget"] == budget and row["method"] == method:
                return Selection(
                    row["budget"],
                    row["cost"],
                    tuple(row["features"]),
                    row["method"],
                    row["xi"],
                    row["oob_error"],
                    _estimate(row["honest"]),
                )
        raise ValueError(
            f"there is no result for budget {budget!r} and method {method!r}: the budgets are "
            f"{', '.join(f'{b:g}' for b in self.budgets)}, the methods {', '.join(self.methods)}."
        )

    def best(self, budget: float | None = None) -> Selection:
        """What to buy at a budget (the largest by default): the set with the lowest OOB score.

        Its honest error is that of the whole procedure, choice of method included.
        """
        budget = self.budgets[-1] if budget is None else budget
        for row in self.document["best"]:
            if row["budget"] == budget:
                winner = self.selection(budget, row["method"])
                return replace(winner, honest=_estimate(row["honest"]))
        raise ValueError(
            f"there is no result for budget {budget!r}: the budgets are "
            f"{', '.join(f'{b:g}' for b in self.budgets)}."
        )

    def frontier(self) -> list[FrontierPoint]:
        """Honest error against money, one point a budget."""
        points = []
        for budget in self.budgets:
            best = self.best(budget)
            if best.honest is None:
                raise ValueError("there is no honest error: compare with `n_resamples` above 0.")
            points.append(FrontierPoint(budget, best.cost, best.honest.error, best.honest.se))
        return points

    def knee(self) -> Selection | None:
        """The budget from which on money buys less, or None if there is no such bend."""
        point = find_knee(self.frontier())
        return None if point is None else self.best(point.budget)

    def cheapest_good(self) -> Selection:
        """The cheapest set within one standard error of the lowest honest error."""
        point = within_one_se(self.frontier())
        assert point is not None
        return self.best(point.budget)

    def cheapest(self, max_error: float) -> Selection | None:
        """The cheapest set with at most this honest error, or None."""
        point = cheapest_within(self.frontier(), max_error)
        return None if point is None else self.best(point.budget)

    def money_buys(self) -> list[float]:
        """Fall in honest error per unit of budget, from each budget to the next."""
        return money_buys(self.frontier())

    def to_frame(self) -> Any:
        """One row for each budget and method, as a pandas data frame."""
        import pandas as pd

        rows = []
        for row in self.document["selections"]:
            honest = _estimate(row["honest"])
            rows.append(
                {
                    "budget": row["budget"],
                    "method": row["method"],
                    "winner": row["winner"],
                    "n_features": len(row["features"]),
                    "cost": row["cost"],
                    "xi": row["xi"],
                    "oob_error": row["oob_error"],
                    "brier": row["brier"],
                    "error": np.nan if honest is None else honest.error,
                    "low": np.nan if honest is None else honest.low,
                    "high": np.nan if honest is None else honest.high,
                    "stability": row["stability"],
                    "features": tuple(row["features"]),
                }
            )
        return pd.DataFrame(rows)

    def to_html(self, path: str | PathLike[str]) -> None:
        """Write the comparison as one self-contained HTML page. It appears whole or not at all."""
        from frugalforest.report import render

        _write_whole(Path(path), render(self.document))

    def save(self, path: str | PathLike[str]) -> None:
        """Write the comparison as JSON. The file appears whole or not at all."""
        text = json.dumps(self.document, indent=1, ensure_ascii=False, allow_nan=False)
        _write_whole(Path(path), text + "\n")

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Self:
        """Read a comparison that `save` wrote."""
        try:
            document = json.loads(Path(path).read_text(encoding="utf-8"))
        except (UnicodeDecodeError, json.JSONDecodeError) as error:
            raise DataError(f"{str(path)!r} is no saved comparison ({error}).") from None
        if not isinstance(document, dict) or document.get("format") != "frugalforest comparison":
            raise DataError(f"{str(path)!r} is no saved comparison.")
        if not isinstance(written_as := document.get("format_version"), int):
            raise DataError(f"{str(path)!r} is no saved comparison: it has no format version.")
        if written_as > FORMAT_VERSION:
            raise DataError(
                f"{str(path)!r} was written by a newer frugalforest (format {written_as}, this one "
                f"reads up to {FORMAT_VERSION}): update to read it."
            )
        return cls(document)
