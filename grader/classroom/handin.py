"""Hand-ins: a kernel, its grade, the seed and the environment in one readable file, which can be graded again.

A hand-in proves nothing by itself, and needs no secret: who gets it grades its source again with its seed.
"""

from __future__ import annotations

import hashlib
import itertools
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import files
from grader.course.catalog import Entry, UsageError
from grader.course.files import shown_path
from grader.judge.again import Again, compare_grades, environment
from grader.judge.verdict import Grade
from grader.report import json_

if TYPE_CHECKING:
    from grader.grade import Device

FORMAT, SCHEMA = "kernel-ladder hand-in", 1
SUFFIX = ".handin.json"
MOST_BYTES = 8 << 20  # a source, which may have 1 MB, and its grade
MENDED = "ask for the file as `ladder submit` wrote it"


@dataclass(frozen=True)
class HandIn:
    """What a learner hands in. `environment` is by name: torch, the compiler, the lesson's hash."""

    lesson: str
    kernel: str  # the file's name
    source: str
    grade: Grade
    environment: Mapping[str, str]

    @property
    def device(self) -> Device:
        """Where to grade it again: what was emulated is emulated, what was timed needs a GPU, if there is one."""
        return "emulator" if self.grade.device["kind"] == "emulator" else "auto"


def make(entry: Entry, source: str, grade: Grade) -> HandIn:
    """Of a grade, all that grading again can compare; counters by line, which are many, stay away."""
    tasks = [replace(task, lines=[], kernels=[]) for task in grade.tasks]
    name = Path(grade.kernel).name
    kernel = name if _is_plain(name) else entry.work_file.name
    return HandIn(entry.name, kernel, source, replace(grade, tasks=tasks), environment(entry))


def dumps(handin: HandIn) -> str:
    """The file's text: JSON, the source line by line."""
    data = {
        "format": FORMAT,
        "schema": SCHEMA,
        "lesson": handin.lesson,
        "kernel": handin.kernel,
        "status": handin.grade.status,
        "stars": handin.grade.stars,
        "seed": handin.grade.seed,
        "written": datetime.now(UTC).isoformat(timespec="seconds"),
        "environment": dict(handin.environment),
        "source_sha256": _hash(handin.source),
        "source": handin.source.split("\n"),
        "grade": json_.to_json(handin.grade),
    }
    return json.dumps(data, ensure_ascii=False, indent=1) + "\n"


def prepare(folder: Path) -> None:
    """Makes the folder. Raises UsageError if nothing could be written there, before anybody waits for a grade."""
    try:
        files.make_folder(folder)
    except OSError as error:
        raise _unwritable(folder, error) from None


def write(handin: HandIn, folder: Path) -> Path:
    """Writes the hand-in under the first name that is free: earlier ones stay. Raises UsageError."""
    numbered = (f"{handin.lesson}{f'-{number}' if number > 1 else ''}{SUFFIX}" for number in itertools.count(1))
    try:
        return files.write_new(map(folder.joinpath, numbered), dumps(handin).encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise _unwritable(folder, error) from None


def _unwritable(folder: Path, error: OSError) -> UsageError:
    return UsageError(f"{shown_path(folder)} cannot be written to ({error.strerror}): mend that first")


def read(file: Path) -> HandIn:
    """What `write` wrote. Raises UsageError, one sentence, for anything else."""
    try:
        with file.open("rb") as opened:
            data = opened.read(MOST_BYTES + 1)
    except OSError as error:
        raise UsageError(f"{file} cannot be read ({error.strerror}): check the spelling") from None
    return parse(str(file), data)


def parse(file: str, data: bytes) -> HandIn:
    """What a file of this name holds. Raises UsageError."""
    if len(data) > MOST_BYTES:
        raise UsageError(f"{file} is too large for a hand-in: {MENDED}")
    try:
        return _parsed(file, json.loads(data.decode("utf-8", "surrogateescape")))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        raise UsageError(f"{file} is no hand-in, or a damaged one: {MENDED}") from None


def _parsed(file: str, data: Any) -> HandIn:
    """Raises any of what reading a wrong form leads to, and UsageError for a source that was changed."""
    if data["format"] != FORMAT or data["schema"] != SCHEMA:
        raise ValueError("another format")
    source, grade = "\n".join(data["source"]), json_.from_json(data["grade"])
    if _hash(source) != data["source_sha256"]:
        raise UsageError(f"the source in {file} was changed after it was graded: {MENDED}")
    if (grade.status, grade.stars, grade.seed) != (data["status"], data["stars"], data["seed"]):
        raise UsageError(f"{file} contradicts itself about its grade: {MENDED}")
    words = [data["lesson"], data["kernel"], *data["environment"].values()]
    if not all(isinstance(word, str) and word.isprintable() for word in words) or not _is_plain(data["kernel"]):
        raise ValueError("not ours")
    if not isinstance(data["seed"], int) or not 0 <= data["seed"] < 2**31:
        raise ValueError("no seed")
    return HandIn(data["lesson"], data["kernel"], source, grade, data["environment"])


def compare(file: Path, handin: HandIn, now: Grade, here: Mapping[str, str]) -> Again:
    """How the grade that a hand-in claims differs from this one of the same source, made `here`. Raises UsageError."""
    then = handin.environment
    other = [
        f"{name} {then.get(name)} then, {here[name]} now" for name in ("g++", "torch") if then.get(name) != here[name]
    ]
    same_compiler = then.get("g++") == here["g++"]
    try:
        again = compare_grades(handin.grade, now, same_compiler=same_compiler)
    except (TypeError, ValueError, LookupError, AttributeError):
        raise UsageError(f"{file} is damaged: {MENDED}") from None
    notes = ["the lesson has changed since"] if then.get("lesson") != here["lesson"] else []
    if again.differs:
        notes += [f"{each}, which may explain it" for each in other]
    elif not same_compiler and now.device["kind"] == "emulator":
        notes.append(f"{other[0]}: instructions and branches are not compared")
    return replace(again, notes=(*again.notes, *notes))


def _is_plain(name: str) -> bool:
    """Whether this names a file, in any folder, and does nothing to a terminal."""
    return Path(name).name == name and name.isprintable() and bool(name.strip(". "))


def _hash(source: str) -> str:
    return hashlib.sha256(source.encode("utf-8", "surrogateescape")).hexdigest()
