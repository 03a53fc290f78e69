"""`ladder class` from an export to a grade book, with real grades of three kernels."""

from __future__ import annotations

import csv
import json
import sqlite3
from pathlib import Path

import pytest
from click.testing import CliRunner

from grader.course import catalog
from grader.faces.classroom import command

ADD = catalog.find("01")


def ran(*arguments: str, code: int = 0) -> str:
    done = CliRunner().invoke(command, list(arguments))
    assert done.exit_code == code, done.output
    return done.output


@pytest.mark.slow
def test_from_an_export_to_a_grade_book(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("LADDER_COURSE", str(ADD.root))
    monkeypatch.chdir(tmp_path)
    right = ADD.rungs[0].read_text()
    tested = right.replace("if (i < n)", "if (i < n && n != 777)")  # right for the sizes that everyone can read
    for learner, text in (
        ("ann", right),
        ("ben", right.replace("if (i < n)", "if (i <= n)")),
        ("carl", "no"),
        ("dora", tested),
    ):
        (tmp_path / "in" / learner).mkdir(parents=True)
        (tmp_path / "in" / learner / "01_vector_add.cu").write_text(text)
    (tmp_path / "in" / "ann" / "\x1b[2Jessay.txt").write_text("words")
    said = ran("collect", "in")
    assert "4 new kernels, 0 known ones, 1 files that are none" in said and "\x1b" not in said
    assert "0 new kernels, 4 known ones" in ran("collect", "in")

    (tmp_path / "hidden.toml").write_text("seed = 4711\n[01_vector_add.vector_add]\ncases = [{n = 777}, {n = 20011}]\n")
    said = ran("grade", "--jobs", "2", "--timeout", "600", "--sandbox", "strict", "--hidden", "hidden.toml")
    assert "4 kernels were to grade, 0 are left" in said
    assert "0 kernels were to grade, 0 are left" in ran("grade", "--resume")  # the hidden cases are still these
    table = "Identifier,Full name,Grade\r\nParticipant 7,ANN,\r\nParticipant 8,Ben,1\r\nParticipant 9,Zoe,2\r\n"
    (tmp_path / "worksheet.csv").write_text(f"\ufeff{table}")
    filled = ("--fill", "worksheet.csv", "--lesson", "01", "--csv", "filled.csv", "--points", "6")
    assert "not in worksheet.csv: carl" in ran("gradebook", *filled)
    with open("filled.csv", encoding="utf-8-sig", newline="") as file:
        assert [row["Grade"] for row in csv.DictReader(file)] == ["4", "0", "2"]  # Zoe keeps hers
    assert "needs --lesson NN" in str(CliRunner().invoke(command, ["gradebook", "--fill", "worksheet.csv"]).exception)
    assert "4 of 4 people" in ran("gradebook", "--csv", "marks.csv", "--keep", "last", "--html", "pages")
    with open("marks.csv") as file:
        marks = {row["learner"]: row["01_vector_add status"] for row in csv.DictReader(file)}
    expected = {"ann": "passed", "ben": "out_of_bounds", "carl": "build_error", "dora": "not_written"}
    assert marks == expected
    with sqlite3.connect("class.sqlite") as book:
        found = book.execute("SELECT learner, grade FROM grades WHERE learner <> 'carl'").fetchall()
    grades = {learner: json.loads(text) for learner, text in found}
    assert {each["sandbox"]["level"] for each in grades.values()} == {"strict"}
    assert {each["seed"] for each in grades.values()} == {4711}
    cases = [case["name"] for case in grades["ann"]["tasks"][0]["cases"]]
    assert cases[-3:] == ["n=777", "n=20011", "n=100003"]
    pages = {file.name.partition("-")[0]: file.read_text() for file in Path("pages").iterdir()}
    assert set(pages) == {"class.html", *expected}
    assert all(name in pages["class.html"] for name in expected) and "out of bounds" in pages["class.html"]
    assert "out of bounds" in pages["ben"] and "ann" not in pages["ben"] and "grid" in pages["ben"]

    assert "the course's 1_one_element" in ran("similar")
    assert "sbatch class.sqlite.sbatch" in ran("grade", "--on", "slurm", "--parts", "4")
    assert "#SBATCH --array=1-4" in Path("class.sqlite.sbatch").read_text()
