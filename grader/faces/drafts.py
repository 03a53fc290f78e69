"""For those who write lessons: `ladder new-lesson` and `ladder new-mistake`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from string import Template

from grader.course import files
from grader.course.catalog import Entry, UsageError, course_root, entries
from grader.course.files import shown_path
from grader.course.mistake import DIFFERENCE, difference
from grader.course.work import read_kernel

SKELETON = Path(__file__).parent / "skeleton"


def begin_course(folder: Path | None) -> Path:
    """The course at this folder, which is made if it is not there; without a folder the one that is meant here.

    Raises UsageError.
    """
    if folder is None:
        return course_root()
    try:
        (folder / "lessons").mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(f"{folder} cannot hold a course ({error.strerror}): name another folder") from None
    return folder.absolute()


def new_lesson(root: Path, name: str) -> list[Path]:
    """Writes the skeleton of a lesson and returns its files; the name may bring its number, else it is the next.

    Raises UsageError if the name will not do, or is taken, or a file cannot be written.
    """
    match = re.fullmatch(r"(?:(\d{2})_)?([a-z][a-z0-9_]*)", name)
    if not match:
        raise UsageError(f"`{name}` cannot name a lesson: type small letters, digits and _, as in `prefix_sum`")
    known = entries(root)
    number = int(match[1] or max((entry.number for entry in known), default=0) + 1)
    slug = match[2]
    entry = Entry(root, f"{number:02d}_{slug}")
    taken = next((each for each in known if each.number == number or each.slug == slug), None)
    if taken or entry.folder.exists() or (root / "kernels" / entry.name).exists():
        raise UsageError(f"{taken.name if taken else entry.name} is there already: choose another number or name")
    words = {"number": f"{number:02d}", "name": entry.name, "slug": slug, "title": slug.replace("_", " ").capitalize()}
    try:
        return [_write(root, template, words) for template in sorted(SKELETON.rglob("*.template"))]
    except OSError as error:
        raise UsageError(f"{error.filename} cannot be written ({error.strerror}): mend that first") from None


def unwritten(entry: Entry) -> Iterator[str]:
    """What still stands in a lesson's pages of the skeleton's own words, which are for those who write it."""
    for name in ("hints.md", "README.md"):
        page, template = entry.folder / name, SKELETON / "lessons" / "NAME" / f"{name}.template"
        said = {line for line in template.read_text().splitlines() if line[:1].isalpha() and "$" not in line}
        lines = page.read_text().splitlines() if page.is_file() else []
        if left := next((line for line in lines if line in said), ""):
            yield f"lessons/{entry.name}/{name}: write what stands for `{left}`"


def new_mistake(entry: Entry, name: str, file: Path) -> Path:
    """Writes what a kernel file changes in the nearest one of the lesson to mistakes/NAME.diff, and returns that.

    A mistake of this name is replaced. Raises UsageError if the name will not do, or nothing is changed.
    """
    if not re.fullmatch(r"[a-z][a-z0-9_]*", name):
        raise UsageError(f"`{name}` cannot name a mistake: type small letters, digits and _, as in `no_guard`")
    place = entry.folder / "mistakes" / f"{name}{DIFFERENCE}"
    whole = [mistake.file for mistake in entry.mistakes if not mistake.is_difference and mistake.name != name]
    written = difference(entry.root, [*entry.rungs, entry.starter, *whole], read_kernel(file, entry))
    if "\n@@" not in written:
        raise UsageError(f"{shown_path(file)} is one of the lesson's own kernels: change what is to go wrong")
    place.parent.mkdir(exist_ok=True)
    files.replace(place, written.encode())
    return place


def _write(root: Path, template: Path, words: dict[str, str]) -> Path:
    place = str(template.relative_to(SKELETON)).removesuffix(".template").replace("NAME", words["name"])
    file = root / place
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(Template(template.read_text()).substitute(words))
    return file
