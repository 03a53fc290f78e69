"""Files that are written whole or not at all, and how their paths are shown."""

from __future__ import annotations

import contextlib
import fcntl
import itertools
import os
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path


def replace(file: Path, data: bytes) -> None:
    """Makes `data` the content of a file in one step: a reader never sees half of it, and it is on the disk afterwards.

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


def set_aside(file: Path) -> Path:
    """Gives a damaged file another name, progress.json.damaged or the next that is free, and returns that.

    Raises OSError.
    """
    numbered = (f"{file.name}.damaged{f'-{number}' if number > 1 else ''}" for number in itertools.count(1))
    aside = next(other for other in map(file.with_name, numbered) if not other.exists())
    os.replace(file, aside)
    return aside


def make_folder(folder: Path) -> None:
    """Makes a folder, if need be, and makes sure that files can be written there. Raises OSError."""
    folder.mkdir(parents=True, exist_ok=True)
    empty_beside(folder / "report").unlink()


@contextlib.contextmanager
def alone(folder: Path) -> Iterator[None]:
    """Keeps a second `ladder` from writing between our reading and our writing, where the file system can do that."""
    handle = None
    with contextlib.suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
        fcntl.flock(handle, fcntl.LOCK_EX)
    try:
        yield
    finally:
        if handle is not None:
            os.close(handle)


def empty_beside(file: Path) -> Path:
    """A new empty file in the folder where `file` is, or where its link leads. Raises OSError."""
    handle, name = tempfile.mkstemp(dir=file.resolve().parent, prefix=".ladder-")
    os.close(handle)
    return Path(name)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def shown_path(path: Path) -> str:
    """A path as people write it: relative if it lies below the current folder."""
    absolute, here = path.absolute(), Path.cwd()
    return str(absolute.relative_to(here) if absolute.is_relative_to(here) else path)
