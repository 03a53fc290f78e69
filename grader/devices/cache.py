"""The folder where builds are kept between runs, on this machine."""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import stat
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from grader.course.catalog import UsageError

LIBRARY = "kernel.so"
HASHES = "kernel.sha256"  # of the other files of a build, in the form of sha256sum
MOST_CACHED_BYTES = 2 << 30
MOST_CACHED_BUILDS = 5000  # 125 KB each: more than all tests of the course build
PRUNED_EVERY = 600  # seconds; to look at thousands of builds takes longer than to keep one


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


def vouched(key: str, files: Sequence[Path]) -> bytes:
    """A build's key and its files, as `keep` takes them."""
    texts = {file.name: file.read_bytes() for file in files}
    head = {"key": key, "sizes": {name: len(text) for name, text in texts.items()}}
    return json.dumps(head).encode() + b"\n" + b"".join(texts.values())


def keep(cache: Path, build: bytes) -> None:
    """Writes a build to the cache, or marks what is there as used, if it has no files.

    `build` is what the worker vouched for before the submission ran: nothing that came later can be in it.
    """
    head, _, rest = build.partition(b"\n")
    facts = json.loads(head)
    kept = cache / "kernels" / facts["key"]
    with contextlib.suppress(OSError):  # a full disk: it is built again next time
        kept.mkdir(parents=True, exist_ok=True)
        os.utime(kept)
        hashes = []
        for name, size in facts["sizes"].items():
            text, rest = rest[:size], rest[size:]
            _write(kept / name, text)
            hashes.append(f"{hashlib.sha256(text).hexdigest()}  {name}\n")
        if hashes:
            _write(kept / HASHES, "".join(hashes).encode())
            if _is_due(cache / "pruned"):
                _prune(kept.parent)


def _write(file: Path, text: bytes) -> None:
    """In one step, as another process may have the file loaded."""
    new = file.with_name(f".{file.name}.{os.getpid()}")
    new.write_bytes(text)
    os.replace(new, file)


def is_intact(folder: Path) -> bool:
    """Whether this folder of the cache holds a build, and its files are what they were when it was kept."""
    try:
        rows = [row.split("  ", 1) for row in (folder / HASHES).read_text().splitlines()]
        wanted = {name: digest for digest, name in rows}
        found = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in wanted}
        return LIBRARY in wanted and found == wanted
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
        total += bytes_within(build)
        if number >= MOST_CACHED_BUILDS or total > MOST_CACHED_BYTES:
            shutil.rmtree(build, ignore_errors=True)


def bytes_within(folder: Path) -> int:
    """Of all its files. One that another process takes away meanwhile counts nothing."""
    total = 0
    for place, _, names in os.walk(folder):
        for name in names:
            with contextlib.suppress(OSError):
                total += os.lstat(os.path.join(place, name)).st_size
    return total
