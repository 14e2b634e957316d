"""Model files: a zip of NumPy arrays and one JSON header. Nothing in them is ever run.

::

    model.json     format, version, and what the model is besides its arrays
    <name>.npy     one array each, without Python objects
"""

from __future__ import annotations

import errno
import io
import json
import math
import tokenize
import zipfile
import zlib
from collections.abc import Mapping
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frugalforest.errors import DataError
from frugalforest.storage.files import whole_file

__all__ = ["read_parts", "write_parts"]

_FORMAT = "frugalforest model"
# Of a forest, and of what has a linear model, which a reader of forests must not overlook. 1 was a
# pickle.
_FORMAT_VERSION, _NEWER_VERSION = 2, 3
_HEADER = "model.json"
# A forest of 1000 trees on 100,000 rows is some 2 GB; a file that unpacks to more is no model.
_MOST_BYTES = 8 * 2**30
_MOST_HEADER_BYTES = 64 * 2**20
_MOST_PARTS = 64
# Zip files know no time before 1980. A fixed one: the same model gives the same file.
_TIME = (1980, 1, 1, 0, 0, 0)


def write_parts(
    path: str | PathLike[str],
    header: Mapping[str, Any],
    arrays: Mapping[str, NDArray[Any]],
    newer: bool = False,
) -> None:
    """Write a model file. It appears whole or not at all.

    `newer` says that the first program to read such files would get it wrong.
    """
    version = _NEWER_VERSION if newer else _FORMAT_VERSION
    content = {"format": _FORMAT, "format_version": version, **header}
    text = json.dumps(content, ensure_ascii=False, allow_nan=True)
    with (
        whole_file(path) as draft,
        zipfile.ZipFile(draft, "w", zipfile.ZIP_DEFLATED) as parts,
    ):
        parts.writestr(_part(_HEADER), text.encode())
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.lib.format.write_array(buffer, np.ascontiguousarray(array), allow_pickle=False)
            parts.writestr(_part(f"{name}.npy"), buffer.getvalue())


def _part(name: str) -> zipfile.ZipInfo:
    info = zipfile.ZipInfo(name, _TIME)
    info.compress_type = zipfile.ZIP_DEFLATED
    return info


def read_parts(path: str | PathLike[str]) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a model file.

    Raises
    ------
    DataError
        If it is no model file, is damaged, or unpacks to more than a model can be.
    """
    file = Path(path)
    if not file.is_file():
        raise DataError(f"there is no file {str(file)!r}: check the path.")
    try:
        with zipfile.ZipFile(file) as parts:
            return _read(parts, file.name)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        NotImplementedError,  # a way of packing that Python does not know
        RuntimeError,  # a part that wants a password
        UnicodeDecodeError,
        RecursionError,
        SyntaxError,  # an array's header is read as Python text, and may be none
        tokenize.TokenError,
        ValueError,
        OSError,
    ) as error:
        # A damaged table of contents points to a place before the file: an invalid argument.
        is_of_the_disk = isinstance(error, OSError) and error.errno != errno.EINVAL
        if isinstance(error, DataError) or is_of_the_disk:
            raise
        raise DataError(
            f"{file.name} is no model of frugalforest, or is damaged: give a model-….zip file that "
            "`frugalforest select` wrote."
        ) from None


def _read(parts: zipfile.ZipFile, name: str) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    infos = parts.infolist()
    names = [info.filename for info in infos]
    if _HEADER not in names:
        raise DataError(f"{name} is no model of frugalforest: it has no {_HEADER}.")
    size = sum(info.file_size for info in infos)
    if len(infos) > _MOST_PARTS or len(set(names)) < len(names) or size > _MOST_BYTES:
        raise DataError(f"{name} is no model: {len(infos)} parts that unpack to {size} bytes.")
    if parts.getinfo(_HEADER).file_size > _MOST_HEADER_BYTES:
        raise DataError(f"{name} is no model: its header is too long.")
    header = json.loads(parts.read(_HEADER).decode())
    if not isinstance(header, dict) or header.get("format") != _FORMAT:
        raise DataError(f"{name} is no model of frugalforest.")
    if header.get("format_version") not in (_FORMAT_VERSION, _NEWER_VERSION):
        raise DataError(
            f"{name} has format version {header.get('format_version')!r}, and this frugalforest "
            f"reads {_FORMAT_VERSION} and {_NEWER_VERSION}: use the version that wrote it, or fit "
            "the model again."
        )
    arrays = {
        info.filename.removesuffix(".npy"): _read_array(parts, info)
        for info in infos
        if info.filename.endswith(".npy")
    }
    return header, arrays


def _read_array(parts: zipfile.ZipFile, info: zipfile.ZipInfo) -> NDArray[Any]:
    # The zip's own check sum tells flipped bits. What the array's header says is compared with
    # what is there before anything is allocated.
    content = io.BytesIO(parts.read(info))
    version = np.lib.format.read_magic(content)
    if version != (1, 0):
        raise ValueError(f"array format {version}")
    shape, fortran_order, dtype = np.lib.format.read_array_header_1_0(content)
    values = content.read()
    if dtype.hasobject or fortran_order or math.prod(shape) * dtype.itemsize != len(values):
        raise ValueError("an array that is not what it says")
    return np.frombuffer(values, dtype=dtype).reshape(shape)
