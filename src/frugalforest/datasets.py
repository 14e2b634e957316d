"""Data to choose features on: the paper's generator, its six real sets, three priced sets.

::

    draw_design ─► CostDesign ─► make_cost_classification     settings A to D
    load_real     the six sets of Table 2, from OpenML or a folder, checked against the table
    load_priced   three medical sets with real prices, from a folder
    draw_costs    uniform costs for a table that has no prices

"The paper" is Jagdhuber, Lang and Rahnenführer, arXiv 2008.06298. A random stream is keyed by what
it is for and by its seed, so no draw depends on the order or the size of another.
"""

import csv
import gzip
import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Integral
from pathlib import Path
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError

__all__ = [
    "COST_RANGE",
    "DATA_DIR_VARIABLE",
    "PRICED_SETS",
    "REAL_SETS",
    "SETTINGS",
    "CostDesign",
    "PricedTable",
    "RealSet",
    "Setting",
    "Table",
    "draw_costs",
    "draw_design",
    "load_priced",
    "load_real",
    "make_cost_classification",
]

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Spread = Literal["sd", "variance"]

COST_RANGE = (0.1, 1.0)
DATA_DIR_VARIABLE = "FRUGALFOREST_DATA"

# The second arguments of the paper's N(0, 0.5) for effects and N(0, 0.2) for costs. The paper does
# not say whether they are standard deviations; `spread` decides.
_EFFECT_SPREAD = 0.5
_COST_SPREAD = 0.2


class Setting(NamedTuple):
    """What sets one of the paper's four artificial settings apart."""

    correlated_data: bool
    correlated_costs: bool


SETTINGS: Mapping[str, Setting] = MappingProxyType(
    {
        "A": Setting(correlated_data=False, correlated_costs=False),
        "B": Setting(correlated_data=False, correlated_costs=True),
        "C": Setting(correlated_data=True, correlated_costs=False),
        "D": Setting(correlated_data=True, correlated_costs=True),
    }
)


@dataclass(frozen=True)
class RealSet:
    """One row of the paper's Table 2, and where to find the set.

    Attributes
    ----------
    openml_id : int
    n_features, n_samples : int
    positive_share : float
        Share of class 1, to the three decimals of the table.
    positive_class : str
        The label on OpenML that counts as class 1; every other label is class 0.
    field : str
    """

    openml_id: int
    n_features: int
    n_samples: int
    positive_share: float
    positive_class: str
    field: str


# Author: the paper calls its class 1 "Milton", but only Austen has a share of 0.377 (317 of 841).
REAL_SETS: Mapping[str, RealSet] = MappingProxyType(
    {
        "ada": RealSet(40993, 48, 4562, 0.248, "1", "Social Studies"),
        "author": RealSet(458, 70, 841, 0.377, "Austen", "Text Mining"),
        "qsar": RealSet(1494, 41, 1055, 0.337, "2", "Biology"),
        "spam": RealSet(44, 57, 4601, 0.394, "1", "Text Mining"),
        "tokyo": RealSet(40705, 44, 959, 0.639, "1", "Server Performance"),
        "wdbc": RealSet(1510, 30, 569, 0.373, "2", "Medicine"),
    }
)

PRICED_SETS = ("heart_cleveland", "hepatitis", "bupa")


@dataclass(frozen=True, eq=False)
class Table:
    """A data set: ``X`` (missing values are NaN), ``y`` of 0 and 1, and the columns' names."""

    X: FloatArray
    y: IntArray
    feature_names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class PricedTable(Table):
    """A data set and the path of its price list."""

    costs_path: Path


@dataclass(frozen=True, eq=False)
class CostDesign:
    """All that one draw of the paper's artificial study keeps fixed over its data sets.

    Attributes
    ----------
    mu : array of shape (n_features,)
        Class means of class 1 (class 0 has zeros): the effects first, then zeros.
    block : int array of shape (n_features,)
        The correlation block of each feature, in permuted order.
    rho : array of shape (n_blocks,)
        The correlation of any two features of a block.
    independent_costs, correlated_costs : array of shape (n_features,)
        The costs of settings A and C, and of B and D.

    See Also
    --------
    draw_design : Draw one.
    """

    mu: FloatArray
    block: IntArray
    rho: FloatArray
    independent_costs: FloatArray
    correlated_costs: FloatArray

    def covariance(self) -> FloatArray:
        """Covariance matrix of the features within a class, for settings C and D.

        Variances are one, so it is the correlation matrix too.

        Examples
        --------
        >>> design = draw_design(0, n_features=6, n_relevant=3, n_blocks=2)
        >>> sigma = design.covariance()
        >>> sigma.shape, bool((sigma == sigma.T).all())
        ((6, 6), True)
        """
        same_block = self.block[:, None] == self.block[None, :]
        covariance = np.where(same_block, self.rho[self.block], 0.0)
        np.fill_diagonal(covariance, 1.0)
        return covariance


def draw_design(
    design_seed: int = 0,
    n_features: int = 200,
    n_relevant: int = 100,
    *,
    n_blocks: int = 20,
    spread: Spread = "sd",
) -> CostDesign:
    """Effects, correlation blocks and both kinds of costs, from one seed.

    Each part has its own random stream: `n_blocks`, for one, changes no effect and no cost.

    Parameters
    ----------
    design_seed : int, default=0
    n_features, n_relevant : int, default=200, 100
        The first `n_relevant` features get an effect.
    n_blocks : int, default=20
        Number of blocks of correlated features, all of one size. Must divide `n_features`.
    spread : {"sd", "variance"}, default="sd"
        How to read the second argument of the paper's N(0, 0.5) for the effects and N(0, 0.2) for
        the correlated costs.

    Returns
    -------
    CostDesign

    Examples
    --------
    >>> design = draw_design(design_seed=1, n_features=6, n_relevant=2, n_blocks=3)
    >>> (design.mu != 0).tolist()
    [True, True, False, False, False, False]
    >>> sorted(design.block.tolist())
    [0, 0, 1, 1, 2, 2]
    """
    design_seed = _integer("design_seed", design_seed, 0)
    n_features = _integer("n_features", n_features, 1)
    n_relevant = _integer("n_relevant", n_relevant, 0)
    n_blocks = _integer("n_blocks", n_blocks, 1)
    if n_relevant > n_features:
        raise ValueError(
            f"n_relevant={n_relevant} is more than n_features={n_features}. "
            f"Set `n_relevant` to {n_features} or less."
        )
    if n_features % n_blocks:
        raise ValueError(
            f"n_features={n_features} is not divisible by n_blocks={n_blocks}: the blocks of "
            "correlated features have one size. Set `n_blocks` to a divisor of `n_features`."
        )
    if spread not in ("sd", "variance"):
        raise ValueError(f"spread={spread!r} is unknown. Set `spread` to 'sd' or 'variance'.")

    mu = np.zeros(n_features)
    mu[:n_relevant] = _draw_effects(
        _stream("effects", design_seed), n_relevant, _standard_deviation(_EFFECT_SPREAD, spread)
    )
    cost_noise = _stream("correlated costs", design_seed).normal(
        0.0, _standard_deviation(_COST_SPREAD, spread), n_features
    )
    return CostDesign(
        mu=mu,
        block=_stream("block membership", design_seed).permutation(
            np.arange(n_features, dtype=np.int64) % n_blocks
        ),
        rho=_stream("block correlations", design_seed).uniform(0.0, 1.0, n_blocks),
        independent_costs=draw_costs(n_features, design_seed),
        correlated_costs=np.clip(np.abs(mu) + cost_noise, *COST_RANGE),
    )


def make_cost_classification(
    setting: str = "A",
    n_samples: int = 500,
    n_features: int = 200,
    n_relevant: int = 100,
    *,
    n_blocks: int = 20,
    spread: Spread = "sd",
    design_seed: int = 0,
    random_state: int = 0,
) -> tuple[FloatArray, IntArray, FloatArray]:
    """A two-class data set with feature costs, as in the paper's settings A to D.

    ======= =========== ===========
    setting data        costs
    ======= =========== ===========
    A       independent independent
    B       independent correlated
    C       correlated  independent
    D       correlated  correlated
    ======= =========== ===========

    *Correlated costs* grow with the size of a feature's effect. A training set and its test set
    need the same `design_seed` and different `random_state`: with another `design_seed`, the
    effects and the costs are others too.

    Parameters
    ----------
    setting : {"A", "B", "C", "D"}, default="A"
    n_samples, n_features, n_relevant : int, default=500, 200, 100
        The first `n_relevant` features get an effect.
    n_blocks : int, default=20
        Number of blocks of correlated features in C and D, where it must divide `n_features`.
        Unused in A and B.
    spread : {"sd", "variance"}, default="sd"
        How to read the second argument of the paper's N(0, 0.5) for the effects and N(0, 0.2) for
        the correlated costs.
    design_seed : int, default=0
        Draws the effects (shared by all settings), the correlation blocks (shared by C and D),
        the independent costs (shared by A and C) and the correlated costs (shared by B and D).
    random_state : int, default=0
        Draws the rows. For equal seeds A and B have the same rows, and so do C and D.

    Returns
    -------
    X : float64 array of shape (n_samples, n_features)
    y : int64 array of shape (n_samples,)
        0 or 1, each with probability one half.
    costs : float64 array of shape (n_features,)
        Between 0.1 and 1.

    See Also
    --------
    draw_design : The effects, blocks and costs behind the data.

    Examples
    --------
    >>> X, y, costs = make_cost_classification("D", n_samples=50, random_state=1)
    >>> X.shape, y.shape, costs.shape
    ((50, 200), (50,), (200,))
    >>> X_test, y_test, same_costs = make_cost_classification("D", n_samples=5000, random_state=2)
    >>> bool((costs == same_costs).all())
    True
    """
    if setting not in SETTINGS:
        raise ValueError(
            f"setting={setting!r} is unknown. Set `setting` to one of {', '.join(SETTINGS)}."
        )
    n_samples = _integer("n_samples", n_samples, 1)
    random_state = _integer("random_state", random_state, 0)
    correlated_data, correlated_costs = SETTINGS[setting]
    design = draw_design(
        design_seed,
        n_features,
        n_relevant,
        # A and B have no blocks; one block suits any n_features, and nothing else depends on it.
        n_blocks=n_blocks if correlated_data else 1,
        spread=spread,
    )

    purpose = "correlated rows" if correlated_data else "independent rows"
    rng = _stream(purpose, design_seed, random_state)
    y = rng.integers(0, 2, size=n_samples)
    X = rng.standard_normal((n_samples, n_features))
    if correlated_data:
        # sqrt(rho) z + sqrt(1 - rho) e, with one z a block and one e a feature, has variance 1 and
        # covariance rho within the block: exactly N(0, Sigma), without factorising Sigma.
        z = rng.standard_normal((n_samples, n_blocks))
        rho = design.rho[design.block]
        X = np.sqrt(rho) * z[:, design.block] + np.sqrt(1.0 - rho) * X
    X += y[:, None] * design.mu
    return X, y, design.correlated_costs if correlated_costs else design.independent_costs


def draw_costs(n_features: int, seed: int) -> FloatArray:
    """Independent costs, uniform between 0.1 and 1, for a table that has no prices.

    The costs depend on `seed` and on nothing else: give every data set its own seed, or the first
    columns of all of them cost the same.

    Parameters
    ----------
    n_features : int
    seed : int

    Returns
    -------
    array of shape (n_features,)

    Examples
    --------
    >>> costs = draw_costs(57, seed=3)
    >>> costs.shape, bool(costs.min() >= 0.1), bool(costs.max() <= 1)
    ((57,), True, True)
    """
    n_features = _integer("n_features", n_features, 1)
    seed = _integer("seed", seed, 0)
    return _stream("independent costs", seed).uniform(*COST_RANGE, n_features)


def load_real(name: str, data_dir: str | os.PathLike[str] | None = None) -> Table:
    """One of the six real sets of the paper's Table 2.

    It is read from a folder if `data_dir` or the environment variable ``FRUGALFOREST_DATA`` names
    one, and otherwise downloaded from OpenML once and kept in scikit-learn's cache. Either way
    the number of features, the number of samples and the share of class 1 must be those of
    Table 2.

    Parameters
    ----------
    name : {"ada", "author", "qsar", "spam", "tokyo", "wdbc"}
        A key of ``REAL_SETS``.
    data_dir : path, optional
        Folder with ``<name>.csv.gz``: a header row, the features, last a column ``y`` of 0 and 1;
        an empty field is a missing value. Goes before the environment variable.

    Returns
    -------
    Table
        With ``X``, ``y`` and ``feature_names``. Names and column order are the source's, and may
        differ between a folder and OpenML.

    Raises
    ------
    DataError
        If the set is unknown, cannot be had, cannot be read, or is not the one of Table 2.

    Examples
    --------
    >>> REAL_SETS["wdbc"].n_samples
    569
    >>> load_real("wdbc").X.shape  # doctest: +SKIP
    (569, 30)
    """
    _check_name(name, tuple(REAL_SETS))
    folder = _data_folder(data_dir)
    table = _fetch_openml(name) if folder is None else _read_table(folder / f"{name}.csv.gz")
    _check_table_2(name, table)
    return table


def load_priced(name: str, data_dir: str | os.PathLike[str] | None = None) -> PricedTable:
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
    PricedTable
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
    _check_name(name, PRICED_SETS)
    folder = _data_folder(data_dir)
    if folder is None:
        raise DataError(
            f"no folder to read {name!r} from: `data_dir` is not given and {DATA_DIR_VARIABLE} is "
            f"not set. Set one of them to a folder with {name}.csv.gz and {name}_costs.csv."
        )
    table = _read_table(folder / f"{name}.csv.gz")
    costs_path = folder / f"{name}_costs.csv"
    _check_file(costs_path)
    return PricedTable(table.X, table.y, table.feature_names, costs_path)


def _stream(purpose: str, *seeds: int) -> np.random.Generator:
    """A random stream of its own for each purpose and seed, by hashing them."""
    key = "/".join([purpose, *(str(int(seed)) for seed in seeds)])
    return np.random.default_rng(int.from_bytes(hashlib.sha256(key.encode()).digest(), "big"))


def _standard_deviation(value: float, spread: Spread) -> float:
    return value if spread == "sd" else float(np.sqrt(value))


def _draw_effects(rng: np.random.Generator, n: int, sd: float) -> FloatArray:
    """N(0, sd) truncated to [-1, 1] by drawing again whatever falls outside."""
    effects = rng.normal(0.0, sd, n)
    while (outside := np.abs(effects) > 1.0).any():
        effects[outside] = rng.normal(0.0, sd, np.count_nonzero(outside))
    return effects


def _integer(name: str, value: object, minimum: int) -> int:
    if not isinstance(value, Integral) or value < minimum:
        raise ValueError(
            f"{name}={value!r} is not allowed. Set `{name}` to an integer of at least {minimum}."
        )
    return int(value)


def _check_name(name: str, known: tuple[str, ...]) -> None:
    if name not in known:
        raise DataError(f"no data set {name!r}. Set `name` to one of {', '.join(known)}.")


def _data_folder(data_dir: str | os.PathLike[str] | None) -> Path | None:
    """The folder the caller or the environment names; an empty variable counts as not set."""
    folder = data_dir if data_dir is not None else os.environ.get(DATA_DIR_VARIABLE) or None
    return None if folder is None else Path(folder)


def _check_file(path: Path) -> None:
    if not path.is_file():
        raise DataError(
            f"no file {path}. Put it there, or point `data_dir` or {DATA_DIR_VARIABLE} to the "
            f"folder that has {path.name}."
        )


def _read_table(path: Path) -> Table:
    # Not np.genfromtxt, which is no faster and turns text it cannot read into NaN without a word.
    _check_file(path)
    rows = []
    with gzip.open(path, "rt", encoding="utf-8", newline="") as file:
        reader = csv.reader(file)
        header = next(reader, [])
        if header[-1:] != ["y"]:
            raise DataError(
                f"{path}: the last column is {header[-1:]}. Put the target last and name it 'y'."
            )
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
    values = np.array(rows, dtype=np.float64).reshape(len(rows), len(header))
    X, y = values[:, :-1].copy(), values[:, -1]
    if not np.isin(y, (0.0, 1.0)).all():
        raise DataError(f"{path}: column 'y' has values other than 0 and 1. Code the classes so.")
    return Table(X, y.astype(np.int64), tuple(header[:-1]))


def _fetch_openml(name: str) -> Table:
    # Imported here because sklearn.datasets takes a second to import, and only a download needs it.
    from sklearn.datasets import fetch_openml  # type: ignore[import-untyped, unused-ignore]

    known = REAL_SETS[name]
    try:
        # This parser is the one that works without pandas.
        bunch = fetch_openml(data_id=known.openml_id, as_frame=False, parser="liac-arff")
    except OSError as error:
        raise DataError(
            f"could not download {name!r} (OpenML data set {known.openml_id}): {error}. Try again "
            f"with a connection, or set `data_dir` or {DATA_DIR_VARIABLE} to a folder that has "
            f"{name}.csv.gz."
        ) from error
    labels = np.asarray(bunch.target)
    if labels.dtype.kind == "f":  # a target that OpenML lists as numeric: "1" comes as 1.0
        labels = labels.astype(np.int64)
    y = (labels.astype(str) == known.positive_class).astype(np.int64)
    return Table(np.asarray(bunch.data, dtype=np.float64), y, tuple(bunch.feature_names))


def _check_table_2(name: str, table: Table) -> None:
    known = REAL_SETS[name]
    n_samples, n_features = table.X.shape
    share = float(table.y.mean()) if n_samples else 0.0
    comparisons = [
        ("features", str(n_features), str(known.n_features)),
        ("samples", str(n_samples), str(known.n_samples)),
        ("share of class 1", f"{share:.3f}", f"{known.positive_share:.3f}"),
    ]
    differences = [
        f"{what} {found} instead of {expected}"
        for what, found, expected in comparisons
        if found != expected
    ]
    if differences:
        raise DataError(
            f"{name!r} is not the data set of the paper's Table 2: {'; '.join(differences)}. Get "
            f"OpenML data set {known.openml_id}, with class {known.positive_class!r} as y = 1."
        )
