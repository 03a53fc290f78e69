"""What several tests need and one works out: kept for the rest of the run, for all of its processes.

What the emulator and the judge make of a file is kept for later runs, too, until anything changes that decides it.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.metadata
import os
import pickle
import platform
import shutil
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import filelock
import pytest

from grader import grade
from grader.course.lesson import Task
from grader.devices.build.recipe import program_identity
from grader.devices.cache import cache_root
from grader.devices.emulator.checked import beside
from grader.devices.emulator.compile import emulated_library
from grader.devices.emulator.translate import TranslationError
from grader.grade import Result, Submission

T = TypeVar("T")
ROOT = Path(__file__).parents[1]
FRESH = "LADDER_TESTS_FRESH"  # set (`make test FRESH=1`): nothing is taken from an earlier run
KEPT, KEPT_DAYS = cache_root() / "test-results", 14
KEPT_FOLDERS = 3  # of one name: the newest, and what was used today
UNSURE = ("timeout", "crash", "not_graded")  # statuses that a machine without time or memory can bring about, too


class Once:
    """`once(key, make)` is `make()`, or a copy of what that returned when this run first asked for the key.

    Another process that asks meanwhile waits for the first one. What raises is not kept.
    """

    def __init__(self, folder: Path):
        self.folder = folder
        folder.mkdir(exist_ok=True)

    def __call__(self, key: Iterable[str | bytes], make: Callable[[], T]) -> T:
        file = self.folder / digest(key)
        with filelock.FileLock(f"{file}.lock"):
            if not file.exists():
                save(make(), file)
        return load(file)


class Kept:
    """`kept(key, make, is_sure)` is `once(key, make)`, or what an earlier run of the same grader was sure of."""

    def __init__(self, once: Once, folder: Path):
        self.once, self.folder = once, folder
        folder.mkdir(exist_ok=True)
        for old in folder.iterdir():
            with suppress(OSError):  # another process has removed it
                if time.time() - old.stat().st_mtime > KEPT_DAYS * 86400:
                    old.unlink()

    def __call__(self, key: Iterable[str | bytes], make: Callable[[], T], is_sure: Callable[[T], bool]) -> T:
        key = [*key, decided_by()]
        file = self.folder / digest(key)

        def find() -> T:
            with suppress(FileNotFoundError):
                os.utime(file)
                return load(file)
            found = make()
            if is_sure(found):
                save(found, file)
            return found

        return self.once(key, find)


def save(value: Any, file: Path) -> None:
    """Whole or not at all."""
    unfinished = file.with_suffix(f".{os.getpid()}")
    unfinished.write_bytes(pickle.dumps(value))
    unfinished.replace(file)


def load(file: Path) -> Any:
    return pickle.loads(file.read_bytes())


@functools.cache
def decided_by() -> str:
    """What decides how the emulator and the judge grade a file: their own files, and the programs that they use."""
    parts = [ROOT / "grader" / name for name in ("course", "devices", "judge")]
    files = [file for part in parts for file in part.rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    files += [*(ROOT / "grader").glob("*.py"), ROOT / "tests/shared.py"]
    named = [piece for file in sorted(files) for piece in (str(file.relative_to(ROOT)), file.read_bytes())]
    used = [version for name in ("torch", "numpy", "libclang") for version in versions_of(name)]
    return digest([*named, *used, *program_identity("g++"), platform.python_version(), platform.machine()])


def versions_of(name: str) -> list[str]:
    return [found.version for found in importlib.metadata.distributions(name=name)]


def long_tail(values: Iterable[Any], every: int, slow: int = 4, of: Callable[[Any], object] | None = None) -> list[Any]:
    """For parametrize: the first of `values` and each `every`th after it run always.

    Of the others each `slow`th runs with SLOW=1, and so does the first `of` its kind; all run with SLOW=2.
    """
    kinds: set[object] = set()
    found, others = [], 0
    for number, value in enumerate(values):
        kind = of(value) if of else None
        is_first = of is not None and kind not in kinds
        kinds.add(kind)
        if number % every == 0:
            found.append(value)
            continue
        mark = pytest.mark.slow if is_first or others % slow == 0 else pytest.mark.whole
        others += 1
        found.append(_marked(value, mark))
    return found


def _marked(value: Any, mark: pytest.MarkDecorator) -> Any:
    if hasattr(value, "marks"):  # what pytest.param made
        return pytest.param(*value.values, marks=[*value.marks, mark], id=value.id)
    return pytest.param(*(value if isinstance(value, tuple) else [value]), marks=mark)


def digest(parts: Iterable[str | bytes]) -> str:
    """A hash that tells ("ab", "c") from ("a", "bc")."""
    found = hashlib.sha256()
    for part in parts:
        data = part.encode(errors="surrogateescape") if isinstance(part, str) else part
        found.update(len(data).to_bytes(8) + data)
    return found.hexdigest()


def run_folder(base: Path) -> Path:
    """The folder of this test run, from a process's own `tmp_path_factory.getbasetemp()`: xdist's workers share it."""
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


def kept_results(once: Once) -> Kept:
    """In the cache folder, or with FRESH in this run's own."""
    return Kept(once, once.folder / "kept" if os.environ.get(FRESH) else KEPT)


def kept_folder(base: Path, name: str) -> Path:
    """A folder for what this grader, and no other, has built: that of an earlier run, or with FRESH this run's own."""
    if os.environ.get(FRESH):
        folder = run_folder(base) / name
    else:
        folder = KEPT.with_name("test-builds") / f"{name}-{decided_by()[:16]}"
    folder.mkdir(parents=True, exist_ok=True)
    os.utime(folder)
    others = sorted(folder.parent.glob(f"{name}-*"), key=lambda other: other.stat().st_mtime, reverse=True)
    for other in others[KEPT_FOLDERS:]:
        if time.time() - other.stat().st_mtime > 86400:  # no run uses it now
            shutil.rmtree(other, ignore_errors=True)
    return folder


def graded_once(kept: Kept) -> Callable[[Task, Submission], Result]:
    """`grade.grade_task`, but that each source is emulated once for each task of a lesson and each seed.

    Each of those is held to one rule besides: g++ takes what the checking build makes of its text (subscripts.py,
    margins.py).
    What a test has changed is graded as ever: a task with other cases, a lesson without a file, a grade that can be
    cancelled; and what runs on a GPU, whose times are never the same.
    """
    grade_task = grade.grade_task

    def grade_once(task: Task, submission: Submission) -> Result:
        lesson = getattr(task.make_inputs, "__globals__", {}).get("__file__")
        is_own = any(task is each for each in submission.tasks)
        if not lesson or not is_own or submission.card or submission.cancel:
            return grade_task(task, submission)
        how = (submission.seed, submission.print_threads, submission.with_checks, submission.sandbox)
        asked = [task.name, *map(str, how)]
        key = [*asked, submission.source, submission.filename, Path(lesson).read_bytes()]

        def graded() -> Result:
            found = grade_task(task, submission)
            assert not checks_plain_text(submission), f"{submission.filename} does not compile with rewritten indexes"
            return found

        return kept(key, graded, lambda found: found.grade.status not in UNSURE)

    return grade_once


def checks_plain_text(submission: Submission) -> bool:
    """Whether the checking build of this file in the cache is that of the text as it stands: of fewer checks."""
    prototypes = [each.signature for each in submission.tasks]
    try:
        library = emulated_library(submission.source, submission.filename, prototypes, cache_root())
    except TranslationError:
        return False
    found = beside(library, submission.filename)
    return bool(found and found.is_plain)
