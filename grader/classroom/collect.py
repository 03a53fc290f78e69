"""What people handed in, in a folder or a ZIP file as a learning management system exports it.

Kernels `.cu` at any depth, hand-ins `*.json` as `ladder submit` writes them, and notebooks with `%%kernel` cells.
Nothing is unpacked, no link is followed, and what is not understood is listed with a reason.
"""

from __future__ import annotations

import json
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path, PurePosixPath

from grader.classroom import handin
from grader.classroom.exports import METADATA, Owner, gradescope_owners, is_note, owner_of
from grader.classroom.ledger import Submitted
from grader.course.catalog import Entry, UsageError
from grader.course.choose import is_there

MOST_BYTES = 16 << 20  # of one file: a notebook with its pictures
_IGNORED = re.compile(r"(^|/)(\.|__MACOSX/|~)|~$")
_NUMBERS = re.compile(r"([ _-]\d+)+_?$")  # of a folder or file that a person has named
_MOODLE_NUMBER = re.compile(r"_\d+_assignsubmission\w*")
_MAGIC = re.compile(r"^\s*%%kernel\s+(\S+)[^\n]*\n")


@dataclass(frozen=True)
class File:
    """One file that was handed in: its path in the folder or archive, when it was written, and what is in it."""

    path: PurePosixPath
    written: float  # seconds since 1970
    data: bytes


class NotUnderstood(Exception):
    """One sentence."""


def files_of(place: Path) -> Iterator[File | tuple[str, str]]:
    """The files of a folder or a ZIP file, or (path, reason) for one that cannot be read. Raises UsageError."""
    if place.is_dir():
        for path in sorted(place.rglob("*")):
            name = path.relative_to(place).as_posix()
            if not _IGNORED.search(name) and not (path.is_dir() and not path.is_symlink()):
                yield _read(path, name)
        return
    try:
        with zipfile.ZipFile(place) as archive:
            for info in archive.infolist():
                if not info.is_dir() and not _IGNORED.search(info.filename):
                    yield _unzipped(archive, info)
    except (OSError, zipfile.BadZipFile) as error:
        raise UsageError(f"{place} is neither a folder nor a ZIP file that can be read ({error})") from None


def _read(path: Path, name: str) -> File | tuple[str, str]:
    try:
        facts = path.lstat()
        if not stat.S_ISREG(facts.st_mode):
            return name, "it is no plain file, but a link, a pipe or a device"
        if facts.st_size > MOST_BYTES:
            return name, f"it is larger than {MOST_BYTES >> 20} MB"
        return File(PurePosixPath(name), facts.st_mtime, path.read_bytes())
    except OSError as error:
        return name, f"it cannot be read ({error.strerror})"


def _unzipped(archive: zipfile.ZipFile, info: zipfile.ZipInfo) -> File | tuple[str, str]:
    if info.file_size > MOST_BYTES:
        return info.filename, f"it is larger than {MOST_BYTES >> 20} MB"
    try:
        with archive.open(info) as opened:
            data = opened.read(MOST_BYTES + 1)
        return File(PurePosixPath(info.filename), datetime(*info.date_time).timestamp(), data[:MOST_BYTES])
    except (OSError, RuntimeError, NotImplementedError, ValueError, zipfile.BadZipFile) as error:
        return info.filename, f"it cannot be unpacked ({error})"


class Reader:
    """Makes submissions of files. The `pattern` finds a learner's name in a path, as its group `learner`."""

    def __init__(self, entries: Sequence[Entry], pattern: str = ""):
        """Raises UsageError."""
        self._entries = [entry for entry in entries if not entry.puzzles]
        try:
            self._pattern = re.compile(pattern) if pattern else None
        except re.error as error:
            raise UsageError(f"--pattern is no regular expression ({error})") from None
        if self._pattern and "learner" not in self._pattern.groupindex:
            raise UsageError("--pattern needs a group (?P<learner>...), which is the name")

    def read(self, file: File, owners: Mapping[str, Owner], shared: Collection[str]) -> list[Submitted]:
        """The kernels in a file. Raises NotUnderstood.

        `owners` are those of Gradescope's folders; names that several people have in this export are `shared`.
        """
        match file.path.suffix.lower():
            case ".cu":
                found = [self._kernel(file)]
            case ".json":
                found = [self._hand_in(file)]
            case ".ipynb":
                found = self._cells(file)
            case _:
                raise NotUnderstood("it is no kernel (.cu), hand-in (.json) or notebook (.ipynb)")
        owner = owner_of(file.path, owners)
        learner, written = self._learner(file.path, found[0][0], owner, shared), file.written
        written = owner.written if owner and owner.written is not None else written
        return [Submitted(learner, entry.name, text, str(file.path), written) for entry, text in found]

    def _kernel(self, file: File) -> tuple[Entry, str]:
        text = _text(file.data)
        owner = owner_of(file.path, {})
        given = (owner.file if owner and owner.file else file.path.name, str(file.path.parent))
        named = self._named(given[0]) or self._named(_MOODLE_NUMBER.sub("", given[1]))
        if entry := named or self._by_task(text):
            return entry, text
        raise NotUnderstood("neither its name nor its functions say which lesson it is for: name it NN_name.cu")

    def _hand_in(self, file: File) -> tuple[Entry, str]:
        try:
            found = handin.parse(str(file.path), file.data)
        except UsageError as error:
            raise NotUnderstood(str(error)) from None
        entry = next((entry for entry in self._entries if entry.name == found.lesson), None)
        if entry is None:
            raise NotUnderstood("it is for a lesson that this course does not have")
        return entry, found.source

    def _cells(self, file: File) -> list[tuple[Entry, str]]:
        try:
            cells = json.loads(file.data)["cells"]
            texts = ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]
        except (ValueError, TypeError, LookupError, RecursionError):
            raise NotUnderstood("it is no notebook") from None
        found: dict[str, tuple[Entry, str]] = {}
        for text in texts:
            if (magic := _MAGIC.match(text)) and (entry := self._named(magic[1])):
                found[entry.name] = entry, text[magic.end() :]  # the last cell of a lesson is the one that counts
        if not found:
            raise NotUnderstood("it has no %%kernel cell of a lesson")
        return list(found.values())

    def _named(self, name: str) -> Entry | None:
        """The lesson whose name is part of this, else the one whose number is."""
        for entry in self._entries:
            if entry.name in name:
                return entry
        numbers = {int(each) for each in re.findall(r"(?<![0-9])(\d\d)(?![0-9])", name)}
        found = [entry for entry in self._entries if entry.number in numbers]
        return found[0] if len(found) == 1 else None

    def _by_task(self, text: str) -> Entry | None:
        found = [entry for entry in self._entries if any(is_there(task, text) for task in entry.lesson.tasks)]
        return found[0] if len(found) == 1 else None

    def _learner(self, path: PurePosixPath, entry: Entry, owner: Owner | None, shared: Collection[str]) -> str:
        if self._pattern:
            if found := self._pattern.search(str(path)):
                return found["learner"]
            raise NotUnderstood("--pattern finds no name in its path")
        if owner:
            name = f"{owner.name} {owner.id}" if owner.name in shared else owner.name
        else:
            stem = path.stem.removesuffix(".handin").partition(entry.name)[0]
            name = _NUMBERS.sub("", path.parts[0] if len(path.parts) > 1 else stem)
        if name := name.strip(" _-"):
            return "".join(c if c.isprintable() else "?" for c in name)
        raise NotUnderstood("its path names no person: give each one a folder, or use --pattern")


def _text(data: bytes) -> str:
    return data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("utf-8", "replace")


def collect(places: Iterable[Path], reader: Reader) -> Iterator[Submitted | tuple[str, str]]:
    """Every kernel of these folders and archives, or (file, reason) for what was not understood. Raises UsageError."""
    for place in places:
        owners, shared = _owners(place)
        for file in files_of(place):
            if isinstance(file, tuple):
                yield f"{place}/{file[0]}", file[1]
                continue
            if is_note(file.path):
                continue
            try:
                yield from reader.read(file, owners, shared)
            except NotUnderstood as reason:
                yield f"{place}/{file.path}", str(reason)


def _owners(place: Path) -> tuple[dict[str, Owner], set[str]]:
    """Those of Gradescope's folders, and the names that several people have in an export."""
    owners: dict[str, Owner] = {}
    people: set[tuple[str, str]] = set()
    for file in files_of(place):
        if not isinstance(file, File):
            continue
        if file.path.name == METADATA:
            owners |= gradescope_owners(_text(file.data))
        elif owner := owner_of(file.path, {}):
            people.add((owner.name, owner.id))
    people |= {(owner.name, owner.id) for owner in owners.values()}
    count = Counter(name for name, _ in people)
    return owners, {name for name in count if count[name] > 1}
