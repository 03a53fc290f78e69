"""What is understood of an export: people, lessons, kernels; and what is said of the rest."""

from __future__ import annotations

import json
import os
import zipfile
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
