"""Dataclasses to plain JSON values and back, each field checked on the way in.

NaN, which JSON does not know, is written as null.
"""

from __future__ import annotations

import dataclasses
import math
import types
from collections.abc import Mapping
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

import numpy as np

from frugalforest.errors import DataError

__all__ = ["from_plain", "to_plain"]

R = TypeVar("R")


def to_plain(value: Any) -> Any:
    """A record as dicts, lists, text and numbers.

    Examples
    --------
    >>> from frugalforest.evaluation.resampling import ErrorEstimate
    >>> to_plain(ErrorEstimate(0.1, float("nan"), float("nan"), float("nan")))
    {'error': 0.1, 'se': None, 'low': None, 'high': None, 'errors': []}
    """
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: to_plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, Mapping):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, tuple | list):
        return [to_plain(item) for item in value]
    if isinstance(value, float) and math.isnan(value):
        return None
    return value


def from_plain(record: type[R], plain: object, where: str) -> R:
    """The record that `to_plain` took apart.

    Raises
    ------
    DataError
        If a field is missing or of another kind; the message names it.

    Examples
    --------
    >>> from frugalforest.evaluation.resampling import ErrorEstimate
    >>> from_plain(ErrorEstimate, {"error": "low"}, "results.json")
    Traceback (most recent call last):
    frugalforest.errors.DataError: results.json: error is 'low', and must be a number.
    """
    try:
        result: R = _read(record, plain, "")
    except _WrongValueError as wrong:
        raise DataError(f"{where}: {wrong}.") from None
    return result


class _WrongValueError(Exception):
    """What is wrong with a value, and which."""


def _read(kind: Any, value: Any, path: str) -> Any:
    if dataclasses.is_dataclass(kind):
        return _read_record(kind, value, path)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin in (Union, types.UnionType):
        if value is None and type(None) in arguments:
            return None
        *options, last = [option for option in arguments if option is not type(None)]
        for option in options:
            try:
                return _read(option, value, path)
            except _WrongValueError:
                continue
        return _read(last, value, path)
    if origin is tuple:
        items = _expect(list, value, path, "a list")
        return tuple(_read(arguments[0], item, f"{path}[{i}]") for i, item in enumerate(items))
    if origin in (dict, Mapping):
        items = _expect(dict, value, path, "an object")
        return {key: _read(arguments[1], item, f"{path}.{key}") for key, item in items.items()}
    if kind is float:
        if value is None:
            return np.nan  # this one, so that records with gaps are equal
        if isinstance(value, bool) or not isinstance(value, int | float):
            raise _WrongValueError(f"{path} is {_shown(value)}, and must be a number")
        return float(value)
    names = {str: "text", int: "a whole number", bool: "true or false"}
    if kind is int and isinstance(value, bool):
        raise _WrongValueError(f"{path} is {_shown(value)}, and must be {names[int]}")
    return _expect(kind, value, path, names[kind]) if kind in names else value


def _read_record(record: Any, value: Any, path: str) -> Any:
    given = _expect(dict, value, path or "the file", "an object")
    hints = get_type_hints(record)
    fields = {}
    for field in dataclasses.fields(record):
        place = f"{path}.{field.name}" if path else field.name
        if field.name in given:
            fields[field.name] = _read(hints[field.name], given[field.name], place)
        elif field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING:
            raise _WrongValueError(f"{place} is missing")
    return record(**fields)


def _expect(kind: type, value: Any, path: str, name: str) -> Any:
    if not isinstance(value, kind):
        raise _WrongValueError(f"{path} is {_shown(value)}, and must be {name}")
    return value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 40 else f"{text[:40]}…"
