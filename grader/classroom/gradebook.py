"""The grade book of a class: for each person and lesson the grade that counts, out of all that were handed in."""

from __future__ import annotations

import csv
import io
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.classroom.ledger import NOT_GRADED, Row
from grader.classroom.policy import Keep, Policy


@dataclass(frozen=True)
class Mark:
    """What counts for one person and one lesson, of so many tries."""

    row: Row
    tries: int
    late: bool

    @property
    def stars(self) -> int | None:
        """None while there is no grade."""
        result = self.row.result
        return None if result is None or result.status == NOT_GRADED else result.stars

    @property
    def status(self) -> str:
        return self.row.result.status if self.row.result else NOT_GRADED


Book = Mapping[str, Mapping[str, Mark]]  # by learner, then by lesson


def make_book(rows: Iterable[Row], policy: Policy) -> Book:
    """The marks. What is late and does not count is left out, and so is a person who has nothing else."""
    tries: dict[tuple[str, str], list[Row]] = {}
    for row in rows:
        if policy.counts(row):
            tries.setdefault((row.key.learner, row.key.lesson), []).append(row)
    book: dict[str, dict[str, Mark]] = {}
    for (learner, lesson), theirs in sorted(tries.items()):
        keep = policy.rule(lesson).keep
        kept = max(theirs, key=lambda row: _worth(row, keep))
        book.setdefault(learner, {})[lesson] = Mark(kept, len(theirs), policy.is_late(kept))
    return book


def _worth(row: Row, keep: Keep) -> tuple[float, ...]:
    """The later counts, or the one with more stars and rungs; of equals the earlier one."""
    when, result = row.handed_in, row.result
    if keep == "last":
        return (when,)
    if result is None or result.status == NOT_GRADED:
        return (-1, 0, 0, -when)
    return (result.stars, result.status == "passed", sum((result.rungs or {}).values()), -when)


def total(marks: Mapping[str, Mark], best_lessons: int | None = None) -> int:
    """All stars of a person, of so many lessons, the best ones."""
    return sum(sorted((mark.stars or 0 for mark in marks.values()), reverse=True)[:best_lessons])


def as_csv(book: Book, lessons: Sequence[str], best_lessons: int | None = None) -> str:
    """A line for each person: stars, status, rungs, tries and lateness of each lesson, and the `total`.

    Names that a spreadsheet would take for a formula begin with an apostrophe.
    """
    out = io.StringIO()
    table = csv.writer(out)
    columns = ("stars", "status", "rungs", "tries", "late")
    table.writerow(["learner", "stars", *(f"{lesson} {column}" for lesson in lessons for column in columns)])
    for learner, marks in book.items():
        row: list[str | int] = [_cell(learner), total(marks, best_lessons)]
        for lesson in lessons:
            row += _cells(marks[lesson]) if lesson in marks else [""] * len(columns)
        table.writerow(row)
    return out.getvalue()


def _cells(mark: Mark) -> list[str | int]:
    result = mark.row.result
    if result is None or mark.stars is None:
        return ["", NOT_GRADED, "", mark.tries, "late" if mark.late else ""]
    rungs = " ".join(f"{task}:{rung}" for task, rung in (result.rungs or {}).items())
    return [mark.stars, result.status, rungs, mark.tries, "late" if mark.late else ""]


def _cell(text: str) -> str:
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


def overview(book: Book, lessons: Sequence[str]) -> list[str]:
    """For each lesson a line: how many stand where, and what keeps the others from passing."""
    lines = []
    for lesson in lessons:
        marks = [marks[lesson] for marks in book.values() if lesson in marks]
        stars = Counter(mark.stars for mark in marks)
        said = [f"{stars[number]} with {'★' * number or 'none'}" for number in (3, 2, 1, 0) if stars[number]]
        said += [f"{stars[None]} not graded"] if stars[None] else []
        wrong = Counter(mark.row.result.status for mark in marks if mark.row.result and mark.stars == 0)
        often = ", ".join(f"{status.replace('_', ' ')} {count}" for status, count in wrong.most_common(3))
        lines.append(
            f"{lesson}: {len(marks)} of {len(book)} people: {', '.join(said)}" + (f" ({often})" if often else "")
        )
    return lines
