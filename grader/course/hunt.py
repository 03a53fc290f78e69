"""The bug hunt: a lesson's mistakes are handed out one at a time, and work/hunt.json remembers what became of them.

work/hunt/04_3.cu is the third of lesson 04 that this learner gets. A mistake is remembered under a digest of its name,
so that the file gives nothing away. Mistakes in lower rungs come first; among those of one rung the digests' order is
another one for each learner, and always the same for one. A damaged file is set aside, never overwritten.
"""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import secrets
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.course import editor, files
from grader.course.catalog import Entry, UsageError
from grader.course.files import shown_path
from grader.course.handout import Handout
from grader.course.mistake import Mistake
from grader.course.work import HANDED_OUT

SCHEMA = 1
NAMED, MENDED = 1, 2  # points


@dataclass
class Handed:
    """What became of a mistake that was handed out as work/hunt/NN_`number`.cu; `digest` is its handout's."""

    number: int
    digest: str
    points: int = 0
    wrong: int = 0  # answers
    open: bool = True


@dataclass(frozen=True)
class Score:
    """Of one lesson: points, mistakes that are done (mended, named or given up), and that can be worked on."""

    points: int
    most: int
    done: int
    mistakes: int
    left: int
    wrong: int


@dataclass
class Hunt:
    """All that was handed out, by key, the latest last. `message` is a sentence if the file had to be set aside."""

    root: Path
    seed: int
    handed: dict[str, Handed] = field(default_factory=dict)
    message: str = ""

    def key(self, entry: Entry, mistake: Mistake) -> str:
        """Under which a mistake is remembered. A lesson may get another number."""
        return hashlib.sha256(f"{self.seed}/{entry.slug}/{mistake.name}".encode()).hexdigest()[:16]

    def open(self, entry: Entry) -> tuple[Handout, Handed] | None:
        """What the learner has in hand, if the course still has it so. Raises UsageError if a mistake is broken."""
        for mistake in entry.mistakes:
            handed = self.handed.get(self.key(entry, mistake))
            if handed and handed.open and (handout := Handout.of(entry, mistake)).digest == handed.digest:
                return handout, handed
        return None

    def hand_out(self, entry: Entry) -> tuple[Handout, Handed] | None:
        """Writes the lesson's next mistake to work/hunt/; None if there is none left. Raises UsageError."""
        left = [(_rung(entry, mistake), self.key(entry, mistake), mistake) for mistake in entry.mistakes]
        left = [each for each in left if each[1] not in self.handed or self.handed[each[1]].open]
        if not left:
            return None
        _, key, mistake = min(left, key=lambda each: each[:2])
        handout = Handout.of(entry, mistake)
        file = write(entry, handout, (file_of(entry, number) for number in itertools.count(len(self._of(entry)) + 1)))
        number = int(file.stem.rpartition("_")[2])
        before = self.handed.pop(key, Handed(number, handout.digest))  # the course may have changed it since
        self.handed[key] = handed = replace(before, number=number, digest=handout.digest)
        return handout, handed

    def score(self, entry: Entry) -> Score | None:
        """None for a lesson that nothing was handed out of."""
        handed, mistakes = self._of(entry), len(entry.mistakes)
        if not handed:
            return None
        return Score(
            points=sum(each.points for each in handed),
            most=MENDED * mistakes,
            done=sum(each.points > 0 or not each.open for each in handed),
            mistakes=mistakes,
            left=mistakes - sum(not each.open for each in handed),
            wrong=sum(each.wrong for each in handed),
        )

    def _of(self, entry: Entry) -> list[Handed]:
        keys = (self.key(entry, mistake) for mistake in entry.mistakes)
        return [self.handed[key] for key in keys if key in self.handed]

    def goes_on(self, lessons: list[Entry]) -> Entry | None:
        """The lesson that the latest mistake is of, else the next one that has any left; None if none has."""
        lesson_of = {self.key(entry, mistake): entry for entry in lessons for mistake in entry.mistakes}
        latest = next((lesson_of[key] for key in reversed(self.handed) if key in lesson_of), None)
        left = [entry for key, entry in lesson_of.items() if key not in self.handed or self.handed[key].open]
        following = [entry for entry in left if not latest or entry.number >= latest.number]
        return next(iter([*following, *left]), None)


def _rung(entry: Entry, mistake: Mistake) -> int:
    """The place of the rung, or puzzle, that a mistake was made from, from 0 on; what was made from none comes last."""
    rungs = entry.rungs or [puzzle.reference for puzzle in entry.puzzles]
    return rungs.index(mistake.base) if mistake.base in rungs else len(rungs)


def file_of(entry: Entry, number: int) -> Path:
    """work/hunt/04_3.cu"""
    return _folder(entry.root) / f"{entry.number:02d}_{number}.cu"


def write(entry: Entry, handout: Handout, names: Iterator[Path]) -> Path:
    """Writes a handout under the first of the names that is free, and returns it. Raises UsageError."""
    editor.prepare(entry.root)
    try:
        _folder(entry.root).mkdir(parents=True, exist_ok=True)
        return files.write_new(names, handout.text.encode())
    except OSError as error:
        place = shown_path(_folder(entry.root))
        raise UsageError(f"nothing can be handed out to {place} ({error.strerror}): mend that and try again") from None


def load(root: Path) -> Hunt:
    """The hunt of the course at `root`. Raises UsageError if its file is there and cannot be read."""
    file = _file(root)
    try:
        return _read(root, json.loads(file.read_bytes()))
    except FileNotFoundError:
        return Hunt(root, secrets.randbits(32))
    except OSError as error:
        raise UsageError(f"{shown_path(file)} cannot be read ({error.strerror}): mend that") from None
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        try:
            aside = files.set_aside(file)
        except OSError as error:
            raise UsageError(f"{shown_path(file)} is damaged and cannot be set aside ({error.strerror})") from None
        told = f"{shown_path(file)} was damaged: it is now {aside.name}, and the hunt begins anew"
        return Hunt(root, secrets.randbits(32), message=told)


@contextlib.contextmanager
def changing(root: Path) -> Iterator[Hunt]:
    """The hunt, and what is changed of it is written: in one step, or not at all. Raises UsageError."""
    file = _file(root)
    with files.alone(file.parent):
        hunt = load(root)
        before = _dumps(hunt)
        yield hunt
        if _dumps(hunt) == before:
            return
        try:
            files.replace(file, _dumps(hunt))
        except OSError as error:
            raise UsageError(f"{shown_path(file)} cannot be written ({error.strerror}): mend that") from None


def _dumps(hunt: Hunt) -> bytes:
    mistakes = {key: asdict(one) for key, one in hunt.handed.items()}
    return json.dumps({"schema": SCHEMA, "seed": hunt.seed, "mistakes": mistakes}, indent=2).encode()


def _read(root: Path, data: Any) -> Hunt:
    handed = {key: Handed(**one) for key, one in data["mistakes"].items()}
    for one in handed.values():
        numbers = (one.number, one.points, one.wrong)
        if not all(type(number) is int and number >= 0 for number in numbers) or one.points > MENDED:
            raise ValueError("not ours")
        if type(one.open) is not bool or type(one.digest) is not str:
            raise ValueError("not ours")
    if data["schema"] != SCHEMA or type(data["seed"]) is not int:
        raise ValueError("another schema")
    return Hunt(root, data["seed"], handed)


def _file(root: Path) -> Path:
    return root / "work" / "hunt.json"


def _folder(root: Path) -> Path:
    return root / "work" / HANDED_OUT
