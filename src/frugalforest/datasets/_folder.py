"""Data sets that lie in a folder: which folder, which files, and how they are read."""

import csv
import gzip
import os
import zlib
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError

__all__ = [
    "DATA_DIR_VARIABLE",
    "DataSet",
    "check_file",
    "check_name",
    "data_folder",
    "read_data_set",
]

DATA_DIR_VARIABLE = "FRUGALFOREST_DATA"


@dataclass(frozen=True, eq=False)
class DataSet:
    """A data set: ``X`` (missing values are NaN), ``y`` of 0 and 1, and the columns' names."""

    X: NDArray[np.float64]
    y: NDArray[np.int64]
    feature_names: tuple[str, ...]


def check_name(name: str, known: tuple[str, ...]) -> None:
    """Refuse a name that is not among the known ones."""
    if name not in known:
        raise DataError(f"no data set {name!r}. Set `name` to one of {', '.join(known)}.")


def data_folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    """The folder the caller or the environment names; an empty variable counts as not set."""
    folder = data_dir if data_dir is not None else os.environ.get(DATA_DIR_VARIABLE) or None
    return None if folder is None else Path(folder)


def check_file(path: Path) -> None:
    """Refuse a path where there is no file."""
    if not path.is_file():
        raise DataError(
            f"no file {path}. Put it there, or point `data_dir` or {DATA_DIR_VARIABLE} to the "
            f"folder that has {path.name}."
        )


def read_data_set(path: Path) -> DataSet:
    """A compressed CSV file of numbers, the last column ``y`` of 0 and 1."""
    check_file(path)
    try:
        with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
            header, values = _read_numbers(file, path)
    except (OSError, EOFError, zlib.error, UnicodeDecodeError, csv.Error) as error:
        raise DataError(f"{path} cannot be read: {error}. Get the file again.") from error
    X, y = values[:, :-1].copy(), values[:, -1]
    if not np.isin(y, (0.0, 1.0)).all():
        raise DataError(f"{path}: column 'y' has values other than 0 and 1. Code the classes so.")
    return DataSet(X, y.astype(np.int64), tuple(header[:-1]))


def _read_numbers(file: TextIO, path: Path) -> tuple[list[str], NDArray[np.float64]]:
    """The header, and a row of numbers for each line below it; empty fields are NaN."""
    # Not np.genfromtxt, which is no faster and turns text it cannot read into NaN without a word.
    reader = csv.reader(file)
    header = next(reader, [])
    if header[-1:] != ["y"]:
        raise DataError(
            f"{path}: the last column is {header[-1:]}. Put the target last and name it 'y'."
        )
    rows = []
    for fields in reader:
        if len(fields) != len(header):
            raise DataError(
                f"{path}, line {reader.line_num}: {len(fields)} fields, but the header has "
                f"{len(header)}. Give every row one field a column."
            )
        try:
            rows.append([float(field) if field else np.nan for field in fields])
        except ValueError as error:
            raise DataError(
                f"{path}, line {reader.line_num}: {error}. Code every column as numbers and "
                "leave missing values empty."
            ) from error
    return header, np.array(rows, dtype=np.float64).reshape(len(rows), len(header))
