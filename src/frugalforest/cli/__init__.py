"""The command line: it parses, calls and prints.

::

    demo ──► data.csv, prices.csv ──► select ──► report.html, selection.json, model-<budget>.zip
                                                                     predict ◄── model, new table

What a user can fix ends in one line on standard error and exit code 2, and leaves nothing half
written. Any other failure is a defect and shows its traceback.
"""

from frugalforest.cli.entry import main

__all__ = ["main"]
