"""The learner's own file of a lesson, work/NN_name.cu: it is never overwritten, and never lost."""

from __future__ import annotations

import itertools
from pathlib import Path

from grader.course import files
from grader.course.catalog import Entry, UsageError


def start(entry: Entry) -> bool:
    """Copies the starter to the work file. False if there is one, which stays as it is. Raises UsageError."""
    try:
        starter = entry.starter.read_bytes()
        entry.work_file.parent.mkdir(exist_ok=True)
        files.write_new([entry.work_file], starter)
    except OSError as error:
        if entry.work_file.exists():
            return False
        raise _failed("the starter cannot be copied to", entry, error) from None
    return True


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
        raise UsageError(f"there is nothing to reset: type `ladder start {entry.number:02d}`") from None
    except OSError as error:
        raise _failed("the starter cannot take the place of", entry, error) from None
    return backup


def save(entry: Entry, text: str, known: str | None = None) -> Path | None:
    """Makes `text` the work file. Returns where what was there is kept; None if that is the starter, `text` or `known`.

    Raises UsageError.
    """
    try:
        entry.work_file.parent.mkdir(exist_ok=True)
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
    file = f"work/{entry.work_file.name}"
    return UsageError(f"{what} {file}: {error.strerror} ({error.filename}); mend that and try again")
