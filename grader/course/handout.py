"""One mistake as the bug hunt hands it out, and what counts as finding it.

The file is the mistake without its head, and without the comments of the lines that it changes: they would give it
away. Lines are compared as code: comments, blanks and empty lines make no difference.
"""

from __future__ import annotations

import difflib
import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.course.catalog import Entry
from grader.course.inline import inlined
from grader.course.mistake import Mistake, without_comments

_Code = list[tuple[int, str]]
SLOW = "slow"  # the kind of what passes
SPARE_LINES = 6  # that a repair may change beyond those of the mistake itself


@dataclass(frozen=True)
class Handout:
    """A mistake's `text` under a head that says what to do, and the text that would mend it; None of a whole file."""

    entry: Entry
    mistake: Mistake
    text: str
    mended: str | None

    @classmethod
    def of(cls, entry: Entry, mistake: Mistake) -> Handout:
        """Raises UsageError if the mistake does not fit its base."""
        head, base = _head(entry), mistake.base_body()
        text = "\n".join([*head, *mistake.body(silent=True), ""])
        return cls(entry, mistake, text, None if base is None else "\n".join([*head, *base, ""]))

    @property
    def digest(self) -> str:
        """Of its code: whether the course still has what was handed out."""
        return hashlib.sha256("\n".join(code for _, code in _code(self.text)).encode()).hexdigest()[:16]

    @cached_property
    def most_changes(self) -> int | None:
        """How many lines, removed and added, a repair may change; None for a whole file, which another one mends.

        Less than another rung of the course changes, which is a rewrite; but what passes may be mended by an idea.
        """
        if self.mended is None:
            return None
        needed = changes(self.text, self.mended)
        others = [rung for rung in self.entry.rungs if rung != self.mistake.base and kind_of(self.mistake) != SLOW]
        return max(needed, min([needed + SPARE_LINES, *(changes(self.text, inlined(rung)) - 1 for rung in others)]))

    def is_at(self, line: int, mine: str) -> bool:
        """Whether the mistake is in this line, or next to it. It is counted from 1, in the learner's text of the file.

        What is missing is in the lines above and below, and what is wrong with a whole file is in all of them.
        """
        return not self.places.isdisjoint(_as_in(line, mine, self.text))

    @cached_property
    def places(self) -> set[int]:
        """The lines of `text` that `is_at` accepts."""
        mine = _code(self.text)
        numbers = [number for number, _ in mine]
        if self.mended is None:
            return set(numbers)
        places: set[int] = set()
        for tag, begin, end, _, _ in _differences(mine, _code(self.mended)):
            if tag == "delete" or tag == "replace":
                places |= {number + step for number in numbers[begin:end] for step in (-1, 0, 1)}
            elif tag == "insert":
                places |= {*range(numbers[max(begin - 1, 0)], numbers[min(begin, len(numbers) - 1)] + 1)}
        return places


def changes(before: str, after: str) -> int:
    """How many lines of code differ, removed and added ones."""
    found = _differences(_code(before), _code(after))
    return sum(end - begin + last - first for tag, begin, end, first, last in found if tag != "equal")


def kind_of(mistake: Mistake) -> str:
    """What an answer calls it: the status that its head promises, or `slow`. Raises UsageError."""
    status, _ = mistake.expected
    return SLOW if status == "passed" else status


def kinds(entry: Entry) -> list[str]:
    """Of all the lesson's mistakes. Raises UsageError."""
    return sorted({kind_of(mistake) for mistake in entry.mistakes})


def _head(entry: Entry) -> list[str]:
    hunt = f"ladder hunt {entry.number:02d}"
    return [
        f"// Bug hunt: one mistake is hidden in this kernel. Mend it, in a few lines, and type `{hunt}`.",
        f"// Or say in which line it is, and of what kind: `{hunt} --answer LINE KIND`. The kinds of this lesson:",
        f"// {', '.join(kinds(entry))}.",
    ]


def _code(text: str) -> _Code:
    """The lines that hold code, each with its number, from 1 on, and without blanks."""
    lines = enumerate(without_comments(text).split("\n"), start=1)
    plain = ((number, re.sub(r"\s+", "", line)) for number, line in lines)
    return [(number, line) for number, line in plain if line]


def _differences(before: _Code, after: _Code) -> Sequence[tuple[str, int, int, int, int]]:
    """difflib's operations, over the code alone."""
    old, new = ([code for _, code in lines] for lines in (before, after))
    return difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()


def _as_in(line: int, mine: str, text: str) -> set[int]:
    """The numbers that a line of the learner's text has in the text as it was handed out."""
    matched = difflib.SequenceMatcher(None, mine.split("\n"), text.split("\n"), autojunk=False)
    for tag, begin, end, first, last in matched.get_opcodes():
        if begin < line <= end:
            return {first + line - begin} if tag == "equal" else {*range(first, last + 2)}
    return set()
