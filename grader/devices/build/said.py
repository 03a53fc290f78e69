"""What clang says of a file (frontend.py), as its process tells it."""

from __future__ import annotations

from dataclasses import dataclass

OWN = "-Wladder"  # the option of a warning of ours


@dataclass(frozen=True)
class Said:
    """What clang says of the file: `line` and `column` are the learner's, or None if it is about a header alone.

    `option` is a warning's -W...; `notes` are (line, text); `sides` are the words before the function it stands in:
    "kernel", "device", "host"; none in a header.
    """

    text: str
    level: str  # "error", "warning", or "broken": a rule of ours, with `text` as our sentence
    line: int | None = None
    column: int | None = None
    option: str = ""
    notes: tuple[tuple[int | None, str], ...] = ()
    sides: tuple[str, ...] = ()
