"""Keeps a store of the study as one small file, from which the study goes on anywhere.

    python benchmarks/kept_study.py pack paper-artificial.sqlite results/paper-artificial/store.xz
    python benchmarks/kept_study.py unpack results/paper-artificial/store.xz paper-artificial.sqlite

Packing takes what is finished at that moment, also while `study run` writes to the store.
"""

from __future__ import annotations

import argparse
import lzma
import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

from frugalforest.storage.files import whole_file


def pack(store: Path, kept: Path) -> None:
    if not store.is_file():
        raise SystemExit(f"no store {str(store)!r}: `study run` makes it.")
    kept.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder, "copy.sqlite")
        with closing(sqlite3.connect(store, timeout=60)) as connection:
            connection.execute("VACUUM INTO ?", [str(copy)])
        with whole_file(kept) as draft:
            draft.write_bytes(lzma.compress(copy.read_bytes(), preset=9))


def unpack(kept: Path, store: Path) -> None:
    if store.exists():
        raise SystemExit(f"{str(store)!r} is there: give the name of a new file.")
    if not kept.is_file():
        raise SystemExit(f"no file {str(kept)!r}.")
    with whole_file(store) as draft:
        draft.write_bytes(lzma.decompress(kept.read_bytes()))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("what", choices=["pack", "unpack"])
    parser.add_argument("source", type=Path)
    parser.add_argument("target", type=Path)
    options = parser.parse_args()
    {"pack": pack, "unpack": unpack}[options.what](options.source, options.target)


if __name__ == "__main__":
    main()
