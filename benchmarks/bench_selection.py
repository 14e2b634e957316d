"""Selection against the same algorithms in scikit-learn and NumPy, side by side in one run.

n = 500, p = 200, setting C, one thread, budgets 1, 2, 5, 10 and 30, ξ = 0, 0.1, …, 2.0. Ours is
always timed whole. The reference (sklearn_methods.py) would take hours, so some of its work is
timed on a sample and scaled; what was sampled is printed above the table:

1. Shallow trees, everything: base ensemble (whole) + greedy (as in 2) + a 1000-tree forest for
   each distinct set (ten sets, evenly spaced by size, scaled to the number of distinct sets; the
   reference, too, is allowed to score a set once).
2. Greedy alone, both on the same 2,200 trees: some ξ of each budget, scaled to all 21. The sets
   are compared.
3. One forward path: two forests at each of several steps along our path; a forest's time grows
   smoothly with the number of features, so the steps between are interpolated, times the number
   of features that still fitted at each step.
4. (--full) Forward selection tuned over all ξ and budgets, with racing, against as many separate
   paths of our own without it: two ξ of each budget are run from scratch and scaled to 21. With
   --exact also tuned without racing: then paths share only what they have in common.

    python benchmarks/bench_selection.py            about 5 minutes
    python benchmarks/bench_selection.py --full     and line 4: about 20 minutes
    python benchmarks/bench_selection.py --exact    and line 4 without racing: an hour or so
    python benchmarks/bench_selection.py --quick    a small table and few trees: does it run?
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from common import print_machine, print_table, ratio_text, timed
from frugalforest.choice import tune
from frugalforest.costs import Budget
from frugalforest.datasets import make_cost_classification
from frugalforest.engine import ForestSettings, ShallowTrees
from frugalforest.methods import DEFAULT_GRID, Candidate, Forward, ShallowTreeMethod
from frugalforest.methods._tree_levels import Level, largest_depth
from frugalforest.problem import Problem
from sklearn_methods import TreeVotes, choose_trees, forest_error, grow_base_ensemble


@dataclass(frozen=True)
class Size:
    """How much work is done."""

    n_rows: int = 500
    n_features: int = 200
    budgets: tuple[Budget, ...] = tuple(map(Budget, (1.0, 2.0, 5.0, 10.0, 30.0)))
    xis: tuple[float, ...] = DEFAULT_GRID
    shallow_trees: int = 500
    scoring_trees: int = 1000
    forward_trees: int = 500
    sampled_xis: tuple[float, ...] = (0.0, 0.7, 1.4, 2.0)
    sampled_sets: int = 10
    sampled_steps: int = 6


QUICK = Size(
    n_rows=150,
    n_features=40,
    budgets=(Budget(1.0), Budget(3.0)),
    xis=(0.0, 0.5, 1.0),
    shallow_trees=20,
    scoring_trees=50,
    forward_trees=50,
    sampled_xis=(0.0, 1.0),
    sampled_sets=2,
    sampled_steps=2,
)


class Bench:
    """One table and the lines measured on it. As ever with "sd", so that times can be compared."""

    def __init__(self, size: Size) -> None:
        self.size = size
        self.X, self.y, self.costs = make_cost_classification(
            "C", size.n_rows, size.n_features, size.n_features // 2, spread="sd"
        )
        self.lines: list[list[object]] = []

    def problem(self) -> Problem:
        """The table as a problem that remembers nothing yet."""
        forests = ForestSettings(n_trees=self.size.scoring_trees)
        return Problem.from_table(self.X, self.y, self.costs, forests=forests, n_jobs=1)

    def add(self, work: str, ours: float, theirs: float, floor: float, goal: float) -> None:
        """One line of the table; seconds of ours and of the reference."""
        self.lines.append(
            [
                work,
                f"{ours:.3f}",
                f"{theirs:.1f}",
                ratio_text(theirs / ours),
                f"{floor:g}×",
                f"{goal:g}×",
            ]
        )

    # --- shallow trees --------------------------------------------------------------------------

    def shallow_trees(self) -> None:
        """Lines 1 and 2."""
        size = self.size
        method = ShallowTreeMethod(size.xis, n_trees=size.shallow_trees)
        seconds, tuned = timed(lambda: tune(self.problem(), method, size.budgets))
        sets = {tried.candidate.features for t in tuned.values() for tried in t.tried}
        greedy, reference_greedy = self.greedy(method)

        depth = max(largest_depth(self.problem().prices, b) for b in size.budgets)
        base, _ = timed(
            lambda: grow_base_ensemble(self.X, self.y, depth, size.shallow_trees, seed=0)
        )
        by_size = sorted(sets, key=lambda s: (len(s), s))
        places = np.linspace(0, len(by_size) - 1, min(size.sampled_sets, len(by_size)))
        sample = [by_size[round(place)] for place in places]
        scoring = sum(
            timed(lambda s=s: forest_error(self.X, self.y, s, size.scoring_trees))[0]
            for s in sample
        )
        scoring *= len(sets) / len(sample)
        print(
            f"Shallow trees: {len(sets)} distinct sets, {len(sample)} scored by the reference; its "
            f"base ensemble took {base:.1f} s, its greedy {reference_greedy:.1f} s, its scoring "
            f"{scoring:.1f} s (the last two scaled)."
        )
        grid = f"{len(size.xis)} ξ × {len(size.budgets)} budgets"
        theirs = base + reference_greedy + scoring
        self.add(f"shallow trees, {grid}, with base and scoring", seconds, theirs, 12, 30)
        self.add(f"shallow trees, {grid}, greedy alone", greedy, reference_greedy, 30, 200)

    def greedy(self, method: ShallowTreeMethod) -> tuple[float, float]:
        """Seconds of ours and of the reference, on the same trees."""
        size, seconds = self.size, np.inf
        for _ in range(3):  # it takes a tenth of a second, so one busy moment would decide
            problem = self.problem()
            method.at(problem, size.budgets, [])  # grows the trees, which are remembered
            spent, found = timed(lambda p=problem: method.propose(p, size.budgets))
            seconds = min(seconds, spent)
        depths = {b: largest_depth(problem.prices, b) for b in size.budgets}
        levels = [Level(max_depth=d) for d in range(1, max(depths.values()) + 1)]
        base = method._prepare(problem, levels, zeta=0.0)
        theirs, n_same, n_compared = 0.0, 0, 0
        for budget in size.budgets:
            trees = unpacked(base.trees, base.n_up_to[depths[budget]], problem)
            for xi in size.sampled_xis:
                spent, features = timed(
                    lambda t=trees, b=budget.limit, xi=xi: choose_trees(t, self.costs, b, xi)
                )
                theirs += spent * len(size.xis) / len(size.sampled_xis)
                n_compared += 1
                n_same += tuple(features) == found[budget][size.xis.index(xi)].features
        print(
            f"Greedy on {len(base.trees):,} trees: the reference ran ξ = "
            f"{', '.join(map(str, size.sampled_xis))} for each budget; {n_same} of {n_compared} "
            "sets are the same as ours."
        )
        return seconds, theirs

    # --- forward selection ----------------------------------------------------------------------

    def forward(self) -> None:
        """Line 3."""
        size, budget, xi = self.size, max(self.size.budgets), 1.0
        problem = self.problem()
        method = Forward([xi], size.forward_trees)
        seconds, path = timed(lambda: method.propose(problem, [budget])[budget][0])
        n_forests = self.affordable_at_each_step(path, budget)
        order = [step.features[0] for step in path.steps]
        steps = np.unique(np.linspace(0, len(order) - 1, size.sampled_steps).round().astype(int))
        times = []
        for step in steps:
            # The feature that was added and one that was not.
            others = [j for j in range(size.n_features) if j not in order[: step + 1]]
            times.append(
                np.mean(
                    [
                        timed(
                            lambda j=j, step=step: forest_error(
                                self.X, self.y, [*order[:step], j], size.forward_trees
                            )
                        )[0]
                        for j in (order[step], others[0])
                    ]
                )
            )
        per_step = np.interp(np.arange(len(order)), steps, times)
        theirs = float(per_step @ n_forests)
        print(
            f"Forward path to budget {budget.limit:g}: {len(order)} steps, {sum(n_forests):,} "
            f"forests of {size.forward_trees} trees; ours took "
            f"{1e3 * seconds / sum(n_forests):.1f} ms each, the reference's "
            f"{1e3 * theirs / sum(n_forests):.0f} ms (two forests at each of {len(steps)} steps)."
        )
        self.add(f"one forward path to budget {budget.limit:g}, ξ = 1", seconds, theirs, 40, 300)
        self.racing(budget, xi, seconds, path)

    def racing(self, budget: Budget, xi: float, exact_seconds: float, exact: Candidate) -> None:
        """What racing gains in time, and what it changes."""
        method = Forward([xi], self.size.forward_trees, racing=True)
        problem = self.problem()
        seconds, path = timed(lambda: method.propose(problem, [budget])[budget][0])
        common = len(set(path.features) & set(exact.features))
        scores = problem.scores([path.features, exact.features])
        print(
            f"Racing: {seconds:.1f} s, {ratio_text(exact_seconds / seconds)} as fast. It chose "
            f"{len(path.features)} features, {common} of them among the {len(exact.features)} that "
            f"are chosen without; OOB error {scores[0].oob_error:.4f} against "
            f"{scores[1].oob_error:.4f}."
        )

    def affordable_at_each_step(self, path: Candidate, budget: Budget) -> list[int]:
        """How many features still fitted: the forests that the step needs."""
        before = [0.0, *accumulate(step.cost for step in path.steps)][:-1]
        bought: set[int] = set()
        numbers = []
        for step, spent in zip(path.steps, before, strict=True):
            fit = budget.fits(spent + self.costs)
            numbers.append(int(fit.sum()) - sum(bool(fit[j]) for j in bought))
            bought |= set(step.features)
        return numbers

    def tuned_forward(self, exact: bool) -> None:
        """Line 4: with racing, and without if `exact`."""
        size, separate = self.size, self.separate_paths()
        grid = f"{len(size.xis)} ξ × {len(size.budgets)} budgets"
        for racing in (True, False) if exact else (True,):
            method = Forward(size.xis, size.forward_trees, racing=racing)
            seconds, tuned = timed(lambda m=method: tune(self.problem(), m, size.budgets))
            name = "racing" if racing else "all trees for all candidates"
            best = ", ".join(f"{t.best.score.oob_error:.4f}" for t in tuned.values())
            print(
                f"Forward selection tuned, {name}: {seconds / 60:.1f} min; lowest OOB errors by "
                f"budget: {best}.",
                flush=True,
            )
            self.add(f"forward, {grid}, {name}, against separate paths", seconds, separate, 10, 40)

    def separate_paths(self) -> float:
        """Seconds of forward selection for each ξ and budget by itself, without racing."""
        size, seconds = self.size, 0.0
        sampled = [xi for xi in (0.5, 1.0) if xi in size.xis]
        for budget in size.budgets:
            for xi in sampled:
                method = Forward([xi], size.forward_trees)
                spent, _ = timed(lambda b=budget, m=method: tune(self.problem(), m, [b]))
                seconds += spent * len(size.xis) / len(sampled)
        print(
            f"Forward selection, {len(size.xis) * len(size.budgets)} separate paths: ξ = "
            f"{', '.join(map(str, sampled))} of each budget were run, and scaled.",
            flush=True,
        )
        return seconds


def unpacked(trees: ShallowTrees, n_trees: int, problem: Problem) -> TreeVotes:
    """The first trees' packed votes and features in the reference's form."""
    n_rows, n_features = problem.data.n_rows, problem.n_features
    packed = trees.votes[:n_trees].astype("<u8").view(np.uint8)
    votes = np.unpackbits(packed, axis=-1, bitorder="little")[..., :n_rows].astype(bool)
    right = np.take_along_axis(votes, problem.outcome.labels[None, None, :], axis=1)[:, 0, :]
    signs = right.astype(np.int8) - (votes.any(axis=1) & ~right)
    uses = np.zeros((n_trees, n_features), dtype=bool)
    for t in range(n_trees):
        uses[t, trees.features(t)] = True
    return TreeVotes(signs.astype(np.int8), uses)


def print_lines(lines: Sequence[Sequence[object]]) -> None:
    print()
    print_table(["work", "our s", "reference s", "ratio", "floor", "goal"], lines)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="a small table and few trees")
    parser.add_argument("--full", action="store_true", help="also forward selection, tuned")
    parser.add_argument("--exact", action="store_true", help="and tuned without racing")
    options = parser.parse_args()
    print_machine("frugalforest", "numpy", "scikit-learn")
    bench = Bench(QUICK if options.quick else Size())
    bench.shallow_trees()
    bench.forward()
    if options.full or options.exact:
        print_lines(bench.lines)
        bench.tuned_forward(options.exact)
    print_lines(bench.lines)


if __name__ == "__main__":
    main()
