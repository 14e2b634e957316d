"""How often the checks of a table cry wolf, and how often they find what was planted.

Honest tables: the real sets, whole and in parts of 60 to 500 rows, scikit-learn's toy sets, the
paper's settings and all families of `problems.py`. No column of them is a leak, no rows of them are
copies, and none are visits of one person: each notice that says so is a false alarm, but in the
real sets that hold such rows, which are listed. Then one fault is planted in each table: a copy of
the target with 3 % of its cells wrong, a measurement that is filled in for one class only, each row
three times, and visits of one person in one block.

    python benchmarks/bench_checks.py            some minutes
    python benchmarks/bench_checks.py --quick    a few: does it run?
"""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Callable, Iterator

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn import datasets

import problems
from common import print_machine, print_table
from frugalforest.tables import Outcome, Table, column_checks

LEAKS = ("predicts_target", "nearly_predicts_target", "missing_tells_target")
ROWS = ("copied_rows", "repeated_rows")
TOYS = ("iris", "wine", "breast_cancer", "digits")
Labels = NDArray[np.object_]
N_DRAWS = 20


def honest_tables(quick: bool) -> Iterator[tuple[str, pd.DataFrame, Labels]]:
    """Names, tables and classes."""
    n_draws = 1 if quick else N_DRAWS
    for name in (*problems.SETTINGS, *problems.FAMILIES, *problems.LATER_FAMILIES):
        for number in range(n_draws):
            drawn = problems.draw(name, number)
            yield name, pd.DataFrame(drawn.X), np.asarray(drawn.y, dtype=object)
    for toy in TOYS:
        bunch = getattr(datasets, f"load_{toy}")(as_frame=True)
        yield toy, bunch.data, bunch.target.to_numpy(dtype=object)
    if not problems.DATA.exists():
        return
    for name in problems.REAL:
        drawn = problems.draw(name, 0)
        X = pd.concat([drawn.X, drawn.X_test], ignore_index=True)
        y = np.concatenate([drawn.y, drawn.y_test]).astype(object)
        yield name, X, y
        for number in range(n_draws):
            rng = np.random.default_rng(number)
            rows = rng.permutation(len(X))[: int(rng.integers(60, 501))]
            yield f"{name}, part", X.iloc[rows].reset_index(drop=True), y[rows]


def found(X: pd.DataFrame, y: Labels) -> Counter[str]:
    """How many columns, or tables, are told of, by kind."""
    X = X.rename(columns=str)
    notices = column_checks(Table.read(X), Outcome.read(y))
    return Counter(n.kind for n in notices if n.kind in (*LEAKS, *ROWS))


def _copy(X: pd.DataFrame, y: Labels, rng: np.random.Generator) -> tuple[pd.DataFrame, Labels]:
    other = rng.permutation(y)
    return X.assign(planted=np.where(rng.random(len(y)) < 0.03, other, y).astype(str)), y


def _gaps(X: pd.DataFrame, y: Labels, rng: np.random.Generator) -> tuple[pd.DataFrame, Labels]:
    return X.assign(planted=np.where(y == y[0], rng.normal(size=len(y)), np.nan)), y


def _three_times(
    X: pd.DataFrame, y: Labels, rng: np.random.Generator
) -> tuple[pd.DataFrame, Labels]:
    rows = rng.permutation(np.repeat(np.arange(len(y)), 3))
    return X.iloc[rows].reset_index(drop=True), y[rows]


def _visits(X: pd.DataFrame, y: Labels, rng: np.random.Generator) -> tuple[pd.DataFrame, Labels]:
    """Rows of one person have one age, one sex and one arm; in the order of persons."""
    person = np.repeat(np.arange(len(y)), rng.integers(2, 9, len(y)))[: len(y)]
    age, sex, arm = rng.uniform(20, 80, len(y)), rng.random(len(y)), rng.random(len(y))
    own = {"own_age": age.round(1), "own_sex": sex < 0.8, "own_arm": arm < 0.5}
    return X.assign(**{name: values[person] for name, values in own.items()}), y


Fault = Callable[[pd.DataFrame, Labels, np.random.Generator], tuple[pd.DataFrame, Labels]]
PLANTED: dict[str, tuple[Fault, tuple[str, ...]]] = {
    "copy of the target, 3 % wrong": (_copy, LEAKS[:2]),
    "filled in for one class only": (_gaps, LEAKS),
    "each row three times": (_three_times, ROWS[:1]),
    "visits of one person": (_visits, ROWS[1:]),
}


def main() -> None:
    """Print both tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--quick", action="store_true")
    quick = parser.parse_args().quick
    print_machine("frugalforest", "numpy")
    alarms: dict[str, Counter[str]] = {}
    seen: Counter[str] = Counter()
    for name, X, y in honest_tables(quick):
        kinds = alarms.setdefault(name, Counter())
        kinds.update({"tables": 1, "columns": X.shape[1]})
        kinds.update(found(X, y))
        rng = np.random.default_rng([len(y), *name.encode()])
        for fault, (plant, wanted) in PLANTED.items():
            told = found(*plant(X, y, rng))
            seen[fault] += bool(sum(told[kind] for kind in wanted))
    header = ("tables", "columns", *LEAKS, *ROWS)
    print_table(("honest", *header), [(n, *(k[h] for h in header)) for n, k in alarms.items()])
    total = sum(alarms.values(), Counter())
    n_leaks = sum(total[kind] for kind in LEAKS)
    print(f"\n{n_leaks} of {total['columns']:,} honest columns are called a leak.\n")
    print_table(("planted", "found", "of"), [(f, seen[f], total["tables"]) for f in PLANTED])


if __name__ == "__main__":
    main()
