"""`ladder read`: a section of a lesson's notebook or README, in the terminal or on the site."""

from __future__ import annotations

from pathlib import Path

import click
import pytest

from grader.course import reading
from grader.course.catalog import find

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def notebooks(course):
    (course / "notebooks").symlink_to(ROOT / "notebooks")


@pytest.mark.parametrize("place", ["01#The-guard", "01#The guard", "notebooks/01_vector_add.ipynb#The-guard"])
def test_a_heading_as_people_and_verdicts_write_it(ladder, place):
    code, out, err = ladder("read", place)
    assert (code, err) == (0, "") and out.startswith("### The guard\n") and "spare threads" in out
    assert "2,147,483,647" in out  # what the notebook's cell has printed
    assert "What happens if" not in out  # the next heading


def test_answers_and_solutions_stay_folded(ladder):
    out = ladder("read", "01#Rung 1: one thread, one element")[1]
    assert "*Folded: The course's rung 1, one element: a thread for each element*" in out
    assert "*Folded: Answer to 01.1" in out and "Three hold 768 threads" not in out


def test_a_rung_and_a_whole_readme(ladder):
    assert ladder("read", "04", "--rung", "3")[1].startswith("## Rung 3: tiles in shared memory\n")
    assert ladder("read", "05", "--rung", "4", "--task", "histogram")[1].startswith("#")  # its own, or all rungs
    assert ladder("read", "02")[1].startswith("# 02 · Warp divergence")
    assert ladder("read", "00#The contract")[1].startswith("##")


@pytest.mark.parametrize(("arguments", "said"), [
    (["01#the gard"], "has no section `the gard`: perhaps `ladder read '01#The guard'`"),
    (["01#The-guard", "--rung", "2"], "give either a heading or --rung, not both"),
    (["01", "--task", "vector_add"], "--task says whose rung is meant: add --rung, or leave it out"),
    (["01", "--rung", "9"], "vector_add has no rung 9"),
    (["03", "--rung", "2"], "say for which task: `ladder read 03 --rung 2 --task row_sum`"),
    (["nowhere.ipynb#a"], "there is no lesson `nowhere`"),
    (["01#The-guard", "--browser"], "build/site/notebooks/01_vector_add.html is not there: leave out --browser"),
])  # fmt: skip
def test_what_cannot_be_read_is_said_in_a_sentence(ladder, arguments, said):
    code, out, err = ladder("read", *arguments)
    assert code == 2 and out == "" and said in err and err.count("\n") == 1


def test_the_browser_is_sent_to_the_section(ladder, course, monkeypatch):
    sent = []
    monkeypatch.setattr(click, "launch", sent.append)
    for page in ("notebooks/01_vector_add.html", "lessons/03_coalescing.html"):
        file = course / "build" / "site" / page
        file.parent.mkdir(parents=True)
        file.touch()
    assert ladder("read", "01#The-guard", "--browser")[0] == 0
    assert ladder("read", "03", "--rung", "3", "--task", "row_sum", "--browser")[0] == 0
    assert sent == [
        (course / "build/site/notebooks/01_vector_add.html").as_uri() + "#the-guard",
        (course / "build/site/lessons/03_coalescing.html").as_uri() + "#row-sum-rung-3-padded-tile",
    ]


def test_anchors_are_those_of_the_site(course):
    assert reading.anchor("Rung 10: 8 × 16 results a thread") == "rung-10-8-16-results-a-thread"
    assert reading.anchor("01 · Vector addition") == "vector-addition"
    titles = [each.title for each in reading.sections(find("04", course))]
    assert "Rung 3: tiles in shared memory" in titles and "The contract" in titles
    assert not [title for title in titles if title.startswith(("include", ">>>"))]  # of code


def test_a_heading_for_several_rungs_is_about_each(course, monkeypatch):
    entry = find("03", course)
    heads = ["The row sum, rung by rung", "Rung 1: one thread", "Rungs 2 to 4: more", "The transpose: rungs 5 and 6"]
    found = [reading.Section(entry.notebook, title, 2, (), "") for title in [*heads, "The rungs"]]
    monkeypatch.setattr(reading, "sections", lambda _: found)
    row_sum, column_sum, transpose = entry.lesson.tasks
    assert [reading.about_rung(entry, row_sum, number).title for number in (1, 3, 5)] == [*heads[1:3], "The rungs"]
    assert [reading.about_rung(entry, transpose, number).title for number in (3, 6)] == ["The rungs", heads[3]]
    assert reading.about_rung(entry, column_sum, 1).title == "The rungs"
