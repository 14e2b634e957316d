"""What a case costs in all: the price of its measurements, and what errors cost.

Cleveland heart disease and hepatitis with P. Turney's prices, and three levels of what errors cost,
as in the data files of STreeD (van der Linden, de Weerdt and Demirović 2023). There the dearer
error is the one on the rarer class, and the two are about inversely proportional to how common the
classes are: an ill heart that is called healthy costs 88 (177, 531), a false alarm 75 (151, 455); a
death that is not foreseen costs 12 (25, 76), a false alarm 3 (6, 19).

Rows are split 80 to 20, stratified, again and again. On the larger part each strategy makes all of
its choices; on the smaller one it is billed. frugalforest takes, of a few budgets and of measuring
nothing, the one with the lowest price plus honest cost of errors. Rivals: see `cost_rivals.py`.

    python benchmarks/bench_total_cost.py --rows results/total_cost/rows.csv
    python benchmarks/bench_total_cost.py --quick              does it run?

Rows are written to --rows (CSV) as they come, and splits that are there already are not made again.
What is printed: means over splits of the total and its parts, and the paired difference to
frugalforest with its 95 % interval, which allows for the overlap of the splits (Nadeau and Bengio
2003).
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.model_selection import train_test_split

from common import print_machine, print_table, timed
from cost_rivals import Bill, ForestOnEverything, cegb, error_bill, nothing, optimal_tree, pystreed
from frugalforest import CostModel, compare
from frugalforest.datasets import load_priced
from frugalforest.evaluation.resampling import estimate_mean
from problems import DATA
from rivals import lightgbm

TEST_SHARE = 0.2
OURS = "frugalforest"
FIELDS = ("problem", "missed", "false_alarm", "split", "method", "measurements", "errors")
FIELDS += ("n_features", "quoted", "s")
Row = dict[str, Any]


@dataclass(frozen=True)
class Costs:
    """What an ill case that is called healthy costs, and a healthy one that is called ill."""

    missed: float
    false_alarm: float

    @property
    def losses(self) -> Any:
        """By true class (rows) and predicted class (columns); 1 is ill."""
        return np.array([[0.0, self.false_alarm], [self.missed, 0.0]])


COSTS = {
    "heart_cleveland": (Costs(88, 75), Costs(177, 151), Costs(531, 455)),
    "hepatitis": (Costs(12, 3), Costs(25, 6), Costs(76, 19)),
}
BUDGETS = {"heart_cleveland": (2, 4, 20, 110, 200), "hepatitis": (1, 2, 4, 8, 20)}


def run_split(
    name: str, number: int, levels: Sequence[Costs], n_trees: int, n_resamples: int
) -> list[Row]:
    """All strategies on one split, for all costs of errors."""
    data = load_priced(name, DATA)
    model = CostModel.from_csv(data.costs_path)
    prices = model.align(data.feature_names)
    y = data.y.astype(np.intp)
    here, there = train_test_split(
        np.arange(len(y)), test_size=TEST_SHARE, stratify=y, random_state=number
    )
    X, X_new, y, y_new = data.X[here], data.X[there], y[here], y[there]
    frame = pd.DataFrame(data.X, columns=list(data.feature_names))
    grow_s, forest = timed(lambda: ForestOnEverything(X, y, n_trees))
    rows: list[Row] = []
    for costs in levels:
        losses = costs.losses

        def keep(
            method: str, bill: Bill, s: float, quoted: float = np.nan, costs: Costs = costs
        ) -> None:
            values = (name, costs.missed, costs.false_alarm, number, method, bill.measurements)
            values += (bill.errors, bill.n_features, quoted, s)
            rows.append(dict(zip(FIELDS, values, strict=True)))

        s, (bill, quoted) = timed(
            lambda costs=costs: _ours(
                frame.iloc[here], y, frame.iloc[there], y_new, model, BUDGETS[name], costs,
                n_trees, n_resamples, number,
            )
        )  # fmt: skip
        keep(OURS, bill, s, quoted)
        if pystreed is not None:
            s, (one_by_one, panel) = timed(
                lambda losses=losses: optimal_tree(X, y, X_new, y_new, prices, losses)
            )
            keep("optimal tree, test by test", one_by_one, s)
            keep("optimal tree, as a panel", panel, s)
        if lightgbm is not None:
            s, bill = timed(lambda losses=losses: cegb(X, y, X_new, y_new, prices, losses))
            keep("CEGB", bill, s)
        keep("forest on everything", forest.bill(X_new, y_new, prices, losses), grow_s)
        keep("nothing", nothing(y, y_new, losses), 0.0)
    return rows


def _ours(
    X: Any,
    y: Any,
    X_new: Any,
    y_new: Any,
    prices: CostModel,
    budgets: Sequence[float],
    costs: Costs,
    n_trees: int,
    n_resamples: int,
    seed: int,
) -> tuple[Bill, float]:
    """The bill on new rows, and the total that was quoted."""
    guessing = float((np.bincount(y, minlength=2) @ costs.losses).min() / len(y))
    result = compare(
        X,
        y,
        prices,
        # What costs more than guessing does cannot be worth its price.
        [budget for budget in budgets if budget < guessing],
        "auto",
        error_costs={(1, 0): costs.missed, (0, 1): costs.false_alarm},
        n_trees=n_trees,
        n_resamples=n_resamples,
        random_state=seed,
        verbose=0,
    )
    sets = [result.best(budget) for budget in result.budgets]
    best = min(sets, key=lambda s: s.cost + s.honest.error)
    quoted = best.cost + best.honest.error
    if guessing <= quoted:
        return nothing(y, y_new, costs.losses), guessing
    predicted = np.asarray(result.fit(X, y, best.budget).predict(X_new)).astype(np.intp)
    errors = error_bill(y_new, predicted, costs.losses)
    return Bill(best.cost, errors, len(best.features)), quoted


def print_results(rows: list[Row]) -> None:
    """One line for each problem, cost of errors and strategy."""
    frame = pd.DataFrame(rows)
    frame["total"] = frame["measurements"] + frame["errors"]
    lines = []
    for (name, missed, alarm), cell in frame.groupby(["problem", "missed", "false_alarm"]):
        totals = cell.pivot(index="split", columns="method", values="total")
        for method, own in cell.groupby("method", sort=False):
            difference = ""
            if method != OURS:
                pairs = (totals[method] - totals[OURS]).dropna().to_numpy()
                mean = estimate_mean(pairs, TEST_SHARE / (1 - TEST_SHARE))
                difference = f"{mean.mean:+.2f} ({mean.low:+.2f} to {mean.high:+.2f})"
            means = own[["total", "measurements", "errors"]].mean()
            parts = [f"{value:.2f}" for value in means]
            costs = f"{missed:g} / {alarm:g}"
            lines.append([name, costs, method, *parts, difference])
    header = ["problem", "missed / false alarm", "strategy", "total", "measurements", "errors"]
    print_table([*header, f"total − that of {OURS} (95 % interval)"], lines)
    ours = frame[frame["method"] == OURS]
    for name, own in ours.groupby("problem"):
        print(
            f"\n{name}: {own['split'].nunique()} splits; frugalforest quoted totals of "
            f"{own['quoted'].mean():.2f} and had {own['total'].mean():.2f} on new rows (means over "
            f"all costs of errors); {own['s'].mean():.0f} s for each choice"
        )


def read_rows(path: Path) -> list[Row]:
    """The rows of an earlier run, if there was one."""
    return pd.read_csv(path).to_dict("records") if path.exists() else []


def write_rows(path: Path, rows: list[Row]) -> None:
    """All rows."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, FIELDS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--splits", type=int, default=20)
    parser.add_argument("--rows", type=Path, help="a CSV file that keeps every row")
    parser.add_argument(
        "--quick", "--small", action="store_true", help="two splits of hepatitis, 30 trees"
    )
    options = parser.parse_args()
    names = ["hepatitis"] if options.quick else list(COSTS)
    n_splits = 2 if options.quick else options.splits
    n_trees, n_resamples = (30, 2) if options.quick else (200, 5)
    rivals = {"pystreed": pystreed, "lightgbm": lightgbm}
    there = [package for package, module in rivals.items() if module is not None]
    print_machine("frugalforest", "numpy", "scikit-learn", *there)
    for package in sorted(set(rivals) - set(there)):
        print(f"{package} is not installed: its rows are left out.\n")
    rows = read_rows(options.rows) if options.rows else []
    done = {(row["problem"], row["split"]) for row in rows}
    for number in range(n_splits):  # in this order, so that a run that is stopped has whole splits
        for name in names:
            if (name, number) in done:
                continue
            levels = COSTS[name][-1:] if options.quick else COSTS[name]
            rows += run_split(name, number, levels, n_trees, n_resamples)
            if options.rows:
                write_rows(options.rows, rows)
            print(f"split {number + 1} of {n_splits}, {name}", flush=True)
    print()
    print_results(rows)


if __name__ == "__main__":
    main()
