"""Files that appear whole or not at all.

::

    draft, made exclusively beside the file ──► written ──► synced ──► renamed ──► folder synced

Whatever ends a program, even the machine, the name holds the old file or all of the new one.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

__all__ = ["whole_file"]

# A name has at most 255 bytes on most file systems, and a character up to four.
_MOST_CHARACTERS = 50


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a draft to write; it becomes the file when all is written, and vanishes otherwise.

    The draft is an empty file with a random name in the same folder: two programs that write one
    file do not write one draft, and the last to finish wins. An `OSError` about the draft names
    the file instead.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "notes.txt")
    ...     with whole_file(path) as draft:
    ...         _ = draft.write_text("all of it")
    ...     path.read_text()
    'all of it'
    """
    file = Path(path)
    draft = file.with_name(f"{file.name[:_MOST_CHARACTERS]}.{secrets.token_hex(8)}.part")
    try:
        # O_EXCL refuses every name that is taken, also by a link to somewhere else. The mode is
        # that of any new file: the umask takes away what the user does not want.
        descriptor = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o666)
        try:
            try:
                yield draft
                # Before the rename, or after a power cut the name might hold an empty file.
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
            draft.replace(file)
        except BaseException:
            with suppress(OSError):  # what went wrong first is what the user should hear
                draft.unlink(missing_ok=True)
            raise
    except OSError as error:
        # A write to a full disk names no file at all.
        if error.errno is not None and error.filename in (None, draft, str(draft)):
            raise OSError(error.errno, error.strerror, str(file)) from None
        raise
    _sync_folder(file.parent)


def _sync_folder(folder: Path) -> None:
    """Make a rename last. Not every file system can, and the file is whole either way."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
