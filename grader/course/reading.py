"""What a lesson's README and notebook say under a heading, as Markdown for a terminal, and where the site says it."""

from __future__ import annotations

import difflib
import json
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING, Any

from grader.course.catalog import COMMENT, Entry, UsageError

if TYPE_CHECKING:
    from grader.course.lesson import Task

HEADING = re.compile(r"(#{1,6}) (.+)")
FENCE = re.compile(r" *(```+|~~~+)")
FOLDED = re.compile(r" *<details>\s*<summary>(.*?)</summary>.*?</details>", re.DOTALL)
RUNGS = re.compile(r"\brungs? (\d+)(?: (?:and|to) (\d+))?", re.IGNORECASE)  # "Rung 3", "rungs 3 to 5"


@dataclass(frozen=True)
class Section:
    """A heading with all that stands under it. `above` are the headings that it stands under, the page's own first."""

    page: Path
    title: str
    level: int
    above: tuple[str, ...]
    text: str

    @property
    def address(self) -> str:
        """Its place on the site: `notebooks/01_vector_add.html#the-guard`."""
        if self.page.suffix == ".ipynb":
            return f"notebooks/{self.page.stem}.html#{anchor(self.title)}"
        return f"lessons/{self.page.parent.name}.html#{anchor(self.title)}"


def anchor(heading: str) -> str:
    """A heading's anchor on the site, as docutils makes it: `Rung 3: 8 × 16` is `rung-3-8-16`. Jupyter's and GitHub's
    anchors of a heading give the same.
    """
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode().lower()
    return re.sub(r"^[-0-9]+|-+$", "", re.sub(r"[^a-z0-9]+", "-", plain))


def rung_title(entry: Entry, task: Task, number: int) -> str:
    """A rung's heading on the site: `Rung 3: padded tile`, with the task's name where the lesson has several."""
    several = f"{task.name}, rung" if len(entry.lesson.tasks) > 1 else "Rung"
    return f"{several} {number}: {task.ladder[number - 1].title}"


def notebook(entry: Entry) -> Path:
    """The lesson's notebook; that of the machine for the puzzles."""
    return entry.notebook if entry.notebook.is_file() else entry.root / "notebooks" / f"{entry.label[:2]}_setup.ipynb"


def section(entry: Entry, heading: str) -> Section:
    """What the notebook says under a heading, or else the README; Jupyter's anchor of it will do, `The-guard`.

    Raises UsageError.
    """
    found = sections(entry)
    wanted = anchor(heading)
    if match := next((each for each in found if anchor(each.title) == wanted), None):
        return match
    titles = {anchor(each.title): each.title for each in found if each.level > 1}
    close = difflib.get_close_matches(wanted, titles, 1) or list(titles)[:1]
    like = f": perhaps `ladder read '{entry.label}#{titles[close[0]]}'`" if close else ""
    raise UsageError(f"lesson {entry.name} has no section `{heading}`{like}")


def readme(entry: Entry) -> Section:
    """The lesson's README as a whole. Raises UsageError."""
    found = [each for each in sections(entry) if each.page.name == "README.md"]
    if not found:
        raise UsageError(f"lesson {entry.name} has nothing to read: there is no lessons/{entry.name}/README.md")
    return found[0]


def about_rung(entry: Entry, task: Task, number: int) -> Section:
    """What the notebook says of a task's rung; what the README says of all rungs where it has no such heading.

    Raises UsageError.
    """
    tasks = {each.name: each.name.replace("_", " ") for each in entry.lesson.tasks}
    for each in sections(entry):
        rungs = RUNGS.search(each.title)
        path = " ".join((*each.above, each.title)).lower()
        named = [name for name, words in tasks.items() if words in path] or [entry.lesson.tasks[0].name]
        if rungs and int(rungs[1]) <= number <= int(rungs[2] or rungs[1]) and task.name in named:
            return each
    return section(entry, "The rungs")


def sections(entry: Entry) -> list[Section]:
    """All of the notebook and then of the README, in their order."""
    pages = [page for page in (notebook(entry), entry.folder / "README.md") if page.is_file()]
    return [each for page in pages for each in _cut(page)]


def _cut(page: Path) -> Iterator[Section]:
    text = page.read_text()
    lines = FOLDED.sub(_said_folded, COMMENT.sub("", _cells(text) if page.suffix == ".ipynb" else text)).splitlines()
    heads, above = list(_headings(lines)), list[tuple[int, str]]()
    for i, (start, level, title) in enumerate(heads):
        end = next((line for line, other, _ in heads[i + 1 :] if other <= level), len(lines))
        above = [each for each in above if each[0] < level]
        yield Section(page, title, level, tuple(name for _, name in above), "\n".join(lines[start:end]).strip() + "\n")
        above.append((level, title))


def _said_folded(match: re.Match[str]) -> str:
    return f"*Folded: {match[1]}*"


def _headings(lines: list[str]) -> Iterator[tuple[int, int, str]]:
    """The number of a heading's line, its level and its words, outside blocks of code."""
    fence = ""
    for number, line in enumerate(lines):
        found = FENCE.match(line)
        if found and (not fence or found[1] == fence):
            fence = "" if fence else found[1]
        elif not fence and (heading := HEADING.match(line)):
            yield number, len(heading[1]), heading[2].strip()


def _cells(text: str) -> str:
    """A notebook as Markdown, with what its outputs say in words."""
    parts: list[str] = []
    for cell in json.loads(text)["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            parts.append(source)
        else:
            parts += [f"```python\n{source}\n```", *map(_said, cell["outputs"])]
    return "\n\n".join(filter(None, parts))


def _said(output: dict[str, Any]) -> str:
    data = output.get("data", {})
    plain = "".join(data.get("text/plain", output.get("text", ""))).strip("\n")
    if "image/png" in data:
        return "" if plain.startswith("<") else f"*Figure: {plain}*"
    if "text/markdown" in data or plain.startswith("<details>"):
        return plain
    folded = re.search("<summary>(.*?)</summary>", "".join(data.get("text/html", "")))
    return f"*Folded: {unescape(folded[1])}*" if folded else f"```\n{plain}\n```"
