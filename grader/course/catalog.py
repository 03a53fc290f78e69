"""Finds the course on disk: its lessons, its kernels and the learner's own files."""

from __future__ import annotations

import difflib
import importlib.util
import os
import re
import sys
import traceback
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course.files import shown_path
from grader.course.mistake import Mistake, mistakes_in
from grader.course.usage import UsageError as UsageError

if TYPE_CHECKING:
    from grader.course.lesson import Lesson

COMMENT = re.compile("<!--.*?-->", re.DOTALL)  # in Markdown: it says where a number comes from (docs/numbers.py)


@dataclass(frozen=True)
class Entry:
    """One lesson on disk. `name` is the folder's name, "01_vector_add"; paths need not exist unless said."""

    root: Path
    name: str

    @property
    def number(self) -> int:
        return int(self.name.partition("_")[0])

    @property
    def label(self) -> str:
        """What people type for it: "01"."""
        return f"{self.number:02d}"

    @property
    def slug(self) -> str:
        return self.name.partition("_")[2]

    @property
    def folder(self) -> Path:
        return self.root / "lessons" / self.name

    @property
    def starter(self) -> Path:
        return self.folder / "starter.cu"

    @property
    def work_file(self) -> Path:
        return self.root / "work" / f"{self.name}.cu"

    @property
    def notebook(self) -> Path:
        return self.root / "notebooks" / f"{self.name}.ipynb"

    @property
    def mistakes(self) -> list[Mistake]:
        """By name: whole files NAME.cu, and differences NAME.diff."""
        return mistakes_in(self.root, self.folder / "mistakes")

    @property
    def rivals(self) -> list[Path]:
        """Code that `ladder bench` times beside the rungs: CUDA libraries in .cu files, CPU code in .cpp files."""
        return sorted(file for file in (self.folder / "rivals").glob("*") if file.suffix in (".cu", ".cpp"))

    @property
    def puzzles(self) -> list[Puzzle]:
        """Of a lesson whose tasks are exercises of their own, with a file for each; other lessons have none."""
        starters = sorted((self.folder / "starters").glob("[0-9]*_*.cu"))
        return [Puzzle(self.root, f"{self.label}.{int(file.name[:2])}_{file.stem[3:]}", self) for file in starters]

    @property
    def kernels(self) -> Path:
        """The folder of its rungs 1_naive.cu, 2_….cu; each task may have a folder in it, with a ladder of its own."""
        return self.root / "kernels" / self.name

    @property
    def rungs(self) -> list[Path]:
        """The kernels of all ladders, from the lowest rungs to the highest; none where there are puzzles."""
        if self.puzzles:
            return []
        files = [*self.kernels.glob("[0-9]*_*.cu"), *self.kernels.glob("*/[0-9]*_*.cu")]
        return sorted(files, key=lambda file: (int(file.name.partition("_")[0]), file))

    def rungs_of(self, task: str) -> list[Path]:
        """The kernels of a task's ladder: those in kernels/NN_name/TASK/ if that is there, else in kernels/NN_name/."""
        own = self.kernels / task
        return [file for file in self.rungs if file.parent == (own if own.is_dir() else self.kernels)]

    def rung_file(self, task: str, name: str) -> Path:
        """The kernel of a task's rung: 3_shared_tile.cu for "shared_tile". Raises UsageError."""
        file = next((file for file in self.rungs_of(task) if rung_name(file) == name), None)
        if file is None:
            where = f"kernels/{self.name}/{f'{task}/' if (self.kernels / task).is_dir() else ''}"
            lacks = f"lesson {self.name} has no kernel for rung {name} of {task}"
            raise UsageError(f"{lacks}: {where} holds no N_{name}.cu")
        return file

    def task_of(self, file: Path) -> str | None:
        """The task in whose folder a kernel of the lesson stands; None for any other file, which is about all tasks."""
        folder = file.absolute().parent
        return folder.name if folder.parent == self.kernels.absolute() else None

    @property
    def reference(self) -> Path:
        """The highest rung; all.cu where tasks have folders; for puzzles the folder of their solutions.

        Raises UsageError if it is not there.
        """
        if self.puzzles:
            return self.kernels
        rungs, whole = self.rungs, self.kernels / "all.cu"
        if not rungs:
            raise UsageError(f"lesson {self.name} has no reference kernel: kernels/{self.name}/ holds no 1_name.cu")
        if all(self.task_of(file) is None for file in rungs):
            return rungs[-1]
        if not whole.is_file():
            where = f"kernels/{self.name}/all.cu"
            raise UsageError(f"lesson {self.name} has no reference kernel: write {where}, which includes the top rungs")
        return whole

    def hint_sections(self, task: str) -> dict[str, str]:
        """What hints.md says about a task, by its headings: the names of rungs. Raises UsageError."""
        file = self.folder / "hints.md"
        text = COMMENT.sub("", file.read_text()) if file.is_file() else ""
        sections = _sections(text, "##")
        if task not in sections:
            raise UsageError(f"there are no hints for {task}: lessons/{self.name}/hints.md has no section `## {task}`")
        return _sections(sections[task], "###")

    def hints(self, task: str, rung: str | None = None) -> list[str]:
        """The hints for a rung of the task, the gentlest first, as Markdown without their headings; for None, those of
        a task without a ladder. Raises UsageError.
        """
        parts = self.hint_sections(task)
        if rung is None:
            return list(parts.values())
        if rung not in parts:
            where = f"lessons/{self.name}/hints.md has no section `### {rung}` in `## {task}`"
            raise UsageError(f"there are no hints for rung {rung} of {task}: {where}")
        return list(_sections(parts[rung], "####").values()) or [parts[rung]]

    @cached_property
    def lesson(self) -> Lesson:
        """What lesson.py defines, checked. Raises UsageError with one sentence if it is broken."""
        from grader.course.lesson import check_lesson  # as the file does: `ladder --help` needs neither

        try:
            lesson = _import_lesson(self.folder, f"_ladder_lesson_{self.name}")
            check_lesson(lesson)
        except Exception as error:  # whatever a lesson's author can get wrong
            file, line = _place_in(self.folder, error)
            what = f"{type(error).__name__}: {error}"
            raise UsageError(f"lessons/{self.name}/{file} is broken{line}: {what}") from error
        return lesson

    @property
    def lesson_text(self) -> bytes:
        """lesson.py and the files beside it that it may import: what a grade depends on."""
        return b"".join(file.read_bytes() for file in sorted(self.folder.glob("*.py")))


@dataclass(frozen=True)
class Puzzle(Entry):
    """One task of the lesson `of`, as an exercise with a file of its own: work/00_first_steps/03_guard.cu.

    `name` is "00.3_guard". What it asks, its hints and its mistakes are in the lesson's files.
    """

    of: Entry

    @property
    def number(self) -> int:
        """Within its lesson."""
        return int(self.label.partition(".")[2])

    @property
    def label(self) -> str:
        """What people type for it: "00.3"."""
        return self.name.partition("_")[0]

    @property
    def stem(self) -> str:
        """Its files' name: "03_guard"."""
        return f"{self.number:02d}_{self.slug}"

    @property
    def folder(self) -> Path:
        return self.of.folder

    @property
    def starter(self) -> Path:
        return self.folder / "starters" / f"{self.stem}.cu"

    @property
    def work_file(self) -> Path:
        return self.root / "work" / self.of.name / f"{self.stem}.cu"

    @property
    def notebook(self) -> Path:
        return self.of.notebook

    @property
    def puzzles(self) -> list[Puzzle]:
        return []

    @property
    def rungs(self) -> list[Path]:
        """Its solution."""
        return [self.root / "kernels" / self.of.name / f"{self.stem}.cu"]

    @property
    def mistakes(self) -> list[Mistake]:
        """Those that say `// Expect: race in guard`."""
        return [
            mistake
            for mistake in self.of.mistakes
            if mistake.head[1:2] and mistake.head[1].endswith(f" in {self.slug}")
        ]

    @property
    def begun(self) -> bool:
        """Whether the learner has changed the starter."""
        return self.work_file.is_file() and self.work_file.read_bytes() != self.starter.read_bytes()

    @cached_property
    def lesson(self) -> Lesson:
        """Its one task. Raises UsageError if the lesson is broken, or has no such task."""
        whole = self.of.lesson
        task = next((task for task in whole.tasks if task.name == self.slug), None)
        if task is None:
            raise UsageError(
                f"{self.starter.relative_to(self.root)}: lesson.py has no task `{self.slug}`: rename the file"
            )
        first = self.starter.read_text().partition("\n")[0]
        return replace(whole, title=first.partition(", ")[2].rstrip("."), summary="", tasks=[task])


def rung_name(file: Path) -> str:
    """shared_tile of 3_shared_tile.cu"""
    return file.stem.partition("_")[2]


def course_root() -> Path:
    """The folder that holds lessons/: $LADDER_COURSE, else this one if its lessons/ is empty, as a course begins, else
    the nearest from here up that holds a lesson, else the package's checkout. Raises UsageError.
    """
    chosen = os.environ.get("LADDER_COURSE")
    if chosen:
        if not (Path(chosen) / "lessons").is_dir():
            raise UsageError(f"LADDER_COURSE is {chosen}, which holds no lessons/ folder: correct it or unset it")
        return Path(chosen).absolute()
    here = Path.cwd()
    if (here / "lessons").is_dir() and not any((here / "lessons").iterdir()):
        return here
    for folder in (here, *here.parents, Path(__file__).parents[2]):
        if any(folder.glob("lessons/*/lesson.py")):
            return folder
    if (here / "lessons").is_dir():
        return here
    raise UsageError("there is no course here: type `ladder init`, which writes one, or `cd` into yours")


def entries(root: Path | None = None) -> list[Entry]:
    """All lessons that can be graded (folders NN_name with a lesson.py), by number."""
    root = root or course_root()
    names = [file.parent.name for file in (root / "lessons").glob("*/lesson.py")]
    found = [Entry(root, name) for name in names if re.fullmatch(r"\d+_\w+", name)]
    return sorted(found, key=lambda entry: (entry.number, entry.name))


def exercises(root: Path | None = None) -> list[Entry]:
    """All that has a kernel file of its own: the lessons, and instead of a lesson with puzzles these."""
    found: list[Entry] = []
    for entry in entries(root):
        found += entry.puzzles or [entry]
    return found


def find(text: str, root: Path | None = None) -> Entry:
    """The lesson meant by "1", "01", "vector_add", "01_vector_add" or a beginning of these. Raises UsageError.

    Or the puzzle meant by "00.3", "00.guard", or its file's name.
    """
    if root is None and (other := _other_course(text)):
        raise UsageError(f"`{text}` is a lesson of another course: type `cd {other}` first, or set LADDER_COURSE")
    lessons = entries(root)
    wanted = Path(text).name.lower()  # so that lessons/01_vector_add/, as a shell completes it, works too
    if puzzle := _find_puzzle(wanted, lessons):
        return puzzle
    if wanted.isdecimal():
        matches = [entry for entry in lessons if entry.number == int(wanted)]
    else:
        matches = [entry for entry in lessons if wanted in (entry.name, entry.slug)]
        matches = matches or [e for e in lessons if wanted and (e.name.startswith(wanted) or e.slug.startswith(wanted))]
    if len(matches) == 1:
        return matches[0]
    if matches:
        names = ", ".join(entry.name for entry in matches)
        raise UsageError(f"`{text}` could be {names}: type more of the name, or its number")
    raise UsageError(f"there is no lesson `{text}`{_suggestion(wanted, lessons)}: `ladder` lists them all")


def _other_course(text: str) -> str:
    """The course, as one may type it from here, that a lesson's folder belongs to; "" if it is this one, or none."""
    folder = Path(text).absolute()
    if folder.parent.name != "lessons" or not (folder / "lesson.py").is_file():
        return ""
    course = folder.parents[1]
    return "" if course.resolve() == course_root().resolve() else shown_path(course)


def _find_puzzle(wanted: str, lessons: list[Entry]) -> Puzzle | None:
    """None if that names no puzzle. Raises UsageError for "00.17"."""
    puzzles = [puzzle for entry in lessons for puzzle in entry.puzzles]
    if named := [puzzle for puzzle in puzzles if wanted.removesuffix(".cu") in (puzzle.stem, puzzle.name)]:
        return named[0]
    lesson, dot, which = wanted.partition(".")
    if not dot or not lesson.isdecimal() or which == "cu":
        return None
    entry = next((entry for entry in lessons if entry.number == int(lesson)), None)
    if entry is None or not entry.puzzles:
        return None
    for puzzle in entry.puzzles:
        if which in (puzzle.slug, puzzle.stem) or (which.isdecimal() and int(which) == puzzle.number):
            return puzzle
    last = entry.puzzles[-1].label
    raise UsageError(
        f"there is no puzzle `{wanted}`: type {entry.label}.1 to {last}, or {entry.label} for the next one"
    )


def _suggestion(wanted: str, lessons: list[Entry]) -> str:
    by_spelling = {spelling: entry.name for entry in lessons for spelling in (entry.slug, entry.name)}
    close = difflib.get_close_matches(wanted, by_spelling, n=4, cutoff=0.6)
    names = list(dict.fromkeys(by_spelling[spelling] for spelling in close))
    return f", did you mean {' or '.join(names)}?" if names else ""


def _import_lesson(folder: Path, module_name: str) -> Lesson:
    """Runs lesson.py. The folder is its package, so that it may import a file beside it: `from .ladders import SUM`."""
    spec = importlib.util.spec_from_file_location(
        module_name, folder / "lesson.py", submodule_search_locations=[str(folder)]
    )
    assert spec and spec.loader
    _forget(module_name, folder)
    module = importlib.util.module_from_spec(spec)
    sys.modules[module_name] = module  # dataclasses in a lesson look their module up
    try:
        spec.loader.exec_module(module)
    except BaseException:
        _forget(module_name, folder)
        raise
    lesson: Lesson = module.lesson
    return lesson


def _forget(package: str, folder: Path) -> None:
    """Its files may have changed since they were imported. To empty all caches is slow from Python 3.12 on."""
    sys.path_importer_cache.pop(str(folder), None)
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        del sys.modules[name]


def _place_in(folder: Path, error: Exception) -> tuple[str, str]:
    """The file of a lesson and ", line 12", where the error (or what called into it) stands."""
    places = [(frame.filename, frame.lineno) for frame in traceback.extract_tb(error.__traceback__)]
    if isinstance(error, SyntaxError):
        places.append((error.filename or "", error.lineno))
    here = [(Path(file), line) for file, line in places if Path(file).parent == folder]
    return (here[-1][0].name, f", line {here[-1][1]}") if here else ("lesson.py", "")


def _sections(markdown: str, heading: str) -> dict[str, str]:
    """Text below each heading of exactly this level, by the heading's text."""
    parts = re.split(rf"^{heading} +(.+?) *$", markdown, flags=re.MULTILINE)
    return {title: body.strip() for title, body in zip(parts[1::2], parts[2::2], strict=True)}
