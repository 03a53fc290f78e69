"""One kernel as a report tells of it, and the file that a report is written to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course import files
from grader.course.catalog import UsageError
from grader.judge.verdict import Grade

if TYPE_CHECKING:
    from grader.judge.again import Again


@dataclass(frozen=True)
class Graded:
    """A kernel with its grade, or with the sentence that says why it has none.

    `again` says how the grade differs from the one that a hand-in claims; None for what is no hand-in.
    """

    lesson: str  # "01_vector_add"
    kernel: str  # its file, as people write it
    source: str = ""
    grade: Grade | None = None
    problem: str = ""
    title: str = ""  # the lesson's
    again: Again | None = None
    samples: Mapping[str, Any] = field(default_factory=dict)  # of the timed cases, by task, where stars hung on them

    @property
    def verdict(self) -> Grade:
        """Its grade, where there is no problem."""
        assert self.grade is not None
        return self.grade

    @property
    def good(self) -> bool:
        """Whether it passed, and its hand-in, if it is one, claims nothing else."""
        return self.grade is not None and self.grade.passed and (self.again is None or self.again.stands)


def check_writable(reports: Sequence[Path]) -> None:
    """Raises UsageError, one sentence, if one of these files cannot be written, or must not be."""
    for number, file in enumerate(reports):
        if file.suffix == ".cu":
            raise UsageError(f"{file} is a kernel by its name: give the report another one")
        if file.absolute() in [other.absolute() for other in reports[:number]]:
            raise UsageError(f"{file} cannot hold two reports: give each a file of its own")
        try:
            if _is_special(file):
                file.open("a").close()
            elif file.is_dir():
                raise IsADirectoryError(0, "it is a folder")
            else:
                files.empty_beside(file).unlink()
        except OSError as error:
            raise _unwritable(file, error) from None


def write(file: Path, text: str) -> None:
    """Replaces a file in one step, so that a reader never sees half of it. Raises UsageError."""
    data = text.encode("utf-8", "surrogateescape")
    try:
        if _is_special(file):
            file.write_bytes(data)
        else:
            files.replace(file, data)
    except OSError as error:
        raise _unwritable(file, error) from None


def _unwritable(file: Path, error: OSError) -> UsageError:
    return UsageError(f"{file} cannot be written ({error.strerror}): name another file")


def _is_special(file: Path) -> bool:
    """/dev/stdout and pipes are written to, and never replaced."""
    return file.exists() and not file.is_file() and not file.is_dir()
