"""What a lesson asks before it is measured: lessons/NN_name/predictions.toml, a table for each question.

    [1]
    ask = "A vector has 1000 elements, a block 256 threads. How many threads have no element?"
    choices = ["none", "24", "232"]
    right = "b"
    why = "Four blocks hold 1024 threads."

`ask`, `choices` and `why` are Markdown. Choices are called a, b, c, ...; a learner's are kept in work/progress.json.
"""

from __future__ import annotations

import string
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from grader.course import catalog
from grader.course.catalog import Entry, UsageError

if TYPE_CHECKING:
    from grader.course.progress import Progress

FILE = "predictions.toml"
KEYS = {"ask", "choices", "right", "why"}
MOST_CHOICES = 6


@dataclass(frozen=True)
class Prediction:
    """One question. `label` is what people type for it, "01.3"; `choices` are by letter, in their order."""

    label: str
    ask: str
    choices: Mapping[str, str]
    right: str
    why: str

    @property
    def number(self) -> str:
        """Within its lesson: "3"."""
        return self.label.partition(".")[2]


def of(entry: Entry) -> list[Prediction]:
    """A lesson's questions, in their order; none where there is no file. Raises UsageError."""
    found = []
    for number, table in _read(entry).items():
        if said := next(_faults(number, table), None):
            raise UsageError(f"{_where(entry)}: {said}")
        choices = dict(zip(string.ascii_lowercase, table["choices"], strict=False))
        found.append(Prediction(f"{entry.label}.{number}", table["ask"], choices, table["right"], table["why"]))
    return found


def find(label: str) -> tuple[Entry, Prediction]:
    """The lesson and the question that are meant by "01.3". Raises UsageError."""
    lesson, _, number = label.partition(".") if isinstance(label, str) else ("", "", "")
    if not lesson or not number:
        raise UsageError(f'`{label}` is no question: type the lesson and its number, predict("01.1")')
    entry = catalog.find(lesson)
    questions = of(entry)
    found = next((each for each in questions if each.number == number), None)
    if found is None:
        there = f"it asks {questions[0].label} to {questions[-1].label}" if questions else "it asks none"
        raise UsageError(f"lesson {entry.name} has no question `{label}`: {there}")
    return entry, found


def score(entry: Entry, done: Progress) -> tuple[int, int, int]:
    """How many of a lesson's questions were predicted rightly, how many predicted, and how many there are.

    Raises UsageError.
    """
    questions, said = of(entry), done.predictions(entry.name)
    right = sum(said.get(each.number) == each.right for each in questions)
    return right, sum(each.number in said for each in questions), len(questions)


def faults(entry: Entry) -> Iterator[str]:
    """A sentence for each thing that is wrong with the file, for those who write it."""
    try:
        tables = _read(entry)
    except UsageError as error:
        yield str(error)
        return
    if [*tables] != [f"{number}" for number in range(1, len(tables) + 1)]:
        yield f"{_where(entry)}: the questions are called [1], [2], ... in this order, not {', '.join(tables)}"
    for number, table in tables.items():
        for said in _faults(number, table):
            yield f"{_where(entry)}: {said}"


def _faults(number: str, table: Any) -> Iterator[str]:
    keys = set(table) if isinstance(table, dict) else set()
    if keys != KEYS:
        yield f"[{number}] has {', '.join(sorted(KEYS))}, and nothing else"
        return
    if not all(isinstance(table[key], str) and table[key].strip() for key in ("ask", "right", "why")):
        yield f"[{number}]: ask, right and why are texts, and none is empty"
        return
    choices = table["choices"]
    texts = isinstance(choices, list) and all(isinstance(text, str) and text.strip() for text in choices)
    if not texts or not 2 <= len(choices) <= MOST_CHOICES or len(set(choices)) < len(choices):
        yield f"[{number}]: choices are two to {MOST_CHOICES} different texts"
        return
    letters = string.ascii_lowercase[: len(choices)]
    if table["right"] not in [*letters]:
        yield f"[{number}]: right is one of {', '.join(letters)}, not `{table['right']}`"


def _read(entry: Entry) -> dict[str, Any]:
    file = entry.folder / FILE
    try:
        return tomllib.loads(file.read_text())
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:  # TOMLDecodeError and UnicodeDecodeError are ValueErrors
        raise UsageError(f"{_where(entry)} cannot be read: {error}") from None


def _where(entry: Entry) -> str:
    return f"lessons/{entry.name}/{FILE}"
