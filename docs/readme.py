"""Renews what README.md shows (`make readme`): a first session as it really prints, the lessons, and what was measured.

Each block stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. A test compares them, but for seeds and times.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

from grader import bench
from grader.course import catalog
from grader.report.bench import results_table

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
RESULTS = ROOT / "benchmarks" / "results" / "h200"
LADDER = [sys.executable, "-c", "from grader.cli import main; main()"]

INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
WORK = "    z[i] = x[i] + y[i];"
GUARDED = "    if (i < n) z[i] = x[i] + y[i];"
BLOCKS = "    int blocks = (n + threads - 1) / threads;"
# What the learner changes, edit by edit: a pattern, and the lines that replace what it matches.
EDITS = [{r"    // Which i is this .*": [INDEX, WORK], r"    int blocks = .*": [BLOCKS]}, {re.escape(WORK): [GUARDED]}]


def main() -> None:
    README.write_text(renewed(README.read_text()))


def renewed(text: str) -> str:
    """The README with its blocks made anew."""
    for name, block in (("session", session()), ("lessons", lessons()), ("results", results())):
        pattern = rf"(<!-- begin {name} -->\n).*?(<!-- end {name} -->)"
        text, found = re.subn(pattern, lambda match, block=block: match[1] + block + match[2], text, flags=re.DOTALL)
        assert found == 1, f"README.md has no block {name}"
    return text


def session() -> str:
    """Lesson 01 from the starter to the pass, as a learner sees it."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        for name in ("lessons", "kernels"):
            (course / name).symlink_to(ROOT / name)
        file = course / "work" / "01_vector_add.cu"
        said = [ladder(course, "start", "01")]
        for edit in EDITS:
            said.append(apply(edit, file))
            said.append(ladder(course, "check", "01"))
    return "```console\n" + "\n".join(said) + "```\n"


def apply(edit: dict[str, list[str]], file: Path) -> str:
    """Makes the changes, and says what was typed."""
    text = file.read_text()
    for pattern, lines in edit.items():
        text, found = re.subn(pattern, lambda match, lines=lines: "\n".join(lines), text)
        assert found == 1, pattern
    file.write_text(text)
    return "".join(f"# you write: {line.strip()}\n" for lines in edit.values() for line in lines)


def ladder(course: Path, *arguments: str) -> str:
    """The command and what it prints, on a terminal of 80 columns without colour."""
    environment = {**os.environ, "LADDER_COURSE": str(course), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*LADDER, *arguments], cwd=course, env=environment, capture_output=True, text=True)
    lines = [line.rstrip() for line in done.stdout.splitlines()]
    return "\n".join([f"$ ladder {' '.join(arguments)}", *lines]) + "\n"


def lessons() -> str:
    """The table of all lessons."""
    rows = ["| | lesson | what it is about | rungs |", "|---|---|---|---|"]
    for entry in catalog.entries(ROOT):
        number, link = f"{entry.number:02d}", f"[{entry.lesson.title}](lessons/{entry.name}/README.md)"
        rows.append(f"| {number} | {link} | {entry.lesson.summary} | {len(entry.rungs)} |")
    return "\n".join(rows) + "\n"


def results() -> str:
    """What `ladder bench` has measured on an H200, for the lessons whose JSON is there."""
    files = [RESULTS / f"{entry.name}.json" for entry in catalog.entries(ROOT)]
    return results_table([bench.read(file) for file in files if file.exists()])


if __name__ == "__main__":
    main()
