"""The edits that change nothing a grader could or should notice, each with its reason: equivalents.diff."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.course.catalog import Entry
from grader.course.inline import inlined
from tests.mutation.mutator import Mutant, mutants

FILE = Path(__file__).with_name("equivalents.diff")
ANYTHING = "*"


@dataclass(frozen=True)
class Equivalent:
    """`now` may be "*": whatever becomes of the line. `near`, if not empty, stands in one of the lines just above."""

    lesson: str
    was: str
    now: str
    near: str
    reason: str

    def means(self, entry: Entry, mutant: Mutant) -> bool:
        here = (self.lesson, self.was) == (entry.name, mutant.was) and self.near in mutant.above
        return here and self.now in (ANYTHING, mutant.now)


def parse(text: str) -> list[Equivalent]:
    """Reads `== lesson`, `# reason` (of all that follows, up to the next), `- line` and below it `+ its edits`.

    `@ text` above a `- line` says which of several lines that read alike: the one just below that text.
    """
    found: list[Equivalent] = []
    lesson = reason = was = near = before = ""
    for line in filter(None, text.splitlines()):
        sign, content = line[0], line[1:].strip("= ") if line[0] == "=" else line[1:].strip()
        match sign:
            case "=":
                lesson, reason = content, ""
            case "#":
                reason = f"{reason} {content}" if before == "#" else content
            case "@":
                near = content
            case "-":
                was, near = content, near if before == "@" else ""
            case "+" if not reason:
                raise ValueError(f"{FILE.name}: `{content}` has no reason: write it above, after a #")
            case "+":
                found.append(Equivalent(lesson, was, content, near, reason))
            case _:
                raise ValueError(f"{FILE.name}: `{line}` begins with none of = # @ - +")
        before = sign
    return found


@functools.cache
def equivalents() -> Sequence[Equivalent]:
    return parse(FILE.read_text())


def reason(entry: Entry, mutant: Mutant) -> str:
    """Why nobody could notice this edit; "" if it is not in the list."""
    return next((each.reason for each in equivalents() if each.means(entry, mutant)), "")


def stale(entry: Entry) -> list[Equivalent]:
    """Those of the list that no edit of the lesson's reference kernel yields any more."""
    found = mutants(inlined(entry.reference))
    listed = [each for each in equivalents() if each.lesson == entry.name]
    return [each for each in listed if not any(each.means(entry, mutant) for mutant in found)]
