"""A class that was never taught: hand-ins made of rungs, mistakes and mutants, and of the corpus of attacks."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.classroom.ledger import Submitted
from grader.course import catalog
from grader.course.catalog import Entry
from grader.course.inline import inlined
from tests.adversarial import corpus
from tests.mutation.mutator import mutants

SLOW = corpus.FILES[0].with_name("15_many_launches.cu")
HANGING = corpus.FILES[0].with_name("15_hangs.cu")
HOSTILE_ROWS = (16, 14, 15, 11, 12)  # of the corpus, the gravest first
SHARES = {"right": 9, "wrong": 5, "mutant": 3, "slow": 1, "hanging": 0.2, "hostile": 1, "damaged": 0.8}  # of 20
PLACE = "/VICTIM"  # in an attack: a folder that it has no business in


@dataclass(frozen=True)
class Made:
    """A hand-in, of which kind it is, and the statuses that it may get where that is known."""

    submitted: Submitted
    kind: str
    statuses: tuple[str, ...] = ()


def whole_class(count: int, labels: Sequence[str], seed: int, mark: str = "") -> Iterator[Made]:
    """So many hand-ins of these lessons, in the shares that a class has. With a `mark` no two are built alike."""
    draw = random.Random(seed)
    kinds = draw.choices([*SHARES], [*SHARES.values()], k=count)
    for number, kind in enumerate(kinds):
        lesson, text, statuses = _drawn(draw, kind, [catalog.find(label) for label in labels])
        text += f"// {mark} {number}\n" if mark else ""
        yield Made(Submitted(f"person {number}", lesson, text, f"{number}.cu", float(number)), kind, statuses)


def _drawn(draw: random.Random, kind: str, entries: Sequence[Entry]) -> tuple[str, str, tuple[str, ...]]:
    """Lesson, text and statuses."""
    entry = draw.choice(entries)
    match kind:
        case "right":
            return entry.name, _rung(draw, entry), ("passed",)
        case "wrong":
            mistake = draw.choice(entry.mistakes)  # one that is about a single task lacks the others
            return entry.name, mistake.text(), () if mistake.tasks else (mistake.expected[0],)
        case "mutant":
            return entry.name, draw.choice(mutants(_rung(draw, entry))).source, ()
        case "damaged":
            text = _rung(draw, entry)
            return entry.name, text[: draw.randrange(len(text) // 4, len(text))], ()
        case "slow" | "hanging":
            return _attack(SLOW if kind == "slow" else HANGING)
        case _:
            return _attack(draw.choice(hostile_files()))


def _rung(draw: random.Random, entry: Entry) -> str:
    return inlined(draw.choice([file for file in entry.rungs if entry.task_of(file) is None] or [entry.reference]))


def hostile_files(folder: Path | None = None) -> list[Path]:
    """Of another folder those named NN_name.cu after their lesson, and the corpus's, the gravest first."""
    others = sorted(folder.glob("[0-9][0-9]_*.cu")) if folder else []
    return others + [file for row in HOSTILE_ROWS for file in corpus.FILES if int(file.name[:2]) == row]


def _attack(file: Path) -> tuple[str, str, tuple[str, ...]]:
    of_corpus = file.parent == corpus.FILES[0].parent
    label = corpus.lesson_of(file) if of_corpus else file.name[:2]
    statuses = corpus.promises(file)["Emulator"].split(" or ") if of_corpus else []
    return catalog.find(label).name, file.read_text(), tuple(statuses)


def hostile(count: int, folder: Path | None, place: Path) -> list[Made]:
    """So many attacks; those on PLACE are led to a folder."""
    made = []
    for number, file in enumerate(hostile_files(folder)[:count]):
        lesson, text, statuses = _attack(file)
        text = text.replace(PLACE, str(place))
        made.append(Made(Submitted(f"hostile {number} {file.stem}", lesson, text, file.name, 0), "hostile", statuses))
    return made


def honest(count: int, labels: Sequence[str], seed: int) -> list[Made]:
    """So many rungs and mistakes of these lessons, whose statuses are known."""
    draw = random.Random(seed)
    made = []
    for number in range(count):
        kind = draw.choice(("right", "wrong"))
        lesson, text, statuses = _drawn(draw, kind, [catalog.find(label) for label in labels])
        made.append(Made(Submitted(f"honest {number}", lesson, text, f"{number}.cu", 0), kind, statuses))
    return made
