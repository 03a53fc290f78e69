"""The submissions here and what their heads promise. Run as a program, it renews the table in docs/grading.md."""

from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
GUIDE = ROOT / "docs" / "grading.md"
FILES = sorted(Path(__file__).parent.glob("*.cu"))
ROWS = {
    1: "answers again what it has answered before",
    2: "works where, or when, the clock does not look",
    3: "does the work of many calls in one, or between two",
    4: "tells tests from warm-up and timing",
    5: "meddles with the clock",
    6: "leaves the output to what lies in memory",
    7: "writes into inputs or beside outputs",
    8: "answers something small or average",
    9: "computes in fewer bits",
    10: "is right for the tested sizes or samples only",
    11: "has a library or another author's kernel do the work",
    12: "computes on the host, or out of the emulator's sight",
    13: "answers NaN or infinity",
    14: "speaks for the grader",
    15: "ends, hangs, eats or floods",
    16: "reaches for the grader's files, processes and answers",
    17: "is too good to be true",
    18: "has a race that passes by luck",
    19: "keeps its data in the L2",
    20: "hides that a launch failed",
    21: "makes noise, so that its times count for nothing",
    22: "hides slow accesses behind neat ones of memory that nothing needs",
}
_HEAD = re.compile(
    r"^// ((?:Emulator|GPU)(?: stars)?|Says|Prints|Slow|Known hole(?: of the emulator)?): (.+)$", re.MULTILINE
)


def promises(file: Path) -> dict[str, str]:
    """The lines of a file's head, by their names."""
    return dict(_HEAD.findall(file.read_text()))


_ENTRIES = {"polar": "02", "matmul": "04", "attention": "08"}  # of other lessons than 01


def lesson_of(file: Path) -> str:
    text = file.read_text()
    return next((lesson for name, lesson in _ENTRIES.items() if f'extern "C" void {name}(' in text), "01")


def hole_of(promised: dict[str, str], device: str) -> str | None:
    """Why a file does not get on a device what its head names; None if it does."""
    on_emulator = promised.get("Known hole of the emulator") if device == "emulator" else None
    return promised.get("Known hole") or on_emulator


def table() -> str:
    """Every file with its statuses, in Markdown."""
    lines = ["| | submission | emulator | GPU |", "|---|---|---|---|"]
    for row, what in ROWS.items():
        lines.append(f"| **{row}** | **{what}** | | |")
        lines += [_line(file) for file in FILES if int(file.name[:2]) == row]
    return "\n".join(lines) + "\n"


def _line(file: Path) -> str:
    promised = promises(file)
    shown = []
    for device, name in (("emulator", "Emulator"), ("gpu", "GPU")):
        status, _, why = promised[name].partition(": ")
        text = "–" if why else ", ".join(f"`{each}`" for each in status.split(" or "))
        if stars := promised.get(f"{name} stars"):
            text += f", at most {stars} star"
        shown.append(f"{text}, **but passes**" if hole_of(promised, device) and not why else text)
    return f"| | `{file.stem}` | {shown[0]} | {shown[1]} |"


def renewed(text: str) -> str:
    """The guide with this table."""
    pattern = r"(<!-- begin corpus -->\n).*?(<!-- end corpus -->)"
    return re.sub(pattern, lambda match: match[1] + table() + match[2], text, flags=re.DOTALL)


if __name__ == "__main__":
    GUIDE.write_text(renewed(GUIDE.read_text()))
