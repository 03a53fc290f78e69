"""Lays out what the site is made from: the pages of the repository as they are, their links led to the site's pages.

A lesson's page is its README, and below it each rung with its hints and the course's kernel, folded. A notebook is a
page with its stored outputs. Nothing is executed.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from html import escape
from pathlib import Path

from docs import address
from docs.site.notebook import fenced, html
from docs.site.notebook import page as notebook_page
from grader.course import catalog, reading
from grader.course.catalog import Entry, UsageError
from grader.course.lesson import Task
from grader.report.sliders import bundle, machines, slider

ROOT = Path(__file__).parents[2]
LINK = re.compile(r"(?<=\]\()(?![a-z]+:)([^)\s#]*)(#[^)\s]*)?(?=\))")
MERMAID = re.compile(r"```mermaid\n(.*?)```", re.DOTALL)
ARROW = re.compile(r"(\w+) --> (\w+)")
NAMED = re.compile(r'(\w+)\["(.+)"\]')
FENCE = re.compile(r"^ *(```+|~~~+)")

HERE = Path(__file__).parent
SLIDERS = {
    "sectors": "Sectors",
    "banks": "Banks",
    "little": "Little's law",
    "occupancy": "Occupancy",
    "roofline": "Roofline",
    "waves": "Tiles and waves",
}
PROJECT = ("CHANGELOG", "CONTRIBUTING", "SECURITY")


def lay_out(target: Path) -> None:
    """Writes the site's sources to `target`, anew."""
    shutil.rmtree(target, ignore_errors=True)
    entries = catalog.entries(ROOT)
    pages = site_pages(entries)
    for file, name in pages.items():
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        text = notebook_page(file, place.with_suffix("")) if file.suffix == ".ipynb" else file.read_text()
        place.write_text(linked(MERMAID.sub(drawn, text), file, pages, target))
    for entry in entries:
        with (target / lesson_page(entry)).open("a") as page:
            page.write("\n\n".join(["", *ladders(entry)]))
    (target / "sliders.md").write_text(sliders())
    with (target / "index.md").open("a") as page:
        page.write(contents(entries, pages))


def site_pages(entries: list[Entry]) -> dict[Path, str]:
    """The repository's files that become pages, each with its name on the site."""
    pages = {ROOT / "README.md": "index.md"}
    pages |= {entry.folder / "README.md": lesson_page(entry) for entry in entries}
    pages |= {file: f"notebooks/{file.stem}.md" for file in sorted((ROOT / "notebooks").glob("*.ipynb"))}
    pages |= {file: f"docs/{file.name}" for file in sorted((ROOT / "docs").glob("*.md"))}
    return pages | {ROOT / f"{name}.md": f"{name}.md" for name in PROJECT}


def lesson_page(entry: Entry) -> str:
    """`lessons/01_vector_add.md`"""
    return f"lessons/{entry.name}.md"


# ---- links ----


def linked(text: str, file: Path, pages: dict[Path, str], target: Path) -> str:
    """The text of `file` with links to the site's pages. Other files are copied to `target`, where the page finds them;
    or the link leads to the repository, once it has an address.
    """
    here = (target / pages[file]).parent

    def led(match: re.Match[str]) -> str:
        wanted = (file.parent / match[1]).resolve() if match[1] else file
        slug = re.sub(r"[^\w#-]", "", (match[2] or "").lower())  # Jupyter's anchors are not Sphinx's
        if wanted == file:
            return slug
        if wanted in pages:
            return os.path.relpath(target / pages[wanted], here) + slug
        name = wanted.relative_to(ROOT)
        if wanted.suffix not in (".svg", ".png") and address.page():
            return address.page(f"/blob/main/{name}")
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(wanted, target / name)
        return os.path.relpath(target / name, here)

    return "\n".join(LINK.sub(led, line) if prose else line for line, prose in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line, and whether it stands outside blocks of code."""
    fence = ""
    for line in text.splitlines():
        found = FENCE.match(line)
        if found and (not fence or found[1] == fence):
            fence = "" if fence else found[1]
        yield line, not fence


def drawn(match: re.Match[str]) -> str:
    """A diagram of arrows as a table, which needs no program to draw it."""
    names = dict(NAMED.findall(match[1]))
    arrows: dict[str, list[str]] = {}
    for above, below in ARROW.findall(match[1]):
        arrows.setdefault(names[above], []).append(f"`{names[below]}`")
    rows = [f"| `{above}` | {', '.join(below)} |" for above, below in arrows.items()]
    return "\n".join(["| room | imports from |", "|---|---|", *rows])


# ---- a lesson's rungs ----


def ladders(entry: Entry) -> Iterator[str]:
    """The ladder of each task: a heading for each rung, below it what is folded."""
    for task in entry.lesson.tasks:
        if entry.puzzles or not task.ladder:
            continue
        yield f"## The ladder of `{task.name}`"
        for number, rung in enumerate(task.ladder, 1):
            yield f"### {reading.rung_title(entry, task, number)}"
            yield f"{rung.idea[:1].upper()}{rung.idea[1:]}."
            yield from hints(entry, task, rung.name)
            source = entry.rung_file(task.name, rung.name)
            yield from folded(f"The course's kernel, {source.name}", fenced(source.read_text(), "cuda"))
    for puzzle in entry.puzzles:
        yield f"## Puzzle {puzzle.label}: {puzzle.slug.replace('_', ' ')}"
        yield from hints(entry, puzzle.lesson.tasks[0], None)
        yield from folded("The course's solution", fenced(puzzle.reference.read_text(), "cuda"))


def hints(entry: Entry, task: Task, rung: str | None) -> Iterator[str]:
    """Each hint folded; none where a task has none."""
    try:
        found = entry.hints(task.name, rung)
    except UsageError:
        return
    for number, hint in enumerate(found, 1):
        yield from folded(f"Hint {number} of {len(found)}", hint)


def folded(summary: str, text: str) -> list[str]:
    """Markdown that a click shows."""
    return [f"<details><summary>{escape(summary)}</summary>", text, "</details>"]


# ---- the sliders ----


def sliders() -> str:
    """The page of sliders, with their script: what an access touches is worked out as on the page of `ladder view`."""
    cards = machines(ROOT)
    places = [f"## {title}\n\n{html(slider(name, cards).html)}" for name, title in SLIDERS.items()]
    return "\n\n".join([(HERE / "sliders.md").read_text(), *places, html(bundle(cards))])


# ---- the order of the pages ----


def contents(entries: list[Entry], pages: dict[Path, str]) -> str:
    """The site's table of contents, which is the order of previous and next: a lesson, then its notebook."""
    lessons = []
    for entry in entries:
        lessons.append(f"{entry.label} · {entry.lesson.title} <{lesson_page(entry)}>")
        if (notebook := reading.notebook(entry)) in pages:
            lessons.append(f"{entry.label} · notebook <{pages[notebook]}>")
    lessons.append("sliders.md")
    others = [name for name in pages.values() if name.startswith("docs/")]
    parts = {"Lessons": lessons, "How it works": others, "The project": [f"{name}.md" for name in PROJECT]}
    return "".join(
        f"\n\n```{{toctree}}\n:hidden:\n:caption: {caption}\n{chr(10).join(names)}\n```\n"
        for caption, names in parts.items()
    )
