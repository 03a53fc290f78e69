"""Grades for a learning management system: its own table of people, as it exports it, with a column filled in.

Canvas's grade book has columns `Student` and `ID`, Moodle's grading worksheet `Identifier` (Participant 4711) and `Full
name`, Blackboard's `Username`, Gradescope's `Name`. A person is found by number or login; who has none of these, by
name. Blackboard's table has tabs between its columns and is written in UTF-16, the others are CSV in UTF-8.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping
from pathlib import PurePosixPath

from grader.classroom.exports import owner_of
from grader.classroom.gradebook import Book, Mark
from grader.course.catalog import UsageError
from grader.report.words import FULL_MARKS

_IDS, _NAMES = ("ID", "Identifier", "Username"), ("Full name", "Student", "Name")


def filled(table: bytes, book: Book, lesson: str, column: str, points: float) -> tuple[bytes, list[str]]:
    """The table with so many points for three stars in that column, and the people whom it does not have.

    Who has handed nothing in keeps what stands there. Raises UsageError.
    """
    encoding = "utf-16" if table.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)) else "utf-8"
    try:
        text = table.decode(encoding)
    except UnicodeDecodeError as error:
        raise UsageError(f"the table cannot be read as text ({error}): export it as CSV") from None
    mark_of_order = "\ufeff" if text.startswith("\ufeff") else ""
    separator = "\t" if "\t" in text.partition("\n")[0] else ","
    rows = list(csv.DictReader(io.StringIO(text.removeprefix("\ufeff"), newline=""), delimiter=separator))
    columns = list(rows[0]) if rows else []
    if column not in columns:
        names = ", ".join(f"`{name}`" for name in columns) or "none"
        raise UsageError(f"there is no column `{column}` in the table: name one by --column ({names})")
    waiting = {learner: marks[lesson] for learner, marks in book.items() if lesson in marks}
    by_id, by_name = _index(waiting)
    found = set()
    for row in rows:
        learner = _first(row, _IDS, by_id) or _first(row, _NAMES, by_name)
        if learner and (stars := waiting[learner].stars) is not None:
            row[column] = f"{points * stars / FULL_MARKS:g}"
        found.add(learner)
    out = io.StringIO()
    new = csv.DictWriter(out, columns, delimiter=separator)
    new.writeheader()
    new.writerows(rows)
    return (mark_of_order + out.getvalue()).encode(encoding), sorted(set(waiting) - found)


def _index(waiting: Mapping[str, Mark]) -> tuple[dict[str, str], dict[str, str]]:
    """People by number or login; and by name those who have neither, names that two of them have aside."""
    owners = {learner: owner_of(PurePosixPath(mark.row.file), {}) for learner, mark in waiting.items()}
    by_id = {owner.id.lower(): learner for learner, owner in owners.items() if owner and owner.id}
    names = [(_plain(learner), learner) for learner, owner in owners.items() if not (owner and owner.id)]
    single = {name for name, _ in names if sum(name == other for other, _ in names) == 1}
    return by_id, {name: learner for name, learner in names if name in single}


def _first(row: Mapping[str, str], columns: tuple[str, ...], index: Mapping[str, str]) -> str | None:
    for column in columns:
        value = (row.get(column) or "").strip()
        for form in (value.lower().removeprefix("participant "), _plain(value), _plain(_turned(value))):
            if form and form in index:
                return index[form]
    return None


def _turned(name: str) -> str:
    """Anna Arndt of `Arndt, Anna`."""
    last, comma, first = name.partition(",")
    return f"{first.strip()} {last.strip()}" if comma else name


def _plain(name: str) -> str:
    """As Canvas writes names into files: letters alone."""
    return re.sub(r"[\W_]", "", name).lower()
