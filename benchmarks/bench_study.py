"""One unit of the paper's artificial study, in units of one scikit-learn forest.

The unit of measure is the time scikit-learn takes for 1000 trees with out-of-bag score on
500 × 30, one thread, in the same run. A unit is setting A with five budgets and all ξ: selecting,
a 1000-tree forest on every distinct set, and its error on 5000 test rows. One thread.

Usage: python benchmarks/bench_study.py [--without-forward]
"""

from __future__ import annotations

import sys

from common import forest_seconds, print_machine, print_table, ratio_text, timed
from frugalforest.engine import ForestSettings, code_table, code_target, score_sets
from frugalforest.study import Unit, get_design
from frugalforest.study.unit import UnitResults, run_unit

FILTERS_AND_STS = ("auc", "pfi", "sts")
MOST_FORESTS, MOST_WITH_FORWARD = 30, 250
GOAL, GOAL_WITH_FORWARD = 12, 45


def run(unit: Unit, methods: tuple[str, ...]) -> tuple[float, UnitResults]:
    seconds, outcome = timed(lambda: run_unit(unit, methods))
    if not isinstance(outcome, UnitResults):
        raise RuntimeError(outcome.details)
    return seconds, outcome


def growing_seconds(unit: Unit, outcome: UnitResults) -> float:
    """Seconds for the forests of all sets without predicting the test rows."""
    data = unit.source.load(unit.draw, unit.replicate)
    coded, target = code_table(data.X_train), code_target(data.y_train, 2)
    sets = [scored.features for scored in outcome.sets]
    settings = ForestSettings(unit.effort.scoring_trees)
    return timed(lambda: score_sets(coded, target, sets, [0] * len(sets), settings))[0]


def main() -> None:
    print_machine("frugalforest", "scikit-learn", "numpy")
    forest = forest_seconds()
    unit = get_design("paper-artificial").units[0]
    seconds, outcome = run(unit, FILTERS_AND_STS)
    n_sets = len(outcome.sets)
    growing = growing_seconds(unit, outcome)
    scoring = sum(scored.seconds for scored in outcome.sets)
    parts = {f"selecting: {r.method}": r.select_seconds for r in outcome.runs}
    parts |= {f"growing {n_sets} forests": growing, "predicting 5000 rows": scoring - growing}

    def line(what: str, took: float, most: object = "", goal: object = "") -> list[object]:
        return [what, took, ratio_text(took / forest), f"{took / seconds:.0%}", most, goal]

    rows: list[list[object]] = [["scikit-learn, one forest", forest, "1.00×", "", "", ""]]
    rows += [line(what, took) for what, took in parts.items()]
    rows.append(line("unit: auc, pfi, sts", seconds, MOST_FORESTS, GOAL))
    if "--without-forward" not in sys.argv:
        with_forward, _ = run(unit, (*FILTERS_AND_STS, "fs-0", "fs-1"))
        rows.append(
            line("unit: and fs-0, fs-1", with_forward, MOST_WITH_FORWARD, GOAL_WITH_FORWARD)
        )
    print_table(["what", "seconds", "forests", "of the unit", "at most", "goal"], rows)


if __name__ == "__main__":
    main()
