"""The simulation study of the paper, and designs of the same kind.

::

    design ─► runner ─► store ─► results ─► ranking ─► tables, figures
    units     unit by   SQLite   rows by    ranks and
    as data   unit               cell       tests

Every stage takes what the stage before it produced: tables and figures come from the store alone,
so they can be made at any time, of as much as is finished. ``commands`` is the command line
``frugalforest study``.
"""

from frugalforest.study.design import Design, StudyError, Unit, get_design
from frugalforest.study.run import Status, run, status
from frugalforest.study.store import Store

__all__ = ["Design", "Status", "Store", "StudyError", "Unit", "get_design", "run", "status"]
