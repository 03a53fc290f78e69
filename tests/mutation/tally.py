"""Counts outcomes by kind and lesson."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from grader.course.catalog import Entry
from tests.mutation.hunt import Outcome
from tests.mutation.mutator import RULES

# Not 00: of a kernel of three lines there are few wrong edits, and its mistakes are those.
LESSONS = ("01", "02", "03", "04", "05", "06", "07", "08")


def per_kind(entry: Entry) -> int:
    """How many mutants of each kind are drawn: fewer of the later lessons, whose kernels take seconds to build."""
    return 3 if entry.number <= 5 else 1


@dataclass
class Tally:
    noticed: Counter[tuple[str, str]] = field(default_factory=Counter)  # by kind and lesson
    counted: Counter[tuple[str, str]] = field(default_factory=Counter)
    survivors: list[Outcome] = field(default_factory=list)

    def add(self, outcome: Outcome) -> None:
        if not outcome.counts:
            return
        key = outcome.mutant.kind, outcome.entry.name[:2]
        self.counted[key] += 1
        if outcome.survived:
            self.survivors.append(outcome)
        else:
            self.noticed[key] += 1

    def rate(self, kind: str | None = None) -> float:
        """The share that was noticed, of one kind or of all; 1 if there was none."""
        counted = sum(count for (each, _), count in self.counted.items() if kind in (None, each))
        noticed = sum(count for (each, _), count in self.noticed.items() if kind in (None, each))
        return noticed / counted if counted else 1.0

    def table(self) -> str:
        """Noticed of counted, a line for each kind and a column for each lesson."""
        lessons = sorted({lesson for _, lesson in self.counted})
        lines = [f"{'noticed of all':24}" + "".join(f"{lesson:>10}" for lesson in [*lessons, "all", "rate"])]
        for kind in RULES:
            pairs = [(self.noticed[kind, lesson], self.counted[kind, lesson]) for lesson in lessons]
            lines.append(_line(kind, pairs))
        pairs = [
            (sum(self.noticed[kind, one] for kind in RULES), sum(self.counted[kind, one] for kind in RULES))
            for one in lessons
        ]
        return "\n".join([*lines, _line("all", pairs)])


def _line(name: str, pairs: list[tuple[int, int]]) -> str:
    noticed, counted = (sum(column) for column in zip(*pairs, strict=True)) if pairs else (0, 0)
    cells = [f"{a}/{b}" if b else "-" for a, b in [*pairs, (noticed, counted)]]
    return f"{name:24}" + "".join(f"{cell:>10}" for cell in cells) + (f"{noticed / counted:>10.1%}" if counted else "")
