"""What learning systems are given: their contracts, tried with programs that stand for theirs."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from grader.classroom import harness, packages
from grader.course import catalog
from grader.devices.cache import cache_root

ROOT = Path(__file__).parents[2]
ADD = catalog.find("01")
RIGHT = ADD.rungs[0].read_text()


def text_of(name: str) -> dict:
    return json.loads(Path(name).read_text())


@pytest.mark.slow
def test_gradescope_s_archive_installs_and_grades(tmp_path):
    """As its harness does: the archive in source/, setup.sh once, then a hand-in in submission/ and the script."""
    root, programs = tmp_path / "autograder", tmp_path / "programs"
    for folder in (root / "source", root / "submission" / "deep", programs):
        folder.mkdir(parents=True)
    (tmp_path / "autograder.zip").write_bytes(packages.gradescope(ADD, "seed = 4711\n"))
    with zipfile.ZipFile(tmp_path / "autograder.zip") as archive:
        assert {"setup.sh", "run_autograder", "hidden.toml"} <= set(archive.namelist())
        assert all(archive.getinfo(name).external_attr >> 16 & 0o111 for name in ("setup.sh", "run_autograder"))
        archive.extractall(root / "source")
    python = f'#!/bin/sh\nexec {sys.executable} -P "$@"\n'  # of the archive: PYTHONPATH says so
    (programs / "apt-get").write_text("#!/bin/sh\n")
    (programs / "make").write_text(
        f'#!/bin/sh\n[ "$1" = .venv/.ready ] && mkdir -p .venv/bin && cp {programs}/p*n .venv/bin/\n'
        "printf '#!/bin/sh\\necho \"$@\" > ../checked\\n' > .venv/bin/ladder && chmod +x .venv/bin/ladder\n"
    )
    (programs / "python").write_text(python)
    for file in programs.iterdir():
        file.chmod(0o755)
    (root / "cache").symlink_to(cache_root().parent)
    environment = {**os.environ, "AUTOGRADER": str(root), "PATH": f"{programs}:{os.environ['PATH']}"}
    environment["PYTHONPATH"] = str(root / "source" / "kernel-ladder")
    subprocess.run(["bash", root / "source" / "setup.sh"], env=environment, check=True, stdin=subprocess.DEVNULL)
    assert (root / "source" / "checked").read_text() == "check 01 --reference --device emulator\n"
    assert (root / "source" / "hidden.toml").stat().st_mode & 0o777 == 0o600

    (root / "submission" / "deep" / "mine.cu").write_text(RIGHT)
    script = ["bash", root / "source" / "run_autograder"]
    subprocess.run(script, env=environment, check=True, cwd=root, stdin=subprocess.DEVNULL)
    results = text_of(root / "results" / "results.json")
    assert results["score"] == 2 and results["extra_data"]["seeds"] == {ADD.name: 4711}
    assert [(test["status"], test["score"], test["max_score"]) for test in results["tests"]] == [("passed", 2, 3)]

    (root / "submission" / "other.cu").write_text(RIGHT + "// another\n")
    subprocess.run(script, env=environment, check=True, cwd=root, stdin=subprocess.DEVNULL)
    assert "hand in one file, 01_vector_add.cu" in text_of(root / "results" / "results.json")["output"]


def test_prairielearn_is_told_points_and_what_cannot_be_graded(tmp_path, monkeypatch):
    (tmp_path / "student").mkdir()
    arguments = ["prairielearn", "01", str(tmp_path)]
    results = tmp_path / "results" / "results.json"
    assert harness.main(arguments) == 0
    told = text_of(results)
    assert told["gradable"] is False and "there is no kernel of lesson 01" in told["message"]

    (tmp_path / "student" / "01_vector_add.cu").write_text("no\x1b[2J")
    assert harness.main(arguments) == 0
    told = text_of(results)
    assert (told["gradable"], told["score"], told["message"]) == (True, 0, "does not compile")
    (test,) = told["tests"]
    assert (test["points"], test["max_points"]) == (0, 3) and "\x1b" not in test["output"]

    monkeypatch.setattr("grader.classroom.harness.answer", lambda order: harness.Result("not_graded", message="full"))
    assert harness.main(arguments) == 1 and not results.exists()  # our fault gives no marks


def test_prairielearn_s_question_names_what_the_image_has():
    files = packages.prairielearn(ADD)
    options = json.loads(files["info.json"])["externalGradingOptions"]
    lines = (ROOT / "Containerfile").read_text().splitlines()
    folder = next(line.partition(" ")[2] for line in lines if line.startswith("WORKDIR "))
    assert options["entrypoint"].startswith(f"{folder}/.venv/bin/python -m {harness.__name__} prairielearn 01")
    assert 'file-name="01_vector_add.cu"' in files["question.html"] and files["starter.cu"] == ADD.starter.read_text()
    assert files == packages.prairielearn(ADD)  # the question stays the same one


def test_the_containerfile_asks_for_what_is_there():
    text = re.sub(r"\\\n\s*", "", (ROOT / "Containerfile").read_text())
    steps = [line.split(None, 1) for line in text.splitlines() if line and not line.startswith("#")]
    assert {word for word, _ in steps} <= {"FROM", "RUN", "WORKDIR", "COPY", "ENV", "ENTRYPOINT", "CMD", "ARG"}
    assert dict(steps)["ARG"] == "LADDER_TORCH=cpu"
    assert steps[0][0] == "FROM" and json.loads(dict(steps)["ENTRYPOINT"]) == ["ladder"]
    for _, command in (step for step in steps if step[0] == "RUN"):
        subprocess.run(["sh", "-n", "-c", command], check=True)
    targets = re.findall(r"RUN LADDER_TORCH=\$LADDER_TORCH make (\S+)", text)
    assert targets == [".venv/.ready"] and "\n.venv/.ready:" in (ROOT / "Makefile").read_text()
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert not {"grader", "lessons", "kernels", "cards", "notebooks"} & set(ignored) and ".git" in ignored
