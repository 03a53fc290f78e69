"""What the learner has reached: work/progress.json. Best stars are kept; a later, worse attempt takes nothing away."""

from __future__ import annotations

import json
import os
import tempfile
from dataclasses import asdict, dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

SCHEMA = 1


@dataclass
class LessonProgress:
    stars: int = 0
    passed: str | None = None  # the day of the first pass, "2025-01-31"


@dataclass
class Progress:
    """Stars by lesson name. `message` is a sentence for the learner if the file had to be set aside, else empty."""

    lessons: dict[str, LessonProgress] = field(default_factory=dict)
    message: str = ""

    def stars(self, lesson: str) -> int:
        return self.lessons.get(lesson, LessonProgress()).stars

    def passed(self, lesson: str) -> bool:
        return self.lessons.get(lesson, LessonProgress()).passed is not None


def load(root: Path) -> Progress:
    """The progress of the course at `root`. A damaged file is renamed to progress.json.damaged, never overwritten."""
    file = _file(root)
    try:
        return Progress(_read(json.loads(file.read_text())))
    except FileNotFoundError:
        return Progress()
    except OSError as error:
        return Progress(message=f"{file} cannot be read ({error.strerror}): stars are not shown")
    except (ValueError, TypeError, LookupError, AttributeError):
        damaged = file.with_name(file.name + ".damaged")
        os.replace(file, damaged)
        return Progress(message=f"{file} was damaged: it is now {damaged.name}, and counting starts anew")


def record(root: Path, lesson: str, stars: int, passed: bool, today: date | None = None) -> Progress:
    """Notes one grade and returns the progress after it; the file changes in one step or not at all."""
    progress = load(root)
    if not passed:
        return progress
    best = progress.lessons.setdefault(lesson, LessonProgress())
    best.stars = max(best.stars, stars)
    best.passed = best.passed or (today or date.today()).isoformat()
    try:
        _write(_file(root), progress)
    except OSError as error:
        progress.message = f"{_file(root)} cannot be written ({error.strerror}): this pass is not remembered"
    return progress


def _file(root: Path) -> Path:
    return root / "work" / "progress.json"


def _read(data: Any) -> dict[str, LessonProgress]:
    if data["schema"] != SCHEMA:
        raise ValueError("another schema")
    known = {name: LessonProgress(stars=one["stars"], passed=one["passed"]) for name, one in data["lessons"].items()}
    if not all(isinstance(one.stars, int) and isinstance(one.passed, str | None) for one in known.values()):
        raise TypeError
    return known


def _write(file: Path, progress: Progress) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    data = {"schema": SCHEMA, "lessons": {name: asdict(one) for name, one in sorted(progress.lessons.items())}}
    handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=".progress-")
    try:
        with os.fdopen(handle, "w") as stream:
            json.dump(data, stream, indent=2)
        os.replace(temporary, file)
    except BaseException:
        os.unlink(temporary)
        raise
