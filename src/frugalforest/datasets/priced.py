"""Three medical sets whose features have real prices, from a folder."""

import os
from dataclasses import dataclass
from pathlib import Path

from frugalforest.datasets._folder import (
    DATA_DIR_VARIABLE,
    DataSet,
    check_file,
    check_name,
    data_folder,
    read_data_set,
)
from frugalforest.errors import DataError

__all__ = ["PRICED_SETS", "PricedDataSet", "load_priced"]

PRICED_SETS = ("heart_cleveland", "hepatitis", "bupa")


@dataclass(frozen=True, eq=False)
class PricedDataSet(DataSet):
    """A data set and the path of its price list."""

    costs_path: Path


def load_priced(name: str, data_dir: str | os.PathLike[str] | None = None) -> PricedDataSet:
    """One of three medical sets whose features have real prices.

    Values can be missing (NaN in ``X``). The sets come from a folder only: OpenML has no price
    lists.

    Parameters
    ----------
    name : {"heart_cleveland", "hepatitis", "bupa"}
    data_dir : path, optional
        Folder with ``<name>.csv.gz``, in the form `load_real` reads, and ``<name>_costs.csv``.
        Without it, the environment variable ``FRUGALFOREST_DATA`` names the folder.

    Returns
    -------
    PricedDataSet
        With ``X``, ``y``, ``feature_names`` and ``costs_path``, the path of the price list.

    Raises
    ------
    DataError
        If the set is unknown, or the folder or a file of it is missing or cannot be read.

    Examples
    --------
    >>> load_priced("bupa", "folder/with/data").feature_names  # doctest: +SKIP
    ('mcv', 'alkphos', 'sgpt', 'sgot', 'gammagt')
    """
    check_name(name, PRICED_SETS)
    folder = data_folder(data_dir)
    if folder is None:
        raise DataError(
            f"no folder to read {name!r} from: `data_dir` is not given and {DATA_DIR_VARIABLE} is "
            f"not set. Set one of them to a folder with {name}.csv.gz and {name}_costs.csv."
        )
    data = read_data_set(folder / f"{name}.csv.gz")
    costs_path = folder / f"{name}_costs.csv"
    check_file(costs_path)
    return PricedDataSet(data.X, data.y, data.feature_names, costs_path)
