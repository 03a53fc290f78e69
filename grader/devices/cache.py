"""The folder where builds are kept between runs, on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

from grader.course.catalog import UsageError

LIBRARY = "kernel.so"
HASHES = "kernel.sha256"  # of the other files of a build, in the form of sha256sum
MOST_CACHED_BYTES = 2 << 30
MOST_CACHED_BUILDS = 5000  # 125 KB each: more than all tests of the course build
PRUNED_EVERY = 600  # seconds; to look at thousands of builds takes longer than to keep one

Hashes = dict[str, str]  # by the file's name


def cache_root() -> Path:
    """Where builds are kept: $XDG_CACHE_HOME/kernel-ladder, else ~/.cache/kernel-ladder, else a temporary folder."""
    chosen = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    root = Path(chosen) / "kernel-ladder"
    try:
        root.mkdir(parents=True, exist_ok=True)
        if os.access(root, os.W_OK | os.X_OK):
            return root
    except OSError:
        pass
    root = Path(tempfile.gettempdir()) / f"kernel-ladder-{os.getuid()}"
    root.mkdir(mode=0o700, exist_ok=True)
    if stat.S_ISLNK(root.lstat().st_mode) or root.stat().st_uid != os.getuid():
        raise UsageError(f"{root} belongs to another user: set XDG_CACHE_HOME to a folder that you can write")
    return root


def keep(folder: Path, cache: Path, key: str, hashes: Hashes) -> None:
    """Moves what a job built into the cache, or marks what is there as used. To be called when the job has ended.

    By then the folder holds what the submission wants it to hold. `key` and `hashes` are what the worker vouched for
    before it ran: files that are no longer what they were do not enter.
    """
    built, kept = folder / "built", cache / "kernels" / key
    with contextlib.suppress(OSError):  # a full disk: it is built again next time
        files = [built / Path(name).name for name in hashes]
        if built.is_symlink() or not all(stat.S_ISREG(file.lstat().st_mode) for file in files):
            return
        if hashes_of(files) != hashes:
            return
        kept.mkdir(parents=True, exist_ok=True)
        os.utime(kept)
        for file in files:
            os.replace(file, kept / file.name)
            if os.geteuid() == 0:  # it was another user that built it (worker/confine_user.py)
                os.chown(kept / file.name, 0, os.getegid())
        if files:
            (kept / HASHES).write_text("".join(f"{digest}  {name}\n" for name, digest in hashes.items()))
            if _is_due(cache / "pruned"):
                _prune(kept.parent)


def hashes_of(files: Iterable[Path]) -> Hashes:
    """Of each file. Raises OSError."""
    return {file.name: hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def is_intact(folder: Path) -> bool:
    """Whether this folder of the cache holds a build, and its files are what they were when it was kept."""
    try:
        rows = [row.split("  ", 1) for row in (folder / HASHES).read_text().splitlines()]
        wanted = {name: digest for digest, name in rows}
        return LIBRARY in wanted and hashes_of(folder / name for name in wanted) == wanted
    except (OSError, ValueError):
        return False


def _is_due(stamp: Path) -> bool:
    """Whether the last time is long enough ago; from now on, it is now."""
    due = not stamp.exists() or time.time() - stamp.stat().st_mtime > PRUNED_EVERY
    if due:
        stamp.touch()
    return due


def _prune(folder: Path) -> None:
    """Drops the builds that were not used for longest, beyond what a cache may hold."""
    builds = sorted(folder.glob("*/"), key=lambda build: build.stat().st_mtime, reverse=True)
    total = 0
    for number, build in enumerate(builds):
        total += sum(file.lstat().st_size for file in build.iterdir())
        if number >= MOST_CACHED_BUILDS or total > MOST_CACHED_BYTES:
            shutil.rmtree(build, ignore_errors=True)
