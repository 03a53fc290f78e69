"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable
from pathlib import Path


def replace(file: Path, data: bytes) -> None:
    """Makes `data` the content of a file in one step: nobody ever reads half of it, and it is on the disk afterwards.

    A link stays a link, and the file keeps its mode. Raises OSError, and then the file is as it was.
    """
    target = file.resolve()
    temporary = empty_beside(target)
    try:
        with temporary.open("wb") as opened:
            opened.write(data)
            opened.flush()
            os.fsync(opened.fileno())
        temporary.chmod(target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask())
        os.replace(temporary, target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_new(names: Iterable[Path], data: bytes) -> Path:
    """Writes a new file under the first of these names that is free, and returns it.

    Raises OSError, FileExistsError if none is free; a file that could not be written to its end is removed.
    """
    for file in names:
        try:
            opened = file.open("xb")
        except FileExistsError:
            continue
        try:
            with opened:
                opened.write(data)
        except BaseException:
            file.unlink(missing_ok=True)
            raise
        return file
    raise FileExistsError("all names are taken")


def make_folder(folder: Path) -> None:
    """Makes a folder, if need be, and makes sure that files can be written there. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    empty_beside(folder / "report").unlink()


def empty_beside(file: Path) -> Path:
    """A new empty file in the folder where `file` is, or where its link leads. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=file.resolve().parent, prefix=".ladder-")
    os.close(handle)
    return Path(name)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
