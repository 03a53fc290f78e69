"""How far a `.cu` file travels through the grader: the files that one emulated grade enters, and the hops between them.

    python -m benchmarks.hops [LESSON]

Traces `ladder check LESSON --reference --no-model` in this process, all its threads, and not the worker: the modelled
time comes after the verdict, by a job of its own. A hop is a call of a function from a function of another file. What
is executed once when a module is imported does not count.
"""

from __future__ import annotations

import contextlib
import io
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import grader

ROOT = str(Path(grader.__file__).parent)


class Trace:
    """What was called while it was `watching`: `files`, and `hops` by (caller's file, file)."""

    def __init__(self) -> None:
        self.files: set[str] = set()
        self.hops: Counter[tuple[str, str]] = Counter()

    @contextlib.contextmanager
    def watching(self) -> Iterator[None]:
        threading.setprofile(self._note)
        sys.setprofile(self._note)
        try:
            yield
        finally:
            sys.setprofile(None)
            threading.setprofile(None)

    def _note(self, frame: FrameType, event: str, argument: Any) -> None:
        file = _file_of(frame)
        if event != "call" or file is None or frame.f_code.co_name == "<module>":
            return
        self.files.add(file)
        caller = frame.f_back
        while caller and _file_of(caller) is None:  # through the standard library and torch
            caller = caller.f_back
        if caller and (origin := _file_of(caller)) and origin != file:
            self.hops[origin, file] += 1


def _file_of(frame: FrameType) -> str | None:
    """The file within the package; None for all other code."""
    name = frame.f_code.co_filename
    return name[len(ROOT) + 1 :] if name.startswith(ROOT) else None


def trace(lesson: str) -> Trace:
    """Grades the lesson's reference on the emulator, and says where it went."""
    from grader.faces import cli

    found = Trace()
    with contextlib.redirect_stdout(io.StringIO()), found.watching():
        code = cli.run(["check", lesson, "--reference", "--device", "emulator", "--no-model"])
    assert code == 0, f"the reference of lesson {lesson} does not pass"
    return found


def main() -> None:
    lesson = sys.argv[1] if len(sys.argv) > 1 else "01"
    found = trace(lesson)
    print(f"lesson {lesson}: {len(found.files)} files, {found.hops.total()} hops; the most travelled ways:")
    for (origin, file), count in found.hops.most_common(12):
        print(f"{count:6}  {origin} -> {file}")


if __name__ == "__main__":
    main()
