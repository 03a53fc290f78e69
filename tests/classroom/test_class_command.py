"""`ladder class` from an export to a grade book, with real grades of three kernels."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

from click.testing import CliRunner

from grader.course import catalog
from grader.faces.classroom import command

ADD = catalog.find("01")


def ran(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(command, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


def test_from_an_export_to_a_grade_book(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("LADDER_COURSE", str(ADD.root))
    monkeypatch.chdir(tmp_path)
    right = ADD.rungs[0].read_text()
    for learner, text in (("ann", right), ("ben", right.replace("if (i < n)", "if (i <= n)")), ("carl", "no")):
        (tmp_path / "in" / learner).mkdir(parents=True)
        (tmp_path / "in" / learner / "01_vector_add.cu").write_text(text)
    (tmp_path / "in" / "ann" / "\x1b[2Jessay.txt").write_text("words")
    said = ran("collect", "in")
    assert "3 new kernels, 0 known ones, 1 files that are none" in said and "\x1b" not in said
    assert "0 new kernels, 3 known ones" in ran("collect", "in")

    said = ran("grade", "--jobs", "2", "--timeout", "600", "--sandbox", "strict")
    assert "3 kernels were to grade, 0 are left" in said
    assert "0 kernels were to grade, 0 are left" in ran("grade", "--resume")
    assert "3 of 3 people" in ran("gradebook", "--csv", "marks.csv", "--keep", "last")
    with open("marks.csv") as file:
        marks = {row["learner"]: row for row in csv.DictReader(file)}
    assert [marks[name]["01_vector_add status"] for name in ("ann", "ben", "carl")] == [
        "passed",
        "out_of_bounds",
        "build_error",
    ]
    assert int(marks["ann"]["stars"]) >= 1 and marks["ben"]["stars"] == "0"
    with sqlite3.connect("class.sqlite") as book:
        grades = [json.loads(text) for (text,) in book.execute("SELECT grade FROM grades WHERE learner < 'c'")]
    assert [each["sandbox"]["level"] for each in grades] == ["strict", "strict"]
    assert len({each["seed"] for each in grades}) == 1

    assert "the course's 1_one_element" in ran("similar")
    assert "sbatch class.sqlite.sbatch" in ran("grade", "--on", "slurm", "--parts", "4")
    assert "#SBATCH --array=1-4" in Path("class.sqlite.sbatch").read_text()
