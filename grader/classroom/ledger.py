"""The ledger of a class: what was handed in, and each grade, in one SQLite file that survives a kill at any moment.

A grade belongs to a learner, a lesson, a source (by its hash), the grader that gave it and the seed of its inputs. It
is written once, in a transaction of its own, by one process.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from grader.course import content
from grader.course.catalog import UsageError

FORMAT = "kernel-ladder class 1"
NOT_GRADED = "not_graded"  # nothing is known of the kernel: it is tried again
_TABLES = """
CREATE TABLE IF NOT EXISTS facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS sources (hash TEXT PRIMARY KEY, text TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS submissions (
    learner TEXT, lesson TEXT, source TEXT REFERENCES sources, file TEXT, handed_in REAL,
    PRIMARY KEY (learner, lesson, source));
CREATE TABLE IF NOT EXISTS unknown (file TEXT PRIMARY KEY, reason TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS grades (
    learner TEXT, lesson TEXT, source TEXT, grader TEXT, seed INTEGER,
    status TEXT NOT NULL, stars INTEGER NOT NULL, rungs TEXT NOT NULL, message TEXT NOT NULL, grade TEXT NOT NULL,
    seconds REAL NOT NULL,
    PRIMARY KEY (learner, lesson, source, grader, seed),
    FOREIGN KEY (learner, lesson, source) REFERENCES submissions);
"""


@dataclass(frozen=True)
class Submitted:
    """One kernel of one learner. `handed_in` is in seconds since 1970, of the file."""

    learner: str
    lesson: str
    text: str
    file: str
    handed_in: float

    @property
    def source(self) -> str:
        """Its hash."""
        return hashlib.sha256(self.text.encode()).hexdigest()


@dataclass(frozen=True)
class Result:
    """What came of one. `rungs` are those that are reached, by task; `grade` is its JSON, {} where there is none."""

    status: str
    stars: int = 0
    rungs: dict[str, int] | None = None
    message: str = ""
    grade: dict[str, Any] | None = None
    seconds: float = 0.0


@dataclass(frozen=True)
class Row:
    """A line of the ledger: what was handed in, and its grade by this grader and seed, if there is one."""

    submitted: Submitted
    result: Result | None


class Ledger:
    """An open ledger; also a context manager."""

    def __init__(self, file: Path, *, new: bool = False):
        """Makes the file if it is to be `new` and is not there. Raises UsageError."""
        if not new and not file.exists():
            raise UsageError(f"there is no ledger {file}: type `ladder class collect FOLDER` first")
        try:
            self._db = sqlite3.connect(file, timeout=60, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.executescript(_TABLES)
            self.fact("format", FORMAT)
            self.seed = int(self.fact("seed", str(secrets.randbits(31))))
        except sqlite3.Error as error:
            raise UsageError(f"{file} is no ledger of a class, or cannot be written ({error}): name another") from None
        self.grader = _version()

    def fact(self, name: str, value: str) -> str:
        """What was noted under this name first, now if need be."""
        self._db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, value))
        found: str = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()[0]
        return found

    def add(self, found: Submitted) -> bool:
        """Notes a submission; False if the same kernel of the same learner is there already."""
        with self._db:
            self._db.execute("BEGIN")
            self._db.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (found.source, found.text))
            row = (found.learner, found.lesson, found.source, found.file, found.handed_in)
            return self._db.execute("INSERT OR IGNORE INTO submissions VALUES (?, ?, ?, ?, ?)", row).rowcount == 1

    def add_unknown(self, file: str, reason: str) -> None:
        """Notes a file that was not understood."""
        self._db.execute("INSERT OR REPLACE INTO unknown VALUES (?, ?)", (file, reason))

    def unknown(self) -> list[tuple[str, str]]:
        """The files that were not understood, each with a reason."""
        return self._db.execute("SELECT file, reason FROM unknown ORDER BY file").fetchall()

    def note(self, found: Submitted, result: Result) -> None:
        """Writes a grade, once: one that stands is not changed, but for one that says nothing of the kernel."""
        key = (found.learner, found.lesson, found.source, self.grader, self.seed)
        what = (result.status, result.stars, json.dumps(result.rungs or {}), result.message)
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            self._db.execute(f"DELETE FROM grades WHERE {_KEY} AND status = ?", (*key, NOT_GRADED))
            values = (*key, *what, json.dumps(result.grade or {}), result.seconds)
            self._db.execute(f"INSERT OR IGNORE INTO grades VALUES ({', '.join('?' * len(values))})", values)

    def forget_grades(self) -> None:
        """Those by this grader and seed, to grade all again."""
        self._db.execute("DELETE FROM grades WHERE grader = ? AND seed = ?", (self.grader, self.seed))

    def rows(self) -> Iterator[Row]:
        """All that was handed in, by learner, lesson and time."""
        asked = f"""SELECT s.learner, s.lesson, text, file, handed_in, status, stars, rungs, message, grade, seconds
            FROM submissions s JOIN sources ON hash = s.source LEFT JOIN grades g ON
            g.learner = s.learner AND g.lesson = s.lesson AND g.source = s.source AND grader = ? AND seed = ?
            ORDER BY {", ".join(f"s.{name}" for name in ("learner", "lesson", "handed_in"))}"""
        for row in self._db.execute(asked, (self.grader, self.seed)).fetchall():
            submitted, (status, stars, rungs, message, grade, seconds) = Submitted(*row[:5]), row[5:]
            result = Result(status, stars, json.loads(rungs), message, json.loads(grade), seconds) if status else None
            yield Row(submitted, result)

    def to_grade(self) -> list[Submitted]:
        """What has no grade yet, the oldest first, so that nobody waits for one who hands in again and again."""
        open_ = [row.submitted for row in self.rows() if row.result is None or row.result.status == NOT_GRADED]
        return sorted(open_, key=lambda each: each.handed_in)

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_KEY = "learner = ? AND lesson = ? AND source = ? AND grader = ? AND seed = ?"


def _version() -> str:
    """Of this grader: its version, and a hash of its own files."""
    digest = hashlib.sha256()
    for file in sorted(content.PACKAGE.rglob("*")):
        if file.suffix in (".py", ".h", ".cpp"):
            digest.update(file.read_bytes())
    return f"{content.version()}+{digest.hexdigest()[:12]}"
