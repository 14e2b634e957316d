"""Tables into files."""

from __future__ import annotations

import gzip
import os
from pathlib import Path
from typing import TYPE_CHECKING

from frugalforest.errors import DataError
from frugalforest.files import whole_file
from frugalforest.tables.reading import TEXT_ENDINGS

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["write_table"]


def write_table(frame: pd.DataFrame, path: str | os.PathLike[str]) -> None:
    r"""Write a table as CSV or TSV, also .gz. The file appears whole or not at all.

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
    content = frame.to_csv(sep=separator, index=False).encode()
    if name.endswith(".gz"):
        # Without the time: the same table gives the same file.
        content = gzip.compress(content, mtime=0)
    with whole_file(file) as draft:
        draft.write_bytes(content)
