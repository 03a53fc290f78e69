"""What the learner has reached: work/progress.json. Best stars and rungs are kept; a later, worse attempt takes nothing
away. Rungs are kept by name, so that a ladder may get new rungs between the old ones. Of predictions the first is kept.

The file is keyed by the lesson's name, and people may edit it. What cannot be read is set aside, never overwritten; a
lesson that was renamed or given another number keeps its stars.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import json
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

from grader.course import catalog, files
from grader.course.catalog import Entry, UsageError

SCHEMA = 1
MOST_STARS = 3
ALIKE = 0.6  # of two names, for one to be the other's new spelling
# One lesson's entry, for a file that is no JSON any more.
ENTRY = re.compile(
    r'"([\w.]+)"\s*:\s*\{\s*"stars"\s*:\s*([0-3])\s*,\s*"passed"\s*:\s*(?:"(\d{4}-\d\d-\d\d)"|null)\s*'
    r'(?:,\s*"rungs"\s*:\s*(\{[^{}]*\})(?:\s*,\s*"predictions"\s*:\s*(\{[^{}]*\}))?|[,}])'
)


@dataclass
class LessonProgress:
    """The best that a learner has reached in one lesson."""

    stars: int = 0
    passed: str | None = None  # the day of the first pass, "2025-01-31"
    rungs: dict[str, list[str]] = field(default_factory=dict)  # names of those that were reached, by task
    predictions: dict[str, str] = field(default_factory=dict)  # the letter that was chosen, by the question's number


@dataclass
class Progress:
    """Stars by lesson name. `message` is a sentence for the learner if the file had to be set aside, else empty."""

    lessons: dict[str, LessonProgress] = field(default_factory=dict)
    message: str = ""

    def stars(self, lesson: str) -> int:
        """The most that were reached; 0 for a lesson that was never passed."""
        return self.lessons.get(lesson, LessonProgress()).stars

    def rungs(self, lesson: str, task: str) -> list[str]:
        """The names of the rungs of a task that were reached, from the lowest to the highest."""
        return self.lessons.get(lesson, LessonProgress()).rungs.get(task, [])

    def predictions(self, lesson: str) -> dict[str, str]:
        """The letters that were chosen, by the questions' numbers."""
        return self.lessons.get(lesson, LessonProgress()).predictions

    def passed(self, lesson: str) -> bool:
        """Whether it was, at least once."""
        return self.lessons.get(lesson, LessonProgress()).passed is not None


def to_do(entries: list[Entry], done: Progress, after: Entry | None = None) -> Entry:
    """The next lesson that is not passed, from `after` on and then from the beginning. Raises UsageError."""
    if not entries:
        raise UsageError("there is no lesson in lessons/ yet")
    following = entries[entries.index(after) + 1 :] if after in entries else entries
    todo = [entry for entry in [*following, *entries] if not done.passed(entry.name) and entry != after]
    if todo:
        return todo[0]
    if after:
        raise UsageError("there is no other lesson to do: press l for the course")
    return entries[0]


def load(root: Path) -> Progress:
    """The progress of the course at `root`. A damaged file becomes progress.json.damaged; what is legible is kept."""
    file = _file(root)
    try:
        text = file.read_bytes().decode(errors="replace")
    except FileNotFoundError:
        return Progress()
    except OSError as error:
        return Progress(message=f"{file} cannot be read ({error.strerror}): stars are not shown")
    try:
        progress = Progress(_read(json.loads(text)))
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        progress = _rescue(file, text)
    progress.lessons = _renamed(progress.lessons, _present(root))
    return progress


def record(
    root: Path,
    lesson: str,
    stars: int,
    passed: bool,
    today: date | None = None,
    rungs: Mapping[str, Sequence[str]] | None = None,
) -> Progress:
    """Notes one grade and returns the progress after it; the file changes in one step or not at all.

    `rungs` are the names of those that the right tasks have reached, by task; stars count only if all is passed.
    """
    if not passed and not rungs:
        return load(root)

    def note(best: LessonProgress) -> None:
        if passed:
            best.stars = max(best.stars, stars)
            best.passed = best.passed or (today or date.today()).isoformat()
        for task, names in (rungs or {}).items():
            best.rungs[task] = [*dict.fromkeys([*best.rungs.get(task, []), *names])]

    return _change(root, lesson, note, "pass")


def predict(root: Path, lesson: str, number: str, choice: str) -> Progress:
    """Notes what was predicted for a question, unless something was before; returns the progress after it."""
    return _change(root, lesson, lambda best: best.predictions.setdefault(number, choice), "prediction")


def _change(root: Path, lesson: str, note: Callable[[LessonProgress], object], what: str) -> Progress:
    file = _file(root)
    with files.alone(file.parent):
        progress = load(root)
        note(progress.lessons.setdefault(lesson, LessonProgress()))
        try:
            _write(file, progress)
        except OSError as error:
            progress.message = f"{file} cannot be written ({error.strerror}): this {what} is not remembered"
    return progress


def _file(root: Path) -> Path:
    return root / "work" / "progress.json"


# ---- what the file holds ----


def _read(data: Any) -> dict[str, LessonProgress]:
    if data["schema"] != SCHEMA:
        raise ValueError("another schema")
    known = {
        name: LessonProgress(
            one["stars"], one["passed"], _rungs(one.get("rungs", {})), _predictions(one.get("predictions", {}))
        )
        for name, one in data["lessons"].items()
    }
    for one in known.values():
        if one.stars not in range(MOST_STARS + 1) or not isinstance(one.passed, str | None):
            raise ValueError("not ours")
    return known


def _rungs(data: Any) -> dict[str, list[str]]:
    """Raises ValueError or AttributeError for what we did not write."""
    found = {task: list(names) for task, names in data.items()}
    if not all(isinstance(name, str) for names in found.values() for name in names):
        raise ValueError("not ours")
    return found


def _predictions(data: Any) -> dict[str, str]:
    """Raises ValueError or AttributeError for what we did not write."""
    if not all(isinstance(choice, str) for choice in data.values()):
        raise ValueError("not ours")
    return {**data}


def _legible(text: str) -> dict[str, LessonProgress]:
    """The lessons of a damaged file that can still be read; of a lesson cut short, the stars."""
    found = {}
    for name, stars, day, rungs, predictions in ENTRY.findall(text):
        found[name] = LessonProgress(int(stars), day or None)
        with contextlib.suppress(ValueError, AttributeError, TypeError):
            found[name].rungs = _rungs(json.loads(rungs))
            found[name].predictions = _predictions(json.loads(predictions))
    return found


def _rescue(file: Path, text: str) -> Progress:
    """Sets a damaged file aside, and goes on with the entries that are still legible."""
    legible = _legible(text)
    numbered = (f"{file.name}.damaged{f'-{number}' if number > 1 else ''}" for number in itertools.count(1))
    aside = next(other for other in map(file.with_name, numbered) if not other.exists())
    kept = f"{len(legible)} of its lessons could still be read" if legible else "counting starts anew"
    progress = Progress(legible, f"{file} was damaged: it is now {aside.name}, and {kept}")
    try:
        os.replace(file, aside)
        if legible:
            _write(file, progress)
    except OSError as error:
        progress.message = f"{file} is damaged and cannot be set aside ({error.strerror}): mend it, or remove it"
    return progress


def _renamed(lessons: dict[str, LessonProgress], present: list[str]) -> dict[str, LessonProgress]:
    """Entries of lessons that are gone, under the lesson's new name: another number, or nearly the same words."""
    names, free = {}, [name for name in present if name not in lessons]
    for old in (name for name in lessons if name not in present):
        number, _, slug = old.partition("_")
        same_slug = [name for name in free if name.partition("_")[2] == slug]
        same_number = {name.partition("_")[2]: name for name in free if name.partition("_")[0] == number}
        close = difflib.get_close_matches(slug, same_number, n=1, cutoff=ALIKE)
        if found := same_slug or [same_number[each] for each in close]:
            names[old] = found[0]
            free.remove(found[0])
    return {names.get(name, name): one for name, one in lessons.items()}


def _present(root: Path) -> list[str]:
    """The names of all lessons and puzzles."""
    lessons = catalog.entries(root)
    return [entry.name for lesson in lessons for entry in (lesson, *lesson.puzzles)]


def _write(file: Path, progress: Progress) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    lessons = {name: asdict(one) for name, one in sorted(progress.lessons.items())}
    for one in lessons.values():
        if not one["predictions"]:
            del one["predictions"]
    data = {"schema": SCHEMA, "lessons": lessons}
    files.replace(file, json.dumps(data, indent=2).encode())
