"""docs/concepts.md: every concept has a place, and every place is a heading that is there."""

import functools
import re
from pathlib import Path

import nbformat

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "concepts.md"
ROW = re.compile(r"^\| ([A-D]\d+) \| .+ \| (.+) \|$", re.MULTILINE)
PLACE = re.compile(r"\[(\d\d) · ([^\]]+)\]\(([^)#]+)#([^)]+)\)")
NUMBERED = {"D": 59, "A": 31, "B": 7, "C": 11}  # of the material that the course grew from


@functools.cache
def headings(notebook):
    cells = nbformat.read(notebook, as_version=4).cells
    prose = "\n".join(cell.source for cell in cells if cell.cell_type == "markdown")
    return re.findall(r"^#+ (.+)$", re.sub(r"```.*?```", "", prose, flags=re.DOTALL), re.MULTILINE)


def test_every_concept_has_a_place():
    rows = ROW.findall(PAGE.read_text())
    wanted = [f"{part}{n + 1}" for part, count in NUMBERED.items() for n in range(count)]
    assert [number for number, _ in rows] == wanted
    assert all(PLACE.search(where) for _, where in rows)


def test_every_place_is_a_heading_of_its_notebook():
    places = PLACE.findall(PAGE.read_text())
    assert len(places) == PAGE.read_text().count("../notebooks/")
    for number, words, path, anchor in places:
        notebook = (PAGE.parent / path).resolve()
        assert notebook.name.startswith(number) and words in headings(notebook), f"{notebook.name} has no `{words}`"
        assert anchor == words.replace(" ", "-"), f"the link to `{words}` leads to #{anchor}"
