"""The usual mistakes of a lesson: each a whole file NAME.cu, or NAME.diff, what it changes in a kernel of the course.

    // A thread reads what others load, but does not wait until they have.
    // Expect: race
    --- kernels/04_tiled_matmul/3_shared_tile.cu
    +++ kernels/04_tiled_matmul/3_shared_tile.cu
    @@ -38,5 +38,4 @@
    ...

Below the head stands a unified diff, which `patch -p0` understands, too. The whole file is the base with the diff
applied, and under the mistake's head instead of the base's own. It is called NAME.cu wherever a line of it is named.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from grader.course.files import shown_path
from grader.course.inline import INCLUDE, inline
from grader.course.usage import UsageError

DIFFERENCE = ".diff"
HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+\d+(?:,(\d+))? @@")
EXPECT = re.compile(r"^// Expect: (\w+)(?:, (\d) stars?)?(?: in (\w+))?$", re.MULTILINE)
# A string, which may hold what looks like a comment, or a comment.
COMMENT = re.compile(r"""("(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])')|//[^\n]*|/\*[\s\S]*?\*/""")


@dataclass(frozen=True)
class Mistake:
    """One mistake in the course at `root`; `file` is what is on the disk, NAME.cu or NAME.diff."""

    root: Path
    file: Path

    @property
    def name(self) -> str:
        return self.file.stem

    @property
    def is_difference(self) -> bool:
        return self.file.suffix == DIFFERENCE

    @property
    def whole(self) -> Path:
        """What the whole file is called; of a difference it is not on the disk."""
        return self.file.with_suffix(".cu")

    @property
    def head(self) -> list[str]:
        """Its first lines, `// What is wrong.` and `// Expect: race`. Raises UsageError if it cannot be read."""
        return _split_head(_lines(self.file))[0]

    @property
    def sentence(self) -> str:
        """What is wrong, the head's first line; "" if it has none. Raises UsageError."""
        return next((line.removeprefix("//").strip() for line in self.head), "")

    @property
    def base(self) -> Path | None:
        """What it is a difference from; None of a whole file. Raises UsageError if that is no kernel of the course."""
        if not self.is_difference:
            return None
        first, second, *_ = [*self._body, "", ""]
        if not (first.startswith("--- ") and second.startswith("+++ ")):
            raise self._broken("below its head should stand `--- kernels/…` and `+++ kernels/…`")
        name = PurePosixPath(first[4:].partition("\t")[0].strip())
        if name.parts[:1] not in (("kernels",), ("lessons",)) or ".." in name.parts:
            raise self._broken(f"`{name}` is no file of kernels/ or lessons/")
        if name.suffix != ".cu" or not (self.root / name).is_file():
            raise self._broken(f"there is no kernel {name}")
        return self.root / name

    @property
    def expected(self) -> tuple[str, int]:
        """What its head promises, ("race", 0) or ("passed", 1). Raises UsageError."""
        return expectation("\n".join(self.head))

    @property
    def tasks(self) -> list[str] | None:
        """The task that it is about: the head names it, or the folder of its base; None if it is about them all.

        Raises UsageError.
        """
        base, kernels = self.base, self.root / "kernels"
        folders = base.relative_to(kernels).parts[1:-1] if base and base.is_relative_to(kernels) else ()
        return meant_for("\n".join(self.head)) or [*folders] or None

    def text(self) -> str:
        """The whole file. Raises UsageError, one sentence, if the difference is none or does not fit its base."""
        return "\n".join([*self.head, *self.body(), ""])

    def body(self, *, silent: bool = False) -> list[str]:
        """The lines below its head, with what the base includes; if `silent`, those that it changes have no comments.

        Raises UsageError.
        """
        base = self.base
        if base is None:
            return _silent(self._body) if silent else self._body
        lines = _lines(base)
        first = 0  # line that the hunks before have not reached
        moved = 0  # how far from its line number the last hunk stood: the base may have changed since
        for number, hunk in enumerate(self._hunks(), start=1):
            found = _place(lines, hunk.old, hunk.start + moved, first)
            if found is None:
                raise self._broken(f"hunk {number} does not fit {self._shown(base)}")
            new = hunk.silent if silent else hunk.new
            lines[found : found + len(hunk.old)] = new
            first = found + len(new)
            moved = first - hunk.start - len(hunk.old)
        return _inlined(_split_head(lines)[1], base)

    def base_body(self) -> list[str] | None:
        """The lines below the head of what it is a difference from; None of a whole file. Raises UsageError."""
        return _inlined(_split_head(_lines(self.base))[1], self.base) if self.base else None

    @property
    def _body(self) -> list[str]:
        return _split_head(_lines(self.file))[1]

    def _hunks(self) -> list[_Hunk]:
        hunks: list[_Hunk] = []
        for line in self._body[2:]:
            if header := HUNK.match(line):
                hunks.append(_Hunk.headed(header))
            elif hunks and line[:1] in ("", " ", "+", "-", "\\"):  # `\ No newline at end of file` says nothing here
                hunks[-1].take(line)
            else:
                raise self._broken(f"`{line}` belongs to no hunk, which begins as `@@ -12,5 +12,4 @@`")
        if all(hunk.old == hunk.new for hunk in hunks):
            raise self._broken("it changes nothing")
        for number, hunk in enumerate(hunks, start=1):
            if (len(hunk.old), len(hunk.new)) != hunk.counts:
                raise self._broken(f"hunk {number} has not as many lines as its line `@@` says")
        return hunks

    def _broken(self, what: str) -> UsageError:
        lesson = self.file.parent.parent.name.partition("_")[0]
        again = f"make it again with `ladder new-mistake {lesson} {self.name} FILE`"
        return UsageError(f"{self._shown(self.file)}: {what}: {again}")

    def _shown(self, file: Path) -> str:
        return file.relative_to(self.root).as_posix()


def mistakes_in(root: Path, folder: Path) -> list[Mistake]:
    """All mistakes of a folder, by name."""
    files = [file for file in folder.glob("*") if file.suffix in (".cu", DIFFERENCE)]
    return [Mistake(root, file) for file in sorted(files, key=lambda file: (file.stem, file.suffix))]


def difference(root: Path, bases: Sequence[Path], text: str) -> str:
    """What NAME.diff holds for a whole file: its head, and the smallest diff from one of these kernels."""
    head, body = _split_head(text.replace("\r\n", "\n").removesuffix("\n").split("\n"))
    diffs = [_diff(base.relative_to(root).as_posix(), _lines(base), _folded(body, base)) for base in bases]
    smallest = min(diffs, key=lambda diff: (sum(line[0] in "+-" for line in diff), len(diff)))
    return "".join(f"{line}\n" for line in [*head, *smallest])


def _folded(body: list[str], base: Path) -> list[str]:
    """The lines of a whole file with `#include "..."` again where they are what this base includes."""
    for line in _lines(base):
        included = inline(line, base).split("\n")
        if INCLUDE.match(line) and (at := _place(body, included, 0, 0)) is not None:
            body = [*body[:at], line, *body[at + len(included) :]]
    return body


def _diff(name: str, base: list[str], body: list[str]) -> list[str]:
    head, _ = _split_head(base)
    return list(difflib.unified_diff(base, [*head, *body], name, name, n=1, lineterm=""))


@dataclass(frozen=True)
class _Hunk:
    """Lines that take the place of others; `start` is where these were in the base, from 0 on.

    `silent` is `new`, but that the added lines have no comments.
    """

    start: int
    counts: tuple[int, int]
    old: list[str]
    new: list[str]
    silent: list[str]

    @classmethod
    def headed(cls, header: re.Match[str]) -> _Hunk:
        old, new = (1 if count is None else int(count) for count in (header[2], header[3]))
        return cls(int(header[1]) - (old > 0), (old, new), [], [], [])

    def take(self, line: str) -> None:
        kind, content = line[:1], line[1:]
        if kind in ("", " ", "-"):  # editors remove the blank of an empty line
            self.old.append(content)
        if kind in ("", " ", "+"):
            self.new.append(content)
            self.silent.extend(_silent([content]) if kind == "+" else [content])


def _place(lines: list[str], old: list[str], hint: int, first: int) -> int | None:
    """Where these lines stand, as near to the hint as can be, and not before `first`."""
    places = [at for at in range(first, len(lines) - len(old) + 1) if lines[at : at + len(old)] == old]
    return min(places, key=lambda at: abs(at - hint), default=None)


def _split_head(lines: list[str]) -> tuple[list[str], list[str]]:
    """The comment at the top of a file, and what follows."""
    count = next((number for number, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return lines[:count], lines[count:]


def expectation(text: str) -> tuple[str, int]:
    """What a mistake's head promises, `// Expect: race` or `// Expect: passed, 1 star`; ("", 0) if it promises none."""
    expect = EXPECT.search(text)
    return (expect[1], int(expect[2] or 0)) if expect else ("", 0)


def meant_for(text: str) -> list[str] | None:
    """The task that a mistake is about, if it names one, `// Expect: race in log_bmm`; None if it is about them all."""
    expect = EXPECT.search(text)
    return [expect[3]] if expect and expect[3] else None


def without_comments(text: str) -> str:
    """Code without what it says to people; its lines keep their numbers."""
    return COMMENT.sub(lambda found: found[1] or "\n" * found[0].count("\n"), text)


def _silent(lines: list[str]) -> list[str]:
    """Lines without their comments, and without those that are nothing else."""
    plain = zip(lines, without_comments("\n".join(lines)).split("\n"), strict=True)
    return [code.rstrip() for line, code in plain if code.strip() or not line.strip()]


def _inlined(lines: list[str], base: Path) -> list[str]:
    return inline("\n".join(lines), base).split("\n")


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")  # Windows' line ends become \n
    except OSError as error:
        raise UsageError(f"{shown_path(file)} cannot be read ({error.strerror}): mend that") from None
    except UnicodeError:
        raise UsageError(f"{shown_path(file)} is no UTF-8: save it as that") from None
