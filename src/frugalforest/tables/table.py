"""Table: the feature columns of a problem, and Schema: how they were read."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self, cast, get_args

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.tables.cells import (
    Kind,
    Reading,
    Style,
    check_finite,
    read_column,
    read_column_as,
    without_codes,
)
from frugalforest.tables.measurements import BELOW_LIMIT, Measured
from frugalforest.words.wording import did_you_mean, listed

__all__ = ["Schema", "Table"]


@dataclass(frozen=True)
class Table:
    """Columns by name. Made by `Table.read` or `Schema.read`.

    Attributes
    ----------
    names : tuple of str
    columns : tuple of ndarray
        float64 with NaN for missing, or objects: text with None for missing.
    kinds : tuple of str
        "number", "date" (seconds since 1970), "boolean" (0 and 1) or "text", for each column.
    styles : mapping of str to str
        Of columns that were not written plainly: "day_first" or "decimal_comma".
    measured : mapping of str to Measured
        Of columns that were written with a unit or with limits of detection.
    na : mapping of str to tuple of str
        Of columns in which codes meant missing values: those codes.

    Examples
    --------
    >>> table = Table.read([[1, "red"], [None, "blue"], ["3,5", "?"]], ["dose", "colour"])
    >>> table.kinds
    ('number', 'text')
    >>> table.columns[0]
    array([1. , nan, 3.5])
    >>> table.styles
    {'dose': 'decimal_comma'}
    """

    names: tuple[str, ...]
    columns: tuple[NDArray[Any], ...]
    kinds: tuple[Kind, ...]
    styles: Mapping[str, Style] = field(default_factory=dict)
    measured: Mapping[str, Measured] = field(default_factory=dict)
    na: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @classmethod
    def read(
        cls,
        X: Any,
        feature_names: Sequence[str] | None = None,
        na: Mapping[str, Sequence[str]] | None = None,
    ) -> Table:
        """A table from an array, a list of rows, a pandas or polars frame, or an Arrow table.

        Parameters
        ----------
        X : array-like of shape (n_rows, n_columns), frame or Table
            A table that was read already is returned as it is.
        feature_names : sequence of str, optional
            Names for the columns of an array; x0, x1, … by default.
        na : mapping of str to sequence of str, optional
            What means missing in a column of a frame, besides empty cells and the usual marks, such
            as "999".

        Raises
        ------
        DataError
            If there is no row or column, a name is double, or a value is infinite.

        Examples
        --------
        >>> Table.read([[1, 2], [3, 4]]).names
        ('x0', 'x1')
        """
        if isinstance(X, Table):
            return X
        given = _given_columns(X)
        codes = {name: tuple(na[name]) for name in given if name in na} if na else {}
        if isinstance(given, Mapping):
            names = list(given)
            read = [
                read_column(name, without_codes(given[name], codes.get(name, ()))) for name in names
            ]
        else:
            names = [f"x{j}" for j in range(given.shape[1])]
            if feature_names is not None:
                names = [str(name) for name in feature_names]
            if len(names) != given.shape[1]:
                raise DataError(
                    f"there are {len(names)} names for {given.shape[1]} columns: give one each."
                )
            _check_no_name_twice(names)
            read = _read_array(names, given)
        if not read or len(read[0][0]) == 0:
            raise DataError("the table is empty: it needs at least one row and one feature column.")
        columns, kinds, styles, measured = zip(*read, strict=True)
        marked = {n: style for n, style in zip(names, styles, strict=True) if style != "plain"}
        units = {n: how for n, how in zip(names, measured, strict=True) if how is not None}
        return cls(tuple(names), columns, kinds, marked, units, codes)

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.columns[0])

    @property
    def schema(self) -> Schema:
        """How the columns were read, to read other tables alike."""
        units = {name: how.unit for name, how in self.measured.items()}
        ranges = {
            name: (float(np.nanmin(column)), float(np.nanmax(column)))
            for name, column, kind in zip(self.names, self.columns, self.kinds, strict=True)
            if kind == "number" and not np.isnan(column).all()
        }
        return Schema(self.names, self.kinds, units, self.na, ranges=ranges)

    def rows(self, index: NDArray[np.intp]) -> Table:
        """Some of the rows."""
        return replace(self, columns=tuple(column[index] for column in self.columns))

    def select(self, names: Sequence[str]) -> Table:
        """Some of the columns."""
        place = {name: j for j, name in enumerate(self.names)}
        places = [place[name] for name in names]
        return Table(
            tuple(names),
            tuple(self.columns[j] for j in places),
            tuple(self.kinds[j] for j in places),
            {name: style for name, style in self.styles.items() if name in names},
            {name: how for name, how in self.measured.items() if name in names},
            {name: codes for name, codes in self.na.items() if name in names},
        )


@dataclass(frozen=True)
class Schema:
    """The names and kinds of a table's columns, and the way to read a new table like it.

    Examples
    --------
    >>> schema = Table.read([["1", 50], ["2a", 60]], ["code", "age"]).schema
    >>> new = schema.read([[1, 40]])
    >>> new.columns[0], new.columns[1]
    (array(['1'], dtype=object), array([40.]))
    """

    names: tuple[str, ...]
    kinds: tuple[Kind, ...]
    # Of columns that were written with a unit, or with limits of detection: those are read alike.
    units: Mapping[str, str] = field(default_factory=dict)
    na: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    below_limit: float = BELOW_LIMIT
    # The least and the largest number of each column, where they are known.
    ranges: Mapping[str, tuple[float, float]] = field(default_factory=dict, compare=False)

    def read(self, X: Any) -> Table:
        """A table with these columns, read as the first one was.

        Text stays text even if it looks like numbers here. Columns of a frame may be in any order,
        and others are ignored.

        Raises
        ------
        DataError
            If a column is lacking, or a cell is not of its column's kind.
        """
        given = _given_columns(X, wanted=self.names)
        if not isinstance(given, Mapping):
            if given.shape[1] != len(self.names):
                raise DataError(
                    f"the table has {given.shape[1]} columns, but {len(self.names)} are needed: "
                    f"{listed(self.names)}."
                )
            given = dict(zip(self.names, given.T, strict=True))
        lacking = [name for name in self.names if name not in given]
        if lacking:
            shown = [f"{name!r}{_hint(name, given)}" for name in lacking]
            raise DataError(
                f"the table lacks {', '.join(shown)}. The columns {listed(self.names)} are needed."
            )
        already = dict(zip(X.names, X.kinds, strict=True)) if isinstance(X, Table) else {}
        columns = tuple(
            given[name] if already.get(name) == kind else self._column(name, given[name], kind)
            for name, kind in zip(self.names, self.kinds, strict=True)
        )
        return Table(self.names, columns, self.kinds, na=self.na)

    def _column(self, name: str, values: Any, kind: Kind) -> NDArray[Any]:
        known = without_codes(values, self.na.get(name, ()))
        return read_column_as(name, known, kind, self.units.get(name, ""), self.below_limit)

    def outside(self, table: Table) -> dict[str, NDArray[np.float64]]:
        """The numbers of a table that lie outside the ranges, by column.

        Examples
        --------
        >>> schema = Table.read([[20], [80]], ["age"]).schema
        >>> schema.outside(schema.read([[40], [1200]]))
        {'age': array([1200.])}
        """
        found = {}
        for name, column in zip(table.names, table.columns, strict=True):
            if name in self.ranges:
                low, high = self.ranges[name]
                beyond = column[(column < low) | (column > high)]
                if len(beyond):
                    found[name] = beyond
        return found

    def select(self, names: Sequence[str]) -> Schema:
        """The schema of some of the columns."""
        kind = dict(zip(self.names, self.kinds, strict=True))
        return Schema(
            tuple(names),
            tuple(kind[name] for name in names),
            {name: unit for name, unit in self.units.items() if name in names},
            {name: codes for name, codes in self.na.items() if name in names},
            self.below_limit,
            {name: ends for name, ends in self.ranges.items() if name in names},
        )

    def to_dict(self) -> dict[str, Any]:
        """What JSON can hold; `from_dict` reads it."""
        return {
            "names": list(self.names),
            "kinds": list(self.kinds),
            "units": dict(self.units),
            "na": {name: list(codes) for name, codes in self.na.items()},
            "below_limit": self.below_limit,
            "ranges": {name: list(ends) for name, ends in self.ranges.items()},
        }

    @classmethod
    def from_dict(cls, content: Any) -> Self:
        """The schema that `to_dict` wrote.

        Examples
        --------
        >>> Schema.from_dict({"names": ["age"], "kinds": ["number"]}).names
        ('age',)
        """
        parts = [content.get(key) if isinstance(content, Mapping) else None for key in _PARTS]
        if not all(isinstance(p, list) and all(isinstance(t, str) for t in p) for p in parts):
            raise DataError("a schema must hold the lists of text `names` and `kinds`.")
        names, kinds = cast("list[list[str]]", parts)
        if len(names) != len(kinds):
            raise DataError(f"a schema has {len(names)} names and {len(kinds)} kinds: one each.")
        if unknown := sorted(set(kinds) - set(get_args(Kind))):
            raise DataError(f"a schema has the kinds {listed(unknown)}, which are none.")
        _check_no_name_twice(names)
        # Files of version 0.1 and of early 0.2 say nothing of these.
        units, na = content.get("units", {}), content.get("na", {})
        ranges, below = content.get("ranges", {}), content.get("below_limit", BELOW_LIMIT)
        of_lists = _is_by_column(na, names, list) and _is_by_column(ranges, names, list)
        if not (_is_by_column(units, names, str) and of_lists):
            raise DataError("a schema has `units`, `na` or `ranges` that are not by column.")
        if not all(
            len(ends) == 2 and set(map(type, ends)) <= {int, float} for ends in ranges.values()
        ):
            raise DataError("a schema has `ranges` that are no two numbers each.")
        codes = {name: tuple(map(str, own)) for name, own in na.items()}
        if not isinstance(below, float) or not 0 < below <= 1:
            raise DataError(f"a schema has `below_limit` {below!r}, which is no share.")
        ends = {name: (float(low), float(high)) for name, (low, high) in ranges.items()}
        return cls(tuple(names), cast("tuple[Kind, ...]", tuple(kinds)), units, codes, below, ends)


_PARTS = ("names", "kinds")


def _is_by_column(content: object, names: Sequence[str], of: type) -> bool:
    return isinstance(content, dict) and all(
        name in names and isinstance(value, of) for name, value in content.items()
    )


def _given_columns(X: Any, wanted: Sequence[str] | None = None) -> Mapping[str, Any] | NDArray[Any]:
    """Columns by name if they have names, otherwise a matrix. No wanted name may be double."""
    if isinstance(X, Table):
        return dict(zip(X.names, X.columns, strict=True))
    if hasattr(X, "column_names") and hasattr(X, "to_pandas"):  # an Arrow table
        X = X.to_pandas()
    if hasattr(X, "columns"):
        names = [str(key) for key in X.columns]
        _check_no_name_twice([n for n in names if wanted is None or n in wanted])
        return {name: X[key] for name, key in zip(names, X.columns, strict=True)}
    try:
        # Among texts, NumPy would turn NaN into the text "nan" and True into "True".
        matrix = np.asarray(X, dtype=None if hasattr(X, "dtype") else object)
    except ValueError as error:
        raise DataError(f"X is no table of rows and columns: {error}") from None
    if matrix.ndim != 2:
        raise DataError(f"X has shape {matrix.shape}: it must be a table of rows and columns.")
    return matrix


def _read_array(names: Sequence[str], matrix: NDArray[Any]) -> list[Reading]:
    if matrix.dtype.kind not in "biuf":
        return [read_column(name, matrix[:, j]) for j, name in enumerate(names)]
    # In one go: column by column, a large matrix of rows would be read many times over.
    columns = np.array(matrix.T, dtype=np.float64, order="C")
    kind: Kind = "boolean" if matrix.dtype.kind == "b" else "number"
    for name, column in zip(names, columns, strict=True):
        check_finite(name, column)
    return [Reading(column, kind) for column in columns]


def _hint(name: str, names: Iterable[str]) -> str:
    hint = did_you_mean(name, names)
    return f" ({hint.strip()})" if hint else ""


def _check_no_name_twice(names: Sequence[str]) -> None:
    twice = [name for name, count in Counter(names).items() if count > 1]
    if twice:
        raise DataError(f"two columns are called {twice[0]!r}: rename one of them.")
