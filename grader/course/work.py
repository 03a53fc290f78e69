"""The learner's own file of a lesson, work/NN_name.cu: read, but never overwritten, and never lost."""

from __future__ import annotations

import itertools
import stat
from pathlib import Path
from typing import TYPE_CHECKING

from grader.course import editor, files
from grader.course.catalog import Entry, UsageError
from grader.course.files import shown_path
from grader.course.inline import INCLUDE, inline, inlined
from grader.course.mistake import Mistake

if TYPE_CHECKING:
    from grader.course.lesson import Task

MOST_SOURCE_BYTES = 1 << 20  # of a kernel file
HANDED_OUT = "hunt"  # the folder in work/ whose kernels are the course's, but for a few lines


def read_kernel(file: Path, entry: Entry) -> str:
    """The text of a kernel file, as much of it as building accepts. Bytes that are no UTF-8 become surrogates, which
    building refuses; other systems' line ends and the byte-order mark go. Of a mistake that is kept as a difference,
    NAME.diff, NAME.cu is the whole file; the folder of a lesson's solutions is all of them together; a kernel of the
    course has in it what it includes. Raises UsageError.
    """
    number, name = entry.label, shown_path(file)
    if mistake := _difference(entry, file):
        if file.name == mistake.whole.name:
            return mistake.text()
        whole = shown_path(mistake.whole)
        raise UsageError(f"{name} is a difference: its whole file is {whole}, `ladder check {number} {whole}`")
    if entry.puzzles and file == entry.reference:  # all solutions as one file
        return "\n".join(puzzle.reference.read_text() for puzzle in entry.puzzles)
    try:
        if stat.S_ISFIFO(file.stat().st_mode):  # it would be waited for
            raise UsageError(f"{name} is a pipe: save the kernel to a file, and name that")
        with file.open("rb") as opened:
            data = opened.read(MOST_SOURCE_BYTES + 1)
        data = data if b"\n" in data else data.replace(b"\r", b"\n")  # as an old Mac has them, and nvcc takes them
        text = data.removeprefix(b"\xef\xbb\xbf").replace(b"\r\n", b"\n").decode("utf-8", "surrogateescape")
        is_ours = INCLUDE.search(text) and file.absolute().is_relative_to(entry.kernels.absolute())
        return inline(text, file) if is_ours else text
    except FileNotFoundError:
        hint = f"type `ladder start {number.partition('.')[0]}`" if file == entry.work_file else "check the spelling"
        raise UsageError(f"there is no file {name}: {hint}") from None
    except IsADirectoryError:
        raise UsageError(f"{name} is a folder: type `ladder check {number} {name}/your_kernel.cu`") from None
    except OSError as error:
        raise UsageError(f"{name} cannot be read ({error.strerror}): mend that, or name another file") from None


def _difference(entry: Entry, file: Path) -> Mistake | None:
    """The mistake that is kept as a difference, by that file's name or by the whole file's; None for other files."""
    folder = file.absolute().parent
    if folder.name != "mistakes" or folder != entry.folder / "mistakes":
        return None
    named = (mistake for mistake in entry.mistakes if file.name in (mistake.file.name, mistake.whole.name))
    return next((mistake for mistake in named if mistake.is_difference), None)


def tasks_in(file: Path, entry: Entry) -> list[str] | None:
    """The task that a rung or a mistake is about; None if it is about them all, or the learner's. Raises UsageError."""
    if mistake := _difference(entry, file):
        return mistake.tasks
    task = entry.task_of(file)
    return [task] if task else None


def with_stubs(entry: Entry, kernel: Path) -> str:
    """A kernel of the course as a learner goes on from it: behind one that holds a single task stand functions that do
    nothing, one for each other task of the lesson. Raises UsageError.
    """
    text, only = inlined(kernel), entry.task_of(kernel)
    others = [task for task in entry.lesson.tasks if only and task.name != only and not task.bonus]
    note = f"    // not written here: `ladder check {entry.label} --task {only}` grades without it"
    return "\n".join([text, *(f'extern "C" {task.prototype} {{\n{note}\n}}\n' for task in others)])


def is_own(entry: Entry, file: Path) -> bool:
    """Whether a file is the learner's: in work/, not handed out by the hunt, and no link to what the course brings."""
    own, real = (entry.root / "work").resolve(), file.resolve()
    in_work = own in real.parents or own in (file.parent.resolve(), *file.parent.resolve().parents)
    return (
        in_work
        and not real.is_relative_to(own / HANDED_OUT)
        and not any(real.is_relative_to((entry.root / name).resolve()) for name in ("kernels", "lessons"))
    )


def start(entry: Entry) -> bool:
    """Copies the starter to the work file, and tells editors about it. False if there is one, which stays as it is.

    Raises UsageError.
    """
    editor.prepare(entry.root)
    try:
        starter = entry.starter.read_bytes()
        entry.work_file.parent.mkdir(parents=True, exist_ok=True)
        files.write_new([entry.work_file], starter)
    except OSError as error:
        if entry.work_file.exists():
            return False
        raise _failed("the starter cannot be copied to", entry, error) from None
    return True


def below(entry: Entry, task: Task, rung: int) -> Path:
    """The kernel from which a learner goes on to a rung of this number: the rung below it, for the first the starter.

    Raises UsageError.
    """
    return entry.rung_file(task.name, task.ladder[rung - 2].name) if rung > 1 else entry.starter


def start_at(entry: Entry, kernel: Path) -> Path | None:
    """Makes a kernel of the course the work file, in one step, to go on from there. Returns where the learner's text is
    now; None if there was none, or the starter, or that kernel. Raises UsageError.
    """
    editor.prepare(entry.root)
    try:
        text, starter = with_stubs(entry, kernel).encode(), entry.starter.read_bytes()
        entry.work_file.parent.mkdir(exist_ok=True)
        own = entry.work_file.read_bytes() if entry.work_file.exists() else text
        backup = None if own in (text, starter) else _keep(own, entry.work_file)
        files.replace(entry.work_file, text)
    except OSError as error:
        raise _failed(f"{kernel.name} cannot take the place of", entry, error) from None
    return backup


def reset(entry: Entry) -> Path | None:
    """Puts the starter in place of the work file, in one step. Returns where the learner's text is now.

    None if it was the starter already. Raises UsageError if there is no work file, or it cannot be replaced.
    """
    try:
        starter, own = entry.starter.read_bytes(), entry.work_file.read_bytes()
        if own == starter:
            return None
        backup = _keep(own, entry.work_file)
        files.replace(entry.work_file, starter)
    except FileNotFoundError:
        raise UsageError(f"there is nothing to reset: type `ladder start {entry.label}`") from None
    except OSError as error:
        raise _failed("the starter cannot take the place of", entry, error) from None
    return backup


def save(entry: Entry, text: str, known: str | None = None) -> Path | None:
    """Makes `text` the work file. Returns where what was there is kept; None if that is the starter, `text` or `known`.

    Raises UsageError.
    """
    try:
        entry.work_file.parent.mkdir(parents=True, exist_ok=True)
        old = entry.work_file.read_text(errors="surrogateescape") if entry.work_file.exists() else text
        spare = old in (text, known, entry.starter.read_text())
        backup = None if spare else _keep(entry.work_file.read_bytes(), entry.work_file)
        files.replace(entry.work_file, text.encode("utf-8", "surrogateescape"))
    except OSError as error:
        raise _failed("the cell cannot be written to", entry, error) from None
    return backup


def _keep(text: bytes, file: Path) -> Path:
    """Writes a backup under the first name that is free: 01_vector_add.backup-1.cu."""
    names = (file.with_name(f"{file.stem}.backup-{number}{file.suffix}") for number in itertools.count(1))
    return files.write_new(names, text)


def _failed(what: str, entry: Entry, error: OSError) -> UsageError:
    file = entry.work_file.relative_to(entry.root)
    return UsageError(f"{what} {file}: {error.strerror} ({error.filename}); mend that and try again")
