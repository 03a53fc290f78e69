"""The course's kernels as one file each: what they include of kernels/, in place of the `#include "..."` that names it.

A learner's kernel stands alone, and so does each kernel of the course as people see it and as it is built. On the disk
kernels/05_atomics/all.cu includes the top rung of every task, and several rungs may include one kernels/common/*.cuh.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from grader.course.usage import UsageError

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"\n]*)".*$', re.MULTILINE)
ONCE = re.compile(r"^[ \t]*#[ \t]*pragma[ \t]+once[ \t]*\n", re.MULTILINE)
HEADER = ".cuh"


def inlined(file: Path) -> str:
    """The text of a kernel, as `inline` gives it. Raises OSError if it cannot be read, UsageError as `inline`."""
    return inline(file.read_text(encoding="utf-8"), file)


def inline(text: str, file: Path) -> str:
    """This text, as `file` holds it, with what it includes: a header (.cuh) the first time that it is named, any other
    file each time. A name is seen from the file that includes it, as a compiler sees it. Outside a course's kernels/
    the text stays as it is. Raises UsageError, one sentence, for an include of what is not in kernels/, or of itself.
    """
    file = Path(os.path.normpath(file.absolute()))
    home = next((folder for folder in file.parents if _is_kernels(folder)), None)
    return text if home is None else _Inlining(home).of(text, (file,))


def _is_kernels(folder: Path) -> bool:
    return folder.name == "kernels" and (folder.parent / "lessons").is_dir()


class _Inlining:
    """Of one kernel; `headers` are those that it has already."""

    def __init__(self, home: Path) -> None:
        self.home, self.headers = home, set[Path]()

    def of(self, text: str, chain: tuple[Path, ...]) -> str:
        """`chain` leads from the kernel to the file whose text this is."""
        return INCLUDE.sub(lambda found: self._included(found[1], chain), text)

    def _included(self, name: str, chain: tuple[Path, ...]) -> str:
        file = Path(os.path.normpath(chain[-1].parent / name))
        where = f'{self._shown(chain[-1])}: `#include "{name}"`'
        if not file.is_relative_to(self.home):
            raise UsageError(f"{where} leads out of kernels/: move the file there, or write its text here")
        if file in chain:
            raise UsageError(f"{where} includes {self._shown(file)} in itself: take one of the includes out")
        if file in self.headers:
            return ""
        if file.suffix == HEADER:
            self.headers.add(file)
        try:
            text = file.read_text(encoding="utf-8")
        except OSError:
            raise UsageError(f"{where} names no file: there is no {self._shown(file)}") from None
        except UnicodeError:
            raise UsageError(f"{where}: {self._shown(file)} is no UTF-8: save it as that") from None
        return self.of(ONCE.sub("", text), (*chain, file)).removesuffix("\n")

    def _shown(self, file: Path) -> str:
        return file.relative_to(self.home.parent).as_posix()
