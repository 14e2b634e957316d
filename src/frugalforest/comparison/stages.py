"""The stages of a comparison: a search, on part of the rows if there are many, and what follows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.choice import (
    ALL_ROWS,
    MOST_ROWS,
    Grown,
    PooledSet,
    judge_on_all_rows,
    with_recurring_sets,
)
from frugalforest.comparison.hashes import task_key
from frugalforest.comparison.picks import Picked, pick_sets
from frugalforest.comparison.plan import Plan
from frugalforest.comparison.tasks import (
    AllRows,
    Chosen,
    Pick,
    Resample,
    choose_on_all,
    finish_pick,
    grow_set,
    run_resample,
    score_found_sets,
)
from frugalforest.costs import Budget, Prices
from frugalforest.evaluation.diagnoses import AnyDiagnosis, diagnose_any
from frugalforest.evaluation.diagnosis import LeftOutCases
from frugalforest.evaluation.parts import Parts
from frugalforest.evaluation.resampling import ErrorEstimate, Split
from frugalforest.evaluation.row_groups import RowGroups
from frugalforest.problem import FeatureSet
from frugalforest.running.progress import followed_by
from frugalforest.running.runner import Task
from frugalforest.storage.records import from_plain, to_plain
from frugalforest.tables import Outcome, Table
from frugalforest.words.wording import counted

__all__ = ["Checked", "Found", "Stages"]

# Given tasks to finish, and what they share: their results by key.
Finish = Callable[..., dict[str, Any]]


@dataclass(frozen=True)
class Checked:
    """What rows that the search did not see say of a set."""

    honest: ErrorEstimate
    diagnosis: AnyDiagnosis


@dataclass(frozen=True)
class Found:
    """What the stages found.

    Attributes
    ----------
    everything : AllRows
        What each method buys at each budget.
    resamples : sequence of Resample
    picked : sequence of Picked
        Sets that were judged on rows left out.
    checked : mapping of (budget, method) to Checked
        In a large table, for the methods that are tuned.
    """

    everything: AllRows
    resamples: Sequence[Resample]
    picked: Sequence[Picked]
    checked: Mapping[tuple[float, str], Checked]


@dataclass(frozen=True)
class Stages:
    """What all stages work on.

    Attributes
    ----------
    table, outcome, prices, plan
        What is compared.
    splits : sequence of Split
        Of the rows that are searched.
    parts : Parts or None
        None if all rows are searched.
    groups : RowGroups or None
        Of all rows.
    data_hash : str
    finish : callable
    """

    table: Table
    outcome: Outcome
    prices: Prices
    plan: Plan
    splits: Sequence[Split]
    parts: Parts | None
    groups: RowGroups | None
    data_hash: str
    finish: Finish

    def run(self) -> Found:
        """All stages, one after the other."""
        everything, resamples = self._search()
        final = self.plan.final
        if resamples and (final is None or final.has_out_of_bag):
            everything = self._with_recurring_sets(everything, resamples)
        # Picks are judged by the rows that were searched.
        outcome = self._searched[1]
        groups = self.groups_of(None if self.parts is None else self.parts.search)
        picked = pick_sets(self.plan, everything, resamples, self.splits, outcome, groups)
        if self.parts is None:
            return Found(self._finished(everything, picked), resamples, picked, {})
        on_all = _OnAllRows(self, self.parts)
        with followed_by("measuring what was chosen"):
            picked = on_all.judged(everything, picked)
            everything = self._finished(everything, picked)
        everything = on_all.measured(everything)
        checked = on_all.checked(everything.chosen) if self.splits else {}
        return Found(everything, resamples, picked, checked)

    def key(
        self,
        split: Split | None = None,
        pick: Pick | None = None,
        grown: tuple[int, FeatureSet] | None = None,
        scored: Sequence[FeatureSet] = (),
    ) -> str:
        """The name of a task."""
        own = self.data_hash, self.prices, self.plan
        return task_key(*own, split, pick, self.parts, grown, scored)

    def groups_of(self, rows: NDArray[np.intp] | None) -> RowGroups | None:
        """The groups of some rows, or of all."""
        return self.groups if self.groups is None or rows is None else self.groups.rows(rows)

    @property
    def _searched(self) -> tuple[Table, Outcome]:
        if self.parts is None:
            return self.table, self.outcome
        return self.table.rows(self.parts.search), self.outcome.rows(self.parts.search)

    def _followed(self) -> AbstractContextManager[None]:
        """What comes after the search."""
        if self.parts is not None:
            return followed_by("what was found, on more rows")
        judged = self.splits and self.plan.judged_methods
        return followed_by("measuring what was chosen") if judged else nullcontext()

    def _search(self) -> tuple[AllRows, list[Resample]]:
        tasks = [Task(self.key(), "all rows", _choose_on_all)]
        tasks += [
            Task(self.key(split), f"resample {i}", _run_resample, (split, i))
            for i, split in enumerate(self.splits)
        ]
        with self._followed():
            results = self.finish(tasks, *self._searched, self.prices, self.plan)
        # Of few rows two resamples may be the same split: one task, and two resamples all the same.
        first, *others = (results[task.key] for task in tasks)
        return (
            from_plain(AllRows, first, "a finished task"),
            [from_plain(Resample, result, "a finished task") for result in others],
        )

    def _with_recurring_sets(self, everything: AllRows, resamples: Sequence[Resample]) -> AllRows:
        """With what searches took in several resamples in the pools of all rows."""
        pools = {
            name: with_recurring_sets(pool, [each.pools[name] for each in resamples], self._score)
            for name, pool in everything.pools.items()
        }
        return replace(everything, pools=pools)

    def _score(self, sets: Sequence[FeatureSet]) -> list[PooledSet]:
        """Sets with their out-of-bag scores on the rows that are searched."""
        label = f"{counted(len(sets), 'set')} that resamples found"
        task = Task(self.key(scored=sets), label, _score_sets, (tuple(sets),))
        with self._followed():
            results = self.finish([task], *self._searched, self.prices, self.plan)
        return [from_plain(PooledSet, each, "a finished task") for each in results[task.key]]

    def _finished(self, everything: AllRows, picked: Sequence[Picked]) -> AllRows:
        """With the picked sets among those that were chosen."""
        tasks = [
            Task(
                self.key(pick=p.pick),
                f"{p.pick.method} for {p.pick.budget:g}",
                _finish_pick,
                (p.pick,),
            )
            for p in picked
        ]
        if not tasks:
            return everything
        results = self.finish(tasks, *self._searched, self.prices, self.plan).values()
        finished = [from_plain(Chosen, result, "a finished task") for result in results]
        place = [method.name for method in self.plan.methods].index
        both = [*everything.chosen, *finished]
        chosen = tuple(sorted(both, key=lambda c: (c.budget, place(c.method))))
        return replace(everything, chosen=chosen)


class _OnAllRows:
    """Sets that were found on a part of the rows, on all of them."""

    def __init__(self, stages: Stages, parts: Parts) -> None:
        self._stages = stages
        self._parts = parts
        self._grown: dict[tuple[int, FeatureSet], Grown] = {}

    def judged(self, everything: AllRows, picked: Sequence[Picked]) -> list[Picked]:
        """What is best by rows that the search did not see, in place of what the search picked."""
        plan = self._stages.plan
        found = []
        for name in dict.fromkeys(p.pick.method for p in picked):
            own = {Budget(p.pick.budget): p for p in picked if p.pick.method == name}
            pool, judged = judge_on_all_rows(
                everything.pools[name],
                {budget: p.judged for budget, p in own.items()},
                self._parts,
                self._stages.outcome,
                plan.seed,
                plan.score,
                plan.final,
                self._grow,
                self._stages.groups,
            )
            for budget, before in own.items():
                best = judged.get(budget)
                if best is None:  # nothing can be bought
                    found.append(before)
                    continue
                pick = Pick(budget.limit, name, *pool.chosen(best.place))
                found.append(Picked.of(pick, best if before.judged else None, pool))
        return found

    def measured(self, everything: AllRows) -> AllRows:
        """With out-of-bag scores of all rows for what was chosen."""
        sets = dict.fromkeys(c.features for c in everything.chosen)
        grown = self._grow(ALL_ROWS, list(sets))
        return replace(
            everything,
            chosen=tuple(_with_scores(c, grown[c.features]) for c in everything.chosen),
        )

    def checked(self, chosen: Sequence[Chosen]) -> dict[tuple[float, str], Checked]:
        """What rows held out say of the sets of tuned methods."""
        tuned = {method.name for method in self._stages.plan.tuned_methods}
        own = [c for c in chosen if c.method in tuned and c.features]
        grown = self._grow(MOST_ROWS, list(dict.fromkeys(c.features for c in own)))
        return {(c.budget, c.method): self._check(grown[c.features]) for c in own}

    def _check(self, grown: Grown) -> Checked:
        outcome, score = self._stages.outcome, self._stages.plan.score
        split = self._parts.final
        of_forest = self._stages.plan.final_of_tuned is None and grown.of_forests is not None
        packed = grown.of_forests if of_forest else grown.left_out
        assert packed is not None  # because it was grown without the rows held out
        said = packed.of_set(0, 1)
        known = outcome.rows(split.train).known
        losses = score.row_losses(said, outcome.truth[split.test], known)
        each = np.full(len(split.test), 1 / len(split.test))
        cases = LeftOutCases(split.test, said, each, known)
        own = self._stages.groups_of(split.test)
        honest = ErrorEstimate.of_rows(losses, score.highest(outcome.width), own)
        return Checked(
            score.quote(honest, outcome.unit),
            diagnose_any([cases], outcome, score, self._stages.groups),
        )

    def _grow(self, where: int, sets: Sequence[FeatureSet]) -> dict[FeatureSet, Grown]:
        """A forest for each set. What was grown before is not grown again."""
        stages = self._stages
        tasks = {
            features: Task(
                stages.key(grown=(where, features)),
                f"{len(features)} columns on {self._n_rows(where):,} rows",
                _grow_set,
                (where, features),
            )
            for features in sets
            if (where, features) not in self._grown
        }
        shared = stages.table, stages.outcome, stages.prices, stages.plan, self._parts
        results = stages.finish(list(tasks.values()), *shared) if tasks else {}
        for features, task in tasks.items():
            found = from_plain(Grown, results[task.key], "a finished task")
            self._grown[where, features] = found
        return {features: self._grown[where, features] for features in sets}

    def _n_rows(self, where: int) -> int:
        if where == ALL_ROWS:
            return self._stages.table.n_rows
        rows = self._parts.final.train if where == MOST_ROWS else self._parts.race[where]
        return len(rows)


def _with_scores(chosen: Chosen, grown: Grown) -> Chosen:
    oob = grown.oob
    return replace(chosen, score=oob.value, oob_error=oob.oob_error, brier=oob.brier)


# Just finished or kept in a file, results are the same plain values.


def _choose_on_all(*inputs: Any) -> Any:
    return to_plain(choose_on_all(*inputs))


def _run_resample(*inputs: Any) -> Any:
    return to_plain(run_resample(*inputs))


def _finish_pick(*inputs: Any) -> Any:
    return to_plain(finish_pick(*inputs))


def _score_sets(*inputs: Any) -> Any:
    return [to_plain(each) for each in score_found_sets(*inputs)]


def _grow_set(*inputs: Any) -> Any:
    return to_plain(grow_set(*inputs))
