"""A grade book as pages for a browser: one of the whole class, and one for each person, which names no other."""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from grader.classroom.gradebook import Book, Mark, total
from grader.classroom.ledger import Ledger
from grader.report import html, json_
from grader.report.graded import Graded
from grader.report.words import FULL_MARKS

CLASS_PAGE = "class.html"
_MOST_OFTEN = 6


def write_pages(
    folder: Path, ledger: Ledger, book: Book, lessons: Sequence[str], best_lessons: int | None = None
) -> Iterator[tuple[Path, str]]:
    """The files and their text: class.html, and for each person a page of a name that says little to others.

    Stars are added up as `gradebook.total` does.
    """
    yield folder / CLASS_PAGE, class_page(book, lessons, best_lessons)
    for learner, marks in book.items():
        graded = [_graded(ledger, mark) for _, mark in sorted(marks.items())]
        yield folder / page_of(learner), html.dumps(graded)


def page_of(learner: str) -> str:
    """The name of a person's page: `anna-arndt-1f3a9c2b.html`."""
    plain = re.sub(r"[^a-z0-9]+", "-", learner.lower()).strip("-")[:40] or "page"
    return f"{plain}-{hashlib.sha256(learner.encode()).hexdigest()[:8]}.html"


def _graded(ledger: Ledger, mark: Mark) -> Graded:
    row = mark.row
    stored, source = ledger.grade(row.key), ledger.submitted(row.key).text
    name = Path(row.file).name
    if not stored:
        problem = row.result.message if row.result else "it is not graded yet"
        return Graded(row.key.lesson, name, source, problem=problem)
    return Graded(row.key.lesson, name, source, json_.from_json(stored))


def class_page(book: Book, lessons: Sequence[str], best_lessons: int | None = None) -> str:
    """Who stands where, how many of a lesson, which faults are frequent, and who is stuck."""
    said = f"{len(book)} people, {sum(map(len, book.values()))} kernels that count"
    parts = [f"<header><h1>Class</h1><p>{said}</p></header>", "<h2>Lessons</h2>", _lessons(book, lessons)]
    parts += ["<h2>Stuck</h2>", _stuck(book), "<h2>People</h2>", _people(book, lessons, best_lessons)]
    return html.whole_page("Kernel Ladder: class", parts)


def _table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    titles = "".join(f"<th>{html.text(title)}</th>" for title in head)
    lines = "".join("<tr>" + "".join(f"<td>{cell}</td>" for cell in row) + "</tr>" for row in rows)
    return f'<table class="plain"><thead><tr>{titles}</tr></thead><tbody>{lines}</tbody></table>'


def _lessons(book: Book, lessons: Sequence[str]) -> str:
    rows = []
    for lesson in lessons:
        marks = [marks[lesson] for marks in book.values() if lesson in marks]
        stars = Counter(mark.stars for mark in marks)
        wrong = Counter(mark.status for mark in marks if mark.stars == 0)
        often = ", ".join(f"{status.replace('_', ' ')} {count}" for status, count in wrong.most_common(_MOST_OFTEN))
        shares = [_share(stars[number], len(marks)) for number in (3, 2, 1, 0)]
        rows.append([html.text(lesson), str(len(marks)), *shares, str(stars[None] or ""), html.text(often)])
    return _table(["lesson", "kernels", "★★★", "★★", "★", "none", "not graded", "frequent faults"], rows)


def _share(count: int, of: int) -> str:
    """A number, and its part of all as a bar."""
    width = 60 * count / of if of else 0
    bar = f'<rect class="fine" width="{width:.1f}" height="10"/>'
    return f'<svg class="small" viewBox="0 0 60 10" aria-hidden="true">{bar}</svg> {count}'


def _stuck(book: Book) -> str:
    """Those who have tried most without passing first."""
    stuck = [(mark.tries, learner, mark) for learner, marks in book.items() for mark in marks.values()]
    stuck = sorted((each for each in stuck if each[2].stars == 0), key=lambda each: (-each[0], each[1]))
    rows = [
        [html.text(learner), html.text(mark.row.key.lesson), html.text(mark.status.replace("_", " ")), str(tries),
         html.text(mark.row.result.message if mark.row.result else "")]
        for tries, learner, mark in stuck
    ]  # fmt: skip
    if not rows:
        return "<p>Each graded kernel has a star.</p>"
    return _table(["person", "lesson", "verdict", "tries", "what is said"], rows)


def _people(book: Book, lessons: Sequence[str], best_lessons: int | None) -> str:
    rows = []
    for learner, marks in book.items():
        link = f'<a href="{page_of(learner)}">{html.text(learner)}</a>'
        rows.append([link, str(total(marks, best_lessons)), *(_cell(marks, each) for each in lessons)])
    return _table(["person", "stars", *lessons], rows)


def _cell(marks: Mapping[str, Mark], lesson: str) -> str:
    if lesson not in marks:
        return ""
    mark = marks[lesson]
    late = ", late" if mark.late else ""
    if not mark.stars:
        return html.text(f"{mark.status.replace('_', ' ')}{late}")
    return f"{html.star_row(mark.stars)}{late}" if mark.stars <= FULL_MARKS else html.text(mark.stars)
