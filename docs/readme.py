"""Renews what README.md shows (`make readme`): badges, a first session as it really prints, lessons, measurements
and their chart.

All sizes that were measured are in docs/results.md, which is written as a whole.

Each block stands between `<!-- begin NAME -->` and `<!-- end NAME -->`. A test compares them, but for seeds and times.
The session is recorded once: as text, and as the picture docs/session.svg.
"""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.text import Text

from docs import badges, blocks, chart
from docs.address import binder_badge, codespaces_badge, colab_badge
from grader.course import catalog
from grader.faces import bench
from grader.report.bench import results_table, rivals_table

ROOT = Path(__file__).parents[1]
README = ROOT / "README.md"
SESSION = ROOT / "docs" / "session.svg"
ALL_RESULTS = ROOT / "docs" / "results.md"
RESULTS = ROOT / "benchmarks" / "results" / "h200"
LADDER = [sys.executable, "-c", "from grader.faces.cli import main; main()"]

WIDTH = 80  # columns
COLOURS = re.compile(r"\x1b\[[0-9;]*m")
END = re.compile(r"(?:\s|\x1b\[[0-9;]*m)+$")  # blanks at the end of a line, and codes among them

INDEX = "    int i = blockIdx.x * blockDim.x + threadIdx.x;"
WORK = "    z[i] = x[i] + y[i];"
GUARDED = "    if (i < n) z[i] = x[i] + y[i];"
BLOCKS = "    int blocks = (n - 1) / threads + 1;"
# What the learner changes, edit by edit: a pattern, and the lines that replace what it matches.
EDITS = [{r"    // Which i is this .*": [INDEX, WORK], r"    int blocks = .*": [BLOCKS]}, {re.escape(WORK): [GUARDED]}]


RESULTS_PAGE = """\
# The highest rungs at every size

Medians on an NVIDIA H200, each lesson's in one run, the L2 cache flushed before every run. A number is the other's time
divided by the rung's; in brackets the other one is faster. At small sizes both are mostly a launch. `cub` stands for
CUB's function, `openmp` and `sequential` for a loop on that machine's CPU, on all its cores or one; all others are
PyTorch. Made by `make readme` from `benchmarks/results/h200/`, which also has the spread, the memory and the ceilings.

"""
# A terminal as rich draws it, in the reader's own fonts: a picture must not fetch any.
PICTURE = """\
<svg viewBox="0 0 {width} {height}" xmlns="http://www.w3.org/2000/svg">
<title>A first session with ladder</title>
<style>
.{unique_id}-matrix {{
  font: {char_height}px/{line_height}px ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
}}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
{chrome}
<g transform="translate({terminal_x}, {terminal_y})" clip-path="url(#{unique_id}-clip-terminal)">
{backgrounds}
<g class="{unique_id}-matrix">
{matrix}
</g>
</g>
</svg>
"""


def main() -> None:
    recorded = session()
    README.write_text(renewed(README.read_text(), recorded))
    SESSION.write_text(picture(recorded))
    ALL_RESULTS.write_text(all_results())
    chart.FILE.write_text(chart.picture(measured()))
    badges.write()


def renewed(text: str, recorded: str) -> str:
    """The README with its blocks made anew."""
    return blocks.renewed(text, linked() | {"session": console(recorded), "results": results()})


def linked() -> dict[str, str]:
    """The blocks that have links to the repository, once it has an address."""
    return {"badges": badges.row(), "lessons": lessons()}


def session() -> str:
    """Lesson 01 from the starter to the pass, as a learner sees it, with a terminal's codes for colours."""
    with tempfile.TemporaryDirectory() as folder:
        course = Path(folder)
        for name in ("lessons", "kernels"):
            (course / name).symlink_to(ROOT / name)
        file = course / "work" / "01_vector_add.cu"
        said = [ladder(course, "start", "01")]
        for edit in EDITS:
            said.append(apply(edit, file))
            said.append(ladder(course, "check", "01"))
    return "\n".join(said)


def console(recorded: str) -> str:
    """A recording as text."""
    return f"```console\n{COLOURS.sub('', recorded)}```\n"


def picture(recorded: str) -> str:
    """A recording as SVG."""
    terminal = Console(record=True, width=WIDTH, file=io.StringIO(), highlight=False, markup=False, emoji=False)
    terminal.print(Text.from_ansi(recorded))
    return terminal.export_svg(title="ladder", code_format=PICTURE, unique_id="session")


def apply(edit: dict[str, list[str]], file: Path) -> str:
    """Makes the changes, and says what was typed."""
    text = file.read_text()
    for pattern, lines in edit.items():

        def new(_: re.Match[str], lines: list[str] = lines) -> str:
            return "\n".join(lines)

        text, found = re.subn(pattern, new, text)
        assert found == 1, pattern
    file.write_text(text)
    return "".join(f"\x1b[2m# you write: {line.strip()}\x1b[0m\n" for lines in edit.values() for line in lines)


def ladder(course: Path, *arguments: str) -> str:
    """The command and what it prints on a terminal of 80 columns."""
    known = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "TTY_COMPATIBLE")}
    terminal = {"FORCE_COLOR": "1", "COLUMNS": str(WIDTH), "TERM": "xterm-256color"}
    environment = {**known, **terminal, "LADDER_COURSE": str(course), "PYTHONPATH": str(ROOT)}
    done = subprocess.run([*LADDER, *arguments], cwd=course, env=environment, capture_output=True, text=True)
    lines = [END.sub(lambda end: "".join(COLOURS.findall(end[0])), line) for line in done.stdout.splitlines()]
    return "\n".join([f"\x1b[1m$ ladder {' '.join(arguments)}\x1b[0m", *lines]) + "\n"


def lessons() -> str:
    """The table of all lessons."""
    rows = ["| | lesson | what it is about | rungs | notebook |", "|---|---|---|---|---|"]
    for entry in catalog.entries(ROOT):
        number, link = entry.label, f"[{entry.lesson.title}](lessons/{entry.name}/README.md)"
        steps = f"{len(entry.puzzles)} puzzles" if entry.puzzles else len(entry.rungs)
        read = notebook("00_setup" if entry.puzzles else entry.name)
        rows.append(f"| {number} | {link} | {entry.lesson.summary} | {steps} | {read} |")
    if colab_badge("00_setup"):
        rows += ["", "The badge opens a notebook on Google Colab, where it runs in the browser."]
        rows += [f"{binder_badge()} opens them all in JupyterLab, {codespaces_badge()} the course in an editor, with"]
        rows += ["`ladder watch` running and the site beside it. Nothing is installed on your machine."]
    return "\n".join(rows) + "\n"


def notebook(name: str) -> str:
    """A link to the notebook, and one that opens it on Colab."""
    return f"[read](notebooks/{name}.ipynb) {colab_badge(name)}".rstrip()


def measured() -> list[dict[str, Any]]:
    """What `ladder bench` has measured on an H200, for the lessons whose JSON is there."""
    files = [RESULTS / f"{entry.name}.json" for entry in catalog.entries(ROOT)]
    return [bench.read(file) for file in files if file.exists()]


def results() -> str:
    """The rungs at each task's deciding size, and which lessons' are not known yet."""
    return results_table(measured()) + "".join(f"\nLesson {said}.\n" for said in map(not_timed, untimed()))


def untimed() -> list[catalog.Entry]:
    """Lessons with rungs that no run of `ladder bench` has been committed of."""
    return [
        each for each in catalog.entries(ROOT) if not each.puzzles and not (RESULTS / f"{each.name}.json").is_file()
    ]


def not_timed(entry: catalog.Entry) -> str:
    """What README.md, the lesson's page and its notebook say of such a lesson."""
    return f"{entry.label} is not yet timed on a card by `ladder bench {entry.label}`"


def all_results() -> str:
    """The page of all sizes."""
    return RESULTS_PAGE + rivals_table(measured())


if __name__ == "__main__":
    main()
