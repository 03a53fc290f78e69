"""What the builds for both devices share: their name in the cache, and the strict link."""

from __future__ import annotations

import ctypes
import hashlib
import os
import shlex
import shutil
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import version
from pathlib import Path
from typing import Any, Protocol

from grader.devices.build.refused import SYMBOLS, SYMBOLS_ON_GPU
from grader.devices.cache import LIBRARY

# as-needed: a kernel needs none of the libraries that torch puts on every link line. nodynamic-undefined-weak: a weak
# name that is nowhere defined is null, and not what python, whose process it is, happens to have under that name.
STRICT_LINK = ["-Wl,-z,defs", "-Wl,--as-needed", "-Wl,-z,nodynamic-undefined-weak"]
STRICT_LINK_FOR_GPU = [*STRICT_LINK, *(f"-Wl,--wrap={name}" for name in SYMBOLS_ON_GPU)]
STRICT_LINK_FOR_GPU += [f"-Wl,--wrap={prefix}{name}" for name in SYMBOLS for prefix in ("", "__real_")]


@dataclass(frozen=True)
class Library:
    """A build in this process. `facts` is what the device reads from the file, before anything in it has run."""

    path: Path
    loaded: ctypes.CDLL
    facts: Any = None


class Refused(Exception):
    """A library that no GPU would take: one sentence."""


class Recipe(Protocol):
    """All that a build depends on, and how it is done."""

    def key(self) -> str:
        """A hash of it all, the name of the build in the cache."""

    def run(self, folder: Path) -> Path:
        """Builds, and loads nothing; the library's path. Raises RuntimeError with the compiler's output, or OSError."""

    def facts(self, library: Path) -> tuple[Any, list[Path]]:
        """What a session wants to know of the file, and the files beside it that hold this, to be kept with it.

        Raises Refused if no GPU would take what is in there.
        """


def build_inline(folder: Path, **sources_and_flags: Any) -> Path:
    """What `load_inline` builds of them in a new folder; its last step, which would load the library, is left out.

    Raises RuntimeError with ninja's output.
    """
    import torch
    from torch.utils import cpp_extension

    load, torch.ops.load_library = torch.ops.load_library, lambda path: None  # type: ignore[method-assign]
    folder.mkdir()
    try:
        library: str = cpp_extension.load_inline(
            LIBRARY.removesuffix(".so"),
            build_directory=str(folder),
            is_python_module=False,
            no_implicit_headers=True,
            with_pytorch_error_handling=False,
            **sources_and_flags,
        )
    finally:
        torch.ops.load_library = load  # type: ignore[method-assign]
    return Path(library)


def hash_of(parts: Iterable[str | bytes], compiler: str) -> str:
    """A hash of the parts, of torch's version and of the compiler of that name."""
    digest = hashlib.sha256()
    for part in [*parts, version("torch"), *program_identity(compiler)]:
        digest.update((part if isinstance(part, bytes) else part.encode()) + b"\0")
    return digest.hexdigest()[:32]


def contents(*folders: tuple[Path, str]) -> str:
    """A hash of the names and contents of all files in folders, and in theirs, whose names end in a suffix.

    The files are read once, for a process and its forks, unless one changes.
    """
    found = (each for folder, suffix in folders for each in sorted(_files(str(folder), suffix)))
    return _contents(tuple(found))


def _files(folder: str, suffix: str) -> Iterator[tuple[str, int, int, int]]:
    """What `_contents` wants to know of them. Path.rglob finds the same, and takes several times as long."""
    with suppress(FileNotFoundError, NotADirectoryError, PermissionError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _files(entry.path, suffix)
            elif entry.name.endswith(suffix) and entry.is_file():
                now = entry.stat()
                yield entry.path, now.st_mtime_ns, now.st_size, now.st_ino


@lru_cache(maxsize=8)
def _contents(files: tuple[tuple[str, int, int, int], ...]) -> str:
    """Of files as they are since then."""
    digest = hashlib.sha256()
    for path, *_ in files:
        digest.update(Path(path).name.encode() + b"\0" + Path(path).read_bytes() + b"\0")
    return digest.hexdigest()


def program_identity(name: str) -> tuple[str, str, str]:
    """What changes when this program is upgraded: the file that its name leads to, its size and its time."""
    program = Path(shutil.which(name) or "").resolve()
    facts = program.stat()
    return str(program), str(facts.st_size), str(facts.st_mtime_ns)


def for_ninja(flag: str) -> str:
    """A flag as it must stand in a ninja file, which a shell then reads."""
    return shlex.quote(flag).replace("$", "$$")
