"""Numbers from a store: means, intervals, differences, ranks. All as CSV.

Intervals are at 95 %, from Student's t; there is none where all replicates have the same value. On
real data they are given twice: ``low, high`` as in the paper, as if the splits were independent,
and ``nb_low, nb_high`` after Nadeau and Bengio, which allow for the rows that splits share.

Of a design by another score, that score takes the place of the error, in the columns' names too.
"""

from __future__ import annotations

import lzma
from pathlib import Path

from frugalforest.storage.files import whole_file
from frugalforest.study.design import Design
from frugalforest.study.finished import read_results
from frugalforest.study.store import Store
from frugalforest.study.tables._rows import RowTable
from frugalforest.study.tables.cells import cell_table, difference_table
from frugalforest.study.tables.curves import curve_table, tuning_table, xi_table
from frugalforest.study.tables.draws import draw_difference_table, draw_table
from frugalforest.study.tables.ranks import rank_table, wilcoxon_table
from frugalforest.study.tables.runs import raw_table, seconds_table

__all__ = [
    "RowTable",
    "cell_table",
    "curve_table",
    "difference_table",
    "draw_difference_table",
    "draw_table",
    "rank_table",
    "raw_table",
    "seconds_table",
    "tuning_table",
    "wilcoxon_table",
    "write_tables",
    "xi_table",
]

_TABLES = {
    "cells": cell_table,
    "xi": xi_table,
    "tuning": tuning_table,
    "curves": curve_table,
    "differences": difference_table,
    "ranks": rank_table,
    "wilcoxon": wilcoxon_table,
    "seconds": seconds_table,
}
_DRAW_TABLES = {"draws": draw_table, "draw_differences": draw_difference_table}


def write_tables(design: Design, store: Store, folder: Path) -> list[Path]:
    """Write all tables of what is finished; the raw rows are compressed."""
    results = read_results(design, store)
    folder.mkdir(parents=True, exist_ok=True)
    written = []
    for name, make in (_TABLES | (_DRAW_TABLES if results.has_several_draws else {})).items():
        path = folder / f"{name}.csv"
        with whole_file(path) as draft:
            draft.write_text(make(results).to_csv(), encoding="utf-8")
        written.append(path)
    path = folder / "rows.csv.xz"
    with (
        whole_file(path) as draft,
        lzma.open(draft, "wt", encoding="utf-8", newline="") as file,
    ):
        file.write(raw_table(results).to_csv())
    return [*written, path]
