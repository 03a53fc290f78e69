"""A course in a folder of the learner's own: how `ladder init` writes it, and how a newer one takes its place.

The manifest holds a hash of each file as it was written, so what the learner has changed is known. Nothing of theirs is
lost: such a file stays where it is, or moves to a folder of its own when the new course has another text for it.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath

MANIFEST = ".ladder.json"
SCHEMA = 1
STAGING = ".ladder-"  # begins the name of a folder that is soon gone
THEIRS = ("work", "submissions")  # folders that no course has files in


@dataclass(frozen=True)
class Manifest:
    """Which course a folder holds: its version, and the SHA-256 of each of its files by name."""

    version: str
    files: Mapping[str, str]

    @classmethod
    def of(cls, version: str, texts: Mapping[str, bytes]) -> Manifest:
        return cls(version, {name: _hash(text) for name, text in texts.items()})

    def dumps(self) -> bytes:
        data = {"schema": SCHEMA, "version": self.version, "files": self.files}
        return json.dumps(data, indent=1, sort_keys=True).encode()


def read_manifest(folder: Path) -> Manifest | None:
    """None if `ladder init` has not been here, or if it cannot be understood: then all differing files are theirs."""
    try:
        data = json.loads((folder / MANIFEST).read_bytes())
        files = {str(name): str(digest) for name, digest in data["files"].items() if _may_be_ours(name)}
        return Manifest(str(data["version"]), files) if data["schema"] == SCHEMA else None
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        return None


def _may_be_ours(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts and path.parts[:1] not in [(each,) for each in THEIRS]


def course_around(here: Path) -> Path | None:
    """The nearest folder from here up that `ladder init` has written."""
    return next((folder for folder in (here, *here.parents) if (folder / MANIFEST).is_file()), None)


# ---- what is to be done ----


@dataclass
class Plan:
    """Files by name: to write where none is, to write over an older course's, and to take away.

    Those in `kept` are the learner's and move aside first; those that `stay` are theirs, too, and not in the way.
    """

    new: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    gone: list[str] = field(default_factory=list)
    kept: list[str] = field(default_factory=list)
    stay: list[str] = field(default_factory=list)


def plan(folder: Path, old: Manifest | None, fresh: Manifest) -> Plan:
    """How `fresh` comes into a folder that holds `old`, and whatever the learner has done since. Raises OSError."""
    known = old.files if old else {}
    result = Plan()
    for name, wanted in fresh.files.items():
        here, before = _hash_of(folder / name), known.get(name)
        if here is None:
            result.new.append(name)
        elif here == wanted:
            continue
        elif wanted == before:
            result.stay.append(name)
        else:
            result.changed.append(name)
            if here != before:
                result.kept.append(name)
    for name in sorted(known.keys() - fresh.files.keys()):
        here = _hash_of(folder / name)
        if here is not None:
            (result.gone if here == known[name] else result.kept).append(name)
    return result


def _hash_of(file: Path) -> str | None:
    """None if there is no such file. Raises OSError, also where a folder has its name."""
    try:
        return _hash(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError):
        return None


def _hash(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()


# ---- doing it ----


def create(folder: Path, texts: Mapping[str, bytes], manifest: Manifest) -> None:
    """Makes the folder with all files in it, in one step: a failure leaves nothing. Raises OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _staging(folder.parent) as staging:
        course = staging / "course"
        _write(course, {**texts, MANIFEST: manifest.dumps()})
        os.rename(course, folder)


def carry_out(folder: Path, steps: Plan, texts: Mapping[str, bytes], manifest: Manifest, version: str) -> Path:
    """Brings the files into a folder that is there; returns where the learner's are kept. Raises OSError.

    All is written beside the folder's files first: on a full disk, nothing has changed. The manifest comes last, so
    that the same command can be typed again after an interruption.
    """
    aside = _free(folder / f"kept-{version}" if version else folder / "kept")
    written = [*steps.new, *steps.changed]
    with _staging(folder) as staging:
        _write(staging, {**{name: texts[name] for name in written}, MANIFEST: manifest.dumps()})
        for name in steps.kept:
            _move(folder / name, aside / name)
        for name in written:
            _move(staging / name, folder / name)
        for name in steps.gone:
            (folder / name).unlink()
        _remove_empty(folder, [*steps.gone, *steps.kept])
        _move(staging / MANIFEST, folder / MANIFEST)
    return aside


@contextlib.contextmanager
def _staging(folder: Path) -> Iterator[Path]:
    """A folder that is gone afterwards, on the same file system: from there, files only change their names."""
    staging = Path(tempfile.mkdtemp(dir=folder, prefix=STAGING))
    try:
        yield staging
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _write(folder: Path, texts: Mapping[str, bytes]) -> None:
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text)


def _move(file: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    os.replace(file, to)


def _remove_empty(folder: Path, names: list[str]) -> None:
    """Folders in which nothing is left but what Python wrote there."""
    for parent in sorted({parent for name in names for parent in (folder / name).parents}, reverse=True):
        if parent.is_relative_to(folder) and parent != folder:
            with contextlib.suppress(OSError):
                if {each.name for each in parent.iterdir()} == {"__pycache__"}:
                    shutil.rmtree(parent / "__pycache__")
                parent.rmdir()  # fails where something is left


def _free(folder: Path) -> Path:
    """This name, or the first of kept-0.1.0-2, kept-0.1.0-3, ... that is not taken."""
    names = itertools.chain([folder], (folder.with_name(f"{folder.name}-{number}") for number in itertools.count(2)))
    return next(name for name in names if not name.exists())
