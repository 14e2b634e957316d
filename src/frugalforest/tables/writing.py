"""Tables into files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import TYPE_CHECKING

from frugalforest.errors import DataError
from frugalforest.storage.files import whole_file
from frugalforest.tables.reading import TEXT_ENDINGS
from frugalforest.words.formats import spreadsheet_text

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["table_text", "write_table"]


def table_text(frame: pd.DataFrame, separator: str = ",") -> str:
    r"""A table as CSV. Names and texts that a spreadsheet would run get an apostrophe before them.

    Examples
    --------
    >>> import pandas as pd
    >>> table_text(pd.DataFrame({"class": ["=cmd()", "+ve"], "age": [-1, 61]}))
    "class,age\n'=cmd(),-1\n+ve,61\n"
    """
    safe = frame.copy(deep=False)
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        if column.dtype.kind not in "biufM":
            cells = [spreadsheet_text(c) if isinstance(c, str) else c for c in column]
            safe.isetitem(place, cells)
    safe.columns = [spreadsheet_text(str(name)) for name in frame.columns]
    return str(safe.to_csv(sep=separator, index=False))


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    r"""Write a table as CSV or TSV, also .gz, as `table_text` has it: a whole file or none.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> import pandas as pd
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "t.csv")
    ...     write_table(pd.DataFrame({"age": [50, 61]}), path)
    ...     path.read_text()
    'age\n50\n61\n'
    """
    file = Path(path)
    name = file.name.lower()
    if not name.endswith(TEXT_ENDINGS):
        raise DataError(f"{file.name}: tables are written as .csv or .tsv (also .gz).")
    separator = "\t" if ".tsv" in name else ","
    content = table_text(frame, separator).encode()
    if name.endswith(".gz"):
        # Without the time: the same table gives the same file.
        content = gzip.compress(content, mtime=0)
    with whole_file(file) as draft:
        draft.write_bytes(content)
