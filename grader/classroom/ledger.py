"""The ledger of a class: what was handed in, and each grade, in one SQLite file that survives a kill at any moment.

A grade belongs to a learner, a lesson, a source (by its hash), the grader that gave it and the seed of its inputs. It
is written once, in a transaction of its own, by one process.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from grader.classroom.hidden import read as read_hidden
from grader.course import catalog, content
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

    @property
    def key(self) -> Key:
        return Key(self.learner, self.lesson, self.source)


@dataclass(frozen=True)
class Result:
    """What came of one. `rungs` are those that are reached, by task; `grade` is its JSON, {} where there is none."""

    status: str
    stars: int = 0
    rungs: dict[str, int] | None = None
    message: str = ""
    grade: dict[str, Any] | None = None
    seconds: float = 0.0


class Key(NamedTuple):
    """What was handed in, without its text: of a hundred thousand, these fit into memory."""

    learner: str
    lesson: str
    source: str  # its hash


@dataclass(frozen=True)
class Row:
    """A line of the ledger: what was handed in, and its grade by this grader and seed if there is one, but its JSON."""

    key: Key
    file: str
    handed_in: float
    result: Result | None


class Notes(Protocol):
    """What those who grade see of a ledger."""

    seed: int
    hidden: str  # the text of a file of hidden cases (hidden.py), "" if there is none

    def to_grade(self) -> list[Key]:
        """What is to be graded."""

    def submitted(self, key: Key) -> Submitted:
        """One of these, with its text."""

    def note(self, found: Submitted, result: Result) -> None:
        """Writes what has come of it."""


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
            self._own_seed = int(self.fact("seed", str(secrets.randbits(31))))
            self._hide(self.fact("hidden", ""))
        except sqlite3.Error as error:
            raise UsageError(f"{file} is no ledger of a class, or cannot be written ({error}): name another") from None

    def hide(self, text: str) -> None:
        """From now on hidden cases and a seed are those of a file with this text (hidden.py). Raises UsageError."""
        self._hide(text)
        self._db.execute("UPDATE facts SET value = ? WHERE name = 'hidden'", (text,))

    def _hide(self, text: str) -> None:
        seed = read_hidden(text, catalog.entries()).seed if text else None
        self.hidden, self.grader = text, version(text)
        self.seed = self._own_seed if seed is None else seed

    def fact(self, name: str, value: str) -> str:
        """What was noted under this name first, now if need be."""
        self._db.execute("INSERT OR IGNORE INTO facts VALUES (?, ?)", (name, value))
        found: str = self._db.execute("SELECT value FROM facts WHERE name = ?", (name,)).fetchone()[0]
        return found

    def add(self, found: Submitted) -> bool:
        """Notes a submission; False if the same kernel of the same learner is there already."""
        with self._db:
            self._db.execute("BEGIN")
            return self._insert(found)

    def _insert(self, found: Submitted) -> bool:
        self._db.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (found.source, found.text))
        row = (*found.key, found.file, found.handed_in)
        return self._db.execute("INSERT OR IGNORE INTO submissions VALUES (?, ?, ?, ?, ?)", row).rowcount == 1

    def add_all(self, found: Iterable[Submitted]) -> None:
        """Notes many, all or none: a hundred times faster than one by one."""
        with self._db:
            self._db.execute("BEGIN")
            for each in found:
                self._insert(each)

    def add_unknown(self, file: str, reason: str) -> None:
        """Notes a file that was not understood."""
        self._db.execute("INSERT OR REPLACE INTO unknown VALUES (?, ?)", (file, reason))

    def unknown(self) -> list[tuple[str, str]]:
        """The files that were not understood, each with a reason."""
        return self._db.execute("SELECT file, reason FROM unknown ORDER BY file").fetchall()

    def note(self, found: Submitted, result: Result) -> None:
        """Writes a grade, once: one that stands is not changed, but for one that says nothing of the kernel."""
        key = (*found.key, self.grader, self.seed)
        what = (result.status, result.stars, json.dumps(result.rungs or {}), result.message)
        with self._db:
            self._db.execute("BEGIN IMMEDIATE")
            asked = f"DELETE FROM grades WHERE {_KEY} AND grader = ? AND seed = ? AND status = ?"
            self._db.execute(asked, (*key, NOT_GRADED))
            values = (*key, *what, json.dumps(result.grade or {}), result.seconds)
            self._db.execute(f"INSERT OR IGNORE INTO grades VALUES ({', '.join('?' * len(values))})", values)

    def forget_grades(self) -> None:
        """Those by this grader and seed, to grade all again."""
        self._db.execute("DELETE FROM grades WHERE grader = ? AND seed = ?", (self.grader, self.seed))

    def rows(self) -> Iterator[Row]:
        """All that was handed in, by learner, lesson and time."""
        columns = "s.learner, s.lesson, s.source, file, handed_in, status, stars, rungs, message, seconds"
        for row in self._asked(columns, "1", "s.learner, s.lesson, handed_in"):
            key, (file, when, status, stars, rungs, message, seconds) = Key(*row[:3]), row[3:]
            result = Result(status, stars, json.loads(rungs), message, None, seconds) if status else None
            yield Row(key, file, when, result)

    def to_grade(self) -> list[Key]:
        """What has no grade yet, the oldest first, so that no one waits for a person who hands in again and again."""
        open_ = f"status IS NULL OR status = '{NOT_GRADED}'"
        return [Key(*row) for row in self._asked("s.learner, s.lesson, s.source", open_, "handed_in, s.learner")]

    def _asked(self, columns: str, where: str, order: str) -> sqlite3.Cursor:
        joined = f"submissions s LEFT JOIN grades g ON {_SAME} AND grader = ? AND seed = ?"
        asked = f"SELECT {columns} FROM {joined} WHERE {where} ORDER BY {order}"
        return self._db.execute(asked, (self.grader, self.seed))

    def submitted(self, key: Key) -> Submitted:
        """What was handed in, with its text."""
        tables = "submissions s JOIN sources ON hash = s.source"
        asked = f"SELECT learner, lesson, text, file, handed_in FROM {tables} WHERE {_KEY}"
        return Submitted(*self._db.execute(asked, key).fetchone())

    def grade(self, key: Key) -> dict[str, Any]:
        """The JSON of its grade by this grader and seed, {} where there is none."""
        asked = f"SELECT grade FROM grades WHERE {_KEY} AND grader = ? AND seed = ?"
        found = self._db.execute(asked, (*key, self.grader, self.seed)).fetchone()
        return dict(json.loads(found[0])) if found else {}

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


_KEY = "learner = ? AND lesson = ? AND source = ?"
_SAME = " AND ".join(f"g.{column} = s.{column}" for column in Key._fields)


def version(hidden: str) -> str:
    """Of this grader: its version, and a hash of its own files, the lessons and the hidden cases."""
    files = [file for file in sorted(content.PACKAGE.rglob("*")) if file.suffix in (".py", ".h", ".cpp")]
    digest = hashlib.sha256(hidden.encode())
    for text in [*(file.read_bytes() for file in files), *(entry.lesson_text for entry in catalog.entries())]:
        digest.update(text)
    return f"{content.version()}+{digest.hexdigest()[:12]}"
