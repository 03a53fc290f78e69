"""What a teacher says of each status, and where to read about it: the notebooks' headings are really there."""

import json
from pathlib import Path

import pytest

from grader.judge.targets import METRICS
from grader.judge.verdict import STATUSES
from grader.report.messages import ADVICE, READ, READ_ON_TARGETS, TITLES, read_about

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"


def headings(notebook: Path) -> set[str]:
    """The text of all headings of a notebook."""
    cells = json.loads(notebook.read_text())["cells"]
    lines = "".join("".join(cell["source"]) + "\n" for cell in cells if cell["cell_type"] == "markdown").split("\n")
    return {line.lstrip("#").strip() for line in lines if line.startswith("#")}


def test_every_status_has_a_title_advice_and_something_to_read():
    assert set(TITLES) == set(ADVICE) == set(STATUSES)
    assert set(READ) == set(STATUSES) - {"passed"}
    assert set(READ_ON_TARGETS) <= set(METRICS)


@pytest.mark.parametrize("lesson", sorted({lesson for lesson, _ in [*READ.values(), *READ_ON_TARGETS.values()]}))
def test_what_to_read_is_there(lesson):
    notebook = NOTEBOOKS / f"{lesson}.ipynb"
    wanted = {heading for name, heading in [*READ.values(), *READ_ON_TARGETS.values()] if name == lesson}
    assert not wanted - headings(notebook)


def test_a_place_to_read_fits_a_line_and_is_what_jupyter_calls_it():
    assert read_about("out_of_bounds") == "notebooks/01_vector_add.ipynb#The-guard"
    assert read_about("passed") == read_about("global_load_sectors") == ""
    assert max(len(f"Read: {read_about(status)}") for status in READ) <= 80
