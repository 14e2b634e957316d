"""One door for data: files, frames and arrays are given their meaning here and nowhere else.

::

    file ── read_table ──► frame, cells as written ─┐
    frames, arrays, lists ──────────────────────────┴─ Table.read ──► Table ─┐
                                                        Schema.read ◄ schema ├─ Encoder ──► numbers
    target ───────────────────────────────────────── Outcome.read ► Outcome ─┘

The command line, `compare`, the estimators and the fitted model read the same cells into the same
columns.
"""

from frugalforest.tables.cells import as_text, text_column
from frugalforest.tables.checks import check_features, column_checks
from frugalforest.tables.columns import Notice
from frugalforest.tables.copies import copied_rows
from frugalforest.tables.encoding import Encoder
from frugalforest.tables.labels import known_labels
from frugalforest.tables.numbers import Numbers
from frugalforest.tables.outcome import Classes, Outcome, Task
from frugalforest.tables.reading import find_column, read_table
from frugalforest.tables.table import Schema, Table
from frugalforest.tables.targets import TASKS, check_task, found_task, read_outcome, task_notice
from frugalforest.tables.writing import table_text, write_table

__all__ = [
    "TASKS",
    "Classes",
    "Encoder",
    "Notice",
    "Numbers",
    "Outcome",
    "Schema",
    "Table",
    "Task",
    "as_text",
    "check_features",
    "check_task",
    "column_checks",
    "copied_rows",
    "find_column",
    "found_task",
    "known_labels",
    "read_outcome",
    "read_table",
    "table_text",
    "task_notice",
    "text_column",
    "write_table",
]
