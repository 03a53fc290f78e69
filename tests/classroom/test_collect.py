"""What is understood of an export: people, lessons, kernels; and what is said of the rest."""

from __future__ import annotations

import json
import os
import zipfile
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.classroom.collect import Reader, collect
from grader.classroom.ledger import Submitted
from grader.course import catalog
from grader.course.catalog import UsageError

ADD = 'extern "C" void vector_add(const float* x, const float* y, float* z, int n, cudaStream_t stream) {}\n'
NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["%%kernel 02\n"]},
        {"cell_type": "code", "source": ["%%kernel 01\n", "old\n"]},
        {"cell_type": "code", "source": ["%%kernel 01 --device emulator\n", ADD]},
    ]
}
FILES = {
    "anna/01_vector_add.cu": ADD,
    "Ben Bauer_4711_assignsubmission_file_/deep/er/my kernel.cu": ADD,  # by its function
    "carl_123_456_01_vector_add.cu": f"\ufeff{ADD}",
    "dora/lesson 03/x.cu": "nothing of its own",  # by the folder
    "emil/notes.ipynb": json.dumps(NOTEBOOK),
    "fay/broken.ipynb": "{",
    "fay/essay.pdf": "words",
    "fay/what.cu": "int main() {}",
    "gus/01.json": "[]",
    "__MACOSX/anna/01_vector_add.cu": "junk",
    "anna/.hidden.cu": "junk",
}
KERNELS = [
    ("Ben Bauer", "01_vector_add"), ("anna", "01_vector_add"), ("carl", "01_vector_add"), ("dora", "03_coalescing"),
    ("emil", "01_vector_add"),
]  # fmt: skip


@pytest.fixture(scope="module")
def reader() -> Reader:
    return Reader(catalog.entries())


def sorted_out(found) -> tuple[list[Submitted], dict[str, str]]:
    every = list(found)
    kernels = [each for each in every if isinstance(each, Submitted)]
    return sorted(kernels, key=lambda each: each.learner), dict(each for each in every if isinstance(each, tuple))


@pytest.mark.parametrize("form", ["folder", "zip"])
def test_people_lessons_and_kernels_are_found(reader, tmp_path, form):
    place = tmp_path / "export"
    if form == "folder":
        for name, text in FILES.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_text(text)
        (place / "anna" / "02_link.cu").symlink_to("/etc/passwd")
        os.mkfifo(place / "anna" / "03_pipe.cu")
    else:
        with zipfile.ZipFile(place, "w") as archive:
            for name, text in FILES.items():
                archive.writestr(name, text)
    kernels, unknown = sorted_out(collect([place], reader))
    assert [(each.learner, each.lesson) for each in kernels] == KERNELS
    assert {each.text for each in kernels} == {ADD, FILES["dora/lesson 03/x.cu"]}
    reasons = {Path(file).name: reason for file, reason in unknown.items()}
    assert "no notebook" in reasons["broken.ipynb"] and "no kernel" in reasons["essay.pdf"]
    assert "which lesson" in reasons["what.cu"] and "is no hand-in" in reasons["01.json"]
    links = {"02_link.cu", "03_pipe.cu"} if form == "folder" else set()
    assert set(reasons) == {"broken.ipynb", "essay.pdf", "what.cu", "01.json"} | links


METADATA = """---
submission_4711:
  :submitters:
  - :name: Ada Lovelace
    :sid: '815'
    :email: ada@example.com
  - :name: "Ben Bauer"
    :sid: '816'
  :created_at: 2026-11-20 23:05:12.987654321 Z
  :score: 2.0
  :history:
    - :id: 4710
      :created_at: 2026-11-19 20:00:00.000000000 Z
submission_4712:
  :submitters:
  - :name: O'Neil
    :sid: '817'
  :created_at: 2026-11-21 00:00:00 +01:00
"""
EXPORTS = {
    "Moodle": {
        "Anna Arndt_4711_assignsubmission_file_/kernel.cu": "Anna Arndt",
        "Jean-Luc O'Neil_33_assignsubmission_file/my file_2.cu": "Jean-Luc O'Neil",
        "Kim Lee_01_assignsubmission_file_/a.cu": "Kim Lee 01",  # two of one name
        "Kim Lee_22_assignsubmission_file_/a.cu": "Kim Lee 22",
    },
    "Moodle without folders": {
        "Anna Arndt_4711_assignsubmission_file_kernel.cu": "Anna Arndt",
        "Ben Bauer_4712_assignsubmission_file_01_vector_add.cu": "Ben Bauer",
    },
    "Moodle, anonymous": {
        "Participant_4711_assignsubmission_file_/kernel.cu": "Participant 4711",
        "Participant_4712_assignsubmission_file_/kernel.cu": "Participant 4712",
    },
    "Canvas": {
        "arndtanna_4711_1200345_kernel.cu": "arndtanna",
        "bauerben_LATE_4712_1200346_01_vector_add-2.cu": "bauerben",
        "leekim_03_1200347_a.cu": "leekim 03",
        "leekim_04_1200348_a.cu": "leekim 04",
    },
    "Blackboard": {
        "Homework 2_aa11_attempt_2026-11-20-23-05-12_kernel.cu": "aa11",
        "Homework 2_aa11_attempt_2026-11-20-23-05-12.txt": None,
        "Homework 2_bb22_attempt_2026-11-21-01-00-00_01_vector_add.cu": "bb22",
    },
    "Gradescope": {
        "assignment_9_export/submission_metadata.yml": None,
        "assignment_9_export/submission_4711/kernel.cu": "Ada Lovelace, Ben Bauer",
        "assignment_9_export/submission_4712/src/kernel.cu": "O'Neil",
    },
}


@pytest.mark.parametrize("system", EXPORTS)
def test_names_are_found_as_learning_management_systems_write_them(reader, tmp_path, system):
    place = tmp_path / "export.zip"
    with zipfile.ZipFile(place, "w") as archive:
        for name in EXPORTS[system]:
            archive.writestr(name, METADATA if name.endswith(".yml") else f"{ADD}// {name}")
    kernels, unknown = sorted_out(collect([place], reader))
    assert unknown == {}  # the system's own files are passed over
    assert {each.file: each.learner for each in kernels} == {k: v for k, v in EXPORTS[system].items() if v}
    assert {each.lesson for each in kernels} == {"01_vector_add"}
    when = {each.learner: each.handed_in for each in kernels}
    if system == "Gradescope":
        assert when["Ada Lovelace, Ben Bauer"] == datetime(2026, 11, 20, 23, 5, 12, tzinfo=UTC).timestamp()
        assert when["O'Neil"] == datetime(2026, 11, 20, 23, tzinfo=UTC).timestamp()
    if system == "Blackboard":
        assert when["aa11"] == datetime(2026, 11, 20, 23, 5, 12).timestamp()


def test_a_pattern_finds_names(tmp_path, reader):
    (tmp_path / "week1").mkdir()
    (tmp_path / "week1" / "01_s123.cu").write_text(ADD)
    named = Reader(catalog.entries(), r"(?P<learner>s\d+)")
    (kernel,), _ = sorted_out(collect([tmp_path], named))
    assert kernel.learner == "s123"
    for pattern, said in (("(", "no regular expression"), ("s", "needs a group")):
        with pytest.raises(UsageError, match=said):
            Reader([], pattern)
    with pytest.raises(UsageError, match="neither a folder nor a ZIP file"):
        list(collect([tmp_path / "week1" / "01_s123.cu"], reader))
